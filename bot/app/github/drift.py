"""What became of the base between the end of a run and its publication, found out without running anything."""

from bot.app.github.door import Door, log
from bot.app.github.inspection import Inspection
from bot.core.handover import Base
from bot.errors import AgentError, ForgeError
from bot.git.mergeability import name_clashes
from bot.git.quarantine import Quarantine


def look_again(door: Door, quarantine: Quarantine, found: Inspection, base: Base) -> Base:
    """Hold what a job said of the base against where that stands now; what goes wrong is in the value."""
    told = base.model_copy(update={"later": ""})
    # Steps are taken back where they are, whatever they are to be merged with
    if not found.tip or door.order.verb == "undo":
        return told
    try:
        now = door.github.branch_tip(base.ref)
    except ForgeError as error:
        log(f"where {base.ref} stands could not be asked: {error.message}")
        now = ""
    if not now:
        return told.model_copy(update={"state": "unknown"}) if told.state == "same" else told
    if now == found.base:
        return told if told.state == "rebased" else told.model_copy(update={"state": "same", "now": now, "detail": ""})
    if told.state in ("conflicts", "unverified") and now == told.now:
        return told
    return _meet(door, quarantine, found, told, now)


def _meet(door: Door, quarantine: Quarantine, found: Inspection, base: Base, now: str) -> Base:
    """Try to merge the commits with where the base is now, as to their text."""
    try:
        clashes = quarantine.meet(door.remote, now, found.base, found.tip)
    except AgentError as error:
        log(f"whether it can be merged was not found out: {error.message}")
        clashes = None
    if clashes:
        return base.model_copy(update={"state": "conflicts", "now": now, "detail": name_clashes(clashes)})
    if clashes is not None and base.state not in ("conflicts", "unverified"):
        return base.model_copy(update={"later": now, "state": "rebased" if base.state == "rebased" else "same"})
    detail = "no check was run on it there" if clashes == () else "whether it can be merged could not be found out"
    return base.model_copy(update={"state": "unverified", "now": now, "detail": detail})
