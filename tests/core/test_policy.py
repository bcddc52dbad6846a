import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.change import ChangeSet, FileChange
from bot.core.evidence import evidence_paths
from bot.core.globs import any_matches
from bot.core.policy import describe_reach, glob_matches, protection, refusals, refuse_change, secret_findings
from bot.core.task import Limits, Task
from tests.conftest import Repo

BASE = "0" * 40
TASK = Task(base=BASE)
MODIFIED = FileChange(path="calc.py", kind="modified", added=1, removed=1, old_mode="100644", size=40)
ADDED = FileChange(path="new.py", kind="added", added=3, old_mode="000000", size=40)


def change(*files: FileChange, patch: str = "") -> ChangeSet:
    return ChangeSet(base="a" * 40, tree="b" * 40, files=files, patch=patch)


def reasons(file: FileChange, task: Task = TASK) -> tuple[str, ...]:
    return refuse_change(change(file), task)


def at(path: str, kind: str = "modified") -> FileChange:
    return FileChange.model_validate({"path": path, "kind": kind, "added": 1, "size": 10})


def test_ordinary_change_is_allowed() -> None:
    deleted = FileChange(path="old.py", kind="deleted", removed=5, mode="100644", old_mode="100644")
    odd = FileChange(path="new\\nline", kind="modified", added=1, old_mode="100644")
    script = FileChange(path="run.sh", kind="added", added=1, mode="100755", old_mode="000000", size=9)
    assert refuse_change(change(MODIFIED, ADDED, deleted, odd, script), TASK) == ()


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.yml",
        ".GitHub/Workflows/x.yml",
        ".github/workflows/deep/x.yml",
        ".github/actions/a/action.yml",
        "action.yml",
        "sub/action.yaml",
        "CODEOWNERS",
        "docs/codeowners",
        ".github/dependabot.yml",
        ".gitattributes",
        "src/.gitattributes",
        ".gitmodules",
        ".pre-commit-config.yaml",
        ".git-agent.toml",
        ".git-agent/x",
        ".gitlab-ci.yml",
        ".husky/pre-commit",
        ".claude/settings.json",
        ".mcp.json",
        ".envrc",
        ".gitea/workflows/x.yaml",
        ".drone.yml",
        ".woodpecker/build.yaml",
        "appveyor.yml",
        ".gitconfig",
        "tools/.gitconfig.local",
        ".lfsconfig",
        "lefthook.yml",
        ".githooks/pre-push",
        "git-hooks/post-checkout",
        ".devcontainer.json",
        ".mise.toml",
        ".github\u200b/workflows/x.yml",
        ".github/workflows./x.yml",
    ],
)
def test_protected_path_is_refused_however_it_is_written(path: str) -> None:
    for kind in ("added", "modified", "deleted"):
        assert any("protected" in reason for reason in reasons(at(path, kind)))


@pytest.mark.parametrize(
    "path", [".github/ISSUE_TEMPLATE.md", "actions.yml", "src/workflows/x.yml", ".gitignore", "codeowners.py"]
)
def test_path_that_only_resembles_a_protected_one_is_free(path: str) -> None:
    assert protection(path, TASK) is None


def test_protection_of_a_task_comes_on_top_and_ignores_letter_case() -> None:
    task = Task(base=BASE, protected=("Migrations/", "*.sql"))
    assert protection("migrations/0001.py", task) == "protected (Migrations/)"
    assert protection("deep/SCHEMA.SQL", task)
    assert protection(".github/workflows/x.yml", task)
    assert protection("calc.py", task) is None


def test_scope_leaves_everything_else_untouched() -> None:
    task = Task(base=BASE, scope=("src/**", "/README.md"))
    assert protection("src/a/b.py", task) is None
    assert protection("README.md", task) is None
    for path in ("docs/README.md", "srcs/a.py", "SRC/a.py", "calc.py"):
        assert protection(path, task) == "outside the scope of the task"
    assert protection("src/.gitattributes", task) == "protected (.gitattributes)"


