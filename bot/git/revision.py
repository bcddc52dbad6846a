"""What a revision names, as anybody may write one."""

from bot.core.change import readable
from bot.git.run import Git


def list_names(git: Git, revision: str) -> tuple[str, ...] | None:
    """List the files of a revision; empty where it is the content of one file, None where it is none at all."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    spelled = revision.encode("utf-8", "replace").decode()
    kind = git.ask("cat-file", "-t", spelled).output.strip()
    if kind == b"tag":
        spelled += "^{}"
        kind = git.ask("cat-file", "-t", spelled).output.strip()
    if kind not in (b"commit", b"tree"):
        return () if kind == b"blob" else None
    answer = git.ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", spelled)
    return tuple(readable(name) for name in answer.output.split(b"\0") if name)
