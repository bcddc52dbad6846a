"""What we remember of a place at the forge, in comments and pull requests of our own."""

from collections.abc import Iterable
from typing import NamedTuple

from bot.core.hub import Comment, PullRequest
from bot.core.publication.marker import Attempt, State, read_marker
from bot.core.trigger.gate import Rules
from bot.core.trigger.trigger import Account, Trigger
from bot.forge.github.client import GitHub


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
    for comment in reversed(github.comments(number)):
        # Other workflows write by the same account, and may repeat what strangers wrote; ours ends with its mark
        state = read_marker(comment.body, last=True) if is_own(comment.author, rules) else None
        if state is not None and state.kind == "progress":
            return Memory(state, comment)
    return Memory()


def _recall_cause(github: GitHub, trigger: Trigger, rules: Rules) -> Memory:
    """Find the pull request that the same led to before, where there is no page to talk on."""
    base = trigger.head.ref if trigger.run is not None else trigger.default_branch
    for pull in github.pulls(base=base) if trigger.cause and base else ():
        state = read_marker(pull.body) if is_own(pull.author, rules) else None
        if state is not None and state.cause == trigger.cause:
            return Memory(state.model_copy(update={"pull": pull.number, "branch": pull.head_ref}))
    return Memory()


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
