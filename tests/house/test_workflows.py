"""What our action and our workflows promise: nothing foreign in a script, no right that is not needed, no cache."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.settings import OTHER_VARIABLES, Settings

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
STUBS = sorted(ROOT.glob("tests/door/stubs/*/action.yml"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
EVERY = (ROOT / "action.yml", *WORKFLOWS, *STUBS)
RIGHTS = {"actions", "checks", "contents", "issues", "pull-requests"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / ".github/workflows" / name).read_text())


def steps(path: Path) -> Iterator[Mapping[str, Any]]:
    """Find all steps of a workflow or a composite action."""
    document = yaml.safe_load(path.read_text())
    for job in document.get("jobs", {"": document.get("runs", {})}).values():
        yield from job.get("steps", ())


def ours(workflow: str) -> Mapping[str, Mapping[str, Any]]:
    """Find what our own action is given, by its mode."""
    found = [step["with"] for step in steps(ROOT / ".github/workflows" / workflow) if step.get("uses") == "./action"]
    return {given["mode"]: given for given in found}


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_script_holds_an_expression(path: Path) -> None:
    scripts = [step["run"] for step in steps(path) if "run" in step]
    assert [script for script in scripts if "${{" in script] == []


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_is_cached(path: Path) -> None:
    for step in steps(path):
        assert "cache" not in str(step.get("uses", "")).lower()
        assert not {name for name in step.get("with", {}) if "cache" in name}


@pytest.mark.parametrize("name", ["agent.yml", "verify.yml"])
def test_whatever_runs_here_can_reach_no_cache(name: str) -> None:
    assert read(name)["cache-mode"] == "none"
    assert not [job for job in read(name)["jobs"].values() if "cache-mode" in job]


def test_inputs_of_the_action_reach_scripts_by_the_environment_alone() -> None:
    used: set[str] = set()
    for step in ACTION["runs"]["steps"]:
        plain = {key: value for key, value in step.items() if key not in ("env", "if")}
        assert "inputs." not in str(plain)
        used |= set(re.findall(r"inputs\.([\w-]+)", f"{step.get('env', {})} {step.get('if', '')}"))
    assert used == set(ACTION["inputs"])


def test_variables_of_the_action_are_settings_that_there_are() -> None:
    given = {name for step in ACTION["runs"]["steps"] for name in step["env"] if name.startswith("GIT_AGENT_")}
    settings = {f"GIT_AGENT_{key.upper()}" for key in Settings.model_fields}
    assert given - settings - OTHER_VARIABLES == set()


def test_steps_of_the_action_become_their_program_so_that_signals_reach_it() -> None:
    for step in ACTION["runs"]["steps"]:
        name = re.fullmatch(r'exec "\$GITHUB_ACTION_PATH/(scripts/action/\w+)"', step["run"])
        assert name
        assert os.access(ROOT / name[1], os.X_OK)
    lines = (ROOT / "scripts/action/run").read_text().splitlines()
    assert [line.strip().startswith("exec ") for line in lines if '"$COMMAND"' in line] == [True, True]


@pytest.mark.parametrize("name", ["agent.yml", "verify.yml"])
def test_workflows_give_our_action_only_what_it_takes(name: str) -> None:
    for given in ours(name).values():
        assert set(given) <= set(ACTION["inputs"])


def test_what_decides_about_an_order_is_the_same_in_both_jobs() -> None:
    given = ours("agent.yml")
    assert set(given) == {"gate", "work", "publish"}
    for name in ("label", "bots", "identity", "attempts", "pause", "install"):
        assert len({modes.get(name) for modes in given.values()}) == 1
    for name in ("handover", "scope", "protect", "network", *(name for name in ACTION["inputs"] if name[:4] == "max-")):
        assert given["work"].get(name) == given["publish"].get(name)


def test_the_job_that_runs_code_can_write_nothing_and_the_one_that_writes_runs_none() -> None:
    jobs = read("agent.yml")["jobs"]
    work, publish = jobs["work"], jobs["publish"]
    assert set(work["permissions"].values()) == {"read"}
    assert set(work["permissions"]) | set(publish["permissions"]) == RIGHTS
    keys = {step.get("name"): step.pop("env", {}) for step in work["steps"] if "secrets." in str(step)}
    assert set(keys) <= {"Work"}
    assert "secrets." not in str(work)
    assert set(re.findall(r"secrets\.([\w-]+)", str(publish))) == {"token"}
    checkouts = [step["with"] for step in publish["steps"] if "checkout" in step.get("uses", "")]
    assert [given["path"] for given in checkouts] == ["action"]
    assert [step for step in publish["steps"] if "run" in step] == []


def test_proving_a_pull_request_takes_no_right_and_no_secret() -> None:
    text, verify = (ROOT / ".github/workflows/verify.yml").read_text(), read("verify.yml")
    assert [job["permissions"] for job in verify["jobs"].values()] == [{"contents": "read"}]
    assert "secrets" not in re.sub(r"#.*", "", text)
    assert "pull_request_target" not in text


def test_nothing_of_a_pull_request_is_there_when_a_project_is_set_up() -> None:
    order = [
        str(step.get("run", step.get("uses"))).split(" ")[0] for step in read("verify.yml")["jobs"]["verify"]["steps"]
    ]
    assert order.index("git") < order.index("eval") < order.index("./action")


def test_orders_wait_for_each_other_and_none_takes_the_place_of_another() -> None:
    document = read("agent.yml")
    assert "concurrency" not in document
    for job in document["jobs"].values():
        assert job["concurrency"]["cancel-in-progress"] is False
        assert job["concurrency"]["queue"] == "max"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_job_ends(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text())["jobs"]
    assert all(job["timeout-minutes"] <= 60 for job in jobs.values())


def test_what_a_linter_is_told_to_leave_has_a_reason() -> None:
    text = (ROOT / ".github/zizmor.yml").read_text()
    rules = yaml.safe_load(text)["rules"]
    assert {name for rule in rules.values() for name in rule["ignore"]} <= {path.name for path in WORKFLOWS}
    assert len(re.findall(r"ignore:\n\s+# \w", text)) == len(rules)
