"""Runs the proof of commits again, without a model, whoever made them."""
