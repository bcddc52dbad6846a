"""The programs that may be run for a model, and the options that each may be given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Shape:
    """The options that a program may be given; whatever is not listed is refused, abbreviations too."""

    flags: frozenset[str] = frozenset()
    """Options alone; long ones also with a value glued on by `=`."""
    valued: frozenset[str] = frozenset()
    """Options that take a value, glued on or as the next argument."""
    texts: frozenset[str] = frozenset()
    """Options, of those, whose value is text or a pattern and never opened."""
    pattern: frozenset[str] | None = None
    """Of a program that searches: options without which its first operand is what to look for."""
    listing: frozenset[str] | None = None
    """Of a program that makes what it is given a name for: options with which it only lists."""
    count: bool = False
    """Whether `-5` is a number."""
    ends: bool = True
    """Whether the program takes nothing behind `--` for an option."""

    def refuse(self, arguments: Sequence[str]) -> str | None:
        """Say which argument is not allowed."""
        parts = list(self._split(arguments))
        for option, argument in parts:
            if option is None:
                return f"the option {argument.partition('=')[0]!r} is not on the list"
            if argument == _LACKING:
                return f"the option {option!r} lacks its value"
        made = next((argument for option, argument in parts if option == ""), None)
        if self.listing is not None and made is not None and self.listing.isdisjoint(option for option, _ in parts):
            return f"it would make {made!r}: only what is there is listed"
        return None

    def expose(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """Leave out of what is allowed the text that the program looks for or prints: no path is meant there."""
        parts = list(self._split(arguments))
        searched = self.pattern is not None and self.pattern.isdisjoint(option for option, _ in parts if option)
        first = next((at for at, (option, _) in enumerate(parts) if option == ""), -1) if searched else -1
        return tuple(
            argument for at, (option, argument) in enumerate(parts) if at != first and option not in self.texts
        )

    def _split(self, arguments: Sequence[str]) -> Iterator[tuple[str | None, str]]:
        """Give each argument with the option that it is, or is the value of; none for an operand."""
        rest = iter(arguments)
        for argument in rest:
            if argument == "--":
                if self.ends:
                    yield from (("", operand) for operand in rest)
                continue
            if not argument.startswith("-") or argument == "-":
                yield "", argument
                continue
            option, open_end = self._read(argument)
            yield option, argument
            if open_end:
                value = next(rest, _LACKING)
                yield (option, value) if not value.startswith("-") else (argument, _LACKING)

    def _read(self, argument: str) -> tuple[str | None, bool]:
        """Tell which option an argument is, and whether it wants the next one; none when it is not allowed."""
        name, equals, _ = argument.partition("=")
        # Some programs read on behind it as if it were not there: -q=pNAME as -q -p NAME
        if equals and name in self.flags and not name.startswith("--"):
            return None, False
        if name in self.flags or name in self.valued:
            return name, not equals and name in self.valued
        if self.count and argument[1:].isdecimal():
            return argument, False
        return (None, False) if argument.startswith("--") else self._cluster(argument[1:])

    def _cluster(self, letters: str) -> tuple[str | None, bool]:
        for index, letter in enumerate(letters):
            if f"-{letter}" in self.valued:
                return f"-{letter}", index == len(letters) - 1
            if f"-{letter}" not in self.flags:
                return None, False
        return f"-{letters}", False


_LACKING = "\0"
"""Stands for the value of an option that has none."""


def words(text: str) -> frozenset[str]:
    """Split a list that is written as one text."""
    return frozenset(text.split())


def _shape(
    flags: str = "",
    valued: str = "",
    texts: str = "",
    *,
    pattern: str | None = None,
    count: bool = False,
    ends: bool = True,
) -> Shape:
    """Write a shape; `texts` need not be named among `valued` again, unless they are flags."""
    known = words(flags)
    return Shape(
        known,
        words(valued) | words(texts) - known,
        words(texts),
        None if pattern is None else words(pattern),
        count=count,
        ends=ends,
    )


READERS = {
    "cat": _shape("-n -b -A -E -T -s"),
    "head": _shape("-q -v", "-n -c --lines --bytes", count=True),
    "tail": _shape("-q -v", "-n -c --lines --bytes", count=True),
    "wc": _shape("-l -w -c -m -L"),
    "ls": _shape("-a -A -l -h -1 -R -d -t -r -S -F -p --color"),
    "nl": _shape("", "-b -n -w"),
    "file": _shape("-b -i"),
    "stat": _shape("", "", "-c --format"),
    "du": _shape("-h -s -a -c", "-d --max-depth"),
    "tree": _shape("-a -d -F --noreport", "-L -I -P"),
    "pwd": _shape(),
    "diff": _shape("-u -r -N -q -w -b -B -i -y --brief --color --side-by-side", "-U --unified"),
    "cmp": _shape("-s -l -b"),
    "comm": _shape("-1 -2 -3"),
    "md5sum": _shape("-b -t"),
    "sha256sum": _shape("-b -t"),
    "sort": _shape("-n -r -u -f -b -h -V", "-k", "-t"),
    "cut": _shape("-s", "-f -c", "-d"),
    "grep": _shape(
        """
            -r -R -n -i -l -L -w -x -E -F -P -v -c -o -h -H -s -q -I --color --recursive --line-number
            --ignore-case --extended-regexp --fixed-strings --perl-regexp
        """,
        "-A -B -C -m --include --max-count --context --after-context --before-context",
        "-e --regexp --exclude --exclude-dir",
        pattern="-e --regexp",
        count=True,
    ),
    "rg": _shape(
        """
            -n -i -l -w -x -F -P -v -c -o -s -S -U --no-heading --heading --files --hidden --color --line-number
            --ignore-case
        """,
        "-A -B -C -g -t -T -m --glob --type --max-count --max-depth --context",
        "-e --regexp",
        pattern="-e --regexp --files",
    ),
    "find": _shape(
        "-not -print -print0 -empty -or -o -and -a -prune",
        "-type -maxdepth -mindepth -size -newer -mtime -mmin",
        "-name -iname -path -ipath -wholename -regex -iregex",
        ends=False,
    ),
}

RUFF = {
    "check": _shape(
        """
            --fix --no-fix --unsafe-fixes --no-unsafe-fixes --fix-only --diff --show-fixes -q --quiet -v
            --verbose -s --silent --no-cache -n --preview --no-preview --statistics --exit-zero -e
            --exit-non-zero-on-fix --isolated --show-files --show-settings --ignore-noqa --force-exclude
        """,
        """
            --select --ignore --extend-select --extend-ignore --fixable --unfixable --output-format
            --target-version --line-length --exclude --per-file-ignores
        """,
    ),
    "format": _shape(
        "--check --diff -q --quiet -v --verbose --no-cache -n --preview --no-preview --isolated",
        "--line-length --target-version --exclude --range",
    ),
    "rule": _shape("--all", "--output-format"),
    "version": _shape(),
}

FORMATTERS = {
    "black": _shape(
        "--check --diff -q --quiet -S --skip-string-normalization -C --skip-magic-trailing-comma --preview",
        "-l --line-length -t --target-version",
    ),
    "isort": _shape("-q --quiet -c --check --check-only --diff --only-modified", "--profile --line-length"),
    "autopep8": _shape("-i --in-place -d --diff -a --aggressive", "--select --ignore --max-line-length"),
}
"""Programs that write files anew; only a project's own configuration says how."""