@pytest.mark.parametrize(
    ("update", "word"),
    [
        ({"mode": "120000"}, "links"),
        ({"mode": "120000", "kind": "added"}, "links"),
        ({"mode": "100644", "old_mode": "120000", "kind": "typechange"}, "links"),
        ({"mode": "160000", "kind": "added"}, "submodules"),
        ({"mode": "160000", "old_mode": "160000", "kind": "deleted"}, "submodules"),
        ({"mode": "100755", "old_mode": "100644"}, "mode went from 100644 to 100755"),
        ({"mode": "100644", "old_mode": "100755"}, "mode went from"),
        ({"mode": "100664", "old_mode": ""}, "not that of a file"),
        ({"binary": True}, "binary"),
        ({"binary": True, "kind": "added"}, "binary"),
        ({"size": 1_000_001}, "larger than"),
        ({"path": ".env", "kind": "added"}, "holds secrets"),
        ({"path": "a\\tb", "kind": "added"}, "cannot be seen"),
        ({"path": "a\\b"}, "backslash"),
        ({"path": ".git/config"}, "git's own folder"),
        ({"path": "con.txt", "kind": "added"}, "every system"),
    ],
)
def test_dangerous_entry_is_refused(update: dict[str, object], word: str) -> None:
    found = reasons(MODIFIED.model_copy(update=update))
    assert any(word in reason for reason in found)
    assert all("\n" not in reason for reason in found)


@pytest.mark.parametrize("mode", ["100644", "100755", "120000"])
def test_deleting_is_allowed_whatever_the_file_was(mode: str) -> None:
    assert reasons(FileChange(path="x.bin", kind="deleted", mode=mode, old_mode=mode, binary=True)) == ()


def test_blast_radius_is_bounded() -> None:
    many = change(*(ADDED.model_copy(update={"path": f"f{n}.py"}) for n in range(51)))
    assert any("51 files" in reason for reason in refuse_change(many, TASK))
    long = change(MODIFIED.model_copy(update={"added": 1500, "removed": 501}))
    assert any("2,001 lines" in reason for reason in refuse_change(long, TASK))
    assert refuse_change(change(MODIFIED.model_copy(update={"added": 2000, "removed": 0})), TASK) == ()


ADVICE = "take back what is not needed; only a person can allow more"


def test_limits_of_a_task_hold_and_those_that_hold_now_come_before_them() -> None:
    two = change(MODIFIED, ADDED)
    tight = Task(base=BASE, limits=Limits(files=1, lines=4, bytes=39))
    assert refuse_change(two, tight) == (
        f"2 files changed, at most 1 may in one step (max_files): {ADVICE}",
        f"5 lines changed, at most 4 may in one step (max_lines): {ADVICE}",
        "calc.py: larger than 39 bytes (max_bytes); put it back as it was",
        "new.py: larger than 39 bytes (max_bytes); delete it",
    )
    assert refuse_change(two, tight, Limits()) == ()
    assert refuse_change(two, Task(base=BASE, limits=Limits(files=None, lines=None, bytes=None))) == ()
    assert any("0 may" in reason for reason in refuse_change(two, Task(base=BASE, limits=Limits(files=0))))


def test_many_files_that_are_each_small_enough_are_too_much_together() -> None:
    files = [ADDED.model_copy(update={"path": f"f{n}.py", "size": 900_000}) for n in range(12)]
    assert refuse_change(change(*files[:11]), TASK) == ()
    assert [reason.partition(":")[0] for reason in refuse_change(change(*files), TASK)] == [
        "10,800,000 bytes changed, at most 10,000,000 may in one step (10 times max_bytes)"
    ]


def test_small_steps_must_not_add_up_to_more_than_one_run_may() -> None:
    whole = ChangeSet(
        base="c" * 40,
        tree="b" * 40,
        files=[ADDED.model_copy(update={"path": f"f{n}.py", "added": 50}) for n in range(51)],
        patch="[patch cut: 5 more characters]\n",
    )
    assert [reason.partition(":")[0] for reason in refuse_change(change(MODIFIED), TASK, whole=whole)] == [
        "51 files changed, at most 50 may in one run, all steps together (max_files)",
        "2,550 lines changed, at most 2,000 may in one run, all steps together (max_lines)",
    ]
    # Before the first step, both are the same, and told once
    first = whole.model_copy(update={"base": "a" * 40})
    assert len([r for r in refuse_change(first, TASK, whole=first) if "files" in r]) == 1


def test_own_settings_are_not_changed_by_a_run() -> None:
    file = at("pyproject.toml")
    assert refuse_change(change(file), TASK) == ()
    found = refuse_change(change(file).model_copy(update={"settings": True}), TASK)
    assert found == ("pyproject.toml: [tool.git-agent] is for a person to change; put that table back as it was",)


def test_new_path_that_meets_one_of_the_whole_tree_is_refused() -> None:
    found = refuse_change(change(ADDED).model_copy(update={"clashes": (("new.py", "New.py"),)}), TASK)
    assert found == ("new.py and New.py are one name where letter case does not count; give one of them another name",)
    both = change(at("New.py", "added"), at("new.py", "added")).model_copy(update={"clashes": (("New.py", "new.py"),)})
    assert len(refuse_change(both, TASK)) == 1


