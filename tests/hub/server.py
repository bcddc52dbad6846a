"""The HTTP side of the stand-in: faults, tokens, the contract, and only then the answer."""

import json
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias, cast
from urllib.parse import parse_qsl, urlsplit

from tests.hub import remote
from tests.hub.answers import graph
from tests.hub.calls import ROUTES, Answer, Call, Refused, refusal
from tests.hub.contract.openapi import Contract, Operation
from tests.hub.faults import Fault
from tests.hub.world import Token, World

Json: TypeAlias = Any
Said: TypeAlias = tuple[dict[str, str], dict[str, str], Json]
"""What is in the path, in the query and in the body."""
API = "/api/v3"
GRAPH = "/api/graphql"
VERSIONS = ("2022-11-28", "2026-03-10")
PAGE = b"<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>"
HOUR = 5000


@dataclass(frozen=True)
class Asked:
    """A request as it came, and what became of it."""

    method: str
    path: str
    """Below the root of the interface; git's and graph's own paths whole."""
    query: str
    body: Json
    authorized: bool
    """Whether a credential came with it."""
    login: str
    """Whose; empty where it is nobody's."""
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict, repr=False)


@dataclass
class Desk:
    """What all threads of a server share."""

    world: World
    contract: Contract
    api: str = ""
    server: str = ""
    logs: str = ""
    lock: "threading.RLock" = field(default_factory=threading.RLock)
    faults: list[Fault] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    """Requests that GitHub's description does not allow."""
    lies: list[str] = field(default_factory=list)
    """Answers of our own that it does not allow."""

    def fault_for(self, method: str, path: str) -> Fault | None:
        """Return what goes wrong with a request."""
        with self.lock:
            return next((fault for fault in self.faults if fault.takes(method, path)), None)