PYTEST = _shape(
    """
        -x -v -vv -q -s -l --exitfirst --verbose --quiet --showlocals --co --collect-only --no-header
        --no-summary --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip
        --stepwise-skip --fixtures --markers --setup-show --setup-plan --strict-markers --strict-config --strict
        --runxfail --full-trace --doctest-modules --cov --no-cov --cov-branch --version -V --help -h
        --continue-on-collection-errors --disable-warnings --disable-pytest-warnings --benchmark-skip
        --benchmark-disable --forked
    """,
    """
        -r -n --maxfail --tb --durations --durations-min --color --capture --timeout --import-mode
        --show-capture --numprocesses --dist --verbosity --assert --log-level --log-cli-level --reruns
        --randomly-seed --hypothesis-seed --hypothesis-profile --count
    """,
    "-k -m -W --deselect --ignore --ignore-glob --doctest-glob",
    ends=False,
)
PYTEST_ALSO = words("--cov-report=term --cov-report=term-missing --cov-report=term-missing:skip-covered --cov-report=")
"""What is allowed as it stands here and with no other value: reports that make no file."""
MYPY = _shape(
    """
        --strict --pretty --no-pretty --ignore-missing-imports --show-error-codes --hide-error-codes
        --show-error-context --show-column-numbers --show-error-end --hide-error-context --show-error-code-links
        --no-error-summary --no-incremental --namespace-packages --no-namespace-packages --explicit-package-bases
        --no-site-packages --version -V -v --verbose --help -h --show-traceback --tb --no-color-output
        --check-untyped-defs --no-check-untyped-defs --disallow-any-unimported --disallow-any-expr
        --disallow-any-decorated --disallow-any-explicit --disallow-any-generics --allow-any-generics
        --disallow-subclassing-any --allow-subclassing-any --disallow-untyped-calls --allow-untyped-calls
        --disallow-untyped-defs --allow-untyped-defs --disallow-incomplete-defs --allow-incomplete-defs
        --disallow-untyped-decorators --allow-untyped-decorators --implicit-optional --no-implicit-optional
        --warn-redundant-casts --no-warn-redundant-casts --warn-unused-ignores --no-warn-unused-ignores
        --warn-no-return --no-warn-no-return --warn-return-any --no-warn-return-any --warn-unreachable
        --no-warn-unreachable --allow-untyped-globals --allow-redefinition --no-implicit-reexport
        --implicit-reexport --strict-equality --no-strict-equality --extra-checks
    """,
    "-p -m --package --module --python-version --platform --follow-imports",
    "--exclude --enable-error-code --disable-error-code",
)
UNITTEST = _shape(
    "-v -q -f -b -c --verbose --quiet --failfast --buffer --catch --locals",
    "-s -t -p --start-directory --pattern",
    "-k",
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

_LOG_FLAGS = """
    --oneline --stat --numstat --shortstat --dirstat --name-only --name-status --graph --decorate
    --no-decorate --pretty --format --date --follow --first-parent --merges --no-merges --reverse
    --abbrev-commit --no-abbrev-commit --abbrev --color --no-color -p -u --patch --no-patch -s -w -b -M -C
    -z --cached --staged --no-renames --text -a --summary --raw --relative-date --word-diff --full-index
    --ignore-space-change --ignore-all-space --ignore-blank-lines --function-context -W --minimal
    --histogram --patience --pickaxe-regex --no-ext-diff --no-textconv -i -E -F --quiet --check
"""
_LOG_VALUED = "-n -L -U --max-count --skip --unified --diff-filter --inter-hunk-context"
_LOG_TEXTS = "-S -G --since --until --after --before --author --grep --pretty --format --date"
GIT = {
    "log": _shape(_LOG_FLAGS, _LOG_VALUED, _LOG_TEXTS, count=True),
    "show": _shape(_LOG_FLAGS, _LOG_VALUED, _LOG_TEXTS, count=True),
    "diff": _shape(_LOG_FLAGS, _LOG_VALUED, _LOG_TEXTS),
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
            -n -i -l -L -c -w -E -F -G -P -I -h -H -v -p -W --count --break --heading --name-only --and --or --not
            --all-match --cached --color --no-color --function-context --show-function --line-number
            --ignore-case --word-regexp --extended-regexp --fixed-strings --perl-regexp -q
        """,
        "-A -B -C -m --max-depth --max-count --context",
        "-e",
        pattern="-e",
        count=True,
    ),
    "describe": _shape(
        "--tags --always --long --dirty --contains --exact-match --abbrev --first-parent",
        "--match --exclude --candidates",
    ),
    "ls-files": _shape(
        """
            -s -z -m -d -o --stage --modified --deleted --cached --others --exclude-standard --error-unmatch
            --full-name
        """
    ),
    "ls-tree": _shape("-r -d -t -l -z --name-only --name-status --full-name --full-tree --long"),
    "rev-parse": _shape("--verify -q --short --abbrev-ref --show-toplevel --is-inside-work-tree"),
    "rev-list": _shape("--count --first-parent --merges --no-merges --reverse", "-n --max-count --skip", count=True),
    "merge-base": _shape("--is-ancestor"),
    "branch": replace(
        _shape("--list -a --all -r --remotes -v -vv --show-current --no-color", "--contains --merged --sort"),
        listing=words("--list"),
    ),
    "tag": replace(_shape("-l --list -n", "--contains --merged --sort"), listing=words("-l --list")),
}
