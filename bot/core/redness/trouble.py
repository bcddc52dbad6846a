"""What keeps a CI job from telling anything of the code: the runner, the network, a registry, a full disk."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

TroubleKind: TypeAlias = Literal["infrastructure", "cancelled", "timeout"]

NEAR = 200
"""Lines before the end of a step in which a cause is looked for."""


class Trouble(NamedTuple):
    """Something outside of the code that ended a step."""

    kind: TroubleKind
    reason: str
    """In words of ours."""


class _Sign(NamedTuple):
    pattern: re.Pattern[str]
    trouble: Trouble


def _sign(reason: str, *patterns: str, kind: TroubleKind = "infrastructure") -> _Sign:
    return _Sign(re.compile("|".join(patterns), re.IGNORECASE), Trouble(kind, reason))


RUNNER: tuple[_Sign, ...] = (
    _sign("the runner lost its connection", r"lost communication with the server"),
    _sign(
        "the runner was shut down",
        r"the (?:hosted )?runner (?:has received a shutdown signal|encountered an error)",
        r"runner .{0,80}did not (?:connect|respond)",
    ),
    _sign("the runner's disk was full", r"no space left on device", r"not enough space on the disk"),
    _sign("no runner took the job", r"not acquired by runner", r"no runner matching", r"has been queued for over"),
    _sign("the account's minutes or payments do not allow a run", r"payments have failed", r"spending limit"),
    _sign("GitHub's rate limit was reached", r"api rate limit exceeded", r"secondary rate limit"),
    _sign(
        "an action of the workflow could not be downloaded",
        r"unable to (?:resolve|download|find) action",
        r"failed to (?:download|resolve) action",
    ),
    _sign(
        "a container of the job did not start",
        r"failed to initialize container",
        r"docker (?:pull|create|start) failed",
        r"one or more containers failed to start",
    ),
    _sign("it ran into its time limit", r"exceeded the maximum execution time", r"has timed out after", kind="timeout"),
    _sign(
        "it was cancelled",
        r"the (?:operation|run|job) was cancell?ed",
        r"cancell?ing since a (?:higher|deadlocked)",
        kind="cancelled",
    ),
)
"""What the runner itself says, in errors of its own."""

PRINTED: tuple[_Sign, ...] = (
    _sign("the runner's disk was full", r"no space left on device", r"not enough space on the disk", r"\bENOSPC\b"),
    _sign(
        "a name could not be resolved",
        r"temporary failure in name resolution",
        r"could not resolve host",
        r"name or service not known",
        r"\bEAI_AGAIN\b",
        r"getaddrinfo ENOTFOUND",
        r"no such host",
    ),
    _sign("a service refused more requests", r"\b429\b.{0,40}too many", r"too ?many ?requests", r"rate limit exceeded"),
    _sign(
        "a connection failed",
        r"failed to establish a new connection",
        r"connection timed out",
        r"\bE(?:TIMEDOUT|CONNRESET)\b",
        r"connection reset by peer",
        r"read timed out",
        r"network is unreachable",
        r"tls handshake timeout",
        r"remote end closed connection",
    ),
    _sign(
        "a service did not answer",
        r"\b50[0234]\b.{0,30}(?:bad gateway|service unavailable|gateway time-?out|server error)",
        r"the requested url returned error: 50\d",
    ),
    _sign("packages could not be downloaded", r"E: (?:failed|unable) to fetch", r"hash sum mismatch"),
    _sign(
        "a credential of the job was refused",
        r"could not read username",
        r"authentication failed for",
        r"resource not accessible by integration",
        r"bad credentials",
    ),
    _sign("memory ran out", r"\bout of memory\b", r"\boom-?kill", r"cannot allocate memory"),
)
"""What tools print; it only counts where nothing was said of the code."""

CODES = {
    137: "it was killed (exit code 137), as happens when memory runs out",
    143: "it was ended from outside (exit code 143)",
}
_PREPARING = re.compile(
    r"(?:Run )?(?:actions/|docker/(?:login|setup|build)|codecov/|[\w.-]{1,60}/(?:setup|login|configure)[\w.-]{0,60}@"
    r"|Set up job|Initialize containers|Complete job|Post )",
    re.IGNORECASE,
)


def read_runner(errors: Sequence[str]) -> Trouble | None:
    """Find what the runner itself says of a job's end."""
    return next(_read(RUNNER, errors), None)


def read_printed(lines: Sequence[str]) -> Trouble | None:
    """Find what a step's last lines say of something outside of the code."""
    return next(_read(PRINTED, lines[-NEAR:]), None)


def read_code(code: int | None) -> Trouble | None:
    """Tell what an exit code says by itself."""
    return Trouble("infrastructure", CODES[code]) if code in CODES else None


def prepares(title: str) -> bool:
    """Tell whether a step only makes a job ready, so that its failure says nothing of the code."""
    return _PREPARING.match(title) is not None


def _read(signs: Sequence[_Sign], lines: Sequence[str]) -> Iterator[Trouble]:
    text = "\n".join(lines)
    return (sign.trouble for sign in signs if sign.pattern.search(text))
