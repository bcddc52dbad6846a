"""Reads the values of secrets out of files that are made to hold them, git's settings and the environment."""

import re
from collections.abc import Iterable, Iterator, Mapping
from math import log2

from bot.core.redact import MARK

SHORTEST = 8
"""Characters; shorter values would redact ordinary words."""
MOST_BYTES = 200_000
"""Of one file that are looked at."""
MOST = 200
"""Values that are held; more than that is a data set."""

_VARIABLE = re.compile("TOKEN|KEY|SECRET|PASSW|PASSPHRASE|CREDENTIAL|_HEADERS$", re.IGNORECASE)
"""What is in the names of environment variables whose values never leave this process."""
_OUTRIGHT = re.compile(r"PASSW|PASSPHRASE|(?:TOKEN|KEY|SECRET|CREDENTIALS?)(?:_?\d+)?$", re.IGNORECASE)
"""Names of variables that are nothing but a secret; a word more, as in TOKEN_URL, may say that they are about one."""
_MADE_UP = r"tests?|dummy|fake|mock|example|sample|change_?me|placeholder|insecure|dev|local|not?|undefined|lm-studio"
_MARKED = re.compile(_MADE_UP, re.IGNORECASE)
_FILLING = re.compile(
    rf"{_MADE_UP}|secret|passw(?:or)?d|token|key|my|your|for|only|needed|required|used|set|api|app|sk|user|x|\d{{1,5}}|[._-]",
    re.IGNORECASE,
)
"""What stands, and nothing else, where a secret is wanted and none is needed, as in tests."""
_NAMED = re.compile(
    r"tok(?:en)?$|token|secret|passw|passphrase|credential|auth|pwd|(?:^|[^a-z])(?:pass|pw|key|dsn|salt)(?:[^a-z]|$)|[a-z](?:key|pass)$",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"""^[ \t]*(?:export[ \t]+|set[ \t]+|[-{,][ \t]*)?["']?(?P<name>[A-Za-z_/][\w./:@-]{0,200})["']?[ \t]*"""
    r"""(?:=>|:=|[:=])[ \t]*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<bare>[^\n]*?))"""
    r"""[ \t]*,?[ \t]*(?:[ \t][#;][^\n]*)?\r?$""",
    re.MULTILINE,
)
_INLINE = re.compile(r'"([\w.-]{1,100})"\s*:\s*"((?:[^"\\\n]|\\.)*)"')
_NETRC = re.compile(r"(?:^|\s)(?:password|account)\s+(\S+)")
_USER = re.compile(r"://([^/\s:@\"']*)(?::([^/\s@\"']*))?@")
_PEM = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(.*?)(?:-----END|\Z)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+(?:[ _-][A-Za-z]+)*")
_PLAIN = re.compile(
    r"[\d.,:xX-]+|(?:[a-z][a-z+.-]*://|[./~])\S*|[\w.-]+@[\w.-]+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?|\d{4}-\d\d-\d\d.*|[<$%{].*"
)
"""Numbers, addresses, paths, hosts, dates, references to something else."""
_LINE = re.compile(r"[A-Za-z0-9+/=_.~-]{20,}")
_LONGEST_WORD = 24
_BITS = 3.2
"""Bits a character; text of a person has less when it is as short as a secret."""


def find_values(text: str) -> tuple[str, ...]:
    """Return what looks like a secret in a file that is made to hold some: assignments, private keys, lone tokens."""
    part = text[:MOST_BYTES]
    found = [*_find_keys(part), *_find_named(part), *(password for _, password in find_userinfo(part))]
    found += (match[1] for match in _NETRC.finditer(part) if is_secret("password", match[1]))
    lines = [line.strip() for line in _PEM.sub("", part).splitlines() if line.strip()]
    found += (line for line in lines if _LINE.fullmatch(line) and "=" not in line.rstrip("=") and _looks_random(line))
    return tuple(dict.fromkeys(found))[:MOST]


