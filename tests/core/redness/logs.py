"""Logs of CI jobs in the form in which GitHub gives them away, made of steps."""

from collections.abc import Sequence

STAMP = "2024-05-01T10:00:{:02d}.1234567Z "
SET_UP = (
    "Current runner version: '2.316.1'",
    "##[group]Runner Image",
    "Image: ubuntu-22.04",
    "##[endgroup]",
    "Prepare workflow directory",
    "Complete job name: test (3.9)",
    "##[group]Run actions/checkout@v4",
    "with:",
    "  repository: octo/calc",
    "##[endgroup]",
    "Syncing repository: octo/calc",
    "##[group]Run actions/setup-python@v5",
    "with:",
    "  python-version: 3.9",
    "##[endgroup]",
    "Successfully set up CPython (3.9.19)",
)
CLEAN_UP = ("Post job cleanup.", "[command]/usr/bin/git version", "git version 2.44.0", "Cleaning up orphan processes")


def step(script: str, *output: str, code: int | None = None) -> Sequence[str]:
    """Write what the log tells of a step that runs a script; with a code, it failed."""
    lines = script.split("\n")
    ended = () if code is None else (f"##[error]Process completed with exit code {code}.",)
    return (
        f"##[group]Run {lines[0]}",
        *(f"\x1b[36;1m{line}\x1b[0m" for line in lines),
        "shell: /usr/bin/bash -e {0}",
        "env:",
        "  pythonLocation: /opt/hostedtoolcache/Python/3.9.19/x64",
        "##[endgroup]",
        *output,
        *ended,
    )


def log(*steps: Sequence[str]) -> str:
    """Write the log of a job that had these steps behind those that set it up."""
    lines = (*SET_UP, *(line for each in steps for line in each), *CLEAN_UP)
    return "\ufeff" + "".join(f"{STAMP.format(at % 60)}{line}\n" for at, line in enumerate(lines))


PYTEST = step(
    "pytest -q",
    "\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m                                     [100%]",
    "=================================== FAILURES ===================================",
    "___________________________________ test_add ___________________________________",
    "    def test_add():",
    ">       assert add(1, 2) == 3",
    "E       assert -1 == 3",
    "E        +  where -1 = add(1, 2)",
    "test_calc.py:5: AssertionError",
    "=========================== short test summary info ============================",
    "\x1b[31mFAILED\x1b[0m test_calc.py::\x1b[1mtest_add\x1b[0m - assert -1 == 3",
    "\x1b[31m1 failed\x1b[0m, 1 passed in 0.05s",
    code=1,
)
