"""What may be touched, run and committed: pure predicates that return a reason, or None for yes."""

from collections.abc import Iterable, Iterator, Sequence

from bot.core.approval import Refusal, Risk
from bot.core.change import ChangeSet, FileChange
from bot.core.commands import judge_command, refuse_command, refuse_variable, writes
from bot.core.diff import is_cut, read_lines
from bot.core.globs import glob_matches
from bot.core.paths import fold, refuse_collision, refuse_new_path, refuse_path, refuse_read, same, unescape
from bot.core.task import Limits, Task
from bot.core.tokens import name_secrets

__all__ = [
    "describe_reach",
    "glob_matches",
    "judge_command",
    "protection",
    "refusals",
    "refuse_change",
    "refuse_collision",
    "refuse_command",
    "refuse_new_path",
    "refuse_path",
    "refuse_read",
    "refuse_variable",
    "secret_findings",
    "tell",
    "writes",
]

MOST_REASONS = 30
TOGETHER = 10
"""How many times as many bytes as one file all files of a change may have together."""

_CI = (
    ".github/workflows/**",
    ".github/actions/**",
    ".github/dependabot.y*ml",
    ".gitea/workflows/**",
    ".forgejo/workflows/**",
    "action.y*ml",
    "CODEOWNERS",
    "renovate.json*",
    ".renovaterc*",
    ".mergify.yml",
    ".gitlab-ci*.yml",
    ".gitlab/ci/**",
    ".circleci/**",
    ".travis.yml",
    "azure-pipelines*.yml",
    ".azure-pipelines/**",
    "bitbucket-pipelines.yml",
    "Jenkinsfile*",
    ".buildkite/**",
    ".cirrus.y*ml",
    ".cirrus.star",
    ".drone.y*ml",
    ".woodpecker.y*ml",
    ".woodpecker/**",
    ".semaphore/**",
    ".tekton/**",
    ".builds/**",
    ".build.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "cloudbuild.y*ml",
    "codemagic.y*ml",
    ".readthedocs.y*ml",
)
_GIT = (
    ".gitmodules",
    ".gitattributes",
    ".gitconfig*",
    ".lfsconfig",
    ".pre-commit-*.yaml",
    "lefthook*.y*ml",
    ".lefthook*.y*ml",
    ".lefthook/**",
    ".overcommit.yml",
    ".githooks/**",
    "githooks/**",
    ".git-hooks/**",
    "git-hooks/**",
    ".husky/**",
    ".huskyrc*",
    ".git-agent*",
)
_MACHINE = (
    ".devcontainer/**",
    ".devcontainer.json",
    ".gitpod.y*ml",
    ".vscode/**",
    ".idea/**",
    ".zed/**",
    ".exrc",
    ".nvim.lua",
    ".nvimrc",
    ".vimrc",
    ".dir-locals.el",
    ".claude/**",
    ".cursor/**",
    ".codex/**",
    ".gemini/**",
    ".mcp.json",
    ".envrc",
    "mise.toml",
    ".mise.toml",
    ".mise/**",
)
PROTECTED = (*_CI, *_GIT, *_MACHINE)
"""What decides who may do what, or runs by itself on somebody's machine; compared without regard to letter case."""


def _forms(glob: str) -> tuple[str, str, str]:
    """Give a glob, and what it is compared as."""
    return glob, glob.casefold(), same(glob)


_ALWAYS = tuple(map(_forms, PROTECTED))
_PLAIN_MODES = ("100644", "100755")


def refuse_change(
    change: ChangeSet, task: Task, limits: Limits | None = None, whole: ChangeSet | None = None
) -> tuple[str, ...]:
    """List the reasons why a change must not be committed, and what can be done, in few enough lines to be read."""
    return tell(refusals(change, task, limits, whole))


def refusals(
    change: ChangeSet, task: Task, limits: Limits | None = None, whole: ChangeSet | None = None
) -> tuple[Refusal, ...]:
    """List why a change must not be committed: protection, links, modes, size, names; some of it somebody may allow.

    `limits` are those that hold now, the task's own when not given; `whole` is the change since the base of the run.
    """
    held = limits or task.limits
    found = [*_refuse_size(change, held, "in one step")]
    if whole is not None and whole.base != change.base:
        found += _refuse_size(whole, held, "in one run, all steps together")
    if is_cut(change.patch):
        found.append(Refusal("its text is too long to be looked through: make smaller steps"))
    if change.settings:
        text = "pyproject.toml: [tool.git-agent] is for a person to change; put that table back as it was"
        found.append(Refusal(text))
    for file in change.files:
        found += (
            Refusal(f"{file.path}: {reason}; {_remedy(file)}", risk, file.path)
            for reason, risk in _refuse_file(file, task, held).items()
        )
    return (*found, *map(Refusal, _refuse_clashes(change)))


def tell(found: Sequence[Refusal]) -> tuple[str, ...]:
    """Give the reasons in words, the first of them when there are very many."""
    rest = len(found) - MOST_REASONS
    reasons = [refusal.text for refusal in found[:MOST_REASONS]]
    return (*reasons, *((f"and {rest:,} more reasons",) if rest > 0 else ()))


