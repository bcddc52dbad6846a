"""A model service on loopback: takes requests of all wires, and answers, or does not, as it is told."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, NamedTuple, Self, TypeAlias

from tests.served.said import Json

Wire: TypeAlias = Literal["openai", "responses", "anthropic"]
"""The chat completions of OpenAI, its Responses, and the messages of Anthropic."""
WIRES: tuple[Wire, ...] = ("openai", "responses", "anthropic")
_LARGEST = 100_000_000
_TLS = 0x16
"""The byte that a client begins with who wants a secure connection."""


class Request(NamedTuple):
    """A request as it came."""

    at: float
    """Seconds since some moment; only differences count."""
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in small letters."""
    body: bytes

    @property
    def json(self) -> Json:
        """The body, read; an empty object where it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    @property
    def wire(self) -> Wire:
        """The wire that it speaks."""
        last = self.path.rpartition("/")[2]
        return "anthropic" if last == "messages" else "responses" if last == "responses" else "openai"


@dataclass
class Line:
    """One conversation: what is done with its first request, its second, and so on; the last goes on for ever."""

    acts: Sequence["Act"]
    requests: list[Request] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    """Set once nobody listens any more: what holds a connection lets go of it."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, request: Request) -> tuple[int, "Act"]:
        """Note a request, and return its number, counted from 0, and what is done with it."""
        with self.lock:
            number = len(self.requests)
            self.requests.append(request)
        return number, self.acts[min(number, len(self.acts) - 1)]


@dataclass
class Exchange:
    """One request, and the connection that it came on."""

    socket: socket.socket
    request: Request
    line: Line
    number: int
    open: bool = True

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a whole answer; the connection stays."""
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Whatever')}"]
        lines += [f"{name}: {value}" for name, value in {"Content-Length": str(len(body)), **headers}.items()]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    def begin(self, kind: str = "text/event-stream", *, chunked: bool = True) -> None:
        """Begin an answer of unknown length; where it is not chunked it ends with the connection."""
        how = "Transfer-Encoding: chunked" if chunked else "Connection: close"
        self.send(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nCache-Control: no-cache\r\n{how}\r\n\r\n".encode())

    def chunk(self, data: bytes) -> None:
        """Send a part of an answer that is chunked; an empty one ends it."""
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def reset(self) -> None:
        """Break the connection off, as a machine does that went down."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def finish(self) -> None:
        """Say that nothing more comes, and go on listening."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the connection."""
        self.open = False
        self.socket.close()

    def hold(self, seconds: float | None = None) -> bool:
        """Do nothing for a while, or until nobody listens; say whether somebody still does."""
        return not self.line.over.wait(seconds)


Act: TypeAlias = Callable[[Exchange], None]

_REASONS = {200: "OK", 307: "Temporary Redirect", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Error"}


def nobody(exchange: Exchange) -> None:
    """Answer what belongs to no line."""
    exchange.answer(404, b'{"error": {"message": "there is nothing here"}}', {"Content-Type": "application/json"})


class Server:
    """Listens until it is closed.

    A line is found by the first part of the path, else by the model that is asked for, else it is the nameless one.
    """

    def __init__(self, port: int = 0) -> None:
        self.lines: dict[str, Line] = {"": Line([nobody])}
        self.broken: list[str] = []
        """Mistakes of ours, which no client may take for misbehaviour."""
        self._listener = socket.create_server(("127.0.0.1", port), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def line(self, acts: Sequence[Act], name: str = "") -> Line:
        """Say what is done with the requests of a line."""
        made = self.lines[name] = Line(acts)
        return made

    def url(self, wire: Wire, name: str = "", *, scheme: str = "http") -> str:
        """Return the address that a client of a wire is given."""
        root = f"{scheme}://127.0.0.1:{self.port}" + (f"/{name}" if name else "")
        return root if wire == "anthropic" else f"{root}/v1"

    def close(self) -> None:
        """Stop listening, and let go of every connection."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for line in list(self.lines.values()):
            line.over.set()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, suppress(OSError):
            while True:
                request = read_request(connection)
                if request is None:
                    return
                if request.method == "GET":
                    _list_models(connection)
                    continue
                line = self._find(request)
                number, act = line.take(request)
                exchange = Exchange(connection, request, line, number)
                self._do(act, exchange)
                if not exchange.open:
                    return

    def _do(self, act: Act, exchange: Exchange) -> None:
        try:
            act(exchange)
        except OSError:
            exchange.close()
        except Exception as error:
            self.broken.append(f"{exchange.request.path}: {error!r}")
            exchange.close()
            raise

    def _find(self, request: Request) -> Line:
        first = request.path.lstrip("/").partition("/")[0]
        if first in self.lines:
            return self.lines[first]
        told = request.json
        model = told.get("model", "") if isinstance(told, dict) else ""
        return self.lines.get(str(model), self.lines[""])


def _list_models(connection: socket.socket) -> None:
    """Name a model to those who look whether somebody is there; no line hears of it."""
    body = b'{"object": "list", "data": [{"id": "small", "object": "model", "type": "model", "display_name": "Small"}]}'
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)


def read_request(connection: socket.socket) -> Request | None:
    """Read one request; None when the other side has gone. A hello of TLS is a request of the method `TLS`."""
    head = connection.recv(65536)
    while head and head[0] != _TLS and b"\r\n\r\n" not in head:
        more = connection.recv(65536)
        if not more or len(head) > _LARGEST:
            return None
        head += more
    if not head:
        return None
    if head[0] == _TLS:
        return Request(time.monotonic(), "TLS", "", {}, head)
    begun, _, body = head.partition(b"\r\n\r\n")
    first, *lines = begun.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    wanted = min(int(headers.get("content-length", "0") or 0), _LARGEST)
    parts = [body]
    left = wanted - len(body)
    while left > 0:
        parts.append(connection.recv(min(left, 1 << 20)))
        if not parts[-1]:
            return None
        left -= len(parts[-1])
    method, path, *_ = [*first.split(" "), ""]
    return Request(time.monotonic(), method, path.partition("?")[0], headers, b"".join(parts))
