"""How a tree is judged."""
