"""How a temporary folder shows that it is in use."""

HELD = ".held-by-git-agent"
"""Name of a file that a process keeps locked for as long as it uses a temporary folder that no card tells of."""
