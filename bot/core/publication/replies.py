"""What is answered in a thread: never in a way that would be an order to ourselves."""

from dataclasses import dataclass

from bot.core.escape import code, size, table
from bot.core.publication.history import show_attempts
from bot.core.publication.marker import Attempt, State, marker
from bot.core.publication.sections import join
from bot.core.publication.setting import Links
from bot.core.publication.words import count

LONGEST = 60_000
ORDERS: tuple[tuple[str, str], ...] = (
    ("fix", "mends what the issue says, or what the checks say; words behind it are the task"),
    ("fix --max-cost 2 only touch src/", "spends 2 USD at most, and changes nothing outside `src/`"),
    ("plan", "says what would be done, and changes nothing"),
    ("retry", "tries again, from where the base stands now"),
    ("undo", "takes back the last step; `undo 2` takes back that one and all after it"),
    ("approve", "allows what the run waits for, and nothing else"),
    ("stop", "ends what is going on"),
    ("status", "says what was tried and what is left"),
    ("help", "says this"),
)
OPTIONS = (
    "`--max-cost USD`, `--max-turns N`, `--max-steps N`, `--max-seconds N` and `--max-tokens N` narrow what may be "
    "spent, `--scope GLOB` and `only touch PATH, PATH` what may be changed. They never widen what the maintainers set."
)


def reply(said: str, kind: State | None = None) -> str:
    """Answer with Markdown of ours; foreign words in it are escaped already."""
    still = "\n".join(_still(one) for one in said.strip().split("\n"))
    hidden = marker(kind or State(kind="reply"))
    kept = still if size(still) <= LONGEST else f"{still[: LONGEST // 2].rpartition(chr(10))[0]}\n\n…"
    return join((kept, hidden)) + "\n"


def _still(text: str) -> str:
    """Keep a line from being an order by its first character."""
    bare = text.lstrip()
    return f"&#47;{bare[1:]}" if bare.startswith("/") else text


def help_text(prefix: str = "/agent") -> str:
    """Say what can be ordered."""
    rows = [(code(f"{prefix} {words}"), does) for words, does in ORDERS]
    head = "An order is the first line of a new comment, by somebody who may write here:"
    return reply(join((head, table(("order", "does"), rows, "orders", 4_000), OPTIONS)))


@dataclass(frozen=True, slots=True)
class Standing:
    """What was tried at a place, and what is left."""

    attempts: tuple[Attempt, ...] = ()
    """Oldest first."""
    busy: str = ""
    """Id of the workflow's run that is at work; empty where none is."""
    branch: str = ""
    pull: int = 0
    left: int | None = None
    """Attempts that are left before a new commit has to come; None for no bound."""
    wait: float = 0.0
    """Seconds before the next attempt may begin."""
    waits: str = ""
    """The seal of what a run waits for; empty where it waits for nothing."""


def status_text(standing: Standing, links: Links, prefix: str = "/agent") -> str:
    """Say what was tried at a place, and what is left."""
    lines = [_now(standing, links)]
    if standing.pull:
        lines.append(f"- The work is in {links.number(standing.pull)}, on {links.branch(standing.branch)}.")
    elif standing.branch:
        lines.append(f"- The work is on {links.branch(standing.branch)}.")
    if standing.waits:
        lines.append(f"- It waits for {code(f'{prefix} approve {standing.waits}')}.")
    if standing.left is not None:
        lines.append(f"- {count(standing.left, 'more run').capitalize()} may be made before a new commit has to come.")
    if standing.wait > 0:
        lines.append(f"- The next one may begin in {count(max(1, round(standing.wait / 60)), 'minute')}.")
    return reply(join(("\n".join(lines), show_attempts(standing.attempts, links))))


def _now(standing: Standing, links: Links) -> str:
    if standing.busy:
        return f"- At work in {links.job(standing.busy)}."
    if not standing.attempts:
        return "- Nothing was tried here yet."
    return f"- Nothing goes on; {count(len(standing.attempts), 'run')} so far."
