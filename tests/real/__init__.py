"""A real model, small and of no use for the work, behind a real server that others wrote: what passes, not how good."""
