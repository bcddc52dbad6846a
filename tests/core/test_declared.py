"""Checks in a person's or a project's own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Rung
from bot.core.declared import Declared, parse_command, read_check
from bot.errors import ConfigError

WHERE = "[tool.git-agent] checks"


def test_everything_that_may_be_said_of_a_check_arrives() -> None:
    table = {
        "command": "npm test -- --ci",
        "rung": "unit",
        "reader": "lines",
        "timeout": 90,
        "network": True,
        "needs": ["node", "python:yaml", "./node_modules"],
        "folder": "./web/",
        "junit": "out//./report.xml",
    }
    check = read_check("web-tests", table, WHERE)
    assert check.argv == ("npm", "test", "--", "--ci")
    assert (check.rung, check.reader, check.timeout, check.network) == (Rung.UNIT, "lines", 90.0, True)
    assert check.needs == ("node", "python:yaml", "./node_modules")
    assert (check.folder, check.junit) == ("web", "out/report.xml")
    assert check.reason == f"declared in {WHERE}"


def test_text_as_git_config_has_it_is_read_as_well() -> None:
    check = read_check("go", {"command": "go test", "network": "yes", "timeout": "12.5", "needs": "go git"}, WHERE)
    assert (check.network, check.timeout, check.needs) == (True, 12.5, ("go", "git"))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"command": "x", "comand": "y"}, "has no key 'comand'; did you mean 'command'?"),
        ({"command": "x", "sandbox": False}, "has no key 'sandbox'"),
        ({"rung": "unit"}, "needs a command"),
        (7, "needs a command"),
        ({"command": 7}, "command: expected string, not 7"),
        ({"command": "x", "rung": "top"}, "rung: expected 'syntax'"),
        ({"command": "x", "reader": "tap"}, "reader: expected 'syntax'"),
        ({"command": "x", "timeout": 0}, "timeout: expected greater than 0, not 0"),
        ({"command": "x", "timeout": float("nan")}, "timeout: expected"),
        ({"command": "x", "timeout": 1e9}, "timeout: expected less than"),
        ({"command": "x", "network": "perhaps"}, "network: expected"),
        ({"command": "x", "folder": "../other"}, "folder: ../other leads out of the repository"),
        ({"command": "x", "folder": "/etc"}, "folder: /etc"),
        ({"command": "x", "junit": ".git/x"}, "junit: .git/x"),
        ({"command": "x", "needs": ["python:not a module"]}, "needs: expected a program, python:MODULE"),
        ({"command": "x", "needs": ["a:b"]}, "needs: expected a program"),
        ({"command": "'x"}, "no closing quotation"),
    ],
)
def test_what_does_not_fit_is_named_with_the_keys_that_there_are(entry: object, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_check("unit", entry, WHERE)
    assert words in error.value.message
    assert error.value.message.startswith(WHERE)
    assert "\n" not in error.value.message
    if isinstance(entry, dict) and "'x" not in str(entry.get("command")):
        assert "command" in error.value.hint


_VALUES = st.one_of(st.none(), st.booleans(), st.floats(), st.text(), st.lists(st.text(), max_size=3))


@given(st.dictionaries(st.sampled_from([*Declared.model_fields, "other"]), _VALUES))
def test_a_table_is_read_or_refused_in_one_line(table: dict[str, object]) -> None:
    told = ""
    try:
        check = read_check("unit", table, WHERE)
    except ConfigError as error:
        told = error.message
    else:
        assert check.argv
        assert 0 < check.timeout <= 24 * 3600
        assert not check.folder.startswith(("/", ".."))
    assert len(told) < 500
    assert "\n" not in told


@given(st.text())
def test_a_command_is_words_or_refused(text: str) -> None:
    told = ""
    try:
        assert parse_command(text, "--prepare")[0]
    except ConfigError as error:
        told = error.message
    assert told.startswith("--prepare" if told else "")
