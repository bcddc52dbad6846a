"""What a model may do."""
