"""Threads for what may be left alone when somebody interrupts: the end of the process does not wait for them."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from threading import BoundedSemaphore, Thread
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Crew:
    """As many of them at the same time as there is room for."""

    room: BoundedSemaphore
    begun: list[Future[Any]] = field(default_factory=list)

    def submit(self, run: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin with something, as soon as there is room."""
        future: Future[T] = Future()
        self.begun.append(future)
        Thread(target=self._carry_out, args=(future, partial(run, *args, **kwargs)), daemon=True).start()
        return future

    def leave(self, *, waiting: bool) -> None:
        """Begin with nothing more; `waiting` until what was begun has come to its end."""
        running = [future for future in self.begun if not future.cancel()]
        if waiting:
            wait(running)

    def _carry_out(self, future: Future[T], run: Callable[[], T]) -> None:
        with self.room:
            if future.set_running_or_notify_cancel():
                with _Handing(future):
                    future.set_result(run())


@dataclass(frozen=True, slots=True)
class _Handing:
    """Hands an error on to whoever asks for the answer."""

    future: Future[Any]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self.future.set_exception(error)
        return error is not None
