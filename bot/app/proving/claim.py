"""What a commit says of itself, held against what was found."""

from bot.app.proving.values import Claimed
from bot.core.check import Verdict
from bot.core.render import parse_trailers, state_checks


def read_claim(message: str, verdict: Verdict) -> tuple[Claimed, tuple[str, ...]]:
    """Say whether a commit's trailers agree with a verdict, and where they part."""
    claim = parse_trailers(message)
    if claim is None:
        return "none", ()
    lines = []
    if claim.tree != verdict.tree:
        lines.append(f"the commit says that its tree is {claim.tree}, it is {verdict.tree}")
    if claim.checks != (found := state_checks(verdict)):
        lines += [f"the commit says  {' '.join(claim.checks)}", f"the proof says   {' '.join(found)}"]
    return ("differs", tuple(lines)) if lines else ("agrees", ())
