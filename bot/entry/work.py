"""Commands that run a model: fix, plan, demo."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from bot.app import consoles, views
from bot.app import resume as taking_up
from bot.app.consent import Said
from bot.app.desk import Asked, Desk, make_request, start_of
from bot.app.perform import perform
from bot.app.planning import edit_plan, take_plan
from bot.app.start import open_start
from bot.core.report import Report
from bot.core.talk import Planned
from bot.core.task import Request
from bot.entry.options import as_json, continuing, directory, running

if TYPE_CHECKING:
    from bot.app.github.desk import Publication


@click.command(short_help="Mend what fails, or do TASK, in verified commits on a branch.")
@click.argument("task", nargs=-1)
@click.option("--failing", is_flag=True, help="Mend whatever fails now (what happens without a TASK, too).")
@click.option(
    "--issue", metavar="N|URL", default="", help="Do what an issue on GitHub says; a TASK beside it says what of it."
)
@click.option("--plan", "planned", metavar="RUN", default="", help="Carry out the plan of RUN; a TASK adds to its own.")
@click.option("--pr", "pull", is_flag=True, help="Push what was verified, and open a pull request on GitHub.")
@running
@as_json
@directory
def fix(  # noqa: PLR0913 - one for each option
    task: tuple[str, ...],
    directory: Path,
    base: str,
    since: str,
    *,
    failing: bool,
    issue: str,
    planned: str,
    pull: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Work on TASK, or on whatever fails now, on a branch of its own.

    A step is committed only after the project's own checks have run on exactly that tree and none of them got worse.
    """
    goal = _goal(task, failing=failing, issue=issue, planned=planned)
    desk, request, plan = (
        _carry_out(directory, planned, goal, flags, (base, since), quiet=as_json)
        if planned
        else _begin(directory, _ask(directory, goal, issue, flags), (base, since), quiet=as_json)
    )
    report, done = _publish(directory, desk, request, plan) if pull else (perform(desk, request, plan=plan), None)
    if as_json:
        click.echo((done.report if done else report).model_dump_json())
    if done is None:
        return report.exit_code
    tell_publication(done, quiet=as_json)
    return done.code


def _begin(directory: Path, asked: Asked, ends: tuple[str, str], *, quiet: bool) -> tuple[Desk, Request, None]:
    base, since = ends
    desk = asked.tell(open_start(directory, asked.flags, base))
    return desk, make_request(desk, asked.goal, quiet=quiet, source=asked.source, since=start_of(desk, since)), None


def _carry_out(
    directory: Path, run: str, words: str, flags: dict[str, Any], ends: tuple[str, str], *, quiet: bool
) -> tuple[Desk, Request, Planned]:
    base, since = ends
    agreed = take_plan(directory, run, flags, base)
    desk = agreed.tell(open_start(directory, agreed.flags, agreed.base))
    request = make_request(desk, agreed.goal(words), quiet=quiet, source=agreed.source, since=start_of(desk, since))
    return desk, agreed.bind(request), agreed.plan


def _publish(
    directory: Path, desk: Desk, request: Request, plan: Planned | None
) -> "tuple[Report, Publication | None]":
    # See _ask
    github = import_module("bot.app.github.desk")
    github.prepare(desk)
    report = perform(desk, request, plan=plan)
    return report, github.publish_after(directory, report)


def tell_publication(done: "Publication", *, quiet: bool) -> None:
    """Say where the pull request is, or where it can be opened, and what kept us from it."""
    if done.trouble:
        consoles.progress().print(Text(done.trouble, style="yellow"), soft_wrap=True)
    if done.url and not quiet:
        consoles.results().print(Text(done.url), soft_wrap=True)
    elif done.trouble and done.url:
        consoles.progress().print(Text(done.url), soft_wrap=True)


def _ask(directory: Path, goal: str, issue: str, flags: dict[str, Any]) -> Asked:
    if not issue:
        return Asked(goal, flags)
    # What speaks to GitHub takes a while to load, and few runs come from an issue
    asked: Asked = import_module("bot.app.github.issue").read_issue(directory, issue, goal, flags)
    return asked


def _goal(task: tuple[str, ...], *, failing: bool = False, issue: str = "", planned: str = "") -> str:
    goal = " ".join(task).strip()
    if task and not goal:
        raise click.UsageError("the task is empty; leave it out to mend whatever fails now")
    if goal and failing:
        raise click.UsageError("give a TASK or --failing, not both")
    if issue and failing:
        raise click.UsageError("give --issue or --failing, not both")
    if planned and (issue or failing):
        raise click.UsageError(f"give --plan or {'--issue' if issue else '--failing'}, not both")
    return goal


@click.command(short_help="Go on with a run that stopped.")
@click.argument("run", required=False, default="")
@click.option("--tell", "words", metavar="TEXT", default="", help="Say this to the model first, such as an answer.")
@click.option("--approve", is_flag=True, help="Allow what the run waits for: exactly that, once.")
@continuing
@as_json
@directory
def resume(run: str, words: str, directory: Path, *, approve: bool, as_json: bool, **flags: Any) -> int:
    """Go on with RUN where it stopped, whatever stopped it; without RUN, with the newest one that was cut short."""
    report = taking_up.resume(directory, run, flags, Said(words.strip(), approve), quiet=as_json)
    if as_json:
        click.echo(report.model_dump_json())
    return report.exit_code


@click.command(short_help="Say what would be done, and change nothing.")
@click.argument("task", nargs=-1)
@click.option("--issue", metavar="N|URL", default="", help="Say it about an issue on GitHub.")
@click.option("--edit", metavar="RUN", default="", help="Change the plan of RUN in your editor instead.")
@click.option("--file", "source", metavar="FILE", default="", help="With --edit: from FILE, - for standard input.")
@running
@as_json
@directory
def plan(  # noqa: PLR0913 - one for each option
    task: tuple[str, ...],
    directory: Path,
    base: str,
    since: str,
    *,
    issue: str,
    edit: str,
    source: str,
    as_json: bool,
    **flags: Any,
) -> int:
    """Say what would be done about TASK, or about whatever fails now; change nothing."""
    if edit:
        return _edit(directory, edit, source, task=bool(task or issue), as_json=as_json)
    if source:
        raise click.UsageError("--file goes with --edit RUN")
    asked = _ask(directory, _goal(task), issue, flags)
    desk = asked.tell(open_start(directory, asked.flags, base))
    request = make_request(
        desk, asked.goal, planning=True, quiet=True, source=asked.source, since=start_of(desk, since)
    )
    report = perform(desk, request)
    _show(report, as_json=as_json)
    return report.exit_code if report.stop == "interrupted" or not report.plan else 0


def _edit(directory: Path, run: str, source: str, *, task: bool, as_json: bool) -> int:
    if task:
        raise click.UsageError("give --edit RUN or a task, not both")
    done = edit_plan(directory, run, source)
    for note in done.notes:
        consoles.progress().print(Text(note, style="yellow"), soft_wrap=True)
    if done.changed or as_json:
        _show(done.report, as_json=as_json)
    return 0


def _show(report: Report, *, as_json: bool) -> None:
    if as_json:
        click.echo(report.model_dump_json())
    else:
        views.show_plan(report)


@click.command(short_help="Make a small broken project, and mend it.")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
def demo(folder: Path | None) -> int:
    """Make a small broken project in DIR, mend it with the offline model, and prove it."""
    # It proves what it made, which no other of these commands does
    code: int = import_module("bot.app.demo").show(folder)
    return code
