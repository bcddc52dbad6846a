import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.change import readable
from bot.core.paths import (
    fold,
    list_sensitive,
    refuse_collision,
    refuse_mention,
    refuse_new_path,
    refuse_path,
    refuse_read,
    unescape,
)

HOSTILE = [
    "",
    "/etc/passwd",
    "//server/share",
    "C:\\x",
    "c:/x",
    "\\\\server\\share",
    "..",
    "../x",
    "a/../b",
    "a/..",
    "a/.. /b",
    "a\\..\\b",
    "a\u200b/..\u200b/b",
    "\\x2e\\x2e/x",
    ".git",
    ".git/config",
    "a/.git/hooks/pre-commit",
    ".GIT/config",
    ".Git",
    ".git/",
    ".git.",
    ".git ",
    ".git. . /x",
    "git~1",
    "GIT~1/config",
    "git~2",
    ".git::$INDEX_ALLOCATION/x",
    ".git:stream",
    ".g\u200cit/config",
    ".gi\u200dt",
    ".g\u00adit",
    "\ufeff.git",
    ".\u202egit",
    ".g\\u200cit/config",
    ".g\U000e0067it",
    ".\uff47it",
    ".\u0262\u200bit/../x",
    "\uff0egit",
    ".g\u0131t",
    ".git\\config",
    "a\\.git\\config",
    "a\\b",
    "a\0b",
    "a\\x00b",
    "\ud800",
    "a" * 5000,
]


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_path_is_refused_with_one_line(path: str) -> None:
    reason = refuse_path(path)
    assert reason
    assert reason.isprintable()
    assert refuse_new_path(path)
    assert refuse_read(path)


@pytest.mark.parametrize(
    "path",
    [
        "calc.py",
        "./calc.py",
        ".",
        "src/",
        " lead",
        "trail ",
        "--",
        "tab\\tname",
        "new\\nline",
        '"q".py',
        "naïve ü.py",
        "caf\\xe9.py",
        "a[1].py",
        ":y.py",
        ".github/workflows/x.yml",
        ".gitignore",
        ".gitattributes",
        "git.py",
        "digit~1x",
        "x.git/HEAD",
        "..x/...y",
        "a..b",
        "日本語.py",
        "e\\u0301.py",
    ],
)
def test_odd_but_honest_path_may_be_used(path: str) -> None:
    assert refuse_path(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "tab\tname",
        "new\\nline",
        "a\x1b[31m.py",
        "a\u202eyp.exe",
        "zero\u200bwidth.py",
        "caf\\xe9.py",
        ".gitmodules",
        "sub/.GITMODULES",
        "x/gitmod~1",
        "n" * 201,
        "ü" * 101,
        " lead.py",
        "trail.py ",
        "dot.",
        "a:b",
        "what?.py",
        "a|b",
        "nul",
        "AUX.py",
        "com1.txt",
        "-rf",
        "~root",
        "a/-x/b",
    ],
)
def test_path_that_may_exist_must_not_be_created(path: str) -> None:
    assert refuse_new_path(path)


def test_every_hidden_character_is_found_in_a_new_name() -> None:
    unseen = [chr(n) for n in range(1, 0x3000) if unicodedata.category(chr(n)) in ("Cc", "Cf", "Zl", "Zp")]
    assert [c for c in unseen if refuse_new_path(f"a{c}b") is None] == []


@pytest.mark.parametrize("path", ["src/new_module.py", "docs/Grüße.md", "pages/[id].tsx", ".gitignore", "a/./b.py"])
def test_ordinary_path_may_be_created(path: str) -> None:
    assert refuse_new_path(path) is None


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.local",
        "config/.ENV",
        "prod.env",
        ".envrc",
        "id_rsa",
        "keys/id_ed25519",
        "server.pem",
        "tls/server.KEY",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        "credentials",
        "credentials.json",
        ".aws/config",
        ".kube/config",
        ".ssh/known_hosts",
        ".docker/config.json",
        ".config/gcloud/x.db",
        "service-account-prod.json",
        "client_secret_1.json",
        "secrets.yaml",
        "terraform.tfstate",
        "store.jks",
        "release.keystore",
        "e\\x6ev/.env",
        ".env.test",
        ".env/",
        "config/.env/.",
        "auth.json",
        ".config/gh/hosts.yml",
        "my-private-key.txt",
        ".env~",
        "id_rsa.bak",
        "server.key.old",
        "key.pem.txt",
        "token.txt",
    ],
)
def test_file_made_to_hold_secrets_is_not_read(path: str) -> None:
    assert refuse_path(path) is None
    assert refuse_read(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        ".env.local.example",
        "example.env",
        "locales/en/auth.json",
        "id_rsa.pub",
        "src/load_private_key.py",
        "tokens.json",
        "environment.py",
        "keyboard.py",
        "tokens.py",
        "src/secrets.py",
        "monkey.md",
    ],
)
def test_file_that_only_sounds_secret_is_read(path: str) -> None:
    assert refuse_read(path) is None


def test_a_file_made_to_hold_secrets_is_read_where_the_scope_names_it() -> None:
    named = [
        ("config/.env.test", "config/.env.test"),
        (".env*", "deep/.env.local"),
        ("*.pem", "tls/a.pem"),
        (".aws/**", ".aws/config"),
        ("**/credentials.json", "a/credentials.json"),
    ]
    for glob, path in named:
        assert refuse_read(path, ("src/**", glob)) is None, glob
        assert refuse_mention(path, (glob,)) is None
        assert list_sensitive(["a.py", path], (glob,)) == ()
        assert list_sensitive(["a.py", path]) == (path,)
    for glob in ("**", "*", "config", "config/*", "config/**", "*.test", "src", ".env"):
        assert refuse_read("config/.env.test", (glob,)), glob
    assert refuse_read(".git/config", (".git/config",))


@pytest.mark.parametrize(
    ("path", "other"), [("A.py", "a.py"), ("Src/x.py", "src/y.py"), ("é.py", "e\u0301.py"), ("ß", "SS")]
)
def test_names_that_only_some_systems_tell_apart_collide(path: str, other: str) -> None:
    assert refuse_collision(path, [other])
    assert refuse_collision(path, [path]) is None


@pytest.mark.parametrize("text", ["/etc", "~/x", "a/../..", "--file=.git/x", "C:/x"])
def test_mention_that_leads_out_is_refused(text: str) -> None:
    assert refuse_mention(text.partition("=")[2] or text)


@pytest.mark.parametrize("text", ["", "a or b", r"\bdef\s+x", "HEAD~2..HEAD", "-x", "100%"])
def test_mention_that_is_no_path_is_let_through(text: str) -> None:
    assert refuse_mention(text) is None


@given(st.text())
def test_any_text_gets_an_answer_and_creating_is_never_easier_than_using(path: str) -> None:
    if refuse_new_path(path) is None:
        assert refuse_path(path) is None
        assert path == unescape(path)
        assert path.isprintable()


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_unescape_undoes_readable_for_text_without_backslashes(name: str) -> None:
    plain = name.replace("\\", "/")
    assert unescape(readable(plain.encode())) == plain


@given(
    st.lists(
        st.sampled_from(["\u200b", "\u00ad", "\ufeff", "\u202e", "\u034f", "\u0301", "\x01", ""]),
        min_size=5,
        max_size=5,
    )
)
def test_git_folder_is_known_behind_whatever_cannot_be_seen(noise: list[str]) -> None:
    name = "".join(c + n for c, n in zip(".git", noise, strict=False)) + noise[4]
    assert fold(name) == ".git"
    assert refuse_path(f"a/{name}/hooks/x")
