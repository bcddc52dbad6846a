"""Calls of tools as text, for models and servers that have none of their own: told, forced by a schema, read back."""
