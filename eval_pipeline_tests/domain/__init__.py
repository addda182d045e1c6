"""What the domain promises, one file a concept."""
