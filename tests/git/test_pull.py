"""Pull requests from real remotes: a bare repository on disk, over git's own protocol and over HTTP."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.git.pull import Asked, Pull, choose_remote, fetch_pull, read_request
from bot.git.repository import open_repository
from tests.conftest import Repo

FORGE = "https://forge.example.invalid/team/calc"


class Forge:
    """A bare repository with pull requests, and a clone of it that knows nothing of them."""

    def __init__(self, repo: Repo, place: Path) -> None:
        self.bare = Repo(place / "calc.git")
        self.base = repo.git("rev-parse", "HEAD")
        repo.git("clone", "-q", "--bare", str(repo.path), str(self.bare.path))
        repo.git("checkout", "-q", "-b", "work")
        self.tip = repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "right")
        repo.git("tag", "v1")
        repo.git("push", "-q", str(self.bare.path), f"{self.tip}:refs/pull/12/head", "v1")
        self.merge = repo.commit({"new.py": "x = 1\n"}, "more")
        repo.git("push", "-q", str(self.bare.path), f"{self.merge}:refs/merge-requests/7/head")
        repo.git("checkout", "-q", "main")
        self.default = repo.commit({"other.py": "y = 2\n"}, "main went on")
        repo.git("push", "-q", str(self.bare.path), "main")
        self.bare.git("update-server-info")

    def clone(self, place: Path, *options: str, url: str = "") -> Repo:
        """Clone as a person does."""
        self.bare.git("clone", "-q", *options, url or self.bare.path.as_uri(), str(place))
        return Repo(place)


@pytest.fixture
def forge(repo: Repo, tmp_path: Path) -> Forge:
    return Forge(repo, tmp_path)


def everything(repo: Repo) -> dict[str, bytes]:
    """Return the content of each file that is no object."""
    files = (path for path in repo.path.rglob("*") if path.is_file() and ".git/objects" not in str(path))
    return {str(path): path.read_bytes() for path in files}


def fetch(repo: Repo, what: str) -> Pull:
    asked = read_request(what)
    assert asked is not None
    return fetch_pull(open_repository(repo.path), asked)


@pytest.mark.parametrize("what", ["#12", "!12"])
def test_pull_request_is_fetched_without_a_trace(forge: Forge, tmp_path: Path, what: str) -> None:
    clone = forge.clone(tmp_path / "clone", "--no-tags")
    # All that would make an ordinary fetch write more
    clone.git("config", "remote.origin.tagOpt", "--tags")
    clone.git("config", "--add", "remote.origin.fetch", "+refs/pull/*/head:refs/remotes/origin/pr/*")
    clone.git("config", "fetch.prune", "true")
    clone.git("config", "fetch.writeCommitGraph", "true")
    clone.git("update-ref", "refs/remotes/origin/gone", "HEAD")
    clone.git("reset", "-q", "--hard", forge.base)
    clone.git("update-ref", "refs/remotes/origin/main", forge.base)
    before, refs = everything(clone), clone.git("for-each-ref")
    pull = fetch(clone, what)
    assert pull == Pull(12, "origin", "refs/pull/12/head", forge.tip, "main", forge.base)
    assert clone.git("cat-file", "-t", forge.tip) == "commit"
    assert everything(clone) == before
    assert clone.git("for-each-ref") == refs


def test_merge_request_is_found_under_its_own_name(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    assert fetch(clone, "!7").ref == "refs/merge-requests/7/head"
    assert fetch(clone, "#7").tip == forge.merge


def test_shallow_clone_stays_as_shallow_as_it_was(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone", "--depth=1")
    shallow = (clone.path / ".git/shallow").read_bytes()
    with pytest.raises(UsageError, match="no commit in common with main") as caught:
        fetch(clone, "#12")
    assert "unshallow" in caught.value.hint
    assert (clone.path / ".git/shallow").read_bytes() == shallow
    clone.git("fetch", "-q", "--unshallow")
    assert fetch(clone, "#12").base == forge.base


def test_missing_pull_request_is_told_in_a_line(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    clone.git("remote", "add", "upstream", "/nowhere/upstream.git")
    with pytest.raises(UsageError, match="origin has no pull request 99") as caught:
        fetch(clone, "!99")
    assert "upstream" in caught.value.hint


def test_pull_request_that_is_merged_is_told_as_such(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    forge.bare.git("update-ref", "refs/pull/13/head", forge.base)
    with pytest.raises(UsageError, match="everything in pull request 13 is in main already"):
        fetch(clone, "#13")


def test_remote_that_does_not_answer_is_told_in_a_line_without_its_password(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", "http://me:verysecret@127.0.0.1:9/team/calc.git")
    with pytest.raises(UsageError, match="pull request 12 could not be asked for") as caught:
        fetch(clone, "#12")
    assert "verysecret" not in str(caught.value)
    assert "\n" not in caught.value.message
    clone.git("remote", "set-url", "origin", str(tmp_path / "gone.git"))
    with pytest.raises(UsageError, match="could not be asked for"):
        fetch(clone, "#12")


def test_remote_without_a_default_branch_is_told(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    forge.bare.git("symbolic-ref", "HEAD", "refs/heads/absent")
    with pytest.raises(UsageError, match="does not say which branch is its default"):
        fetch(clone, "#12")


def test_repository_without_a_remote_is_told(repo: Repo) -> None:
    with pytest.raises(UsageError, match="no remote"):
        fetch(repo, "#12")


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("git@forge.example.invalid:team/calc.git", f"{FORGE}/pull/12"),
        ("ssh://git@forge.example.invalid:2222/team/calc", f"{FORGE}/pull/12/files#diff-1"),
        ("https://me:secret@forge.example.invalid/Team/Calc.git/", f"{FORGE}/pulls/12?w=1"),
        ("https://forge.example.invalid/group/team/calc", FORGE.replace("team", "group/team") + "/-/merge_requests/12"),
        ("git@ssh.github.com:o/r.git", "https://www.github.com/o/r/pull/12"),
    ],
)
def test_address_of_a_page_chooses_the_remote_that_it_belongs_to(repo: Repo, url: str, what: str) -> None:
    repo.git("remote", "add", "origin", "https://forge.example.invalid/somebody/calc.git")
    repo.git("remote", "add", "theirs", url)
    asked = read_request(what)
    assert asked is not None
    assert asked.number == 12
    assert choose_remote(open_repository(repo.path), asked) == "theirs"


@pytest.mark.parametrize(
    "what",
    [f"{FORGE}-other/pull/12", FORGE.replace("https", "http") + "/pull/12", FORGE.replace(".e", "x.e") + "/pull/12"],
)
def test_address_of_another_repository_is_refused(repo: Repo, what: str) -> None:
    repo.git("remote", "add", "origin", f"{FORGE}.git")
    asked = read_request(what)
    assert asked is not None
    with pytest.raises(UsageError, match="no remote of this repository is") as caught:
        choose_remote(open_repository(repo.path), asked)
    assert caught.value.hint == "there are origin"


def test_remote_is_the_tracked_one_then_origin_then_the_only_one(repo: Repo) -> None:
    asked = Asked(12, ("refs/pull/12/head",))
    repo.git("remote", "add", "fork", "/fork.git")
    assert choose_remote(open_repository(repo.path), asked) == "fork"
    repo.git("remote", "add", "upstream", "/upstream.git")
    with pytest.raises(UsageError, match="several remotes"):
        choose_remote(open_repository(repo.path), asked)
    repo.git("remote", "add", "origin", "/origin.git")
    assert choose_remote(open_repository(repo.path), asked) == "origin"
    repo.git("config", "branch.main.remote", "upstream")
    assert choose_remote(open_repository(repo.path), asked) == "upstream"
    repo.git("config", "branch.main.remote", ".")
    assert choose_remote(open_repository(repo.path), asked) == "origin"


@pytest.mark.parametrize("what", ["12", "#0", "#", "#012", "pr/", "pull/x", "main", "a..b", "#12..#13", "pull/12/head"])
def test_what_is_no_pull_request_is_left_to_others(what: str) -> None:
    assert read_request(what) is None


@pytest.mark.parametrize("what", [FORGE, "https://", "http://[/pull/1", f"{FORGE}/issues/12", f"{FORGE}/pull/abc"])
def test_address_that_is_no_pull_request_is_refused(what: str) -> None:
    with pytest.raises(UsageError, match="not the address of a pull request"):
        read_request(what)


@given(st.text(max_size=60), st.sampled_from(["", "#", "!", "pr/", "https://", "https://h/o/r/pull/"]))
def test_any_text_is_understood_or_refused_in_order(text: str, start: str) -> None:
    try:
        asked = read_request(start + text)
    except UsageError:
        return
    assert asked is None or (asked.number > 0 and all(str(asked.number) in form for form in asked.forms))


class _Backend(BaseHTTPRequestHandler):
    """A web server that hands everything to git http-backend."""

    root = ""

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _serve(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.decode().split(": ", 1) for line in head.split(b"\r\n") if b": " in line]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(root: Path, handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    bound = type("Bound", (handler,), {"root": str(root)})
    with ThreadingHTTPServer(("127.0.0.1", 0), bound) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.skipif(
    not (Path(subprocess.getoutput("git --exec-path")) / "git-http-backend").exists(), reason="git has no http-backend"
)
def test_pull_request_comes_over_http_by_the_address_of_its_page(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "www" / "team").mkdir(parents=True)
    shutil.move(forge.bare.path, tmp_path / "www/team/calc.git")
    with served(tmp_path / "www", _Backend) as address:
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", f"{address}/team/calc.git", str(clone)], check=True)
        pull = fetch(Repo(clone), f"{address}/team/calc/pull/12")
        assert (pull.tip, pull.base) == (forge.tip, forge.base)
        Repo(clone).git("remote", "set-url", "origin", f"{address}/team/absent.git")
        with pytest.raises(UsageError, match="could not be asked for"):
            fetch(Repo(clone), "#12")


class _Closed(BaseHTTPRequestHandler):
    """A web server that asks for a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_remote_that_wants_a_password_asks_nobody(forge: Forge, tmp_path: Path) -> None:
    clone = forge.clone(tmp_path / "clone")
    with served(tmp_path, _Closed) as address:
        clone.git("remote", "set-url", "origin", f"{address}/team/calc.git")
        with pytest.raises(UsageError, match="Authentication failed"):
            fetch(clone, "#12")
