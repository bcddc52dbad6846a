"""Which repository at GitHub is meant, and which server a token is shown to."""

import pytest

from bot.app.github.home import Site, choose, find_site
from bot.app.github.issue import read_name
from bot.errors import ConfigError, UsageError
from bot.git.pull import Place, Remote, read_place

SITE = find_site({})


@pytest.mark.parametrize(
    ("environ", "site"),
    [
        ({}, ("https://github.com", "https://api.github.com", "")),
        ({"GITHUB_SERVER_URL": ""}, ("https://github.com", "https://api.github.com", "")),
        ({"GITHUB_SERVER_URL": "https://ghe.example/"}, ("https://ghe.example", "https://ghe.example/api/v3", "")),
        ({"GITHUB_SERVER_URL": "https://x.ghe.com"}, ("https://x.ghe.com", "https://api.x.ghe.com", "")),
        (
            {"GITHUB_API_URL": "https://api.example", "GITHUB_GRAPHQL_URL": "https://api.example/graphql"},
            ("https://github.com", "https://api.example", "https://api.example/graphql"),
        ),
    ],
)
def test_the_interfaces_follow_from_the_server_unless_they_are_named(environ: dict[str, str], site: Site) -> None:
    assert find_site(environ) == site


@pytest.mark.parametrize("url", ["http://github.com", "ftp://github.com", "github.com", "https://", "https://[x"])
def test_a_token_goes_to_no_address_that_is_not_safe(url: str) -> None:
    with pytest.raises(ConfigError, match="GITHUB_SERVER_URL is no address that a token may be sent to"):
        find_site({"GITHUB_SERVER_URL": url})


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Octo/Widgets.git",
        "https://www.github.com/octo/widgets/",
        "https://ann:secret@github.com/octo/widgets",
        "git@github.com:octo/widgets.git",
        "ssh://git@github.com:22/octo/widgets",
        "ssh://git@ssh.github.com:443/octo/widgets.git",
    ],
)
def test_a_repository_is_known_by_any_address_of_it(url: str) -> None:
    assert choose([Remote("origin", url)], SITE, None) == ("origin", "octo/widgets")


def test_origin_is_meant_unless_a_page_says_otherwise() -> None:
    fork, source = Remote("origin", "git@github.com:ann/widgets"), Remote("upstream", "https://github.com/octo/widgets")
    assert choose([source, fork], SITE, None) == ("origin", "ann/widgets")
    page = read_name("https://github.com/Octo/Widgets/issues/12#issuecomment-1").page
    assert choose([source, fork], SITE, page) == ("upstream", "octo/widgets")
    assert choose([source], SITE, None) == ("upstream", "octo/widgets")
    with pytest.raises(UsageError, match="several remotes"):
        choose([source, fork._replace(name="mine")], SITE, None)


@pytest.mark.parametrize(
    ("remotes", "hint"),
    [
        ([], "git remote add origin https://github.com/OWNER/NAME.git"),
        ([Remote("origin", "https://evil.example/octo/widgets")], "GITHUB_SERVER_URL=https://evil.example if that is"),
        ([Remote("origin", "work:octo/widgets")], "git remote add github https://github.com/OWNER/NAME.git"),
        ([Remote("origin", "/srv/widgets.git")], "git remote add github"),
        ([Remote("origin", "https://github.com.evil.example/octo/widgets")], "if that is a GitHub of its own"),
        ([Remote("origin", "https://github.com:444/octo/widgets")], "git remote add github"),
        ([Remote("origin", "https://github.com/octo")], "git remote add github"),
    ],
)
def test_no_other_server_is_shown_the_token(remotes: list[Remote], hint: str) -> None:
    for page in (None, read_place("https://evil.example/octo/widgets")):
        with pytest.raises(UsageError, match="no remote") as caught:
            choose(remotes, SITE, page)
        assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("what", "number", "page"),
    [
        ("12", 12, None),
        ("#12", 12, None),
        ("https://github.com/octo/widgets/issues/12", 12, Place("github.com", 443, "octo/widgets")),
        ("https://ghe.example:8443/o/w/issues/7?x=1#y", 7, Place("ghe.example", 8443, "o/w")),
    ],
)
def test_an_issue_is_named_by_number_or_address(what: str, number: int, page: Place | None) -> None:
    assert read_name(what) == (number, page)


@pytest.mark.parametrize(
    "what", ["", "0", "twelve", "-1", "١٢", "https://github.com/o/w", "o/w#12", "ftp://x/o/w/issues/1"]
)
def test_what_is_no_issue_is_refused_with_an_example(what: str) -> None:
    with pytest.raises(UsageError, match="not an issue") as caught:
        read_name(what)
    assert "https://github.com/OWNER/NAME/issues/12" in caught.value.hint
    with pytest.raises(UsageError, match="#3 is a pull request"):
        read_name("https://github.com/o/w/pull/3")
