import json
from pathlib import Path

from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script
from tests.tools.trees import Leaf, differences

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
NAME = 'na\u00efve "q"\t[1].txt'
SHOWN = 'na\u00efve "q"\\t[1].txt'


def test_a_commit_holds_exactly_the_edits_and_refusals_say_why(repo: Repo, tmp_path: Path) -> None:
    marked = b"\xef\xbb\xbfx = 1\r\ny = 2"
    files: dict[str, str | bytes] = {
        "data.bin": POINTER,
        NAME: "one\n",
        "bom.py": marked,
        "run.sh": "#!/bin/sh\n: one\n",
        "against.txt": b"a\r\n",
    }
    repo.write(files)
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("run.sh")
    repo.commit({})
    repo.write({".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\nagainst.txt text\n"})
    repo.git("add", ".gitattributes")
    repo.git("commit", "-q", "-m", "rules")
    for part in ("clean", "smudge"):
        repo.git("config", f"filter.lfs.{part}", f"touch {tmp_path / 'ran'}; cat")
    repo.git("config", "core.autocrlf", "input")
    lines = (
        calls(
            edit("12345", "1", "data.bin"),
            edit("a", "b", "against.txt"),
            ("create_file", {"path": "x.bin", "content": ""}),
        ),
        calls(edit("one", "two", SHOWN), edit("y = 2", "y = 3", "bom.py"), edit("one", "two", "link")),
        calls(edit("a - b", "a + b"), checkpoint()),
        calls(FINISH),
    )
    ran = agent(repo, "fix", "make add add", "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err + ran.out
    assert json.loads(ran.out.encode("utf-8", "strict"))["outcome"] == "verified"
    changed = differences(repo, ran.report.base, ran.report.tip)
    assert {path: after for path, (_, after) in changed.items()} == {
        NAME.encode(): Leaf("100644", b"two\n"),
        b"bom.py": Leaf("100644", b"\xef\xbb\xbfx = 1\r\ny = 3"),
        b"run.sh": Leaf("100755", b"#!/bin/sh\n: two\n"),
        b"calc.py": Leaf("100644", b"def add(a, b):\n    return a + b\n"),
    }
    told = " ".join(ran.err.split())
    for name in ("edit_file data.bin", "create_file x.bin"):
        assert f"✗ {name}: {name.split()[1]}: it is stored through the filter lfs" in told
    assert "✗ edit_file against.txt: against.txt: it is stored with CRLF line endings, against its attributes" in told
    assert f"edit_file {SHOWN}: 1 → 1 lines" in agent(repo, "log", ran.report.run).out
    assert not (tmp_path / "ran").exists()
