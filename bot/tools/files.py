"""Tools that list, read, make, remove and move files."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bot.core.message import Edit
from bot.core.unseen import holds_shown, tell_unseen
from bot.errors import Denied, NotFound, ToolError
from bot.tools import disk, paths, text
from bot.tools.edit import describe, reject_nul, remarks
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

MOST_NAMES = 300
MOST_LINES = 400
MOST_BYTES = 20_000
"""Of a file, in one answer."""
PLACES = 10
"""Lines and characters of one kind that are named."""
WIDTH = 1000
"""Characters of one line that are shown."""
HEAD = 400
"""Bytes that an answer has beside the lines of a file."""

Line = Annotated[int, Field(ge=0, le=10**9)]


class ListFiles(Arguments):
    """List files; deeper folders as counts."""

    path: str = "."
    depth: Annotated[int, Field(ge=1, le=50)] = 2


class ReadFile(Arguments):
    """Read lines start..end, numbered."""

    path: str
    start: Line = 1
    end: Line = 0


class CreateFile(Arguments):
    """Create a new file."""

    path: str
    content: str


class DeleteFile(Arguments):
    """Delete a file."""

    path: str


class MoveFile(Arguments):
    """Move or rename a file."""

    source: str
    destination: str


def list_files(args: ListFiles, bench: Bench) -> Done:
    """List what lies below a folder: one path a line, a deeper folder as `path/ (N files)`. Raises NotFound."""
    place = paths.follow(bench.workspace, args.path, bench.task.scope)
    files = bench.workspace.files()
    prefix = f"{place.name}/" if place.parts else ""
    below = [file for file in files if file.startswith(prefix)]
    if not below:
        if disk.exists(place):
            return Done(f"{place.name}: {'an empty or ignored folder' if disk.is_folder(place) else 'a file'}")
        raise _no_folder(args.path, files)
    rows = _rows(below, prefix, args.depth)
    left = len(rows) - MOST_NAMES
    note = [f"… {left} more; name a folder"] if left > 0 else []
    return Done("\n".join([*rows[:MOST_NAMES], *note]))


def _rows(files: Sequence[str], prefix: str, depth: int) -> list[str]:
    deep: Counter[str] = Counter()
    rows: list[str] = []
    for file in sorted(files):
        parts = file[len(prefix) :].split("/", depth)
        if len(parts) <= depth:
            rows.append(file)
            continue
        folder = prefix + "/".join(parts[:depth]) + "/"
        if folder not in deep:
            rows.append(folder)
        deep[folder] += 1
    return [f"{row} ({deep[row]} files)" if row in deep else row for row in rows]


def _no_folder(path: str, files: Sequence[str]) -> NotFound:
    folders = sorted({file.rpartition("/")[0] for file in files} - {""})
    near = paths.nearest(path.rstrip("/"), folders)
    return NotFound(f"there is no folder {path!r}" + (f"; nearest: {', '.join(near)}" if near else ""))


def read_file(args: ReadFile, bench: Bench) -> Done:
    """Show lines of a file, each after its number and a bar: `   12│text`. Raises NotFound."""
    place = paths.follow(bench.workspace, args.path, bench.task.scope)
    try:
        data = disk.read(place).data
    except NotFound:
        raise paths.missing(bench.workspace, args.path) from None
    shown, remark = _decoded(data, place.name)
    lines = shown.body.split("\n")
    if lines[-1] == "":
        lines.pop()
    start, end = max(1, args.start), min(args.end or len(lines), len(lines))
    if start > max(1, len(lines)) or (args.end and args.end < start):
        raise NotFound(f"{place.name} has {len(lines)} lines; there is no range {args.start}..{args.end or ''}")
    numbered = number(lines[start - 1 : end], start, bench.most)
    last = start + len(numbered) - 1
    about = (
        f"lines {start}-{last} of {len(lines)}" if lines else "empty",
        remark,
        _odd(lines[start - 1 : last], start),
    )
    what = ", ".join(filter(None, about))
    more = [f"… go on with start={last + 1}"] if last < end else []
    return Done("\n".join([f"{place.name}: {what}", *numbered, *more]))


def _decoded(data: bytes, name: str) -> tuple[text.Text, str]:
    try:
        found = text.decode(data, name)
    except ToolError:
        if b"\0" in data:
            raise
        body = data.decode("utf-8", "backslashreplace")
        return text.Text(body), r"not UTF-8: odd bytes are shown as \xNN, and it cannot be edited"
    return found, found.traits


def _odd(lines: Sequence[str], start: int) -> str:
    """Say which lines are shown otherwise than they are."""
    bare = [line.removesuffix("\r") for line in lines]
    odd = [start + offset for offset, line in enumerate(bare) if holds_shown(line)]
    if not odd:
        return ""
    where = f"line{'' if len(odd) == 1 else 's'} {', '.join(map(str, odd[:PLACES]))}{', …' if odd[PLACES:] else ''}"
    what = ", ".join(tell_unseen("\n".join(bare))[:PLACES]) or "control tokens"
    return f"{what} written out on {where}: edit as shown"


def number(lines: Sequence[str], start: int, most: int = MOST_BYTES) -> list[str]:
    """Put its number and a bar before each line, while an answer of `most` bytes has room; at least one line."""
    room, numbered = min(MOST_BYTES, most - HEAD), list[str]()
    for offset, line in enumerate(lines[:MOST_LINES]):
        bare = line.removesuffix("\r")
        cut = f"{bare[:WIDTH]} … (+{len(bare) - WIDTH} characters)" if len(bare) > WIDTH else bare
        told = f"{start + offset:>5}│{cut}"
        room -= len(told.encode()) + 1
        if room < 0 and numbered:
            break
        numbered.append(told)
    return numbered


def create_file(args: CreateFile, bench: Bench) -> Done:
    """Make a file that is not there yet. Raises Denied."""
    place = paths.fresh(bench.workspace, args.path)
    if disk.exists(place):
        raise Denied(f"{place.name} exists already; use edit_file or replace_lines")
    data = reject_nul(args.content).encode()
    paths.admit(bench.workspace, place, data)
    disk.write(place, disk.Content(data, 0o755 if data.startswith(b"#!") else 0o644))
    lines = count_lines(data)
    edit = Edit(path=place.name, before=0, after=lines, first=min(1, lines), last=lines)
    return Done("\n".join([f"created {describe(edit)}", *remarks(place.name, data, bench.task, "added")]), (edit,))


def delete_file(args: DeleteFile, bench: Bench) -> Done:
    """Remove a file, or a link itself. Raises NotFound."""
    place = paths.entry(bench.workspace, args.path)
    lines = entry_lines(place)
    try:
        disk.remove(place)
    except NotFound:
        raise paths.missing(bench.workspace, args.path) from None
    edit = Edit(path=place.name, before=lines, after=0)
    return Done("\n".join([f"deleted {describe(edit)}", *remarks_on(place.name, bench)]), (edit,))


def move_file(args: MoveFile, bench: Bench) -> Done:
    """Give a file another path. Raises NotFound, Denied."""
    source = paths.entry(bench.workspace, args.source)
    paths.reveal(source, bench.task.scope)
    target = paths.fresh(bench.workspace, args.destination)
    data = _content(source)
    lines = count_lines(data)
    if disk.exists(source):
        paths.admit(bench.workspace, target, data, source)
    try:
        disk.move(source, target)
    except NotFound:
        raise paths.missing(bench.workspace, args.source) from None
    edits = (
        Edit(path=source.name, before=lines, after=0),
        Edit(path=target.name, before=0, after=lines, first=min(1, lines), last=lines),
    )
    told = [*remarks_on(source.name, bench), *remarks_on(target.name, bench)]
    return Done("\n".join([f"moved {source.name} to {target.name} ({lines} lines)", *told]), edits)


def remarks_on(name: str, bench: Bench) -> list[str]:
    """Say what policy thinks of touching a path, whose content is not looked at."""
    return [line for line in remarks(name, b"", bench.task) if not line.startswith("syntax:")]


def entry_lines(place: paths.Place) -> int:
    """Count the lines of a file; 0 for what is no regular file of a reasonable size."""
    return count_lines(_content(place))


def _content(place: paths.Place) -> bytes:
    try:
        return disk.read(place).data
    except ToolError:
        return b""


def count_lines(data: bytes) -> int:
    """Count lines as git does."""
    return data.count(b"\n") + bool(data and not data.endswith(b"\n"))


LIST_FILES = Tool("list_files", ListFiles, Access.READ, list_files)
READ_FILE = Tool("read_file", ReadFile, Access.READ, read_file, cap=MOST_BYTES + 2 * WIDTH)
CREATE_FILE = Tool("create_file", CreateFile, Access.WRITE, create_file)
DELETE_FILE = Tool("delete_file", DeleteFile, Access.WRITE, delete_file)
MOVE_FILE = Tool("move_file", MoveFile, Access.WRITE, move_file)
