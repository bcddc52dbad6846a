"""Projects that need more than their committed files, judged at every isolation level."""

import re
import venv
from pathlib import Path

import pytest

from bot.app.bay import choose_bay, refuse_gaps
from bot.app.desk import Desk, open_desk
from bot.app.proving.values import Proved
from bot.core.check import Verdict
from bot.core.task import Isolation
from bot.errors import ConfigError, SandboxUnavailable
from bot.git.snapshot import open_snapshots
from bot.sandbox.detect import Picked
from bot.settings import Settings
from tests.app import kinds
from tests.conftest import Repo, make_repo
from tests.git.test_submodules import add
from tests.product import agent


def flags(level: Isolation = "process", **more: object) -> dict[str, object]:
    return {"isolation": level, **more}


def judge(desk: Desk, rev: str = "HEAD", before: Verdict | None = None) -> Verdict:
    """Judge a commit as `verify` does."""
    bay = choose_bay(desk)
    with open_snapshots(desk.repository) as snapshots:
        tree = desk.repository.git.line("rev-parse", f"{rev}^{{tree}}")
        with snapshots.clean(tree) as root:
            ladder = bay.ladder(root, desk.settings.checks)
        climbing = ladder.judge(snapshots, tree, before)
        while True:
            try:
                next(climbing)
            except StopIteration as end:
                verdict: Verdict = end.value
                return verdict


def status(verdict: Verdict) -> dict[str, str]:
    return {result.check: result.status for result in verdict.results}


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_project_is_judged_by_its_committed_files_in_its_own_environment(tmp_path: Path, kind: str) -> None:
    repo = kinds.KINDS[kind](tmp_path / "repo")
    levels = kinds.EVERY if kind == "tagged" else kinds.LEVELS
    offered = [level for level in levels if kinds.lacking(level, repo) is None]
    state = repo.state()
    good = {level: judge(open_desk(repo.path, flags(level))) for level in offered}
    for level, verdict in good.items():
        told = [result.summary for result in verdict.results]
        assert status(verdict) == {"syntax": "passed", "pytest": "passed"}, (level, told)
    name = kinds.NAMES[kind]
    repo.commit({f"src/{name}/calc.py": kinds.DEFECT}, "a defect")
    # What lies in the checkout must not be what is judged
    repo.write({f"src/{name}/calc.py": kinds.CALC})
    for level in offered:
        bad = judge(open_desk(repo.path, flags(level)), before=good[level])
        assert bad.comparison.broken == ("tests/test_calc.py::test_add",), level
    repo.git("checkout", "-q", f"src/{name}/calc.py")
    assert repo.state()[0] == state[0]
    for level in levels:
        kinds.need(level, repo)


def test_a_defect_in_a_project_with_an_extension_is_mended_from_end_to_end(tmp_path: Path) -> None:
    repo = kinds.compiled(tmp_path / "repo")
    repo.commit({"src/fast/calc.py": kinds.DEFECT}, "a defect")
    examined = agent(repo, "doctor")
    assert "carried from your checkout, as built there: src/fast/_speed" in " ".join(examined.out.split())
    state = repo.state()
    fixed = agent(repo, "fix", "--failing", "--json")
    assert fixed.code == 0, fixed.err
    assert fixed.report.outcome == "verified"
    assert repo.state() == state
    proved = agent(repo, "verify", fixed.report.branch)
    assert proved.code == 0, proved.out


def test_a_carried_extension_whose_source_was_changed_is_known_to_be_out_of_date(tmp_path: Path) -> None:
    repo = kinds.compiled(tmp_path / "repo")
    bay = choose_bay(open_desk(repo.path, flags()))
    assert [Path(path).name.partition(".")[0] for path in bay.built] == ["_speed"]
    assert not bay.stale(["src/fast/calc.py"])
    assert bay.stale(["src/fast/_speed.c"]) == bay.built
    repo.write({"src/fast/_speed.c": kinds.SOURCE.replace("(3)", "(4)")})
    edited = choose_bay(open_desk(repo.path, flags()))
    assert edited.stale([]) == bay.built
    assert any("not those of the base" in note for note in edited.notes)


def test_what_is_prepared_in_the_tree_is_not_carried(tmp_path: Path) -> None:
    repo = kinds.compiled(tmp_path / "repo")
    desk = open_desk(repo.path, flags(prepare=("true",)))
    assert not choose_bay(desk).built
    assert status(judge(desk))["pytest"] == "failed"


def declare(repo: Repo, text: str) -> None:
    repo.commit({"pyproject.toml": f"[tool.git-agent]\n{text}"}, "settings")


