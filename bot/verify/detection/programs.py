"""Finds checks that are programs of their own: builds, and the tests of other languages."""

import re
import shutil
from collections.abc import Iterator, Sequence

from bot.core.check import Check, Rung
from bot.verify.detection.commands import Named, read_script
from bot.verify.detection.linters import LINTERS
from bot.verify.detection.project import Project, Section, normal, table
from bot.verify.detection.recipes import JUSTFILES, MAKEFILES, gather, read_recipes
from bot.verify.interpreter import Interpreter

UNDERSTOOD = frozenset({
    "pytest", "unittest", "mypy", "ruff", "coverage", "echo", "printf", "true", "mkdir", "rm", "touch", "cd", "export",
    "set", "find", "exit", "python", "sleep", "ls", "cat", "pre-commit", "prek", *(linter.name for linter in LINTERS),
})  # fmt: skip
"""Programs whose checks are found by themselves, and those that check nothing."""
FOREIGN = frozenset({
    "tox", "nox", "pip", "pip3", "uv", "poetry", "pdm", "hatch", "pipenv", "apt", "apt-get", "brew", "docker",
    "docker-compose", "podman", "curl", "wget", "git", "npm", "pnpm", "yarn", "conda", "virtualenv", "venv", "sudo",
    "act", "kubectl", "vagrant", "gh", "open", "xdg-open", "sphinx-build", "mkdocs", "twine", "rsync", "ssh",
})  # fmt: skip
"""Programs that make environments, fetch things or reach out of the tree."""
_NO_TEST = "no test specified"
_MANAGERS = (("pnpm", "pnpm-lock.yaml"), ("yarn", "yarn.lock"), ("bun", "bun.lockb"), ("bun", "bun.lock"))
_INTO = 'exec "$@" "{option}" "${{TMPDIR:-/tmp}}/built"'
"""So that what is built does not land in the tree."""


def find(project: Project, commands: Sequence[Named], interpreter: Interpreter) -> Iterator[Check | str]:
    """Find the checks that are told by an exit code alone."""
    yield from _node(project)
    yield from _go(project)
    yield from _cargo(project)
    yield from _make(project)
    yield from _build(project, commands, interpreter)


def _exit(name: str, rung: Rung, argv: Sequence[str], reason: str, needs: Sequence[str] = ()) -> Check:
    return Check(name=name, rung=rung, argv=tuple(argv), timeout=900, reason=reason, needs=tuple(needs))


def _here(program: str) -> bool:
    return shutil.which(program) is not None


def _node(project: Project) -> Iterator[Check | str]:
    package = project.json("package.json")
    scripts = table(package, "scripts") or {}
    manager = _manager(project, package)
    for script, rung in (("lint", Rung.STATIC), ("typecheck", Rung.TYPES), ("test", Rung.UNIT)):
        text = scripts.get(script)
        if not isinstance(text, str) or not text.strip() or _NO_TEST in text:
            continue
        why = f'the script "{script}" in package.json'
        if not _here(manager):
            yield f"{manager} {script} is not run: there is no {manager} on this machine ({why})"
            continue
        dependent = any(table(package, key) for key in ("dependencies", "devDependencies"))
        needs = (manager, "node_modules/") if dependent else (manager,)
        argv = (manager, script) if script == "test" and manager != "bun" else (manager, "run", script)
        yield _exit(f"{manager}-{script}", rung, argv, why, needs)


def _manager(project: Project, package: Section) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in ("npm", "pnpm", "yarn", "bun"):
        return named
    return next((name for name, lock in _MANAGERS if project.has(lock)), "npm")


def _go(project: Project) -> Iterator[Check | str]:
    if not project.has("go.mod") or not any(path.endswith("_test.go") for path in project.files()):
        return
    if not _here("go"):
        yield "go test ./... is not run: there is no go on this machine (go.mod)"
        return
    yield _exit("go-test", Rung.UNIT, ("go", "test", "./..."), "go.mod and files that end in _test.go", ("go",))


