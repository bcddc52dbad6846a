"""Packages that take long to import, imported beside other work, and waited for where they are needed.

Nothing of ours forks in this process and goes on in Python there, which an import in another thread would not survive:
commands are started by `posix_spawn`, and by `subprocess` without `preexec_fn`.
"""

import atexit
import importlib
import sys
import threading
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType

from bot.core.escape import line
from bot.errors import ModelRejected

BROKEN = (
    ImportError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What the import of a package that is not as it should be ends in."""
LONGEST = 300
"""Characters of what is wrong with it."""


@dataclass(slots=True, eq=False)
class _Import:
    """An import in a thread of its own."""

    module: str
    thread: threading.Thread = field(init=False)
    over: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._run, name=f"import-{self.module}", daemon=True)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Stop the import at its next module once the process is about to end; it finds nothing itself."""
        if self.over and threading.current_thread() is self.thread:
            raise SystemExit
        return None

    def start(self) -> None:
        sys.meta_path.insert(0, self)
        # A thread that the end of the process cuts off within foreign code may take the process down with it
        atexit.register(self.stop)
        self.thread.start()

    def stop(self) -> None:
        """Give up, and wait until it is so."""
        self.over = True
        self.thread.join()

    def _run(self) -> None:
        try:
            importlib.import_module(self.module)
        except BROKEN:
            # Told to whoever needs the package, who tries again
            return
        finally:
            sys.meta_path.remove(self)
            atexit.unregister(self.stop)


_RUNNING: dict[str, _Import] = {}


def preload(module: str) -> None:
    """Begin to import a package, and do not wait for it; what goes wrong is told by `load`."""
    if module not in sys.modules and module not in _RUNNING:
        _RUNNING[module] = _Import(module)
        _RUNNING[module].start()


def load(module: str) -> ModuleType:
    """Return a package, imported now if it was not before. Raises ModelRejected."""
    begun = _RUNNING.pop(module, None)
    if begun is not None:
        begun.thread.join()
    try:
        return importlib.import_module(module)
    except BROKEN as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            problem = "is not installed"
        else:
            problem = f"cannot be loaded: {line(str(error) or type(error).__name__, LONGEST)}"
        hint = "install git-agent again, or choose another model"
        raise ModelRejected(f"the package {module}, which asks this model, {problem}", hint) from error
