"""What a model is told of a project before it reads a file."""

from collections.abc import Mapping
from pathlib import Path

from bot.app.survey import ENTRIES, WHOLE, layout, survey


def tell(root: Path, files: Mapping[str, str], scope: tuple[str, ...] = ()) -> str:
    """Survey a tree of these files."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return survey(root, list(files), scope)


def test_the_largest_folders_come_first() -> None:
    assert layout(["a.py", "src/x.py", "src/y.py", "tests/t.py", "src/deep/z.py"]) == "src/ (3), a.py, tests/ (1)"


def test_a_wide_root_is_cut_with_the_number_of_the_rest() -> None:
    told = layout([f"f{number:03}.py" for number in range(ENTRIES + 5)])
    assert told.endswith("… and 5 more")
    assert told.count(".py") == ENTRIES


def test_an_empty_tree_is_described(tmp_path: Path) -> None:
    assert survey(tmp_path, []) == "0 files: "


def test_languages_dependencies_entrances_tests_and_targets_are_told_in_a_line_each(tmp_path: Path) -> None:
    told = tell(
        tmp_path,
        {
            "pyproject.toml": '[project]\ndependencies = ["rich"]\nscripts = {shop = "shop:main"}\n',
            "Makefile": "check:\n\ttrue\n",
            **dict.fromkeys(("shop/a.py", "shop/view.tsx", "tests/unit/test_a.py"), ""),
        },
    ).split("\n")
    assert told == [
        "5 files: shop/ (2), pyproject.toml, Makefile, tests/ (1)",
        "Languages: Python (2), TypeScript (1)",
        "Depends on: rich",
        "Entry points: shop = shop:main",
        "Tests in: tests/ (1)",
        "Can be told: make check",
    ]


def test_tests_beside_the_code_are_told_by_what_their_folders_have_in_common(tmp_path: Path) -> None:
    files = [f"lib/part{number}/tests/test_x.py" for number in range(9)]
    assert "Tests in: lib/**/tests/ (9)" in survey(tmp_path, files)


def test_the_first_guide_is_quoted_and_cut_and_the_others_are_named(tmp_path: Path) -> None:
    told = tell(
        tmp_path, {"AGENTS.md": "use tabs\n" + "é" * 3 * WHOLE, "CONTRIBUTING.md": "be kind", "CLAUDE.md": "  "}
    )
    assert "AGENTS.md of the base:\nuse tabs" in told
    assert "be kind" not in told
    assert told.endswith("There is also: CONTRIBUTING.md")
    assert len(told) < WHOLE + 100
    assert "\ufffd" not in told


def test_guides_of_the_folders_of_a_scope_are_quoted_too(tmp_path: Path) -> None:
    guides = {
        "AGENTS.md": "all: tabs",
        "web/ui/AGENTS.md": "ui: spaces",
        "web/CLAUDE.md": "web: wide",
        "db/AGENTS.md": "sql",
    }
    told = tell(tmp_path, guides, ("web/ui/*.ts",))
    assert [told.count(text) for text in ("all: tabs", "ui: spaces", "web: wide", "sql")] == [1, 1, 1, 0]
    assert told.index("ui: spaces") < told.index("web: wide")
    assert "There is also: db/AGENTS.md" in told
    told = tell(tmp_path, guides)
    assert "ui: spaces" not in told
    assert "There is also: web/ui/AGENTS.md, web/CLAUDE.md, db/AGENTS.md" in told


def test_all_of_it_stays_within_its_bounds(tmp_path: Path) -> None:
    long = {f"f{number:0150}.py": "" for number in range(30)}
    guides = {f"{'a/' * depth}AGENTS.md": f"{depth} " * 5000 for depth in range(5)}
    told = tell(tmp_path, {**long, **guides, "CONTRIBUTING.md": "x" * 5000}, ("a/a/a/a/x.py",))
    assert len(told) < WHOLE + 500
    assert all(f"{depth} {depth}" in told for depth in (0, 2, 3, 4))


def test_a_guide_that_is_a_link_a_folder_or_not_text_does_no_harm(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "CONTRIBUTING.md").write_text("key")
    root = tmp_path / "root"
    root.mkdir()
    (root / "AGENTS.md").symlink_to(secret / "CONTRIBUTING.md")
    (root / ".github").symlink_to(secret)
    (root / "CLAUDE.md").mkdir()
    (root / "CONTRIBUTING.md").write_bytes(b"\xff\xfebytes <!-- hidden words of somebody -->")
    told = survey(root, ["AGENTS.md", "CLAUDE.md", ".github/CONTRIBUTING.md", "CONTRIBUTING.md"])
    assert "key" not in told
    assert "hidden words" not in told
    assert "bytes" in told
