"""That nothing which asks for a person waits for one."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.sandbox.conftest import Runner


class Asking(BaseHTTPRequestHandler):
    """A server that lets nobody in without a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="private"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def asking() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Asking) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


HELPER = "!f() { echo username=x; echo password=helper-was-asked; echo x >> $TMPDIR/asked; }; f"


def test_git_that_wants_credentials_fails_at_once(run: Runner, asking: int) -> None:
    script = (
        f"git init -q $TMPDIR/r && cd $TMPDIR/r && git config credential.helper '{HELPER}'\n"
        "git fetch -q http://127.0.0.1:1/x; echo refused $?\n"
        f"git fetch -q http://127.0.0.1:{asking}/x; echo asked $?\n"
        f"git fetch -q http://user@127.0.0.1:{asking}/x; echo named $?\n"
        "git commit --allow-empty; echo editor $?\n"
        "test ! -e $TMPDIR/asked"
    )
    done = run.shell(script, network=True)
    assert done.returncode == 0, done.output
    assert done.seconds < 2
    for ended in ("refused 128", "asked 128", "named 128"):
        assert ended in done.output
    assert "editor 0" not in done.output
