"""What namespaces add: out of sight, out of reach, and the tree in the repository's place."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

import bot.sandbox.supervisor
from bot.errors import SandboxUnavailable
from bot.protocols import Command
from bot.sandbox.bubblewrap import BubblewrapExecutor, as_signal, exit_code
from bot.sandbox.mounts import PACKAGE
from bot.sandbox.site import Site
from tests.conftest import Repo, make_repo
from tests.sandbox.conftest import Ground, Runner, make_ground, needs

CONNECT = "import socket; socket.create_connection(('127.0.0.1', {}), timeout=2); print('connected')"


def test_the_tree_stands_in_the_repositorys_place(own: Runner, ground: Ground) -> None:
    assert own("pwd").output == f"{ground.repo.path}\n"
    assert own.shell("cat pkg/__init__.py").output == "WHERE = 'tree'\n"


def test_what_a_command_writes_in_its_tree_stays(own: Runner, ground: Ground) -> None:
    assert own.shell("echo made > made.txt").returncode == 0
    assert (ground.tree / "made.txt").read_text() == "made\n"
    assert not (ground.repo.path / "made.txt").exists()


def test_a_tree_can_be_read_only(own: Runner, ground: Ground) -> None:
    done = own.shell("touch made.txt; touch $TMPDIR/x $HOME/x && echo elsewhere", writable=False)
    assert "Read-only" in done.output
    assert "elsewhere" in done.output
    assert not (ground.tree / "made.txt").exists()


@pytest.mark.parametrize(
    "place", ["/marker-4801", "/usr/marker-4801", "/etc/marker-4801", "/run/git-agent/marker-4801"]
)
def test_nothing_can_be_written_outside(boxed: Runner, place: str) -> None:
    assert boxed("touch", place).returncode != 0
    assert not Path(place).exists()


def test_what_is_written_beside_the_tree_never_arrives(own: Runner, ground: Ground) -> None:
    before = ground.repo.state()
    own.shell("touch ../marker; mkdir -p ../work; touch ../work/marker; ln -s / out; touch out/tmp/marker-4802; rm out")
    assert not (ground.repo.path.parent / "marker").exists()
    assert not (ground.tree.parent / "marker").exists()
    assert not Path("/tmp/marker-4802").exists()
    assert ground.repo.state() == before


def test_links_do_not_lead_out(own: Runner, ground: Ground, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("marker-4803")
    (ground.tree / "link").symlink_to(secret)
    assert "marker-4803" not in own.shell("cat link; cat ../secret.txt; find /tmp /home -name secret.txt").output


def test_the_persons_checkout_is_out_of_sight(own: Runner, ground: Ground) -> None:
    ground.repo.write({".env": "marker-4804"})
    assert "marker-4804" not in own.shell("cat .env ../repo/.env ../work/tree/.env").output


def test_home_is_out_of_sight(own: Runner, ground: Ground) -> None:
    key = Path(os.environ["HOME"], ".ssh/id_ed25519")
    key.parent.mkdir()
    key.write_text("marker-4805")
    assert "marker-4805" not in own.shell(f"cat {key} ~/.ssh/id_ed25519; cat /root/.ssh/* /home/*/.ssh/*").output
    assert own("cat", "/etc/shadow").returncode != 0


@pytest.mark.parametrize(
    "place", ["/run/docker.sock", "/var/run/docker.sock", "/var/lib/docker", "/srv", "/mnt", "/media"]
)
def test_services_and_other_data_are_out_of_sight(boxed: Runner, place: str) -> None:
    assert boxed("ls", place).returncode != 0


def test_other_processes_are_out_of_sight(boxed: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "marker-4806")
    assert "marker-4806" not in boxed.shell("cat /proc/[0-9]*/environ").output
    assert len(boxed.shell("ls -d /proc/[0-9]*").output.splitlines()) < 5


def test_the_machines_settings_cannot_be_written(boxed: Runner) -> None:
    name = "/proc/sys/kernel/core_pattern"
    assert boxed.shell(f"cat {name} > $TMPDIR/x; cat $TMPDIR/x > {name}").returncode != 0


def test_the_host_cannot_be_connected_to(boxed: Runner, listener: int) -> None:
    done = boxed.python(CONNECT.format(listener))
    assert done.returncode == 1
    assert "refused" in done.output


def test_the_network_is_there_when_it_is_asked_for(boxed: Runner, listener: int) -> None:
    assert boxed.python(CONNECT.format(listener), network=True).output == "connected\n"


def test_a_server_inside_can_be_connected_to(boxed: Runner) -> None:
    source = "import socket; s = socket.create_server(('127.0.0.1', 0)); " + CONNECT.format("s.getsockname()[1]")
    assert boxed.python(source).output == "connected\n"


def test_git_works_inside(boxed: Runner) -> None:
    assert boxed("git", "describe").output == "v1\n"
    assert boxed("git", "status", "--porcelain").output == " M pkg/__init__.py\n"
    assert boxed("git", "rev-parse", "--show-toplevel").output.startswith("/")


HOOK = "d=$(git rev-parse --git-common-dir); git config core.x y; mkdir $d/hooks; echo x > $d/hooks/pre-commit"


def test_git_cannot_be_written(own: Runner, ground: Ground) -> None:
    before = ground.repo.state()
    own.shell(
        f"{HOOK}; echo evil > $d/info/attributes; git commit -am evil; git update-ref refs/heads/main HEAD~0; rm -rf $d"
    )
    assert ground.repo.state() == before


def test_the_git_file_of_the_tree_cannot_be_replaced(own: Runner, ground: Ground) -> None:
    before = (ground.tree / ".git").read_bytes()
    own.shell('echo gitdir: ./evil > .git; rm -f .git; mv .git x; ln -sf evil .git; python3 -c \'open(".git", "w")\'')
    assert (ground.tree / ".git").read_bytes() == before
    assert not (ground.tree / ".git").is_symlink()


def test_a_token_in_the_repositorys_settings_is_not_shown(own: Runner, ground: Ground) -> None:
    ground.repo.git("config", "http.https://example.invalid/.extraheader", "AUTHORIZATION: basic marker-4807")
    done = own.shell("git config --list; cat $(git rev-parse --git-common-dir)/config; git config core.bare")
    assert "marker-4807" not in done.output
    assert done.output.endswith("false\n")


def test_the_main_checkout_itself_can_be_the_tree(boxing: BubblewrapExecutor, ground: Ground) -> None:
    runner = Runner(ground.bubblewrap, ground.repo.path)
    before = ground.repo.state()
    done = runner.shell(f"git describe; {HOOK}")
    assert done.output.startswith("v1\n")
    assert ground.repo.state() == before


def test_the_repository_may_be_a_linked_worktree(boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path) -> None:
    second = tmp_path / "second"
    ground.repo.git("worktree", "add", "-q", "--detach", str(second))
    executor = BubblewrapExecutor(Site(second, ground.repo.path / ".git", [Path(sys.executable)]))
    done = Runner(executor, ground.tree).shell("pwd; git describe; cat pkg/__init__.py")
    assert done.output == f"{second}\nv1\nWHERE = 'tree'\n"


def test_the_repository_may_be_named_through_a_link(boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(ground.repo.path)
    ground.repo.write({".venv/tool": "carried"})
    executor = BubblewrapExecutor(Site(tmp_path / "alias", ground.repo.path / ".git", [Path(sys.executable)]))
    done = Runner(executor, ground.tree)("cat", str(tmp_path / "alias/.venv/tool"), f"{ground.repo.path}/.venv/tool")
    assert done.output == "carriedcarried"


def test_a_folder_without_git_can_be_the_tree(boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert Runner(ground.bubblewrap, folder).shell("pwd; ls -A").output == f"{ground.repo.path}\n"


def test_a_borrowed_object_store_is_readable(boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path) -> None:
    ground.repo.git("clone", "-q", "--shared", str(ground.repo.path), str(tmp_path / "clone"))
    clone, tree = Repo(tmp_path / "clone"), tmp_path / "clone-tree"
    clone.git("worktree", "add", "-q", "--detach", str(tree))
    executor = BubblewrapExecutor(Site(clone.path, clone.path / ".git", [Path(sys.executable)]))
    assert Runner(executor, tree)("git", "describe").output == "v1\n"


def editable(repo: Repo) -> Path:
    """Give a repository a virtual environment of its own with an editable install of its package."""
    home = Path(sys._base_executable)  # type: ignore[attr-defined]
    site = repo.path / f".venv/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    site.mkdir(parents=True)
    (site / "project.pth").write_text(f"{repo.path}\n")
    (repo.path / ".venv/pyvenv.cfg").write_text(f"home = {home.parent}\n")
    program = repo.path / ".venv/bin/python"
    program.parent.mkdir()
    program.symlink_to(home)
    return program


IMPORT = "import pkg, sys; print(pkg.WHERE, pkg.__file__, sys.prefix)"


def test_an_editable_install_imports_the_code_of_the_tree(boxing: BubblewrapExecutor, ground: Ground) -> None:
    python = editable(ground.repo)
    executor = BubblewrapExecutor(Site(ground.repo.path, ground.repo.path / ".git", [python]))
    done = executor.execute(Command((str(python), "-c", IMPORT), ground.tree))
    assert done.output == f"tree {ground.repo.path}/pkg/__init__.py {ground.repo.path}/.venv\n"
    assert not (ground.tree / ".venv").exists()


def test_carried_folders_cannot_be_written(own: Runner, ground: Ground) -> None:
    ground.repo.write({"node_modules/lib/index.js": "original"})
    done = own.shell("cat node_modules/lib/index.js; echo evil > node_modules/lib/index.js")
    assert "original" in done.output
    assert (ground.repo.path / "node_modules/lib/index.js").read_text() == "original"
    assert not (ground.tree / "node_modules").exists()


def test_carried_folders_are_there_in_a_read_only_tree(own: Runner, ground: Ground) -> None:
    ground.repo.write({"node_modules/index.js": "original"})
    assert own.shell("cat node_modules/index.js", writable=False).output == "original"
    assert not (ground.tree / "node_modules").exists()


def test_what_the_tree_has_itself_is_not_covered(own: Runner, ground: Ground) -> None:
    ground.repo.write({"node_modules/a.js": "persons"})
    (ground.tree / "node_modules").mkdir()
    (ground.tree / "node_modules/a.js").write_text("trees")
    assert own.shell("cat node_modules/a.js").output == "trees"


def test_a_link_in_the_tree_does_not_misplace_what_is_carried(own: Runner, ground: Ground, tmp_path: Path) -> None:
    ground.repo.write({"node_modules/a.js": "persons"})
    (tmp_path / "elsewhere").mkdir()
    (ground.tree / "node_modules").symlink_to(tmp_path / "elsewhere")
    assert own.shell("cat node_modules/a.js").returncode != 0
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_built_files_can_be_carried_by_pattern(boxing: BubblewrapExecutor, ground: Ground) -> None:
    ground.repo.write({"pkg/_fast.so": "built"})
    executor = BubblewrapExecutor(
        Site(ground.repo.path, ground.repo.path / ".git", [], carry=("pkg/*.so", "../*", "/etc", ".git"))
    )
    assert Runner(executor, ground.tree).shell("cat pkg/_fast.so").output == "built"
    assert not (ground.tree / "pkg/_fast.so").exists()


def test_paths_of_the_tree_are_told_as_they_are_seen(own: Runner, ground: Ground) -> None:
    done = own("printf", "%s\n", str(ground.tree), f"--out={ground.tree}/x", f"{ground.tree}-other")
    assert done.output == f"{ground.repo.path}\n--out={ground.repo.path}/x\n{ground.tree}-other\n"
    assert own("printenv", "WHERE", environment=(("WHERE", f"{ground.tree}:/x"),)).output == f"{ground.repo.path}:/x\n"


def test_git_agents_own_code_is_readable(boxed: Runner) -> None:
    assert boxed("cat", str(Path(bot.sandbox.supervisor.__file__))).output.startswith('"""Runs one command')


