import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bot.errors import ModelRejected
from bot.models.preload import load, preload

LEAVES = """
import sys, time
sys.path.insert(0, sys.argv[1])
from bot.models.preload import preload
preload("preloaded_slow")
time.sleep(0.03)
"""


def test_a_package_is_imported_beside_and_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    (tmp_path / "preloaded_well.py").write_text(
        "import threading, time\ntime.sleep(0.05)\nbegan = threading.current_thread().name\n"
    )
    since = time.monotonic()
    preload("preloaded_well")
    preload("preloaded_well")
    assert time.monotonic() - since < 0.04
    assert load("preloaded_well").began != threading.current_thread().name
    assert load("preloaded_well") is load("preloaded_well")
    preload("preloaded_well")
    assert sys.meta_path == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "is not installed"),
        ("import preloaded_missing", "cannot be loaded: No module named 'preloaded_missing'"),
        ("raise ValueError('two\\nlines')", "cannot be loaded: two lines"),
        ("def", "cannot be loaded: invalid syntax"),
        ("assert False", "cannot be loaded: AssertionError"),
    ],
)
def test_a_broken_package_is_told_in_one_line_where_it_is_needed(
    text: str | None, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    if text is not None:
        (tmp_path / "preloaded_badly.py").write_text(text)
    preload("preloaded_badly")
    with pytest.raises(ModelRejected) as caught:
        load("preloaded_badly")
    assert caught.value.message.startswith(f"the package preloaded_badly, which asks this model, {told}")
    assert "\n" not in caught.value.message


def test_the_end_of_the_process_does_not_wait_for_an_import(tmp_path: Path) -> None:
    lines = [f"import time; time.sleep(0.01); import preloaded_{step + 1}" for step in range(300)]
    (tmp_path / "preloaded_slow.py").write_text("import preloaded_0")
    for step, text in enumerate(lines):
        (tmp_path / f"preloaded_{step}.py").write_text(text)
    since = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-B", "-c", LEAVES, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert time.monotonic() - since < 2
