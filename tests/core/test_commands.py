import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.commands import VARIABLES, expose, judge_command, refuse_command, refuse_variable, settle, writes
from bot.core.programs import REFUSED
from bot.core.shapes import GIT, MODULES, MYPY, PYTEST, READERS, RUFF, Shape

ALLOWED = [
    "ruff check",
    "ruff check --fix src",
    "ruff check --select F401 --output-format concise .",
    "ruff format --check .",
    "ruff --version",
    "python script.py --flag value",
    "python3.12 -I tools/gen.py",
    "python -m pytest -xq tests",
    "python -m mypy --strict bot",
    "python -m unittest discover -s tests",
    "python -m ruff check .",
    "python --version",
    "pytest",
    "pytest -xvs -k add tests/test_a.py::test_b[../x]",
    "pytest --maxfail=1 -p no:cacheprovider --tb short",
    "mypy --strict bot",
    "ls -la src",
    "cat README.md",
    "head -n 5 a.py",
    "head -5 a.py",
    "wc -l a.py b.py",
    "grep -rn --exclude-dir=.git needle src",
    "find . -name *.py -type f",
    "git status --short",
    "git log --oneline -5 -- calc.py",
    "git --no-pager log -p -n 3",
    "git diff HEAD~1..HEAD --stat=80",
    "git show HEAD:calc.py",
    "git blame -L 1,5 calc.py",
    "git grep -n needle",
    "git describe --tags --always",
]

