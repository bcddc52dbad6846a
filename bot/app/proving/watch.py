"""Shows a person what is being judged, while it is."""

from bot.app import consoles
from bot.app.proving.judge import Judging, Stage
from bot.app.proving.target import SHORT, Target
from bot.app.proving.values import Judged
from bot.app.stepping import finish


def follow(judging: Judging, target: Target) -> Judged:
    """Carry a proof out, with a live line where a person looks on."""
    console = consoles.progress()
    numbers = {listed.commit: number for number, listed in enumerate(target.commits, 1)}
    if not console.is_interactive:
        return finish(judging)
    with console.status("the base") as status:

        def tell(stage: Stage) -> None:
            number = numbers.get(stage.commit)
            which = f"{stage.commit[:SHORT]} ({number} of {len(numbers)})" if number else "the base"
            status.update(f"{which}: {stage.check}")

        return finish(judging, tell)
