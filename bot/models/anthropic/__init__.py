"""Models behind the messages interface of Anthropic, and whoever else speaks it."""
