"""The ways of saying what a commit is to hold, from the index as it stands to a merge that is being concluded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.hooks.site import Edit, Site, refuse_once
from tests.product import Ran

Step = Callable[[Site, Edit], None]


@dataclass(frozen=True, slots=True)
class Form:
    """A command line, and what a person did before."""

    args: tuple[str, ...]
    """Arguments of git commit; `PATH` stands for the file that was edited."""
    prepare: Step
    begin: Callable[[Site], None] | None = None
    """What comes before there is any unfinished work."""
    picks: bool = False
    """Whether git asks for each change whether it is to be committed; the edit is, other work is not."""
    parted: bool = False
    """Whether the edited file holds more than what is committed of it."""

    def commit(self, site: Site, edit: Edit, env: Mapping[str, str] | None = None) -> Ran:
        """Commit in this form."""
        return site.commit(*self._args(edit), stdin=self._answers(site, edit), env=env)

    def refuse_once(self, site: Site, edit: Edit) -> None:
        """Have another hook refuse a commit of this form."""
        refuse_once(site, *self._args(edit), stdin=self._answers(site, edit))

    def _args(self, edit: Edit) -> tuple[str, ...]:
        return tuple(edit.path if arg == "PATH" else arg for arg in self.args)

    def _answers(self, site: Site, edit: Edit) -> str:
        if not self.picks:
            return ""
        changed = site.repo.git("diff", "--name-only").splitlines()
        return "".join("y\n" if name == edit.path else "n\n" for name in changed)


def write(site: Site, edit: Edit) -> None:
    """Leave the edit in the working file."""
    site.repo.write({edit.path: edit.content})


def stage(site: Site, edit: Edit) -> None:
    """Stage the edit."""
    write(site, edit)
    site.repo.git("add", edit.path)


def stage_draft(site: Site, edit: Edit) -> None:
    """Stage something else of the same file."""
    site.repo.write({edit.path: edit.draft})
    site.repo.git("add", edit.path)
    write(site, edit)


def stage_part(site: Site, edit: Edit) -> None:
    """Stage the edit and go on with the file."""
    stage(site, edit)
    site.repo.write({edit.path: f"# more to come\n{edit.content}"})


def stage_beside_intent(site: Site, edit: Edit) -> None:
    """Stage the edit beside a file that is only meant to be added, one day."""
    stage(site, edit)
    site.repo.write({"later.py": "later = (\n"})
    site.repo.git("add", "--intent-to-add", "later.py")


def _clash(site: Site, *command: str) -> None:
    """Run into a conflict of two branches, and solve it."""
    site.repo.git("checkout", "-q", "-b", "side")
    site.repo.write({"sub/deep.txt": "theirs\n"})
    site.repo.git("commit", "-q", "-a", "-m", "theirs", "--author", "Other <other@example.invalid>")
    site.repo.git("checkout", "-q", "-")
    site.repo.write({"sub/deep.txt": "ours\n"})
    site.repo.git("commit", "-q", "-a", "-m", "ours")
    site.repo.git(*command, "side", check=False)
    site.repo.write({"sub/deep.txt": "both\n"})
    site.repo.git("add", "sub/deep.txt")


def _forget(site: Site) -> None:
    """Go to a branch that has no commit yet."""
    site.repo.git("checkout", "-q", "--orphan", "fresh")


FORMS = {
    "index": Form(("-m", "change"), stage),
    "part": Form(("-m", "change"), stage_part, parted=True),
    "all": Form(("-a", "-m", "change"), write),
    "path": Form(("-m", "change", "PATH"), write),
    "only": Form(("-m", "change", "--only", "PATH"), stage_draft),
    "include": Form(("-m", "change", "--include", "PATH"), write),
    "amend": Form(("--amend", "-m", "change"), stage),
    "patch": Form(("-p", "-m", "change"), write, picks=True),
    "intent": Form(("-m", "change"), stage_beside_intent),
    "merge": Form(("-m", "change"), stage, begin=lambda site: _clash(site, "merge")),
    "pick": Form(("--no-edit",), stage, begin=lambda site: _clash(site, "cherry-pick")),
    "first": Form(("-m", "change"), stage, begin=_forget),
}