class Server(ThreadingHTTPServer):
    """A server on loopback that knows its desk."""

    daemon_threads = True
    request_queue_size = 64
    block_on_close = False

    def __init__(self, desk: Desk, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.desk = desk
        self._open = True
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while self._open:
            self.handle_request()

    def close(self) -> None:
        """Stop at once; the loop of the library would look only now and then whether it is to."""
        self._open = False
        self.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; a mistake of ours fails the test that met it."""
        kind, error, _ = sys.exc_info()
        if kind is not None and not issubclass(kind, ConnectionError):
            self.desk.lies.append("".join(traceback.format_exception(error)))


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def desk(self) -> Desk:
        """What all threads share."""
        return cast("Server", self.server).desk

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        """Answer until the client goes."""
        with suppress(ConnectionError):
            super().handle()

    def __getattr__(self, name: str) -> Any:
        """Every method is answered alike."""
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self) -> None:
        """Answer one request."""
        desk, split = self.desk, urlsplit(self.path)
        body = self._body()
        path = split.path.removeprefix(API) if split.path.startswith(API + "/") else split.path
        fault = desk.fault_for(self.command, path)
        if fault is not None and not fault.after:
            self._note(path, split.query, _readable(body), "", 0 if fault.manner == "drop" else fault.status)
            if self._break(fault):
                return
        if remote.is_git(split.path) and not split.path.startswith("/api/"):
            self._serve_git(split.path, split.query, body, fault)
        else:
            self._serve_interface(path, split.path, split.query, body, fault)

    def _serve_git(self, path: str, query: str, body: bytes, fault: Fault | None) -> None:
        desk, headers = self.desk, {name.lower(): value for name, value in self.headers.items()}
        asked = remote.GitRequest(self.command, path, query, headers, body)
        token = desk.world.tokens.get(remote.credential(headers) or "")
        reply = remote.answer(desk.world, asked)
        if asked.writes:
            with desk.lock:
                desk.world.settle(token.account if token else None)
        self._note(path, query, None, token.account.login if token else "", reply.status)
        if fault is None or not self._break(fault):
            self._send(reply.status, reply.headers, reply.body)

    def _serve_interface(self, path: str, whole: str, query: str, body: bytes, fault: Fault | None) -> None:
        desk = self.desk
        with desk.lock:
            token = desk.world.tokens.get(_bearer(self.headers.get("Authorization", "")))
            try:
                answer = self._answer(path, whole, query, body, token)
            except Refused as refused:
                answer = refused.answer
            self._note(path, query, _readable(body), token.account.login if token else "", answer.status)
        if fault is None or not self._break(fault):
            sent = b"" if answer.value is None else json.dumps(answer.value).encode()
            kind = [("Content-Type", "application/json; charset=utf-8")] if sent else []
            self._send(answer.status, [*kind, *answer.headers, *self._limits()], sent)

    def _answer(self, path: str, whole: str, query: str, body: bytes, token: Token | None) -> Answer:
        desk = self.desk
        self._check_headers()
        if token is None:
            said = "Bad credentials" if self.headers.get("Authorization") else "Requires authentication"
            raise Refused(401, said) if said[0] == "B" or desk.world.settings.private else Refused(404, "Not Found")
        told = _parsed(body)
        desk.world.settle()
        if whole == GRAPH:
            value, faults = graph.run(self._call("POST", GRAPH, ({}, {}, told), token))
            desk.violations += faults
            return Answer(200, value)
        if not whole.startswith(API + "/"):
            raise Refused(404, "Not Found")
        path = self._present_path(path, query)
        found = desk.contract.find(self.command, path)
        if found is None:
            desk.violations.append(f"{self.command} {path}: no such operation in the contract")
            raise Refused(404, "Not Found")
        asked = (found[1], dict(parse_qsl(query, keep_blank_values=True)), told)
        return self._operate(found[0], path, asked, token)

    def _operate(self, operation: Operation, path: str, said: Said, token: Token) -> Answer:
        desk, call = self.desk, self._call(self.command, path, said, token)
        self._refuse_unseen(call)
        if faults := operation.faults(*said):
            desk.violations += [f"{self.command} {path}: {fault}" for fault in faults]
            raise Refused(422, "Invalid request.\n\n" + "\n".join(faults))
        chosen = ROUTES[self.command, operation.path]
        if chosen.wanted:
            call.demand(chosen.wanted)
        answer = chosen.handler(call)
        value = operation.complete(answer.status, answer.value, desk.server)
        desk.lies += operation.lies(answer.status, value)
        return answer._replace(value=value)

    def _call(self, method: str, path: str, said: Said, token: Token) -> Call:
        desk = self.desk
        return Call(desk.world, token, method, path, *said, desk.api, desk.server, desk.logs)

    def _check_headers(self) -> None:
        if not self.headers.get("User-Agent"):
            said = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
            raise Refused(403, said)
        version = self.headers.get("X-GitHub-Api-Version")
        if version is not None and version not in VERSIONS:
            self.desk.violations.append(f"X-GitHub-Api-Version: {version}")
            raise Refused(400, f"{version} is not a supported version of the API.")

    def _present_path(self, path: str, query: str) -> str:
        """Return the path under the name that the repository has now; ask to come again where it had another."""
        world = self.desk.world
        by_id = f"/repositories/{world.id}"
        if path == by_id or path.startswith(by_id + "/"):
            return f"/repos/{world.full_name}{path.removeprefix(by_id)}"
        parts = path.split("/")
        if parts[1] == "repos" and "/".join(parts[2:4]).lower() in world.former:
            rest = "".join(f"/{part}" for part in parts[4:])
            url = f"{self.desk.api}{by_id}{rest}{'?' if query else ''}{query}"
            refused = Refused(301 if self.command == "GET" else 307, "Moved Permanently", None, [("Location", url)])
            refused.answer.value["url"] = url
            raise refused
        return path

    def _refuse_unseen(self, call: Call) -> None:
        """Refuse what the token may not even see: other repositories, and a private one for strangers."""
        world, owner = call.world, call.params.get("owner")
        if owner is None:
            return
        here = f"{owner}/{call.params['repo']}".lower() == world.full_name.lower()
        stranger = not call.token.installation and world.role(call.token.account.login)[0] == "none"
        if not here or stranger:
            raise Refused(404, "Not Found")
        if world.settings.archived and call.method != "GET":
            raise Refused(403, "Repository was archived so is read-only.")

    def _limits(self) -> Iterable[tuple[str, str]]:
        world, used = self.desk.world, len(self.desk.requests)
        yield from {
            "X-RateLimit-Limit": str(HOUR),
            "X-RateLimit-Remaining": str(max(0, HOUR - used)),
            "X-RateLimit-Reset": str(int(world.now()) + 3600),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Resource": "core",
            "X-GitHub-Request-Id": f"HUB:{used}",
            "X-GitHub-Media-Type": "github.v3; format=json",
        }.items()

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the stand-in's time, which may be another than ours."""
        return super().date_time_string(self.desk.world.now() if timestamp is None else timestamp)

    def _break(self, fault: Fault) -> bool:
        """Let it go wrong; tell whether that was the whole answer."""
        if fault.manner == "slow":
            time.sleep(fault.seconds)
            return False
        if fault.manner == "drop":
            self.close_connection = True
        elif fault.manner == "html":
            self._send(200, [("Content-Type", "text/html; charset=utf-8")], PAGE)
        else:
            sent = json.dumps(refusal(fault.status, fault.words)).encode()
            headers = {"Content-Type": "application/json", **dict(self._limits()), **fault.headers}
            self._send(fault.status, headers.items(), sent, cut=fault.manner == "cut")
        return True

    def _send(self, status: int, headers: Iterable[tuple[str, str]], body: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        self.close_connection = self.close_connection or cut

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _note(self, path: str, query: str, body: Json, login: str, status: int) -> None:
        desk, authorized = self.desk, bool(self.headers.get("Authorization"))
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() != "authorization"}
        with desk.lock:
            desk.requests.append(Asked(self.command, path, query, body, authorized, login, status, headers))


class LogHandler(BaseHTTPRequestHandler):
    """Where logs lie: another host, which wants a signed address and no token."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        """Give a log."""
        desk = cast("Server", self.server).desk
        split, authorized = urlsplit(self.path), bool(self.headers.get("Authorization"))
        status, body = self._found(desk, split.path, split.query) if not authorized else (403, b"AuthenticationFailed")
        with desk.lock:
            desk.requests.append(Asked("GET", f"logs:{split.path}", split.query, None, authorized, "", status))
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _found(self, desk: Desk, path: str, query: str) -> tuple[int, bytes]:
        wanted = path.removeprefix("/logs/")
        with desk.lock:
            jobs = [job for run in desk.world.runs.values() for job in run.jobs if str(job.id) == wanted]
        if query != "sig=signed" or not jobs or jobs[0].log is None:
            return 404, b"BlobNotFound"
        return 200, jobs[0].log


def _bearer(text: str) -> str:
    kind, _, value = text.partition(" ")
    return value.strip() if kind.lower() in ("bearer", "token") else ""


def _parsed(body: bytes) -> Json:
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError:
        raise Refused(400, "Problems parsing JSON") from None


def _readable(body: bytes) -> Json:
    """Return a body for the list of requests, whatever it is."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")
