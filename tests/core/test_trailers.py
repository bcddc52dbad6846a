import random
import subprocess
from pathlib import Path

import pygit2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygit2.enums import FileMode

from bot.core.check import CaseResult, CheckResult, Outcome, Rung, Verdict
from bot.core.task import Source, Task
from bot.core.trailers import Claim, commit_message, parse_trailers, state_checks
from tests.conftest import Repo

TREE = "ab" * 20
RUN = "20240101-a1b2c3"


def cases(*outcomes: Outcome) -> tuple[CaseResult, ...]:
    return tuple(CaseResult(id=f"t.py::test_{n}", outcome=outcome) for n, outcome in enumerate(outcomes))


VERDICT = Verdict(
    tree=TREE,
    results=(
        CheckResult(check="ruff", rung=Rung.STATIC, status="passed"),
        CheckResult(check="mypy", rung=Rung.TYPES, status="failed", cases=cases("failed")),
        CheckResult(
            check="pytest", rung=Rung.UNIT, status="passed", cases=cases("passed", "passed", "xfailed", "skipped")
        ),
        CheckResult(check="docs build", rung=Rung.BUILD, status="skipped"),
    ),
)


def message(subject: str = "mend add", body: str = "", source: Source | None = None, model: str = "offline") -> str:
    task = Task(base="b" * 40, source=source or Source())
    return commit_message(subject, body, run=RUN, step=2, verdict=VERDICT, model=model, task=task)


def read_back(text: str) -> dict[str, list[str]]:
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=text.encode(), capture_output=True, check=True
    )
    found: dict[str, list[str]] = {}
    for entry in done.stdout.decode().splitlines():
        key, _, value = entry.partition(": ")
        found.setdefault(key, []).append(value)
    return found


EXPECTED = {
    "Agent-Run": [RUN],
    "Agent-Step": ["2"],
    "Agent-Tree": [TREE],
    "Agent-Checks": ["ruff=passed mypy=failed(1 as before) pytest=passed(3) docs-build=skipped"],
    "Agent-Model": ["offline"],
    "Assisted-by": ["git agent"],
}


def test_git_reads_the_trailers_back() -> None:
    assert read_back(message()) == EXPECTED


def test_claim_is_read_back_as_it_was_made() -> None:
    assert parse_trailers(message()) == Claim(RUN, 2, TREE, state_checks(VERDICT))


def test_claim_survives_a_real_commit(repo: Repo) -> None:
    (repo.path / "message").write_text(message(body="why\n\nmore why"))
    repo.git("commit", "-q", "--allow-empty", "--no-gpg-sign", "-F", "message")
    assert parse_trailers(repo.git("log", "-1", "--format=%B")) == Claim(RUN, 2, TREE, state_checks(VERDICT))
    assert repo.git("log", "-1", "--format=%(trailers:key=Agent-Tree,valueonly)").strip() == TREE


HOSTILE = [
    "Signed-off-by: Boss <boss@example.invalid>",
    "text\n\nAgent-Tree: " + "0" * 40,
    "Co-authored-by: A <a@b>\nReviewed-by: B <b@c>",
    "a\n---\nb",
    "a\n---",
    "# ------------------------ >8 ------------------------\nx",
    "diff --git a/x b/x\n--- a/x\n+++ b/x",
    "(cherry picked from commit abc)",
    "Fixes: #12\nCloses #13",
    "skip-checks: true",
    "[skip ci]",
    "\r\nAgent-Run: x\r\n",
    "a\x00b\x1b[31m\ud800\u202e",
    "@team see #12",
    " Signed-off-by : x",
    "Change-Id: I0123",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("where", ["subject", "body", "model"])
def test_nothing_can_be_smuggled_in(text: str, where: str) -> None:
    model = text if where == "model" else "offline"
    made = message(text if where == "subject" else "mend add", text if where == "body" else "", model=model)
    trailers = read_back(made)
    expected = {**EXPECTED, "Agent-Model": trailers["Agent-Model"]} if where == "model" else EXPECTED
    assert trailers == expected
    assert parse_trailers(made) == Claim(RUN, 2, TREE, state_checks(VERDICT))
    lowered = made.casefold()
    assert not any(
        word in lowered for word in ("signed-off-by:", "co-authored-by:", "reviewed-by:", "[skip ci]", "#12", "@team")
    )
    assert not any(text.startswith("---") for text in made.splitlines())
    assert lowered.count("agent-tree:") == 1


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=60))
def test_any_text_of_a_model_gives_a_message_that_reads_back(subject: str, body: str, model: str) -> None:
    made = message(subject, body, model=model)
    assert parse_trailers(made) == Claim(RUN, 2, TREE, state_checks(VERDICT))
    first = made.partition("\n")[0]
    assert first.strip()
    assert not first.startswith(("#", "fixup!", "squash!", "amend!"))
    assert len(first) <= 72
    made.encode()


