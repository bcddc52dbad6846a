"""What linters and formatters other than ruff complain of, and annotations that are plain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.annotations import ANY, mend_optional
from bot.models.offline.briefing import Finding
from bot.models.offline.formatters import read_options
from bot.models.offline.literal import annotate_variable
from bot.models.offline.reexports import mark
from bot.models.offline.source import parse
from bot.models.offline.suggestions import MOST_SUGGESTED, Suggestion, tell
from bot.models.offline.supported import oldest
from bot.models.offline.tidy import RULES
from bot.models.offline.unsafe import make_probes, read_changes
from bot.models.offline.workshop import tidying


def found(code: str, message: str, line: int, check: str = "flake8", path: str = "a.py") -> Finding:
    """Make what a linter reports."""
    return Finding(check, f"{path}::{code}::{message}", path, line, f"{code} {message}")


@pytest.mark.parametrize(
    ("kind", "code", "message", "line", "text", "new"),
    [
        ("unused", "F401", "'os' imported but unused", 1, "import os, sys\nsys\n", "import sys\nsys\n"),
        ("unused", "F401", "'a.b' imported but unused", 1, "from a import b\nx = 1\n", "x = 1\n"),
        ("unused", "F401", "'a.b as c' imported but unused", 1, "from a import b as c, d\nd\n", "from a import d\nd\n"),
        ("unused", "W0611", "Unused d imported from a", 1, "from a import (\n    c,\n    d,\n)\nc\n",
         "from a import (\n    c,\n)\nc\n"),
        ("unused", "W0611", "Unused import os", 3, "def f():\n    x = 1\n    import os\n    return x\n",
         "def f():\n    x = 1\n    return x\n"),
        ("unused", "F401", "'os' imported but unused", 2, "try:\n    import os\nexcept ImportError:\n    raise\n",
         "try:\n    pass\nexcept ImportError:\n    raise\n"),
        ("unused", "F401", "'os' imported but unused", 1, "import os\nos.sep\n", "import os\nos.sep\n"),
        ("blanks", "W291", "trailing whitespace", 1, "x = 1   \ny = 2  \n", "x = 1\ny = 2  \n"),
        ("blanks", "W291", "trailing whitespace", 1, 'x = """a  \n"""\n', 'x = """a  \n"""\n'),
        ("end", "W292", "no newline at end of file", 1, "x = 1", "x = 1\n"),
        ("end", "W391", "blank line at end of file", 3, "x = 1\n\n\n", "x = 1\n"),
        ("rows", "E302", "expected 2 blank lines, found 0", 3, "x = 1\n# of f\ndef f(): ...\n",
         "x = 1\n\n\n# of f\ndef f(): ...\n"),
        ("rows", "E303", "too many blank lines (3)", 6, "x = 1\n\n\n\n\ny = 1\n", "x = 1\n\n\ny = 1\n"),
        ("plain", "F541", "f-string is missing placeholders", 1, 'x = f"a"\n', 'x = "a"\n'),
        ("plain", "F541", "f-string is missing placeholders", 1, 'x = f"{{a}}"\n', 'x = f"{{a}}"\n'),
        ("semicolons", "E703", "statement ends with a semicolon", 1, "x = 1;\n", "x = 1\n"),
    ],
)  # fmt: skip
def test_what_has_one_right_answer_is_mended(
    kind: str, code: str, message: str, line: int, text: str, new: str
) -> None:
    assert RULES[kind](text, [found(code, message, line)]) == new


@given(
    st.sampled_from(sorted(RULES)), st.text("ab \n#;'\"fx=()", max_size=60), st.integers(-2, 99), st.text(max_size=9)
)
def test_no_finding_breaks_a_file(kind: str, text: str, line: int, message: str) -> None:
    new = RULES[kind](text, [found("E302", f"expected 2 {message}", line)])
    assert parse(text) is None or "".join(text.split()).replace(";", "") == "".join(new.split()).replace(";", "")


@pytest.mark.parametrize(
    ("text", "listing", "new"),
    [
        ("from .a import b\n", False, "from .a import b as b\n"),
        ("from .a import b\n", True, 'from .a import b\n\n__all__ = ["b"]\n'),
        ("from .a import b\n__all__ = ['c']\n", False, "from .a import b\n__all__ = ['c', 'b']\n"),
        (
            "from pkg.a import b\n__all__ = [\n    'c',\n]\n",
            False,
            "from pkg.a import b\n__all__ = [\n    'c',\n    'b',\n]\n",
        ),
        ("from os import b\n", False, "from os import b\n"),
    ],
)
def test_what_a_package_imports_of_its_own_is_marked_as_there_for_others(text: str, listing: bool, new: str) -> None:  # noqa: FBT001
    assert mark(text, "pkg", ["b"], listing=listing) == new


def test_options_of_a_formatter_are_read_from_the_commands_of_a_project() -> None:
    assert list(read_options("  black -l 100 --target-version=py39 -S src  # --config x")) == [
        "-l100", "--target-version=py39", "-S",
    ]  # fmt: skip
    assert list(read_options("args: [--line-length=99, --profile, black]")) == ["--line-length=99"]
    assert list(read_options("black --config evil.toml --workers 9")) == []


def test_what_an_edit_brings_about_is_tidied_by_the_tool_that_complains() -> None:
    refusal = "\n".join(
        f"FAILED {one.check} {one.id} at a.py:0: {one.message}"
        for one in (found("format", "would be reformatted", 0, "black"), found("imports", "x", 0, "isort"))
    )
    assert tidying(refusal, ["black", "isort", "ruff-format"], ["a.py"]) == [
        ["isort", "--quiet", "--", "a.py"], ["black", "--quiet", "--", "a.py"],
    ]  # fmt: skip


SHOWN = """modified a.py +2 -2

diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,5 +1,5 @@
 def f(x):
-    if x == None:
+    if x is None:
         return 1
-    y = 2
     return 3
"""


def test_changed_lines_are_read_from_a_diff() -> None:
    assert read_changes(SHOWN) == {"a.py": [2, 4]}


def test_each_changed_statement_is_made_to_fail_once() -> None:
    text = "def f(x):\n    if x is None:\n        return 1\n    return 3\n"
    probes = list(make_probes("a.py", text, [2, 4]))
    assert ["+    raise AssertionError" in probe for probe in probes] == [True, True]
    assert len(list(make_probes("a.py", "def f(x=None):\n    'Do.'\n    return x\n", [1]))) == 1
    assert list(make_probes("a.py", "def f(", [1])) == []


@pytest.mark.parametrize(
    ("text", "line", "name", "new"),
    [
        ("x = []\nx.append('a')\n", 1, "x", "x: list[str] = []\nx.append('a')\n"),
        ("x = {}\nx['a'] = 1\n", 1, "x", "x: dict[str, int] = {}\nx['a'] = 1\n"),
        ("def f(a: int):\n    x = set()\n    x.add((a, 'b'))\n", 2, "x",
         "def f(a: int):\n    x: set[tuple[int, str]] = set()\n    x.add((a, 'b'))\n"),
        ("class A:\n  def f(self):\n    self.x = []\n  def g(self, a: str):\n    self.x.append(a)\n", 3, "x",
         "class A:\n  def f(self):\n    self.x: list[str] = []\n  def g(self, a: str):\n    self.x.append(a)\n"),
        ("x = []\nx.append(f())\n", 1, "x", ""),
        ("x = []\nx.append(1)\nx.append('a')\n", 1, "x", ""),
        ("x = []\nx.extend(y)\nx.append(1)\n", 1, "x", ""),
        ("x = []\n", 1, "x", ""),
        ("def f(a: int):\n    x = []\n    a = g()\n    x.append(a)\n", 2, "x", ""),
    ],
)  # fmt: skip
def test_a_collection_is_annotated_with_what_is_plainly_put_into_it(text: str, line: int, name: str, new: str) -> None:
    mend = annotate_variable(text, line, name)
    assert (mend.text if mend else "") == new


def test_a_linter_that_names_no_parameter_means_those_of_the_line_that_need_it() -> None:
    mend = mend_optional("def f(a: int = None, b: 'str | None' = None, c: str = 'x'): ...\n", [(1, ANY)], union=True)
    assert mend is not None
    assert mend.text == "def f(a: int | None = None, b: 'str | None' = None, c: str = 'x'): ...\n"


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ('[project]\nrequires-python = ">=3.9,<4"\n', (3, 9)),
        ("[options]\npython_requires = >=3.8\n", (3, 8)),
        ('setup(\n    python_requires=">=3.10",\n)\n', (3, 10)),
        ('[tool.poetry.dependencies]\npython = "^3.11"\n', (3, 11)),
        ('[tool.ruff]\ntarget-version = "py312"\n', (3, 12)),
        ("[project]\n", None),
    ],
)
def test_the_oldest_release_that_a_project_supports_is_read(text: str, release: tuple[int, int] | None) -> None:
    assert oldest([text]) == release


def test_suggestions_are_told_once_and_on_one_line_each() -> None:
    many = [Suggestion("a.py", number, "x\ny") for number in range(20)]
    rows = tell([*many, many[0]]).split("\n")
    assert rows[:2] == ["Worth a look, not changed:", "- a.py: x y"]
    assert rows[-1] == f"- and {20 - MOST_SUGGESTED} more"
    assert tell([]) == ""
