"""What of the last changes a run takes back, and from where on that is more than a repair."""

import difflib

import pytest

from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.doubts import Work
from bot.core.past import Past, Touch, explain, read_blocks, select, taken_back

LOOP = "def f(a):\n    for x in a:\n        g(x)\n    return a\n"
BASE = f"{LOOP}\n\ndef g(x):\n    print(x)\n\n\ndef h(x):\n    return x + 1\n"
HEAD = "def f(a):\n    return a\n\n\ndef g(x):\n    print(x)\n    log(x)\n\n\ndef h(x, y=0):\n    return x - 1\n"
SINCE, COMMIT = "5" * 40, "c" * 40


def diff(old: str, new: str, path: str = "m.py") -> str:
    before, after = (text.splitlines(keepends=True) for text in (old, new))
    return f"diff --git a/{path} b/{path}\n" + "".join(difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"))


def past(old: str = BASE, new: str = HEAD) -> Past:
    return Past(since=SINCE, patch=diff(old, new), touches=(Touch(commit=COMMIT, paths=("m.py",)),))


def back(after: str, *, old: str = BASE, new: str = HEAD) -> list[int]:
    """Return the first lines of the blocks that an edit of the new version takes back."""
    return [block.start for block in taken_back([diff(new, after)], past(old, new))]


def test_a_diff_is_read_into_blocks_with_what_stands_around_them() -> None:
    blocks = read_blocks(diff(BASE, HEAD))
    assert [(block.start, len(block.before), len(block.after)) for block in blocks] == [
        (2, 2, 0),
        (7, 0, 1),
        (10, 2, 2),
    ]
    assert blocks[0].lead == ("def f(a):\n",)
    assert blocks[0].trail == ("    return a\n", "\n", "\n")
    assert blocks[2].lead == ("\n", "\n")
    assert [block.whole for block in read_blocks("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n")] == [True]
    (last,) = read_blocks("--- a/n.py\n+++ b/n.py\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n")
    assert (last.before, last.after) == (("x",), ("y\n",))


@pytest.mark.parametrize(
    ("after", "blocks"),
    [
        pytest.param(BASE, [2, 7], id="all of it, of which one block changed only within lines"),
        pytest.param(HEAD.replace("    return a\n", "    for x in a:\n        g(x)\n    return a\n"), [2], id="a loop"),
        pytest.param(HEAD.replace("    log(x)\n", ""), [7], id="a line that came"),
        pytest.param(HEAD.replace("x - 1", "x + 1"), [], id="a part of a line"),
        pytest.param(HEAD.replace("(x, y=0)", "(x)").replace("x - 1", "x + 1"), [], id="parts of both lines"),
        pytest.param(
            HEAD.replace("    return a\n", "    for x in a:\n        h(x)\n    return a\n"), [], id="another loop"
        ),
        pytest.param(HEAD.replace("x - 1", "x - 1  # as before"), [], id="something else"),
        pytest.param(f"{HEAD}\n\ndef k(a):\n    for x in a:\n        g(x)\n", [], id="the same lines in another place"),
    ],
)
def test_whole_blocks_that_are_taken_back_are_a_partial_revert_and_parts_of_lines_are_a_repair(
    after: str, blocks: list[int]
) -> None:
    assert back(after) == blocks


def test_one_line_that_comes_back_beside_changes_that_stay_is_a_repair() -> None:
    old, new = "a = 1\nb = 2\nc = 3\nd = 4\n", "a = 1\nc = 3\ne = 5\nd = 4\n"
    assert back("a = 1\nb = 2\nc = 3\ne = 5\nd = 4\n", old=old, new=new) == []
    assert back("a = 1\nb = 2\nc = 3\nd = 4\n", old=old, new=new) == [2, 3]
    assert back(old, old=old, new="a = 1\nc = 3\nd = 4\n") == [2]


def test_comments_and_empty_lines_are_no_change_to_take_back() -> None:
    assert back("a = 1\n\n# b\nc = 3\n", old="a = 1\n\n# b\nc = 3\n", new="a = 1\nc = 3\n") == []


def test_a_partial_revert_needs_a_person_and_names_the_commits() -> None:
    case = CaseResult(id="test_m.py::test_f", outcome="passed")
    verdict = Verdict(tree="t", results=(CheckResult(check="pytest", rung=Rung.UNIT, status="passed", cases=(case,)),))
    (doubt,) = Work((), [diff(HEAD, BASE)], (), verdict, verdict, past=past()).doubts()
    assert doubt == ("partial revert: 2 changes of cccccccccc taken back, at m.py:2, m.py:7", True)
    assert Work((), [diff(HEAD, BASE)], (), verdict, verdict).doubts() == ()


def test_an_edit_is_told_to_be_as_it_was_or_to_take_changes_back() -> None:
    assert explain(diff(HEAD, HEAD.replace("x - 1", "x + 1")), past()) == "as it was before cccccccccc"
    assert explain(diff(HEAD, HEAD.replace("x - 1", "x + 2")), past()) == ""
    assert explain(diff(HEAD, HEAD.replace("    log(x)\n", "")), past()).startswith("partial revert: 1 change of ccc")
    within = diff(HEAD, HEAD.replace("(x, y=0)", "(x)").replace("x - 1", "x + 1"))
    assert explain(within, past(), meant=True).startswith("partial revert: 1 change of")
    many = past().model_copy(update={"touches": tuple(Touch(commit=c * 40, paths=("m.py",)) for c in "abcdef")})
    assert explain(within, many) == "as it was before what changed since 5555555555"


def test_only_code_that_may_be_read_is_kept_of_a_diff_and_python_before_the_rest() -> None:
    patch = "".join(
        diff("a\n", text, path)
        for path, text in (
            ("app.js", "b\n"), ("test_m.py", "b\n"), (".env", "b\n"), ("big.py", "b" * 50_000 + "\n"), ("m.py", "b\n"),
        )
    )  # fmt: skip
    kept = select(f"{patch}diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n")
    assert [block.path for block in read_blocks(kept)] == ["m.py", "app.js"]


def test_what_was_taken_away_for_the_secret_in_it_does_not_come_back() -> None:
    token = "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    secret = diff(f"{BASE}TOKEN = '{token}'\n", BASE)
    assert token in secret
    assert select(secret + diff(BASE, HEAD, "n.py")) == diff(BASE, HEAD, "n.py")
