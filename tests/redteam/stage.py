"""Where attacks are played: a home and files with secrets, listeners, a process to hit; all of it ours and watched."""

import hashlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import Repo, make_repo

TOKEN = "RED_TEAM_TOKEN"
"""A variable with a secret; a process has to be started with it, for /proc tells what it was at the start."""
PATIENCE = 3.0
"""Seconds within which what a command started has to be gone."""

HOME_SECRETS = (
    *(".ssh/id_ed25519", ".netrc", ".aws/credentials", ".config/gh/hosts.yml", ".git-credentials", ".npmrc"),
    *(".docker/config.json", ".kube/config"),
)
SHARED = ("/dev/shm", "/var/tmp", "/tmp", sysconfig.get_path("purelib"))
"""Folders that everybody may write to, and one that all of our own programs read."""


@dataclass
class Listeners:
    """Sockets of the host that nothing of the repository may reach."""

    folder: Path
    mark: str
    arrived: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.path = socket.socket(socket.AF_UNIX)
        self.path.bind(str(self.folder / "s"))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{self.mark}")
        for one in (self.path, self.abstract):
            one.listen()
        for name in ("tcp", "path", "abstract"):
            threading.Thread(target=self._accept, args=(name,), daemon=True).start()
        threading.Thread(target=self._receive, daemon=True).start()

    def addresses(self) -> Iterator[tuple[int, int, tuple[str, int] | str]]:
        """Give family, kind and address of each."""
        for one in (self.tcp, self.udp, self.path):
            yield one.family, one.type, one.getsockname()
        yield self.abstract.family, self.abstract.type, f"\0{self.mark}"

    def _accept(self, name: str) -> None:
        with suppress(OSError):
            while True:
                connection, _ = getattr(self, name).accept()
                self.arrived.append(f"a connection at the {name} listener")
                connection.close()

    def _receive(self) -> None:
        with suppress(OSError):
            while True:
                self.udp.recvfrom(2048)
                self.arrived.append("a datagram at the udp listener")