DENIED = {
    "shell": ["sh -c ls", "bash -lc ls", "/bin/sh x.sh", "zsh", "busybox sh", "pwsh x", "SH -c ls", "bash.exe -c x"],
    "dependency": [
        "pip install x",
        "pip3.11 install x",
        "python -m pip install x",
        "uv add x",
        "npm i -g x",
        "apt-get install x",
    ],
    "network": ["curl http://x", "wget x", "ssh host", "nc -l 1", "gh pr create", "docker run x"],
    "who runs": ["sudo ls", "su -c ls", "doas ls", "unshare -r ls"],
    "other programs": [
        "env X=1 ls",
        "xargs rm",
        "timeout 5 ls",
        "nohup ls",
        "make test",
    ],
    "read with read_file": ["awk 1 x", "sed -i s/a/b/ x", "vim x"],
    "interpreters": ["node -e 1", "perl -e 1", "ruby x.rb", "php x"],
    "editing tools": ["rm -rf .", "mv a b", "tee x", "dd if=x", "touch x"],
    "variables": ["X=1 ls", "LD_PRELOAD=x ls"],
    "path": ["./run.py", "bin/pytest", "../pytest", "\\\\x\\pytest"],
    "list": [
        "python -c print(1)",
        "python -Ic print(1)",
        "python -i x.py",
        "python -",
        "python -m http.server",
        "python -m pdb x.py",
        "python -mpip install x",
        "python -X dev x.py",
        "pytest -c /x",
        "pytest -o addopts=x",
        "pytest -q=pevil",
        "pytest -q=cother.ini",
        "mypy -v=cx",
        "pytest --rootdir=..",
        "pytest --basetemp=src",
        "pytest --pastebin=all",
        "pytest --pdb",
        "pytest -xpevil",
        "mypy -c x",
        "mypy --config-file x",
        "mypy --install-types",
        "mypy --python-executable x",
        "ruff check --config x",
        "ruff check --add-noqa",
        "ruff check --watch",
        "ruff check -o x",
        "ruff server",
        "git push origin x",
        "git commit -m x",
        "git checkout x",
        "git config core.pager x",
        "git -c core.pager=x log",
        "git -C .. log",
        "git --git-dir=x log",
        "git -p log",
        "git log --output=x",
        "git log --outp=x",
        "git diff --ext-diff",
        "git diff --no-index a b",
        "git log --textconv",
        "git log --all",
        "git branch -D x",
        "git branch -m x",
        "git tag -d x",
        "git tag -am x y",
        "pytest --cov-report=html",
        "git log -g",
        "git grep -Ovi x",
        "git grep --open-files-in-pager=vi x",
        "git blame --contents x y",
        "find . -exec rm {} +",
        "find . -delete",
        "find -- . -exec rm {} +",
        "find -- . -fprint x",
        "find . -fls x",
        "find . -ok rm {} +",
        "find . -execdir rm {} +",
        "find . -files0-from x",
        "sort --output=x y",
        "sort --outp x y",
        "sort -uo x y",
        "sort --compress-program=x y",
        "sort -T x y",
        "sort --files0-from=x",
        "wc --files0-from=x",
        "du --files0-from=x",
        "du -X x",
        "file -m x y",
        "file -C -m x",
        "file -f x",
        "file -z x",
        "tree --fromfile x",
        "tree -R -H x",
        "grep -f x y",
        "grep --file=x y",
        "rg --pre=x y",
        "rg --pre-glob x y",
        "rg -z x",
        "rg --hostname-bin x y",
        "rg -f x y",
        "diff --to-file=x y",
        "diff -l x y",
        "ls --hyperlink",
        "cat --show-all x",
        "cut --output-delimiter=x y",
        "git blame -S x y",
        "git blame --ignore-revs-file=x y",
        "git log -O x",
        "git log --stdin",
        "git log --show-signature",
        "git ls-files -X x",
        "git ls-files --exclude-from=x",
        "git grep -f x",
        "git grep --open=x y",
        "git grep --no-index x",
        "git diff --output=x",
        "git show --ext-diff",
        "git rev-parse --git-dir",
        "pytest -- --rootdir=x",
        "pytest --confcutdir=x",
        "pytest --override-ini=x",
        "pytest --rootd=x",
        "pytest --junitxml=x",
        "pytest --cov-report=html:x",
        "pytest --cov-config=x",
        "pytest --log-file=x",
        "pytest --debug=x",
        "mypy --html-report x",
        "mypy --install-types",
        "mypy --cache-dir x",
        "mypy --junit-xml x",
        "mypy --custom-typing-module x",
        "mypy --shadow-file x y",
        "ruff check --cache-dir x",
        "ruff check --output-file x",
        "ruff check --stdin-filename x",
        "ruff format --config x",
        "ruff clean",
        "python -m doctest --evil",
        "python -W error x.py",
        "sort -o x y",
        "tail -f x",
        "rg --pre x y",
        "tree -o x",
        "ls --colour",
        "unknown-program",
    ],
    "file": ["python tools", "python x.pyz", "python x.txt"],
    "out of": [
        "cat /etc/passwd",
        "cat ../x",
        "ls ~",
        "head -c5 a/../../x",
        "diff a /dev/zero",
        "cat x=/etc/passwd",
        "grep -e/x -r /",
    ],
    "git's own": ["cat .git/config", "ls .GIT", "python .git/x.py", "git show HEAD:.git/x", "cat git~1/config"],
    "would make": ["git branch x", "git branch -v x", "git tag x", "git tag --contains HEAD x", "git tag -n x"],
    "secrets": [
        "grep -e x .env",
        "grep x .env",
        "grep -rn x -e y .env",
        "rg --files .env",
        "git grep x -- .env",
        "cat .env",
        "head id_rsa",
        "git show HEAD:.env",
        "grep -r x .aws/config",
        "wc server.pem",
    ],
    "plugins": ["pytest -p evil", "pytest -p", "python -m pytest -p evil", "pytest -- -pevil", "pytest -pno:x -pevil"],
    "reflog": ["git show HEAD@{1}", "git log @{-1}"],
    "value": ["git log -n --output=x", "head -n -x"],
    "no shell": ["ls | wc", "cat a > b", "ls && ls", "ls ; ls"],
    "nobody has judged": ["pytest @args", "python x.py @args"],
    "waits": ["python", "python -u"],
}


@pytest.mark.parametrize("command", ALLOWED)
def test_harmless_command_is_allowed(command: str) -> None:
    assert refuse_command(command.split()) is None


@pytest.mark.parametrize(
    ("word", "command"), [(word, command) for word, commands in DENIED.items() for command in commands]
)
def test_command_is_refused_with_the_reason(word: str, command: str) -> None:
    reason = refuse_command(command.split())
    assert reason is not None
    assert word in reason
    assert "\n" not in reason


@pytest.mark.parametrize("argv", [[], [""], [" "], ["ls", "a\0b"], ["ls"] * 500, ["ls", "x" * 100_000], [" ls"]])
def test_misshapen_command_is_refused(argv: list[str]) -> None:
    assert refuse_command(argv)


def test_pattern_may_hold_backslashes_and_dots() -> None:
    assert refuse_command(["grep", "-rn", r"\bfoo\b.*\.\.", "src"]) is None


