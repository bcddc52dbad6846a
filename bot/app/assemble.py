"""Picks who decides in a run: the agent with its tools, and who answers for what is risky."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.agent.loop import Agent
from bot.agent.planning import LOOKS
from bot.app.modelling import Chosen
from bot.core.approval import Answer, Decision, Question, Risk
from bot.core.redact import Redactor
from bot.core.task import Consent, Trust
from bot.protocols import Approver, Surveyor
from bot.tools.catalog import ALL
from bot.tools.tool import Access

UNSEEN: frozenset[Risk] = frozenset({"delete", "command"})
"""What may be allowed beforehand; protected paths and more than the limits only by somebody who sees the diff."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The approver of a run that nobody watches."""

    allows: frozenset[Risk] = frozenset()

    def answer(self, question: Question) -> Decision:
        """Answer as it was set beforehand."""
        return Decision(question=question, answer="once" if question.risk in self.allows else "deny", by="policy")


@dataclass(frozen=True, slots=True)
class Person:
    """Asks whoever sits at the terminal."""

    ask: Callable[[Question], Answer | None]

    def answer(self, question: Question) -> Decision:
        """Ask, with the reason; nobody's silence is a no."""
        said = self.ask(question)
        return Decision(question=question, answer=said or "deny", by="person" if said else "policy")


@dataclass(frozen=True, slots=True)
class Later:
    """The approver of a run that a person looks at when it has stopped."""

    def answer(self, question: Question) -> Decision:
        """Put the question off: the run ends with it on record."""
        return Decision(question=question, answer="wait", by="policy")


def choose_approver(consent: Consent, trust: Trust, ask: Callable[[Question], Answer | None]) -> Approver:
    """Pick who answers for a run; a task that is not trusted names no programs."""
    if consent == "ask":
        return Person(ask)
    if consent == "later":
        return Later()
    wanted = UNSEEN - {"command"} if trust == "untrusted" else UNSEEN
    return Policy(wanted if consent == "yes" else frozenset())


def make_agent(
    chosen: Chosen,
    approver: Approver,
    redactor: Redactor,
    *,
    planning: bool,
    foreign: int = 0,
    surveyor: Surveyor | None = None,
) -> Agent:
    """Give a model its tools; one that only plans gets no tool that writes."""
    tools = {tool.name: tool for tool in ALL if not planning or _harmless(tool.name, tool.access)}
    return Agent(
        model=chosen.model,
        tools=tools,
        approver=approver,
        redactor=redactor,
        window=chosen.window,
        foreign=foreign,
        surveyor=surveyor,
    )


def _harmless(name: str, access: Access) -> bool:
    return access is Access.READ or name in ("update_plan", "ask", "finish", *LOOKS)
