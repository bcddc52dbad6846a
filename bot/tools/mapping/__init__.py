"""The map of a project: what its files define, what they mention, and on what of it the rest leans."""
