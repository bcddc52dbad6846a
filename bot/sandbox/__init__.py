"""How commands are run."""
