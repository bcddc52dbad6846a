"""What goes along from a person's checkout."""

from pathlib import Path

import pytest

from bot.app.carry import choose_carriage, version_files
from bot.app.desk import open_desk
from bot.git.untracked import list_edited, list_submodules, list_untracked
from tests.conftest import Repo, make_repo
from tests.git.test_submodules import add

SUFFIX = "cpython-311-x86_64-linux-gnu.so"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('[tool.setuptools_scm]\nversion_file = "src/a/_version.py"\n', ("src/a/_version.py",)),
        ('[tool.setuptools_scm]\nwrite_to = "./a/_version.py"\n', ("a/_version.py",)),
        ('[tool.hatch.build.hooks.vcs]\nversion-file = "a/_version.py"\n', ("a/_version.py",)),
        ("[tool.setuptools_scm]\n", ()),
        ("[tool.setuptools_scm]\nversion_file = 3\n", ()),
        ("tool = 3\n", ()),
        ("[tool\n", ()),
    ],
)
def test_files_that_a_build_writes_the_version_into_are_known(text: str, files: tuple[str, ...]) -> None:
    assert version_files(text.encode()) == files


def test_no_project_file_names_no_version_file() -> None:
    assert version_files(None) == ()
    assert version_files(b"\xff\xfe") == ()


def test_extensions_beside_sources_go_along_and_nothing_else_does(repo: Repo, tmp_path: Path) -> None:
    repo.commit({".gitignore": "*.so\nbuild/\n", "pkg/__init__.py": "", "pkg/kept.so": "committed"})
    repo.git("add", "-f", "pkg/kept.so")
    repo.git("commit", "-q", "-m", "kept")
    repo.write({f"pkg/_speed.{SUFFIX}": "x", "pkg/new.pyd": "x", f"build/lib/_speed.{SUFFIX}": "x", "notes.txt": "x"})
    (repo.path / "pkg/link.so").symlink_to(tmp_path)
    carriage = choose_carriage(open_desk(repo.path, {}))
    assert carriage.built == (f"pkg/_speed.{SUFFIX}", "pkg/new.pyd")
    assert carriage.patterns[:3] == (".venv", "venv", "node_modules")
    assert [note.partition(":")[0] for note in carriage.notes(folders=True)] == [
        "carried from your checkout, as built there"
    ]


def test_a_name_that_looks_like_a_pattern_is_carried_as_it_is(repo: Repo) -> None:
    repo.write({"odd[1].so": "x", "odd1.so": "x"})
    assert choose_carriage(open_desk(repo.path, {})).patterns[3:] == ("odd1.so", "odd[[]1].so")


def test_an_extension_whose_source_is_edited_is_named(repo: Repo) -> None:
    repo.commit({"a.c": "1", "b.c": "1"})
    repo.write({"a.so": "x", "b.so": "x", "a.c": "2"})
    assert choose_carriage(open_desk(repo.path, {})).stale == ("a.so",)


def test_a_version_file_goes_along_unless_it_is_committed(repo: Repo) -> None:
    settings = '[tool.setuptools_scm]\nversion_file = "_version.py"\n'
    repo.commit({"pyproject.toml": settings, ".gitignore": "_version.py\n"})
    assert choose_carriage(open_desk(repo.path, {})).built == ()
    repo.write({"_version.py": "version = '1'\n"})
    assert choose_carriage(open_desk(repo.path, {})).built == ("_version.py",)
    repo.git("add", "-f", "_version.py")
    assert choose_carriage(open_desk(repo.path, {})).built == ()


def test_what_is_not_tracked_is_listed_by_folder_where_a_folder_holds_nothing_else(repo: Repo) -> None:
    repo.commit({".gitignore": "secret\nlib/\n", "pkg/a.py": ""})
    repo.write({"lib/deep/x": "", "pkg/secret": "", "pkg/new": "", "sp ace\n": ""})
    assert list_untracked(open_desk(repo.path, {}).repository) == ("lib/", "pkg/new", "pkg/secret", "sp ace\n")
    assert list_submodules(open_desk(repo.path, {}).repository) == ()


def test_what_is_edited_is_listed(repo: Repo) -> None:
    desk = open_desk(repo.path, {})
    repo.write({"calc.py": "x = 1\n", "new.py": ""})
    assert list_edited(desk.repository, desk.base) == ("calc.py",)


def test_a_submodule_goes_along_when_it_stands_where_the_base_says(repo: Repo, tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source")
    source.commit({"a.txt": "1\n"})
    inner, gone = add(repo, source, "da[t]a"), add(repo, source, "gone")
    repo.git("submodule", "--quiet", "deinit", "gone")
    inner.write({"new.txt": ""})
    for settings in ({}, {"prepare": ("true",)}):
        carriage = choose_carriage(open_desk(repo.path, settings))
        assert carriage.patterns[3:] == ("da[[]t]a",)
        assert carriage.places == ("da[t]a/",)
        assert carriage.facts == (f"submodule da[t]a {inner.git('rev-parse', 'HEAD')}",)
        assert tuple(carriage.notes(folders=True)) == (
            "carried from your checkout, at the commit that the base names: da[t]a",
            "carried in submodules although no commit holds it: da[t]a/new.txt",
            "submodule not carried: gone: not checked out",
        )
        assert tuple(carriage.notes(folders=False)) == ("submodule not carried: gone: not checked out",)
    assert not any(gone.path.iterdir())


def test_a_submodule_that_a_person_names_goes_along_however_it_stands(repo: Repo, tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source")
    source.commit({"a.txt": "1\n"})
    add(repo, source, "data").write({"a.txt": "2\n"})
    carriage = choose_carriage(open_desk(repo.path, {}))
    assert tuple(carriage.notes(folders=True)) == ("submodule not carried: data: it has changes",)
    repo.git("config", "agent.carry", "data/")
    carriage = choose_carriage(open_desk(repo.path, {}))
    assert (carriage.patterns[3:], tuple(carriage.notes(folders=True))) == (("data/",), ())
