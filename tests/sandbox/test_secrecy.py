"""That nothing of what git agent keeps to itself can be read by a command, or in what git agent itself is seen as."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pydantic
import pytest

ROOT = Path(__file__).parents[2]
MARK = "marker-4730-Xk29"
LIBRARY = Path(pydantic.__file__).parents[1]

PRY = """
import json, os, resource, sys
MARK, FIRST = sys.argv[1][::-1].encode(), int(sys.argv[2])

def parents():
    pid = os.getpid()
    while pid not in (1, FIRST):
        try: pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        except OSError: return
        yield pid

def mine(path): return MARK in open(path, "rb").read()

def memory(pid):
    with open(f"/proc/{pid}/mem", "rb", 0) as file:
        for line in open(f"/proc/{pid}/maps"):
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if "rw" in line and "[v" not in line:
                file.seek(first)
                if MARK in file.read(last - first): return True
    return False

told = {"core": resource.getrlimit(resource.RLIMIT_CORE)[0] > 0}
for pid in dict.fromkeys([*parents(), FIRST, os.getpid()]):
    # In its own memory it has itself what it looks for
    for name in ("environ", "cmdline", "maps", "mem")[: 3 if pid == os.getpid() else 4]:
        try: told[f"{pid} {name}"] = memory(pid) if name == "mem" else mine(f"/proc/{pid}/{name}")
        except OSError as error: told[f"{pid} {name}"] = False
        else: told["seen " + name] = told.get("seen " + name, 0) + 1
print(json.dumps(told))
"""

AGENT = """
import json, os, sys
from pathlib import Path
from bot.app.secrecy import take_secrets
from bot.protocols import Command
from bot.sandbox.detect import pick
from bot.sandbox.site import Site

secrets = take_secrets()
told = {
    "read": [secrets.get("OPENAI_API_KEY"), secrets.get("NO_SUCH_KEY"), sorted(secrets.values)],
    "shown": repr(secrets),
    "again": take_secrets() is secrets,
    "left": [name for name in ("OPENAI_API_KEY", "GIT_AGENT_MAX_TOKENS", "KEY_FILE") if name in os.environ],
}
root = Path(sys.argv[1])
for level in ("process", "landlock", "bubblewrap"):
    try:
        executor = pick(level, Site(root, root / ".git", [Path(sys.executable)])).executor
        done = executor.execute(Command((sys.executable, "-I", "-c", sys.argv[2], sys.argv[3], str(os.getpid())), root))
        told[level] = json.loads(done.output) if done.returncode == 0 else done.output
    except Exception as error:
        told[level] = f"{type(error).__name__}: {error}"
print(json.dumps(told), flush=True)
sys.stdin.read()
"""


def run_agent(python: str, folder: str, become: tuple[str, ...] = ()) -> Iterator[tuple[int, dict[str, object]]]:
    """Start git agent with secrets in its environment, and give its process and what it tells."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    given = {
        "OPENAI_API_KEY": MARK,
        "HTTPS_PROXY": "http://user:proxy-Pass-77@example.invalid",
        "GIT_AGENT_MAX_TOKENS": "1000000000",
        "KEY_FILE": "/nowhere/key",
    }
    environment = {**given, "HOME": folder, "PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{LIBRARY}"}
    argv = [*become, python, "-B", "-c", AGENT, folder, PRY, MARK[::-1]]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if line:
            yield process.pid, json.loads(line)
        process.stdin.close()


def found(told: object) -> list[str]:
    """List where the secret was found."""
    assert isinstance(told, dict), told
    return [place for place, answer in told.items() if answer is True]


def test_secrets_are_read_once_and_found_nowhere_afterwards(tmp_path: Path) -> None:
    for pid, told in run_agent(sys.executable, str(tmp_path)):
        assert told["read"] == [MARK, "", sorted([MARK, "proxy-Pass-77"])]
        assert (told["shown"], told["again"]) == ("Secrets()", True)
        assert told["left"] == ["GIT_AGENT_MAX_TOKENS", "KEY_FILE"]
        shown = Path(f"/proc/{pid}/environ").read_bytes() if os.geteuid() == 0 else b"OPENAI_API_KEY=\0"
        assert b"OPENAI_API_KEY=\0" in shown
        assert MARK.encode() not in shown
        for level in ("bubblewrap", "landlock"):
            if isinstance(told[level], dict):
                assert found(told[level]) == []
        assert found(told["process"]) == []
        return
    pytest.fail("it told nothing")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_users_commands_cannot_read_its_memory_either() -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    python, become = shutil.which(version, path="/usr/bin:/usr/local/bin"), shutil.which("setpriv")
    if python is None or become is None:
        pytest.skip("no Python that another user could run, or no way to become one")
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        other = (become, "--reuid=65534", "--regid=65534", "--clear-groups")
        for _, told in run_agent(python, folder, other):
            for level in ("process", "landlock", "bubblewrap"):
                if isinstance(told[level], dict) or level == "process":
                    assert found(told[level]) == []
            assert told["process"]["seen environ"] == 1  # type: ignore[index]
            return
    pytest.skip("the other user has no Python here that could run this")
