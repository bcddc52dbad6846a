"""What is played, by family."""
