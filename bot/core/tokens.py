"""What secrets look like when nobody told us their value."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Form(NamedTuple):
    """One kind of secret: what the groups match, or all of it when there are none, must not be shown."""

    name: str
    quick: tuple[re.Pattern[str], ...]
    """One of these is found in every text that matches; each begins with fixed letters, which is fast."""
    pattern: re.Pattern[str]
    sure: bool = True
    """Whether a match is hardly ever anything else, so that a commit may be refused for it."""

    def occurs(self, text: str) -> bool:
        """Say whether there may be a match."""
        return any(quick.search(text) for quick in self.quick)


def _form(name: str, quick: str | tuple[str, ...], pattern: str, *, sure: bool = True) -> Form:
    found = (quick,) if isinstance(quick, str) else quick
    return Form(name, tuple(map(re.compile, found)), re.compile(pattern), sure)


_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=\dm))"
"""Where a word starts; also after an escaped line end, or after what is left of a colour."""
_END = r"(?![A-Za-z0-9])"
_HEAD = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_TAIL = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PART = r"[^\s/:@\"'`{}<>$\[\]\\]"

_MADE_UP = (
    r"(?i:[a-z][\w.-]{0,20})?:(?i:pass(?:w(?:or)?d|wd)?|pwd?|secret|foo|ba[rz]|guest|root|admin|test|user(?:name)?|"
    r"postgres|mysql|redis|rabbit(?:mq)?|example|changeme|hunter|x{1,9}|\*{1,9}|proxypass|[a-z])@"
)
"""What stands before a host in manuals and tests: nobody is let in with it."""


def _prefixed(name: str, prefixes: str, body: str) -> Form:
    """Make a form of what begins with fixed letters, which nothing else begins with."""
    first = "|".join(map(re.escape, prefixes.split()))
    return _form(name, first, rf"{_START}(?:{first}){body}{_END}")


_WORD = re.compile(r"[A-Za-z0-9_.-]{20,}")
"""What holds all of a token of the first kind."""

WORDS = (
    _form("a GitHub token", "gh[pousr]_", r"gh[pousr]_(?=[A-Za-z_.-]{0,200}[0-9])[A-Za-z0-9_.-]{16,}"),
    _form("a GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{16,}"),
    _form(
        "a GitLab token",
        "gl[a-z]{2,6}-|GR1348941",
        rf"(?:gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-|{_START}GR1348941)(?=[A-Za-z_.-]{{0,200}}[0-9])"
        r"[A-Za-z0-9_.-]{16,}",
    ),
    _form(
        "an API key",
        "sk-[A-Za-z0-9_-]{20}",
        rf"{_START}sk-(?=[A-Za-z_-]{{0,200}}[0-9])[A-Za-z0-9_-]{{20,}}"
        r"|sk-(?=[A-Za-z_-]{0,200}[0-9])(?=[a-z0-9_-]{0,200}[A-Z])[A-Za-z0-9_-]{20,}",
    ),
    _form(
        "a cloud key",
        "A(?:[KS]IA|BIA|CCA|Iza)[0-9A-Za-z_-]{16}",
        r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Z])|AIza[0-9A-Za-z_-]{35}",
    ),
    _prefixed("a Google secret", "GOCSPX- ya29.", r"(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{20,}"),
    _form(
        "a Slack token",
        "xox[a-z][-.]|xapp-",
        r"(?:xox[a-z][-.]|xapp-)(?=[A-Za-z.-]{0,200}[0-9])[A-Za-z0-9.-]{10,}",
    ),
    _form("an npm token", "npm_[A-Za-z0-9]{36}", r"npm_[A-Za-z0-9]{36,}"),
    _form("a PyPI token", "pypi-Ag", r"pypi-Ag[A-Za-z0-9_-]{16,}"),
    _form("a Hugging Face token", "hf_|api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    _prefixed(
        "a Stripe key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ whsec_",
        "(?=[A-Za-z_]{0,200}[0-9])[A-Za-z0-9_]{16,}",
    ),
    _form("a Twilio key", "SK[0-9a-f]{32}", rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    _form("a SendGrid key", r"SG\.", rf"{_START}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,64}}"),
    _form(
        "a Discord token",
        r"[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.",
        r"(?<![\w.-])[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{27,38}(?![\w.-])",
    ),
    _prefixed("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{40,}"),
    _prefixed("a Shopify token", "shpat_ shpss_ shpca_ shppa_", "[a-fA-F0-9]{32}"),
    _prefixed("a Square token", "sq0atp- sq0csp- EAAAE", "(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{22,}"),
    _prefixed("a Databricks token", "dapi", "[a-f0-9]{32}(?:-[0-9])?"),
    _form("a Terraform token", r"[A-Za-z0-9]{14}\.atlasv1", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,}"),
    _form("a Mailchimp key", "[0-9a-f]{32}-us[0-9]", rf"{_START}[0-9a-f]{{32}}-us[0-9]{{1,2}}{_END}"),
    _form("a Mailgun key", "key-[0-9a-f]{32}", rf"{_START}key-[0-9a-f]{{32}}{_END}"),
    _form("an Artifactory key", "AKCp", rf"{_START}AKCp[A-Za-z0-9]{{60,}}{_END}"),
    _form("an age key", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _prefixed(
        "an access token",
        """
            glsa_ glc_ lin_api_ lin_oauth_ ntn_ PMAK- PMAT- pul- rubygems_ r8_ gsk_ xai- pplx- sbp_ figd_ figu_ fm2_
            pscale_tkn_ pscale_pw_ pscale_oauth_ NRAK- NRRA- sntrys_ sntryu_ dp.pt. dp.st. dp.ct. EZAK EZTK xkeysib-
            xsmtpsib- tfp_ CFPAT- HRKU- duffel_live_ shippo_live_ nfp_ phx_ tskey- dckr_pat_ dckr_oat_ hvs. hvb.
            ATATT3 ATCTT3 ATSTT3 BBDC-
        """,
        "(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_.-]{20,}={0,2}",
    ),
    _form(
        "a signed token",
        "eyJ[A-Za-z0-9_-]{10}",
        rf"{_START}eyJ[A-Za-z0-9_-]{{10,1500}}\.eyJ[A-Za-z0-9_-]{{10,}}\.[A-Za-z0-9_-]{{10,}}",
    ),
)
"""Tokens that are one word; texts without long words need not be looked through for each."""

FORMS = (
    _form(
        "a secret key of AWS",
        ("aws", "AWS", "Aws", "ecret_?[aA]ccess", "ECRET_?ACCESS"),
        r"(?i:(?:aws[\w .-]{0,20}(?:secret|key|pwd|pw|password|pass|token)|secret_?access_?key)[\w ]{0,20}[\"']?\s{0,3}"
        r"(?:=>|[:=]{1,2})\s{0,3}[\"']?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _form(
        "an Azure key",
        ("AccountKey=", "SharedAccessKey="),
        "(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,86}={1,2})",
    ),
    _form("an Azure secret", "Q~", rf"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}}{_END}"),
    _form(
        "a webhook",
        (r"hooks\.slack\.com/", "/api/webhooks/", r"webhook\.office\.com/"),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})"
        r"|discord(?:app)?\.com/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{40,})"
        r"|webhook\.office\.com/webhookb2/([0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-z]{32}\S{0,100})",
    ),
    _form("an npm token", "_authToken", r"_authToken\s?=\s?[\"']?([A-Za-z0-9_+/=-]{20,})"),
    _form("a Telegram token", ":A[A-Za-z0-9_-]{34}", r"(?<![\w:])([0-9]{8,10}:A[A-Za-z0-9_-]{34})(?![\w-])"),
    _form(
        "a private key",
        "PRIVATE KEY",
        rf"{_HEAD}(?:[^\"'`-]{{1,20000}}{_TAIL}|(?:(?:\\[nr]|\s)+[-+ ]?[A-Za-z0-9+/=]{{16,}})+)",
    ),
    _form(
        "a password in a URL",
        "://[^/@\\s]{1,600}@",
        rf"://(?:(?!{_MADE_UP})({_PART}{{0,200}}:{_PART}{{1,400}})|([A-Za-z0-9_.-]{{20,400}}))(?=@)",
        sure=False,
    ),
    _form(
        "credentials in a header",
        ("earer", "EARER", "uthorization", "UTHORIZATION"),
        r"(?i:(?<=a)uthorization\W{1,8}(?:basic|bearer|token))\s+((?=[a-z._~-]{0,200}[A-Z0-9+/=])[A-Za-z0-9+/=._~-]{8,})"
        r"|(?i:(?<=b)earer)\s+((?=[A-Za-z+/=._~-]{0,200}[0-9])[A-Za-z0-9+/=._~-]{20,})",
        sure=False,
    ),
)

ASSIGNED = _form(
    "a value that is named a secret",
    "[0-9]",
    r"(?i:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key)\w{0,20}\\?[\"']?\s{0,3}"
    r"(?:=>|[:=]{1,2})\s{0,3}\\?[\"'](?=[^\"']{0,200}[0-9])(?=[^\"']{0,200}[a-z])(?=[^\"']{0,200}[A-Z])"
    r"([A-Za-z0-9_+/=.~-]{20,200})\\?[\"']",
    sure=False,
)

LONGEST_DUMMY = 200
"""Characters; longer ones, such as keys, are real: nobody makes them up."""
_KEY_HEAD = re.compile(rf"{_HEAD}(?:\s*$|\\[nr])")
_DUMMY = re.compile(r"(?i:example|placeholder|redacted|dummy|your[_-]|changeme|insert[_-])|(.)\1{4}")
"""What stands in manuals where a secret would be."""


def find_forms(text: str) -> list[Form]:
    """Return the forms that may match somewhere in a text."""
    words = "\n".join(set(_WORD.findall(text)))
    found = [form for form in WORDS if form.occurs(words)] if words else []
    found += [form for form in FORMS if form.occurs(text)]
    return [*found, ASSIGNED] if words and ASSIGNED.occurs(words) else found


def _is_dummy(match: re.Match[str]) -> bool:
    """Say whether a match is what manuals write in place of a secret."""
    told = match[match.lastindex or 0]
    return len(told) <= LONGEST_DUMMY and _DUMMY.search(told) is not None


def name_secrets(text: str) -> Iterator[str]:
    """Name each kind of secret that a line surely holds."""
    for form in find_forms(text):
        matches = (match for match in form.pattern.finditer(text) if not _is_dummy(match))
        if form.sure and next(matches, None) is not None:
            yield form.name
    if _KEY_HEAD.search(text):
        yield "a private key"
