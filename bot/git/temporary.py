"""What temporary folders of ours are called."""

PREFIX = "git-agent-"
"""How the name of every temporary folder of a workspace begins."""
