"""Whatever a file holds, an edit and then its inverse leave the bytes as they were."""

import difflib

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.tools.conftest import Desk

CHEAP = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])

pieces = st.text(st.sampled_from("ab é\t\x0c漢\u0301=-+@\\"), max_size=5)
marks = st.sampled_from([b"", b"\xef\xbb\xbf"])


@st.composite
def lines(draw: st.DrawFn, usual: str = "") -> list[str]:
    """Make lines with one kind of ending, or mixed ones, and perhaps none at the end."""
    usual = usual or draw(st.sampled_from(["\n", "\r\n", ""]))
    endings = st.just(usual) if usual else st.sampled_from(["\n", "\r\n"])
    made = [piece + draw(endings) for piece in draw(st.lists(pieces, min_size=1, max_size=7))]
    return made if draw(st.booleans()) else [*made, "last"]


def put(desk: Desk, data: bytes) -> None:
    desk.put("f.txt", data)
    desk.bench.workspace.tree()


@CHEAP
@given(old=lines(), mark=marks, data=st.data())
def test_lines_that_were_replaced_come_back(desk: Desk, old: list[str], mark: bytes, data: st.DataObject) -> None:
    raw = mark + "".join(old).encode()
    start = data.draw(st.integers(1, len(old)))
    end = data.draw(st.integers(start, len(old)))
    mixed = len({line.endswith("\r\n") for line in old if line.endswith("\n")}) > 1
    # Where endings are mixed, nobody can know how a line ended that is not there any more
    count = end - start + 1 if mixed else data.draw(st.integers(1, 4))
    assume(mixed or count < len(old) - (end - start))
    put(desk, raw)
    desk.ok("replace_lines", path="f.txt", start=start, end=end, text="\n".join(f"<{n}>" for n in range(count)))
    assert desk.raw("f.txt") != raw
    text = "".join(old[start - 1 : end]).replace("\r\n", "\n")
    desk.ok("replace_lines", path="f.txt", start=start, end=start + count - 1, text=text)
    assert desk.raw("f.txt") == raw


@CHEAP
@given(old=lines(), mark=marks, data=st.data())
def test_text_that_was_replaced_comes_back(desk: Desk, old: list[str], mark: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(old) - 1))
    old[at] = f"MARK{old[at]}"
    raw = mark + "".join(old).encode()
    put(desk, raw)
    desk.ok("edit_file", path="f.txt", old="MARK", new="one\ntwo")
    desk.ok("edit_file", path="f.txt", old="one\ntwo", new="MARK")
    assert desk.raw("f.txt") == raw


@CHEAP
@given(data=st.data(), mark=marks)
def test_a_patch_and_then_the_reversed_one_restore_the_bytes(desk: Desk, data: st.DataObject, mark: bytes) -> None:
    ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    old, new = ("".join(data.draw(lines(ending))) for _ in range(2))
    assume(old != new)
    there, back = diff(old, new), diff(new, old)
    put(desk, mark + old.encode())
    desk.ok("apply_patch", patch=there)
    assert desk.raw("f.txt") == mark + new.encode()
    desk.ok("apply_patch", patch=back)
    assert desk.raw("f.txt") == mark + old.encode()


def diff(old: str, new: str) -> str:
    """Write the difference as git does, a line feed alone ending a line."""
    before, after = ([*(f"{line}\n" for line in text.split("\n")[:-1]), text.split("\n")[-1]] for text in (old, new))
    found = difflib.unified_diff([x for x in before if x], [x for x in after if x], "a/f.txt", "b/f.txt")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


@CHEAP
@given(content=lines(), names=st.lists(st.text("ab é", min_size=1, max_size=5), min_size=1, max_size=3))
def test_what_is_made_moved_back_and_forth_and_removed_leaves_the_tree(
    desk: Desk, content: list[str], names: list[str]
) -> None:
    base, text = desk.workspace.tree(), "".join(content)
    path = "/".join(f"n{name.strip()}" for name in names)
    desk.ok("create_file", path=path, content=text)
    assert desk.raw(path) == text.encode()
    made = desk.workspace.tree()
    desk.ok("move_file", source=path, destination="elsewhere/x")
    desk.ok("move_file", source="elsewhere/x", destination=path)
    assert desk.workspace.tree() == made
    desk.ok("delete_file", path=path)
    assert desk.workspace.tree() == base
