"""The commands, one module each; each parses its options, calls one function and prints the result."""
