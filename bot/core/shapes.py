"""The programs that may be run for a model, and the options that each may be given."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The options that a program may be given; whatever is not listed is refused, abbreviations too."""

    flags: frozenset[str] = frozenset()
    """Options alone or with a value glued on by `=`."""
    valued: frozenset[str] = frozenset()
    """Options that take a value, glued on or as the next argument."""
    count: bool = False
    """Whether `-5` is a number."""
    ends: bool = True
    """Whether the program takes nothing behind `--` for an option."""

    def refuse(self, arguments: Sequence[str]) -> str | None:
        """Say which argument is not allowed."""
        rest = iter(arguments)
        for argument in rest:
            if argument == "--":
                if self.ends:
                    return None
                continue
            if not argument.startswith("-") or argument == "-":
                continue
            open_end = self._read(argument)
            if open_end is None:
                return f"the option {argument.partition('=')[0]!r} is not on the list"
            if open_end and next(rest, "").startswith("-"):
                return f"the option {argument!r} lacks its value"
        return None

    def _read(self, option: str) -> bool | None:
        """Tell whether an option wants the next argument; None when it is not allowed."""
        name, equals, _ = option.partition("=")
        if name in self.flags or name in self.valued:
            return not equals and name in self.valued
        if self.count and option[1:].isdecimal():
            return False
        return None if option.startswith("--") else self._cluster(option[1:])

    def _cluster(self, letters: str) -> bool | None:
        for index, letter in enumerate(letters):
            if f"-{letter}" in self.valued:
                return index == len(letters) - 1
            if f"-{letter}" not in self.flags:
                return None
        return False


def words(text: str) -> frozenset[str]:
    """Split a list that is written as one text."""
    return frozenset(text.split())


def _shape(flags: str = "", valued: str = "", *, count: bool = False, ends: bool = True) -> Shape:
    return Shape(words(flags), words(valued), count, ends)


READERS = {
    "cat": _shape("-n -b -A -E -T -s"),
    "head": _shape("-q -v", "-n -c --lines --bytes", count=True),
    "tail": _shape("-q -v", "-n -c --lines --bytes", count=True),
    "wc": _shape("-l -w -c -m -L"),
    "ls": _shape("-a -A -l -h -1 -R -d -t -r -S -F -p --color"),
    "nl": _shape("-b -n -w"),
    "file": _shape("-b -i"),
    "stat": _shape(),
    "du": _shape("-h -s -a -c", "-d --max-depth"),
    "tree": _shape("-a -d -F --noreport", "-L -I -P"),
    "pwd": _shape(),
    "diff": _shape("-u -r -N -q -w -b -B -i --brief", "-U --unified"),
    "cmp": _shape("-s -l -b"),
    "sort": _shape("-n -r -u -f -b -h -V", "-k -t"),
    "cut": _shape("-s", "-d -f -c"),
    "grep": _shape(
        """
            -r -R -n -i -l -L -w -x -E -F -v -c -o -h -H -s -q -I --color --recursive --line-number
            --ignore-case
        """,
        "-e -A -B -C -m --include --exclude --exclude-dir --max-count --context",
        count=True,
    ),
    "rg": _shape(
        """
            -n -i -l -w -x -F -v -c -o -s -S -U --no-heading --heading --files --hidden --color --line-number
            --ignore-case
        """,
        "-e -A -B -C -g -t -T -m --glob --type --max-count --max-depth --context",
    ),
    "find": _shape(
        "-not -print -print0 -empty -or -and -prune",
        "-name -iname -path -ipath -regex -iregex -type -maxdepth -mindepth -size -newer -mtime -mmin",
        ends=False,
    ),
}

RUFF = {
    "check": _shape(
        """
            --fix --no-fix --unsafe-fixes --no-unsafe-fixes --fix-only --diff --show-fixes -q --quiet -v
            --verbose -s --silent --no-cache -n --preview --no-preview --statistics --exit-zero -e
            --exit-non-zero-on-fix --isolated --show-files --show-settings --ignore-noqa
        """,
        """
            --select --ignore --extend-select --extend-ignore --fixable --unfixable --output-format
            --target-version --line-length --exclude
        """,
    ),
    "format": _shape(
        "--check --diff -q --quiet -v --verbose --no-cache -n --preview --no-preview --isolated",
        "--line-length --target-version --exclude --range",
    ),
    "rule": _shape("--all", "--output-format"),
    "version": _shape(),
}

