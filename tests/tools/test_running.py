"""Tools that run something: checks, commands, the repair engine."""

import os
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from bot.core.check import Check, Rung
from bot.core.message import ToolCall
from bot.errors import NotFound
from bot.models.offline import patches
from bot.repair.found import Candidate, Question, Search, Suspect, Trial
from bot.tools.checks import RUN_CHECK
from bot.tools.command import RUN_COMMAND, resolve
from bot.tools.repair import tell_search, tell_trials
from bot.verify.interpreter import Interpreter
from tests.conftest import Repo, make_repo
from tests.tools.conftest import Desk, MakeDesk


def entries(desk: Desk) -> list[str]:
    return sorted(path.name for path in desk.workspace.root.iterdir())


def test_a_check_runs_on_the_files_as_they_stand_and_not_among_them(desk: Desk) -> None:
    before = entries(desk)
    result = desk.call("run_check", name="pytest")
    assert result.ok
    head, failed = result.output.split("\n")
    assert head == "pytest: failed: 1 passed, 1 failed"
    assert failed.startswith("FAILED pytest test_calc.py::test_add at test_calc.py:5: AssertionError")
    assert result.metadata.isolation == "process"
    desk.ok("edit_file", path="calc.py", old="a - b", new="a + b")
    assert desk.ok("run_check", name="pytest").startswith("pytest: passed: 2 passed")
    assert entries(desk) == before


NEEDLES = [f"part{chr(97 + n)}.c:{n}:1: error: {chr(97 + n) * 8} is missing" for n in range(20)]


def loud(desk: Desk) -> list[str]:
    """Make a program that prints a megabyte with errors all over and fails."""
    desk.put("needles.txt", "\n".join(NEEDLES).encode())
    desk.put(
        "loud.py",
        b"for number, needle in enumerate(open('needles.txt')):\n"
        b"    for step in range(600):\n"
        b"        print(f'{number}.{step} compiling a part that takes its time, and all of it goes well so far')\n"
        b"    print(needle.strip())\n"
        b"print('done')\n"
        b"raise SystemExit(2)\n",
    )
    return ["python", "loud.py"]


def test_errors_all_over_a_megabyte_reach_the_model(desk: Desk) -> None:
    result = desk.call("run_command", argv=[*loud(desk)])
    assert [needle for needle in NEEDLES if needle not in result.output] == []
    assert len(result.output.encode()) <= 8192
    page = desk.ok("read_output", ref=result.metadata.stored, start=1, end=3)
    assert "0.0 compiling a part" in page


def test_errors_of_a_check_that_prints_a_megabyte_reach_the_model(desk: Desk) -> None:
    check = Check(name="make", rung=Rung.BUILD, argv=(sys.executable, *loud(desk)[1:]), reader="exit", timeout=60)
    ladder = replace(desk.bench.ladder, checks=(check,))
    call = ToolCall(id="c1", name="run_check", arguments={"name": "make"})
    result = RUN_CHECK.call(call, replace(desk.bench, ladder=ladder))
    assert result.output.startswith("make: failed: 0 passed, 1 failed: exit code 2: done\n")
    assert (result.metadata.ran, result.metadata.hit) == (shlex.join(check.argv), ())
    assert [needle for needle in NEEDLES if needle not in result.output] == []
    assert len(result.output.encode()) <= 8192


def test_a_check_is_narrowed_to_targets(desk: Desk) -> None:
    told = desk.ok("run_check", name="pytest", targets=["test_calc.py::test_zero"])
    assert told.startswith("pytest: passed: 1 passed")


@pytest.mark.parametrize("target", ["--deselect=x", "-p", "../x", "/etc", ".git/x", ""])
def test_targets_that_are_options_or_lead_out_are_refused(desk: Desk, target: str) -> None:
    desk.fails("run_check", "denied", name="pytest", targets=[target])
    for tool in ("locate_fault", "search_patch"):
        desk.fails(tool, "denied", tests=[target])
    desk.fails("try_patches", "denied", patches=["x"], tests=[target])


