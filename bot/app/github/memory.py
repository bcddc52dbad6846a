"""What we remember of a place at the forge, in comments and pull requests of our own."""

from collections.abc import Iterable
from typing import NamedTuple

from bot.core.hub import Comment, PullRequest
from bot.core.publication.marker import Attempt, State, read_marker
from bot.core.trigger.gate import Rules
from bot.core.trigger.trigger import Account, Trigger
from bot.forge.github.client import GitHub
from bot.git.names import is_ours


class Memory(NamedTuple):
    """What was found at an issue or a pull request."""

    state: State = State()
    comment: Comment | None = None
    """The one that is edited in place."""

    @property
    def last(self) -> Attempt | None:
        """The newest attempt."""
        return self.state.attempts[-1] if self.state.attempts else None


def recall(github: GitHub, trigger: Trigger, rules: Rules) -> Memory:
    """Find what we left where an order stands; what others wrote is never taken for it. Raises ForgeError."""
    number = trigger.page
    if not number:
        return _recall_cause(github, trigger, rules)
    page = _recall_page(github, number, rules) if trigger.pull or trigger.run is not None else None
    for comment in reversed(github.comments(number)):
        # Other workflows write by the same account, and may repeat what strangers wrote; ours ends with its mark
        state = read_marker(comment.body, last=True) if is_own(comment.author, rules) else None
        if state is not None and state.kind == "progress":
            return Memory(_join(page, state), comment)
    return Memory(page or State())


def _recall_page(github: GitHub, number: int, rules: Rules) -> State | None:
    """Read what a pull request of ours says of itself; None where it is somebody else's."""
    pull = github.pull(number)
    state = read_marker(pull.body) if is_own(pull.author, rules) and is_ours(pull.head_ref) else None
    return state and state.model_copy(update={"pull": pull.number, "branch": pull.head_ref})


def _join(page: State | None, state: State) -> State:
    """Put together what a pull request and our comment below it remember."""
    if page is None:
        return state
    attempts = tuple(sorted({*page.attempts, *state.attempts}, key=lambda attempt: attempt.at))
    each = {(attempt.job, attempt.run, attempt.verb): attempt for attempt in attempts}
    return page.model_copy(update={"attempts": tuple(each.values())})


def _recall_cause(github: GitHub, trigger: Trigger, rules: Rules) -> Memory:
    """Find the pull request that the same led to before, where there is no page to talk on."""
    base = trigger.head.ref if trigger.run is not None else trigger.default_branch
    for pull in github.pulls(base=base) if trigger.cause and base else ():
        state = read_marker(pull.body) if is_own(pull.author, rules) else None
        if state is not None and state.cause == trigger.cause:
            return Memory(state.model_copy(update={"pull": pull.number, "branch": pull.head_ref}))
    return Memory()


def find_done(github: GitHub, trigger: Trigger, rules: Rules, commit: str) -> int:
    """Find our open pull request in which a commit was worked on already, where no person ordered that; 0 for none."""
    base = trigger.head.ref if trigger.run is not None else trigger.default_branch
    for pull in github.pulls(base=base) if base else ():
        state = read_marker(pull.body) if is_own(pull.author, rules) else None
        same = state is not None and state.cause == trigger.cause
        for attempt in state.attempts if state is not None and state.cause else ():
            # Where every check passes, other jobs that were red on it have nothing to add
            if attempt.head == commit and (same or attempt.outcome == "verified"):
                return pull.number
    return 0


def recall_pulls(pulls: Iterable[PullRequest], rules: Rules) -> tuple[Attempt, ...]:
    """Collect the attempts that our own pull requests tell of, oldest first."""
    states = (read_marker(pull.body) for pull in pulls if is_own(pull.author, rules))
    found = [attempt for state in states if state is not None for attempt in state.attempts]
    return tuple(sorted(found, key=lambda attempt: attempt.at))


def is_own(account: Account | None, rules: Rules) -> bool:
    """Say whether somebody is us; a name alone may be anybody's, where it is not a bot's."""
    if account is None:
        return False
    named = account.login.casefold() == rules.identity.casefold()
    return account.id in rules.own or named
