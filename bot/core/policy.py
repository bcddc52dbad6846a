"""What may be touched, run and committed: pure predicates that return a reason, or None for yes."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.core.change import ChangeSet, FileChange
from bot.core.commands import refuse_command, refuse_variable
from bot.core.diff import is_cut, read_lines
from bot.core.paths import fold, refuse_collision, refuse_new_path, refuse_path, refuse_read, same, unescape
from bot.core.task import Task
from bot.core.tokens import name_secrets

__all__ = [
    "glob_matches",
    "protection",
    "refuse_change",
    "refuse_collision",
    "refuse_command",
    "refuse_new_path",
    "refuse_path",
    "refuse_read",
    "refuse_variable",
    "secret_findings",
]

MOST_FILES = 50
MOST_LINES = 2_000
MOST_BYTES = 1_000_000

PROTECTED = (
    ".github/workflows/**",
    ".github/actions/**",
    ".github/dependabot.y*ml",
    "action.y*ml",
    "CODEOWNERS",
    "renovate.json*",
    ".gitmodules",
    ".gitattributes",
    ".pre-commit-*.yaml",
    ".git-agent*",
    ".gitlab-ci.yml",
    ".circleci/**",
    ".travis.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    ".githooks/**",
    ".husky/**",
    ".devcontainer/**",
    ".vscode/**",
    ".claude/**",
    ".mcp.json",
    ".envrc",
)
"""What decides who may do what, or runs by itself on somebody's machine; compared without regard to letter case."""

_PLAIN_MODES = ("100644", "100755")


def refuse_change(change: ChangeSet, task: Task) -> tuple[str, ...]:
    """List the reasons why a change must not be committed: protection, scope, links, submodules, modes, size, names."""
    reasons = [f"{file.path}: {reason}" for file in change.files for reason in _refuse_file(file, task)]
    return (*_refuse_size(change), *reasons, *_refuse_clashes(change))


def protection(path: str, task: Task) -> str | None:
    """Say why a path must not change in this task, whatever the change is."""
    folded = "/".join(fold(part) for part in unescape(path).split("/"))
    for glob in (*PROTECTED, *task.protected):
        if glob_matches(glob.casefold(), folded) or glob_matches(same(glob), same(path)):
            return f"protected ({glob})"
    if task.scope and not any(glob_matches(glob, path) for glob in task.scope):
        return "outside the scope of the task"
    return None


def glob_matches(glob: str, path: str) -> bool:
    """Match a path from the root of the repository.

    `*`, `?` and `[…]` stay within one name, `**` stands for any number of folders. A glob without a slash, but for one
    at its end, is looked for at every depth; a leading slash ties it to the root. A folder stands for all in it.
    """
    return _compile(glob).match(path) is not None


def secret_findings(change: ChangeSet) -> tuple[str, ...]:
    """Name the added lines that look like they hold a secret, without repeating it."""
    added = (line for line in read_lines(change.patch) if line.sign == "+")
    found = [f"{line.path}:{line.number}: looks like {name}" for line in added for name in name_secrets(line.text)]
    return tuple(dict.fromkeys(found))


def _refuse_file(file: FileChange, task: Task) -> Iterator[str]:
    fresh = file.kind in ("added", "typechange")
    checks = (
        refuse_new_path(file.path) if fresh else refuse_path(file.path),
        protection(file.path, task),
        None if file.kind == "deleted" else refuse_read(file.path),
        _refuse_mode(file),
        "binary content is not committed" if file.binary and file.kind != "deleted" else None,
        f"larger than {MOST_BYTES:,} bytes" if file.size > MOST_BYTES else None,
    )
    yield from dict.fromkeys(reason for reason in checks if reason is not None)


def _refuse_mode(file: FileChange) -> str | None:
    """Judge modes. Even `chmod` is refused on existing files: no tool offers it, so it is an accident."""
    modes = {file.mode, file.old_mode} - {"", "000000"}
    if "160000" in modes:
        return "submodules are not touched"
    if file.kind == "deleted":
        return None
    if "120000" in modes:
        return "links are not made, changed or replaced"
    if file.mode not in _PLAIN_MODES:
        return f"mode {file.mode} is not that of a file"
    if file.kind != "added" and file.old_mode not in ("", file.mode):
        return f"its mode went from {file.old_mode} to {file.mode}"
    return None


def _refuse_size(change: ChangeSet) -> Iterator[str]:
    if len(change.files) > MOST_FILES:
        yield f"{len(change.files)} files changed, at most {MOST_FILES} may in one step"
    lines = change.added + change.removed
    if lines > MOST_LINES:
        yield f"{lines:,} lines changed, at most {MOST_LINES:,} may in one step"
    if is_cut(change.patch):
        yield "its text is too long to be looked through: make smaller steps"


def _refuse_clashes(change: ChangeSet) -> Iterator[str]:
    kept = [file.path for file in change.files if file.kind != "deleted"]
    for index, path in enumerate(kept):
        reason = refuse_collision(path, kept[:index])
        if reason is not None:
            yield reason


@lru_cache(maxsize=512)
def _compile(glob: str) -> re.Pattern[str]:
    bare = glob.removeprefix("./").strip("/")
    if not bare:
        return re.compile(r"(?!)")
    anchored = "/" in bare or glob.startswith(("/", "./"))
    parts = [part for part in bare.split("/") if part not in ("", ".")]
    if not anchored:
        parts.insert(0, "**")
    return re.compile(_join(parts) + r"(?:/.*)?\Z", re.DOTALL)


def _join(parts: Sequence[str]) -> str:
    pattern = ""
    for index, part in enumerate(parts):
        if part != "**":
            pattern += _name(part) + ("/" if index < len(parts) - 1 else "")
        elif index == len(parts) - 1:
            pattern += ".+"
        elif not index or parts[index - 1] != "**":
            pattern += r"(?:[^/]+/)*"
    return pattern


def _name(part: str) -> str:
    pieces = re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|.", part, re.DOTALL)
    return "".join(map(_piece, pieces))


def _piece(piece: str) -> str:
    if piece[0] == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 1 and piece[0] == "[":
        body = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("&&", "&\\&")
        pattern = f"(?!/)[^{body[1:]}]" if body.startswith("!") else f"[{body}]"
        return pattern if _is_pattern(pattern) else re.escape(piece)
    return re.escape(piece)


def _is_pattern(text: str) -> bool:
    """Tell whether a set of characters is one: `[]` and `[z-a]` stand for themselves."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True
