"""Whether patched functions do what the correct one does, on inputs like those that the tests give."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.protocols import Command
from bot.sandbox.process import ProcessExecutor
from subjects.item import QUIET, Item

SCRIPT = Path(__file__).with_name("compare.py")
SECONDS = 300.0


def differences(item: Item, folder: Path, texts: Sequence[str]) -> list[str]:
    """Name for each text a call for which it gives something else than the correct one, or nothing.

    `folder` holds the program with the correct version.
    """
    assert item.entry is not None
    (path,) = item.broken
    job = {
        "folder": str(folder),
        "module": item.entry.module,
        "name": item.entry.name,
        "suite": item.suite,
        "right": item.right[path][0],
        "texts": texts,
    }
    with tempfile.TemporaryDirectory() as scratch:
        asked, answer = Path(scratch) / "job", Path(scratch) / "answer"
        asked.write_text(json.dumps(job), encoding="utf-8")
        argv = (str(item.python), str(SCRIPT), str(asked), str(answer))
        ProcessExecutor().execute(Command(argv=argv, cwd=folder, timeout=SECONDS, environment=QUIET))
        told = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else []
    return [str(line) for line in told] if len(told) == len(texts) else ["it was not compared"] * len(texts)
