"""Models behind the chat completions of OpenAI, and the many servers that speak them too."""