def find_userinfo(text: str) -> Iterator[tuple[str, str]]:
    """Find who logs in with what in the addresses of a text; a token may stand alone in place of the name."""
    for match in _USER.finditer(text):
        user, password = match[1], match[2] or ""
        if password and is_secret("password", password):
            yield user, password
        if _looks_random(user):
            yield user, user


def find_configured(settings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the secrets in git's settings: logins in addresses, headers, and whatever is named like one."""
    found: list[str] = []
    for key, value in settings:
        name = key.rpartition(".")[2].casefold()
        found += (password for _, password in find_userinfo(f"{key} {value}"))
        if name == "extraheader":
            found += _find_header(value)
        elif _NAMED.search(name) and is_secret(name, value) and name not in ("signingkey", "authoremail"):
            found.append(value)
    return tuple(dict.fromkeys(found))[:MOST]


def _find_header(told: str) -> Iterator[str]:
    """Find what is secret in a header, `NAME: VALUE` or `NAME=VALUE`."""
    header, *rest = re.split("[:=]", told, maxsplit=1)
    words = (word for part in rest for word in part.split())
    yield from (word for word in words if _NAMED.search(header) and is_secret("token", word))


def find_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables that are named like secrets; places and plain words are none."""
    named = ((name, value) for name, value in environ.items() if _VARIABLE.search(name))
    return tuple(dict.fromkeys(each for name, value in named for each in _find_variable(name, value)))


def _find_variable(name: str, value: str) -> Iterator[str]:
    if len(value) < SHORTEST or value.startswith(("/", "~", "./")) or _is_made_up(value):
        return
    yield from (password for _, password in find_userinfo(value))
    if name.upper().endswith("_HEADERS"):
        # Those that an SDK adds to every request, one a line, or as OpenTelemetry writes them
        yield from (word for header in re.split(r"[\n,]", value) for word in _find_header(header))
    elif "\n" in value.strip() or value.lstrip().startswith(("{", "-----BEGIN")):
        # All of a file: what is secret in it, and not what every file of its kind has
        parts = find_values(value)
        yield from parts or (value,)
    elif _OUTRIGHT.search(name) or is_secret(name, value):
        yield value


def secret_names(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of variables that are named like secrets; our own settings and places are none."""
    named = (name for name in environ if _VARIABLE.search(name) and not name.startswith("GIT_AGENT_"))
    return tuple(name for name in named if environ[name] and not environ[name].startswith(("/", "~")))


def is_secret(name: str, value: str) -> bool:
    """Tell whether a value is one that must not be shown, by its name and its looks; ordinary words never are."""
    if len(value) < SHORTEST or value in MARK or "PRIVATE KEY" in value or _PLAIN.fullmatch(value):
        return False
    if _is_made_up(value):
        return False
    if not _NAMED.search(name):
        return _looks_random(value)
    return not _WORD.fullmatch(value) or (len(value) >= _LONGEST_WORD and _looks_random(value))


def _is_made_up(value: str) -> bool:
    return _MARKED.search(value) is not None and not _FILLING.sub("", value)


def _find_keys(text: str) -> Iterator[str]:
    for match in _PEM.finditer(text):
        body = "".join(line.strip() for line in re.split(r"\\n|\\r|[\r\n]", match[1]) if ":" not in line)
        if len(body) >= SHORTEST:
            yield body


def _find_named(text: str) -> Iterator[str]:
    for match in _PAIR.finditer(text):
        value = next((value for value in match.group("double", "single", "bare") if value is not None), "").strip()
        if is_secret(match["name"], value):
            yield value
    for name, value in _INLINE.findall(text):
        if is_secret(name, value):
            yield value


def _looks_random(value: str) -> bool:
    """Tell whether a text looks drawn by lot: long, of letters and digits, without spaces, and evenly spread."""
    if len(value) < 2 * SHORTEST or not value.isascii() or any(c.isspace() for c in value) or _PLAIN.fullmatch(value):
        return False
    kinds = sum((any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value))))
    shares = (value.count(c) / len(value) for c in set(value))
    return kinds > 1 and any(map(str.isdigit, value)) and -sum(share * log2(share) for share in shares) >= _BITS
