"""Which paths may be named, made and read: pure predicates that return a reason, or None for yes."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from bot.core.sensitive import explain_secrecy, is_named

LONGEST_PATH = 4096
LONGEST_NEW_NAME = 200

_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([tnr]))")
"""What `change.readable` writes in place of a character that cannot be shown."""
_SHORT = {"t": "\t", "n": "\n", "r": "\r"}
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
_DOT_GIT = re.compile(r"\.git|git~\d+")
_DOT_GIT_FILE = re.compile(r"\.gitmodules|gitmod~\d+|gi7eb[a9]~\d+")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_UNPORTABLE = frozenset('<>:"|?*\\')
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
_LAST_CODE_POINT = 0x10FFFF


def refuse_path(path: str) -> str | None:
    """Say why a named path must not be used inside a worktree. Escapes of `change.readable` are understood."""
    if not path:
        return "the path is empty"
    if len(path) > LONGEST_PATH:
        return f"the path is longer than {LONGEST_PATH} characters"
    plain = unescape(path)
    return _refuse_characters(path, plain) or _refuse_parts(path, plain)


def refuse_new_path(path: str) -> str | None:
    """Say why a path must not be created, beyond what `refuse_path` says."""
    refused = refuse_path(path)
    if refused is not None:
        return refused
    if "\\" in path or not path.isprintable() or _IGNORABLE.search(path):
        return f"{_show(path)} holds characters that cannot be seen, or an escape of one"
    return next((reason for part in path.split("/") if part and (reason := _refuse_new_name(part))), None)


def refuse_read(path: str, scope: Sequence[str] = ()) -> str | None:
    """Say why a file must not be shown to a model: it is outside, or holds secrets and no scope names it."""
    refused = refuse_path(path)
    if refused is not None:
        return refused
    # Here `.env/` and `.env/.` are no other file
    parts = [fold(part) for part in unescape(path).split("/") if part not in ("", ".")]
    reason = explain_secrecy(parts or [""])
    return f"{_show(path)} {reason}" if reason is not None and not is_named(path, scope) else None


def is_sensitive(path: str, scope: Sequence[str] = ()) -> bool:
    """Tell whether a path is made to hold secrets and the scope does not name it."""
    folder, slash, name = path.rpartition("/")
    parts = (*(_fold_all(folder) if slash else ()), fold(name))
    return explain_secrecy(parts) is not None and not is_named(path, scope)


def list_sensitive(paths: Iterable[str], scope: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the paths of that kind."""
    return tuple(path for path in paths if is_sensitive(path, scope))


def refuse_mention(text: str, scope: Sequence[str] = ()) -> str | None:
    """Say why an argument of a command must not be passed on, in case the program takes it for a path."""
    if text.startswith(("/", "~")) or _DRIVE.match(text):
        return f"{_show(text)} would lead out of the repository"
    refused = _refuse_parts(text, unescape(text))
    return refused or (None if "\\" in text or not text else refuse_read(text, scope))


def refuse_collision(path: str, existing: Iterable[str]) -> str | None:
    """Say why a new path cannot stand beside existing ones: on some file systems it would be one of them."""
    wanted = _prefixes(path)
    for other in existing:
        theirs = _prefixes(other)
        clash = next((key for key in wanted.keys() & theirs.keys() if wanted[key] != theirs[key]), None)
        if clash is not None:
            return f"{_show(wanted[clash])} and {_show(theirs[clash])} are one name where letter case does not count"
    return None


def unescape(path: str) -> str:
    """Turn a readable path back into characters; a byte that is not UTF-8 becomes the one of the same number."""
    return _ESCAPE.sub(_character, path)


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """Reduce one name to what the most forgiving file system would take it for."""
    if name.isascii() and name.isprintable():
        return name.casefold().rstrip(". ")
    decomposed = unicodedata.normalize("NFKD", _IGNORABLE.sub("", name))
    seen = "".join(c for c in decomposed if unicodedata.category(c) not in ("Cc", "Cf", "Mn", "Me"))
    return seen.replace("\u0131", "i").casefold().rstrip(". ")


@lru_cache(maxsize=4096)
def _fold_all(folder: str) -> tuple[str, ...]:
    # Of the files of a tree most lie beside others
    return tuple(map(fold, folder.split("/")))


def same(path: str) -> str:
    """Reduce a path to what a case-insensitive, normalising file system tells apart."""
    if path.isascii():
        return path.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _refuse_characters(path: str, plain: str) -> str | None:
    if "\0" in plain:
        return "the path holds a NUL"
    if not _encodable(plain):
        return "the path holds a lone surrogate"
    if plain.startswith("/") or path.startswith("\\\\") or _DRIVE.match(path):
        return f"{_show(path)} is absolute: name it from the root of the repository"
    if "\\" in _ESCAPE.sub("", path):
        return f"{_show(path)} holds a backslash: folders are separated by /"
    return None


def _refuse_parts(path: str, plain: str) -> str | None:
    for part in re.split(r"[/\\]", f"{plain}/{path}"):
        bare = "".join(c for c in part if unicodedata.category(c) not in ("Cc", "Cf")).strip(" ")
        if bare == "..":
            return f"{_show(path)} leads out of the repository"
        if _DOT_GIT.fullmatch(fold(part)) or _DOT_GIT.fullmatch(fold(part.split(":", 1)[0])):
            return f"{_show(path)} lies in git's own folder"
    return None


def _refuse_new_name(name: str) -> str | None:
    folded = fold(name)
    if len(name) > LONGEST_NEW_NAME or len(name.encode()) > LONGEST_NEW_NAME:
        return f"a name of it is longer than {LONGEST_NEW_NAME} bytes"
    if name != "." and name != name.strip(" ").rstrip("."):
        return f"{_show(name)} begins or ends with a space, or ends with a dot"
    if not _UNPORTABLE.isdisjoint(name) or _DEVICE.fullmatch(folded):
        return f"{_show(name)} cannot be checked out on every system"
    if name.startswith(("-", "~")):
        return f"{_show(name)} would be taken for an option or a home folder"
    if _DOT_GIT_FILE.fullmatch(folded):
        return "submodules are not made"
    return None


def _prefixes(path: str) -> dict[str, str]:
    parts = path.split("/")
    heads = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return {same(head): head for head in heads}


def _character(match: re.Match[str]) -> str:
    short = match.group(4)
    if short:
        return _SHORT[short]
    number = int(match.group(1) or match.group(2) or match.group(3), 16)
    return chr(number) if number <= _LAST_CODE_POINT else match.group()


def _encodable(text: str) -> bool:
    """Tell whether the text can be a file name: only the surrogates that stand for raw bytes may occur."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _show(path: str) -> str:
    cut = path if len(path) <= LONGEST_NEW_NAME else f"{path[:LONGEST_NEW_NAME]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
