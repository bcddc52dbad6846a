"""Tools that change a piece of a text file."""

import re
import warnings
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bot.core.change import ChangeSet, FileChange, Kind
from bot.core.message import Edit
from bot.core.policy import refuse_change
from bot.core.redact import MARK
from bot.core.task import Task
from bot.core.unseen import restore
from bot.errors import BadArguments, Denied, NotFound, ToolError
from bot.tools import disk, match, paths, text
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

_ESCAPE = re.compile(r"\\[xuU][0-9a-f]{2}")

LONGEST = 200_000
"""Characters of a text that is looked for: to compare more with a file takes too long."""
MOST_COMPILED = 1_000_000
"""Bytes of Python whose syntax is checked at once: more is data, and takes seconds and gigabytes."""

Line = Annotated[int, Field(ge=0, le=10**9)]


class EditFile(Arguments):
    """Replace text that is there once (or count times)."""

    path: str
    old: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    new: str
    count: Annotated[int, Field(ge=1, le=disk.LARGEST)] = 1


class ReplaceLines(Arguments):
    """Replace lines start..end by text; end=start-1 inserts."""

    path: str
    start: Annotated[int, Field(ge=1, le=10**9)]
    end: Line
    text: str


def edit_file(args: EditFile, bench: Bench) -> Done:
    """Replace text in one file. Raises NoMatch."""
    if args.old == args.new:
        escaped = "; to write an escape out, give the character itself in old" if _ESCAPE.search(args.old) else ""
        raise BadArguments(f"old and new are the same: nothing to change{escaped}")
    place, content = _open(bench, args.path)
    before = text.decode(content.data, place.name)
    body, note = _replace(before, args, place.name)
    return _save(bench, place, content, before, body, note)


def replace_lines(args: ReplaceLines, bench: Bench) -> Done:
    """Replace a range of lines in one file. Raises NotFound."""
    place, content = _open(bench, args.path)
    before = text.decode(content.data, place.name)
    lines = before.lines
    if args.start > len(lines) + 1 or args.end > len(lines) or args.end < args.start - 1:
        raise NotFound(f"{place.name} has {len(lines)} lines; there is no range {args.start}..{args.end}")
    head, old, tail = lines[: args.start - 1], lines[args.start - 1 : args.end], lines[args.end :]
    new = _unmask(restore(text.plain(args.text).body, "".join(old)), old, bench)
    last = old[-1] if old else "\n"
    if new and not new.endswith("\n") and (tail or last.endswith("\n")):
        new += "\n"
    if head and not head[-1].endswith("\n") and new:
        head[-1] += before.ending  # text after a last line without a newline needs one
    body = "".join(head) + text.adopt_endings("".join(old), new, before.ending) + "".join(tail)
    if body == before.body:
        raise BadArguments("these lines stand there already: nothing to change")
    return _save(bench, place, content, before, body, "")


def _unmask(new: str, old: Sequence[str], bench: Bench) -> str:
    """Take a line as it was shown, without the secret in it, for the line that stands there. Raises Denied."""
    if MARK not in new:
        return new
    bare = [line.rstrip("\r\n") for line in old]
    known = {shown: line for line in bare if (shown := bench.ladder.redactor.text(line)) != line}
    lines = [known.get(line, line) for line in new.split("\n")]
    if known and any(MARK in line and line not in bare for line in lines):
        raise Denied(f"{MARK} stands for a secret that is not shown: leave the lines that hold it as they are")
    return "\n".join(lines)


def _open(bench: Bench, path: str) -> tuple[paths.Place, disk.Content]:
    place = paths.follow(bench.workspace, path, bench.task.scope)
    try:
        return place, disk.read(place)
    except NotFound:
        raise paths.missing(bench.workspace, path) from None


def _replace(before: text.Text, args: EditFile, name: str) -> tuple[str, str]:
    """Return the new body, and what to say of how the place was found."""
    if "\r" in args.old + args.new and before.body.count(args.old) == args.count:
        return before.body.replace(args.old, args.new), ""
    plain = text.plain(before.body)
    old, new, note = as_it_stands(text.plain(args.old).body, text.plain(args.new).body, plain.body)
    found = match.find(plain.body, old, new, args.count, name)
    pieces, at, usual = list[str](), 0, before.ending
    for span in found.spans:
        start, end = plain.origin(span.start), plain.origin(span.end)
        pieces += [before.body[at:start], _fitting(before.body, start, end, span.new, usual)]
        at = end
    body = "".join([*pieces, before.body[at:]])
    if body == before.body:
        raise BadArguments("the file has the new text already: nothing to change")
    return body, "; ".join(filter(None, (note, found.note)))


