"""Orders that have to be carried out: a door that lets nobody in is easily kept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.app.github.handed import GOOD
from tests.hub.events import comment_event
from tests.redteam.door import Entrance, find_harm, look
from tests.redteam.liar import Liar
from tests.redteam.marks import Evidence


@dataclass(frozen=True)
class Welcome:
    """Somebody who may, and what they order."""

    title: str
    act: Callable[[Entrance], str]
    """Carries it out, and says what is missing then."""
    family: str = "honest"

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.family} {self.title}"

    def play(self, entrance: Entrance) -> tuple[Evidence, ...]:
        """Let it happen, and look whether it was done."""
        before = look(entrance)
        missing = self.act(entrance)
        harm = find_harm(entrance, before, silent=False)
        return (*harm, ("hindered", missing)) if missing else harm


def _answered(login: str, words: str) -> Callable[[Entrance], str]:
    def act(entrance: Entrance) -> str:
        hub = entrance.hub
        issue = hub.issue("add subtracts", "please", "eve")
        entrance.both("issue_comment", comment_event(hub, hub.comment(issue.number, words, login)), (login,))
        mine = [told for told in hub.comments(issue.number) if told.author and told.author.kind == "Bot"]
        return "" if mine else f"{words} of {login} got no answer"

    return act


def _asked_for(issue: tuple[str, str]) -> Callable[[Entrance], str]:
    def act(entrance: Entrance) -> str:
        liar = Liar(entrance, entrance.hub.issue(*issue, "eve"))
        liar.hand(liar.tell({"calc.py": GOOD}))
        liar.publish()
        return "" if len(entrance.hub.pulls()) == 1 else "a sound run became no pull request"

    return act


def _fixed(entrance: Entrance) -> str:
    entrance.order(entrance.hub.issue("add subtracts", "add(1, 2) gives -1", "eve"))
    pulls = entrance.hub.pulls()
    return (
        "" if pulls and pulls[0].pull and not pulls[0].pull.draft else "an order to fix became no verified pull request"
    )


def _all() -> Iterator[Welcome]:
    for login in ("ann", "maintain-er", "write-er"):
        for words in ("/agent help", "/agent status", "/Agent Help please", "> quoted\n\n/agent fix --max-cost"):
            yield Welcome(f"{login} orders {words!r}", _answered(login, words))
    for text in ("add(1, 2) gives -1", "see `a@b.c` and #12", "\u4f60\u597d \U0001f600", "x" * 30_000):
        yield Welcome(f"a sound run for an issue that says {text[:20]!r}", _asked_for(("add subtracts", text)))
    yield Welcome("a whole run", _fixed)


CASES: tuple[Welcome, ...] = tuple(_all())
