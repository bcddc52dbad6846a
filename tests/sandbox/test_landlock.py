"""What Landlock and seccomp keep from a command, tried in earnest, and what they must not get in the way of."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pydantic
import pytest

from bot.errors import SandboxUnavailable
from bot.protocols import Command, Mount
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.launch import Launcher, Plan, Seal
from bot.sandbox.limits import Bounds
from bot.sandbox.ruleset import Ruleset
from bot.sandbox.site import Site
from tests.conftest import Repo
from tests.sandbox.conftest import Ground, Runner, needs
from tests.sandbox.escapes import Prey
from tests.sandbox.test_bubblewrap import editable

ROOT = Path(__file__).parents[2]
LIBRARY = Path(pydantic.__file__).parents[1]
MOST = 50


def test_nothing_that_hostile_code_tries_succeeds(sealing: LandlockExecutor, ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    prey = Prey(ground.repo.path, ground.tree, tmp_path / "outside")
    prey.place()
    before = ground.repo.state()
    told = prey.attack(ground.landlock)
    assert len(told) > MOST
    assert [name for name, said in told.items() if said == "open"] == []
    assert told["io_uring"] == "Function not implemented"
    assert ground.repo.state() == before
    assert (tmp_path / "outside/file").read_text() == "content"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_nothing_succeeds_for_another_user_either(sealing: LandlockExecutor) -> None:
    needs("setpriv")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    pythons = (shutil.which(version, path="/usr/bin:/usr/local/bin"), sys.executable)
    become = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    with tempfile.TemporaryDirectory() as name:
        os.chown(name, 65534, 65534)
        told = {"HOME": name, "PYTHONPATH": f"{ROOT}:{LIBRARY}", "PATH": os.environ["PATH"]}
        for number, python in enumerate(filter(None, pythons)):
            argv = [*become, python, "-B", "-m", "tests.sandbox.escapes", f"{name}/{number}"]
            done = subprocess.run(argv, cwd=name, env=told, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                said = json.loads(done.stdout)
                assert len(said) > MOST
                assert [attempt for attempt, answer in said.items() if answer == "open"] == []
                return
    pytest.skip("the other user has no Python here that could run this")


HONEST = r"""
import asyncio, concurrent.futures, json, multiprocessing, multiprocessing.shared_memory, os, resource, subprocess
import sys, tempfile, threading, zoneinfo
from pathlib import Path

def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

