"""The types rung: findings of mypy, one case each."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.core.check import Check, CheckResult
from bot.protocols import Mount
from bot.verify.findings import below, finding, judge, looking_at, split
from bot.verify.place import Place, outside, result, within


class MypyLine(BaseModel):
    """One finding as mypy writes it."""

    model_config = ConfigDict(frozen=True)

    file: str
    line: int
    column: int = 0
    message: str
    code: str | None = None
    severity: str

    @property
    def order(self) -> tuple[str, int, int, str]:
        """Where it stands among others: what came out of a cache is told first otherwise."""
        return (self.file, self.line, self.column, self.message)


_MYPY = TypeAdapter(MypyLine)
MODULES = frozenset({"-p", "--package", "-m", "--module"})


def run(check: Check, place: Place, targets: Sequence[str], *, mounts: Sequence[Mount] = ()) -> CheckResult:
    """Check types; without a cache, unless the command names one of ours."""
    inside = within(check.folder, targets)
    if inside is None:
        return outside(check)
    argv = looking_at(_without_modules(check.argv) if inside else check.argv, inside, (), ())
    done = place.execute(check, argv, "output", environment=place.own_types(check), mounts=mounts)
    root, lines = split(done)
    try:
        parsed = [_MYPY.validate_json(line) for line in lines if line.startswith(b"{")]
    except ValidationError:
        return result(check, done, "errored", "mypy's report could not be read")
    errors = sorted((told for told in parsed if told.severity == "error"), key=lambda told: told.order)
    cases = [finding(below(check, root, told.file), told.code or "error", told.message, told.line) for told in errors]
    return judge(check, done, cases)


def _without_modules(argv: Sequence[str]) -> list[str]:
    """Leave out the packages and modules that a command names, as mypy takes no files beside them."""
    start = argv.index("mypy") + 1 if "mypy" in argv else 1
    kept = list(argv[:start])
    before = ""
    for word in argv[start:]:
        named = word.partition("=")[0] in MODULES
        if not named and before not in MODULES:
            kept.append(word)
        before = word
    return kept
