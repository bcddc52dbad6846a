"""A red CI run as its logs tell of it: what failed, why that may be nobody's fault, and whether it is so here."""
