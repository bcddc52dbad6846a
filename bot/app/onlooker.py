"""Whether a person looks on."""

import os


def on_terminal(stream: object) -> bool:
    """Say whether a person sees what is written there."""
    # A stream that was closed before we started is None; some runners of workflows lend a terminal that nobody sees
    return bool(getattr(stream, "isatty", bool)()) and not os.environ.get("GITHUB_ACTIONS")
