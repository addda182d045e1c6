"""The command line: parse, call a use case, print. Progress goes to stderr, results to stdout."""
