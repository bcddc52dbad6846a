import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.commands import VARIABLES, refuse_command, refuse_variable

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
        "awk 1 x",
        "sed -i s/a/b/ x",
        "vim x",
    ],
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
        "git log -g",
        "git grep -Ovi x",
        "git grep --open-files-in-pager=vi x",
        "git blame --contents x y",
        "find . -exec rm {} +",
        "find . -delete",
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
    "secrets": ["cat .env", "head id_rsa", "git show HEAD:.env", "grep -r x .aws/config", "wc server.pem"],
    "plugins": ["pytest -p evil", "pytest -p", "python -m pytest -p evil"],
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


@given(st.lists(st.text(max_size=12), max_size=6))
def test_only_listed_programs_ever_run(argv: list[str]) -> None:
    if refuse_command(argv) is None:
        assert "/" not in argv[0]
        assert argv[0].strip()
        assert not any(argument.startswith("/") for argument in argv)


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
