"""Signed by the person, where they asked for it, and by nobody else."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.errors import GitFailed, RepositoryChanged, UsageError
from bot.git.objects import Identity
from bot.git.repository import open_repository
from bot.git.signing import make_signer
from tests.conftest import Repo
from tests.git.scene import BRANCH, FIXED, opened, write
from tests.untouched import difference, print_of

PERSON = Identity("Test Person", "person@example.invalid")
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen here")
needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="there is no gpg here")


def introduce(repo: Repo) -> None:
    repo.git("config", "user.name", PERSON.name)
    repo.git("config", "user.email", PERSON.email)


def with_ssh(repo: Repo, folder: Path, phrase: str = "") -> None:
    """Give the person an ssh key, and let git know who may sign."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", str(key)], check=True)
    (folder / "signers").write_text(f"{PERSON.email} {key.with_suffix('.pub').read_text()}")
    introduce(repo)
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingkey", str(key))
    repo.git("config", "gpg.ssh.allowedSignersFile", str(folder / "signers"))


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A keyring of gpg with one key; its agent wants a short path."""
    folder = Path(tempfile.mkdtemp(prefix="gpg-"))
    monkeypatch.setenv("GNUPGHOME", str(folder))
    asked = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", f"{PERSON.name} <{PERSON.email}>"]
    subprocess.run([*asked, "ed25519", "sign", "never"], check=True, capture_output=True)
    yield folder
    subprocess.run(["gpgconf", "--kill", "all"], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def sign_a_step(repo: Repo) -> str:
    """Make a signed step as a run does."""
    with opened(repo) as workspace:
        workspace.signer = make_signer(workspace.repository)
        workspace.signer.check(workspace.tree())
        write(workspace, "calc.py", FIXED)
        return workspace.commit(workspace.tree(), "Fix add\n\nAgent-Run: r1\n")


def check_signed(repo: Repo, commit: str) -> None:
    assert repo.git("verify-commit", commit) == ""
    assert repo.git("log", "-1", "--format=%G?", commit) in ("G", "U")
    assert repo.git("log", "-1", "--format=%an|%cn <%ce>|%(trailers:key=Agent-Run,valueonly)", commit).strip() == (
        f"git agent|{PERSON.name} <{PERSON.email}>|r1"
    )
    assert repo.git("rev-parse", BRANCH) == commit


@needs_ssh
def test_a_step_is_signed_with_the_persons_ssh_key(repo: Repo, tmp_path: Path) -> None:
    with_ssh(repo, tmp_path)
    before = print_of(repo.path)
    commit = sign_a_step(repo)
    check_signed(repo, commit)
    assert difference(before, print_of(repo.path)) == ()


@needs_gpg
def test_a_step_is_signed_with_the_persons_openpgp_key(repo: Repo, keyring: Path) -> None:
    introduce(repo)
    check_signed(repo, sign_a_step(repo))


@needs_ssh
def test_a_signature_that_is_tried_leaves_no_object(repo: Repo, tmp_path: Path) -> None:
    with_ssh(repo, tmp_path)
    before = sorted((repo.path / ".git/objects").rglob("*"))
    repository = open_repository(repo.path)
    make_signer(repository).check(repo.git("rev-parse", "HEAD^{tree}"))
    assert sorted((repo.path / ".git/objects").rglob("*")) == before


@needs_ssh
def test_nothing_is_signed_unless_asked_for(repo: Repo, tmp_path: Path) -> None:
    with_ssh(repo, tmp_path)
    repo.git("config", "commit.gpgsign", "true")
    with opened(repo) as workspace:
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "kept")
    assert "gpgsig" not in repo.git("cat-file", "commit", commit)
    assert repo.git("log", "-1", "--format=%cn", commit) == "git agent"


def no_key(repo: Repo, folder: Path) -> None:
    introduce(repo)
    repo.git("config", "gpg.format", "ssh")


def missing_key(repo: Repo, folder: Path) -> None:
    introduce(repo)
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingkey", str(folder / "gone"))


def failing_program(repo: Repo, folder: Path) -> None:
    introduce(repo)
    repo.git("config", "gpg.program", "false")


def missing_program(repo: Repo, folder: Path) -> None:
    introduce(repo)
    repo.git("config", "gpg.program", str(folder / "no gpg"))


def locked_key(repo: Repo, folder: Path) -> None:
    with_ssh(repo, folder, phrase="a secret phrase")


def nobody(repo: Repo, folder: Path) -> None:
    repo.git("config", "gpg.format", "ssh")


@needs_ssh
@pytest.mark.parametrize("trouble", [no_key, missing_key, failing_program, missing_program, locked_key, nobody])
def test_what_cannot_sign_is_refused_before_the_start(
    repo: Repo, tmp_path: Path, trouble: Callable[[Repo, Path], None]
) -> None:
    trouble(repo, tmp_path)
    repository = open_repository(repo.path)
    with pytest.raises(UsageError, match="sign") as caught:
        make_signer(repository).check(repo.git("rev-parse", "HEAD^{tree}"))
    assert "--sign" in caught.value.hint
    assert "\n" not in caught.value.message


@needs_ssh
def test_a_key_that_is_gone_later_loses_nothing(repo: Repo, tmp_path: Path) -> None:
    with_ssh(repo, tmp_path)
    with opened(repo) as workspace:
        workspace.signer = make_signer(workspace.repository)
        (tmp_path / "key").unlink()
        (tmp_path / "key.pub").unlink()
        write(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        with pytest.raises(GitFailed, match="could not be signed") as caught:
            workspace.commit(tree, "x")
        assert tree in caught.value.hint
        assert workspace.head == workspace.base == repo.git("rev-parse", BRANCH)
        assert workspace.tree() == tree


@needs_ssh
def test_a_program_planted_during_the_run_does_not_sign(repo: Repo, tmp_path: Path) -> None:
    with_ssh(repo, tmp_path)
    with opened(repo) as workspace:
        workspace.signer = make_signer(workspace.repository)
        write(workspace, "calc.py", FIXED)
        tree = workspace.tree()
        repo.git("config", "gpg.ssh.program", f"touch {tmp_path}/marker; false")
        with pytest.raises(RepositoryChanged):
            workspace.commit(tree, "x")
    assert not (tmp_path / "marker").exists()
