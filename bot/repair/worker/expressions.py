"""Watches the expressions of several files at once while tests run, in a process that is thrown away."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Callable

from bot.repair.worker.live import Module
from bot.repair.worker.observe import Observed, Recorder, instrument


def watch(modules: Sequence[Module], runs: Iterable[Callable[[], object]]) -> dict[str, Observed]:
    """Put notes into the living code of modules, run something, and return what was noted, by path."""
    recorder = Recorder([])
    recorder.install()
    spans: dict[str, range] = {}
    for module in modules:
        first = len(recorder.keys)
        try:
            _wire(module, recorder, first)
        except Exception:  # noqa: BLE001, S112 - running the top level of the project's module may raise anything
            continue
        spans[module.source.path] = range(first, len(recorder.keys))
    sys.stdout.flush()
    for run in runs:
        run()
    return {path: recorder.observed(span) for path, span in spans.items()}


def _wire(module: Module, recorder: Recorder, first: int) -> None:
    body = module.source.content[module.source.base :]
    tree, keys = instrument(body, first)
    recorder.keys += keys
    before = compile(body, module.filename, "exec", dont_inherit=True)
    after = compile(tree, module.filename, "exec", dont_inherit=True)
    if not module.swap(before, after):
        module.rerun(after)
