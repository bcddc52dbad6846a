"""The projects of projects.toml on disk: cloned, with an environment each, and what their own command says of them.

    python benchmarks/checkouts.py FOLDER [--only NAME,NAME] [--from URL]

Clones what FOLDER lacks and gives each project a `.venv` with what it asks for. `--from` names a place that holds the
repositories under their names, where the network is out of reach.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

LIST = Path(__file__).with_name("projects.toml")
WORST_FIRST = ("error", "failed", "xfailed", "skipped", "passed")
_UNITTEST = re.compile(
    r"^(\w+) \(([\w.]+)\)(?:\n[^\n]*)? \.\.\. (ok|FAIL|ERROR|skipped|expected failure|unexpected success)",
    re.MULTILINE,
)
_WORDS = {
    "ok": "passed",
    "FAIL": "failed",
    "ERROR": "error",
    "skipped": "skipped",
    "expected failure": "xfailed",
    "unexpected success": "failed",
}
_ILLEGAL = re.compile("[^\t\n\r\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Project:
    """A project, where it is, and what it says of itself."""

    root: Path
    url: str
    commit: str
    python: str
    install: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str]
    said: str
    runs: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.root.name

    @property
    def unittest(self) -> bool:
        return "unittest" in self.command


_BETWEEN = """
import os, resource, subprocess, sys, time
tell = int(sys.argv[1])
os.set_inheritable(tell, False)
since = time.perf_counter()
code = subprocess.call(sys.argv[2:])
seconds = time.perf_counter() - since
used = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(tell, f"{seconds} {used.ru_utime + used.ru_stime} {used.ru_maxrss}".encode())
sys.exit(code if code >= 0 else 128 - code)
"""


class Ran(NamedTuple):
    """How a command of a project went."""

    code: int
    seconds: float
    cpu: float
    """Seconds of processor time of all its processes."""
    memory: int
    """The most that one process of it held at a time, in MiB."""
    output: str


Name = tuple[str, str]
"""A test as JUnit XML names it: where it stands, and what it is called there."""


def read_projects(folder: Path, only: Sequence[str] = ()) -> tuple[Project, ...]:
    """Read the list; projects that are not in the folder are left out."""
    found = tomllib.loads(LIST.read_text(encoding="utf-8"))["project"]
    return tuple(_project(folder, table) for table in found if not only or table["name"] in only)


def _project(folder: Path, table: Mapping[str, object]) -> Project:
    def words(key: str) -> tuple[str, ...]:
        listed = table[key]
        assert isinstance(listed, list)
        return tuple(map(str, listed))

    environment = table.get("environment", {})
    assert isinstance(environment, dict)
    return Project(
        root=(folder / str(table["name"])).resolve(),
        url=str(table["url"]),
        commit=str(table["commit"]),
        python=str(table["python"]),
        install=words("install"),
        command=words("command"),
        environment=environment,
        said=str(table["said"]),
        runs=words("runs"),
    )


def here(projects: Sequence[Project]) -> Iterator[Project]:
    """Yield the projects that are ready, and name the others."""
    for project in projects:
        if (project.root / ".venv" / ".ready").exists():
            yield project
        else:
            print(f"{project.name}: not here; make it with checkouts.py", file=sys.stderr)


def git(root: Path, *words: str) -> str:
    """Ask git something that it must know."""
    done = subprocess.run(("git", "-C", str(root), *words), capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def dirty(root: Path) -> str:
    """Tell what git sees of changes and of files that it does not know."""
    return git(root, "status", "--porcelain")


def run_own(project: Project, words: Sequence[str] = (), command: Sequence[str] = ()) -> Ran:
    """Run the project's own command in its checkout, as its authors would."""
    binaries = project.root / ".venv" / "bin"
    known = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "VIRTUAL"))}
    environment = {
        **known,
        **project.environment,
        "VIRTUAL_ENV": str(binaries.parent),
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
    }
    argv = [*(command or project.command), *words]
    argv[0] = shutil.which(argv[0], path=environment["PATH"]) or argv[0]
    return measure(argv, project.root, environment)


def measure(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Ran:
    """Run a command; tell its wall time, its processor time and the memory of its largest process."""
    # A process counts the memory of the one that it was forked from as its own: a small one has to come between
    told, tell = os.pipe()
    with tempfile.TemporaryFile() as output, os.fdopen(told) as report:
        process = subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _BETWEEN, str(tell), *argv),
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(tell,),
        )
        os.close(tell)
        seconds, cpu, memory = map(float, report.read().split())
        code = process.wait()
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Ran(code, seconds, cpu, round(memory / 1024), text)


def own_outcomes(project: Project) -> dict[Name, str]:
    """Run the project's own command and read what became of each test from its own report."""
    if project.unittest:
        return _from_words(run_own(project).output)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        ran = run_own(project, (f"--junitxml={report}",))
        if not report.exists():
            sys.exit(f"{project.name}: its own command gave no report:\n{ran.output[-2000:]}")
        return read_junit(report)


def read_junit(report: Path) -> dict[Name, str]:
    """Read what became of each test from a report in JUnit XML. Raises ParseError."""
    found: dict[Name, str] = {}
    for case in ET.parse(report).iter("testcase"):
        name = (case.get("classname", ""), case.get("name", ""))
        found[name] = worse(found.get(name, "passed"), _outcome(case))
    return found


def _outcome(case: ET.Element) -> str:
    if case.find("error") is not None:
        return "error"
    if case.find("failure") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"


def _from_words(output: str) -> dict[Name, str]:
    found: dict[Name, str] = {}
    for method, dotted, word in _UNITTEST.findall(output):
        name = (dotted.removesuffix(f".{method}"), method)
        found[name] = worse(found.get(name, "passed"), _WORDS[word])
    return found


def worse(one: str, other: str) -> str:
    """Pick what weighs more where a test is told of twice."""
    return min(one, other, key=WORST_FIRST.index)


def junit_name(node: str) -> Name:
    """Name a node id as JUnit XML does."""
    address, bracket, parameters = node.partition("[")
    first, *rest = address.split("::")
    names = [first.replace("/", ".").removesuffix(".py"), *rest]
    names[-1] = _ILLEGAL.sub(lambda found: f"#x{ord(found.group()):02X}", names[-1] + bracket + parameters)
    return ".".join(names[:-1]), names[-1]


def prepare(project: Project, source: str) -> None:
    """Clone a project and make its environment, as far as this was not done before."""
    ready = project.root / ".venv" / ".ready"
    if ready.exists():
        return
    print(f"{project.name} …", flush=True)
    if not project.root.exists():
        url = f"{source.rstrip('/')}/{project.name}" if source else project.url
        subprocess.run(("git", "clone", "--quiet", url, str(project.root)), check=True)
        git(project.root, "checkout", "--quiet", "--detach", project.commit)
        git(project.root, "submodule", "--quiet", "update", "--init")
    exclude = project.root / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    with exclude.open("a", encoding="utf-8") as stream:
        stream.write(".venv\n")
    subprocess.run((f"python{project.python}", "-m", "venv", "--clear", ".venv"), cwd=project.root, check=True)
    pip = (".venv/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    subprocess.run((*pip, "--upgrade", "pip", "setuptools", "wheel"), cwd=project.root, check=True)
    subprocess.run((*pip, *project.install), cwd=project.root, check=True)
    ready.touch()


def main() -> None:
    """Make the checkouts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--from", dest="source", default="")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for project in read_projects(options.folder, tuple(filter(None, options.only.split(",")))):
        prepare(project, options.source)


if __name__ == "__main__":
    main()
