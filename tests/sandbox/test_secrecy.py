import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = "from bot.sandbox.secrecy import conceal; import os; conceal(); print(os.stat('/proc/self/environ').st_uid)"


def test_a_concealed_process_no_longer_owns_its_proc_entries() -> None:
    if os.geteuid() == 0:
        pytest.skip("root owns them either way")
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", SOURCE], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_concealing_works_on_linux() -> None:
    source = "from bot.sandbox.secrecy import conceal; print(conceal())"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", source], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == f"{sys.platform == 'linux'}\n"
