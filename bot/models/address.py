"""Where a model service is: an address that a key and a project's code can be sent to."""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from bot.core.escape import line
from bot.errors import ConfigError

LONGEST = 2000
HINT = "such as https://api.example.com/v1, or http://127.0.0.1:8080/v1"

_NEAR = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
"""How names end that no public network knows."""
_CARRIER = ipaddress.ip_network("100.64.0.0/10")
"""Shared by those behind one carrier, and by private networks laid over others."""


def check_address(url: str, origin: str = "base-url") -> str:
    """Return an address without a slash at its end; `origin` is where it was given. Raises ConfigError.

    Over plain http anybody on the way reads the key and the code, so that it is for this machine and networks of one's
    own only. A login or a query may be a secret, is told to nobody here, and does not belong there.
    """
    parts = _split(url)
    if parts is None:
        raise ConfigError(f"{origin}: {line(_plain(url), 100)!r} is not the address of a service", HINT)
    if "@" in parts.netloc:
        raise ConfigError(f"{origin}: there is a login in the address", "leave it out, and give the key by itself")
    if parts.query or parts.fragment:
        text = f"{origin}: there is something behind ? or # in the address"
        raise ConfigError(text, "leave it out, and give the key by itself")
    if parts.scheme == "http" and not is_near(url):
        text = f"{origin}: over http anybody on the way to {show_host(url)} reads the key and the code"
        raise ConfigError(text, "use https; http is for this machine and private networks")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Tell whether an address is one of this machine."""
    parts = _split(url)
    host = (parts.hostname or "") if parts else ""
    found = _number(host)
    return found.is_loopback if found else host == "localhost" or host.endswith(".localhost")


def is_near(url: str) -> bool:
    """Tell whether an address is one of this machine or of a private network."""
    parts = _split(url)
    host = (parts.hostname or "") if parts else ""
    found = _number(host)
    if found is not None:
        carrier = found.version == _CARRIER.version and found in _CARRIER
        return (found.is_private or found.is_loopback or found.is_link_local or carrier) and not found.is_unspecified
    # Names of one word are found in networks of one's own only, such as those of containers; a number is an address
    return host.endswith(_NEAR) or (host[:1].isalpha() and "." not in host)


def show_host(url: str) -> str:
    """Name the host of an address, and its port, for a person to read."""
    parts = _split(url)
    return line(parts.netloc.rpartition("@")[2], 100) if parts else "?"


def _split(url: str) -> SplitResult | None:
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if whole else None


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    # One within the other is the address that is asked
    return found.ipv4_mapped or found if isinstance(found, ipaddress.IPv6Address) else found


def _plain(url: str) -> str:
    """Leave out of what is no address whatever may be a login."""
    scheme, _, rest = url.rpartition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if scheme else rest.rpartition("@")[2]
