"""What each family of assertions promises."""
