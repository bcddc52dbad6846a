"""The composition root: the only room that knows the adapters."""
