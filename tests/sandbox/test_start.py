"""Commands that start below the root, and folders that are lent to them."""

from pathlib import Path

import pytest

from bot.protocols import Command, Mount
from bot.sandbox.process import ProcessExecutor
from tests.sandbox.conftest import Ground, Runner


def test_a_command_can_start_below_the_root(run: Runner) -> None:
    done = run.shell("cat __init__.py", folder="pkg")
    assert (done.returncode, done.output) == (0, "WHERE = 'tree'\n")


def test_below_the_root_the_tree_still_stands_in_the_repositorys_place(boxed: Runner, common: Ground) -> None:
    assert boxed("pwd", folder="pkg").output == f"{common.repo.path}/pkg\n"


@pytest.mark.parametrize("folder", ["none", "pkg/__init__.py", "..", "/", "pkg/../../x"])
def test_a_folder_that_is_none_of_the_tree_is_a_result(run: Runner, folder: str) -> None:
    done = run("true", folder=folder)
    assert (done.returncode, done.ended) == (127, "exited")
    assert done.output.startswith(folder)
    assert done.output.endswith(("not inside the tree\n", "no such folder\n"))


def test_a_link_does_not_lead_the_start_out_of_the_tree(run: Runner, tmp_path: Path) -> None:
    link = run.tree / "link-out"
    link.symlink_to(tmp_path)
    try:
        assert run("pwd", folder="link-out").output == "link-out: this folder is not inside the tree\n"
    finally:
        link.unlink()


def test_a_lent_folder_is_seen_under_its_own_path(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept\n")
    assert run("cat", f"{tmp_path}/kept.txt", mounts=(Mount(tmp_path),)).output == "kept\n"
    script = 'echo more > "$PLACE/more.txt"'
    run.shell(script, mounts=(Mount(tmp_path, writable=True),), environment=(("PLACE", str(tmp_path)),))
    assert (tmp_path / "more.txt").read_text() == "more\n"


def test_a_folder_lent_for_reading_cannot_be_written(boxed: Runner, tmp_path: Path) -> None:
    assert "Read-only" in boxed("touch", f"{tmp_path}/x", mounts=(Mount(tmp_path),)).output
    assert not (tmp_path / "x").exists()


def test_a_lent_folder_below_the_repository_is_seen_although_the_tree_lies_over_it(own: Runner, ground: Ground) -> None:
    cache = ground.repo.path / ".git/agent/cache"
    cache.mkdir(parents=True)
    done = own.shell(f"echo kept > {cache}/x && cat {cache}/x", mounts=(Mount(cache, writable=True),))
    assert done.output == "kept\n"
    assert (cache / "x").read_text() == "kept\n"
    assert not (ground.tree / ".git/agent").exists()


def test_programs_of_the_projects_environment_are_found_before_others(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "measure").write_text("#!/bin/sh\necho ours\n")
    (tmp_path / "measure").chmod(0o755)
    done = ProcessExecutor(search=(tmp_path,)).execute(Command(("measure",), ground.tree))
    assert (done.returncode, done.output) == (0, "ours\n")


def test_single_files_are_carried_without_namespaces_too_and_taken_away_again(ground: Ground) -> None:
    ground.repo.write(
        {"pkg/_speed.so": "built", "pkg/__init__.py": "x", "node_modules/x": "", "deep/er/_a.so": "built"}
    )
    executor = ProcessExecutor(repository=ground.repo.path, carry=("pkg/*", "node_modules", "deep/er/_a.so"))
    run = Runner(executor, ground.tree)
    assert run.shell("cat pkg/_speed.so deep/er/_a.so pkg/__init__.py").output == "builtbuiltWHERE = 'tree'\n"
    assert run.shell("ls node_modules").returncode != 0
    run.shell("echo spoiled > pkg/_speed.so")
    assert not (ground.tree / "pkg/_speed.so").exists()
    assert not (ground.tree / "deep").exists()
    assert (ground.repo.path / "pkg/_speed.so").read_text() == "built"
    assert run.shell("cat pkg/_speed.so").output == "built"


def test_what_a_command_leaves_of_its_own_beside_carried_files_stays(ground: Ground) -> None:
    ground.repo.write({"pkg/_speed.so": "built"})
    run = Runner(ProcessExecutor(repository=ground.repo.path, carry=("pkg/_speed.so",)), ground.tree)
    run.shell("echo own > pkg/own.so")
    assert (ground.tree / "pkg/own.so").read_text() == "own\n"
