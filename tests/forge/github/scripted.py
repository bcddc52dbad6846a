"""A server on loopback that answers what it is told to, in order, and remembers what it was asked."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal


@dataclass(frozen=True)
class Say:
    """One answer."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Literal["", "drop", "cut", "drip", "drip headers"] = ""
    """Hang up at once, in the middle, or send letter by letter."""


@dataclass(frozen=True)
class Asked:
    """One request."""

    verb: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class Scripted:
    """The server as a test sees it: the last answer is given again and again."""

    url: str = ""
    script: list[Say] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def play(self, *answers: Say) -> None:
        """Begin anew with these answers."""
        self.script[:] = answers
        self.asked.clear()

    def next(self, asked: Asked) -> Say:
        """Take note of a request and choose its answer."""
        self.asked.append(asked)
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    @property
    def verbs(self) -> Sequence[str]:
        """What it was asked, in short."""
        return [asked.verb for asked in self.asked]


@contextmanager
def serve() -> Iterator[Scripted]:
    """Run such a server."""
    told = Scripted()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            sent = self.rfile.read(length)
            asked = Asked(self.command, self.path, dict(self.headers), json.loads(sent) if sent else None)
            self._send(told.next(asked))

        do_GET = do_POST = do_PATCH = do_PUT = answer  # noqa: N815 - names of the library

        def _send(self, say: Say) -> None:
            if say.fault == "drop":
                self.close_connection = True
                return
            text = say.body if isinstance(say.body, bytes) else json.dumps(say.body).encode()
            lines = [f"HTTP/1.1 {say.status} told", f"Content-Length: {len(text)}"]
            lines += [f"{name}: {value}" for name, value in say.headers.items()]
            head = "\r\n".join([*lines, "", ""]).encode()
            cut = len(text) // 2 if say.fault == "cut" else len(text)
            slow = {"drip": len(head), "drip headers": 0}.get(say.fault, len(head) + cut)
            try:
                self.wfile.write((head + text[:cut])[:slow])
                for byte in (head + text[:cut])[slow : slow + 40]:
                    time.sleep(0.02)
                    self.wfile.write(bytes([byte]))
            except OSError:
                self.close_connection = True
            if say.fault:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