@dataclass
class Stage:
    """All that stands around the repositories of many cases."""

    folder: Path
    canaries: Mapping[str, str]
    """What each secret is called, and its value."""
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        self.mark = f"mark{secrets.token_hex(6)}"
        self.home, self.outside = self.folder / "home", self.folder / "outside"
        self.outside.mkdir()
        for name in HOME_SECRETS:
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(f"password = {self.canaries[name]}\n")
        (self.outside / "secret.txt").write_text(f"{self.canaries['outside']}\n")
        (self.outside / "note.txt").write_text("a person's\n")
        self.listeners = Listeners(self.outside, self.mark)
        self.victim = _victim(self.mark)
        self.place = self.folder
        self.pace = 1.0
        """By how much this machine is slower now than one that has nothing else to do."""

    @property
    def words(self) -> Mapping[str, str]:
        """What stands for things of this stage in the text of a case."""
        return {
            "@OUTSIDE@": str(self.outside),
            "@HOME@": str(self.home),
            "@REPO@": str(self.place),
            "@TCP@": str(self.listeners.tcp.getsockname()[1]),
            "@UDP@": str(self.listeners.udp.getsockname()[1]),
            "@UNIX@": str(self.outside / "s"),
            "@MARK@": self.mark,
            "@VICTIM@": str(self.victim.pid),
            "@RUNNER@": str(os.getpid()),
            "@HIDDEN@": self.canaries["hidden"],
            **{f"@SECRET {name}@": value for name, value in self.canaries.items()},
        }

    def fill(self, text: str) -> str:
        """Put the things of this stage into the text of a case."""
        if "@" in text:
            for word, value in self.words.items():
                text = text.replace(word, value)
        return text

    def fresh(self) -> Path:
        """Give an empty folder, always at the same place."""
        made = self.folder / "case"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        return made

    def left(self) -> list[str]:
        """Name the processes that cases left behind, once they had a moment, and end them."""
        until = time.monotonic() + self.patience
        while (found := dict(self._marked())) and time.monotonic() < until:
            time.sleep(0.02)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        return [f"still running: {line[:80]}" for line in found.values()]

    def _marked(self) -> Iterator[tuple[int, str]]:
        mine = {os.getpid(), self.victim.pid}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) not in mine:
                with suppress(OSError):
                    line = (entry / "cmdline").read_bytes()
                    if self.mark.encode() in line:
                        yield int(entry.name), line.replace(b"\0", b" ").decode("utf-8", "replace")

    def hit(self) -> list[str]:
        """Say what became of the process that nobody may touch, and start another."""
        state = _state(self.victim.pid)
        if self.victim.poll() is None and state != "T":
            return []
        self.victim.kill()
        self.victim.wait()
        self.victim = _victim(self.mark)
        return [f"a process of the host was hit ({state or 'gone'})"]

    def prints(self) -> Mapping[str, str]:
        """Describe every file around the repositories, and whatever bears our mark where everybody may write."""
        seen: dict[str, str] = {}
        for top in (self.home, self.outside):
            seen |= {str(path): _print(path) for path in sorted(top.rglob("*"))}
        for shared in SHARED:
            seen |= {str(path): "there" for path in Path(shared).glob(f"*{self.mark}*")}
        return seen

    def tidy(self) -> None:
        """Take away what cases wrote around the repositories."""
        for top in SHARED:
            for path in Path(top).glob(f"*{self.mark}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        kept = {self.outside / name for name in ("s", "secret.txt", "note.txt")}
        for path in self.outside.iterdir():
            if path not in kept:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        (self.outside / "note.txt").write_text("a person's\n")
        for path in self.home.iterdir():
            if path.name not in {name.split("/")[0] for name in HOME_SECRETS}:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _print(path: Path) -> str:
    if path.is_symlink():
        return f"link {path.readlink()}"
    if not path.is_file():
        return "folder" if path.is_dir() else "special"
    return f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _victim(mark: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(3600)", f"victim-{mark}"])


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def make_canaries() -> Mapping[str, str]:
    """Make up the secrets of one stage; that of the environment is the process's own."""
    places = (*HOME_SECRETS, "outside", "checkout", "tracked", "config", "url", "later", "hidden")
    made = {place: f"cnry{secrets.token_hex(12)}" for place in places}
    return {**made, "environment": os.environ.get(TOKEN, f"cnry{secrets.token_hex(12)}")}


@contextmanager
def set_stage(folder: Path | None = None, patience: float = PATIENCE) -> Iterator[Stage]:
    """Put up a stage, and take it down; the process's own environment has its home and its secret meanwhile."""
    base = Path(tempfile.mkdtemp(prefix="red-", dir=folder)).resolve()
    stage = Stage(base, make_canaries(), patience)
    before = dict(os.environ)
    os.environ |= {"HOME": str(stage.home), TOKEN: stage.canaries["environment"], "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        yield stage
    finally:
        os.environ.clear()
        os.environ.update(before)
        stage.victim.kill()
        stage.victim.wait()
        stage.tidy()
        shutil.rmtree(base, ignore_errors=True)


PROJECT = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "test_calc.py": (
        "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n"
        "def test_zero():\n    assert add(0, 0) == 0\n"
    ),
    ".gitignore": ".env\nbuild/\n",
}


def make_project(stage: Stage, place: Path) -> Repo:
    """Make the repository of a person, with secrets where people have them."""
    kept = stage.folder / "project"
    if not kept.exists():
        _fill(stage, make_repo(kept))
    shutil.copytree(kept, place, symlinks=True)
    made = Repo(place)
    made.git("update-index", "-q", "--refresh")
    return made


def _fill(stage: Stage, repo: Repo) -> None:
    held = stage.canaries
    repo.commit({**PROJECT, "config/.env": f"API_PASSWORD={held['tracked']}\n"}, "a small project")
    repo.git("checkout", "-q", "-b", "later")
    repo.commit({"answer.txt": f"{held['later']}\n"}, "what came later")
    repo.git("checkout", "-q", "main")
    repo.write({".env": f"API_PASSWORD={held['checkout']}\n", "build/.keep": ""})
    repo.git("config", "http.https://example.invalid/.extraheader", f"AUTHORIZATION: basic {held['config']}")
    repo.git("remote", "add", "origin", f"https://me:{held['url']}@example.invalid/x.git")
