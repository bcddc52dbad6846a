"""What the tools of Python print of a failure: pytest, unittest, type checkers, linters, pre-commit."""

import re
from collections.abc import Iterator

from bot.core.redness.claim import ARROW, BESIDE, LONGEST, Claim, Fault, Lines, tidy

_NODE = re.compile(
    r"(?P<path>[^\s:\[\]'\"]{1,300}\.(?:py|txt|rst|md|ipynb|ya?ml|feature))"
    r"(?P<names>(?:::[^\s:\[]{1,200}){0,6})(?P<rest>\[.*)?"
)
_SUMMED = re.compile(rf"{BESIDE}(?:\[gw\d+\] \[ *\d+%\] )?(?P<word>FAILED|ERROR) (?P<rest>\S.*)")
_VERBOSE = re.compile(rf"{BESIDE}(?P<rest>\S.*) (?:FAILED|ERROR) +\[ *\d+%\]")
_PARAMETERS = re.compile(r"\[.{0,400}?\](?= - |$)")
_HEADING = re.compile(r"_{3,} (?:ERROR at (?:setup|teardown) of )?([\w.]+(?:\[.{0,200}\])?) _{3,}")
_RAISED = re.compile(r"(?P<path>[^\s:]{1,300}\.py):(?P<line>\d{1,7}): \w{1,80}")
_TOTALS = re.compile(rf"{BESIDE}=*[ ]?(?:\d+ [a-z]+, ){{0,8}}\d+ (?:failed|errors?)\b.* in \d+\.\d+s")
_COVERAGE = re.compile(rf"{BESIDE}(?:FAIL |ERROR: |Coverage failure: )(?P<said>(?:Required test c|C)overage .*)")


def _pytest(lines: Lines) -> Iterator[Claim]:
    heading, headed = "", dict[str, Claim]()
    summed = False
    for line in lines:
        match = _SUMMED.match(line) if "FAILED " in line or "ERROR " in line else None
        if match is None and "%]" in line:
            match = _VERBOSE.match(line)
        claim = _node(match["rest"]) if match is not None else None
        if claim is not None:
            summed = True
            yield claim
        elif line.startswith("___") and (title := _HEADING.match(line)):
            heading = title[1]
        elif heading and (raised := _RAISED.fullmatch(line)):
            place = tidy(raised["path"]), int(raised["line"])
            headed[heading] = Claim("pytest", "tests", f"::{heading.replace('.', '::')}"[:LONGEST], *place)
        elif " in " in line and _TOTALS.match(line):
            yield Claim("pytest", "tests")
        elif "overage" in line and (short := _COVERAGE.match(line)):
            yield Claim("pytest", "tests", said=short["said"][:LONGEST])
    yield from () if summed else headed.values()


def _node(text: str) -> Claim | None:
    """Read a node id, and what is said of it behind a dash."""
    match = _NODE.match(text)
    if match is None:
        return None
    rest = match["rest"] or ""
    parameters = _PARAMETERS.match(rest)
    if rest and parameters is None:
        return None
    path = tidy(match["path"])
    end = match.start("rest") + parameters.end() if parameters else match.end("names")
    name = f"{path}{match['names']}{parameters[0] if parameters else ''}"
    return Claim("pytest", "tests", name[:LONGEST], path, said=text[end:].removeprefix(" - ").strip()[:LONGEST])


_UNITTEST = re.compile(rf"{BESIDE}(?:FAIL|ERROR): (?P<test>[\w.]{{1,200}}) \((?P<owner>[\w.]{{1,300}})\)")
_UNITTESTS = re.compile(rf"{BESIDE}FAILED \((?:failures|errors|unexpected successes)=\d+")


def _unittest(lines: Lines) -> Iterator[Claim]:
    for line in lines:
        if "(" not in line:
            continue
        if match := _UNITTEST.match(line):
            yield _dotted(match["test"], match["owner"])
        elif _UNITTESTS.match(line):
            yield Claim("unittest", "tests")


def _dotted(test: str, owner: str) -> Claim:
    """Turn a module, a class and a method into an id; a module that could not be imported stands for itself."""
    if owner.startswith("unittest.loader."):
        path = f"{test.replace('.', '/')}.py"
        return Claim("unittest", "tests", path, path)
    parts = owner.removesuffix(f".{test}").split(".")
    path = f"{'/'.join(parts[:-1] or parts)}.py"
    return Claim("unittest", "tests", "::".join((path, *parts[-1:], test))[:LONGEST], path)