PYTEST = _shape(
    """
        -x -v -vv -q -s -l --exitfirst --verbose --quiet --showlocals --co --collect-only --no-header
        --no-summary --lf --last-failed --ff --failed-first --nf --sw --stepwise --fixtures --markers
        --setup-show --strict-markers --strict-config --strict --runxfail --full-trace --doctest-modules
        --no-cov --version -V --continue-on-collection-errors
    """,
    """
        -k -m -r -n -W --maxfail --tb --durations --durations-min --deselect --ignore --ignore-glob --color
        --capture --timeout --cov --import-mode --show-capture --numprocesses --dist --verbosity
    """,
    ends=False,
)
MYPY = _shape(
    """
        --strict --pretty --no-pretty --ignore-missing-imports --show-error-codes --hide-error-codes
        --show-error-context --show-column-numbers --no-error-summary --no-incremental --check-untyped-defs
        --disallow-untyped-defs --warn-unreachable --warn-unused-ignores --namespace-packages
        --explicit-package-bases --no-site-packages --version -V -v --verbose --show-traceback --tb
        --no-color-output
    """,
    """
        -p -m --package --module --python-version --platform --follow-imports --exclude --enable-error-code
        --disable-error-code
    """,
)
UNITTEST = _shape(
    "-v -q -f -b -c --verbose --quiet --failfast --buffer --catch --locals", "-k -s -t -p --start-directory --pattern"
)

MODULES = {
    "mypy": MYPY,
    "unittest": UNITTEST,
    "py_compile": _shape("-q"),
    "doctest": _shape("-v -f", "-o"),
    "ast": _shape("-a", "-m"),
    "dis": _shape(),
    "tokenize": _shape("-e"),
}
PYTHON_FLAGS = words("-B -b -bb -d -E -I -O -OO -P -q -s -S -u -v -x")

_LOG = (
    """
        --oneline --stat --numstat --shortstat --dirstat --name-only --name-status --graph --decorate
        --no-decorate --pretty --format --date --follow --first-parent --merges --no-merges --reverse
        --abbrev-commit --no-abbrev-commit --abbrev --color --no-color -p -u --patch --no-patch -s -w -b -M -C
        -z --cached --staged --no-renames --text -a --summary --raw --relative-date --word-diff --full-index
        --ignore-space-change --ignore-all-space --ignore-blank-lines --function-context -W --minimal
        --histogram --patience --pickaxe-regex --no-ext-diff --no-textconv -i -E -F --quiet --check
    """,
    """
        -n -S -G -L -U --max-count --skip --since --until --after --before --author --grep --unified
        --diff-filter --inter-hunk-context
    """,
)
GIT = {
    "log": _shape(*_LOG, count=True),
    "show": _shape(*_LOG, count=True),
    "diff": _shape(*_LOG),
    "status": _shape(
        """
            --short -s --porcelain --branch -b -z --long --ignored --untracked-files -uno -unormal -uall
            --no-renames
        """
    ),
    "blame": _shape(
        "-l -t -s -e -w -M -C -n -p --porcelain --line-porcelain --show-email --root --date --abbrev", "-L --since"
    ),
    "grep": _shape(
        """
            -n -i -l -L -c -w -E -F -G -I -h -H -v -p -W --count --break --heading --name-only --and --or --not
            --all-match --cached --color --no-color --function-context --show-function --line-number
            --ignore-case --word-regexp -q
        """,
        "-e -A -B -C -m --max-depth --max-count --context",
        count=True,
    ),
    "describe": _shape(
        "--tags --always --long --dirty --contains --exact-match --abbrev --first-parent",
        "--match --exclude --candidates",
    ),
    "ls-files": _shape("-s -z -m -d --stage --modified --deleted --cached --error-unmatch --full-name"),
    "ls-tree": _shape("-r -d -t -l -z --name-only --name-status --full-name --full-tree --long"),
    "rev-parse": _shape("--verify -q --short --abbrev-ref"),
    "merge-base": _shape("--is-ancestor"),
}
