"""Follows a test line by line, with the interpreter's own monitoring where it has that, and tracing otherwise."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable

Name = Callable[[str], "str | None"]
Arrive = Callable[[str, types.FrameType, int], None]
Note = Callable[[str, types.FrameType, int], bool]
TOOL = 4
"""Number under which no well-known tool runs."""


class Follower:
    """Calls `note` for each line of the project's own that is passed, with its path, frame and number.

    `note` says whether it wants to hear of that line again; `leave` is called as a function returns.
    """

    def __init__(self, name: Name, note: Note, leave: Arrive) -> None:
        self.name = name
        self.note = note
        self.leave = leave

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follow what runs meanwhile, in this thread and those that it starts."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is not None and monitoring.get_tool(TOOL) is None:
            with self._monitor(monitoring):
                yield
            return
        sys.settrace(self._enter)
        threading.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def _enter(self, frame: types.FrameType, _: str, __: Any) -> Any:
        path = self.name(frame.f_code.co_filename)
        if path is None:
            return None

        def inside(frame: types.FrameType, event: str, _: Any) -> Any:
            if event == "line":
                self.note(path, frame, frame.f_lineno)
            elif event == "return":
                self.leave(path, frame, frame.f_lineno)
            return inside

        self.note(path, frame, frame.f_lineno)
        return inside

    @contextmanager
    def _monitor(self, monitoring: Any) -> Iterator[None]:
        events = monitoring.events
        watched = events.LINE | events.PY_RETURN

        here = sys._getframe  # noqa: SLF001 - callbacks are given no frame

        def begin(code: types.CodeType, _: int) -> Any:
            path = self.name(code.co_filename)
            if path is not None:
                monitoring.set_local_events(TOOL, code, watched)
                self.note(path, here(1), code.co_firstlineno)
            return monitoring.DISABLE

        def line(code: types.CodeType, number: int) -> Any:
            path = self.name(code.co_filename)
            again = path is not None and self.note(path, here(1), number)
            return None if again else monitoring.DISABLE

        def end(code: types.CodeType, _: int, __: object) -> Any:
            path = self.name(code.co_filename)
            if path is not None:
                self.leave(path, here(1), code.co_firstlineno)

        monitoring.use_tool_id(TOOL, "git-agent")
        monitoring.register_callback(TOOL, events.PY_START, begin)
        monitoring.register_callback(TOOL, events.LINE, line)
        monitoring.register_callback(TOOL, events.PY_RETURN, end)
        monitoring.restart_events()
        monitoring.set_events(TOOL, events.PY_START)
        try:
            yield
        finally:
            monitoring.set_events(TOOL, 0)
            for event in (events.PY_START, events.LINE, events.PY_RETURN):
                monitoring.register_callback(TOOL, event, None)
            monitoring.free_tool_id(TOOL)
