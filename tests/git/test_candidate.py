import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.errors import GitFailed, UsageError
from bot.git.cachetree import read_root
from bot.git.candidate import Candidate, find_candidate
from bot.git.hooked import Hooked, read_hooked
from bot.git.plain import read_plain
from bot.git.repository import Repository, open_repository
from tests.conftest import Repo, make_repo
from tests.git.asked import Moment, Question, make_question


@dataclass
class Desk:
    """A person who commits, and us whom git asks each time before."""

    repo: Repo
    question: Question
    found: list[Candidate] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)
    """What git had noted of the whole tree when it asked; empty for nothing."""

    def look(self, moment: Moment) -> int:
        hooked = read_hooked(moment.environ, moment.folder)
        repository = open_repository(moment.folder, hooked, unborn=True)
        index = hooked.index or repository.git_dir / "index"
        before = _listing(repository, index)
        self.found.append(find_candidate(repository, hooked))
        assert _listing(repository, index) == before
        self.noted.append(read_root(before[0], len(self.found[-1].tree) // 2))
        return 0

    def commit(self, *args: str, told: str = "", folder: Path | None = None) -> Candidate:
        """Commit with real git, and hold what we found before against what it made."""
        self.found.clear()
        self.noted.clear()
        where = folder or self.repo.path
        head = Repo(where).git("rev-parse", "--verify", "-q", "HEAD", check=False)
        assert self.question.run(self.look, where, *args, told=told) == 0
        (found,) = self.found
        made = Repo(where).git("rev-parse", "HEAD^{tree}")
        assert (found.tree, found.head) == (made, head)
        assert self.noted[0] in ("", made)
        return found


def _listing(repository: Repository, index: Path) -> tuple[bytes, int | None, list[str]]:
    """Tell the index and what lies beside it; what else is a person's is looked at where there is a conflict."""
    content, state = read_plain(index) if index.exists() else (b"", None)
    return content, state and state.st_mtime_ns, sorted(path.name for path in repository.git_dir.iterdir())


@pytest.fixture
def desk(repo: Repo, tmp_path: Path) -> Desk:
    question = make_question(tmp_path / "question")
    question.install(repo.path / ".git/hooks")
    return Desk(repo, question)


def test_every_way_to_say_what_is_committed_gives_its_tree(desk: Desk) -> None:
    repo = desk.repo
    start = repo.git("rev-parse", "HEAD^{tree}")
    repo.write({"a.py": "1\n", "b.py": "1\n", "deep/c.py": "1\n"})
    repo.git("add", ".")
    found = desk.commit("commit", "-qm", "plain")
    assert (found.form, found.base, found.others, desk.noted) == ("index", start, (), [found.tree])
    repo.write({"a.py": "2\n", "b.py": "2\n"})
    assert desk.commit("commit", "-qam", "all").form == "all"
    repo.write({"a.py": "3\n", "b.py": "3\n", "deep/c.py": "3\n"})
    repo.git("add", "b.py")
    only = desk.commit("commit", "-qm", "only", "--only", "c.py", folder=repo.path / "deep")
    assert (only.form, desk.noted) == ("paths", [""])
    assert repo.git("status", "--porcelain") == " M a.py\nM  b.py"
    assert desk.commit("commit", "-qm", "a path", "a.py").form == "paths"
    repo.write({"a.py": "4\n"})
    assert desk.commit("commit", "-qm", "too", "--include", "a.py").form == "all"
    repo.write({"a.py": "5\nmore\n", "b.py": "5\n"})
    assert desk.commit("commit", "-qm", "some", "-p", told="y\nn\n").form == "all"
    assert desk.commit("commit", "-qm", "update", "--interactive", told="2\n1\n\n7\n").form == "all"
    repo.write({"a.py": "6\n"})
    repo.git("add", ".")
    assert desk.commit("commit", "-q", "--amend", "--no-edit").form == "index"
    assert desk.commit("commit", "-q", "--amend", "-m", "words").tree == desk.found[0].base


def test_what_is_only_intended_is_left_out_as_git_does(desk: Desk) -> None:
    repo = desk.repo
    repo.write({"calc.py": "x = 1\n", "new.py": "later\n"})
    repo.git("add", "calc.py")
    repo.git("add", "--intent-to-add", "new.py")
    found = desk.commit("commit", "-qm", "without")
    assert "new.py" not in repo.git("ls-tree", "-r", "--name-only", found.tree)
    assert desk.noted == [""]
    desk.commit("commit", "-qam", "with")


def test_whatever_a_commit_can_hold_is_held(desk: Desk, tmp_path: Path) -> None:
    repo = desk.repo
    names = (" lead", "trail ", "--", "tab\tname", "new\nline", '"q".py', "naïve ü.py", "a[1].py", "a1.py", ":y.py")
    odd = (*names, "x" * 200 + "/" + "y" * 200, *("/".join(["d" * 250] * deep) + "/f" for deep in (9, 17)))
    repo.write(dict.fromkeys(odd[:-1], "1\n"))
    (repo.path / os.fsdecode(b"caf\xe9.py")).write_bytes(b"1\n")
    repo.git("add", "--", ".")
    desk.commit("commit", "-qm", "names")
    repo.git("update-index", "--index-version", "4")
    (repo.path / "calc.py").chmod(0o755)
    (repo.path / "link").symlink_to("calc.py")
    repo.git("mv", "a1.py", "moved.py")
    repo.git("rm", "-q", "test_calc.py")
    repo.git("add", ".")
    assert desk.commit("commit", "-qm", "kinds").tree == desk.noted[0]
    inner = make_repo(tmp_path / "inner")
    for text in ("1\n", "2\n"):
        commit = inner.commit({"x": text})
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
        desk.commit("commit", "-qm", "bump")


@pytest.mark.parametrize("setting", ["splitIndex", "untrackedCache", "sparse"])
def test_an_index_of_any_kind_is_read(desk: Desk, setting: str) -> None:
    repo = desk.repo
    repo.commit({"in/a.py": "1\n", "out/b.py": "1\n"})
    if setting == "sparse":
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    else:
        repo.git("config", f"core.{setting}", "true")
        repo.git("update-index", "--split-index" if setting == "splitIndex" else "--untracked-cache")
    repo.write({"in/a.py": "2\n"})
    desk.commit("commit", "-qam", "all")
    repo.write({"in/a.py": "3\n"})
    repo.git("add", "in/a.py")
    assert desk.commit("commit", "-qm", "plain").tree == desk.noted[0]


def test_a_merge_names_what_it_brings_in(desk: Desk) -> None:
    repo = desk.repo
    for side in ("one", "two", "three"):
        repo.git("switch", "-qc", side, "main")
        repo.git("update-index", "--add", "--cacheinfo", f"100644,{repo.git('hash-object', '-w', 'calc.py')},{side}")
        repo.git("commit", "-qm", side, "--no-verify")
        repo.git("reset", "-q", "--hard")
    sides = tuple(repo.git("rev-parse", side) for side in ("one", "two"))
    repo.git("switch", "-q", "main")
    octopus = desk.commit("merge", "-q", "-m", "octopus", "--no-ff", "one", "two")
    assert set(octopus.others) == set(sides)
    third = repo.git("rev-parse", "three")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "three")
    assert desk.commit("commit", "-qm", "concluded").others == (third,)


def test_a_conflict_is_refused_until_it_is_resolved_and_stays_as_it_is(desk: Desk) -> None:
    repo = desk.repo
    repo.git("switch", "-qc", "side")
    repo.write({"calc.py": "side = 1\n"})
    repo.git("commit", "-qam", "side", "--no-verify")
    repo.git("switch", "-q", "main")
    repo.write({"calc.py": "main = 1\n"})
    repo.git("commit", "-qam", "main", "--no-verify")
    side = repo.git("rev-parse", "side")
    for ways in (("merge", "--no-edit"), ("cherry-pick",), ("revert", "--no-edit")):
        repo.git(*ways, "side", check=False)
        repository, before = open_repository(repo.path), repo.state()
        with pytest.raises(UsageError, match=r"has conflicts: calc\.py"):
            find_candidate(repository, Hooked())
        assert repo.state() == before
        repo.write({"calc.py": f"both = {ways[0]!r}\n"})
        repo.git("add", "calc.py")
        end = ("commit", "--no-edit") if ways[0] == "merge" else ("-c", "core.editor=true", ways[0], "--continue")
        found = desk.commit(*end)
        assert found.others == ((side,) if ways[0] == "merge" else ())
        repo.git("reset", "-q", "--hard", "HEAD^")


def test_the_edit_of_a_rebase_is_a_commit_like_others(desk: Desk) -> None:
    repo = desk.repo
    repo.write({"calc.py": "x = 1\n"})
    repo.git("commit", "-qam", "to edit", "--no-verify")
    repo.git("-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "HEAD^")
    repo.write({"calc.py": "x = 2\n"})
    repo.git("add", "calc.py")
    assert desk.commit("commit", "-q", "--amend", "--no-edit").others == ()
    repo.git("rebase", "--continue")


@pytest.mark.parametrize("digest", ["sha1", "sha256"])
def test_a_first_commit_has_nothing_before_it(tmp_path: Path, digest: str) -> None:
    (tmp_path / "new").mkdir()
    repo = Repo(tmp_path / "new")
    repo.git("init", "-q", "--template=", f"--object-format={digest}")
    desk = Desk(repo, make_question(tmp_path / "question"))
    desk.question.install(repo.path / ".git/hooks")
    empty = desk.commit("commit", "-qm", "nothing", "--allow-empty")
    assert (empty.head, empty.base) == ("", empty.tree)
    repo.write({"a.py": "1\n", "b/c.py": "1\n"})
    repo.git("add", ".")
    second = desk.commit("commit", "-qm", "something")
    assert (second.base, desk.noted) == (empty.tree, [second.tree])


def test_it_is_found_wherever_the_repository_and_its_files_lie(desk: Desk, tmp_path: Path) -> None:
    repo = desk.repo
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "-q", "-b", "linked", str(linked))
    (linked / "calc.py").write_text("linked = 1\n")
    desk.commit("commit", "-qam", "linked", folder=linked)
    apart, files = tmp_path / "apart.git", tmp_path / "files"
    Repo(tmp_path).git("clone", "-q", "--bare", str(repo.path), str(apart))
    desk.question.install(apart / "hooks")
    (files / "below").mkdir(parents=True)
    (files / "calc.py").write_text("apart = 1\n")
    (files / "calc.py").write_text("apart = 1\n")
    for work in (f"--work-tree={files}", "--no-pager", "--no-pager"):
        # The second time the configuration says where the files are, the third time git is started below them
        where = files if not desk.found[1:] else files / "below"
        told = (f"--git-dir={apart}", work)
        (where / "new.py").write_text(f"{len(desk.found)}\n")
        Repo(where).git(*told, "add", ".")
        assert desk.question.run(desk.look, where, *told, "commit", "-qm", "apart") == 0
        assert desk.found[-1].tree == Repo(apart).git("rev-parse", "HEAD^{tree}")
        Repo(apart).git("config", "core.bare", "false")
        Repo(apart).git("config", "core.worktree", str(files))
    assert open_repository(files, read_hooked({"GIT_DIR": "../apart.git"}, files)).root == files


def test_a_submodule_is_a_repository_too(desk: Desk, tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner")
    inner.commit({"x.py": "1\n"})
    desk.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "module")
    desk.question.install(desk.repo.path / ".git/modules/module/hooks")
    (desk.repo.path / "module/x.py").write_text("2\n")
    desk.commit("commit", "-qam", "inside", folder=desk.repo.path / "module")
    desk.repo.git("add", "module")
    desk.commit("commit", "-qm", "bump")


def test_an_index_of_a_persons_own_counts_and_locks_of_others_do_not(repo: Repo, tmp_path: Path) -> None:
    repo.write({"calc.py": "x = 1\n"})
    repo.git("add", ".")
    own = tmp_path / "own"
    own.write_bytes((repo.path / ".git/index").read_bytes())
    staged = repo.git("write-tree")
    repo.git("reset", "-q")
    (repo.path / ".git/index.lock").write_bytes(b"held by somebody, or by nobody any more")
    repository = open_repository(repo.path)
    assert find_candidate(repository, Hooked(own)).tree == staged
    assert find_candidate(repository, Hooked()).tree == repo.git("rev-parse", "HEAD^{tree}")
    assert (repo.path / ".git/index.lock").exists()


def test_an_index_that_is_none_is_told_in_one_line(repo: Repo, tmp_path: Path) -> None:
    repository = open_repository(repo.path)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "garbage").write_bytes(b"DIRC" + os.urandom(100))
    (tmp_path / "closed\n").write_bytes(b"")
    other = make_repo(tmp_path / "other")
    other.commit({"unknown.py": "nobody here has this\n"})
    for place in ("pipe", "garbage", "missing", "closed\n/below", "", "other/.git/index"):
        with pytest.raises((UsageError, GitFailed)) as caught:
            find_candidate(repository, Hooked(tmp_path / place))
        assert caught.value.message.isprintable()