def test_only_protection_and_size_may_be_allowed_by_somebody() -> None:
    def risks(*files: FileChange, task: Task = TASK, **more: object) -> set[tuple[str | None, str]]:
        found = refusals(change(*files).model_copy(update=more), task)
        return {(refusal.risk, refusal.subject) for refusal in found}

    assert risks(at("action.yml")) == {("protected", "action.yml")}
    assert risks(at("calc.py"), task=Task(base=BASE, scope=("src/",))) == {("protected", "calc.py")}
    assert risks(MODIFIED, ADDED, task=Task(base=BASE, limits=Limits(files=1))) == {("size", "")}
    assert risks(MODIFIED.model_copy(update={"size": 2_000_000})) == {("size", "calc.py")}
    final = (
        {"mode": "120000"},
        {"mode": "160000"},
        {"mode": "100755", "old_mode": "100644"},
        {"binary": True},
        {"path": ".env"},
        {"path": "con.txt", "kind": "added"},
        {"path": ".git/config"},
        {"path": "sub/.GitModules"},
    )
    for update in final:
        assert {risk for risk, _ in risks(MODIFIED.model_copy(update=update))} == {None}, update
    assert risks(at("pyproject.toml"), settings=True) == {(None, "")}
    assert risks(ADDED, clashes=(("new.py", "New.py"),)) == {(None, "")}
    assert risks(MODIFIED, patch="[patch cut: 5 more characters]\n") == {(None, "")}


def test_thousands_of_reasons_are_told_in_few_lines() -> None:
    many = change(*(at(f".github/workflows/{n}.yml", "added") for n in range(3000)))
    found = refuse_change(many, TASK)
    assert found[0].startswith("3,000 files changed")
    assert found[-1] == "and 2,972 more reasons"
    assert len(found) == 31


def test_what_others_committed_is_told_where_it_reaches_further_than_text() -> None:
    files = (
        at(".github/workflows/ci.yml"),
        at(".gitattributes", "deleted"),
        FileChange(path="sub", kind="modified", mode="160000", old_mode="160000"),
        FileChange(path="link", kind="added", mode="120000"),
        FileChange(path="run.sh", kind="modified", mode="100755", old_mode="100644"),
        FileChange(path="x.bin", kind="added", binary=True, size=2_000_000),
        FileChange(path=".env", kind="added", size=3),
        FileChange(path="aux.py", kind="added", size=3),
        MODIFIED,
        ADDED,
    )
    told = change(*files).model_copy(update={"settings": True, "clashes": (("new.py", "NEW.py"),)})
    assert describe_reach(told) == (
        "pyproject.toml: [tool.git-agent] is changed",
        ".github/workflows/ci.yml: decides what runs, or who may do what (protected (.github/workflows/**))",
        ".gitattributes: decides what runs, or who may do what (protected (.gitattributes))",
        "sub: a submodule: what it leads to was not looked at",
        "link: a link",
        "run.sh: its mode went from 100644 to 100755",
        "x.bin: binary content, which nobody can read here",
        "x.bin: larger than 1,000,000 bytes (max_bytes)",
        ".env: .env is named like a file that holds secrets",
        "aux.py: aux.py cannot be checked out on every system",
        "new.py and NEW.py are one name where letter case does not count; give one of them another name",
    )
    assert describe_reach(change(MODIFIED, ADDED)) == ()


def test_paths_that_collide_on_some_systems_are_refused() -> None:
    files = (ADDED.model_copy(update={"path": path}) for path in ("Lib/a.py", "lib/b.py"))
    assert any("one name" in reason for reason in refuse_change(change(*files), TASK))
    renamed = change(at("A.py", "deleted"), at("a.py", "added"))
    assert refuse_change(renamed, TASK) == ()


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.py", "a.py", True),
        ("*.py", "deep/er/a.py", True),
        ("*.py", "a.pyc", False),
        ("/*.py", "deep/a.py", False),
        ("./*.py", "a.py", True),
        ("src", "src/a/b.py", True),
        ("src/", "x/src/a.py", True),
        ("/src/", "x/src/a.py", False),
        ("src/*", "src/a/b.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**", "src", False),
        ("src/**", "src/a/b.py", True),
        ("src/**/b.py", "src/b.py", True),
        ("src/**/b.py", "src/x/y/b.py", True),
        ("**/b.py", "b.py", True),
        ("**", "anything/at/all", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "c.py", True),
        ("[!ab].py", "a.py", False),
        ("[a", "[a", True),
        ("a[1].py", "a1.py", True),
        ("a+(b).py", "a+(b).py", True),
        ("", "a.py", False),
        ("/", "a.py", False),
    ],
)
def test_globs_mean_what_their_docstring_says(glob: str, path: str, *, expected: bool) -> None:
    assert glob_matches(glob, path) is expected
    assert any_matches((glob,), path) is expected
    assert any_matches(("x y z", glob, "/nowhere/**"), path) is expected


