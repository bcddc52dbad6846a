"""The tool that applies a unified diff: all of it, or nothing."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from bot.core.message import Edit
from bot.core.unseen import restore
from bot.errors import BadArguments, Denied, NotFound, ToolError
from bot.tools import disk, paths, text
from bot.tools.edit import describe, measure, reject_nul, remarks
from bot.tools.hunks import FilePatch, Hunk, read_patch
from bot.tools.splice import splice
from bot.tools.tool import Access, Arguments, Bench, Done, Tool


class ApplyPatch(Arguments):
    """Apply a unified diff, all or nothing."""

    patch: Annotated[str, Field(min_length=1, max_length=2_000_000)]


_UNTOUCHED = disk.Content(b"")


@dataclass(slots=True)
class _Draft:
    """What the files would be; nothing is written while the patch may still fail."""

    bench: Bench
    before: dict[paths.Place, disk.Content | None] = field(default_factory=dict)
    after: dict[paths.Place, disk.Content | None] = field(default_factory=dict)
    moved: dict[paths.Place, paths.Place] = field(default_factory=dict)
    """Where a file was before, by its new place."""
    notes: list[str] = field(default_factory=list)

    def read(self, place: paths.Place, path: str) -> disk.Content:
        """Return a file as the patch has it so far. Raises NotFound."""
        content = self.after[place] if place in self.after else self._load(place)
        if content is None:
            raise paths.missing(self.bench.workspace, path)
        return content

    def put(self, place: paths.Place, content: disk.Content | None) -> None:
        """Say what a file is to be; None is no file."""
        if place not in self.before:
            self.before[place] = None if self._emptied(place) else self._load(place)
        self.after[place] = content

    def taken(self, place: paths.Place) -> bool:
        """Whether there is something at a place."""
        if place in self.after:
            return self.after[place] is not None
        return disk.exists(place) and not self._emptied(place)

    def _emptied(self, place: paths.Place) -> bool:
        """Whether it is a folder of which nothing is left when the patch is done."""
        top = place.root.joinpath(*place.parts)
        if top.is_symlink() or not top.is_dir():
            return False
        below = [
            Path(where, name) for where, folders, names in os.walk(top) for name in (*names, *_links(where, folders))
        ]
        places = (paths.Place(place.root, path.relative_to(place.root).parts) for path in below)
        return all(self.after.get(found, _UNTOUCHED) is None for found in places)

    def _load(self, place: paths.Place) -> disk.Content | None:
        try:
            return disk.read(place)
        except NotFound:
            return None


def _links(where: str, folders: Iterable[str]) -> Iterator[str]:
    return (name for name in folders if Path(where, name).is_symlink())


def apply_patch(args: ApplyPatch, bench: Bench) -> Done:
    """Apply a patch. Raises NoMatch, NotFound, Denied."""
    draft = _Draft(bench)
    for section in read_patch(args.patch):
        _apply(section, draft)
    changed = [place for place, content in draft.after.items() if content != draft.before[place]]
    if not changed:
        raise BadArguments("the patch changes nothing")
    _write(draft, changed)
    edits = tuple(_edit(place, draft) for place in changed)
    told = [line for place, edit in zip(changed, edits, strict=True) for line in _tell(place, edit, draft)]
    return Done("\n".join([*told, *draft.notes]), edits)


def deletions(patch: str) -> tuple[str, ...]:
    """Name the files that a patch removes; none when it is no patch."""
    try:
        return tuple(section.source for section in read_patch(patch) if not section.target)
    except ToolError:
        return ()


def renames(patch: str) -> tuple[tuple[str, str], ...]:
    """Name the files that a patch gives another path, each with the new one; none when it is no patch."""
    try:
        sections = read_patch(patch)
    except ToolError:
        return ()
    return tuple(
        (each.source, each.target) for each in sections if each.source and each.target not in ("", each.source)
    )


def _apply(section: FilePatch, draft: _Draft) -> None:
    workspace = draft.bench.workspace
    if not section.source:
        place = paths.fresh(workspace, section.target)
        if draft.taken(place):
            raise Denied(f"{place.name} exists already, but the patch makes it new; nothing was changed")
        mode = 0o755 if section.executable else 0o644
        draft.put(place, _patched(section, disk.Content(b"", mode), place.name, draft))
        return
    source = paths.follow(workspace, section.source, draft.bench.task.scope)
    if section.target != section.source and source != paths.entry(workspace, section.source):
        raise Denied(f"{section.source} is a link: move_file and delete_file are for links; nothing was changed")
    content = _patched(section, draft.read(source, section.source), source.name, draft)
    if section.target == section.source:
        draft.put(source, content)
        return
    if section.target:
        target = paths.fresh(workspace, section.target)
        if draft.taken(target):
            raise Denied(f"{target.name} exists already; nothing was changed")
        draft.put(target, content)
        draft.moved[target] = source
    elif content.data:
        raise BadArguments(f"the patch deletes {source.name} but does not remove all its lines; nothing was changed")
    draft.put(source, None)


def _patched(section: FilePatch, content: disk.Content, name: str, draft: _Draft) -> disk.Content:
    mode = content.mode if section.executable is None else _mode(content.mode, executable=section.executable)
    if not section.hunks:
        data = b"" if not section.target else content.data
        return disk.Content(data, mode)
    before = text.decode(content.data, name)
    hunks = [_as_it_stands(hunk, before.body) for hunk in section.hunks]
    done = splice(before.body, hunks, name, before.ending)
    reject_nul(done.body)
    draft.notes += [f"note: {name}: {note}" for note in done.notes]
    return disk.Content(text.Text(done.body, before.encoding, before.mark).encode() if done.body else b"", mode)


def _as_it_stands(hunk: Hunk, body: str) -> Hunk:
    """Take lines as read_file shows them for those that stand in the file."""
    old = "\n".join(hunk.old)
    meant = restore(old, body)
    if meant == old:
        return hunk
    return replace(hunk, lines=tuple((sign, restore(line, meant)) for sign, line in hunk.lines))


def _mode(mode: int, *, executable: bool) -> int:
    return mode | 0o111 if executable else mode & ~0o111


def _write(draft: _Draft, changed: Iterable[paths.Place]) -> None:
    """Write every file, or put back those already written."""
    written: list[paths.Place] = []
    try:
        for group in _groups(changed):
            _admit(draft, group)
            for place in _removals_first(draft, group):
                written.append(place)
                _store(place, draft.after[place])
    except (OSError, ToolError):
        for place in reversed(written):
            _store(place, draft.before[place])
        raise


def _groups(changed: Iterable[paths.Place]) -> tuple[list[paths.Place], list[paths.Place]]:
    """Put ignore rules before the files that they may be about."""
    rules, rest = list[paths.Place](), list[paths.Place]()
    for place in changed:
        (rules if place.parts[-1] == ".gitignore" else rest).append(place)
    return rules, rest


def _admit(draft: _Draft, places: Iterable[paths.Place]) -> None:
    for place in places:
        content = draft.after[place]
        if content is not None:
            paths.admit(draft.bench.workspace, place, content.data, draft.moved.get(place))


def _removals_first(draft: _Draft, changed: Iterable[paths.Place]) -> Iterator[paths.Place]:
    """A folder may take the place of a file, and a name differ in case only."""
    places = list(changed)
    yield from (place for place in places if draft.after[place] is None)
    yield from (place for place in places if draft.after[place] is not None)


def _store(place: paths.Place, content: disk.Content | None) -> None:
    if content is not None:
        disk.write(place, content)
    elif disk.exists(place):
        disk.remove(place)


def _edit(place: paths.Place, draft: _Draft) -> Edit:
    before, after = (_body(content, place.name) for content in (draft.before[place], draft.after[place]))
    return measure(place.name, before, after)


def _body(content: disk.Content | None, name: str) -> str:
    return text.decode(content.data, name).body if content else ""


def _tell(place: paths.Place, edit: Edit, draft: _Draft) -> list[str]:
    before, after = draft.before[place], draft.after[place]
    if after is None:
        return [
            f"deleted {describe(edit)}",
            *(r for r in remarks(place.name, b"", draft.bench.task) if "syntax" not in r),
        ]
    if before is None:
        return [f"created {describe(edit)}", *remarks(place.name, after.data, draft.bench.task, "added")]
    mode = f", {'now' if after.mode & 0o111 else 'no longer'} executable" if after.mode != before.mode else ""
    told = remarks(place.name, after.data, draft.bench.task, before=before.data)
    return [f"patched {describe(edit)}{mode}", *told]


APPLY_PATCH = Tool("apply_patch", ApplyPatch, Access.WRITE, apply_patch)
