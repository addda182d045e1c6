"""What evaluation means: values and rules, free of I/O and of every framework."""
