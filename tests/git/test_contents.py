"""Files of trees come without a checkout, by the library and by git alike."""

import pytest

from bot.errors import GitFailed
from bot.git.blobs import read_blobs
from bot.git.contents import BATCH, GitContents
from bot.git.repository import open_repository
from tests.conftest import Repo


def test_files_are_listed_and_read_by_both_back_ends_alike(repo: Repo) -> None:
    (repo.path / "link").symlink_to("calc.py")
    many = {f"many/{n}.py": f"N = {n}\n\nblob {n}\n" for n in range(BATCH + 2)}
    repo.commit(
        {
            "run.sh": "#!/bin/sh\n",
            "empty.py": "",
            "large.py": "x" * 3000,
            b"caf\xe9.py".decode("utf-8", "surrogateescape"): b"\xff\n",
            **many,
        }
    )
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repo.git("commit", "-qm", "a submodule", "--no-gpg-sign")
    contents = GitContents(open_repository(repo.path))
    blobs = contents.files(repo.git("rev-parse", "HEAD"))
    paths = [blob.path for blob in blobs]
    assert set(paths) == {"calc.py", "test_calc.py", "run.sh", "empty.py", "large.py", "caf\\xe9.py", *many}
    ids = [blob.id for blob in blobs]
    found = dict(zip(paths, contents.read(ids, 2000), strict=True))
    assert found["large.py"][1] is None
    assert found["caf\\xe9.py"][1] == b"\xff\n"
    assert found["empty.py"][1] == b""
    assert list(contents._by_git(ids, 2000)) == list(read_blobs(repo.path / ".git", ids, 2000)) == list(found.values())


def test_what_is_missing_or_no_file_is_an_error(repo: Repo) -> None:
    contents = GitContents(open_repository(repo.path))
    for lost in ("1" * 40, repo.git("rev-parse", "HEAD^{tree}"), "HEAD"):
        with pytest.raises(GitFailed):
            list(contents._by_git([lost], 1000))
        with pytest.raises(GitFailed):
            list(read_blobs(repo.path / ".git", [lost], 1000))
    with pytest.raises(GitFailed):
        contents.files("main")
