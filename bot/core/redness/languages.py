"""What the tools of other languages print of a failure: Go, Rust, JavaScript, C."""

import re
from collections.abc import Iterator

from bot.core.redness.claim import ARROW, BESIDE, LONGEST, Claim, Lines, tidy

_GO = re.compile(rf"{BESIDE}\s*(?:--- FAIL: (?P<test>\S{{1,300}}) \(|=== FAIL: \S+ (?P<sum>\S{{1,300}}) \()")
_GO_BUILD = re.compile(rf"{BESIDE}FAIL\s+(?P<package>\S{{1,300}}) \[(?:build|setup) failed\]")
_GO_PLACE = re.compile(r"(?:vet: )?(?P<path>[^\s:]{1,300}\.go):(?P<line>\d{1,7}):(?:\d+:)? (?P<said>\S.*)")


def _go(lines: Lines) -> Iterator[Claim]:
    broken = any(line.startswith("# ") or "failed]" in line for line in lines)
    for line in lines:
        if "FAIL" in line and (match := _GO.match(line)):
            yield Claim("go-test", "tests", match["test"] or match["sum"])
        elif "failed]" in line and (match := _GO_BUILD.match(line)):
            yield Claim("go-test", "build", match["package"])
        elif broken and ".go:" in line and (match := _GO_PLACE.match(line)):
            place = tidy(match["path"]), int(match["line"])
            yield Claim("go-test", "build", match["said"][:80], *place, match["said"][:LONGEST])


_CARGO = re.compile(
    rf"{BESIDE}(?:test (?P<test>\S{{1,300}})(?: - .{{0,300}}?)? \.\.\. FAILED"
    r"|\s*FAIL \[ *\d+\.\d+s\] (?:\(\S+\) )?\S+ (?P<next>\S+))$"
)
_RUSTC = re.compile(r"error(?:\[(?P<code>E\d{4})\])?: (?P<said>\S.*)")


def _cargo(lines: Lines) -> Iterator[Claim]:
    before = ""
    for line in lines:
        if "FAIL" in line and (match := _CARGO.match(line)):
            yield Claim("cargo-test", "tests", match["test"] or match["next"])
        elif "-->" in line and (match := ARROW.match(line)) and (said := _RUSTC.match(before)):
            place = tidy(match["path"]), int(match["line"])
            yield Claim("cargo-test", "build", said["code"] or said["said"][:80], *place, said["said"][:LONGEST])
        before = line


_JEST_FILE = re.compile(
    rf"{BESIDE}\s*FAIL +(?:\|[^|]{{1,40}}\| )?(?P<path>[^\s:]{{1,300}}\.[cm]?[jt]sx?)(?: > (?P<name>.{{1,300}}))?$"
)
_JEST = re.compile(rf"{BESIDE}\s+● (?P<name>.{{1,200}} \u203a .{{1,200}})$")
_MOCHA = re.compile(r"\s+\d{1,5}\) (?P<name>\S.{0,300}?):?$")
_TAP = re.compile(r"\s*(?:not ok \d+ - (?P<tap>\S.{0,299}?)(?: # .*)?|✖ (?P<spec>\S.{0,299}?) \(\d[\d.]*ms\))$")


def _script(lines: Lines) -> Iterator[Claim]:
    path, counted = "", False
    for line in lines:
        if "FAIL" in line and (match := _JEST_FILE.match(line)):
            path = tidy(match["path"])
            yield Claim("npm-test", "tests", f"{path} > {match['name']}" if match["name"] else path, path)
        elif "●" in line and (match := _JEST.match(line)):
            yield Claim("npm-test", "tests", match["name"], path)
        elif re.fullmatch(r"\s+\d{1,6} failing", line):
            counted = True
        elif counted and ")" in line and (match := _MOCHA.match(line)):
            yield Claim("npm-test", "tests", match["name"])
        elif ("not ok" in line or "✖" in line) and (match := _TAP.match(line)):
            yield Claim("npm-test", "tests", match["tap"] or match["spec"])


_PROBLEM = re.compile(r"\s+(?P<line>\d{1,7}):\d+\s+error\s+(?P<said>\S.{0,400}?)\s{2,}(?P<code>\S+)$")
_SCRIPT = re.compile(r"(?P<path>(?:/|\w|\.)[^:\n]{0,299}\.(?:[cm]?[jt]sx?|vue|svelte))$")


def _eslint(lines: Lines) -> Iterator[Claim]:
    path = ""
    for line in lines:
        if named := _SCRIPT.match(line):
            path = tidy(named["path"])
        elif path and "error" in line and (match := _PROBLEM.match(line)):
            yield Claim("eslint", "lint", match["code"], path, int(match["line"]), match["said"])
        elif not line.strip():
            path = ""


_CC = re.compile(
    rf"{BESIDE}(?P<path>[^\s:()][^:()\n]{{0,299}}\.(?:c|cc|cpp|cxx|h|hpp|m|mm|f90)):(?P<line>\d{{1,7}}):(?:\d+:)? "
    r"(?:fatal )?error: (?P<said>.*)"
)


def _compilers(lines: Lines) -> Iterator[Claim]:
    for line in lines:
        if "error: " in line and (match := _CC.match(line)):
            place = tidy(match["path"]), int(match["line"])
            yield Claim("compiler", "build", match["said"][:80], *place, match["said"][:LONGEST])


ALL = (_go, _cargo, _script, _eslint, _compilers)
