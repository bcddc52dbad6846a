"""The Responses interface of OpenAI: the only one on which its newest models reason and call tools."""
