"""Commands that run a model: fix, plan, demo."""

from pathlib import Path
from typing import Any

import click
from rich.text import Text

from bot.app import consoles, views
from bot.app import demo as demonstration
from bot.app import resume as taking_up
from bot.app.consent import Said
from bot.app.desk import make_request
from bot.app.github.desk import Publication, prepare, publish_after
from bot.app.github.issue import Asked, read_issue
from bot.app.perform import perform
from bot.app.start import open_start
from bot.entry.options import as_json, continuing, directory, running


@click.command(short_help="Mend what fails, or do TASK, in verified commits on a branch.")
@click.argument("task", nargs=-1)
@click.option("--failing", is_flag=True, help="Mend whatever fails now (what happens without a TASK, too).")
@click.option(
    "--issue", metavar="N|URL", default="", help="Do what an issue on GitHub says; a TASK beside it says what of it."
)
@click.option("--pr", "pull", is_flag=True, help="Push what was verified, and open a pull request on GitHub.")
@running
@as_json
@directory
def fix(  # noqa: PLR0913 - one for each option
    task: tuple[str, ...],
    directory: Path,
    base: str,
    *,
    failing: bool,
    issue: str,
    pull: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Work on TASK, or on whatever fails now, on a branch of its own.

    A step is committed only after the project's own checks have run on exactly that tree and none of them got worse.
    """
    asked = _ask(directory, _goal(task, failing=failing, issue=issue), issue, flags)
    desk = asked.tell(open_start(directory, asked.flags, base))
    if pull:
        prepare(desk)
    report = perform(desk, make_request(desk, asked.goal, quiet=as_json, source=asked.source))
    done = publish_after(directory, report) if pull else None
    if as_json:
        click.echo((done.report if done else report).model_dump_json())
    if done is None:
        return report.exit_code
    tell_publication(done, quiet=as_json)
    return done.code


def tell_publication(done: Publication, *, quiet: bool) -> None:
    """Say where the pull request is, or where it can be opened, and what kept us from it."""
    if done.trouble:
        consoles.progress().print(Text(done.trouble, style="yellow"), soft_wrap=True)
    if done.url and not quiet:
        consoles.results().print(Text(done.url), soft_wrap=True)
    elif done.trouble and done.url:
        consoles.progress().print(Text(done.url), soft_wrap=True)


def _ask(directory: Path, goal: str, issue: str, flags: dict[str, Any]) -> Asked:
    return read_issue(directory, issue, goal, flags) if issue else Asked(goal, flags)


def _goal(task: tuple[str, ...], *, failing: bool = False, issue: str = "") -> str:
    goal = " ".join(task).strip()
    if task and not goal:
        raise click.UsageError("the task is empty; leave it out to mend whatever fails now")
    if goal and failing:
        raise click.UsageError("give a TASK or --failing, not both")
    if issue and failing:
        raise click.UsageError("give --issue or --failing, not both")
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
@running
@as_json
@directory
def plan(task: tuple[str, ...], directory: Path, base: str, *, issue: str, as_json: bool, **flags: Any) -> int:
    """Say what would be done about TASK, or about whatever fails now; change nothing."""
    asked = _ask(directory, _goal(task), issue, flags)
    desk = asked.tell(open_start(directory, asked.flags, base))
    report = perform(desk, make_request(desk, asked.goal, planning=True, quiet=True, source=asked.source))
    if as_json:
        click.echo(report.model_dump_json())
    else:
        views.show_plan(report)
    return 0 if report.plan or report.outcome == "nothing" else 1


@click.command(short_help="Make a small broken project, and mend it.")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
def demo(folder: Path | None) -> int:
    """Make a small broken project in DIR, mend it with the offline model, and prove it."""
    return demonstration.show(folder)
