"""The tips that a push brings, judged one after the other within the time that there is."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.text import Text

from bot.app import consoles
from bot.app.hooks import pushed
from bot.app.hooks.deadline import Clock, limited
from bot.app.hooks.hearing import hear, keep
from bot.app.secrecy import clean
from bot.errors import AgentError
from bot.git.pushes import Span, Spans
from bot.git.repository import Repository
from bot.settings import Settings


def judge_spans(repository: Repository, settings: Settings, remote: str, spans: Spans) -> int:
    """Judge what a push brings to a remote; 1 refuses it."""
    return _Docket(repository, settings, remote).judge(spans)


@dataclass(slots=True)
class _Docket:
    repository: Repository
    settings: Settings
    remote: str
    refused: list[Span] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    """Refs that nobody can say anything of."""

    def judge(self, spans: Spans) -> int:
        left = list(spans.spans)
        clock = Clock()
        try:
            with limited(self.settings.hook_push_seconds, clock):
                while left:
                    self._hear(left[0])
                    left.pop(0)
        except KeyboardInterrupt:
            if not clock.over:
                raise
            why = f"it takes more than {self.settings.hook_push_seconds:g} s, see agent.hook.push-seconds"
            self._leave([update.name for span in left for update in span.updates], why)
        if spans.left:
            self._leave(spans.left, "too many refs")
        return self._conclude()

    def _hear(self, span: Span) -> None:
        names = [update.name for update in span.updates]
        if span.cut:
            self._leave(names, "the clone is shallow: git fetch --unshallow brings what it starts from")
            return
        try:
            heard = hear(self.repository, span)
        except AgentError as error:
            self._leave(names, clean(error.message))
            return
        told = list(pushed.tell_heard(span, heard, self.remote))
        keep(self.repository, span, heard, "".join(f"{line.plain}\n" for line in told))
        if heard.word == "worse":
            self.refused.append(span)
        elif heard.word == "unknown":
            self._leave(names, pushed.explain(heard.verdict))
        elif heard.word == "holds" and not told and consoles.progress().is_interactive:
            told = [pushed.tell_pass(span, heard)]
        _show(told)

    def _leave(self, names: Sequence[str], why: str) -> None:
        self.strays += names
        _show([pushed.tell_unjudged(names, why)])

    def _conclude(self) -> int:
        """Say what becomes of the push, and what to type next."""
        refuses = self.settings.hook_push == "refuse"
        _show([pushed.tell_mending(span) for span in self.refused])
        if (self.refused and refuses) or (self.strays and self.settings.hook_strict):
            _show([pushed.tell_way_out()])
            return 1
        if self.refused:
            _show([pushed.tell_warning()])
        return 0


def _show(lines: Sequence[Text]) -> None:
    console = consoles.progress()
    for told in lines:
        console.print(told, soft_wrap=True)
