"""The decision layer: what to ask the model, what to do with its answer."""
