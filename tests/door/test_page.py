"""What docs/github.md tells a person to copy is a workflow that fits ours, and what it lists is what there is."""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.task import Limits
from bot.core.trigger.gate import Rules
from bot.core.trigger.order import VERBS
from tests.door.page import PAGE, ROOT, copied, local

BIN = Path(sys.executable).parent


def load(text: str) -> Any:
    # YAML takes the word `on` for a truth value
    return yaml.safe_load(re.sub(r"^on:", '"on":', text, flags=re.MULTILINE))


def ours(name: str) -> Any:
    return load((ROOT / f".github/workflows/{name}.yml").read_text())


def rows(section: str) -> list[list[str]]:
    found = re.search(rf"^##+ {section}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    lines = [line for line in found[1].splitlines() if line.startswith("| ") and "|---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("name", ["agent", "verify"])
def test_what_is_copied_passes_the_linters(name: str, tmp_path: Path) -> None:
    workflows = tmp_path / ".github/workflows"
    workflows.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (workflows / f"{name}.yml").write_bytes((ROOT / f".github/workflows/{name}.yml").read_bytes())
    caller = workflows / "caller.yml"
    caller.write_text(local(copied(name)))
    for argv in (
        ["actionlint", str(caller)],
        ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(caller)],
    ):
        done = subprocess.run([BIN / argv[0], *argv[1:]], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_copied_file_hears_the_events_that_ours_hears() -> None:
    events = ours("agent")["on"]
    del events["workflow_call"]
    assert load(copied("agent"))["on"] == events


@pytest.mark.parametrize("name", ["agent", "verify"])
def test_the_copied_file_gives_what_the_jobs_take_and_no_more(name: str) -> None:
    needed: dict[str, str] = {}
    for job in ours(name)["jobs"].values():
        needed |= {right: level for right, level in job["permissions"].items() if needed.get(right) != "write"}
    (caller,) = load(copied(name))["jobs"].values()
    assert caller["permissions"] == needed
    assert set(caller["with"]) <= set(ours(name)["on"]["workflow_call"]["inputs"])


def test_inputs_are_listed_with_what_they_are_by_themselves() -> None:
    inputs = ours("agent")["on"]["workflow_call"]["inputs"]
    listed = {named(row[0])[0]: named(row[2]) for row in rows("The file")}
    assert list(listed) == list(inputs)
    for name, shown in listed.items():
        default = inputs[name]["default"]
        assert not default or shown == [str(default).lower() if isinstance(default, bool) else default]
    assert {*ours("verify")["on"]["workflow_call"]["inputs"]} <= {*re.findall(r"`([\w-]+)`", PAGE)}


def test_every_order_is_listed() -> None:
    assert {named(row[0])[0].split()[1] for row in rows("What you can say")} == {*VERBS}


def test_every_reason_to_refuse_is_explained() -> None:
    nodes = [node for name in ("gate", "cirun") for node in ast.walk(parse(name))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    quiet = {first(call.args) for call in calls if getattr(call.func, "id", "") == "Refusal"}
    quiet |= {
        first(node.value.elts) for node in nodes if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)
    }
    answered = {first(call.args[1:]) for call in calls if getattr(call.func, "id", "") == "_answer"}
    listed = {code: row[2] for row in rows("When nothing happens") for code in named(row[0])}
    assert {code for code, answer in listed.items() if answer == "no"} == {code for code in quiet if code}
    assert {code for code, answer in listed.items() if answer == "yes"} == answered


def parse(name: str) -> ast.Module:
    return ast.parse((ROOT / f"bot/core/trigger/{name}.py").read_text())


def first(nodes: Sequence[ast.expr]) -> str:
    constant = nodes[0] if nodes else None
    return constant.value if isinstance(constant, ast.Constant) and isinstance(constant.value, str) else ""


def test_permissions_are_those_of_the_jobs() -> None:
    jobs = ours("agent")["jobs"]
    listed: dict[str, dict[str, str]] = {"work": {}, "publish": {}}
    for row in rows("Permissions"):
        listed[named(row[0])[0]] |= dict(right.split(": ") for right in named(row[1]))
    assert listed == {name: job["permissions"] for name, job in jobs.items()}


def test_limits_are_those_that_hold() -> None:
    told = {row[0]: row[1] for row in rows("Limits")}
    limits, rules = Limits(), Rules()
    assert (
        told["requests to the model, commits, seconds of a run"]
        == f"{limits.turns}, {limits.steps}, {limits.seconds:g}"
    )
    assert told["runs for one commit of an issue or pull request, or one red branch"] == str(rules.attempts)
    assert told["seconds between two of them"] == f"{rules.pause:g}"
    assert rules.age == 24 * 3600
    minutes = [job["timeout-minutes"] for job in ours("agent")["jobs"].values()]
    assert told["minutes of the jobs"] == " and ".join(map(str, minutes))


def test_a_copy_with_jobs_of_ones_own_passes_the_linter(tmp_path: Path) -> None:
    document = ours("agent")
    for job in document["jobs"].values():
        own = [step for step in job["steps"] if step.get("with", {}).get("path") != "action"]
        job["steps"] = [step for step in own if step.get("name") != "Set this repository up"]
    text = yaml.safe_dump(document, sort_keys=False).replace("uses: ./action", "uses: OWNER/git-agent@v1")
    assert "job.workflow_" not in text
    (tmp_path / "agent.yml").write_text(text)
    argv = (BIN / "actionlint", tmp_path / "agent.yml")
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_lines_that_an_older_server_does_not_know_stand_in_the_files() -> None:
    for row in rows("GitHub Enterprise Server"):
        files = [PAGE] if named(row[1]) == [] else [text(name.removesuffix(".yml")) for name in named(row[1])]
        assert all(line in file for line in named(row[0]) for file in files if not line.startswith("[!"))
    assert text("agent").count("queue: max") == 2
    known = {"agent": 2, "verify": 1}
    assert {name: text(name).count("${{ job.workflow_sha }}") for name in known} == known


def text(name: str) -> str:
    return (ROOT / f".github/workflows/{name}.yml").read_text()
