"""Reads what the other job handed over, with no trust in it."""

from pathlib import Path

from pydantic import ValidationError

from bot.app.github.door import Call
from bot.core.escape import line
from bot.core.handover import LARGEST, NAME, Handover
from bot.errors import ConfigError


def read_handover(call: Call) -> Handover | None:
    """Read a claim; None where the job left none. Raises ConfigError where it is none, or one of another run."""
    path = call.handover / NAME
    data = _read(path)
    if data is None:
        return None
    try:
        claim = Handover.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or NAME
        raise ConfigError(f"what the job handed over cannot be read: {line(where)}: {first['msg']}") from error
    if claim.repository != call.repository or claim.workflow_run != call.run_id:
        raise ConfigError("what the job handed over belongs to another run of the workflow")
    return claim


def _read(path: Path) -> bytes | None:
    # A link could lead to any file of this machine, and a device does not end
    if path.is_symlink() or not path.is_file():
        return None
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ConfigError(f"what the job handed over is larger than {LARGEST >> 20} MiB")
    return data
