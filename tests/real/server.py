"""The server of llama.cpp in a process of its own, which tests start, look into and kill."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

PYTHON = Path(sys.prefix) / "share/real/bin/python"
"""The environment that `make real` sets up."""
MODEL = "smollm2"
WAIT = 60.0
"""Seconds until it must be ready."""


def why_not() -> str:
    """Say why the tests cannot be run; empty where they can."""
    if not os.environ.get("REAL_MODEL"):
        return "a real model is asked by `make real` only"
    return "" if PYTHON.exists() else "`make real` sets it up"


class RealServer:
    """Serves with a window of so many tokens, at the same port each time that it is started."""

    def __init__(self, window: int, log: Path) -> None:
        self.window = window
        self.log = log
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """Its address as a person would type it for chat completions."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> float:
        """Start it, and return after how many seconds it was ready."""
        since = time.monotonic()
        argv = [str(PYTHON), "-I", str(Path(__file__).with_name("serving.py")), str(self.port), str(self.window)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise AssertionError(f"it did not start: {self.log.read_text()[-2000:]}")
        return time.monotonic() - since

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def await_words(self, tokens: int) -> None:
        """Wait until it is so many tokens into a reply."""
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            slot = self.look("/slots")[0]
            if slot["is_processing"] and slot.get("next_token", [{}])[0].get("n_decoded", 0) >= tokens:
                return
            time.sleep(0.02)
        raise AssertionError("it never replied")

    def look(self, path: str) -> Any:
        """Return what it tells of itself."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        connection.request("GET", path)
        told = json.loads(connection.getresponse().read())
        connection.close()
        return told

    def memory(self) -> int:
        """Return the megabytes that it holds."""
        assert self._process is not None
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1000
