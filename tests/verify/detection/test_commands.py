"""Command lines as they stand in files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.detection.commands import UNKNOWN, join, read_script


def read(text: str, **variables: str) -> list[str]:
    return [" ".join(spoken.argv).replace(UNKNOWN, "?") for spoken in read_script(text, variables)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pytest", ["pytest"]),
        ("py.test -q", ["pytest -q"]),
        ("python -m pytest tests", ["pytest tests"]),
        ("python3.12 -bb -X dev -m pytest -x", ["pytest -x"]),
        ("python -W error -m pytest", ["pytest -W error"]),
        ("python -Werror -m pytest", ["pytest -Werror"]),
        ("uv run --locked --group tests pytest -v", ["pytest -v"]),
        ("uv run -m pytest", ["pytest"]),
        ("uv run -- python -m pytest", ["pytest"]),
        ("poetry run pytest -q tests", ["pytest -q tests"]),
        ("pdm run python -m unittest discover", ["unittest discover"]),
        ("pipenv run coverage run --source=pkg -m pytest tests", ["pytest tests"]),
        ("coverage run --parallel-mode --rcfile .rc -m unittest -v", ["unittest -v"]),
        ("python -m coverage run -m pytest", ["pytest"]),
        ("coverage run setup.py test", []),
        ("coverage report", ["coverage report"]),
        ("hatch run test:cov", ["cov"]),
        ("xvfb-run -a pytest tests/ui", ["pytest tests/ui"]),
        ("timeout -k 5 60 pytest", ["pytest"]),
        ("env -u X PYTHONPATH=src time pytest", ["pytest"]),
        ("PYTHONPATH=src FOO='a b' pytest", ["pytest"]),
        (".venv/bin/python -m pytest", ["pytest"]),
        ("$(VENV)/bin/pytest tests", ["pytest tests"]),
        ("./bin/check", ["check"]),
        ("uvx ruff check", ["ruff check"]),
        ("uvx --with tox-uv tox -e py", ["tox -e py"]),
        ("pytest && mypy src; ruff check . || true", ["pytest", "mypy src", "ruff check ."]),
        ("pytest tests 2>&1 | tee out.txt", ["pytest tests"]),
        ("pytest > out.txt tests", ["pytest tests"]),
        ("pytest \\\n  -m 'not slow' \\\n  tests", ["pytest -m not slow tests"]),
        ("if [ -d x ]; then pytest; fi", ["pytest"]),
        ("for x in a b; do pytest $x; done", ["pytest ?"]),
        ("pytest ${{ matrix.args }} tests", ["pytest ? tests"]),
        ("pytest ${ARGS:-tests}", ["pytest tests"]),
        ("pytest $ARGS", ["pytest ?"]),
        ("# pytest", []),
        ("pytest 'unfinished", []),
        ("", []),
        ("&& ; |", []),
        ("python setup.py build_ext", ["python setup.py build_ext"]),
    ],
)  # fmt: skip
def test_what_starts_a_command_is_taken_off(text: str, wanted: list[str]) -> None:
    assert read(text) == wanted


def test_known_variables_are_put_in() -> None:
    assert read("pytest $DIR ${DIR}/unit", DIR="tests") == ["pytest tests tests/unit"]


def test_change_of_folder_lasts_in_one_shell_and_not_in_a_recipe() -> None:
    text = "cd packages/a && pytest\nmypy\n"
    assert [(spoken.argv[0], spoken.folder) for spoken in read_script(text, {})] == [
        ("pytest", "packages/a"),
        ("mypy", "packages/a"),
    ]
    assert [spoken.folder for spoken in read_script(text, {}, one_shell=False)] == ["packages/a", ""]


@pytest.mark.parametrize(
    ("folder", "path", "wanted"),
    [
        ("", "a/b", "a/b"),
        ("a", "../b", "b"),
        ("a", "..", ""),
        ("a", "../..", UNKNOWN),
        ("", "/etc", UNKNOWN),
        ("", "~/x", UNKNOWN),
        ("a", ".", "a"),
    ],
)
def test_folder_outside_of_the_tree_is_unknown(folder: str, path: str, wanted: str) -> None:
    assert join(folder, path) == wanted


WORDS = st.sampled_from([
    "pytest", "python", "-m", "uv", "run", "&&", ";", "|", ">", "x", "'", '"', "$(", ")", "${A:-b}", "`", "cd", "..",
    "\\\n", "\n", "#", "if", "then", "env", "A=1", "--", "coverage", "hatch", "timeout", "\0", "\x01", "é", "{", "}",
])  # fmt: skip


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=60))
def test_any_text_is_read_without_a_fault_and_commands_have_a_program(text: str) -> None:
    for spoken in read_script(text, {}):
        assert spoken.argv
        assert spoken.argv[0]
        assert ".." not in spoken.folder.split("/")