async def wait():
    process = await asyncio.create_subprocess_exec("echo", "later", stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode().strip()

told = {}
told["describe"], told["log"] = run("git", "describe"), run("git", "log", "--format=%s", "-1")
told["status"] = run("git", "status", "--porcelain")
with tempfile.TemporaryDirectory() as folder:
    run("git", "init", "-q", folder)
    Path(folder, "a").write_text("x")
    os.rename(Path(folder, "a"), "moved")
    run("git", "-C", folder, "status")
told["moved"] = Path("moved").read_text()
Path("moved").unlink()
Path("made").mkdir()
os.symlink("made", "made/link")
os.truncate(Path("made/file").open("w").name, 3)
told["made"] = sorted(os.listdir("made"))
with multiprocessing.get_context("fork").Pool(2) as pool:
    told["pool"] = pool.map(abs, [-1, -2])
with concurrent.futures.ThreadPoolExecutor() as pool:
    told["threads"] = list(pool.map(abs, [-3]))
block = multiprocessing.shared_memory.SharedMemory(create=True, size=16)
block.buf[0] = 7
told["shared"] = block.buf[0]
block.close()
block.unlink()
told["asyncio"] = asyncio.run(wait())
told["shell"] = run("bash", "-c", "cat <(echo x); echo y | tee /dev/stderr > /dev/null; ulimit -n 64; nice -n 1 echo z")
print("by name", file=open("/dev/stdout", "a"), flush=True)
told["child"] = bool(run("sh", "-c", "cat /proc/self/status | grep CapEff.*0000000000000000"))
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
told["zone"] = str(zoneinfo.ZoneInfo("Europe/Zurich"))
print(json.dumps(told))
"""


def test_honest_programs_are_not_hindered(sealing: LandlockExecutor, ground: Ground) -> None:
    runner = Runner(ground.landlock, ground.tree)
    done = runner.python(HONEST)
    assert done.returncode == 0, done.output
    named, told = done.output.splitlines()
    assert named == "by name"
    assert json.loads(told) == {
        "describe": "v1",
        "log": "base",
        "status": "M pkg/__init__.py",
        "moved": "x",
        "made": ["file", "link"],
        "pool": [1, 2],
        "threads": [3],
        "shared": 7,
        "asyncio": "later",
        "shell": "x\nz",
        "child": True,
        "zone": "Europe/Zurich",
    }
    test = "import pkg\n\ndef test_it(tmp_path, monkeypatch):\n    assert pkg.WHERE == 'tree'\n"
    (ground.tree / "test_it.py").write_text(test)
    bare = (("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"),)
    done = runner(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", environment=bare)
    assert (done.returncode, "1 passed" in done.output) == (0, True), done.output


def test_what_stays_open_is_what_the_documentation_says(
    sealing: LandlockExecutor, ground: Ground, tmp_path: Path
) -> None:
    (tmp_path / "file").touch(0o600)
    script = f"chmod 640 {tmp_path}/file; echo gitdir: ./evil > .git; tr '\\0' ' ' < /proc/{os.getpid()}/cmdline"
    done = Runner(ground.landlock, ground.tree).shell(script)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert (ground.tree / ".git").read_text() == "gitdir: ./evil\n"
    assert done.output.strip() == " ".join(Path("/proc/self/cmdline").read_text().split("\0")).strip()


def test_a_tree_can_be_read_only_and_folders_of_ours_are_lent(
    sealing: LandlockExecutor, ground: Ground, tmp_path: Path
) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "input").mkdir()
    (tmp_path / "input/data").write_text("given")
    script = (
        f"touch made; rm pkg/__init__.py; echo kept > {tmp_path}/cache/x; cat {tmp_path}/input/data;"
        f" touch {tmp_path}/input/y; touch $TMPDIR/x $HOME/x && echo ' elsewhere'"
    )
    mounts = [Mount(tmp_path / "cache", writable=True), Mount(tmp_path / "input")]
    done = Runner(ground.landlock, ground.tree).shell(script, writable=False, mounts=mounts)
    assert "given" in done.output
    assert " elsewhere" in done.output
    assert not (ground.tree / "made").exists()
    assert (ground.tree / "pkg/__init__.py").exists()
    assert (tmp_path / "cache/x").read_text() == "kept\n"
    assert not (tmp_path / "input/y").exists()


def test_folders_of_the_checkout_go_along_and_cannot_be_written(sealing: LandlockExecutor, ground: Ground) -> None:
    ground.repo.write(
        {"node_modules/lib/index.js": "original", "deps/sub/x": "of a submodule", "pkg/_fast.so": "built"}
    )
    (ground.tree / "deps/sub").mkdir(parents=True)
    carry = ("node_modules", "deps/sub", "pkg/*.so")
    executor = LandlockExecutor(Site(ground.repo.path, ground.repo.path / ".git", [Path(sys.executable)], carry))
    done = Runner(executor, ground.tree).shell(
        "cat node_modules/lib/index.js deps/sub/x pkg/_fast.so; echo evil > node_modules/lib/index.js; touch deps/sub/y"
    )
    assert done.output.startswith("originalof a submodulebuilt")
    assert (ground.repo.path / "node_modules/lib/index.js").read_text() == "original"
    assert sorted(path.name for path in ground.tree.rglob("[!.]*")) == ["__init__.py", "deps", "pkg", "sub"]
    assert not (ground.repo.path / "deps/sub/y").exists()


def test_an_editable_install_cannot_lead_to_the_checkout_unseen(sealing: LandlockExecutor, ground: Ground) -> None:
    python = editable(ground.repo)
    executor = LandlockExecutor(Site(ground.repo.path, ground.repo.path / ".git", [python]))
    ask = "import os\ntry:\n    import pkg\n    print(pkg.WHERE)\nexcept ImportError: print('refused')"
    (ground.tree / "elsewhere").mkdir()
    (ground.tree / "elsewhere/ask.py").write_text(ask)
    done = executor.execute(Command((str(python), "elsewhere/ask.py"), ground.tree))
    assert done.output == "refused\n"
    told = (("PYTHONPATH", str(ground.tree)),)
    assert (
        executor.execute(Command((str(python), "elsewhere/ask.py"), ground.tree, environment=told)).output == "tree\n"
    )


def test_the_main_checkout_itself_can_be_the_tree(sealing: LandlockExecutor, ground: Ground) -> None:
    before = ground.repo.state()
    script = "ls; git describe; echo '[a]' >> .git/config; touch .git/hooks/x; rm -rf .git; echo 1 >> pkg/made"
    done = Runner(ground.landlock, ground.repo.path).shell(script)
    assert done.output.startswith("pkg\nv1\n")
    assert (ground.repo.path / "pkg/made").exists()
    (ground.repo.path / "pkg/made").unlink()
    assert ground.repo.state() == before


def test_settings_that_may_hold_secrets_are_not_shown(sealing: LandlockExecutor, ground: Ground) -> None:
    ground.repo.git("remote", "add", "origin", "https://example.invalid/x.git")
    assert ground.landlock.notes == ()
    ground.repo.git("config", "http.https://example.invalid/.extraheader", "AUTHORIZATION: basic marker-4904")
    executor = ground.landlock
    done = Runner(executor, ground.tree).shell(f"cat {ground.repo.path}/.git/config; git status; git config --list")
    assert "marker-4904" not in done.output
    assert [note.partition(",")[0] for note in executor.notes] == ["git does not work in commands"]


def test_a_borrowed_object_store_is_readable(sealing: LandlockExecutor, ground: Ground, tmp_path: Path) -> None:
    ground.repo.git("clone", "-q", "--shared", str(ground.repo.path), str(tmp_path / "clone"))
    clone, tree = Repo(tmp_path / "clone"), tmp_path / "clone-tree"
    clone.git("worktree", "add", "-q", "--detach", str(tree))
    executor = LandlockExecutor(Site(clone.path, clone.path / ".git", [Path(sys.executable)]))
    assert Runner(executor, tree)("git", "describe").output == "v1\n"


def test_the_network_is_there_when_it_is_asked_for_and_sockets_by_path_are_not(sealed: Runner, listener: int) -> None:
    source = (
        f"import socket; socket.create_connection(('127.0.0.1', {listener}), timeout=2); print('connected')\n"
        "try: socket.socket(socket.AF_UNIX)\nexcept PermissionError: print('no socket by path')"
    )
    assert sealed.python(source, network=True).output == "connected\nno socket by path\n"


def test_a_command_that_cannot_be_closed_in_is_not_run(sealing: LandlockExecutor, tmp_path: Path) -> None:
    launcher = Launcher(Bounds())
    with Ruleset(sealing.version, network=False) as ruleset:
        plan = Plan(["touch", "marker"], str(tmp_path), {"PATH": os.defpath}, 10.0, seal=Seal(ruleset, bytes(8)))
        with pytest.raises(SandboxUnavailable, match="it was not run"):
            launcher.launch(plan)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", [1, 3, 5])
def test_an_older_kernel_is_used_as_far_as_it_goes(sealing: LandlockExecutor, ground: Ground, version: int) -> None:
    python = [Path(sys.executable)]
    executor = LandlockExecutor(Site(ground.repo.path, ground.repo.path / ".git", python), version=version)
    (outside := ground.repo.path / "file").write_text("content")
    script = "import os, sys; open('made', 'w'); print(os.path.exists('made'), flush=True); os.truncate(sys.argv[1], 0)"
    done = Runner(executor, ground.tree).python(script, str(outside))
    assert done.output.startswith("True\n")
    assert outside.read_text() == "content"
    assert any("other processes can be sent signals" in note for note in executor.notes)
    assert any("cannot be moved" in note for note in executor.notes) == (version == 1)