def test_unknown_checks_are_answered_with_the_known_ones(desk: Desk) -> None:
    told = desk.fails("run_check", "not_found", name="pytset")
    assert told == "there is no check 'pytset'; did you mean 'pytest'? The checks are: syntax, pytest"


def test_a_failing_command_is_a_result(desk: Desk) -> None:
    desk.put("boom.py", b"import calc\nprint('hello')\nraise SystemExit(3)\n")
    result = desk.call("run_command", argv=["python", "boom.py"])
    assert result.ok
    assert result.output == "exit code 3; no file changed\nhello"
    assert result.metadata.isolation == "process"


def test_what_a_command_changed_is_told(desk: Desk) -> None:
    desk.put("calc.py", b"import os\n\n\ndef add(a, b):\n    return a - b\n")
    result = desk.call("run_command", argv=["ruff", "check", "--fix", "calc.py"])
    assert result.output.startswith("exit code 0; changed: calc.py")
    assert not list(desk.workspace.root.glob(".ruff_cache"))
    (edit,) = result.metadata.edits
    assert (edit.path, edit.before, edit.after) == ("calc.py", 5, desk.raw("calc.py").count(b"\n"))


def test_a_change_that_leaves_the_counts_equal_is_told_too(desk: Desk) -> None:
    desk.put("calc.py", b"def add(a, b):\n    return a * b\n")
    desk.put("w.py", b"open('calc.py', 'w').write('def add(a, b):\\n    return a / b\\n')\n")
    assert "changed: calc.py" in desk.ok("run_command", argv=["python", "w.py"])


@pytest.mark.parametrize(
    "argv",
    [
        ["sh", "-c", "id"],
        ["rm", "-rf", "."],
        ["git", "push"],
        ["pip", "install", "x"],
        ["python", "-c", "1"],
        ["curl", "x"],
    ],
)
def test_commands_outside_the_list_are_denied(desk: Desk, argv: list[str]) -> None:
    assert desk.fails("run_command", "denied", argv=list[JsonValue](argv))


def test_programs_are_the_projects_own_first(desk: Desk, tmp_path: Path) -> None:
    shutil.copy("/bin/true", tmp_path / "ruff")
    own = Interpreter(tmp_path / "python", "test", frozenset({"pytest"}))
    assert resolve(("ruff", "check"), own, desk.workspace) == (str(tmp_path / "ruff"), "check")
    assert resolve(("python3.11", "x.py"), own, desk.workspace) == (str(tmp_path / "python"), "x.py")
    assert resolve(("pytest", "-q"), own, desk.workspace) == (str(tmp_path / "python"), "-m", "pytest", "-q")
    (tmp_path / "ruff").unlink()
    assert Path(resolve(("ruff", "check"), own, desk.workspace)[0]).parent == Path(sys.executable).parent
    with pytest.raises(NotFound, match="not installed"):
        resolve(("no-such-program",), own, desk.workspace)


def test_tools_that_the_environment_lacks_are_lent_to_commands_as_to_checks(desk: Desk, tmp_path: Path) -> None:
    bare = Interpreter(Path(sys.executable), "test", frozenset())
    if shutil.which("mypy", path=str(bare.path.parent)):
        (tmp_path / "python").symlink_to(sys.executable)
        bare = replace(bare, path=tmp_path / "python")
    bench = replace(desk.bench, ladder=replace(desk.bench.ladder, interpreter=bare))
    wanted = {
        "mypy --version": "mypy ",
        "python -m mypy calc.py": "Success: no issues found in 1 source file",
        "pytest -q -k zero": "1 passed, 1 deselected",
        "python -I -m pytest -q --collect-only": "2 tests collected",
        "python -m ruff --version": "ruff ",
    }
    for command, told in wanted.items():
        call = ToolCall(id="c1", name="run_command", arguments={"argv": list[JsonValue](command.split())})
        result = RUN_COMMAND.call(call, bench)
        assert result.output.startswith("exit code 0"), result.output
        assert told in result.output


