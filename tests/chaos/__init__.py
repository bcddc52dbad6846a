"""Runs that are killed at any moment, and many runs at once, in repositories full of half-finished work."""
