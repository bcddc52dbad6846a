"""What becomes of a request when GitHub does not simply answer it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.errors import (
    ConfigError,
    ForgeDenied,
    ForgeError,
    ForgeLimited,
    ForgeNotFound,
    ForgeRejected,
    ForgeUnavailable,
    MalformedAnswer,
)
from bot.forge.github.client import GitHub
from bot.forge.github.patience import Patience
from tests.forge.github.scripted import Say, Scripted

TOKEN = "ghs_0123456789abcdefghijABCDEFGHIJ456789"
DATE = "Mon, 01 Jan 2029 10:00:00 GMT"
NOW = 1861956000
WHEN = "2029-01-01T10:00:00Z"
ISSUE = {"number": 5, "title": "it fails", "state": "open"}
COMMENT = {"id": 7, "body": "hello", "created_at": WHEN, "updated_at": WHEN}
END = {"sha": "a" * 40, "ref": "agent/x", "repo": {"id": 1, "full_name": "o/r"}}
PULL = {"number": 9, "title": "t", "body": "b", "state": "open", "head": END, "base": {**END, "ref": "main"}}
HTML = Say(200, b"<html>a proxy</html>", {"Content-Type": "text/html"})


@dataclass
class Person:
    """A client that waits without losing time, and remembers what it said and waited."""

    github: GitHub
    waits: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def person(forge: Scripted, **more: Any) -> Person:
    waits: list[float] = []
    said: list[str] = []
    patience = Patience(connect=0.2, read=0.15, whole=0.3, log=0.3, sleep=waits.append, **more)
    return Person(GitHub(forge.url, TOKEN, "o/r", patience=patience, log=said.append), waits, said)


def fault(status: int, message: str = "", *errors: str, **headers: str) -> Say:
    body = {"message": message, "errors": [{"code": "custom", "message": error} for error in errors]}
    return Say(status, body, {"Date": DATE, **{name.replace("_", "-"): value for name, value in headers.items()}})


def ask(github: GitHub) -> object:
    return github.issue(5).number


def comment(github: GitHub) -> object:
    return github.create_comment(5, "hello").id


def open_pull(github: GitHub) -> object:
    return github.create_pull("t", "b", "agent/x", "main", draft=True).number


def label(github: GitHub) -> object:
    return github.add_labels(5, ["agent"])


OK = Say(200, ISSUE)
NO_PULLS = Say(200, [])
MADE = Say(201, PULL)
INTEGRATION = "Resource not accessible by integration"
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
TOO_LONG = fault(422, "Validation Failed", "body is too long (maximum is 65536 characters)")
EXISTS = fault(422, "Validation Failed", "A pull request already exists for o:agent/x.")
NOTHING = fault(422, "Validation Failed", "No commits between main and agent/x")
NO_DRAFTS = fault(422, "Draft pull requests are not supported in this repository.")
NO_NODE = fault(422, "Validation Failed", "Could not resolve to a node with the global id of 'x'.")
ARCHIVED = fault(403, "Repository was archived so is read-only.")
PROTECTED = fault(422, "Cannot update this protected ref.")
ODD = fault(500, x_ratelimit_remaining="inf", x_ratelimit_limit="x")
BAD = fault(502)
LOST = Say(201, COMMENT, {"Date": DATE}, "cut")
LATE = Say(200, [{**COMMENT, "created_at": "2100-01-01T00:00:00Z"}])
AWAY = Say(301, {}, {"Location": "https://evil.invalid/x"})


def spent(seconds: int, message: str = "no") -> Say:
    return fault(403, message, x_ratelimit_remaining="0", x_ratelimit_reset=str(NOW + seconds))


@dataclass(frozen=True)
class Case:
    name: str
    act: Callable[[GitHub], object]
    script: Sequence[Say]
    outcome: object
    verbs: str
    waits: Sequence[float] = ()
    says: str = ""


CASES = (
    Case("bad token", ask, [fault(401, "Bad credentials")], ForgeDenied, "G", says="does not accept the token"),
    Case("no permission", ask, [fault(403, INTEGRATION)], ForgeDenied, "G", says="issues: read"),
    Case(
        "no permission, named by GitHub",
        open_pull,
        [NO_PULLS, fault(403, INTEGRATION, x_accepted_github_permissions="pull_requests=write,contents=read; x=read")],
        ForgeDenied,
        "GP",
        says="pull-requests: write, contents: read",
    ),
    Case(
        "setting of the repository",
        open_pull,
        [NO_PULLS, fault(403, "GitHub Actions is not permitted to create or approve pull requests.")],
        ForgeDenied,
        "GP",
        says="setting of the repository",
    ),
    Case("single sign-on", ask, [fault(403, "x", x_github_sso="required")], ForgeDenied, "G", says="authorize"),
    Case("archived", comment, [ARCHIVED], ForgeDenied, "P", says="archived"),
    Case("secondary limit without a word", ask, [fault(403, SECONDARY), OK], 5, "GG", [60], "no more requests"),
    Case("limit that says when", ask, [fault(429, "", retry_after="1"), OK], 5, "GG", [1]),
    Case("limit until a date", ask, [fault(429, "", retry_after=DATE.replace("00:00", "00:03")), OK], 5, "GG", [3]),
    Case("limit by headers alone", ask, [spent(2), OK], 5, "GG", [2]),
    Case("limit for an hour", ask, [spent(3600)], ForgeLimited, "G", says="11:00:00 UTC"),
    Case("limit on a change", comment, [fault(403, SECONDARY, retry_after="2"), Say(201, COMMENT)], 7, "PP", [2]),
    Case("counters that are none", ask, [ODD, OK], 5, "GG", [1]),
    Case("not there", ask, [fault(404, "Not Found")], ForgeNotFound, "G"),
    Case("deleted", ask, [fault(410, "This issue was deleted")], ForgeNotFound, "G"),
    Case("at fault thrice", ask, [fault(500), BAD, fault(504), OK], 5, "GGGG", [1, 2, 4]),
    Case("at fault for good", ask, [fault(503)], ForgeUnavailable, "GGGG", [1, 2, 4], "503 at GET /issues/5"),
    Case("at fault, says when", ask, [fault(503, retry_after="7"), OK], 5, "GG", [7]),
    Case("page of a proxy", ask, [HTML], MalformedAnswer, "G"),
    Case("fields that lack", ask, [Say(200, {"number": 5, "title": ""})], MalformedAnswer, "G", says="state: Field"),
    Case("nothing at all", ask, [Say(200, b"")], MalformedAnswer, "G"),
    Case("list for an object", ask, [Say(200, [ISSUE])], MalformedAnswer, "G"),
    Case("accepted, not done", ask, [Say(202, {})], MalformedAnswer, "G"),
    Case("hung up", ask, [Say(fault="drop"), OK], 5, "GG", [1]),
    Case("broken off", ask, [Say(200, ISSUE, fault="cut"), OK], 5, "GG", [1]),
    Case("letter by letter", ask, [Say(200, ISSUE, fault="drip"), OK], 5, "GG", [1], "no whole answer came in time"),
    Case("headers letter by letter", ask, [Say(200, ISSUE, fault="drip headers"), OK], 5, "GG", [1], "in time"),
    Case("other host", ask, [AWAY], MalformedAnswer, "G", says="another host"),
    Case("no host", ask, [Say(301, {}, {"Location": "http://[::1"})], MalformedAnswer, "G"),
    Case("renamed", ask, [Say(301, {}, {"Location": "/repositories/1/issues/5"}), OK], 5, "GG"),
    Case("circle", ask, [Say(301, {}, {"Location": "/x"})], MalformedAnswer, "GGG", says="in a circle"),
    Case("moved issue", ask, [Say(200, {**ISSUE, "number": 6})], ForgeNotFound, "G"),
    # Changes: never sent again before a look at what became of them
    Case("comment that was made", comment, [BAD, Say(200, [COMMENT])], 7, "PG", [1]),
    Case("comment that was not", comment, [BAD, NO_PULLS, Say(201, COMMENT)], 7, "PGP", [1]),
    Case("comment, answer lost", comment, [LOST, LATE], 7, "PG", [1]),
    Case("comment, answer no answer", comment, [HTML, NO_PULLS], MalformedAnswer, "PG", [1]),
    Case("comment, nobody knows", comment, [BAD, fault(404)], ForgeUnavailable, "PG", [1], "cannot be seen"),
    Case("comment too long", comment, [TOO_LONG], ("too_long",), "P"),
    Case("pull request that is there", open_pull, [Say(200, [PULL])], 9, "G"),
    Case("pull request that was made", open_pull, [NO_PULLS, BAD, Say(200, [PULL])], 9, "GPG", [1]),
    Case("pull request that was not", open_pull, [*(NO_PULLS, BAD) * 2, NO_PULLS, MADE], 9, "GPGPGP", [1, 2]),
    Case("pull request, exists", open_pull, [NO_PULLS, EXISTS, Say(200, [PULL])], 9, "GPG"),
    Case("pull request, nothing in it", open_pull, [NO_PULLS, NOTHING], ("nothing",), "GP"),
    Case("pull request, no drafts", open_pull, [NO_PULLS, NO_DRAFTS, NO_PULLS, MADE], 9, "GPGP"),
    Case("branch is protected", comment, [PROTECTED], ("protected",), "P"),
    Case("node unknown yet", label, [Say(200, {}), NO_NODE, Say(200, [])], ("agent",), "GPP", [1]),
    Case("node unknown for good", label, [Say(200, {}), NO_NODE], (), "GPPPP", [1, 2, 4]),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_fault_has_its_outcome_requests_and_waits(forge: Scripted, case: Case) -> None:
    forge.play(*case.script)
    client = person(forge)
    told = ""
    if isinstance(case.outcome, type):
        with pytest.raises(ForgeError) as raised:
            case.act(client.github)
        assert type(raised.value) is case.outcome
        told = f"{raised.value.message} {raised.value.hint}"
    elif isinstance(case.outcome, tuple) and case.act is not label:
        with pytest.raises(ForgeRejected) as rejected:
            case.act(client.github)
        assert (rejected.value.reason,) == case.outcome
    else:
        assert case.act(client.github) == case.outcome
    assert "".join(verb[0] for verb in forge.verbs) == case.verbs
    assert [round(wait) for wait in client.waits] == list(case.waits)
    assert sum(client.waits) <= Patience().waiting
    assert case.says in "\n".join([told, *client.said])
    assert TOKEN not in "\n".join([told, *client.said])


def test_patience_is_for_all_requests_together(forge: Scripted) -> None:
    forge.play(fault(503, retry_after="25"))
    client = person(forge)
    for _ in range(3):
        with pytest.raises(ForgeUnavailable):
            client.github.issue(5)
    assert client.waits == [25, 25]


def test_a_server_that_does_not_listen_is_unavailable() -> None:
    client = person(Scripted(url="http://127.0.0.1:1"), attempts=2)
    with pytest.raises(ForgeUnavailable, match="failed or broke off"):
        client.github.issue(5)
    assert client.waits == [1]


def test_a_list_is_whole_or_an_error(forge: Scripted) -> None:
    first = [{**COMMENT, "id": number} for number in range(100)]
    link = {"Link": '<https://api.github.com/x?page=2>; rel="next"'}
    client = person(forge)
    forge.play(Say(200, first, link), Say(200, [COMMENT]))
    assert len(client.github.comments(5)) == 101
    forge.play(Say(200, first), Say(200, []))  # a proxy took the header
    assert len(client.github.comments(5)) == 100
    forge.play(Say(200, first, link), fault(404))
    with pytest.raises(ForgeNotFound):
        client.github.comments(5)
    forge.play(Say(200, first, link), Say(200, [], link))
    with pytest.raises(MalformedAnswer, match="breaks off at page 2"):
        client.github.comments(5)
    forge.play(Say(200, {"total_count": 2, "jobs": [{"id": 1, "name": "test"}]}))
    with pytest.raises(MalformedAnswer, match="2 jobs"):
        client.github.jobs(1, 1)
    forge.play(Say(200, first, link))
    with pytest.raises(ForgeRejected, match="longer than 10000"):
        client.github.comments(5)


def test_a_renamed_repository_keeps_what_was_asked(forge: Scripted) -> None:
    client = person(forge)
    forge.play(Say(307, {}, {"Location": f"{forge.url}/repositories/1/issues/5/comments"}), Say(201, COMMENT))
    assert client.github.create_comment(5, "hello").id == 7
    assert [(a.verb, a.path, a.body) for a in forge.asked] == [
        ("POST", "/repos/o/r/issues/5/comments", {"body": "hello"}),
        ("POST", "/repositories/1/issues/5/comments", {"body": "hello"}),
    ]


def test_the_token_goes_to_github_and_nowhere_else(
    forge: Scripted, store: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login person password of-the-person\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    client = person(forge)
    forge.play(Say(302, b"", {"Location": f"{store.url}/log?sig=secret"}))
    store.play(Say(503, b""), Say(200, b"\xef\xbb\xbfred \xff\n", {"Content-Type": "text/plain"}))
    assert client.github.log(3) == "red \ufffd\n"
    assert [a.headers.get("Authorization") for a in forge.asked] == [f"token {TOKEN}"]
    assert len(store.asked) == 2
    assert [a.headers.get("Authorization") for a in store.asked] == [None, None]
    assert TOKEN not in repr(store.asked)
    assert "secret" not in "\n".join(client.said)
    assert TOKEN not in repr(client.github)


def test_logs_that_are_gone_are_none_and_long_ones_keep_their_end(forge: Scripted, store: Scripted) -> None:
    client = person(forge)
    for gone in (410, 404):
        forge.play(fault(gone, "Gone"))
        assert client.github.log(3) is None
    lost = Say(302, b"", {"Location": f"{store.url}/log"})
    for status in (403, 404):
        forge.play(lost)
        store.play(Say(status, b"<Error/>"))
        assert client.github.log(3) is None
    store.play(Say(200, b"x" * (9 << 20) + b"the end"))
    long = client.github.log(3)
    assert long is not None
    assert len(long) == 8 << 20
    assert long.endswith("xthe end")
    forge.play(fault(403, INTEGRATION))
    with pytest.raises(ForgeDenied, match="actions: read"):
        client.github.log(3)
    store.play(Say(200, b"slow" * 100, fault="drip"))
    forge.play(lost)
    with pytest.raises(ForgeUnavailable):
        person(forge, attempts=1).github.log(3)


def test_permission_is_none_unless_github_says_otherwise(forge: Scripted) -> None:
    client = person(forge)
    user = {"id": 1, "login": "Ann", "type": "User"}
    table: Sequence[tuple[str, str | None, object, str]] = (
        ("admin", "admin", user, "admin"),
        ("write", "maintain", user, "maintain"),
        ("write", "write", user, "write"),
        ("write", "release-crew", user, "write"),
        ("read", "triage", user, "triage"),
        ("read", "admin", user, "read"),  # a role of an organization may have any name
        ("none", None, user, "none"),
        ("owner", "owner", user, "none"),
        ("write", "write", None, "none"),
    )
    for permission, role, who, expected in table:
        forge.play(Say(200, {"permission": permission, "role_name": role, "user": who}))
        assert client.github.permission("ann") == expected, (permission, role)
    forge.play(fault(404, "Not Found"))
    assert client.github.permission("ann") == "none"
    for login in ("", "..", "a/b", "a?b", "ann\n"):
        assert client.github.permission(login) == "none"
    assert len(forge.asked) == 1
    forge.play(Say(200, {"permission": "admin", "user": {"id": 2, "login": "eve", "type": "User"}}))
    with pytest.raises(MalformedAnswer):
        client.github.permission("ann")
    for status, expectation in ((403, ForgeDenied), (500, ForgeUnavailable)):
        forge.play(fault(status, "no"))
        with pytest.raises(expectation):
            client.github.permission("ann")


def test_a_token_of_an_app_is_nobody(forge: Scripted) -> None:
    client = person(forge)
    forge.play(fault(403, INTEGRATION))
    assert client.github.whoami() is None
    forge.play(fault(401, "Bad credentials"))
    with pytest.raises(ForgeDenied):
        client.github.whoami()
    assert [asked.path for asked in forge.asked] == ["/user"]


def test_names_of_branches_stay_names(forge: Scripted) -> None:
    client = person(forge)
    forge.play(Say(200, {"ref": "refs/heads/a b/#?%", "object": {"sha": "c" * 40, "type": "commit"}}))
    assert client.github.branch_tip("a b/#?%") == "c" * 40
    assert [asked.path for asked in forge.asked] == ["/repos/o/r/git/ref/heads/a%20b/%23%3F%25"]
    assert client.github.branch_tip("other") == ""
    forge.play(fault(500))
    for name in ("../../user", "a/../../b", "a//b", "", "."):
        assert client.github.branch_tip(name) == ""
    assert forge.asked == []
    forge.play(fault(409, "Git Repository is empty."))
    assert client.github.branch_tip("main") == ""


def test_pull_requests_of_others_are_not_ours(forge: Scripted) -> None:
    client = person(forge)
    fork = {**PULL, "number": 10, "head": {**END, "repo": {"id": 2, "full_name": "o/other"}}}
    gone = {**PULL, "number": 11, "head": {**END, "repo": None}, "user": None, "body": None}
    forge.play(Say(200, [fork, gone, {**PULL, "number": 12, "head": {**END, "ref": "y"}}, PULL]))
    assert [pull.number for pull in client.github.pulls(head="agent/x")] == [9]
    assert [pull.head_repository for pull in client.github.pulls()] == ["o/other", "", "o/r", "o/r"]


@pytest.mark.parametrize(
    ("api", "token", "repository"),
    [
        ("api.github.com", TOKEN, "o/r"),
        ("https://user:pass@h/", TOKEN, "o/r"),
        ("https://h", "", "o/r"),
        ("https://h", "a\nb", "o/r"),
        ("https://h", TOKEN, "o/.."),
        ("https://h", TOKEN, "o/r/../../x"),
    ],
)
def test_what_the_runner_says_is_looked_at_first(api: str, token: str, repository: str) -> None:
    with pytest.raises(ConfigError) as raised:
        GitHub(api, token, repository)
    assert TOKEN not in raised.value.message


def test_addresses_of_other_sites_follow_from_their_api() -> None:
    table = (
        ("https://api.github.com", "https://github.com", "https://api.github.com/graphql"),
        ("https://hub.firm.example/api/v3", "https://hub.firm.example", "https://hub.firm.example/api/graphql"),
        ("https://api.firm.ghe.com", "https://firm.ghe.com", "https://api.firm.ghe.com/graphql"),
    )
    for api, site, graph in table:
        github = GitHub(api, TOKEN, "o/r")
        assert (github.site, github.graph) == (site, graph)
