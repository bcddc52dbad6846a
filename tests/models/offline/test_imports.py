"""Imports are added where a tidy person would put them."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.imports import Import, add, read_import
from bot.models.offline.source import parse

PATH = Import("pathlib", "Path")

FUTURE = "from __future__ import annotations\n\n"

PLACES = [
    ("x = Path()\n", PATH, "from pathlib import Path\n\nx = Path()\n"),
    ('"""Doc."""\n\n\ndef f():\n    pass\n', PATH, '"""Doc."""\n\nfrom pathlib import Path\n\n\ndef f():\n    pass\n'),
    ("#!/bin/python\n# why\nx = 1\n", PATH, "#!/bin/python\n# why\n\nfrom pathlib import Path\n\nx = 1\n"),
    (FUTURE + "x = 1\n", PATH, FUTURE + "from pathlib import Path\n\nx = 1\n"),
    ("import os\nimport sys\n\nx = 1\n", PATH, "import os\nimport sys\nfrom pathlib import Path\n\nx = 1\n"),
    ("import os\nimport sys\n\nx = 1\n", Import("re"), "import os\nimport re\nimport sys\n\nx = 1\n"),
    ("from typing import Any, List\n", Import("typing", "Dict"), "from typing import Any, Dict, List\n"),
    (
        "from typing import (\n    Any,\n    List,\n)\n",
        Import("typing", "Dict"),
        "from typing import (\n    Any,\n    Dict,\n    List,\n)\n",
    ),
    ("import numpy\n\nx = 1\n", PATH, "from pathlib import Path\n\nimport numpy\n\nx = 1\n"),
    (
        "import os\n\nimport numpy\n\nx = 1\n",
        Import("attrs", "define"),
        "import os\n\nimport numpy\nfrom attrs import define\n\nx = 1\n",
    ),
    ("import os\n\nx = 1\n", Import("shop.money", "total"), "import os\n\nfrom shop.money import total\n\nx = 1\n"),
    (
        "import numpy\n\nfrom shop.money import Account\n\nx = 1\n",
        Import("shop.report", "render"),
        "import numpy\n\nfrom shop.money import Account\nfrom shop.report import render\n\nx = 1\n",
    ),
    ("import numpy as np\n", Import("pandas", "", "pd"), "import numpy as np\nimport pandas as pd\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "wanted", "after"), PLACES)
def test_an_import_finds_its_place(before: str, wanted: Import, after: str) -> None:
    assert add(before, wanted) == after


def test_an_import_that_is_there_is_not_added_again() -> None:
    assert add("from pathlib import Path\n", PATH) is None


def test_a_text_that_does_not_parse_gets_no_import() -> None:
    assert add("def f(\n", PATH) is None


def test_ruff_agrees_with_the_order_in_a_plain_module() -> None:
    text = add("import os\nimport sys\nfrom typing import Any\n\nprint(os, sys, Any)\n", Import("collections", "deque"))
    assert text is not None
    argv = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "I", "-"]
    assert subprocess.run(argv, input=text + "deque()\n", text=True, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("line", "name", "wanted"),
    [
        ("import numpy as np", "np", Import("numpy", "", "np")),
        ("    from shop.money import Account, total", "total", Import("shop.money", "total")),
        ("import json", "json", Import("json")),
        ("from . import sibling", "sibling", None),
        ("from x import y", "z", None),
        ("not an import at all (", "z", None),
        ("from __future__ import annotations", "annotations", None),
    ],
)
def test_an_import_is_read_back_from_a_line(line: str, name: str, wanted: Import | None) -> None:
    assert read_import(line, name) == wanted


@given(st.text(max_size=80), st.sampled_from([PATH, Import("re"), Import("shop", "x")]))
def test_what_parsed_still_parses_with_an_import_more(text: str, wanted: Import) -> None:
    new = add(text, wanted)
    assert new is None or parse(text) is None or parse(new) is not None
