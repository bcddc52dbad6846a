"""Where the way to a service begins: its addresses, and a proxy before them."""

import socket
import threading
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from bot.errors import ModelRejected, ModelUnreachable
from bot.models.address import is_loopback
from bot.models.service.guard import Guard

LOGIN = "put it into HTTPS_PROXY, as http://NAME:PASSWORD@HOST:PORT"


class Proxy(NamedTuple):
    """Who is asked to connect us."""

    url: str
    """Without the login."""
    login: tuple[str, str] | None


def find_proxy(url: str) -> Proxy | None:
    """Return the proxy that the environment names for an address; none leads to this machine itself.

    Raises ModelRejected.
    """
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return None
    named = getproxies()
    told = (named.get(parts.scheme) or named.get("all") or "").strip()
    return _read_proxy(told if "://" in told else f"http://{told}") if told else None


def _read_proxy(told: str) -> Proxy:
    try:
        parts = urlsplit(told)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if not host or not host.isascii() or parts.scheme not in ("http", "https"):
        problem = "the proxy of the environment is none that we can use"
        raise ModelRejected(problem, "set HTTPS_PROXY to http://HOST:PORT")
    login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    if login and not "".join(login).isascii():
        raise ModelRejected("the login of the environment's proxy holds letters that cannot be sent", LOGIN)
    shown = f"[{host}]" if ":" in host else host
    return Proxy(f"{parts.scheme}://{shown}" + (f":{port}" if port else ""), login)


def resolve(host: str, port: int, guard: Guard) -> list[str]:
    """Return the addresses of a host. Raises ModelError."""
    found = list[str]()

    def look() -> None:
        try:
            found.extend(str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            found.clear()

    # Nothing bounds the look-up of a name but to leave it
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(guard.patience())
    if thread.is_alive() or not found:
        what = "the look-up of its name takes too long" if thread.is_alive() else "there is no such host"
        raise ModelUnreachable(f"no connection to {host}:{port}: {what}", "check base-url and the network")
    return list(dict.fromkeys(found))
