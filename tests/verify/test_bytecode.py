"""Compiled forms of sources in a clean tree: they save time, and no tree is judged by other code than its own."""

import os
import py_compile
import sys
from pathlib import Path

import pytest

from bot.core.check import CheckResult
from bot.errors import SandboxUnavailable
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.detect import attempt
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from bot.verify.bytecode import FEWEST, FOLDER
from bot.verify.ladder import Ladder
from tests.conftest import make_repo
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, bare, outcomes, write

LONG = "".join(f"def unused_{number}(x):\n    return x + {number}\n\n\n" for number in range(FEWEST // 30))
FILES = {
    ".gitignore": "__pycache__/\n",
    "calc.py": FIXED,
    "long.py": LONG,
    "test_calc.py": f"import long\n{TESTS}",
    "test_seen.py": "from pathlib import Path\n\n\ndef test_seen():\n    assert list(Path('__pycache__').iterdir())\n",
}
GOOD = {"test_calc.py::test_add": "passed", "test_calc.py::test_zero": "passed"}


class Box:
    """A repository whose folder is judged as if it were a clean tree, again and again."""

    def __init__(self, root: Path) -> None:
        self.root = make_repo(root).path
        write(self.root, FILES)
        self.executor = BubblewrapExecutor(Site(self.root, self.root / ".git", [bare().path, Path(sys.executable)]))
        self.ladder = Ladder((PYTEST,), self.executor, bare())

    def run(self, *targets: str) -> CheckResult:
        return self.ladder.run(PYTEST, self.root, targets)

    def told(self) -> dict[str, str]:
        return outcomes(self.run())


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path / "repo")
    try:
        attempt(made.executor, made.root)
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap here: {error}")
    return made


def test_sources_are_compiled_once_and_what_was_laid_is_taken_away(box: Box) -> None:
    assert box.told() == {**GOOD, "test_seen.py::test_seen": "failed"}
    made = {name for _, name in box.ladder.bytecode.forms}
    assert {name.partition(".")[0] for name in made} == {"calc", "long", "test_calc", "test_seen"}
    assert {"-pytest-" in name for name in made if name.startswith("test_")} == {True}
    assert box.told() == {**GOOD, "test_seen.py::test_seen": "passed"}
    assert not list(box.root.rglob(FOLDER))


def test_what_is_laid_is_used(box: Box) -> None:
    box.run()
    forms = box.ladder.bytecode.forms
    # Nothing but us writes here; this shows that the run believes it, and with that the tests below that it may
    wrong = Box(box.root.parent / "wrong")
    write(wrong.root, {"calc.py": CALC})
    wrong.run()
    key = next(key for key in forms if key[0] == "calc.py")
    other = wrong.ladder.bytecode.forms[key]
    head = forms[key].data[:16]
    forms[key] = type(other)(other.name, forms[key].source, head + other.data[16:])
    assert box.told()["test_calc.py::test_add"] == "failed"


def test_a_changed_source_of_the_same_size_and_second_is_read_anew(box: Box) -> None:
    box.run()
    state = (box.root / "calc.py").stat()
    write(box.root, {"calc.py": CALC})
    os.utime(box.root / "calc.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (box.root / "calc.py").stat().st_size == state.st_size
    assert box.told()["test_calc.py::test_add"] == "failed"
    assert box.told()["test_calc.py::test_zero"] == "passed"


def test_a_changed_test_of_the_same_size_and_second_is_read_anew(box: Box) -> None:
    box.run()
    state = (box.root / "test_calc.py").stat()
    write(box.root, {"test_calc.py": FILES["test_calc.py"].replace("== 3", "== 4")})
    os.utime(box.root / "test_calc.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert box.told()["test_calc.py::test_add"] == "failed"


def test_bytecode_of_the_tree_is_not_believed_beside_ours(box: Box) -> None:
    box.run()
    write(box.root, {"calc.py": CALC})
    good = write(box.root.parent / "good", {"calc.py": FIXED}) / "calc.py"
    state = (box.root / "calc.py").stat()
    os.utime(good, ns=(state.st_atime_ns, state.st_mtime_ns))
    planted = box.root / FOLDER / f"calc.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(str(good), str(planted), doraise=True)
    assert box.told()["test_calc.py::test_add"] == "failed"
    assert planted.exists()


def test_bytecode_that_a_run_leaves_does_not_reach_the_next_one(box: Box) -> None:
    lying = "import os, py_compile\n\n\ndef test_lying():\n    os.makedirs('__pycache__', exist_ok=True)\n"
    lying += f"    open('good.py', 'w').write({FIXED!r})\n"
    lying += "    for name in ('calc', 'long'):\n"
    lying += f"        target = f'__pycache__/{{name}}.{sys.implementation.cache_tag}.pyc'\n"
    lying += "        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH\n"
    lying += "        py_compile.compile('good.py', target, invalidation_mode=mode)\n"
    write(box.root, {"test_lying.py": lying, "calc.py": CALC})
    box.run()
    for path in box.root.rglob("*.pyc"):
        path.unlink()
    (box.root / FOLDER).rmdir()
    assert box.told()["test_calc.py::test_add"] == "failed"
    assert box.told()["test_calc.py::test_add"] == "failed"


def test_nothing_is_laid_behind_a_link_that_leads_out_of_the_tree(box: Box, tmp_path: Path) -> None:
    write(box.root, {"pack/__init__.py": "", "pack/part.py": LONG, "test_pack.py": "import pack.part\n"})
    box.run()
    assert ("pack/part.py", f"part.{sys.implementation.cache_tag}.pyc") in box.ladder.bytecode.forms
    outside = tmp_path / "outside"
    (box.root / "pack").rename(outside)
    (box.root / "pack").symlink_to(outside)
    box.run()
    assert not (outside / FOLDER).exists()


def test_a_repository_that_would_see_bytecode_gets_none(box: Box) -> None:
    write(box.root, {".gitignore": "*.log\n"})
    box.run()
    assert box.told()["test_seen.py::test_seen"] == "failed"


def test_a_few_sources_are_not_worth_it(box: Box) -> None:
    write(box.root, {"long.py": ""})
    box.run()
    assert not box.ladder.bytecode.forms


def test_what_warns_when_it_is_compiled_warns_each_time(box: Box) -> None:
    write(box.root, {"calc.py": f"SIGN = '\\d'\n{FIXED}"})
    box.run()
    assert "calc.py" not in {path for path, _ in box.ladder.bytecode.forms}


def test_where_code_of_the_project_could_reach_it_nothing_is_kept(tmp_path: Path) -> None:
    root = write(tmp_path, FILES)
    ladder = Ladder((PYTEST,), ProcessExecutor(), bare())
    ladder.run(PYTEST, root)
    assert not ladder.bytecode.forms
