"""What is kept of a long output."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.telling import Pick, pick, squeeze, weight

QUIET = [f"step {n} of many, fine so far" for n in range(4000)]


def test_lines_that_look_like_errors_survive_in_the_middle() -> None:
    needles = [f"error: needle {chr(97 + n)}" for n in range(20)]
    lines = list(QUIET)
    for number, needle in enumerate(needles):
        lines.insert(100 + number * 190, needle)
    text = squeeze("\n".join(lines), 4000)
    assert [needle for needle in needles if needle not in text] == []
    assert text.startswith("step 0 of many")
    assert text.endswith("step 3999 of many, fine so far")
    assert "lines left out; those of them that look like errors:]" in text


def test_a_wording_is_told_once_and_lines_that_differ_in_numbers_are_counted_when_they_are_too_many() -> None:
    found = pick([*["fatal: again"] * 50, *(f"error {n} at 0x{n:x}" for n in range(1000))], 400)
    said = found.said()
    assert [one.text for one in said][:2] == ["fatal: again", "error 0 at 0x0"]
    assert said[1].more + len(said) == 1001
    assert found.left == 0
    assert found.said() == said


def test_shapes_without_room_are_counted() -> None:
    found = pick((f"error {'x' * n}" for n in range(200)), 300)
    assert found.left + len(found.said()) == 200


def test_a_short_output_stays_as_it_is() -> None:
    assert squeeze("all\nof it\n", 100) == "all\nof it\n"


@given(st.text(max_size=3000), st.integers(300, 2000))
def test_any_output_fits(text: str, room: int) -> None:
    assert len(squeeze(text, room).encode("utf-8", "replace")) <= max(room, 300)


@given(st.lists(st.sampled_from(["error: a", "error: b 1", "error: b 2", "fine", "E   x"])), st.integers(0, 60))
def test_what_is_kept_stays_within_its_room(lines: list[str], room: int) -> None:
    found = Pick(room)
    for line in lines:
        found.add(line)
    assert sum(weight(said.text) for said in found.said()) <= room
