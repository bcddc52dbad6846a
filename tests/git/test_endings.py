import random
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.git.endings import Endings, choose_endings
from tests.conftest import Repo, make_repo

ATTRIBUTES = {
    "none": "",
    "auto": "text=auto",
    "autocrlf": "text=auto eol=crlf",
    "autolf": "text=auto eol=lf",
    "text": "text",
    "textcrlf": "text eol=crlf",
    "eollf": "eol=lf",
    "eolcrlf": "eol=crlf",
    "off": "-text",
    "offeol": "-text eol=crlf",
    "input": "crlf=input",
    "nocrlf": "-crlf",
    "odd": "text=strange",
}
SETTINGS = [("", ""), ("true", ""), ("input", ""), ("", "crlf"), ("input", "crlf"), ("false", "lf")]
PIECES = [b"a", b"b" * 130, b"\r\n", b"\n", b"\r", b"\x01", b"\x7f", b"\x1a", b"\t\x0c\x1b\x08", b"\0", b"\xc3\xa9"]
WEIGHTS = [6, 4, 8, 6, 1, 1, 1, 1, 2, 1, 2]


def make_contents(number: int) -> list[bytes]:
    chance = random.Random(7)
    made = [b"".join(chance.choices(PIECES, WEIGHTS, k=chance.randint(0, 9))) for _ in range(number)]
    return [b"a\r\nb\r\n", b"a\nb\n", b"a\r\nb\n", b"", *made]


def read_blobs(repo: Repo) -> dict[str, bytes]:
    """Return what the index holds."""
    rows = [row.split("\t") for row in repo.git("ls-files", "-s", "-z").split("\0") if row]
    ids = [row[0].split(" ")[1] for row in rows]
    asked = "".join(f"{name}\n" for name in ids).encode()
    done = subprocess.run(["git", "cat-file", "--batch"], cwd=repo.path, input=asked, capture_output=True, check=True)
    out, found, at = done.stdout, dict[str, bytes](), 0
    for _, path in rows:
        end = out.index(b"\n", at)
        size = int(out[at:end].split(b" ")[2])
        found[path] = out[end + 1 : end + 1 + size]
        at = end + size + 2
    return found


@pytest.mark.parametrize(("autocrlf", "eol"), SETTINGS)
def test_line_endings_are_foreseen_as_git_converts_them(tmp_path: Path, autocrlf: str, eol: str) -> None:
    repo = make_repo(tmp_path / "repo")
    old, new = make_contents(20), make_contents(21)[::-1]
    paths = {f"{kind}/{number}": (kind, number) for kind in ATTRIBUTES for number in range(len(old))}
    repo.write({path: old[number] for path, (_, number) in paths.items()})
    repo.git("-c", "core.autocrlf=false", "add", "-A")
    for name, value in (("core.autocrlf", autocrlf), ("core.eol", eol), ("core.safecrlf", "false")):
        if value:
            repo.git("config", name, value)
    before = read_blobs(repo)
    for kind, said in ATTRIBUTES.items():
        shutil.rmtree(repo.path / kind)
        repo.write({f"{kind}/.gitattributes": f"* {said}\n" if said else ""})
    repo.git("checkout-index", "--all")
    shown = {path: (repo.path / path).read_bytes() for path in paths}
    repo.write({path: new[number] for path, (_, number) in paths.items()})
    repo.git("add", "--", *ATTRIBUTES)
    after = read_blobs(repo)
    for path, (kind, number) in paths.items():
        rule, data = rules(ATTRIBUTES[kind], autocrlf, eol), new[number]
        assert rule.widen(before[path]) == (shown[path] != before[path]), (path, before[path])
        stored = data.replace(b"\r\n", b"\n") if rule.normalise(data, before[path]) else data
        assert stored == after[path], (path, before[path], data)


def rules(said: str, autocrlf: str, eol: str) -> Endings:
    told = {"text": "unspecified", "crlf": "unspecified", "eol": "unspecified"}
    for word in said.split():
        name, _, value = word.lstrip("-").partition("=")
        told[name] = value or ("unset" if word.startswith("-") else "set")
    return choose_endings(told, autocrlf, eol)
