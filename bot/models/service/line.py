"""The way to a service: every wait on it is bounded by the guard, and it leads nowhere else.

Loads the HTTP client of the SDKs; import it only where they are.
"""

import logging
import re
import ssl
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore2
import httpx2

from bot.core.escape import line
from bot.errors import ModelDenied, ModelError, ModelRejected, ModelUnreachable
from bot.models.service.guard import Guard
from bot.models.service.packing import find_packing, unpack
from bot.models.service.route import LOGIN, find_proxy, resolve

PIECE = 1 << 18
"""Bytes that are written at once."""
FAULT = 1_000_000
"""Bytes of an error's page that are read."""
ERROR = 300
IDLE = 60.0
"""Seconds that a connection is kept for the next question."""
LOST = (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException)
AUTHORITY = "SSL_CERT_FILE names the certificates of an authority of your own"
LOUD = ("openai", "anthropic", "httpx2", "httpcore2")
"""Loggers that a variable makes write to the terminal what is sent and what comes, past all that hides secrets."""

_SSL = re.compile(r"\[[A-Z\d]+: \w+\] | \(_ssl\.c:\d+\)")
"""What a person can do nothing with."""


class Wire(httpcore2.NetworkStream):
    """One connection."""

    def __init__(self, inner: httpcore2.NetworkStream, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what is there. Raises ModelError where the guard says so."""
        try:
            data = self._inner.read(max_bytes, self._guard.left())
        except httpcore2.ReadTimeout:
            raise self._guard.late() from None
        self._guard.receive(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of it. Raises ModelError where the guard says so."""
        view = memoryview(buffer)
        try:
            for at in range(0, len(view), PIECE):
                self._inner.write(bytes(view[at : at + PIECE]), self._guard.left())
        except httpcore2.WriteTimeout:
            raise self._guard.late() from None

    def close(self) -> None:
        """Hang up."""
        self._inner.close()

    def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        """Secure the connection. Raises ModelUnreachable, ModelRejected."""
        try:
            inner = self._inner.start_tls(ssl_context, server_hostname, self._guard.patience())
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            why = line(_SSL.sub("", str(error))) or "it took too long"
            # A certificate is no better a second later
            kind = ModelRejected if "CERTIFICATE_VERIFY_FAILED" in str(error) else ModelUnreachable
            raise kind(f"no secure connection to {server_hostname}: {why}", f"check base-url; {AUTHORITY}") from None
        return Wire(inner, self._guard)

    def get_extra_info(self, info: str) -> Any:
        """Return what is known of the connection."""
        return self._inner.get_extra_info(info)


class Exchange(httpcore2.NetworkBackend):
    """Makes connections."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        """Connect to the first of a host's addresses that answers. Raises ModelError."""
        problem = ""
        for address in resolve(host, port, self._guard):
            try:
                inner = self._inner.connect_tcp(address, port, self._guard.patience(), local_address, socket_options)
                return Wire(inner, self._guard)
            except httpcore2.ConnectTimeout:
                problem = "nobody answers"
            except httpcore2.ConnectError as error:
                problem = line(str(error).rpartition("] ")[2]).lower()
        raise ModelUnreachable(
            f"no connection to {host}:{port}: {problem}", "start the server there, or check base-url and the network"
        )


class Body(httpx2.SyncByteStream):
    """The body of one answer."""

    def __init__(self, response: httpcore2.Response, guard: Guard, packing: str) -> None:
        self._response = response
        self._guard = guard
        assert isinstance(response.stream, Iterable)
        self._pieces: Iterator[bytes] = iter(response.stream)
        if packing:
            self._pieces = unpack(self._pieces, packing, guard)
        self._whole = False

    def __iter__(self) -> Iterator[bytes]:
        """Give it piece by piece; of an error's page, what comes of it."""
        if self._response.status >= ERROR:
            yield from self._fault()
            return
        try:
            # Not `yield from`, which would hang up as soon as nobody reads on
            for piece in self._pieces:  # noqa: UP028 - see above
                yield piece
        except LOST as error:
            raise self._guard.lost(line(str(error))) from None
        self._whole = True

    def _fault(self) -> Iterator[bytes]:
        self._guard.end()
        size = 0
        try:
            for piece in self._pieces:
                yield piece
                size += len(piece)
                if size > FAULT:
                    return
        except (ModelError, *LOST):
            # The status says what there is to know
            return
        self._whole = True

    def close(self) -> None:
        """Leave the connection: free for the next question where the answer is whole, closed elsewhere."""
        if self._guard.ended and not self._whole:
            self._guard.rest()
            try:
                for _ in self._pieces:
                    pass
            except (ModelError, *LOST):
                pass
        self._response.close()


class Line(httpx2.BaseTransport):
    """Carries the questions to one service."""

    def __init__(self, url: str, guard: Guard) -> None:
        self.guard = guard
        self.pool = _make_pool(url, guard)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask. Raises ModelError."""
        asked = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
        )
        try:
            response = self.pool.handle_request(asked)
        except LOST as error:
            raise self.guard.lost(line(str(error))) from None
        except httpcore2.ProxyError as error:
            raise _read_proxy(error) from None
        self.guard.answered = response.status < ERROR
        headers = httpx2.Headers(response.headers)
        packing = find_packing(headers.pop("content-encoding", ""))
        return httpx2.Response(status_code=response.status, headers=headers, stream=Body(response, self.guard, packing))

    def close(self) -> None:
        """Close all connections."""
        self.pool.close()


def open_line(url: str, guard: Guard) -> httpx2.Client:
    """Open the way to the service at an address, for its SDK. Raises ModelRejected."""
    for name in LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    carrier = Line(url, guard)
    client = httpx2.Client(
        transport=carrier,
        timeout=None,
        trust_env=False,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
    )
    weakref.finalize(client, carrier.pool.close)
    return client


def explain(error: Exception, guard: Guard) -> ModelError:
    """Say what a failure means that an SDK raises for one of the way."""
    causes = list(_causes(error))
    ours = next((cause for cause in causes if isinstance(cause, ModelError)), None)
    return guard.lost(line(str(causes[-1]))) if ours is None else ours


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while error is not None and id(error) not in seen:
        yield error
        seen.add(id(error))
        error = error.__cause__ or error.__context__


def _read_proxy(error: httpcore2.ProxyError) -> ModelError:
    """Say what a proxy answers that does not let us through."""
    said = line(str(error))
    if said.startswith("407"):
        return ModelDenied(f"the proxy asks for a login ({said})", LOGIN)
    return ModelUnreachable(f"the proxy does not get through to the service ({said})", "check base-url and the proxy")


def _make_context() -> ssl.SSLContext:
    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        why = line(_SSL.sub("", error.strerror or str(error)))
        raise ModelRejected(f"the certificates of authorities cannot be read: {why}", AUTHORITY) from None


def _make_pool(url: str, guard: Guard) -> httpcore2.ConnectionPool:
    proxy, exchange = find_proxy(url), Exchange(guard)
    context = _make_context() if proxy or url.startswith("https:") else None
    if proxy is None:
        return httpcore2.ConnectionPool(
            ssl_context=context,
            max_connections=2,
            # Servers nearby close connections that they said they keep, and it costs nothing to make another
            max_keepalive_connections=None if context else 0,
            keepalive_expiry=IDLE,
            network_backend=exchange,
        )
    return httpcore2.HTTPProxy(
        proxy_url=proxy.url,
        proxy_auth=proxy.login,
        ssl_context=context,
        max_connections=2,
        keepalive_expiry=IDLE,
        network_backend=exchange,
    )
