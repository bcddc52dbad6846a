"""Says within seconds whether a commit makes anything worse: the quick checks, asked of what it changes."""
