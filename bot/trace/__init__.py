"""Where events go as they happen."""
