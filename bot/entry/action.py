"""Commands of the GitHub door, started by a workflow: what its runner says, as a value."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from bot.app.github.door import Call
from bot.app.github.publish import publish as publish_run
from bot.app.github.work import gate as judge
from bot.app.github.work import work as work_on
from bot.core.trigger.gate import Rules
from bot.core.trigger.payload import LARGEST
from bot.entry.options import directory
from bot.errors import UsageError

NEEDED = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY")


def _rules(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that both halves have, so that both judge alike."""
    for option in (
        click.option(
            "--handover",
            type=click.Path(path_type=Path),
            envvar="GIT_AGENT_HANDOVER",
            default=Path("git-agent-handover"),
            help="Folder that one job fills and the other reads.",
        ),
        click.option("--label", envvar="GIT_AGENT_LABEL", default="", help="A label that orders a fix of its issue."),
        click.option("--bots", envvar="GIT_AGENT_BOTS", default="", help="Ids of bots that may order, with commas."),
        click.option("--identity", envvar="GIT_AGENT_IDENTITY", default="", help="Login that our token writes as."),
        click.option("--attempts", envvar="GIT_AGENT_ATTEMPTS", default="", help="Most runs for one issue or head."),
        click.option("--pause", envvar="GIT_AGENT_PAUSE", default="", help="Seconds between two runs for one of them."),
    ):
        command = option(command)
    return command


@click.group(short_help="The jobs of a GitHub workflow.")
def action() -> None:
    """Work on what an event of GitHub orders, and publish what came of it; see docs/github.md."""


@action.command(short_help="Say whether an order may be worked on, and do no more.")
@_rules
@directory
def gate(directory: Path, handover: Path, **given: str) -> int:
    """Say whether what the event orders may be worked on, before anything is set up for it."""
    return judge(read_call(directory, handover, given))


@action.command(short_help="Work on an order, without any right to write.")
@_rules
@directory
def work(directory: Path, handover: Path, **given: str) -> int:
    """Work on what the event orders, and leave commits, record and findings in the folder for `publish`."""
    return work_on(read_call(directory, handover, given))


@action.command(short_help="Publish what a job worked out, and trust none of it.")
@_rules
@directory
def publish(directory: Path, handover: Path, **given: str) -> int:
    """Inspect what `work` left, push it, open or update one pull request, and answer where the order came from."""
    return publish_run(read_call(directory, handover, given))


def read_call(directory: Path, handover: Path, given: dict[str, str]) -> Call:
    """Read what the runner says of this job. Raises UsageError."""
    environ = os.environ
    missing = [name for name in NEEDED if not environ.get(name)]
    if missing:
        text = f"{', '.join(missing)} not set: this is a command for GitHub's workflows"
        raise UsageError(text, "see docs/github.md")
    server = environ.get("GITHUB_SERVER_URL") or "https://github.com"
    return Call(
        event=environ["GITHUB_EVENT_NAME"],
        payload=_payload(Path(environ["GITHUB_EVENT_PATH"])),
        repository=environ["GITHUB_REPOSITORY"],
        api_url=environ.get("GITHUB_API_URL") or "https://api.github.com",
        graphql_url=environ.get("GITHUB_GRAPHQL_URL") or "",
        server_url=server.rstrip("/"),
        run_id=environ.get("GITHUB_RUN_ID", ""),
        run_attempt=environ.get("GITHUB_RUN_ATTEMPT", "1"),
        actors=tuple(dict.fromkeys(filter(None, map(environ.get, ("GITHUB_ACTOR", "GITHUB_TRIGGERING_ACTOR"))))),
        sha=environ.get("GITHUB_SHA", ""),
        folder=directory,
        handover=handover,
        output=_file(environ.get("GITHUB_OUTPUT", "")),
        summary=_file(environ.get("GITHUB_STEP_SUMMARY", "")),
        rules=read_rules(given).model_copy(
            update={
                "workflow": environ.get("GITHUB_WORKFLOW_REF", ""),
                "workflow_name": environ.get("GITHUB_WORKFLOW", ""),
            }
        ),
    )


def read_rules(given: dict[str, str]) -> Rules:
    """Read what this repository's maintainers allow. Raises UsageError."""
    bots = [part.strip() for part in given["bots"].split(",") if part.strip()]
    if not all(part.isdecimal() and part.isascii() for part in bots):
        raise UsageError("bots are named by their numeric ids, with commas between them", "see docs/github.md")
    rules = Rules(label=given["label"].strip(), bots=tuple(map(int, bots)))
    numbers = {name: _number(name, given[name]) for name in ("attempts", "pause") if given[name].strip()}
    return rules.model_copy(update={**numbers, **({"identity": given["identity"]} if given["identity"] else {})})


def _number(name: str, text: str) -> int:
    if not (text.strip().isdecimal() and text.isascii() and len(text) < 8):  # noqa: PLR2004 - seconds of months
        raise UsageError(f"{name}: expected a whole number from 0 up, not {text[:40]!r}")
    return int(text)


def _payload(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"the event cannot be read: {error.strerror}: {path}") from error


def _file(name: str) -> Path | None:
    return Path(name) if name else None