OPTIONS = st.one_of(
    st.text(max_size=12),
    st.from_regex(r"--?[a-zA-Z-]{1,14}(=\w{0,3})?", fullmatch=True),
    st.sampled_from(["--output=x", "-o", "-ox", "--pre", "-exec", "-delete", "--", "-O", "--config", "-p", "-c"]),
)

TEXTS = [
    (["grep", "-rn", "@property", "src"], ("-rn", "src")),
    (["grep", "-rne", "../x", "-e@y", "src"], ("src",)),
    (["grep", "--", ".env", "src"], ("src",)),
    (["grep", "a && b", "--exclude-dir", ".git", "."], (".",)),
    (["rg", "/etc/passwd", "-g", "*.py"], ("-g", "*.py")),
    (["rg", "--files", "src"], ("--files", "src")),
    (["find", ".", "-not", "-path", "./.git/*", "-name", ".env"], (".", "-not")),
    (["cut", "-d/", "-f2", "x"], ("-f2", "x")),
    (["git", "grep", "-n", "~/.netrc", "src"], ("-n", "src")),
    (["git", "--no-pager", "log", "-S", "@x", "--grep=/api", "-S/x", "--", "src"], ("src",)),
    (["pytest", "-k", "a/../b", "-p", "no:x", "-pno:y", "--cov-report=term-missing", "t.py"], ("t.py",)),
    (["python", "-m", "pytest", "-m", "@slow", "t.py"], ("t.py",)),
    (["git", "tag", "-l", "v*"], ("-l", "v*")),
    (["grep", "|", "README.md"], ("README.md",)),
]


@pytest.mark.parametrize(("argv", "exposed"), TEXTS)
def test_text_to_look_for_is_not_taken_for_a_path(argv: list[str], exposed: tuple[str, ...]) -> None:
    assert refuse_command(argv) is None
    assert expose(argv) == exposed


@given(st.lists(OPTIONS, max_size=4), st.lists(OPTIONS, max_size=4))
def test_files_stay_exposed_whatever_stands_around_them(before: list[str], after: list[str]) -> None:
    """A program that searches takes one pattern without an option, so that of two files one is judged."""
    argv = ["grep", *before, ".env", *after, "--", ".netrc", ".env"]
    if refuse_command(argv) is None:
        raise AssertionError(argv)


LISTED = {*READERS, "git", "mypy", "pytest", "python", "ruff"}
SHAPES: list[tuple[tuple[str, ...], Shape]] = [
    *(((name,), shape) for name, shape in READERS.items()),
    *((("git", name), shape) for name, shape in GIT.items()),
    *((("ruff", name), shape) for name, shape in RUFF.items()),
    *((("python", "-m", name), shape) for name, shape in MODULES.items()),
    (("mypy",), MYPY),
    (("pytest",), PYTEST),
]


@given(st.lists(OPTIONS, max_size=6))
def test_only_listed_programs_ever_run(argv: list[str]) -> None:
    if refuse_command(argv) is None:
        assert argv[0] in LISTED or argv[0].startswith("python")
        assert not any(argument.startswith("/") for argument in argv)


@given(st.sampled_from(SHAPES), st.lists(OPTIONS, min_size=1, max_size=5))
def test_nothing_off_the_list_passes_for_an_option(known: tuple[tuple[str, ...], Shape], options: list[str]) -> None:
    """An option is on the list whole, or all of its letters are; nothing is an abbreviation."""
    program, shape = known
    if refuse_command([*program, *options]) is not None:
        return
    taken = False
    for option in options:
        if option == "--" and shape.ends:
            break
        name = option.partition("=")[0]
        if taken or not option.startswith("-") or option in ("-", "--"):
            taken = False
        elif name in shape.flags | shape.valued:
            taken = name in shape.valued and "=" not in option
        elif not (shape.count and option[1:].isdecimal()) and not option.startswith("-p"):
            assert not option.startswith("--")
            assert f"-{option[1]}" in shape.flags | shape.valued
            letters = [f"-{letter}" for letter in option[1:]]
            first = next((at for at, letter in enumerate(letters) if letter in shape.valued), None)
            assert set(letters[:first]) <= shape.flags
            taken = first == len(letters) - 1


