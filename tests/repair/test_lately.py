"""The edits that take the last changes back are fitted to the files as they are by now."""

from pathlib import Path

import pytest

from bot.core.past import Past, read_blocks
from bot.repair.lately import fit_blocks, reverse_past
from bot.repair.subject import Subject
from tests.conftest import executor
from tests.core.test_past import BASE, HEAD, diff


def reverse(text: str) -> str:
    """Take every block back that fits."""
    content = text.encode()
    for span in reversed(list(fit_blocks("m.py", text, read_blocks(diff(BASE, HEAD))))):
        content = content[: span.start] + span.text.encode() + content[span.end :]
    return content.decode()


@pytest.mark.parametrize("ahead", ["", "# ä\n" * 5, "import os\n\n\n"])
def test_what_changed_is_taken_back_where_it_stands_by_now(ahead: str) -> None:
    assert reverse(ahead + HEAD) == ahead + BASE


def test_what_was_changed_again_is_left_as_it_is() -> None:
    assert reverse(HEAD.replace("    log(x)\n", "    note(x)\n")) == BASE.replace(
        "    print(x)\n", "    print(x)\n    note(x)\n"
    )
    assert reverse("") == ""
    assert reverse(HEAD.replace("\n", "\r\n")) == BASE.replace("\n", "\r\n")


def test_files_that_came_or_went_and_those_of_others_are_told_apart(tmp_path: Path) -> None:
    patch = "".join(
        (
            diff("", "x = 1\n", "pkg/new.py").replace("--- a/pkg/new.py", "--- /dev/null"),
            diff("", "x = 1\n", "pkg/again.py").replace("--- a/pkg/again.py", "--- /dev/null"),
            diff("y = 2\n", "", "pkg/gone.py").replace("+++ b/pkg/gone.py", "+++ /dev/null"),
            diff(BASE, HEAD, "m.py"),
            diff(BASE, HEAD, "pkg/m.py"),
            diff(BASE, HEAD, "pkg/../../m.py"),
        )
    )
    (tmp_path / "pkg").mkdir()
    for name, text in (("new.py", "x = 1\n"), ("again.py", "x = 2\n"), ("m.py", HEAD)):
        (tmp_path / "pkg" / name).write_text(text)
    subject = Subject(tmp_path, Path(), executor(), folder="pkg", past=Past(since="5" * 40, patch=patch))
    found = reverse_past(subject)
    assert {span.path for span in found.edits} == {"m.py"}
    assert len(found.edits) == 3
    assert (found.created, found.deleted) == ((("gone.py", "y = 2\n"),), ("new.py",))
