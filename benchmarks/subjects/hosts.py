"""Small published packages with their tests: obtained with pip, each with an environment that imports its checkout."""

import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.core.task import Record
from subjects.item import fill, run_suite

LIST = Path(__file__).with_name("packages.toml")
PIP = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check")
RUNS = 3
"""How often a suite is run on the untouched package: tests that do not pass each time are not counted."""


class Package(Record):
    """What packages.toml says of a package."""

    name: str
    version: str
    code: str
    """The folder or file that faults are put into."""
    tests: tuple[str, ...]
    """What pytest is given."""
    needs: tuple[str, ...] = ()
    """What else its tests import."""


class Host(Record):
    """A package that is ready."""

    package: Package
    pristine: Path
    checkout: Path
    """Where its environment imports it from."""
    python: Path
    passing: tuple[str, ...]
    seconds: float
    """How long its suite takes."""


def read_packages() -> tuple[Package, ...]:
    """Read the list."""
    found = tomllib.loads(LIST.read_text(encoding="utf-8"))["package"]
    return tuple(Package.model_validate(table) for table in found)


def prepare_hosts(folder: Path, python: Path, only: Sequence[str] = ()) -> Iterator[Host]:
    """Obtain what the folder lacks, and yield each package whose suite runs; the others are named."""
    for package in read_packages():
        if only and package.name not in only:
            continue
        known = folder / package.name / "host.json"
        if not known.exists():
            print(f"{package.name} {package.version} …", file=sys.stderr, flush=True)
            try:
                _prepare(package, known.parent.absolute(), python)
            except subprocess.CalledProcessError as error:
                print(f"{package.name}: left out, {error}", file=sys.stderr)
                continue
        host = Host.model_validate_json(known.read_bytes())
        if host.passing:
            yield host
        else:
            print(f"{package.name}: left out, its suite does not run", file=sys.stderr)


def _prepare(package: Package, folder: Path, python: Path) -> None:
    pristine, checkout, environment = (folder / name for name in ("pristine", "checkout", "env"))
    download(package, pristine)
    fill(checkout, pristine)
    interpreter = make_environment(environment, python, ("pytest", *package.needs, "-e", str(checkout)))
    suites = []
    for _ in range(RUNS):
        fill(checkout, pristine)
        suites.append(run_suite(interpreter, checkout, package.tests))
    passing = frozenset[str].intersection(*(suite.passed for suite in suites))
    host = Host(
        package=package,
        pristine=pristine,
        checkout=checkout,
        python=interpreter,
        passing=tuple(sorted(passing)),
        seconds=suites[-1].seconds,
    )
    if not passing:
        print(suites[-1].said, file=sys.stderr)
    (folder / "host.json").write_text(host.model_dump_json(), encoding="utf-8")


def download(package: Package, target: Path) -> None:
    """Unpack the source distribution of a package. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as scratch:
        wanted = f"{package.name}=={package.version}"
        words = ("download", "--no-binary", ":all:", "--no-deps", "--dest", scratch, wanted)
        subprocess.run((*PIP, *words), check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(Path(scratch) / "out", filter="data")
        (top,) = (Path(scratch) / "out").iterdir()
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(top, target, symlinks=True)


def make_environment(folder: Path, python: Path, wanted: Sequence[str]) -> Path:
    """Make a virtual environment with what is wanted, and return its interpreter. Raises CalledProcessError."""
    subprocess.run((str(python), "-m", "venv", "--clear", "--without-pip", str(folder)), check=True)
    interpreter = folder / "bin/python"
    subprocess.run((*PIP, "--python", str(interpreter), "install", *wanted), check=True)
    return interpreter
