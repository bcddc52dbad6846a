"""Hides git agent's own memory and environment from the commands that it runs."""

from bot.sandbox.supervisor import DUMPABLE, control_process


def conceal() -> bool:
    """Close our /proc entries to the same user's processes, though not to root's; say whether the kernel did."""
    return control_process(DUMPABLE, 0)
