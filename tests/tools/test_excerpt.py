"""Excerpts: long outputs are kept whole, and what matters of them is shown."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tools.excerpt import CAP, fit, keep, kept, reserve
from tests.tools.conftest import Desk


def noise(count: int) -> list[str]:
    return [f"line {number} of ordinary output that says nothing" for number in range(1, count + 1)]


def test_a_short_output_is_shown_as_it_is(tmp_path: Path) -> None:
    assert fit("a\nb\n", tmp_path / "store") == ("a\nb\n", "", False)
    assert not (tmp_path / "store").exists()


def test_a_megabyte_is_cut_to_the_cap_and_its_error_lines_are_kept(tmp_path: Path) -> None:
    lines = noise(20_000)
    lines[7000] = "E   AssertionError: needle one"
    lines[13_000] = "calc.py:12: error: needle two"
    shown = fit("\n".join(lines), tmp_path)
    assert len(shown.text.encode()) <= CAP
    assert shown.ref == "o1"
    assert "  7001: E   AssertionError: needle one" in shown.text
    assert "needle two" in shown.text
    assert shown.text.startswith(lines[0])
    assert shown.text.endswith(lines[-1])
    assert 'lines left out; read_output(ref="o1", start=' in shown.text
    assert kept("o1", tmp_path) == "\n".join(lines)


def test_the_same_output_has_the_same_reference_and_another_one_the_next(tmp_path: Path) -> None:
    long = "\n".join(noise(1000))
    assert [fit(text, tmp_path).ref for text in (long, long, long + "!", long)] == ["o1", "o1", "o2", "o1"]


@pytest.mark.parametrize("ref", ["o0", "o2", "../o1", "o1-", "", "o*", "o1\n", "O1"])
def test_references_that_were_never_given_lead_nowhere(tmp_path: Path, ref: str) -> None:
    fit("\n".join(noise(1000)), tmp_path)
    assert kept(ref, tmp_path) is None


@settings(max_examples=50, deadline=None)
@given(text=st.text(max_size=3000), factor=st.integers(1, 20), cap=st.integers(1000, 5000))
def test_nothing_is_shown_beyond_the_cap(
    tmp_path_factory: pytest.TempPathFactory, text: str, factor: int, cap: int
) -> None:
    store = tmp_path_factory.mktemp("store")
    shown = fit(text * factor, store, cap)
    assert len(shown.text.encode()) <= cap
    assert bool(shown.ref) == shown.cut == (len((text * factor).encode()) > cap)


def test_an_output_that_cannot_be_kept_is_shown_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    shown = fit("\n".join(noise(1000)), tmp_path / "file" / "store")
    assert (shown.ref, shown.cut) == ("", True)
    assert "lines left out; they could not be kept" in shown.text


def test_one_endless_line_is_shown_around_its_error(tmp_path: Path) -> None:
    shown = fit("x" * 50_000 + " fatal error: needle " + "y" * 50_000, tmp_path)
    assert "needle" in shown.text
    assert len(shown.text) < 2000


def test_stored_outputs_are_paged(desk: Desk) -> None:
    desk.put("big.txt", "".join(f"{line}\n" for line in noise(380)).encode())
    desk.put("many.py", b"".join(b"name_%d = %d\n" % (n, n) for n in range(1000)))
    result = desk.call("show_changes")
    assert result.truncated
    assert result.metadata.stored == "o1"
    page = desk.ok("read_output", ref="o1", start=390, end=392)
    assert page.startswith("o1: lines 390-392 of ")
    assert page.count("\n") == 4
    assert page.endswith("… go on with start=393")
    assert "there is no stored output" in desk.fails("read_output", "not_found", ref="o77")
    assert "lines" in desk.fails("read_output", "not_found", ref="o1", start=99_999)


def test_references_of_an_earlier_process_are_not_given_again(tmp_path: Path) -> None:
    reserve(["o3", "o12", "o999999999", "../o99", ""], tmp_path)
    assert kept("o12", tmp_path) is None
    assert [keep(text, tmp_path) for text in ("one", "two", "one")] == ["o13", "o14", "o13"]
    assert kept("o14", tmp_path) == "two"
