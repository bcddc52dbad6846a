import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadArguments
from bot.git.search import parse_matches
from bot.protocols import Match
from tests.conftest import Repo
from tests.git.scene import opened, write


def test_tracked_and_new_lines_are_found_and_ignored_ones_are_not(repo: Repo) -> None:
    repo.commit({".gitignore": "*.log\n", "a/b.txt": "needle one\r\n", ".gitattributes": "*.txt -diff\n"})
    for key in ("grep.column", "grep.fullName", "color.ui"):
        repo.git("config", key, "always" if key == "color.ui" else "true")
    with opened(repo) as workspace:
        write(workspace, "new\tname.py", b"x\nneedle two\n")
        write(workspace, "x.log", b"needle\n")
        write(workspace, "raw.bin", b"\0needle\n")
        assert workspace.search("needle", glob="*.py") == (Match("new\\tname.py", 2, "needle two"),)
        assert len(workspace.search("needle", limit=1)) == 1
        assert workspace.search("nothing like it") == ()


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("", ["a.py", "d/b.py", "d/e/c.txt"]),
        ("*.py", ["a.py", "d/b.py"]),
        ("d/*.py", ["d/b.py"]),
        ("d/**", ["d/b.py", "d/e/c.txt"]),
        ("./d/b.py", ["d/b.py"]),
        ("*.none", []),
        (":(exclude)*.py", []),
        (":!a.py", []),
    ],
)
def test_globs_narrow_the_search(repo: Repo, glob: str, paths: list[str]) -> None:
    repo.commit({"a.py": "needle\n", "d/b.py": "needle\n", "d/e/c.txt": "needle\n"})
    with opened(repo) as workspace:
        assert [match.path for match in workspace.search("needle", glob=glob)] == paths


def test_a_pattern_is_fixed_text_unless_it_is_said_to_be_regular(repo: Repo) -> None:
    repo.commit({"p.txt": "a.c\nabc\n-e\n"})
    with opened(repo) as workspace:
        assert [m.line for m in workspace.search("a.c", glob="p.txt")] == [1]
        assert [m.line for m in workspace.search("a.c|^-e", glob="p.txt", regex=True)] == [1, 2, 3]
        assert [m.line for m in workspace.search("-e", glob="p.txt")] == [3]


@pytest.mark.parametrize(("pattern", "glob"), [("", ""), ("(", ""), ("a\nb", ""), ("a\0", ""), ("a", "x\0")])
def test_a_search_that_cannot_be_made_is_the_models_to_mend(repo: Repo, pattern: str, glob: str) -> None:
    with opened(repo) as workspace, pytest.raises(BadArguments):
        workspace.search(pattern, glob=glob, regex=True)


def test_history_ends_at_the_base_and_knows_no_other_branch(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"calc.py": "the answer\n"}, "the answer")
    repo.git("checkout", "-q", "main")
    second = repo.commit({"new.py": "x\n"}, "newer")
    with opened(repo) as workspace:
        assert [line.split(": ")[1] for line in workspace.history("", 10).splitlines()] == ["newer", "a small project"]
        assert workspace.history("calc.py", 10) == f"{base[:7]} 2024-01-01 Test Person: a small project"
        assert workspace.history("", 1).startswith(second[:7])
        write(workspace, "calc.py", b"y\n")
        workspace.commit(workspace.tree(), "ours")
        assert "ours" not in workspace.history("", 10)
        assert workspace.history("--all", 5) == workspace.history("*", 5) == ""


@given(
    st.lists(st.tuples(st.text("ab/ é", min_size=1), st.integers(1, 10**6), st.text("xy\0\r:é"))), st.binary(max_size=5)
)
def test_matches_are_read_back_and_a_cut_one_is_dropped(found: list[tuple[str, int, str]], cut: bytes) -> None:
    output = b"".join(f"{path}\0{line}\0{text}\n".encode() for path, line, text in found)
    read = parse_matches(output + cut.replace(b"\n", b""), 1000)
    assert read == tuple(Match(path, line, text.rstrip("\r")) for path, line, text in found)
