"""Hooks and workflows, setting by setting: what is run, when and with what; not how it is called or shown."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from bot.verify.documents import read_yaml
from bot.verify.guard.formats import Settings
from bot.verify.guard.requirements import is_tool
from bot.verify.guard.words import cut

HOOKS = ".pre-commit-config.yaml"
_SHOWN = frozenset({"name", "alias", "description", "verbose", "log_file"})
_HARMLESS_IN_HOOKS = ("minimum_pre_commit_version", "ci.autoupdate*", "ci.autofix*", "ci.submodules")
_HARMLESS_IN_WORKFLOWS = ("name", "run-name", "concurrency*", "jobs.*.name", "jobs.*.concurrency*",
                          "jobs.*.timeout-minutes")  # fmt: skip
_ABOUT_PEOPLE = re.compile(
    r"\.github/(?:.*\.md|ISSUE_TEMPLATE/.*|FUNDING\.ya?ml|dependabot\.ya?ml|labeler\.ya?ml|release\.ya?ml|"
    r"release-drafter\.ya?ml|renovate\.json5?|stale\.ya?ml)"
)
_WORKFLOW = re.compile(
    r"(?:\.github/(?:workflows|actions)/.*\.ya?ml|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml"
    r"|\.circleci/config\.ya?ml)"
)


def is_workflow(path: str) -> bool:
    """Tell whether a file says what a service runs."""
    return _WORKFLOW.fullmatch(path) is not None


def is_about_people(path: str) -> bool:
    """Tell whether a file of a forge is there for people and their requests, and runs nothing."""
    return _ABOUT_PEOPLE.fullmatch(path) is not None


def compare_pipeline(path: str, before: str | None, after: str | None) -> list[tuple[str, str]] | None:
    """List what changed in hooks or a workflow, with what became of it; None when that cannot be told."""
    reader = read_hooks if path == HOOKS else read_workflow
    try:
        old, new = reader(before or ""), reader(after or "")
    except (ValueError, RecursionError):
        return None
    whole = "is new" if before is None else "is gone" if after is None else ""
    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    told = [(name, f"{cut(old.get(name, 'nothing'))} → {cut(new.get(name, 'nothing'))}") for name in changed]
    return [("", whole)] if whole else told


def read_hooks(text: str) -> Settings:
    """Read the hooks of pre-commit; which release of a tool is run counts where it judges code."""
    told = _mapping(text)
    repositories = told.pop("repos", None) or []
    if not isinstance(repositories, list):
        raise ValueError("its repositories are no list")  # noqa: TRY004 - as for any other text that cannot be read
    found = _without(_HARMLESS_IN_HOOKS, dict(_flat(told, "")))
    for repository in repositories:
        if not isinstance(repository, dict) or not isinstance(repository.get("hooks"), list):
            raise ValueError("a repository of hooks has none")  # noqa: TRY004 - as above
        for hook in repository["hooks"]:
            _put(found, *_hook(repository, hook))
    return found


def _hook(repository: Mapping[str, object], hook: object) -> tuple[str, str]:
    if not isinstance(hook, dict) or "id" not in hook:
        raise ValueError("a hook has no id")
    name = str(hook["id"])
    kept = {key: value for key, value in hook.items() if key not in _SHOWN}
    kept["repo"] = repository.get("repo")
    if is_tool(name):
        kept["rev"] = repository.get("rev")
    return f"hooks.{name}", _text(kept)


def read_workflow(text: str) -> Settings:
    """Read what a service runs."""
    return _without(_HARMLESS_IN_WORKFLOWS, dict(_flat(_mapping(text), "")))


def _mapping(text: str) -> dict[object, object]:
    told = read_yaml(text)
    if told is None:
        return {}
    if not isinstance(told, dict):
        raise ValueError("not a mapping")  # noqa: TRY004 - as for any other text that cannot be read
    return dict(told)


def _flat(told: Mapping[object, object], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in told.items():
        # YAML takes the word for a truth value
        name = f"{prefix}{'on' if key is True else key}"
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{name}.")
        elif name.rpartition(".")[2] == "steps" and isinstance(value, list):
            yield from _steps(value, name)
        else:
            yield name, _text(value)


def _steps(steps: list[object], prefix: str) -> Iterator[tuple[str, str]]:
    """Name each step for what it runs, so that a new one does not rename those below it."""
    found: Settings = {}
    for step in steps:
        kept = {key: value for key, value in step.items() if key not in _SHOWN} if isinstance(step, dict) else step
        runs = next((str(kept[key]) for key in ("run", "uses") if key in kept), "") if isinstance(kept, dict) else ""
        _put(found, f"{prefix}.{runs.partition('@')[0].strip().partition(chr(10))[0][:60]}", _text(kept))
    yield from found.items()


def _put(found: Settings, name: str, value: str) -> None:
    """Keep a value under a name that may be used before."""
    number, free = 1, name
    while free in found:
        number += 1
        free = f"{name}#{number}"
    found[free] = value


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


def _without(globs: tuple[str, ...], settings: Settings) -> Settings:
    return {name: value for name, value in settings.items() if not any(fnmatchcase(name, glob) for glob in globs)}
