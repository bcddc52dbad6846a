"""What results depend on of the variables that we were started with."""

from collections.abc import Iterator, Mapping

PASSED = ("TZ", "USER", "LOGNAME", "PATH", "JAVA_HOME", "OMP_NUM_THREADS")
"""Variables of ours that commands get to see."""


def tell_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """Write down the variables that commands get to see, the same whether git started us or the person did."""
    yield from (f"{name}={_plain(name, environ.get(name, ''))}" for name in PASSED)


def _plain(name: str, value: str) -> str:
    if name != "PATH":
        return value
    # Git puts the folder of its own programs in front for all that it starts
    return ":".join(folder for folder in value.split(":") if not folder.rstrip("/").endswith("/git-core"))
