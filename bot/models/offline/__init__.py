"""A deterministic repairer that needs no key and no network."""
