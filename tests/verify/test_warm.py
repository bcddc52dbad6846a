"""Types checked with what is remembered of the first tree: faster, and never another answer."""

import os
import shutil
import time
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Rung
from bot.core.held import HELD
from bot.protocols import Command, Completed
from bot.sandbox.process import ProcessExecutor
from bot.verify import typed
from bot.verify.interpreter import own
from bot.verify.place import Place
from bot.verify.warm import Warmth
from tests.verify.conftest import Files, write

OPTIONS = ("--output", "json", "--no-incremental", "--cache-dir=/dev/null", "--no-error-summary", "--show-error-codes")
MYPY = Check(
    name="mypy", rung=Rung.TYPES, reader="mypy", argv=(str(own().path), "-I", "-m", "mypy", *OPTIONS, "pkg", "app.py")
)
PROJECT: Files = {
    "pkg/__init__.py": "from pkg.maths import double as double\n",
    "pkg/maths.py": "def double(x: int) -> int:\n    return x + x\n",
    "pkg/words.py": "def shout(x: str) -> str:\n    return x.upper()\n",
    "app.py": "from pkg import double\nfrom pkg.words import shout\n\nvalue: int = double(2)\ntext: str = shout('a')\n",
}


class Watched(ProcessExecutor):
    """Remembers what was run."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[Command] = []

    def execute(self, command: Command) -> Completed:
        self.ran.append(command)
        return super().execute(command)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(write(tmp_path / "project", PROJECT), Watched(), own())


def ran(place: Place) -> list[Command]:
    assert isinstance(place.executor, Watched)
    return place.executor.ran


def is_warm(command: Command) -> bool:
    return "--no-incremental" not in command.argv


def said(result: CheckResult) -> tuple[object, ...]:
    return (result.status, result.summary, result.cases)


def test_a_second_tree_is_checked_with_a_copy_and_the_cache_stays_as_it_was(place: Place) -> None:
    warmth = Warmth()
    first = warmth.run(MYPY, place, fill=True)
    assert first.status == "passed"
    write(place.root, {"pkg/maths.py": "def double(x: int) -> str:\n    return str(x)\n"})
    second = warmth.run(MYPY, place, fill=False)
    assert second.status == "failed"
    assert second.cases[0].path == "app.py"
    assert warmth.run(MYPY, place, fill=False).cases == second.cases
    assert [is_warm(command) for command in ran(place)] == [True, True, True]
    folders = [command.mounts[0].path for command in ran(place)]
    assert len({*folders}) == 3
    assert folders[0].exists()
    assert not folders[1].exists()


EDITS: tuple[tuple[str, dict[str, str | None]], ...] = (
    ("a wrong result type", {"pkg/maths.py": "def double(x: int) -> str:\n    return str(x)\n"}),
    ("a file that is gone", {"pkg/words.py": None}),
    ("a file that is new", {"pkg/more.py": "x: int = 'a'\n", "app.py": "import pkg.more\n"}),
    ("a stub beside a module", {"pkg/words.pyi": "def shout(x: int) -> str: ...\n"}),
    ("an ignore that is of no use", {"app.py": "import nowhere\nx: int = 'a'  # type: ignore[assignment]\n"}),
    ("a file that does not parse", {"pkg/maths.py": "def double(x: int -> int:\n"}),
    ("a cycle", {"pkg/maths.py": "import app\n\n\ndef double(x: int) -> int:\n    return app.value + ''\n"}),
)


def test_every_edit_is_judged_as_without_a_memory(place: Place, tmp_path: Path) -> None:
    write(place.root, {"pkg/words.py": "def shout(x: str) -> str:\n    return 1\n"})
    original = tmp_path / "original"
    shutil.copytree(place.root, original)
    warmth = Warmth()
    assert warmth.run(MYPY, place, fill=True).count("failed") == 1
    for what, files in EDITS:  # each is judged twice, once as if nothing was known
        for name, text in files.items():
            if text is None:
                (place.root / name).unlink()
            else:
                write(place.root, {name: text})
        assert said(warmth.run(MYPY, place, fill=False)) == said(typed.run(MYPY, place, ())), what
        shutil.rmtree(place.root)
        shutil.copytree(original, place.root)
    assert said(warmth.run(MYPY, place, fill=False)) == said(typed.run(MYPY, place, ()))


def test_a_module_that_was_missing_is_seen_by_whoever_asked_for_it_before(place: Place) -> None:
    write(place.root, {"app.py": "from pkg import later\n\nvalue: int = later.one\n"})
    warmth = Warmth()
    assert warmth.run(MYPY, place, fill=True).count("failed") == 1
    write(place.root, {"pkg/later.py": "one: int = 1\n"})
    assert warmth.run(MYPY, place, fill=False).status == "passed"


def test_other_content_of_the_same_size_in_the_same_second_is_seen(place: Place) -> None:
    warmth, file = Warmth(), place.root / "pkg/maths.py"
    second = int(time.time())
    os.utime(file, (second, second))
    assert warmth.run(MYPY, place, fill=True).status == "passed"
    size = file.stat().st_size
    write(place.root, {"pkg/maths.py": "def double(x: int) -> str:\n    return x + x\n"})
    os.utime(file, (second, second))
    assert (file.stat().st_size, int(file.stat().st_mtime)) == (size, second)
    assert warmth.run(MYPY, place, fill=False).status == "failed"
    assert is_warm(ran(place)[-1])


def test_another_configuration_is_judged_without_the_memory(place: Place) -> None:
    warmth = Warmth()
    warmth.run(MYPY, place, fill=True)
    write(place.root, {"pyproject.toml": "[tool.mypy]\n"})
    assert warmth.run(MYPY, place, fill=False).status == "passed"
    assert not is_warm(ran(place)[-1])


def test_a_memory_that_somebody_wrote_to_is_not_used(place: Place) -> None:
    warmth = Warmth()
    warmth.run(MYPY, place, fill=True)
    kept = next(path for path in ran(place)[0].mounts[0].path.rglob("*") if path.is_file())
    kept.write_bytes(kept.read_bytes())
    assert warmth.run(MYPY, place, fill=False).status == "passed"
    assert not is_warm(ran(place)[-1])


def test_links_that_lead_elsewhere_now_are_judged_without_the_memory(place: Place) -> None:
    link = place.root / "pkg/linked.py"
    link.symlink_to("maths.py")
    warmth = Warmth()
    warmth.run(MYPY, place, fill=True)
    link.unlink()
    link.symlink_to("words.py")
    warmth.run(MYPY, place, fill=False)
    assert not is_warm(ran(place)[-1])


def test_code_of_the_tree_that_mypy_would_run_keeps_it_from_remembering(place: Place) -> None:
    write(place.root, {"mypy.ini": "[mypy]\nplugins = hook.py\n", "hook.py": "def plugin(v): pass\n"})
    warmth = Warmth()
    warmth.run(MYPY, place, fill=True)
    assert not is_warm(ran(place)[0])


def test_a_command_of_another_make_is_left_alone(place: Place) -> None:
    declared = MYPY.model_copy(update={"argv": (*MYPY.argv[:4], "--output", "json", "app.py")})
    Warmth().run(declared, place, fill=True)
    assert tuple(ran(place)[0].argv[4:]) == declared.argv


def test_what_is_remembered_goes_with_whoever_remembers(place: Place) -> None:
    warmth = Warmth()
    warmth.run(MYPY, place, fill=True)
    folder = ran(place)[0].mounts[0].path.parent
    assert folder.name.startswith("git-agent-")
    assert (folder / HELD).exists()
    del warmth
    assert not folder.exists()


def test_a_part_of_a_tree_is_checked_with_the_memory_of_the_whole(place: Place) -> None:
    warmth = Warmth()
    asked = MYPY.model_copy(update={"argv": MYPY.argv[:-2]})
    write(place.root, {"mypy.ini": "[mypy]\nfiles = pkg, app.py\n"})
    warmth.run(asked, place, fill=True)
    write(place.root, {"pkg/words.py": "def shout(x: str) -> str:\n    return 1\n", "app.py": "x: int = 'a'\n"})
    part = warmth.run(asked, place, ["pkg/words.py"])
    assert is_warm(ran(place)[-1])
    assert said(part) == said(typed.run(asked, place, ["pkg/words.py"]))
    assert [case.path for case in part.cases] == ["pkg/words.py"]
