"""A second look at what passes for the first time; whoever passes only beside something new has not passed."""

from pathlib import Path

from bot.core.check import Verdict
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, Files, base_of, climb, ladder_for, write

ADD, ZERO = "test_calc.py::test_add", "test_calc.py::test_zero"


def judge(project: Path, files: Files) -> Verdict:
    before = base_of(project)
    write(project, files)
    return climb(ladder_for(project, PYTEST), project, before)[1]


def test_a_fix_that_works_only_the_first_time_is_flaky_and_not_fixed(project: Path) -> None:
    once = "import pathlib\nseen = pathlib.Path('seen')\nwas = seen.exists()\nseen.touch()\n"
    verdict = judge(project, {"calc.py": f"{once}\n\ndef add(a, b):\n    return a - b if was else a + b\n"})
    assert verdict.comparison.flaky == (ADD,)
    assert verdict.comparison.fixed == ()
    assert not verdict.green
    assert not verdict.better


def test_the_folder_is_made_anew_before_the_second_run(project: Path) -> None:
    tests = TESTS.replace("def test_add():", "def test_add():\n    import os\n    os.mkdir('made')")
    write(project, {"test_calc.py": tests})
    _, before = climb(ladder_for(project, PYTEST), project)
    write(project, {"calc.py": FIXED})
    (project / "made").rmdir()
    climbing = ladder_for(project, PYTEST).climb(project, "tree", before, (project / "made").rmdir)
    verdict = None
    while verdict is None:
        try:
            next(climbing)
        except StopIteration as end:
            verdict = end.value
    assert verdict.comparison.fixed == (ADD,)
    assert verdict.green


def test_a_new_test_file_cannot_make_the_earlier_tests_pass(project: Path) -> None:
    verdict = judge(
        project, {"test_aaa.py": "import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_new():\n    assert True\n"}
    )
    assert not verdict.green
    assert verdict.comparison.fixed == ()


CASES = """import pytest

from calc import add


@pytest.mark.parametrize("a", [1])
def test_add(a):
    assert add(a, 2) == 3
"""


def test_a_new_test_file_cannot_make_the_cases_of_an_earlier_test_pass(project: Path) -> None:
    write(project, {"test_calc.py": CASES})
    patching = "import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_new():\n    assert True\n"
    verdict = judge(project, {"test_aaa.py": patching})
    assert not verdict.green
    assert verdict.comparison.fixed == ()


def test_cases_with_other_names_each_time_are_left_aside(project: Path) -> None:
    named = CASES.replace("[1])", "[1], ids=[str(id(object())) + __import__('uuid').uuid4().hex])")
    write(project, {"test_calc.py": named, "calc.py": FIXED})
    assert judge(project, {"test_aaa.py": "def test_new():\n    assert True\n"}).comparison.broken == ()


def test_a_new_test_file_cannot_hide_what_broke(project: Path) -> None:
    masking = "import calc\n\ncalc.add = lambda a, b: 0 if not a else 3\n\n\ndef test_new():\n    assert True\n"
    verdict = judge(project, {"calc.py": "def add(a, b):\n    return 3\n", "test_aaa.py": masking})
    assert verdict.comparison.broken == (ZERO,)
    assert not verdict.ok


def test_an_honest_new_test_file_is_welcome(project: Path) -> None:
    more = "from calc import add\n\n\ndef test_more():\n    assert add(2, 2) == 4\n"
    verdict = judge(project, {"calc.py": FIXED, "test_more.py": more})
    assert verdict.green
    assert verdict.ok
    assert verdict.comparison.fixed == (ADD,)
    assert verdict.comparison.new == ("test_more.py::test_more",)


def test_a_module_that_newly_stands_before_another_makes_it_worse(tmp_path: Path) -> None:
    tests = "from helpers import same\n\nfrom calc import add\n\n\ndef test_add():\n    same(add(1, 2), 3)\n"
    helper = "def same(a, b):\n    assert a == b\n"
    project = write(tmp_path / "p", {"calc.py": CALC, "helpers.py": helper, "tests/test_calc.py": tests})
    verdict = judge(project, {"tests/helpers.py": "def same(a, b):\n    pass\n", "colorsys.py": ""})
    assert set(verdict.comparison.broken) == {
        "tests/helpers.py stands before helpers.py",
        "colorsys.py stands before the installed module colorsys",
    }
    assert not verdict.ok


def test_a_module_that_stood_there_before_is_nobodys_fault(project: Path) -> None:
    write(project, {"colorsys.py": "", "tests/helpers.py": "", "helpers.py": ""})
    assert judge(project, {"calc.py": FIXED, "more.py": ""}).green


def test_a_file_that_is_rewritten_while_the_tests_run_is_named(project: Path) -> None:
    asks = "    assert str(add(1, 2)) == pathlib.Path('x').read_text()\n"
    reading = f"import pathlib\n\nfrom calc import add\n\n\ndef test_add():\n{asks}"
    write(project, {"test_calc.py": reading, "x": "3"})
    cheat = "import pathlib\n\npathlib.Path('x').write_text('-1')\n"
    assert judge(project, {"calc.py": f"{cheat}\n\n{CALC}"}).comparison.changed == ("x",)


def test_a_doctest_that_asks_something_else_is_named(tmp_path: Path) -> None:
    source = 'def add(a, b):\n    """Add.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n'
    ini = "[pytest]\naddopts = --doctest-modules\n"
    project = write(tmp_path / "p", {"calc.py": source, "pytest.ini": ini})
    assert judge(project, {"calc.py": source.replace("    3\n", "    -1\n")}).comparison.changed == (
        "calc.py::calc.add",
    )
    write(project, {"calc.py": source})
    honest = judge(project, {"calc.py": source.replace("a - b", "a + b").replace("Add.", "Add two numbers.")})
    assert honest.comparison.changed == ()
    assert honest.comparison.fixed == ("calc.py::calc.add",)
