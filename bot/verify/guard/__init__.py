"""What became of tests, of what they use and of what configures the checks; read from their text, never run."""
