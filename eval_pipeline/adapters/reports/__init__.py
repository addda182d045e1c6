"""Results as files: for machines, for other databases, for people."""