def test_git_agents_own_code_is_used_when_it_works_on_itself(
    tmp_path: Path, boxing: BubblewrapExecutor, ground: Ground
) -> None:
    package = Path(bot.sandbox.supervisor.__file__).parents[1]
    tree = tmp_path / "other"
    (tree / "bot/sandbox").mkdir(parents=True)
    (tree / "bot/sandbox/supervisor.py").write_text("a false one")
    executor = BubblewrapExecutor(Site(package.parent, package.parent / ".git", [Path(sys.executable)]))
    done = Runner(executor, tree)("cat", str(package / "sandbox/supervisor.py"))
    assert done.output.startswith('"""Runs one command')


def test_what_the_caller_names_is_readable(boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs/spec.json").write_text("{}")
    executor = BubblewrapExecutor(
        Site(ground.repo.path, ground.repo.path / ".git", [Path(sys.executable)], readable=[tmp_path / "inputs"])
    )
    runner = Runner(executor, ground.tree)
    assert runner("cat", str(tmp_path / "inputs/spec.json")).output == "{}"
    assert runner("touch", str(tmp_path / "inputs/new")).returncode != 0


def test_an_interpreter_in_a_home_is_readable_and_the_rest_of_the_home_is_not(
    boxing: BubblewrapExecutor, ground: Ground, tmp_path: Path
) -> None:
    home = Path(os.environ["HOME"])
    tool = home / ".local/share/tool/bin/python"
    tool.parent.mkdir(parents=True)
    tool.symlink_to(sys.executable)
    (home / "secret").write_text("marker-4808")
    executor = BubblewrapExecutor(Site(ground.repo.path, ground.repo.path / ".git", [tool]))
    done = Runner(executor, ground.tree).shell(f"{tool} -I -c 'print(1)'; cat {home}/secret")
    assert done.output.startswith("1\n")
    assert "marker-4808" not in done.output


def test_the_projects_tests_run_inside(own: Runner, ground: Ground) -> None:
    (ground.tree / "test_it.py").write_text("import pkg\n\ndef test_it(tmp_path):\n    assert pkg.WHERE == 'tree'\n")
    done = own(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert (done.returncode, "1 passed" in done.output) == (0, True)


def test_node_runs_inside(boxed: Runner) -> None:
    needs("node")
    assert boxed("node", "-e", "console.log(6 * 7)").output == "42\n"


def test_a_missing_bubblewrap_is_told(ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    executor = BubblewrapExecutor(Site(ground.repo.path, ground.repo.path / ".git", []))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="not installed") as caught:
        executor.execute(Command(("true",), ground.tree))
    assert "apt install bubblewrap" in caught.value.hint


def test_a_sandbox_that_cannot_be_made_is_not_a_result(boxed: Runner, tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="could not be made"):
        boxed.executor.execute(Command(("true",), tmp_path / "gone"))


def test_a_command_cannot_fake_a_broken_sandbox(boxed: Runner) -> None:
    done = boxed.shell("echo 'bwrap: execvp x: No such file or directory'; exit 1")
    assert (done.returncode, done.output) == (1, "bwrap: execvp x: No such file or directory\n")


HOLD = r"""
import ctypes, os, socket, sys

system = ctypes.CDLL(None, use_errno=True)
remount, bind, detach = 32, 4096, 2
for namespaces in (0, 0x10000000 | 0x20000):
    system.unshare(namespaces)
    for place in ("/usr", ".git", "/proc/sys", sys.argv[1]):
        if system.mount(None, os.path.abspath(place).encode(), None, remount | bind, None) == 0:
            print("writable again:", place)
        if system.umount2(os.path.abspath(place).encode(), detach) == 0:
            print("gone:", place)
if int(open("/proc/self/status").read().partition("CapBnd:")[2].split()[0], 16) and os.getuid() == 0:
    print("rights are left")
for number in (248, 249, 250, 425) if os.uname().machine == "x86_64" else ():
    if system.syscall(number, 0, -3, 1, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):
        print("call", number)
try:
    print(socket.socket(40, socket.SOCK_STREAM))
except OSError:
    print("end")
"""


def test_nobody_gives_back_what_was_taken_away(boxed: Runner) -> None:
    done = boxed.python(HOLD, str(PACKAGE))
    assert done.output == "end\n"


def test_a_repository_among_temporary_files_can_be_the_tree(boxing: BubblewrapExecutor) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        ground = make_ground(Path(name))
        assert Runner(ground.bubblewrap, ground.tree)("cat", "pkg/__init__.py").output == "WHERE = 'tree'\n"


@pytest.mark.parametrize(
    ("code", "told"), [(0, 0), (1, 1), (128, 128), (137, -9), (139, -11), (130, -2), (255, 255), (200, 200)]
)
def test_signals_are_read_out_of_bubblewraps_codes(code: int, told: int) -> None:
    assert as_signal(code) == told


@pytest.mark.parametrize(
    ("status", "code"),
    [(b'{ "child-pid": 3 }\n', None), (b'{ "child-pid": 3 }\n{ "exit-code": 7 }\n', 7), (b"", None), (b"\xff\n", None)],
)
def test_bubblewraps_account_is_read(status: bytes, code: int | None) -> None:
    assert exit_code(status) == code


def test_repositories_do_not_see_each_other(boxed: Runner, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "neighbour")
    other.commit({"data": "marker-4809"})
    assert "marker-4809" not in boxed.shell("cat ../neighbour/data").output
