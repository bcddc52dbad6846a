"""Projects of the kinds that a clean tree alone does not make runnable, made offline with what is here."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from bot.core.task import Isolation
from bot.errors import SandboxUnavailable
from bot.sandbox.detect import pick
from bot.sandbox.site import Site
from tests.conftest import Repo, make_repo

PROJECT = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n\n[project]\nname = "{name}"\n'
CALC = "def add(a, b):\n    return a + b\n\n\ndef larger(a, b):\n    return a if a > b else b\n"
TESTS = (
    "from {name}.calc import add, larger\n\n\n"
    "def test_add():\n    assert add(1, 2) == 3\n\n\n"
    "def test_larger():\n    assert larger(1, 2) == 2\n    assert larger(2, 1) == 2\n"
)
DEFECT = CALC.replace("return a + b", "return a - b")
LEVELS: tuple[Isolation, ...] = ("bubblewrap", "process")
EVERY: tuple[Isolation, ...] = (*LEVELS, "landlock")


def lacking(level: Isolation, repo: Repo) -> str | None:
    """Say why a level cannot be had; None where it can."""
    try:
        pick(level, Site(repo.path, repo.path / ".git", [Path(sys.executable)]))
    except SandboxUnavailable as error:
        return error.message
    return None


def need(level: Isolation, repo: Repo) -> None:
    """Skip where a level cannot be had."""
    if (reason := lacking(level, repo)) is not None:
        pytest.skip(f"no {level} here: {reason}")


def start(path: Path, name: str, extra: str = "") -> Repo:
    """Make a repository with a package in `src`, its tests, and an ignored environment of its own."""
    repo = make_repo(path)
    repo.commit(
        {
            ".gitignore": ".venv/\n*.so\n_version.py\n",
            "pyproject.toml": PROJECT.format(name=name)
            + 'version = "1.5"\n\n[tool.hatch.build.targets.wheel]\ndev-mode-dirs = ["src"]\n'
            + extra,
            f"src/{name}/__init__.py": "",
            f"src/{name}/calc.py": CALC,
            "tests/test_calc.py": TESTS.format(name=name),
        },
        "a project",
    )
    venv.create(path / ".venv", symlinks=True)
    return repo


def library(repo: Repo) -> Path:
    """Return where the project's own environment keeps what is installed."""
    return next((repo.path / ".venv/lib").glob("python*/site-packages"))


def install_editable(repo: Repo) -> None:
    """Install the project as `pip install -e` does: build the wheel that leads back to the sources, and unpack it."""
    pytest.importorskip("hatchling", reason="the tests of editable installs need hatchling")
    target = repo.path.parent / "wheel"
    target.mkdir()
    build = f"from hatchling.build import build_editable; build_editable({str(target)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=repo.path, check=True, capture_output=True)
    with zipfile.ZipFile(next(target.glob("*.whl"))) as wheel:
        wheel.extractall(library(repo))


def editable(path: Path) -> Repo:
    """(a) An editable install in the repository's own environment; its tests ask for the installed version."""
    repo = start(path, "area")
    asked = 'from importlib.metadata import version\n\n\ndef test_version():\n    assert version("area") == "1.5"\n'
    repo.commit({"tests/test_installed.py": asked}, "ask for what is installed")
    install_editable(repo)
    return repo


def dependent(path: Path) -> Repo:
    """(b) An environment inside the repository that holds what the code imports."""
    repo = start(path, "needy")
    (library(repo) / "dependency.py").write_text("FACTOR = 2\n")
    repo.commit(
        {
            "src/needy/double.py": "import dependency\n\n\ndef double(a):\n    return a * dependency.FACTOR\n",
            "tests/test_double.py": "from needy.double import double\n\n\ndef test_it():\n    assert double(3) == 6\n",
        },
        "double",
    )
    return repo


SOURCE = """#include <Python.h>
static PyObject *three(PyObject *self, PyObject *unused) { return PyLong_FromLong(3); }
static PyMethodDef methods[] = {{"three", three, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_speed", "", -1, methods};
PyMODINIT_FUNC PyInit__speed(void) { return PyModule_Create(&module); }
"""


def compile_in_place(repo: Repo) -> Path:
    """Build the extension beside its source, as `setup.py build_ext --inplace` does."""
    compiler, headers = shutil.which("cc"), Path(sysconfig.get_paths()["include"])
    if compiler is None or not (headers / "Python.h").exists():
        pytest.skip("no compiler, or no headers of Python")
    folder = repo.path / "src/fast"
    built = folder / f"_speed{sysconfig.get_config_var('EXT_SUFFIX')}"
    argv = [compiler, "-shared", "-fPIC", f"-I{headers}", str(folder / "_speed.c"), "-o", str(built)]
    subprocess.run(argv, check=True, capture_output=True)
    return built


def compiled(path: Path) -> Repo:
    """(c) An extension that was built in place and is ignored."""
    repo = start(path, "fast")
    asked = "from fast._speed import three\n\n\ndef test_three():\n    assert three() == 3\n"
    repo.commit({"src/fast/_speed.c": SOURCE, "tests/test_speed.py": asked}, "an extension")
    compile_in_place(repo)
    return repo


TAGGED = """import subprocess
from importlib.metadata import version

from tagged._version import __version__


def test_version():
    assert version("tagged") == "1.5"
    assert __version__ == "1.5"


def test_tag():
    done = subprocess.run(["git", "describe", "--tags"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("v1.5")
"""


def tagged(path: Path) -> Repo:
    """(d) A version that comes from a tag, in an ignored file that the build writes."""
    hook = '\n[tool.hatch.build.hooks.vcs]\nversion-file = "src/tagged/_version.py"\n'
    repo = start(path, "tagged")
    settings = (repo.path / "pyproject.toml").read_text()
    install_editable(repo)
    repo.commit({"pyproject.toml": settings + hook, "tests/test_version.py": TAGGED}, "a version from tags")
    repo.git("-c", "tag.gpgSign=false", "tag", "v1.5")
    number = repo.git("describe", "--tags").removeprefix("v")
    repo.write({"src/tagged/_version.py": f'__version__ = "{number}"\n'})
    return repo


KINDS = {"editable": editable, "dependent": dependent, "compiled": compiled, "tagged": tagged}
NAMES = {"editable": "area", "dependent": "needy", "compiled": "fast", "tagged": "tagged"}
