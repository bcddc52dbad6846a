"""What the action does on a runner before git agent itself is started."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("bash", "cat", "chmod", "cp", "env", "id", "mkdir", "rm", "timeout", "uname")
BUILDER = """#!/usr/bin/env bash
env >>"{log}"
[[ $* == *" -m venv "* ]] || exit 0
place=${{*: -1}}
mkdir -p "$place/bin"
cp "$0" "$place/bin/python"
printf '#!/usr/bin/env bash\\necho git-agent 9\\n' >"$place/bin/git-agent"
chmod +x "$place/bin/git-agent"
"""
"""Stands for an interpreter, so that nothing is fetched; writes down what it is shown."""


@dataclass(frozen=True)
class Runner:
    """A machine with nothing on it but a few tools, and what is put there."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def put(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def start(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": str(self.folder / "bin"),
            "HOME": str(self.folder),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_ACTION_PATH": str(ROOT),
            **variables,
        }
        path = str(ROOT / "scripts/action" / script)
        return subprocess.run(["bash", path], env=environment, capture_output=True, text=True, check=False)

    def outputs(self) -> Mapping[str, str]:
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    (tmp_path / "bin").mkdir()
    (tmp_path / "temp").mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        (tmp_path / "bin" / name).symlink_to(found)
    return Runner(tmp_path)


def test_its_own_environment_is_made_once_and_shown_no_secret(runner: Runner) -> None:
    runner.put("python3.12", BUILDER.format(log=runner.log))
    secrets = {"GITHUB_TOKEN": "hunter2", "ANTHROPIC_API_KEY": "hunter3", "MODE": "work", "PIP_INDEX_URL": "http://x"}
    assert runner.start("environment", **secrets).returncode == 0
    command = runner.outputs()["command"]
    assert command == str(runner.folder / "temp/git-agent/bin/git-agent")
    seen = runner.log.read_text()
    assert "hunter" not in seen
    assert "PIP_INDEX_URL=http://x" in seen
    again = runner.start("environment", **secrets)
    assert (again.returncode, runner.log.read_text()) == (0, seen)
    assert runner.outputs()["command"] == command


def test_a_newer_python_is_taken_before_an_older_one_and_a_named_one_before_all(runner: Runner) -> None:
    for name in ("python3.11", "python3.13", "mine"):
        runner.put(name, BUILDER.format(log=runner.folder / name))
    runner.start("environment", MODE="work")
    assert [(runner.folder / name).exists() for name in ("python3.13", "python3.11")] == [True, False]
    shutil.rmtree(runner.folder / "temp")
    (runner.folder / "temp").mkdir()
    runner.start("environment", MODE="work", PYTHON="mine")
    assert (runner.folder / "mine").exists()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"MODE": "work"}, "there is no Python 3.11 or newer with venv: put actions/setup-python before this step"),
        ({"MODE": "work", "PYTHON": "/nowhere"}, "the input python is not a Python 3.11 or newer with venv"),
        ({"MODE": "work", "INSTALL": "false"}, "install is false, and there is no git-agent on PATH"),
        ({"MODE": "make"}, "the input mode is gate, work, publish or verify"),
        ({}, "the input mode is"),
    ],
)
def test_what_is_missing_is_said_in_one_line(runner: Runner, variables: dict[str, str], words: str) -> None:
    done = runner.start("environment", **variables)
    assert done.returncode == 1
    assert done.stdout.startswith("::error title=git agent::")
    assert words in done.stdout
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_what_an_earlier_job_left_is_gone_before_work_and_kept_for_publishing(runner: Runner) -> None:
    runner.put("git-agent", "#!/usr/bin/env bash\n")
    folder = runner.folder / "old"
    folder.mkdir()
    (folder / "run.bundle").write_text("old")
    given = {"INSTALL": "false", "HANDOVER": str(folder)}
    runner.start("environment", MODE="publish", **given)
    assert (folder / "run.bundle").exists()
    runner.start("environment", MODE="work", **given)
    assert not (folder / "run.bundle").exists()
    assert runner.outputs()["handover"] == str(folder)


