"""The tool that pages an output which was too long to be shown."""

from typing import Annotated

from pydantic import Field

from bot.errors import NotFound
from bot.tools import excerpt
from bot.tools.files import number
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

PAGE = 200

Line = Annotated[int, Field(ge=0, le=10**9)]


class ReadOutput(Arguments):
    """Page a long output."""

    ref: str
    start: Line = 1
    end: Line = 0


def read_output(args: ReadOutput, bench: Bench) -> Done:
    """Show lines of a stored output, each after its number. Raises NotFound."""
    whole = excerpt.kept(args.ref, bench.store)
    if whole is None:
        raise NotFound(f"there is no stored output {args.ref[:40]!r}")
    lines = whole.split("\n")
    start = max(1, args.start)
    if start > len(lines):
        raise NotFound(f"{args.ref} has {len(lines)} lines")
    end = min(args.end or start + PAGE - 1, len(lines))
    shown = number(lines[start - 1 : end], start, bench.most)
    last = start + len(shown) - 1
    more = [f"… go on with start={last + 1}"] if last < len(lines) else []
    return Done("\n".join([f"{args.ref}: lines {start}-{last} of {len(lines)}", *shown, *more]))


READ_OUTPUT = Tool("read_output", ReadOutput, Access.READ, read_output, cap=23_000)
