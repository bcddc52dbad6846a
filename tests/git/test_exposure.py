"""Credentials that a checkout leaves in its settings are named, wherever they lie, and never repeated."""

from pathlib import Path

import pytest

from bot.git.exposure import find_exposed
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo

SECRET = "AbC123dEf456GhI789jKl012"
HEADER = f"AUTHORIZATION: basic {SECRET}"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = make_repo(tmp_path_factory.mktemp("exposed") / "repo")
    made.commit({"a": "1\n"})
    return made


def found(repo: Repo) -> tuple[str, ...]:
    return find_exposed(open_repository(repo.path))


def test_an_ordinary_checkout_exposes_nothing(plain: Repo) -> None:
    plain.git("remote", "add", "origin", "https://github.com/ann/widgets.git")
    plain.git("remote", "add", "ssh", "ssh://git@github.com/ann/widgets.git")
    plain.git("config", "core.sshCommand", "ssh -o BatchMode=yes")
    plain.git("config", "http.https://github.com/.extraheader", "")
    assert found(plain) == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("http.https://github.com/.extraheader", HEADER),
        ("HTTP.extraHeader", HEADER),
        ("credential.helper", "store"),
        ("credential.https://github.com.helper", f"!f() {{ echo password={SECRET}; }}; f"),
        ("remote.origin.pushurl", f"https://x-access-token:{SECRET}@github.com/ann/widgets.git"),
        ("remote.origin.pushurl", f"https://{SECRET}@github.com/ann/widgets.git"),
        (f"url.https://x:{SECRET}@github.com/.insteadOf", "https://github.com/"),
        ("http.proxy", f"http://me:{SECRET}@proxy:3128"),
        ("http.cookieFile", "/tmp/cookies"),
        ("core.sshCommand", 'ssh -i "/home/runner/work/_temp/key" -o IdentitiesOnly=yes'),
    ],
)
def test_each_kind_is_named_with_its_file_and_without_its_value(plain: Repo, key: str, value: str) -> None:
    plain.git("config", key, value)
    try:
        told = found(plain)
    finally:
        plain.git("config", "--unset-all", key)
    assert len(told) == 1
    assert told[0].endswith(f" in {plain.path}/.git/config")
    assert SECRET not in told[0]


def test_what_is_included_counts_also_on_a_condition_that_does_not_hold(plain: Repo, tmp_path: Path) -> None:
    kept, inner = tmp_path / "git-credentials-1.config", tmp_path / "inner.config"
    inner.write_text(f'[http "https://github.com/"]\n\textraheader = {HEADER}\n')
    kept.write_text(f"[include]\n\tpath = {inner}\n")
    for key in ("include.path", f"includeIf.gitdir:{tmp_path}/elsewhere/.git.path"):
        plain.git("config", key, str(kept))
        told = found(plain)
        plain.git("config", "--unset-all", key)
        assert told == (f"http.https://github.com/.extraheader in {inner}",)


def test_those_of_submodules_count_as_well(plain: Repo) -> None:
    own = plain.path / ".git/modules/lib/deep/config"
    own.parent.mkdir(parents=True)
    own.write_text(f'[http "https://github.com/"]\n\textraheader = {HEADER}\n')
    assert found(plain) == (f"http.https://github.com/.extraheader in {own}",)
    own.unlink()


def test_a_helper_of_the_machine_is_none_of_the_repositorys(
    plain: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everywhere = tmp_path / "gitconfig"
    everywhere.write_text("[credential]\n\thelper = gcloud\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(everywhere))
    assert found(plain) == ()
