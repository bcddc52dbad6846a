"""What happens when git asks before a commit, a push or a message."""
