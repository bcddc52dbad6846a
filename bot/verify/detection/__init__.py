"""Finds out from a project's own files which checks it wants."""