def as_it_stands(old: str, new: str, body: str) -> tuple[str, str, str]:
    """Take what is given as it was shown for what stands in a text, and say so."""
    meant = old if old in body else restore(old, body)
    if meant == old:
        return old, new, ""
    return meant, restore(new, meant), "what is written as it was shown is the character that stands there"


def _fitting(body: str, start: int, end: int, new: str, usual: str) -> str:
    """Give the new text of a span the endings of the lines that it stands on, first and last line whole."""
    first = body.rfind("\n", 0, start) + 1
    stop = body.find("\n", end)
    last = len(body) if stop < 0 else stop + 1
    before, after = body[first:start], body[end:last]
    whole = text.adopt_endings(body[first:last], text.plain(before + new + after).body, usual)
    return whole[len(before) : len(whole) - len(after)]


def _save(bench: Bench, place: paths.Place, content: disk.Content, before: text.Text, body: str, note: str) -> Done:
    after = text.Text(body, before.encoding, before.mark)
    reject_nul(body)
    data = after.encode()
    paths.admit(bench.workspace, place, data)
    disk.write(place, disk.Content(data, content.mode))
    edit = measure(place.name, before.body, body)
    told = [
        describe(edit),
        *([f"note: {note}"] if note else []),
        *remarks(place.name, data, bench.task, before=content.data),
    ]
    return Done("\n".join(told), (edit,))


def measure(name: str, before: str, after: str) -> Edit:
    """Say which lines differ between two contents of a file."""
    old, new = _lines(before), _lines(after)
    if old == new:
        return Edit(path=name, before=len(old), after=len(new))
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    kept = 0
    while kept < min(len(old), len(new)) - same and old[-1 - kept] == new[-1 - kept]:
        kept += 1
    last = len(new) - kept
    first = min(same + 1, last) if last else 0
    return Edit(path=name, before=len(old), after=len(new), first=first, last=last)


def _lines(body: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", body) if line]


def describe(edit: Edit) -> str:
    """Say in a line what an edit did."""
    where = f"line {edit.first}" if edit.first == edit.last else f"lines {edit.first}-{edit.last}"
    return f"{edit.path}: {edit.before} → {edit.after} lines" + (f", {where} changed" if edit.first else "")


def remarks(name: str, data: bytes, task: Task, kind: Kind = "modified", before: bytes | None = None) -> list[str]:
    """Say at once what a checkpoint would object to: broken syntax, a path that policy will not let through."""
    told = [f"syntax: {_compared(name, data, before)}"] if name.endswith((".py", ".pyi")) else []
    change = ChangeSet(base="before", tree="after", files=(FileChange(path=name, kind=kind, size=len(data)),))
    return [*told, *(f"warning: {reason}" for reason in refuse_change(change, task))]


def _compared(name: str, data: bytes, before: bytes | None) -> str:
    """Say whether the syntax is right, and if not, whether this edit broke it."""
    found = syntax(name, data)
    if before is None or not found.startswith("error"):
        return found
    return f"{'broken by this edit' if syntax(name, before) == 'ok' else 'still broken'}: {found}"


def syntax(name: str, data: bytes) -> str:
    """Compile Python source and return `ok`, or where and why it does not compile."""
    if len(data) > MOST_COMPILED:
        return f"not checked, it has {len(data)} bytes"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = (error.text or "").rstrip()[:200]
        return f"error on line {error.lineno}: {error.msg}" + (f"\n    {line.strip()}" if line.strip() else "")
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"error: {str(error) or type(error).__name__}"
    return "ok"


def reject_nul(content: str) -> str:
    """Return text that may be written as a text file. Raises ToolError."""
    if "\0" in content:
        raise ToolError("the text holds a NUL character, which would make the file binary")
    return content


EDIT_FILE = Tool("edit_file", EditFile, Access.WRITE, edit_file)
REPLACE_LINES = Tool("replace_lines", ReplaceLines, Access.WRITE, replace_lines)
