"""Settings: who wins, what is refused, what a project may not say."""

import pytest

from bot.core.check import Rung
from bot.core.declared import parse_check
from bot.core.task import Limits
from bot.errors import ConfigError
from bot.settings import Origin, Settings, Sources, from_environment, from_git_config, from_project, gather, load


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


PERSONAL = {
    "model": "'scripted:evil'",
    "base_url": "'https://evil.example/v1'",
    "window": "9999",
    "output": "9999",
    "price": "'0'",
    "calls": "'schema'",
    "answer_seconds": "9999",
    "python": "'/evil'",
    "isolation": "'process'",
    "trust": "'untrusted'",
    "consent": "'yes'",
    "network": "true",
    "installs": "true",
    "include_uncommitted": "true",
    "require_clean": "true",
    "sign": "true",
    "max_turns": "9999",
    "max_steps": "9999",
    "max_seconds": "9999",
    "max_tokens": "9999",
    "max_cost": "9999",
    "max_files": "51",
    "max_lines": "2001",
    "max_bytes": "1000001",
    "hook_fix": "'stage'",
    "hook_strict": "true",
    "hook_seconds": "9999",
    "hook_rung": "'build'",
    "hook_model": "'other'",
    "hook_push": "'off'",
    "hook_push_seconds": "9999",
}
"""Every key that only a person may set, or may set higher, with a value that would be another."""
NARROWING = {"scope", "protect", "carry", "checks", "prepare", "workers"}


def test_each_key_that_widens_a_run_counts_from_a_person_only() -> None:
    assert PERSONAL.keys() | NARROWING == Settings.model_fields.keys()
    for key, value in PERSONAL.items():
        plain = value.strip("'")
        settings, notes = gather(sources(pyproject=f"[tool.git-agent]\n{key.replace('_', '-')} = {value}\n"))
        assert settings == Settings(), key
        assert [f"[tool.git-agent] {key} is " in note for note in notes] == [True], key
        for given in (
            sources({key: plain}),
            sources(environ={f"GIT_AGENT_{key.upper()}": plain}),
            sources(config=((f"agent.{key.replace('_', '')}", plain),)),
        ):
            assert gather(given)[0] != Settings(), key


def test_what_a_person_keeps_off_limits_a_project_cannot_take_back() -> None:
    table = '[tool.git-agent]\nscope = ["**"]\nprotect = ["docs/"]\n'
    config = (("agent.protect", "a/ b/"), ("agent.protect", "c/"))
    settings, _ = gather(sources({"scope": ("src/",), "protect": ("d/",)}, config=config, pyproject=table))
    assert settings.scope == ("src/",)
    assert settings.protect == ("docs/", "a/", "b/", "c/", "d/")


def test_a_project_may_narrow_the_reach_of_a_run_and_never_widen_it() -> None:
    table = "[tool.git-agent]\nmax_files = 5\nmax-lines = 2_001\nmax_bytes = 0\nmax_turns = 1\n"
    settings, notes = gather(sources(pyproject=table))
    assert (settings.limits().files, settings.limits().lines, settings.limits().bytes) == (5, 2_000, 0)
    assert settings.max_turns == Limits().turns
    assert notes == (
        "[tool.git-agent] max_turns is not used: only a person may set it",
        "[tool.git-agent] max_lines is more than it is by itself and is not used: only a person may widen it",
    )


@pytest.mark.parametrize("value", ["'9999'", "9999.0", "'2_001'", "1e6"])
def test_a_limit_that_is_written_otherwise_is_no_wider(value: str) -> None:
    settings, notes = gather(sources(pyproject=f"[tool.git-agent]\nmax_lines = {value}\n"))
    assert settings.max_lines == Limits().lines
    assert "only a person may widen it" in notes[0]


@pytest.mark.parametrize("value", ["'many'", "-1", "nan", "[1]"])
def test_a_limit_of_a_project_that_is_none_names_its_place(value: str) -> None:
    with pytest.raises(ConfigError) as error:
        gather(sources(pyproject=f"[tool.git-agent]\nmax_files = {value}\n"))
    assert error.value.message.startswith("[tool.git-agent] max_files: expected a whole number from 0 up")


def test_a_person_widens_the_reach_of_a_run_in_every_place() -> None:
    narrow = "[tool.git-agent]\nmax_files = 5\nmax_bytes = 7\n"
    settings, notes = gather(
        sources({"max_files": "60"}, {"GIT_AGENT_MAX_LINES": "9999"}, (("agent.maxbytes", "2000000"),), narrow)
    )
    assert (settings.max_files, settings.max_lines, settings.max_bytes) == (60, 9999, 2_000_000)
    assert not notes


