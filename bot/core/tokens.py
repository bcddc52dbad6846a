"""What secrets look like when nobody told us their value."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Form(NamedTuple):
    """One kind of secret: what the groups match, or all of it when there are none, must not be shown."""

    name: str
    quick: re.Pattern[str]
    """Found in every text that matches; begins with fixed letters, because those are fast to look for."""
    pattern: re.Pattern[str]
    sure: bool = True
    """Whether a match is hardly ever anything else, so that a commit may be refused for it."""


def _form(name: str, quick: str, pattern: str, *, sure: bool = True) -> Form:
    return Form(name, re.compile(quick), re.compile(pattern), sure)


_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\dm))"
"""Where a word starts; also after an escaped line end, or after what is left of a colour."""
_HEAD = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_TAIL = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PART = r"[^\s/:@\"'`{}<>$\[\]\\]"

FORMS = (
    _form("a GitHub token", "gh[pousr]_[A-Za-z0-9_.-]{16}", r"gh[pousr]_[A-Za-z0-9_.-]{16,}"),
    _form("a GitHub token", "github_pat_[A-Za-z0-9_]{16}", r"github_pat_[A-Za-z0-9_]{16,}"),
    _form("a GitLab token", "glpat-", r"glpat-[A-Za-z0-9_.-]{16,}"),
    _form(
        "an API key",
        "sk-[A-Za-z0-9_-]{20}",
        rf"{_START}sk-(?=[A-Za-z_-]{{0,200}}[0-9])[A-Za-z0-9_-]{{20,}}"
        r"|sk-(?=[A-Za-z_-]{0,200}[0-9])(?=[a-z0-9_-]{0,200}[A-Z])[A-Za-z0-9_-]{20,}",
    ),
    _form(
        "a cloud key",
        "A(?:[KS]IA|Iza)[0-9A-Za-z_-]{16}",
        r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])|AIza[0-9A-Za-z_-]{35}",
    ),
    _form("a Slack token", "x(?:ox[a-z]|app)-", r"(?:xox[a-z]-|xapp-)(?=[A-Za-z-]{0,200}[0-9])[A-Za-z0-9-]{10,}"),
    _form("an npm token", "npm_[A-Za-z0-9]{36}", r"npm_[A-Za-z0-9]{36,}"),
    _form("a PyPI token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{16,}"),
    _form("a Hugging Face token", "hf_[A-Za-z0-9]{30}", r"hf_[A-Za-z0-9]{30,}"),
    _form(
        "a signed token",
        "eyJ[A-Za-z0-9_-]{10}",
        rf"{_START}eyJ[A-Za-z0-9_-]{{10,1500}}\.eyJ[A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}}",
    ),
    _form(
        "a private key",
        "PRIVATE KEY",
        rf"{_HEAD}(?:[^\"'`-]{{1,20000}}{_TAIL}|(?:(?:\\[nr]|\s)+[-+ ]?[A-Za-z0-9+/=]{{16,}})+)",
    ),
    _form(
        "a password in a URL",
        "://[^/@\\s]{1,600}@",
        rf"://(?:({_PART}{{0,200}}:{_PART}{{1,400}})|([A-Za-z0-9_.-]{{20,400}}))(?=@)",
        sure=False,
    ),
    _form(
        "credentials in a header",
        "earer|EARER|uthorization|UTHORIZATION",
        r"(?i:(?<=a)uthorization\W{1,8}(?:basic|bearer|token)\s+([A-Za-z0-9+/=._~-]{8,}))"
        r"|(?i:(?<=b)earer)\s+((?=[A-Za-z+/=._~-]{0,200}[0-9])[A-Za-z0-9+/=._~-]{20,})",
        sure=False,
    ),
)
_KEY_HEAD = re.compile(_HEAD)


def name_secrets(text: str) -> Iterator[str]:
    """Name each kind of secret that a line surely holds."""
    for form in FORMS:
        if form.sure and form.quick.search(text) and (form.pattern.search(text) or _KEY_HEAD.search(text)):
            yield form.name