def describe_reach(change: ChangeSet) -> tuple[str, ...]:
    """Tell a person what a change does beside its lines of text: what decides or runs by itself, links, modes, size."""
    usual = "more than git agent itself changes in one step"
    told = [f"{count:,} {what} changed, {usual}" for count, what, *_ in _beyond(change, Limits())]
    if is_cut(change.patch):
        told.append("its text is too long to be looked through whole")
    if change.settings:
        told.append("pyproject.toml: [tool.git-agent] is changed")
    nobody = Task(base=change.base)
    for file in change.files:
        told += (f"{file.path}: {reason}" for reason in _notices(file, nobody))
    told += (*_refuse_clashes(change), *secret_findings(change))
    rest = len(told) - MOST_REASONS
    return (*told[:MOST_REASONS], *((f"and {rest:,} more",) if rest > 0 else ()))


def protection(path: str, task: Task) -> str | None:
    """Say why a path must not change in this task, whatever the change is."""
    folded, plain = "/".join(fold(part) for part in unescape(path).split("/")), same(path)
    for glob, loose, exact in (*_ALWAYS, *map(_forms, task.protected)):
        if glob_matches(loose, folded) or ((loose, folded) != (exact, plain) and glob_matches(exact, plain)):
            return f"protected ({glob})"
    if task.scope and not any(glob_matches(glob, path) for glob in task.scope):
        return "outside the scope of the task"
    return None


def secret_findings(change: ChangeSet) -> tuple[str, ...]:
    """Name the added lines that look like they hold a secret, without repeating it."""
    added = (line for line in read_lines(change.patch) if line.sign == "+")
    found = [f"{line.path}:{line.number}: looks like {name}" for line in added for name in name_secrets(line.text)]
    return tuple(dict.fromkeys(found))


def _refuse_file(file: FileChange, task: Task, limits: Limits) -> dict[str, Risk | None]:
    """List what is wrong with one file, each with what it may be allowed as."""
    fresh = file.kind in ("added", "typechange")
    # What leads to other repositories is no better for being looked at
    guarded: Risk | None = None if fold(file.path.rpartition("/")[2]) == ".gitmodules" else "protected"
    checks: tuple[tuple[str | None, Risk | None], ...] = (
        (refuse_new_path(file.path) if fresh else refuse_path(file.path), None),
        (protection(file.path, task), guarded),
        (None if file.kind == "deleted" else refuse_read(file.path, task.scope), None),
        (_refuse_mode(file), None),
        ("binary content is not committed" if file.binary and file.kind != "deleted" else None, None),
        (_refuse_weight(file, limits.bytes), "size"),
    )
    found: dict[str, Risk | None] = {}
    for reason, risk in checks:
        if reason is not None:
            found.setdefault(reason, risk)
    return found


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


def _refuse_weight(file: FileChange, most: int | None) -> str | None:
    return f"larger than {most:,} bytes (max_bytes)" if most is not None and file.size > most else None


def _remedy(file: FileChange) -> str:
    return "delete it" if file.kind == "added" else "put it back as it was"


def _notices(file: FileChange, nobody: Task) -> Iterator[str]:
    guarded = protection(file.path, nobody)
    modes = {file.mode, file.old_mode} - {"", "000000"}
    notices = (
        f"decides what runs, or who may do what ({guarded})" if guarded else None,
        refuse_new_path(file.path) if file.kind == "added" else None,
        None if file.kind == "deleted" else refuse_read(file.path),
        "a submodule: what it leads to was not looked at" if "160000" in modes else None,
        "a link" if "120000" in modes else None,
        f"its mode went from {file.old_mode} to {file.mode}" if _switches(file) else None,
        "binary content, which nobody can read here" if file.binary else None,
        _refuse_weight(file, Limits().bytes),
    )
    yield from dict.fromkeys(notice for notice in notices if notice is not None)


def _switches(file: FileChange) -> bool:
    return file.kind == "modified" and file.old_mode not in ("", file.mode)


def _refuse_size(change: ChangeSet, limits: Limits, where: str) -> Iterator[Refusal]:
    for count, what, most, name in _beyond(change, limits):
        text = f"{count:,} {what} changed, at most {most:,} may {where} ({name})"
        yield Refusal(f"{text}: take back what is not needed; only a person can allow more", "size")


def _beyond(change: ChangeSet, limits: Limits) -> Iterator[tuple[int, str, int, str]]:
    """Name what a change has more of than the limits allow."""
    size = sum(file.size for file in change.files)
    figures = (
        (len(change.files), "files", limits.files, "max_files"),
        (change.added + change.removed, "lines", limits.lines, "max_lines"),
        (size, "bytes", None if limits.bytes is None else limits.bytes * TOGETHER, f"{TOGETHER} times max_bytes"),
    )
    for count, what, most, name in figures:
        if most is not None and count > most:
            yield count, what, most, name


def _refuse_clashes(change: ChangeSet) -> Iterator[str]:
    pairs = [*change.clashes, *_pair_up(file.path for file in change.files if file.kind != "deleted")]
    for one, other in {frozenset(pair): pair for pair in pairs}.values():
        yield f"{one} and {other} are one name where letter case does not count; give one of them another name"


def _pair_up(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    known: dict[str, str] = {}
    for path in paths:
        parts = path.split("/")
        for end in range(1, len(parts) + 1):
            head = "/".join(parts[:end])
            other = known.setdefault(same(head), head)
            if other != head:
                yield head, other
