"""Code as a person reads it in a line of a report."""

import ast

LONGEST = 100
"""Characters."""


def show(node: ast.AST) -> str:
    """Write a node on one line, cut where it is long."""
    return cut(ast.unparse(node))


def cut(text: str) -> str:
    """Bring text onto one line of readable characters."""
    line = " ".join(text.split())
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in line)
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"
