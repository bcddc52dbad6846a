"""The folder that goes from one job to the other."""

import shutil
from pathlib import Path

from bot.app.github.carrying import Done
from bot.app.github.door import Call
from bot.app.secrecy import take_secrets
from bot.core.handover import BUNDLE, NAME
from bot.core.redact import Redactor
from bot.errors import UsageError
from bot.git.bundle import write_bundle


def empty(folder: Path) -> None:
    """Make the folder, without anything that an earlier job left in it. Raises UsageError."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"{folder} is no folder to hand anything over in", "name another one: --handover DIR")
    known = (NAME, BUNDLE)
    strange = [path.name for path in folder.iterdir() if path.name not in known] if folder.exists() else []
    if strange:
        raise UsageError(f"{folder} holds something else: {min(strange)}", "name an empty folder: --handover DIR")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)


def hand_over(call: Call, done: Done) -> None:
    """Write what was done, the bundle first: a claim without it says that there is none."""
    claim = done.claim
    if done.repository is not None and claim.run:
        base = claim.base.now if claim.base.state == "rebased" else claim.base.then
        handed = write_bundle(done.repository, call.handover / BUNDLE, run=claim.run, branch=claim.branch, base=base)
        claim = claim if handed.tip else claim.model_copy(update={"branch": ""})
    kept = Redactor(take_secrets().values).record(claim)
    (call.handover / NAME).write_text(kept.model_dump_json(), encoding="utf-8")
