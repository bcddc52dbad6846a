"""The repository: the only rooms that start git or open libgit2."""