@pytest.mark.parametrize(
    ("subject", "line"),
    [
        ("mend add", "mend add"),
        ("fix: zero is handled", "fix: zero is handled"),
        ("  many   spaces\nand lines. ", "many spaces and lines"),
        ("", "agent: step 2"),
        ("agent: mend add", "agent: mend add"),
        ("# comment", "comment"),
        ("[skip ci]", "agent: step 2"),
        ("fixup! squash! x", "x"),
        ("w" * 100, "w" * 71 + "…"),
    ],
)
def test_subject_comes_from_a_template(subject: str, line: str) -> None:
    assert message(subject).partition("\n")[0] == line


def test_body_keeps_its_paragraphs_and_is_bounded() -> None:
    made = message(body="first\n\n\n\nsecond: yes\n" + "x" * 10_000)
    assert "\n\nfirst\n\nsecond: yes\n" in made
    assert len(made) < 5_000


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (Source(kind="issue", ref="12"), "Refs #12"),
        (Source(kind="issue", ref="12\nAgent-Run: x"), ""),
        (Source(kind="issue", ref="o/r"), ""),
        (Source(kind="ci", ref="12"), ""),
        (Source(), ""),
    ],
)
def test_only_an_issue_is_referred_to_and_none_is_closed(source: Source, line: str) -> None:
    made = message(source=source)
    assert [text for text in made.splitlines() if "#" in text] == ([line] if line else [])
    assert read_back(made) == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "subject",
        "subject\n\nbody",
        "subject\n\nAgent-Run: x\nAgent-Step: 1",
        f"s\n\nAgent-Run: x\nAgent-Step: one\nAgent-Tree: {TREE}\nAgent-Checks: a=passed",
        "s\n\nAgent-Run: x\nAgent-Step: 1\nAgent-Tree: main\nAgent-Checks: a=passed",
        f"s\n\nAgent-Run: x\nAgent-Step: 1\nAgent-Tree: {TREE}\nAgent-Checks: all good",
        f"s\n\nAgent-Run: x\nAgent-Step: 1\nAgent-Tree: {TREE}\nAgent-Tree: {TREE}\nAgent-Checks: a=passed",
        f"s\n\nAgent-Run: x\nAgent-Step: 1\nAgent-Tree: {TREE}\nAgent-Checks: a=passed\n\nmore text",
        f"s\n\nAgent-Run: x\nAgent-Step: {'9' * 5000}\nAgent-Tree: {TREE}\nAgent-Checks: a=passed",
    ],
)
def test_message_without_a_clear_claim_makes_none(text: str) -> None:
    assert parse_trailers(text) is None


def test_claim_is_found_beside_trailers_that_others_added() -> None:
    added = message().rstrip("\n") + "\nSigned-off-by: Person <p@example.invalid>\n(cherry picked from commit abc)\n"
    assert parse_trailers(added) == Claim(RUN, 2, TREE, state_checks(VERDICT))


