import os
import re
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from bot.core.redact import defuse
from bot.sandbox.capture import HEAD, TAIL, TELLING, output_file, read_ends, show, whole_lines


def captured(data: bytes) -> tuple[str, bool]:
    with output_file() as descriptor:
        os.write(descriptor, data)
        return read_ends(descriptor)


def test_short_output_is_kept_whole() -> None:
    assert captured(b"one\ntwo\n") == ("one\ntwo\n", False)
    assert captured(b"") == ("", False)


def test_the_gap_is_counted() -> None:
    line = b"x" * 99 + b"\n"
    text, truncated = captured(line * 2000)
    kept = sum(len(part) + 1 for part in text.split("\n") if part.startswith("x"))
    assert truncated
    assert f"[... {200_000 - kept:,} bytes left out ...]" in text
    assert set(text.split("\n")) == {"x" * 99, f"[... {200_000 - kept:,} bytes left out ...]", ""}


def test_lines_that_look_like_errors_are_kept_from_the_middle() -> None:
    quiet = b"all is well here\n" * 20_000
    text, truncated = captured(quiet + b"main.c:3:1: error: \x1b[31mno such thing\n" + quiet + b"error 7\n" + quiet)
    assert truncated
    middle = text.split("lines of them that look like errors:]\n")[1]
    assert middle.startswith("main.c:3:1: error: no such thing\nerror 7\n[...]\nall is well")


def test_errors_without_end_take_a_bounded_part() -> None:
    text, _ = captured(b"".join(b"error: %d %s\n" % (n, b"x" * (n % 300)) for n in range(20_000)))
    assert len(text) < HEAD + TAIL + TELLING + 300
    assert "alike)" in text


def test_one_endless_line_is_cut_anywhere() -> None:
    text, truncated = captured(b"x" * (HEAD + TAIL + 1))
    assert truncated
    assert text.count("x") == HEAD + TAIL
    assert "[... 1 bytes left out ...]" in text


def test_the_file_has_no_name() -> None:
    with output_file() as descriptor:
        assert os.fstat(descriptor).st_nlink == 0


def test_two_openings_do_not_overwrite_each_other() -> None:
    with output_file() as descriptor:
        os.write(descriptor, b"first\n")
        again = os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_APPEND)
        os.write(again, b"second\n")
        os.close(again)
        os.write(descriptor, b"third\n")
        assert read_ends(descriptor).text == "first\nsecond\nthird\n"


@given(st.binary())
def test_whatever_was_printed_can_be_shown(data: bytes) -> None:
    shown = show(data)
    shown.encode("utf-8")
    assert not set(shown) & set("\0\r\x1b\x7f\x9b\u202e\u2066")


@given(st.binary(), st.booleans())
def test_a_piece_loses_less_than_half(piece: bytes, at_end: bool) -> None:  # noqa: FBT001 - hypothesis gives it by name
    kept = whole_lines(piece, at_end=at_end)
    assert len(kept) * 2 > len(piece) or not piece
    assert piece.startswith(kept) if at_end else piece.endswith(kept)


NOISE = (
    b"first\n\x1b[31mred\x1b[0m \x1b]52;c;aGFybQ==\x07clip\nold\rnew\nnul\0nul\n"
    b"::set-output name=x::y\n  ::stop-commands::t\n::add-mask::a\n##[error]b\nold\r::add-mask::c\n\0::debug::d\n"
)


def test_noise_of_any_size_is_kept_at_both_ends_and_obeyed_by_nobody() -> None:
    with output_file() as descriptor:
        os.write(descriptor, NOISE)
        for _ in range(50):
            os.write(descriptor, (b"::error::x\n" + b"y" * 1012 + b"\n") * 1024)
        os.write(descriptor, NOISE + b"last\n")
        tracemalloc.start()
        text, truncated = read_ends(descriptor)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (truncated, text.startswith("first\nred clip\nnew\n"), text.endswith("\nlast\n")) == (True, True, True)
    assert peak < 16 << 20
    assert not set(text) & set("\0\r\x1b\x07")
    assert "aGFybQ" not in text
    told = defuse(text)
    assert not re.search(r"^\s*::|##\[", told, re.MULTILINE)
    assert told.count("set-output name=x") == 2
