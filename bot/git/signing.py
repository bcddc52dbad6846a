"""Commits signed with a person's own git configuration, where they asked for it."""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bot.errors import GitFailed, UsageError
from bot.git import owner
from bot.git.objects import AGENT, Identity, clean_message
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.temporary import PREFIX

PATIENCE = 60.0
"""Seconds that a signature may take: an agent that holds the key may ask for it to be confirmed."""

_PROMPTS: Final = ("GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY", "SSH_ASKPASS")
"""What a program that wants a passphrase would find a person by, who may be elsewhere by then."""

_HINT = "see `git config user.signingkey` and gpg.format, unlock the key first (ssh-add, gpg), or leave --sign out"


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs commits whose author is git agent and whose committer is the person, as the signature says."""

    git: Git
    committer: Identity
    author: Identity = AGENT

    def commit(self, tree: str, parents: Sequence[str], message: str) -> str:
        """Write a signed commit that no ref holds yet. Raises GitFailed."""
        try:
            return self._write(tree, parents, message, {})
        except GitFailed as error:
            hint = f"its tree is {tree}; {_HINT}"
            raise GitFailed(f"the step could not be signed: {error.message}", hint=hint) from error

    def check(self, tree: str) -> None:
        """Sign something that is thrown away. Raises UsageError when that does not work."""
        with tempfile.TemporaryDirectory(prefix=f"{PREFIX}trial-") as folder:
            # So that it is found and removed when we are killed in the middle
            owner.write(Path(folder), owner.current(common_dir=self.git.git_dir))
            objects = Path(folder, "objects")
            objects.mkdir()
            aside = {
                "GIT_OBJECT_DIRECTORY": str(objects),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quote(self.git.git_dir / "objects"),
            }
            try:
                self._write(tree, (), "a trial\n", aside)
            except GitFailed as error:
                raise UsageError(f"the commits cannot be signed: {error.message}", hint=_HINT) from error

    def _write(self, tree: str, parents: Sequence[str], message: str, environ: Mapping[str, str]) -> str:
        given = [arg for parent in parents for arg in ("-p", parent)]
        who = {**_name("AUTHOR", self.author), **_name("COMMITTER", self.committer)}
        # Empty is the same as absent to the programs that look for these
        silent = dict.fromkeys(_PROMPTS, "") | {"SSH_ASKPASS_REQUIRE": "never"}
        said = clean_message(message).encode()
        return self.git.line("commit-tree", "-S", tree, *given, stdin=said, environ={**who, **silent, **environ})


def make_signer(repository: Repository) -> Signer:
    """Make what signs as the person whose configuration this is. Raises UsageError when git does not know them."""
    git = replace(repository.shared, timeout=PATIENCE)
    # A name that git makes up from the machine's is nobody's key
    asking = replace(git, config=(*git.config, ("user.useConfigOnly", "true")))
    answer = asking.ask("var", "GIT_COMMITTER_IDENT")
    name, _, rest = os.fsdecode(answer.output).strip().rpartition(" <")
    if answer.code or not name:
        hint = "set git config user.name and user.email, or leave --sign out"
        raise UsageError("to sign, git has to know who you are", hint=hint)
    return Signer(git, Identity(name, rest.partition(">")[0]))


def _name(role: str, who: Identity) -> dict[str, str]:
    return {
        f"GIT_{role}_NAME": who.name,
        f"GIT_{role}_EMAIL": who.email,
        f"GIT_{role}_DATE": f"{int(time.time())} +0000",
    }


def _quote(path: Path) -> str:
    """Write a path as git reads it in a list of folders."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
