"""What a model is told of a project before it reads a file."""

from pathlib import Path

from bot.app.survey import ENTRIES, GUIDE_CHARACTERS, layout, survey


def test_the_largest_folders_come_first() -> None:
    assert layout(["a.py", "src/x.py", "src/y.py", "tests/t.py", "src/deep/z.py"]) == "src/ (3), a.py, tests/ (1)"


def test_a_wide_root_is_cut_with_the_number_of_the_rest() -> None:
    told = layout([f"f{number:03}.py" for number in range(ENTRIES + 5)])
    assert told.endswith("… and 5 more")
    assert told.count(".py") == ENTRIES


def test_an_empty_tree_is_described(tmp_path: Path) -> None:
    assert survey(tmp_path, []) == "0 files: "


def test_the_first_guide_of_the_base_is_quoted_and_cut(tmp_path: Path) -> None:
    (tmp_path / "CONTRIBUTING.md").write_text("not this one")
    (tmp_path / "AGENTS.md").write_text("use tabs\n" + "é" * 3 * GUIDE_CHARACTERS)
    told = survey(tmp_path, ["AGENTS.md"])
    assert "AGENTS.md of the base:\nuse tabs" in told
    assert "not this one" not in told
    assert len(told) < GUIDE_CHARACTERS + 100
    assert "\ufffd" not in told


def test_a_guide_that_is_a_link_a_folder_or_not_text_does_no_harm(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    (tmp_path / "AGENTS.md").symlink_to(secret)
    (tmp_path / "CLAUDE.md").mkdir()
    (tmp_path / "CONTRIBUTING.md").write_bytes(b"\xff\xfebytes")
    told = survey(tmp_path, [])
    assert "key" not in told
    assert "bytes" in told