def _cargo(project: Project) -> Iterator[Check | str]:
    manifest = project.toml("Cargo.toml")
    if not manifest:
        return
    # A library that only Python loads is tested from there
    extension = "pyo3" in str(manifest.get("dependencies", "")) and project.has("pyproject.toml")
    if extension or not _here("cargo"):
        why = "it is an extension of Python" if extension else "there is no cargo on this machine"
        yield f"cargo test is not run: {why} (Cargo.toml)"
        return
    argv = ("cargo", "test", *(("--workspace",) if "workspace" in manifest else ()))
    yield _exit("cargo-test", Rung.UNIT, argv, "Cargo.toml", ("cargo",))


def _make(project: Project) -> Iterator[Check | str]:
    """Find targets that test something which is not found otherwise."""
    for program, names in (("make", MAKEFILES), ("just", JUSTFILES)):
        file = project.has(*names)
        recipes = {recipe.name: recipe for recipe in read_recipes(project.text(file))} if file else {}
        for target, rung in (("lint", Rung.STATIC), ("check", Rung.UNIT), ("test", Rung.UNIT)):
            lines = gather(recipes, target)
            programs = {spoken.argv[0] for line in lines for spoken in read_script(line.lstrip("@+-"), {})}
            unknown = programs - UNDERSTOOD
            why = f"target {target} in {file}"
            if not unknown:
                continue
            if target == "check" and "test" in recipes:
                yield f"{program} check is not run whole; what it starts besides: {', '.join(sorted(unknown))} ({why})"
                continue
            if stranger := sorted(unknown & FOREIGN) or sorted(name for name in unknown if not _plain(name)):
                yield f"{program} {target} is not run: it starts {stranger[0]} ({why})"
            elif not _here(program):
                yield f"{program} {target} is not run: there is no {program} on this machine ({why})"
            else:
                yield _exit(f"{program}-{target}", rung, (program, target), why, (program,))


def _plain(name: str) -> bool:
    return re.fullmatch(r"[\w./+-]+", name) is not None


def _build(project: Project, commands: Sequence[Named], interpreter: Interpreter) -> Iterator[Check | str]:
    """Find the command that builds the distribution, when one is named."""
    wanted = next((named for named in commands if _builds(named) and not named.folder), None)
    if wanted is None:
        return
    shown, why = " ".join(wanted.argv[:2]), f"{wanted.place} runs it"
    needed = _backend(project)
    missing = sorted(name for name in needed if name not in interpreter.installed)
    if missing:
        text = f"{missing[0]}, which the build needs, is not installed in the project's own environment"
        yield f"{shown} is not run: {text} ({why})"
        return
    argv = _build_command(wanted, interpreter)
    if argv is None:
        yield f"{shown} is not run: {wanted.tool} is not installed in the project's own environment ({why})"
        return
    yield _exit("build", Rung.BUILD, argv, f"{why}; run without a new environment, as that takes the network")


def _builds(command: Named) -> bool:
    if command.tool in ("build", "pyproject-build"):
        return True
    return command.tool in ("hatchling", "poetry", "flit", "uv", "pdm", "hatch") and command.argv[1:2] == ("build",)


def _backend(project: Project) -> frozenset[str]:
    requires = (table(project.pyproject, "build-system") or {}).get("requires")
    if not isinstance(requires, list):
        return frozenset({"setuptools"})
    return frozenset(normal(item) for item in requires if isinstance(item, str))


def _build_command(command: Named, interpreter: Interpreter) -> tuple[str, ...] | None:
    """Return the command as it can be run without the network, writing outside of the tree where it can."""
    python = str(interpreter.path)
    if command.tool in ("build", "pyproject-build"):
        kinds = (word for word in command.argv[1:] if word in ("--sdist", "--wheel", "-s", "-w"))
        found = "build" in interpreter.installed
        return _into("--outdir", python, "-m", "build", "--no-isolation", *kinds) if found else None
    found_at = shutil.which("uv") if command.tool == "uv" else interpreter.script(command.tool)
    options = {
        "uv": ("--out-dir", "--no-build-isolation", "--offline", "--python", python),
        "hatchling": ("--directory",),
        "poetry": ("--output",),
        "pdm": ("--dest", "--no-isolation"),
    }.get(command.tool)
    if found_at is None or (options is None and command.tool != "flit"):
        return None
    return _into(options[0], str(found_at), "build", *options[1:]) if options else (str(found_at), "build")


def _into(option: str, *argv: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", _INTO.format(option=option), "sh", *argv)