def test_a_broken_project_file_is_said_and_not_used() -> None:
    settings, notes = gather(sources(pyproject="[tool.git-agent\n"))
    assert settings.protect == ()
    assert "cannot be read" in notes[0]


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"GIT_AGENT_MAX_TURNS": "many"}, "GIT_AGENT_MAX_TURNS: expected a whole number from 0 up, not 'many'"),
        ({"GIT_AGENT_MAX_TURNS": "-1"}, "a whole number from 0 up, not '-1'"),
        ({"GIT_AGENT_MAX_SECONDS": "nan"}, "a number from 0 up, not 'nan'"),
        ({"GIT_AGENT_MAX_COST": "inf"}, "a number from 0 up, not 'inf'"),
        (
            {"GIT_AGENT_ISOLATION": "docker"},
            "GIT_AGENT_ISOLATION: expected 'auto', 'bubblewrap', 'landlock' or 'process', not 'docker'",
        ),
        ({"GIT_AGENT_CHECKS": "unit" * 100}, "…"),
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


def test_what_looks_like_a_setting_and_is_none_is_named_with_what_may_have_been_meant() -> None:
    _, notes = gather(
        sources(
            environ={"GIT_AGENT_TURNS": "3", "GIT_AGENT_DEBUG": "1"}, config=(("agent.modle", "x"), ("agent.zzz", ""))
        )
    )
    assert notes == (
        "GIT_AGENT_TURNS is not a setting; did you mean GIT_AGENT_MAX_TURNS?",
        "git config agent.modle is not a setting; did you mean git config agent.model?",
        "git config agent.zzz is not a setting and is not used",
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (sources({"max_turns": "x"}), "--max-turns: "),
        (sources({"checks": ("x",)}), "--check: "),
        (sources(config=(("agent.maxturns", "x"),)), "git config agent.max-turns: "),
        (sources(pyproject="[tool.git-agent]\nprotect = 3\n"), "[tool.git-agent] protect: "),
    ],
)
def test_a_key_is_named_as_it_is_written_there(given: Sources, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        gather(given)
    assert error.value.message.startswith(words)


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\ngit-agent = 3", "tool = [1]", ""])
def test_a_project_file_of_another_shape_sets_nothing(text: str) -> None:
    assert gather(sources(pyproject=text)) == gather(sources())


def test_checks_of_git_config_add_up() -> None:
    settings = load([from_git_config((("agent.check", "a=true"), ("agent.check", "b=false --now")))])
    assert [(check.name, check.argv) for check in settings.checks] == [("a", ("true",)), ("b", ("false", "--now"))]


def test_a_project_declares_checks_with_a_rung_and_a_timeout() -> None:
    origin, _ = from_project(
        b'[tool.git-agent.checks]\nlint = "make lint"\n'
        b'unit = {command = "go test ./...", rung = "unit", timeout = 60}\n'
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


def test_checks_and_carried_things_of_all_origins_add_up_and_the_stronger_of_one_name_wins() -> None:
    settings, _ = gather(
        sources(
            {"checks": ("unit=make fast",)},
            config=(("agent.carry", "data"), ("agent.carry", "gen"), ("agent.check", "mine=true")),
            pyproject='[tool.git-agent]\ncarry = ["build/native"]\n'
            '[tool.git-agent.checks]\nunit = "make slow"\nlint = "make lint"\n',
        )
    )
    assert {check.name: check.argv for check in settings.checks} == {
        "unit": ("make", "fast"),
        "lint": ("make", "lint"),
        "mine": ("true",),
    }
    assert settings.carry == ("build/native", "data", "gen")


def test_a_check_can_be_declared_key_by_key_in_git_config() -> None:
    settings, notes = gather(
        sources(
            config=(
                ("agent.check", "plain=true"),
                ("agent.check.web.command", "npm test"),
                ("agent.check.web.folder", "web"),
                ("agent.check.web.timeout", "60"),
                ("agent.check.web.needs", "node npm"),
            )
        )
    )
    assert not notes
    plain, web = settings.checks
    assert plain.argv == ("true",)
    assert (web.argv, web.folder, web.timeout, web.needs) == (("npm", "test"), "web", 60.0, ("node", "npm"))


def test_a_wrong_key_of_a_check_in_git_config_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as error:
        gather(sources(config=(("agent.check.web.command", "x"), ("agent.check.web.fodler", "web"))))
    assert "did you mean 'folder'?" in error.value.message
    assert "timeout" in error.value.hint


NETWORKED = '[tool.git-agent.checks.live]\ncommand = "pytest live"\nnetwork = true\n'


def test_the_network_is_given_only_by_a_person() -> None:
    withheld, notes = gather(sources(pyproject=f"[tool.git-agent]\nnetwork = true\n{NETWORKED}"))
    assert not withheld.network
    assert not withheld.checks[0].network
    assert len(notes) == 2
    assert "[tool.git-agent] network is not used: only a person may set it" in notes
    assert "check live asks for the network and is run without it" in notes[1]
    for given in (sources({"network": True}, pyproject=NETWORKED), sources(config=(("agent.network", "true"),))):
        settings, _ = gather(given)
        assert settings.network
        assert all(check.network for check in settings.checks)


def test_preparations_are_split_as_a_shell_would_and_the_strongest_origin_wins() -> None:
    project = '[tool.git-agent]\nprepare = ["npm ci", "make \'a b\'"]\n'
    assert gather(sources(pyproject=project))[0].prepare == (("npm", "ci"), ("make", "a b"))
    ours = (("agent.prepare", "make deps"), ("agent.prepare", "make gen"))
    assert gather(sources(config=ours, pyproject=project))[0].prepare == (("make", "deps"), ("make", "gen"))
    assert gather(sources({"prepare": ("true",)}, config=ours))[0].prepare == (("true",),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prepare = 3", "[tool.git-agent] prepare: expected a command, or a list of them, not 3"),
        ("prepare = ['']", "[tool.git-agent] prepare: expected a command, not ''"),
        ('prepare = ["\'"]', "no closing quotation"),
        ("workers = 0", "[tool.git-agent] workers: expected auto or a whole number from 1 to 64, not 0"),
        ("workers = 'many'", "not 'many'"),
        ("checks = 3", "[tool.git-agent] checks: expected NAME=COMMAND, not 3"),
    ],
)
def test_a_wrong_value_of_a_project_is_refused(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        gather(sources(pyproject=f"[tool.git-agent]\n{text}\n"))
    assert words in error.value.message


def test_a_key_of_a_project_that_is_no_setting_is_named_with_those_that_are() -> None:
    _, notes = gather(sources(pyproject='[tool.git-agent]\nprepear = ["x"]\n'))
    assert len(notes) == 1
    assert notes[0].startswith("[tool.git-agent] prepear is not a setting")
    assert "prepare" in notes[0]


def test_workers_are_a_number_or_left_to_git_agent() -> None:
    assert gather(sources())[0].workers == "auto"
    assert gather(sources(environ={"GIT_AGENT_WORKERS": "3"}))[0].workers == 3


def test_what_is_said_of_a_model_is_read_and_what_is_none_is_refused() -> None:
    said = {"price": "3/15/0.30", "window": "32000", "output": "4000", "answer_seconds": "9.5", "calls": "native"}
    settings, _ = gather(sources(dict(said)))
    assert (settings.price, settings.window, settings.output) == ("3/15/0.30", 32_000, 4_000)
    assert (settings.answer_seconds, settings.calls) == (9.5, "native")
    for key, value, expected in (
        ("price", "3", "expected IN/OUT[/CACHED[/WRITTEN]], US dollars for a million tokens, or 0, not '3'"),
        ("price", "-1/2", "expected IN/OUT"),
        ("price", "nan/1", "expected IN/OUT"),
        ("price", "1/2/3/4/5", "expected IN/OUT"),
        ("window", "0", "expected a whole number from 1000 up, not '0'"),
        ("output", "0", "expected a whole number from 1 up"),
        ("answer_seconds", "0", "expected a number above 0"),
        ("answer_seconds", "inf", "expected a number above 0"),
        ("calls", "none", "expected 'auto', 'native' or 'schema', not 'none'"),
    ):
        with pytest.raises(ConfigError) as error:
            gather(sources({key: value}))
        assert expected in error.value.message, key


def test_what_is_about_hooks_stands_in_a_section_of_its_own_in_git_config() -> None:
    told = gather(sources(config=(("agent.hook.fix", "off"), ("agent.hook.push-seconds", "7"))))
    assert (told[0].hook_fix, told[0].hook_push_seconds, told[1]) == ("off", 7.0, ())
    with pytest.raises(ConfigError, match=r"git config agent\.hook\.fix: expected 'off', 'offer' or 'stage'"):
        gather(sources(config=(("agent.hook.fix", "on"),)))
    (stray,) = gather(sources(config=(("agent.hook.fixes", "off"),)))[1]
    assert stray.endswith("did you mean git config agent.hook.fix?")
