"""What the steps of CI files run."""

import pytest

from bot.verify.detection.commands import UNKNOWN
from bot.verify.detection.workflows import scripts
from bot.verify.documents import Unreadable

JOBS = """
defaults:
  run:
    working-directory: base
jobs:
  a:
    defaults:
      run: { working-directory: job }
    steps:
      - run: one
      - {run: "two # no comment", working-directory: step}
      - name: folded
        run: >-
          three
          four
      - run: |
          five
          six
        working-directory: ${{ matrix.folder }}
      - run: seven
        continue-on-error: true
      - run: Eight
        shell: pwsh
      - uses: some/action@v1
        with:
          run: nine
  b:
    steps:
    - run: ten
"""


def told(text: str) -> list[tuple[str, str]]:
    return [(script.text, script.folder) for script in scripts(text)]


def test_steps_are_read_in_their_folders() -> None:
    assert told(JOBS) == [
        ("one", "job"),
        ("two # no comment", "step"),
        ("three four", "job"),
        ("five\nsix", UNKNOWN),
        ("nine", "job"),
        ("ten", "base"),
    ]
    assert [script.line for script in scripts(JOBS)][:2] == [10, 11]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("test:\n  script:\n    - one\n    - two\n", ["one\ntwo"]),
        (".base: &base\n  script: [one]\ntest:\n  <<: *base\nother:\n  <<: *base\n", ["one"]),
        ("jobs:\n  a:\n    steps:\n      - run:\n          command: one\n      - run: two\n", ["one", "two"]),
        ("steps:\n- script: one\n  workingDirectory: sub\n- bash: two\n", ["one", "two"]),
        ("script: one\n", ["one"]),
        ("# nothing\n", []),
        ("- 1\n", []),
    ],
)
def test_other_services_are_read(text: str, wanted: list[str]) -> None:
    assert [script for script, _ in told(text)] == wanted


def test_broken_file_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        told("jobs: [\n")