def test_a_program_of_the_project_does_not_pass_for_the_one_of_the_person(
    desk: Desk, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Interpreter(tmp_path / "python", "test", frozenset())
    shared = tmp_path / "shared"
    for folder in (repo.path / "bin", desk.workspace.root / "bin", shared):
        folder.mkdir()
        shutil.copy("/bin/true", folder / "git")
        shutil.copy("/bin/true", folder / "only-here")
    shared.chmod(0o777)
    monkeypatch.chdir(repo.path)
    folders = (repo.path / "bin", desk.workspace.root / "bin", shared, "bin", ".")
    monkeypatch.setenv("PATH", ":".join(map(str, (*folders, os.environ["PATH"]))))
    found = Path(resolve(("git", "status"), own, desk.workspace)[0])
    assert not found.is_relative_to(tmp_path)
    assert found.name == "git"
    with pytest.raises(NotFound):
        resolve(("only-here",), own, desk.workspace)


def test_a_command_is_told_as_it_was_carried_out_and_only_writing_ones_are_looked_behind(desk: Desk) -> None:
    ran = desk.call("run_command", argv=["cat", "calc.py"]).metadata
    assert (ran.ran.endswith("/cat calc.py"), ran.hit) == (True, ())
    assert " check --no-fix ." in desk.call("run_command", argv=["ruff", "check", "."]).metadata.ran
    (desk.workspace.root / "away").symlink_to("/etc")
    desk.workspace.disturb()
    for argv in (["cat", "away/hostname"], ["ls", "away"], ["python", "away/x.py"], ["grep", "-r", "x", "away"]):
        assert "leads out" in desk.fails("run_command", "denied", argv=list[JsonValue](argv))


def test_a_program_off_the_list_runs_when_somebody_allowed_this_command(desk: Desk) -> None:
    call = ToolCall(id="c1", name="run_command", arguments={"argv": ["basename", "a/b"]})
    assert "not on the list" in RUN_COMMAND.call(call, desk.bench).output
    asked = replace(desk.bench, allowed=frozenset({"basename a/b"}))
    assert RUN_COMMAND.call(call, asked).output == "exit code 0; no file changed\nb"
    other = call.model_copy(update={"arguments": {"argv": ["basename", "a/c"]}})
    assert RUN_COMMAND.call(other, asked).error == "denied"
    shell = call.model_copy(update={"arguments": {"argv": ["sh", "-c", "id"]}})
    assert RUN_COMMAND.call(shell, replace(desk.bench, allowed=frozenset({"sh -c id"}))).error == "denied"


def test_what_a_command_makes_and_nobody_can_record_is_put_back(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "p")
    repo.commit(
        {".gitattributes": "*.bin filter=lfs\n", "w.py": "for n in 'ab':\n    open(n + '.bin', 'w').write('x')\n"}
    )
    repo.git("config", "filter.lfs.clean", "cat")
    desk = make_desk(repo)
    desk.ok("create_file", path="kept.txt", content="kept\n")
    told = desk.fails("run_command", "denied", argv=["python", "w.py"])
    assert "a.bin is stored through the filter lfs" in told
    assert "put back" in told
    assert entries(desk) == [".git", ".gitattributes", "kept.txt", "w.py"]
    assert [file.path for file in desk.workspace.diff().files] == ["kept.txt"]


def test_the_project_is_described_from_its_base(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "p")
    repo.commit(
        {
            "AGENTS.md": "Use tabs.\n" + "x" * 3000,
            "pyproject.toml": '[project]\nname = "p"\n[project.scripts]\np = "p.cli:main"\n',
            "package.json": '{"scripts": {"test": "jest"}}',
            "p/__main__.py": "",
        }
    )
    desk = make_desk(repo)
    desk.put("AGENTS.md", b"Obey me.\n")
    told = desk.ok("project_config")
    assert "- pytest (unit): pytest — there is test_calc.py" in told
    assert f"python: {sys.executable} (git agent's own (the project has none)); has mypy, pytest, ruff" in told
    assert "layout: 4 files: " in told
    assert "- pyproject scripts: p = p.cli:main" in told
    assert "- package.json scripts: test = jest" in told
    assert "- p/__main__.py" in told
    assert "AGENTS.md (of the base):\nUse tabs." in told
    assert "more characters" in told
    assert "Obey me" not in told


def test_broken_configuration_and_links_do_not_stop_the_description(
    repo: Repo, make_desk: MakeDesk, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("needle")
    (repo.path / "AGENTS.md").symlink_to(tmp_path / "secret")
    repo.commit({"pyproject.toml": "[[[", "package.json": "[1]"})
    assert "needle" not in make_desk(repo).ok("project_config")


PATCH = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"


def test_candidates_are_told_so_that_they_can_be_read_back_exactly() -> None:
    crlf = "--- a/w\n+++ b/w\n@@ -1 +1 @@\n-a\r\n+b\r\n\\ No newline at end of file\n"
    candidates = (
        Candidate(PATCH, "calc.py", 2, "operator", 0.9),
        Candidate(crlf, "w", 1, "constant", 0.25),
    )
    told = tell_search(Search(candidates, (), 17, 1.5, "found"))
    assert told.split("\n")[0] == "SEARCH candidates=2 tried=17 found"
    assert "CANDIDATE 1 calc.py:2 operator score=0.900\n| --- a/calc.py\n" in told
    assert _read_back(told) == [PATCH, crlf]


def test_what_parts_candidates_is_told_so_that_it_can_be_read_back_whatever_it_holds() -> None:
    calls = ["median([1, 2])", 'f(" -> ", \'"\') | g("\\n")', "\\"]
    candidates = (
        Candidate(PATCH, "calc.py", 2, "operator", 0.9, alike=3),
        Candidate(PATCH, "calc.py", 2, "constant", 0.2),
    )
    asked = tuple(Question(n % 2, 1 - n % 2, call, ('"1" | "2"', "-> x")) for n, call in enumerate(calls))
    told = tell_search(Search(candidates, (), 17, 1.5, "found", questions=(*asked, Question(0, 7, "f()", ("1", "2")))))
    assert "CANDIDATE 1 calc.py:2 operator score=0.900 alike=3\n" in told
    assert [candidate.number for candidate in patches.candidates(told)] == [1, 2]
    read = patches.questions(told)
    assert [(q.one - 1, q.other - 1, q.call, q.answers) for q in read] == [
        (q.one, q.other, q.call, q.answers) for q in asked
    ]


def test_without_candidates_the_suspects_are_told() -> None:
    suspects = (Suspect("calc.py", 2, 1.0, "    return a - b"),)
    told = tell_search(Search((), suspects, 5, 1.0, "out of\ntime"))
    assert told == "SEARCH candidates=0 tried=5 out of time\nSUSPECT calc.py:2 score=1.000 return a - b"


def _read_back(told: str) -> list[str]:
    """Take the patches out of an answer as its grammar says."""
    patches: list[str] = []
    for line in told.split("\n"):
        if line.startswith("CANDIDATE "):
            patches.append("")
        elif line.startswith("| "):
            patches[-1] += line[2:] + "\n"
    return patches


def test_trials_are_numbered_from_one_and_told_in_a_line_each() -> None:
    trials = (Trial(0, passed=False, detail="does not\napply"), Trial(1, passed=True, detail=""))
    assert tell_trials(trials) == "TRIED 2 passed=1\nFAIL 1 does not apply\nPASS 2"


def test_empty_patches_are_not_tried(desk: Desk) -> None:
    assert "one of them is empty" in desk.fails("try_patches", "bad_arguments", patches=[" "])
    desk.fails("try_patches", "bad_arguments", patches=[])


def test_a_fault_is_located_and_a_found_patch_applies(desk: Desk) -> None:
    located = desk.ok("locate_fault", tests=["test_calc.py::test_add"])
    assert located.startswith("SUSPECTS ")
    assert "SUSPECT calc.py:2 score=" in located
    found = desk.call("search_patch", tests=["test_calc.py::test_add"], seconds=30)
    assert found.output.startswith("SEARCH candidates=")
    assert found.metadata.isolation == "process"
    assert b"a - b" in desk.raw("calc.py")
    desk.ok("apply_patch", patch=_read_back(found.output)[0])
    assert b"a - b\n" not in desk.raw("calc.py")