@given(st.text(string.ascii_letters + "*?[]!/.-^\\&", max_size=12), st.text(string.ascii_letters + "/.[]", max_size=12))
def test_any_glob_can_be_asked(glob: str, path: str) -> None:
    assert glob_matches(glob, path) in (True, False)


@given(st.text(string.ascii_lowercase, min_size=1), st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=5)))
def test_a_plain_name_matches_itself_at_every_depth(name: str, folders: list[str]) -> None:
    assert glob_matches(name, "/".join([*folders, name]))
    assert glob_matches(f"/{name}", "/".join([*folders, name])) == (name == [*folders, name][0])


@pytest.mark.parametrize(
    "path",
    [
        "test_calc.py",
        "pkg/calc_test.py",
        "tests/data/x.json",
        "src/tests/helpers.py",
        "Tests/X.py",
        "conftest.py",
        "web/button.spec.ts",
        "pytest.ini",
        "pyproject.toml",
        ".coveragerc",
        "sitecustomize.py",
        "evil.pth",
        "uv.lock",
        "requirements-dev.txt",
        ".github/workflows/ci.yml",
    ],
)
def test_changed_or_deleted_evidence_is_named(path: str) -> None:
    assert evidence_paths([at(path)]) == (path,)
    assert evidence_paths([at(path, "deleted")]) == (path,)
    assert evidence_paths([at(path, "typechange")]) == (path,)


def test_new_tests_are_welcome_but_new_configuration_is_evidence() -> None:
    assert evidence_paths([at("tests/test_new.py", "added"), at("calc.py"), at("test_more.py", "added")]) == ()
    config = ("tests/conftest.py", "pytest.ini", "tox.ini", "sub/mypy.ini", "x.pth", "pytest.py", "pytest/__init__.py")
    assert evidence_paths([at(path, "added") for path in config]) == config


@pytest.mark.parametrize(
    "path", ["calc.py", "contest.py", "latest.py", "src/attest/x.py", "protests/x.py", "docs/testing.md"]
)
def test_other_files_are_no_evidence(path: str) -> None:
    assert evidence_paths([at(path)]) == ()


def test_change_that_cannot_be_looked_through_is_refused() -> None:
    assert refuse_change(change(patch="[patch cut: 5 more characters]\n"), Task(base="b")) == (
        "its text is too long to be looked through: make smaller steps",
    )


@pytest.mark.parametrize("glob", ["[]", "[!]", "[z-a].py", "a[]b"])
def test_set_of_characters_that_is_none_stands_for_itself(glob: str) -> None:
    assert glob_matches(glob, glob)


TOKEN = "ghp_" + "a1B2" * 9
KEY = "-----BEGIN RSA " + "PRIVATE KEY-----"


def test_secret_in_an_added_line_is_named_without_being_shown(repo: Repo) -> None:
    repo.commit({"old.txt": f"{TOKEN}\nkeep\n"})
    repo.commit({"old.txt": "keep\n", "conf/x.py": f"a = 1\nTOKEN = '{TOKEN}'\n++ b/fake\n{KEY}\n"})
    patch = repo.git("diff-tree", "-p", "--text", "HEAD^", "HEAD")
    assert secret_findings(change(patch=patch)) == (
        "conf/x.py:2: looks like a GitHub token",
        "conf/x.py:4: looks like a private key",
    )


def test_content_cannot_pose_as_a_header(repo: Repo) -> None:
    repo.commit({"a.py": "x\n" * 30})
    repo.commit({"a.py": "x\n" * 15 + f"++ b/innocent.py\n@@ -0,0 +1 @@\n{TOKEN}\n" + "x\n" * 15})
    patch = repo.git("diff-tree", "-p", "--text", "HEAD^", "HEAD")
    assert secret_findings(change(patch=patch)) == ("a.py:18: looks like a GitHub token",)


def test_code_that_talks_about_secrets_is_no_secret() -> None:
    lines = (
        "headers = {'Authorization': f'Bearer {token}'}",
        "URL = 'postgres://user:pass@localhost/db'",
        "sk-learn",
        "AKIA",
    )
    patch = "--- a/x.py\n+++ b/x.py\n@@ -0,0 +1,4 @@\n" + "\n".join(f"+{line}" for line in lines)
    assert secret_findings(change(patch=patch)) == ()


@given(st.text(max_size=300))
def test_any_patch_can_be_searched(patch: str) -> None:
    assert secret_findings(change(patch=patch)) == secret_findings(change(patch=patch))