@pytest.mark.parametrize(
    ("command", "askable"),
    [
        ("exa -la", True),
        ("tokei src", True),
        ("RUFF check", True),
        ("git2 status", True),
        ("cat9 x", True),
        ("git-lfs pull", False),
        ("exa /etc", False),
        ("exa ../x", False),
        ("exa .env", False),
        ("exa .git/config", False),
        ("exa @x", False),
        ("exa | sh", False),
        ("setarch2 x bash -c id", False),
        ("foo /bin/sh", False),
        ("./exa", False),
        ("X=1 exa", False),
        ("bash5 -c id", False),
        ("pypy3 x.py", False),
        ("-x", False),
        ("ruff server", False),
        ("git push", False),
        ("sudo exa", False),
    ],
)
def test_only_a_program_that_is_merely_unknown_may_be_allowed(command: str, askable: bool) -> None:  # noqa: FBT001
    refusal = judge_command(command.split())
    assert refusal is not None
    assert (refusal.risk, refusal.subject) == (("command", command) if askable else (None, ""))
    assert LISTED.isdisjoint(REFUSED)


@pytest.mark.parametrize(
    ("command", "changing"),
    [
        ("cat x", False),
        ("git log -p", False),
        ("mypy .", False),
        ("python -I -m mypy .", False),
        ("ruff check .", False),
        ("python -m ruff check .", False),
        ("ruff format --check .", False),
        ("ruff format --diff .", False),
        ("ruff --version", False),
        ("python --version", False),
        ("ruff check --fix .", True),
        ("ruff check --fix --diff .", True),
        ("ruff check --fix-only .", True),
        ("ruff format .", True),
        ("python -m ruff format .", True),
        ("python x.py --version", True),
        ("python -m pytest", True),
        ("python -m unittest", True),
        ("pytest", True),
        ("exa", True),
    ],
)
def test_what_only_reads_is_told_from_what_may_write(command: str, changing: bool) -> None:  # noqa: FBT001
    assert writes(command.split()) is changing


def test_git_starts_no_program_that_a_configuration_names() -> None:
    assert settle(["git", "diff", "x"]) == ("git", "diff", "--no-ext-diff", "--no-textconv", "x")
    assert settle(["git", "--no-pager", "log"]) == ("git", "--no-pager", "log", "--no-ext-diff", "--no-textconv")
    assert settle(["git", "blame", "diff"]) == ("git", "blame", "--no-textconv", "diff")
    for argv in (["git", "status", "diff"], ["git", "ls-files", "show"], ["git"]):
        assert settle(argv) == tuple(argv)


def test_ruff_mends_nothing_unasked_whatever_a_project_sets() -> None:
    assert settle(["ruff", "check", "."]) == ("ruff", "check", "--no-fix", ".")
    assert settle(["python", "-I", "-m", "ruff", "check"]) == ("python", "-I", "-m", "ruff", "check", "--no-fix")
    for argv in (["ruff", "check", "--fix"], ["ruff", "format", "."], ["grep", "ruff", "check"], ["ruff", "--version"]):
        assert settle(argv) == tuple(argv)


@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_no_option_of_git_log_is_allowed_by_accident(option: str) -> None:
    """Whatever git would read as one of its dangerous options, shortened or not, is refused."""
    for dangerous in ("--output", "--ext-diff", "--textconv", "--no-index"):
        for end in range(4, len(dangerous) + 1):
            prefix = dangerous[:end]
            if prefix in ("--no", "--text"):
                continue
            assert refuse_command(["git", "log", f"{prefix}={option}"])


@pytest.mark.parametrize(
    "name", ["PATH", "HOME", "LC_ALL", "LC_CTYPE", "LANG", "TZ", "PYTHONDONTWRITEBYTECODE", "GIT_AGENT_REPORT_FD"]
)
def test_harmless_variable_is_passed_on(name: str) -> None:
    assert refuse_variable(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
        "ALL_INPUTS",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_TRACE",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "PYTEST_ADDOPTS",
        "BASH_ENV",
        "path",
        "",
        "A=B",
        "LC_X\n",
        "SSH_AUTH_SOCK",
    ],
)
def test_variable_off_the_list_is_kept_back(name: str) -> None:
    assert refuse_variable(name)
    assert name not in VARIABLES


@pytest.mark.parametrize("argv", [("black", "--quiet", "--", "a.py"), ("isort", "--profile=black", "--", "a.py")])
def test_formatter_writes_files_as_the_project_configures_it(argv: tuple[str, ...]) -> None:
    assert refuse_command(argv) is None
    assert writes(argv)


@pytest.mark.parametrize(
    "argv", [("black", "--config", "x.toml", "a.py"), ("isort", "--settings-path", "x"), ("autopep8", "-r", "/etc")]
)
def test_formatter_takes_no_other_configuration(argv: tuple[str, ...]) -> None:
    assert refuse_command(argv)
