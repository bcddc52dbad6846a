"""Commands that run a model: fix, plan, demo."""

from pathlib import Path
from typing import Any

import click

from bot.app import demo as demonstration
from bot.app import resume as taking_up
from bot.app import views
from bot.app.consent import Said
from bot.app.desk import make_request
from bot.app.perform import perform
from bot.app.start import open_start
from bot.entry.options import as_json, continuing, directory, running


@click.command(short_help="Mend what fails, or do TASK, in verified commits on a branch.")
@click.argument("task", nargs=-1)
@click.option("--failing", is_flag=True, help="Mend whatever fails now (what happens without a TASK, too).")
@running
@as_json
@directory
def fix(task: tuple[str, ...], directory: Path, base: str, *, failing: bool, as_json: bool, **flags: Any) -> int:
    """Work on TASK, or on whatever fails now, on a branch of its own.

    A step is committed only after the project's own checks have run on exactly that tree and none of them got worse.
    """
    goal = _goal(task, failing=failing)
    desk = open_start(directory, flags, base)
    report = perform(desk, make_request(desk, goal, quiet=as_json))
    if as_json:
        click.echo(report.model_dump_json())
    return report.exit_code


def _goal(task: tuple[str, ...], *, failing: bool) -> str:
    goal = " ".join(task).strip()
    if task and not goal:
        raise click.UsageError("the task is empty; leave it out to mend whatever fails now")
    if goal and failing:
        raise click.UsageError("give a TASK or --failing, not both")
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
@running
@as_json
@directory
def plan(task: tuple[str, ...], directory: Path, base: str, *, as_json: bool, **flags: Any) -> int:
    """Say what would be done about TASK, or about whatever fails now; change nothing."""
    desk = open_start(directory, flags, base)
    report = perform(desk, make_request(desk, _goal(task, failing=False), planning=True, quiet=True))
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
