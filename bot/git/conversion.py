"""Whether a file and its blob are the same bytes: where nothing converts, git need not be asked."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.git.leaves import LINK, File
from bot.git.run import Git

LONGEST = 1_000_000
"""Bytes of an attributes file that is looked into."""

_KEYS = r"^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|attributesfile)$|^attr\."
_NO = frozenset({"", "false", "no", "off", "0"})
_YES = frozenset({"true", "yes", "on", "1"})
_FILTERED = re.compile(rb"filter|ident|encoding")
_ENDINGS = re.compile(rb"text|eol|crlf")
_SHOWN_ENDINGS = re.compile(rb"eol|crlf")


@dataclass(frozen=True, slots=True)
class Conversion:
    """What the configuration and the attributes files say of converting content."""

    usual: bool
    """Whether names, modes and links are to be taken as the file system tells them."""
    autocrlf: str
    eol: str
    elsewhere: tuple[Path, ...]
    """Attributes files outside the checkout."""

    def stores(self, root: Path, path: bytes, file: File) -> bool:
        """Say whether git would record this content as it is."""
        if file.mode == LINK:
            return True
        attributes = self._attributes(root, path)
        if attributes is None or _FILTERED.search(attributes):
            return False
        return b"\r" not in file.content or (self.autocrlf in _NO and not _ENDINGS.search(attributes))

    def shows(self, root: Path, path: bytes, file: File) -> bool:
        """Say whether git would lay this content out as it is."""
        if file.mode == LINK:
            return True
        attributes = self._attributes(root, path)
        if attributes is None or _FILTERED.search(attributes) or _SHOWN_ENDINGS.search(attributes):
            return False
        return self.autocrlf in (*_NO, "input") and self.eol in ("", "lf", "native")

    def _attributes(self, root: Path, path: bytes) -> bytes | None:
        """Return all that attributes files say which count for a path; None when one of them cannot be read."""
        found = [_read(file, Path.stat) for file in self.elsewhere]
        # git follows no link from within the tree
        found += [_read(file, Path.lstat) for file in _beside(root, path)]
        return None if None in found else b"\n".join(text for text in found if text)


def read_conversion(git: Git, common_dir: Path) -> Conversion:
    """Ask git for the settings that count in a checkout."""
    answer = git.ask("config", "--null", "--get-regexp", _KEYS)
    told: dict[str, str] = {}
    for entry in filter(None, answer.output.split(b"\0")):
        key, valued, value = os.fsdecode(entry).partition("\n")
        told[key] = value.lower() if valued else "true"
    usual = (
        answer.code in (0, 1)
        and told.get("core.filemode", "true") in _YES
        and told.get("core.symlinks", "true") in _YES
        and told.get("core.ignorecase", "") in _NO
        and told.get("core.precomposeunicode", "") in _NO
        and "core.attributesfile" not in told
        and not any(key.startswith("attr.") for key in told)
    )
    return Conversion(usual, told.get("core.autocrlf", ""), told.get("core.eol", ""), outside_attributes(common_dir))


def outside_attributes(common_dir: Path) -> tuple[Path, ...]:
    """Name the attributes files that git looks for by itself and no tree holds."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - a home may be unknown
    return common_dir / "info" / "attributes", Path(home, "git", "attributes")


def _beside(root: Path, path: bytes) -> Iterator[Path]:
    folders = path.split(b"/")[:-1]
    for depth in range(len(folders) + 1):
        yield root.joinpath(*map(os.fsdecode, folders[:depth]), ".gitattributes")


def _read(file: Path, look: Callable[[Path], os.stat_result]) -> bytes | None:
    try:
        found = look(file)
        return file.read_bytes() if stat.S_ISREG(found.st_mode) and found.st_size <= LONGEST else None
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError:
        return None
