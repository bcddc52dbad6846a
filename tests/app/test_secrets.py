"""What is secret stays where it is: no model, person, report, branch or record sees it, however it is written."""

import base64
import codecs
import json
from pathlib import Path

from tests.conftest import Repo
from tests.product import agent, calls, checkpoint, edit, script

RIGHT = edit("a - b", "a + b")
KEY = "Zq8vK3" + "wP1xT7mN5rB2yH9cLd"
"""In the environment of whoever starts the run."""
REMOTE = "Vf4tG7" + "sJ2kQ9pW6zC3nM8bX"
"""In the address of a remote."""
COMMITTED = "Hn5jD8" + "rF1qY6uA3eK9gS2wL"
"""In a tracked file that is made to hold secrets."""
CARRIED = "Wc3eF6" + "hU8jI1oP5zX2vN7mA"
"""In a file that no commit holds and that goes along into every tree."""

SHOW = """
import base64, codecs

def main():
  for name in ('.env', '.key', '.env.local'):
    s = open(name).read().strip().partition('=')[2]
    b = s.encode()
    for told in (
        s, s[::-1], b.hex(), b.hex(' '), b.hex(':').upper(), list(b), base64.b64encode(b'user:' + b).decode(),
        base64.b32encode(b).decode(), base64.b85encode(b).decode(), base64.a85encode(b).decode(),
        codecs.encode(s, 'rot13'), '-'.join(s), ' '.join(s), s[:11] + chr(10) + s[11:], s[:9] + "' + '" + s[9:],
        ''.join(f'%{c:02x}' for c in b), ''.join(f'&#{c};' for c in b), ''.join(f'\\\\u{c:04x}' for c in b), s.lower(),
    ):
        print(told)

if __name__ == '__main__':
    main()
"""

TEST = """
import calc
import show


def test_show():
    show.main()
    assert calc.add(1, 2) == 3, open('.env.local').read()
"""


def spellings(secret: str) -> tuple[str, ...]:
    """Write a secret as the program above does."""
    raw = secret.encode()
    return (
        *(secret, secret[::-1], secret.lower(), raw.hex(), raw.hex(" "), raw.hex(":").upper(), str(list(raw))[1:-1]),
        *(base64.b64encode(b"user:" + raw).decode()[8:-4], base64.b32encode(raw).decode().rstrip("=")[:-1]),
        *(base64.b85encode(raw).decode(), base64.a85encode(raw).decode(), codecs.encode(secret, "rot13")),
        *("-".join(secret), " ".join(secret), secret[11:], f"' + '{secret[9:]}", "".join(f"%{c:02x}" for c in raw)),
        *("".join(f"&#{c};" for c in raw), "".join(f"\\u{c:04x}" for c in raw)),
    )


def record(repo: Repo) -> str:
    """Read all that a run left behind: files of the git folder, names of refs, messages, contents of commits."""
    names = repo.git("for-each-ref", "--format=%(refname)")
    log = repo.git("log", "--all", "--not", "main", "-p", "--format=%B", "--", ".", ":!.env", ":!.key")
    kept = (path for path in (repo.path / ".git").rglob("*") if path.is_file() and path.name != "config")
    refs = (
        repo.git("show", f"{ref}:{name}", check=False)
        for ref in names.split()
        for name in ("trace.jsonl", "task.json", "report.md")
    )
    return "\n".join([names, log, *refs, *(path.read_bytes().decode("latin-1") for path in kept)])


def test_no_secret_is_seen_anywhere_however_it_is_printed(repo: Repo, tmp_path: Path) -> None:
    repo.commit(
        {
            ".env": f"API_KEY={COMMITTED}\n",
            "show.py": SHOW,
            "test_show.py": TEST,
        }
    )
    repo.git("remote", "add", "origin", f"https://x-access-token:{REMOTE}@example.invalid/o/r.git")
    repo.commit({".key": f"X={KEY}\n", ".gitignore": ".env.local\n"})
    repo.write({".env.local": f"API_KEY={CARRIED}\n"})
    repo.git("config", "agent.carry", ".env.local")
    lines = (
        calls(("run_command", {"argv": ["python", "show.py"]})),
        calls(("read_file", {"path": ".env"}), ("search_text", {"pattern": COMMITTED[:6]}), ("show_changes", {})),
        calls(
            ("run_command", {"argv": ["grep", "-rh", "API_KEY", "."]}), ("run_command", {"argv": ["git", "log", "-p"]})
        ),
        calls(
            ("run_command", {"argv": ["git", "grep", "-h", "API_KEY"]}),
            ("move_file", {"source": ".env", "destination": "x.txt"}),
        ),
        calls(("create_file", {"path": f"note-{KEY}.md", "content": "x\n"}), edit("a - b", f"a + b  # {REMOTE}")),
        calls(RIGHT, checkpoint(f"fix: use {KEY} and {REMOTE}")),
        {
            "text": f"It was {KEY[::-1]} and {REMOTE}.",
            "calls": [{"name": "finish", "arguments": {"summary": COMMITTED}}],
        },
    )
    environ = {"MY_API_KEY": KEY, "GIT_TRACE": "1", "GIT_CURL_VERBOSE": "1", "GIT_AGENT_DEBUG": "1"}
    spec = script(tmp_path / "script", *lines)
    ran = agent(repo, "fix", f"use {KEY} and {COMMITTED}", "--json", "--model", spec, env=environ)
    shown = agent(repo, "show", ran.report.run, "--json", env=environ)
    proved = agent(repo, "verify", ran.report.run, "--json", "--junit", str(tmp_path / "junit"), env=environ)
    assert "[redacted]" in proved.out
    gone = agent(repo, "fix", "x", "--model", f"scripted:{tmp_path}/{KEY}", env=environ)
    told = ran.out + shown.out + proved.out + (tmp_path / "junit").read_text()
    seen = {"out": told, "err": ran.err + shown.err + proved.err + gone.err, "record": record(repo)}
    assert ran.report.steps, ran.err
    assert gone.err.count("[redacted]") == 1
    assert seen["record"].count("[redacted]") > 40, "what was printed is on record"
    found = [
        (where, secret[:4], spelled)
        for where, text in seen.items()
        for secret in (KEY, REMOTE, COMMITTED, CARRIED)
        for spelled in spellings(secret)
        if spelled in text or json.dumps(spelled)[1:-1] in text
    ]
    assert found == []
