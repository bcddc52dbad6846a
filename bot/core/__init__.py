"""Pure values and folds: no input, no output, no clock."""
