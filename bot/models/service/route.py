"""Where the way to a service begins: its addresses, and a proxy before them."""

import socket
import threading
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from bot.errors import ModelUnreachable
from bot.models.address import is_loopback
from bot.models.service.guard import Guard


def find_proxy(url: str) -> str:
    """Return the proxy that the environment names for an address; none leads to this machine itself."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return ""
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all") or ""
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


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