@pytest.mark.parametrize("level", kinds.LEVELS)
def test_a_preparation_of_the_project_makes_what_its_checks_need(tmp_path: Path, level: Isolation) -> None:
    repo = make_repo(tmp_path / "repo")
    files = {
        "test_made.py": "from made import TWO\n\n\ndef test_two():\n    assert TWO == 2\n",
        ".gitignore": "made.py\n",
    }
    repo.commit(files)
    kinds.need(level, repo)
    assert status(judge(open_desk(repo.path, flags(level))))["pytest"] == "failed"
    declare(repo, "prepare = [\"sh -c 'echo TWO = 2 > made.py'\"]\n")
    assert status(judge(open_desk(repo.path, flags(level)))) == {"syntax": "passed", "pytest": "passed"}
    assert not (repo.path / "made.py").exists()


def test_a_preparation_is_that_of_the_base(repo: Repo) -> None:
    declare(repo, 'prepare = ["false"]\n')
    base = repo.git("rev-parse", "HEAD~1")
    assert open_desk(repo.path, {}, base).settings.prepare == ()
    assert open_desk(repo.path, {}).settings.prepare == (("false",),)


def test_a_base_that_cannot_be_prepared_blames_no_change(repo: Repo) -> None:
    declare(repo, "prepare = [\"sh -c 'echo no cargo here; exit 7'\"]\n")
    verdict = judge(open_desk(repo.path, flags()))
    assert {result.status for result in verdict.results} == {"errored"}
    reasons = {result.summary for result in verdict.results}
    assert len(reasons) == 1
    assert "the base cannot be prepared: sh -c" in reasons.pop()
    done = agent(repo, "fix", "--json", "--isolation", "process")
    assert (done.code, done.report.outcome) == (1, "gave_up")
    assert "no cargo here" in done.report.detail


def test_what_would_be_installed_into_the_persons_own_environment_is_refused(repo: Repo) -> None:
    declare(repo, "prepare = [\"sh -c 'exit 3; pip install -e .'\"]\n")
    done = agent(repo, "fix", "--isolation", "process")
    assert done.code == 2
    assert "would change your own environment: it is not run" in done.err
    assert "git config agent.installs true" in done.err
    asked = ("install=pip install .",)
    with pytest.raises(ConfigError, match="would change your own environment"):
        choose_bay(open_desk(repo.path, flags(checks=asked, prepare=())))
    repo.git("config", "agent.installs", "true")
    assert choose_bay(open_desk(repo.path, flags(checks=asked))).executor.isolation == "process"
    assert agent(repo, "fix", "--isolation", "process").code == 1
    repo.git("config", "agent.installs", "false")
    kinds.need("bubblewrap", repo)
    assert choose_bay(open_desk(repo.path, flags("bubblewrap", checks=asked))).executor.isolation == "bubblewrap"


def test_a_project_cannot_allow_itself_to_install(repo: Repo) -> None:
    declare(repo, "installs = true\n")
    desk = open_desk(repo.path, {})
    assert not desk.settings.installs
    assert any("installs" in note for note in desk.notes)


