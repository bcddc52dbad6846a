"""Settings: who wins, what is refused, what a project may not say."""

import pytest

from bot.core.check import Rung
from bot.errors import ConfigError
from bot.settings import Origin, Sources, from_environment, from_git_config, from_project, gather, load, parse_check


def sources(
    flags: dict[str, object] | None = None,
    environ: dict[str, str] | None = None,
    config: tuple[tuple[str, str], ...] = (),
    pyproject: str | None = None,
) -> Sources:
    return Sources(flags or {}, environ or {}, config, pyproject.encode() if pyproject is not None else None)


def test_the_strongest_origin_wins_key_by_key() -> None:
    settings, notes = gather(
        sources(
            {"model": "offline", "max_turns": None},
            {"GIT_AGENT_MODEL": "scripted:x", "GIT_AGENT_MAX_TURNS": "7"},
            (("agent.maxturns", "9"), ("agent.max-steps", "3")),
            '[tool.git-agent]\nprotect = ["docs/**"]\n',
        )
    )
    assert (settings.model, settings.max_turns, settings.max_steps) == ("offline", 7, 3)
    assert settings.protect == ("docs/**",)
    assert not notes


def test_zero_is_a_limit_and_not_the_absence_of_one() -> None:
    settings, _ = gather(sources({"max_turns": 0}))
    assert settings.limits().turns == 0


def test_a_project_cannot_widen_what_a_run_may_do() -> None:
    settings, notes = gather(
        sources(pyproject='[tool.git-agent]\nisolation = "process"\nconsent = "yes"\nmodel = "scripted:evil"\n')
    )
    assert (settings.isolation, settings.consent, settings.model) == ("auto", "auto", "")
    assert len(notes) == 3
    assert "only a person" in notes[0]


def test_a_broken_project_file_is_said_and_not_used() -> None:
    settings, notes = gather(sources(pyproject="[tool.git-agent\n"))
    assert settings.protect == ()
    assert "cannot be read" in notes[0]


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"GIT_AGENT_MAX_TURNS": "many"}, "GIT_AGENT_max_turns"),
        ({"GIT_AGENT_ISOLATION": "docker"}, "'docker'"),
    ],
)
def test_a_value_that_does_not_fit_names_its_place_and_itself(environ: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        gather(sources(environ=environ))
    assert words in error.value.message
    assert "\n" not in error.value.message


def test_an_unknown_setting_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as error:
        load([Origin("--{key}", {"colour": "red"})])
    assert "colour" in error.value.message
    assert "max_turns" in error.value.hint


def test_variables_that_are_not_settings_are_left_alone() -> None:
    assert not from_environment({"GIT_AGENT_DEBUG": "1", "GIT_DIR": "x"}).values


def test_checks_of_git_config_add_up() -> None:
    settings = load([from_git_config((("agent.check", "a=true"), ("agent.check", "b=false --now")))])
    assert [(check.name, check.argv) for check in settings.checks] == [("a", ("true",)), ("b", ("false", "--now"))]


def test_a_project_declares_checks_with_a_rung_and_a_timeout() -> None:
    origin, _ = from_project(
        b'[tool.git-agent.checks]\nlint = "make lint"\nunit = {command = "go test ./...", rung = "unit", timeout = 60}\n'
    )
    lint, unit = load([origin]).checks
    assert (lint.rung, lint.argv) == (Rung.INTEGRATION, ("make", "lint"))
    assert (unit.rung, unit.timeout) == (Rung.UNIT, 60)


@pytest.mark.parametrize("text", ["", "unit", "=true", "unit=", "unit='", "a b=true"])
def test_a_declared_check_needs_a_name_and_a_command(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_check(text, "--check")


def test_a_check_with_an_unknown_key_is_refused() -> None:
    origin, _ = from_project(b'[tool.git-agent.checks]\nunit = {command = "true", sandbox = false}\n')
    with pytest.raises(ConfigError, match="sandbox"):
        load([origin])
