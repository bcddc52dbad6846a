"""Hostile tool calls and repositories as data, what plays them, and a table of what was stopped."""