_PLACE = r"(?P<path>[^\s:()\"'][^:()\n]{0,299}?\.\w{1,10}):(?P<line>\d{1,7}):(?:\d{1,7}:)?"
_MYPY = re.compile(
    rf"{BESIDE}(?:##\[error\])?{_PLACE}(?:\d+:\d+:)? error: (?P<said>.{{0,400}}?)(?:  \[(?P<code>[\w-]+)\])?$"
)
_MYPYS = re.compile(rf"{BESIDE}Found \d+ errors? in \d+ files?\b")
_PYRIGHT = re.compile(
    r"\s*(?P<path>[^\s:][^:\n]{0,299}\.pyi?):(?P<line>\d{1,7}):\d+ - error: (?P<said>.{0,400}?)(?: \((?P<code>\w+)\))?$"
)
_TSC = re.compile(
    rf"{BESIDE}(?:##\[error\])?(?P<path>[^\s:()][^:()\n]{{0,299}}\.[cm]?tsx?)"
    r"(?:\((?P<line>\d{1,7}),\d+\): |:(?P<at>\d{1,7}):\d+ - )error (?P<code>TS\d+): (?P<said>.*)"
)


def _types(lines: Lines) -> Iterator[Claim]:
    for line in lines:
        if "error" not in line:
            continue
        if (match := _TSC.match(line)) is not None:
            place = tidy(match["path"]), int(match["line"] or match["at"])
            yield Claim("tsc", "types", match["code"], *place, match["said"][:LONGEST])
        elif (match := _PYRIGHT.match(line)) is not None:
            yield _finding("pyright", "types", match)
        elif (match := _MYPY.match(line)) is not None and match["path"].endswith((".py", ".pyi")):
            yield _finding("mypy", "types", match)
        elif _MYPYS.match(line):
            yield Claim("mypy", "types")


def _finding(tool: str, fault: Fault, match: re.Match[str]) -> Claim:
    said, code = (match["said"] or "").strip()[:LONGEST], match["code"] or ""
    return Claim(tool, fault, code or said[:80], tidy(match["path"]), int(match["line"]), said)


_CODED = re.compile(
    rf"{BESIDE}(?:##\[error\])?{_PLACE} (?P<code>[A-Z]{{1,4}}\d{{1,5}}|invalid-syntax|SyntaxError):? (?P<said>.*)"
)
_RULE = re.compile(r"(?P<code>[A-Z]{1,4}\d{3,5}|invalid-syntax)(?: \[\*\])?:? (?P<said>\S.*)")
_UNFORMATTED = re.compile(rf"{BESIDE}(?:##\[error\])?(?P<word>[Ww])ould reformat:? (?P<path>\S.{{0,299}})")
_UNSORTED = re.compile(rf"{BESIDE}ERROR: (?P<path>\S.{{0,299}}?) Imports are incorrectly sorted")


def _lint(lines: Lines) -> Iterator[Claim]:
    flake8 = any("flake8" in line for line in lines) and not any("ruff" in line for line in lines)
    before = ""
    for line in lines:
        if (match := ARROW.match(line)) is not None and (rule := _RULE.match(before)):
            place = tidy(match["path"]), int(match["line"])
            yield Claim("ruff", "lint", rule["code"], *place, rule["said"][:LONGEST])
        elif ":" in line and (match := _CODED.match(line)):
            pylint = re.fullmatch(r"[CRWEF]\d{4}", match["code"]) is not None
            yield _finding("pylint" if pylint else "flake8" if flake8 else "ruff", "lint", match)
        elif "ould reformat" in line and (match := _UNFORMATTED.match(line)):
            tool = "black" if match["word"] == "w" else "ruff-format"
            yield Claim(tool, "lint", "format", tidy(match["path"]))
        elif "incorrectly sorted" in line and (match := _UNSORTED.match(line)):
            yield Claim("isort", "lint", "imports", tidy(match["path"]))
        before = line


_HOOK = re.compile(r"(?P<title>.{1,100}?)\.{3,}(?:\([^()]{0,60}\))?Failed$")
_HOOK_ID = re.compile(r"- hook id: (?P<id>[\w.-]{1,100})$")


def _pre_commit(lines: Lines) -> Iterator[Claim]:
    failed = False
    for line in lines:
        if line.endswith("Failed") and _HOOK.match(line):
            failed = True
        elif failed and (match := _HOOK_ID.match(line)):
            tool = {"ruff-check": "ruff"}.get(match["id"], match["id"])
            fault: Fault = "types" if tool in ("mypy", "pyright") else "tests" if "pytest" in tool else "lint"
            yield Claim(tool, fault, said=f"the hook {match['id']} failed")
            failed = False


ALL = (_pytest, _unittest, _types, _lint, _pre_commit)
