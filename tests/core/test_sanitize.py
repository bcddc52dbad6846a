import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.redact import defuse, sanitize


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[Hx", "x"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]52;c;c2VjcmV0\x07x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;never closed\nnext line", "\nnext line"),
        ("\x1bP1$r\x1b\\x", "x"),
        ("\x9b31mx", "x"),
        ("\x9d0;t\x07x", "x"),
        ("\x1bcx", "x"),
        ("a\x00b\x07c\x08d\x7f", "abcd"),
        ("a\x85b\u2028c", "a\nb\nc"),
        ("10%\r50%\r100%\nok", "100%\nok"),
        ("good\rbad\r\nnext", "bad\nnext"),
        ("half\r", "half"),
        ("a\r\nb\r\r\n", "a\nb\n"),
        ("a\tb\nc", "a\tb\nc"),
        ("x\u202egnp.exe", "xgnp.exe"),
        ("a\u200bb\u2066c\u2069\ufeff", "abc"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("\ud800x\udfff", "\ufffdx\ufffd"),
        ("naïve 日本 🎉", "naïve 日本 🎉"),
        ("\x1b\x1b[31mx", "x"),
        ("\x1b\u200b[31mx", "[31mx"),
    ],
)
def test_nothing_that_a_terminal_obeys_or_a_reader_cannot_see_remains(raw: str, clean: str) -> None:
    assert sanitize(raw) == clean


@given(st.text(st.one_of(st.characters(), st.sampled_from("\x1b[]\r\n;m\x07\u202e\ud800")), max_size=80))
def test_sanitised_text_is_stable_and_valid(text: str) -> None:
    clean = sanitize(text)
    assert sanitize(clean) == clean
    assert not any(c in clean for c in "\x1b\r\x00\x9b\u202e\u200b")
    clean.encode()


@pytest.mark.parametrize(
    "command",
    [
        "::error file=x::y",
        "::set-output name=x::y",
        "::stop-commands::t",
        "::add-mask::a",
        "  ::warning::x",
        "\t::debug::x",
    ],
)
def test_workflow_command_is_broken(command: str) -> None:
    for text in (command, f"a\n{command}", f"a\r{command}"):
        assert not any(line.lstrip().startswith("::") for line in defuse(text).splitlines())


def test_old_workflow_command_is_broken_wherever_it_stands() -> None:
    assert defuse("x ##[error]a ##vso[task]b ###[group]") == "x ## [error]a ## vso[task]b ### [group]"


@given(st.text(st.sampled_from(":#[] \n\rav"), max_size=30))
def test_defused_text_holds_no_command_and_is_stable(text: str) -> None:
    safe = defuse(text)
    assert defuse(safe) == safe
    assert "##[" not in safe
    assert not any(line.strip().startswith("::") for line in safe.splitlines())


def test_talk_of_colons_is_left_alone() -> None:
    assert defuse("std::vector and a::b\n: x") == "std::vector and a::b\n: x"
