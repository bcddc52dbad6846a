"""What the documentation says about commands, options, settings and files is what there is."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import click
import pytest
import yaml

from bot.core.hook import HookName
from bot.entry.cli import cli
from bot.settings import PROJECT_KEYS, Settings

ROOT = Path(__file__).parents[2]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")))
MAN = (ROOT / "man/git-agent.1").read_text().replace(r"\-", "-")
EXIT_CODES = {"0", "1", "2", "3", "130"}

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS_OPTIONS = {"--init", "--shared", "--all", "--first-parent", "--prune", "--no-verify", "--amend"}
"""Options of other programs that a page may name in running text."""


def commands() -> Mapping[str, click.Command]:
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def options(command: click.Command) -> set[str]:
    found = {name for param in command.params if isinstance(param, click.Option) for name in param.opts}
    parts = command.commands.values() if isinstance(command, click.Group) else ()
    return found.union({"-h", "--help"}, *map(options, parts))


def console(text: str) -> Iterator[str]:
    """Find the commands that a page tells a person to type."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                yield from (part.strip() for part in re.sub(r"\s#.*", "", line[2:]).split("&&"))


def typed() -> list[tuple[str, str]]:
    return [(page.name, line) for page in PAGES for line in console(page.read_text())]


def section(name: str) -> str:
    found = re.search(rf"^\.SH {name}\n(.*?)(?=^\.SH |\Z)", MAN, re.MULTILINE | re.DOTALL)
    assert found, f"the man page has no section {name}"
    return found.group(1)


def manual() -> Mapping[str, str]:
    """Return what the man page says of each command."""
    parts = re.split(r"^\.SS (\w+)", section("COMMANDS"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def explain(line: str) -> str:
    """Say what is wrong with a line that a person is told to type, if we can know."""
    words = line.removeprefix("git agent").removeprefix("git-agent").split()
    known = commands()
    if not words or words[0] not in known:
        return f"there is no such command: {line}"
    unknown = [
        word for word in words if word.startswith("-") and word.partition("=")[0] not in options(known[words[0]])
    ]
    return f"{words[0]} has no {unknown}: {line}" if unknown else ""


def test_pages_show_most_commands() -> None:
    shown = {line.split()[2] for _, line in typed() if line.startswith("git agent")}
    assert {"fix", "log", "show", "diff", "accept", "undo", "verify"} <= shown


@pytest.mark.parametrize(("page", "line"), [(p, t) for p, t in typed() if re.match(r"git[ -]agent\b", t)])
def test_commands_and_options_on_the_pages_exist(page: str, line: str) -> None:
    assert explain(line) == ""


def test_made_up_commands_and_options_would_be_noticed() -> None:
    assert "no such command" in explain("git agent mend it")
    assert "--fast" in explain("git agent fix --fast")


@pytest.mark.parametrize(("page", "line"), [(p, t) for p, t in typed() if t.startswith("make ")])
def test_make_targets_on_the_pages_exist(page: str, line: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {word for word in line.split()[1:] if "=" not in word} <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_in_running_text_exist(page: Path) -> None:
    every = set().union(*map(options, commands().values()))
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = {option for code in re.findall(r"`([^`\n]+)`", prose) for option in OPTION.findall(code)}
    assert named - every - OTHERS_OPTIONS - {"--strict"} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_point_to_exist(page: Path) -> None:
    text = page.read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    named = re.findall(r"`((?:bot|tests|docs|man|scripts|benchmarks)/[\w./-]+)`", text)
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing + [name for name in named if not (ROOT / name).exists()] == []


def test_man_page_lists_exactly_the_commands() -> None:
    assert sorted(manual()) == sorted(commands())


def test_man_page_names_every_option() -> None:
    every = set().union(*map(options, commands().values())) | {"--version"}
    assert set(OPTION.findall(MAN)) == {option for option in every if option.startswith("--")}


@pytest.mark.parametrize("name", sorted(manual()))
def test_man_page_gives_a_command_only_options_that_it_has(name: str) -> None:
    assert set(OPTION.findall(manual()[name])) <= options(commands()[name])


def test_hooks_that_a_framework_installs_from_here_are_ours() -> None:
    offered = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    page = (ROOT / "docs/hooks.md").read_text()
    assert set(re.findall(r"- id: (\S+)", page)) == set(offered)
    for hook in offered.values():
        *command, name = hook["entry"].split()
        assert (command, hook["stages"][0]) == (["git-agent", "hook", "run"], name)
        # Only a message is a file that a hook has to be told
        assert (name in get_args(HookName), hook.get("pass_filenames", True)) == (True, name == "commit-msg")


def test_exit_codes_are_told_the_same_everywhere() -> None:
    readme = (ROOT / "README.md").read_text()
    assert set(re.findall(r"^\| (\d+) \|", readme, re.MULTILINE)) == EXIT_CODES
    assert set(re.findall(r"^\.B (\d+)$", section("EXIT STATUS"), re.MULTILINE)) == EXIT_CODES


def test_man_page_names_every_setting() -> None:
    text = section("SETTINGS")
    missing = [key for key in Settings.model_fields if key not in text and key.replace("_", "-") not in text]
    assert missing == []
    assert [key for key in PROJECT_KEYS if not re.search(rf"^\.BR? {key}\b", text, re.MULTILINE)] == []


def test_changelog_names_the_version() -> None:
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "bot/__init__.py").read_text())
    assert version
    assert f"## [{version.group(1)}]" in (ROOT / "CHANGELOG.md").read_text()
    assert f'"git agent {version.group(1)}"' in MAN
