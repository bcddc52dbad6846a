"""The tool that searches the text of all files."""

import re
from typing import Annotated

from pydantic import Field

from bot.errors import BadArguments
from bot.protocols import Match
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

WIDTH = 240


class SearchText(Arguments):
    """Search all files for text."""

    pattern: Annotated[str, Field(min_length=1, max_length=2000)]
    glob: Annotated[str, Field(max_length=500)] = ""
    regex: bool = False
    limit: Annotated[int, Field(ge=1, le=2000)] = 60


def search_text(args: SearchText, bench: Bench) -> Done:
    """Find lines; one `path:line: text` each. Raises BadArguments."""
    if "\n" in args.pattern or "\0" in args.pattern:
        raise BadArguments("pattern: only one line can be searched for")
    found = bench.workspace.search(
        args.pattern, glob=args.glob, regex=args.regex, limit=args.limit + 1, scope=bench.task.scope
    )
    shown = [show(match) for match in found[: args.limit]]
    more = (
        [f"… more than {args.limit} lines match; narrow the search or raise limit"] if len(found) > args.limit else []
    )
    return Done("\n".join([*shown, *more]) if shown else _nothing(args))


def show(match: Match) -> str:
    """Show a found line with its place."""
    text = match.text.strip("\r\n")
    return f"{match.path}:{match.line}: {text if len(text) <= WIDTH else text[:WIDTH] + ' …'}"


def _nothing(args: SearchText) -> str:
    where = f" in {args.glob}" if args.glob else ""
    plain = (
        "; it looks like a regular expression: set regex"
        if not args.regex and re.search(r"[\\|*+?^$]", args.pattern)
        else ""
    )
    return f"no line holds {args.pattern!r}{where}{plain}"


SEARCH_TEXT = Tool("search_text", SearchText, Access.READ, search_text)
