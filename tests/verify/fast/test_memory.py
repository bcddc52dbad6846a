"""What mypy remembers from one process to the next: faster, and never another answer."""

import os
import shutil
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult
from bot.verify.fast.memory import LOCK, MOST, STATE, Memory, _held
from bot.verify.interpreter import own
from bot.verify.place import Place
from tests.conftest import executor
from tests.verify.conftest import write
from tests.verify.fast.conftest import Apart
from tests.verify.test_warm import MYPY as NAMED
from tests.verify.test_warm import OPTIONS, PROJECT

MYPY = NAMED.model_copy(update={"argv": (*NAMED.argv[:-2], "--", *NAMED.argv[-2:])})
QUIET = NAMED.model_copy(update={"argv": ("/bin/true", "mypy", *OPTIONS)})
WRONG = "def double(x: int) -> str:\n    return x + x\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(write(tmp_path / "project", PROJECT), Apart(), own())


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def ask(kept: Path, place: Place, *targets: str, check: Check = MYPY) -> CheckResult:
    """Ask as another process would."""
    return Memory(kept, "environment").run(check, place, targets)


def is_warm(place: Place) -> bool:
    assert isinstance(place.executor, Apart)
    return "--no-incremental" not in place.executor.ran[-1].argv


def test_a_series_of_edits_is_judged_as_without_a_memory(place: Place, kept: Path) -> None:
    file = place.root / "pkg/maths.py"
    assert ask(kept, place, "app.py").status == "passed"
    before = file.stat()
    write(place.root, {"pkg/maths.py": WRONG})
    # The very size and time that mypy remembers
    os.utime(file, (before.st_mtime, before.st_mtime))
    assert file.stat().st_size == before.st_size
    found = [case.id.split("::")[1] for case in ask(kept, place, "app.py").cases]
    assert (found, is_warm(place)) == (["assignment", "return-value"], True)
    # What asks for a module that is not there is looked at again when it comes
    write(place.root, {"pkg/maths.py": PROJECT["pkg/maths.py"], "app.py": "from pkg import later as later\n"})
    assert ask(kept, place, "app.py").count("failed") == 1
    write(place.root, {"pkg/later.py": "one: int = 1\n"})
    assert ask(kept, place, "app.py").status == "passed"
    assert is_warm(place)


def test_a_memory_is_believed_only_where_nobody_else_could_write_to_it(place: Place, kept: Path) -> None:
    ask(kept, place, check=QUIET)
    (folder,) = (kept / "types").iterdir()
    with _held(folder) as alone:
        assert alone is not None
        ask(kept, place, check=QUIET)
        assert not is_warm(place)
    foreign = folder / "cache/planted"
    foreign.write_bytes(b"not a memory")
    ask(kept, place, check=QUIET)
    assert is_warm(place)
    assert not foreign.exists()
    (folder / STATE).write_text("{}")
    ask(kept, place, check=QUIET)
    assert {path.name for path in folder.iterdir()} == {"cache", STATE, LOCK}


def test_without_a_sandbox_or_with_settings_that_run_code_nothing_is_remembered(place: Place, kept: Path) -> None:
    ask(kept, Place(place.root, executor(), own()), check=QUIET)
    declared = QUIET.model_copy(update={"argv": ("/bin/true", "mypy", "app.py")})
    ask(kept, place, check=declared)
    write(place.root, {"mypy.ini": "[mypy]\npython_executable = ./evil\n"})
    ask(kept, place, check=QUIET)
    assert not kept.exists()


def test_few_memories_are_kept(kept: Path) -> None:
    for number in range(MOST + 2):
        (kept / "types" / f"old{number}").mkdir(parents=True)
    memory = Memory(kept, "environment")
    memory._trim("old0")
    assert len([*(kept / "types").iterdir()]) == MOST
    shutil.rmtree(kept)
    memory._trim("old0")
