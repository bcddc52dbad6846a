"""Which files and definitions a text is most likely about, told from words alone."""
