"""The same edit in several places of a function, joined to one candidate."""

from __future__ import annotations

import ast

from bot.repair.worker.source import Candidate, Edit

ECHOED = frozenset({
    "const", "const_other", "const_str", "const_diff", "const_seen", "cmp_op", "bin_op", "var_replace", "method_swap",
    "call_swap", "attr_replace", "wrap_call", "wrap_method", "slice", "subscript", "swap_args", "unwrap_call",
    "err_name", "err_attr", "err_cast", "err_key", "drop_attr", "regex",
})  # fmt: skip
WORTH = 0.5
"""What an edit in all places is worth beside the same one in a single place."""
MOST = 8


class Echoes:
    """Remembers single edits, and joins those that do the same to the same text."""

    def __init__(self) -> None:
        self._places: dict[tuple[object, ...], list[Edit]] = {}

    def join(self, candidate: Candidate, old: bytes, root: ast.AST) -> Candidate | None:
        """Join an edit with the like ones before it in the same function, if there are any."""
        if candidate.template not in ECHOED or candidate.more or not old.strip():
            return None
        places = self._places.setdefault((root, candidate.template, old, candidate.edit.text), [])
        if any(e.start < candidate.edit.end and candidate.edit.start < e.end for e in places):
            return None
        places.append(candidate.edit)
        if not 2 <= len(places) <= MOST:
            return None
        first, *rest = sorted(places, key=lambda e: e.start)
        return candidate._replace(edit=first, more=tuple(rest), prior=candidate.prior * WORTH)
