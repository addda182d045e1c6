"""Use cases over ports. Knows no framework and no database."""
