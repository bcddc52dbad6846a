"""Events as lines of a file."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.event import Acted
from bot.core.message import ToolCall, ToolResult
from bot.core.talk import Told
from bot.errors import WorkspaceError
from bot.git import journal
from bot.git.journal import Journal


def test_a_trace_with_a_broken_line_is_not_read_past() -> None:
    line = journal.encode(Told(text="x"))
    assert journal.decode(line + line[:-3]) == (Told(text="x"),)
    with pytest.raises(WorkspaceError, match="line 2"):
        journal.decode(line + b"{}\n" + line)


@given(st.text(st.characters(categories=["L", "Cs", "Cc", "Zl"])), st.text())
@example("lone \ud800", "\n")
def test_any_text_is_recorded_on_one_line_and_read_back(text: str, name: str) -> None:
    call = ToolCall(id="1", name=name, arguments={"deep": [{text: text}], "n": 1, "b": True})
    event = Acted(call=call, result=ToolResult(call_id="1", ok=True, output=text))
    line = journal.encode(event)
    assert line.count(b"\n") == 1
    (read,) = journal.decode(line)
    assert isinstance(read, Acted)
    assert read.result.output == text.encode("utf-8", "backslashreplace").decode()
    assert read.call.name == name
    assert read == event or "\\ud" in read.result.output


@given(st.lists(st.text(), max_size=5), st.integers(0, 60))
def test_a_trace_cut_anywhere_loses_at_most_its_last_event(texts: list[str], cut: int) -> None:
    events = [Told(text=text) for text in texts]
    data = b"".join(map(journal.encode, events))
    kept = journal.decode(data[: max(0, len(data) - cut)])
    assert list(kept) == events[: len(kept)]
    if cut == 0:
        assert len(kept) == len(events)


def opened(folder: Path) -> Journal:
    folder.mkdir()
    made = Journal(folder, os.open(folder / "held", os.O_CREAT | os.O_RDWR))
    made.begin(b"")
    return made


@given(st.lists(st.binary(max_size=200).map(lambda data: data.replace(b"\n", b"") + b"\n"), max_size=6), st.data())
def test_a_journal_that_is_cut_at_any_byte_loses_its_last_line_only(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    kept = journal.split(whole[:cut])
    assert [line + b"\n" for line in kept] == lines[: len(kept)]
    assert sum(map(len, lines[: len(kept) + 1])) > cut or len(kept) == len(lines)


def test_a_line_is_in_the_file_before_anything_else_happens(tmp_path: Path) -> None:
    made = opened(tmp_path / "run")
    for number in range(3):
        made.append(b"%d\n" % number, sync=number == 1)
        assert (tmp_path / "run" / journal.FILE).read_bytes() == b"".join(b"%d\n" % n for n in range(number + 1))
    made.remove()
    assert not tmp_path.exists() or not list(tmp_path.iterdir())


def test_a_line_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    made = opened(tmp_path / "run")
    made.append(b"one\n", sync=True)
    full = os.open("/dev/full", os.O_WRONLY)
    assert made._file is not None
    kept = os.dup(made._file)
    os.dup2(full, made._file)
    with pytest.raises(WorkspaceError, match="No space left on device"):
        made.append(b"two\n", sync=False)
    os.dup2(kept, made._file)
    made.append(b"three\n", sync=True)
    assert (tmp_path / "run" / journal.FILE).read_bytes() == b"one\nthree\n"
    made.leave()
    os.close(full)
    os.close(kept)