BWRAP = """#!/usr/bin/env bash
echo bwrap >>"{log}"
[[ -e "{log}.open" ]] || {{ echo "setting up uid map: no" >&2; exit 1; }}
"""
ROOTED = '#!/usr/bin/env bash\necho "{name} $*" >>"{log}"\n'


def rooted(runner: Runner, name: str, text: str = "exit 1\n") -> None:
    runner.put(name, ROOTED.format(name=name, log=runner.log) + text)


def isolate(runner: Runner, **variables: str) -> tuple[str, str]:
    runner.put("sudo", '#!/usr/bin/env bash\nshift\nexec "$@"\n')
    done = runner.start("isolation", **variables)
    assert done.returncode == 0
    assert done.stderr == ""
    return done.stdout, runner.log.read_text() if runner.log.exists() else ""


def test_isolation_that_works_is_left_as_it_is(runner: Runner) -> None:
    runner.put("bwrap", BWRAP.format(log=runner.log))
    rooted(runner, "apt-get")
    Path(f"{runner.log}.open").touch()
    assert isolate(runner, RUNNER_ENVIRONMENT="github-hosted") == ("isolation: bubblewrap works\n", "bwrap\n")


def test_bubblewrap_is_installed_on_a_hosted_runner(runner: Runner) -> None:
    bwrap = BWRAP.format(log=runner.log)
    (runner.folder / "made").write_text(bwrap)
    made = f'cp "{runner.folder}/made" "{runner.folder}/bin/bwrap"; chmod +x "{runner.folder}/bin/bwrap"\n'
    rooted(runner, "apt-get", made)
    Path(f"{runner.log}.open").touch()
    said, called = isolate(runner, RUNNER_ENVIRONMENT="github-hosted")
    assert said == "isolation: bubblewrap was installed\nisolation: bubblewrap works\n"
    assert called == "apt-get -qq install --no-install-recommends bubblewrap\nbwrap\n"


def test_a_machine_that_is_somebodys_own_is_not_changed_unasked(runner: Runner) -> None:
    runner.put("bwrap", BWRAP.format(log=runner.log))
    rooted(runner, "apt-get")
    said, called = isolate(runner, RUNNER_ENVIRONMENT="self-hosted")
    assert said == "isolation: bubblewrap does not work on this runner: setting up uid map: no\n"
    assert called == "bwrap\n"
    assert isolate(runner, PREPARE="no") == ("", "bwrap\n")


def test_isolation_that_cannot_be_had_is_a_warning_and_no_failure(runner: Runner) -> None:
    rooted(runner, "apt-get")
    rooted(runner, "sysctl")
    said, called = isolate(runner, RUNNER_ENVIRONMENT="github-hosted", PREPARE="yes")
    assert said.startswith("::warning title=git agent::bubblewrap does not work here")
    assert "bwrap is not installed" in said
    assert called.count("apt-get") == 3


def test_proving_sees_no_token_and_wants_a_range(runner: Runner) -> None:
    runner.put("git-agent", '#!/usr/bin/env bash\necho "$* ${GITHUB_TOKEN-none}"\nexit 1\n')
    given = {"COMMAND": "git-agent", "MODE": "verify", "DIRECTORY": "d", "GITHUB_TOKEN": "hunter2"}
    done = runner.start("run", RANGE="a..b", NO_WORSE="true", **given)
    sarif = f"{runner.folder}/temp/git-agent.sarif"
    assert done.stdout == f"verify -C d --annotate --sarif {sarif} --no-worse -- a..b none\n"
    assert done.returncode == 1
    assert runner.outputs()["report"] == sarif
    empty = runner.start("run", RANGE="", **given)
    assert (empty.returncode, empty.stdout) == (
        2,
        "::error title=git agent::the input range is empty: give BASE..HEAD\n",
    )