def test_a_base_that_lacks_what_the_checkout_has_names_the_path_to_carry(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    asked = "from gen.api import TWO\n\n\ndef test_two():\n    assert TWO == 2\n"
    repo.commit({"test_made.py": asked, ".gitignore": "gen/\n"})
    repo.write({"gen/api.py": "TWO = 2\n"})
    done = agent(repo, "fix", "--json")
    assert done.code == 1
    assert "the checks lack gen, which no commit holds" in done.report.detail
    told = re.search(r"git (config --add agent\.carry \S+)", done.report.detail)
    assert told
    repo.git(*told[1].split())
    kinds.need("bubblewrap", repo)
    again = agent(repo, "fix", "--json")
    assert (again.code, again.report.outcome) == (0, "nothing")


def test_a_check_gets_the_network_only_from_a_person(repo: Repo) -> None:
    declare(repo, '[tool.git-agent.checks.live]\ncommand = "true"\nnetwork = true\n')
    without = open_desk(repo.path, {})
    assert [check.network for check in without.settings.checks] == [False]
    assert any("live asks for the network" in note for note in without.notes)
    repo.git("config", "agent.network", "true")
    assert [check.network for check in open_desk(repo.path, {}).settings.checks] == [True]


def test_a_declared_command_runs_in_its_folder_with_the_projects_own_programs(tmp_path: Path) -> None:
    repo = kinds.start(tmp_path / "repo", "area")
    repo.commit({"web/answer.txt": "42\n"})
    program = repo.path / ".venv/bin/measure"
    program.write_text("#!/bin/sh\ngrep -q 42 answer.txt\n")
    program.chmod(0o755)
    repo.git("config", "agent.check.pytest.command", "true")
    repo.git("config", "agent.check.web.command", "measure")
    repo.git("config", "agent.check.web.folder", "web")
    for level in kinds.LEVELS:
        kinds.need(level, repo)
        assert status(judge(open_desk(repo.path, flags(level))))["web"] == "passed"


def test_a_declared_command_imports_the_tree_although_an_editable_install_leads_to_the_checkout(tmp_path: Path) -> None:
    repo = kinds.editable(tmp_path / "repo")
    repo.commit({"src/area/calc.py": kinds.DEFECT}, "a defect")
    repo.write({"src/area/calc.py": kinds.CALC})
    asked = "plain=python -c 'from area.calc import add; assert add(1, 2) == 3'"
    for level in kinds.EVERY:
        kinds.need(level, repo)
        assert status(judge(open_desk(repo.path, flags(level, checks=(asked, "pytest=true")))))["plain"] == "failed"


def test_an_environment_that_leads_to_the_checkout_before_the_tests_can_look_gives_no_evidence(tmp_path: Path) -> None:
    repo = kinds.editable(tmp_path / "repo")
    # Imported by every start of this interpreter, as a plugin or pytest's own libraries are
    (library := kinds.library(repo)).joinpath("early.pth").write_text("import area.calc\n")
    assert library.is_dir()
    verdict = judge(open_desk(repo.path, flags("process")))
    told = verdict.result("pytest")
    assert told is not None
    assert told.status == "errored"
    assert "not imported from the tree" in told.summary
    kinds.need("bubblewrap", repo)
    assert status(judge(open_desk(repo.path, flags("bubblewrap"))))["pytest"] == "passed"


def test_an_untrusted_task_gets_landlock_only_where_it_is_named_and_whole(repo: Repo) -> None:
    kinds.need("landlock", repo)
    desk = open_desk(repo.path, flags("landlock", trust="untrusted"))
    executor = choose_bay(desk).executor
    assert executor.isolation == "landlock"
    with pytest.raises(SandboxUnavailable, match="signals are open"):
        refuse_gaps(Picked(executor, "signals are open", whole=False), desk.settings)
    refuse_gaps(Picked(executor, "signals are open", whole=False), open_desk(repo.path, flags("landlock")).settings)


def test_a_folder_that_cannot_go_along_is_named(repo: Repo) -> None:
    repo.commit({".gitignore": "node_modules\n"})
    repo.write({"node_modules/x/index.js": ""})
    venv.create(repo.path / ".venv", symlinks=True)
    notes = choose_bay(open_desk(repo.path, flags("process"))).notes
    assert notes == ("not carried with process isolation, as folders: node_modules",)


READS = """from pathlib import Path


def test_data():
    assert (Path(__file__).parent / "data/a.txt").read_text() == "1\\n"
"""


@pytest.fixture
def composed(tmp_path: Path) -> Repo:
    """A project whose test reads what lies in a submodule; its last commit moves that to something else."""
    source, repo = make_repo(tmp_path / "source"), make_repo(tmp_path / "repo")
    source.commit({"a.txt": "1\n"})
    repo.commit({"test_data.py": READS}, "a test")
    inner = add(repo, source, "data")
    inner.commit({"a.txt": "2\n"}, "other data")
    repo.commit({}, "move the data")
    inner.git("checkout", "-q", "HEAD~1")
    return repo


def test_a_submodule_is_carried_where_a_folder_can_be(composed: Repo) -> None:
    base = composed.git("rev-parse", "HEAD~1")
    weak = choose_bay(open_desk(composed.path, flags("process"), base))
    assert (weak.built, weak.notes) == ((), ("not carried with process isolation, as folders: data",))
    kinds.need("bubblewrap", composed)
    state = composed.state()
    assert status(judge(open_desk(composed.path, flags("bubblewrap"), base), base))["pytest"] == "passed"
    # The checkout stands where the base says, not where the last commit does
    assert status(judge(open_desk(composed.path, flags("bubblewrap"))))["pytest"] == "failed"
    assert composed.state() == state


def test_commits_that_move_a_submodule_are_not_proved_by_the_one_that_was_there(composed: Repo) -> None:
    kinds.need("bubblewrap", composed)
    composed.write({"later.py": ""})
    composed.git("add", "later.py")
    composed.git("commit", "-q", "-m", "something else")
    proved = agent(composed, "verify", "HEAD~2..HEAD", "--json")
    told = Proved.model_validate_json(proved.out)
    doubt = "submodule data was carried as the base has it, and the change moves it"
    assert [(commit.ok, doubt in commit.doubts) for commit in told.commits] == [(True, True), (True, True)]
    assert proved.code == 1


def test_workers_are_left_to_the_project_unless_a_number_is_given(repo: Repo) -> None:
    assert choose_bay(open_desk(repo.path, flags())).workers == 1
    assert choose_bay(open_desk(repo.path, flags(workers="3"))).workers == 3
    assert Settings().workers == "auto"