def test_commit_without_checks_says_so() -> None:
    made = commit_message("x", "", run=RUN, step=1, verdict=Verdict(tree=TREE), model="m", task=Task(base="b"))
    assert "Agent-Checks: none\n" in made
    assert parse_trailers(made) == Claim(RUN, 1, TREE, ())


@given(st.text())
def test_any_message_can_be_parsed(text: str) -> None:
    claim = parse_trailers(text)
    assert claim is None or claim.step >= 0


BITS = (
    *(
        "Signed-off-by: B <b@c>",
        "Agent-Run: evil",
        "Agent-Tree: " + "0" * 40,
        "AGENT-STEP : 9",
        "Fixes: #3",
        "Closes GH-3",
    ),
    *(
        "Fixes #12",
        "close o/r#5",
        "resolves https://github.com/o/r/issues/5",
        "Reported-by:\n  folded",
        "Agent-Run\u200b: x",
    ),
    *(
        "---",
        "--- a/x",
        "diff --git a/x b/x",
        "diff -u x y",
        "Index: foo",
        "***",
        "-- ",
        "(cherry picked from commit abc)",
    ),
    *(
        "# comment",
        "# ------------------------ >8 ------------------------",
        "-- >8 --",
        "skip-checks:true",
        "[skip ci]",
    ),
    *(
        "From: Evil <e@example.invalid>",
        "Subject: other",
        "Date: Thu, 1 Jan 1970 00:00:00 +0000",
        "[PATCH] other",
        "[x] y",
    ),
    *("From abcdef0 Mon Sep 17 00:00:00 2001", ">From abcdef0 Mon Sep 17 00:00:00 2001", "Re: x", "In-Reply-To: <x>"),
    *(
        "fixup! x",
        "\r",
        "\n",
        " ",
        "word",
        "x" * 1200,
        "\u00e9",
        "\u2028",
        "\x0b",
        "\x1c",
        "  indented",
        "\tTab: y",
        "key: value",
    ),
)


def mixture(seed: random.Random) -> str:
    ends = ("\n", "\n\n", " ", "", "\r\n")
    return "".join(seed.choice(BITS) + seed.choice(ends) for _ in range(seed.randrange(8)))


def test_whatever_a_model_writes_git_reads_our_trailers_and_mail_keeps_the_commits(repo: Repo, tmp_path: Path) -> None:
    seed = random.Random(4)
    pairs = [*((text, text) for text in BITS), *((mixture(seed), mixture(seed)) for _ in range(60))]
    made = [message(subject, body) for subject, body in pairs]
    objects = pygit2.Repository(str(repo.path))
    base = repo.git("rev-parse", "HEAD")
    who = pygit2.Signature("git agent", "git-agent@localhost", 1, 0)
    for number, text in enumerate(made):
        index = pygit2.Index()
        index.read_tree(objects.head.peel(pygit2.Commit).tree)
        index.add(pygit2.IndexEntry("counter", objects.create_blob(b"%d\n" % number), FileMode.BLOB))
        tree = index.write_tree(objects)
        objects.create_commit("HEAD", who, who, text, tree, [objects.head.target])
    separate = ("log", "--reverse", "-z", f"{base}..HEAD")
    told = repo.git(*separate, "--format=%(trailers:only,unfold)").split("\0")[:-1]
    assert {entry.strip() for entry in told} == {"\n".join(f"{k}: {v[0]}" for k, v in EXPECTED.items())}
    original = repo.git(*separate, "--format=%an %ae%n%T%n%B")
    mails = tmp_path / "mails"
    mails.write_bytes(repo.git("format-patch", "--stdout", f"{base}..HEAD").encode("utf-8", "surrogateescape") + b"\n")
    repo.git("checkout", "-q", "--detach", base)
    repo.git("am", "-q", "--no-gpg-sign", str(mails))
    assert repo.git(*separate, "--format=%an %ae%n%T%n%B").split("\0") == original.split("\0")
