"""How much GitHub takes at once."""

COMMENT = 65_536
"""Characters of a comment, and of the body of an issue or a pull request."""
TITLE = 256
"""Characters of the title of an issue or a pull request."""
CHECK_TITLE = 255
"""Characters of the title of a check run, and of an annotation."""
CHECK_TEXT = 65_535
"""Bytes of the summary of a check run, and of its text."""
ANNOTATIONS = 50
"""Annotations that one request may add to a check run."""
PAGE = 100
"""Entries of one page."""
PAGES = 100
"""Pages that we read; a longer list is not worth the requests."""
ANSWER = 32 << 20
"""Bytes of an answer that we read."""
LOG = 8 << 20
"""Bytes of the log of a job that we keep: the last ones."""
