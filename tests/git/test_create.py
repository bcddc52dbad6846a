from dataclasses import dataclass, field
from pathlib import Path

from bot.git.create import create_repository
from bot.git.repository import open_repository
from tests.conftest import Repo


@dataclass(frozen=True)
class Change:
    message: str
    date: str = "2024-01-01T12:00:00+02:00"
    author: str = "A Person <a@example.invalid>"
    files: tuple[tuple[str, str | None], ...] = field(default=())


def test_a_history_is_made_as_it_was_told(tmp_path: Path) -> None:
    create_repository(
        tmp_path / "made",
        [
            Change("first", files=(("a.py", "é\n"), ("d/b.py", "b\n"))),
            Change("second\n\nbody", "2024-01-02T12:00:00+00:00", files=(("a.py", None), ("d/b.py", "B"))),
        ],
    )
    made = Repo(tmp_path / "made")
    assert made.git("log", "--format=%an %ae %aI %s %b").splitlines() == [
        "A Person a@example.invalid 2024-01-02T12:00:00+00:00 second body",
        "A Person a@example.invalid 2024-01-01T12:00:00+02:00 first ",
    ]
    assert (made.path / "d/b.py").read_text() == "B"
    assert not (made.path / "a.py").exists()
    assert not open_repository(made.path).dirty()
