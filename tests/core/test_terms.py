from bot.core.check import Check, Rung
from bot.core.terms import Terms, differ

UNIT = Check(name="unit", rung=Rung.UNIT, argv=("pytest",))
LINT = Check(name="lint", rung=Rung.STATIC, argv=("ruff",))
OLD = Terms(version="1", isolation="bubblewrap", python="/p, found", checks=(UNIT, LINT))


def test_the_same_terms_in_other_words_do_not_differ() -> None:
    again = (LINT.model_copy(update={"reason": "asked for"}), UNIT.model_copy(update={"timeout": 1.0}))
    assert differ(OLD, OLD.model_copy(update={"checks": again, "python": "/p, named"})) == ""


def test_whatever_a_verdict_rests_on_is_named_when_it_is_another() -> None:
    said = {
        "checks": ((UNIT, LINT.model_copy(update={"argv": ("true",)})), "other checks (lint)"),
        "isolation": ("process", "process and not bubblewrap isolation"),
        "python": ("/q, found", "another interpreter"),
        "prepare": ((("make",),), "other things made ready for the checks"),
        "built": (("a.so",), "other things made ready for the checks"),
        "outdated": (("a.so",), "other things made ready for the checks"),
        "version": ("2", "another version of git agent"),
    }
    assert set(said) == set(Terms.model_fields)
    for name, (value, words) in said.items():
        assert differ(OLD, OLD.model_copy(update={name: value})) == words


def test_many_other_checks_are_counted() -> None:
    many = tuple(UNIT.model_copy(update={"name": f"c{n}"}) for n in range(7))
    assert differ(OLD.model_copy(update={"checks": ()}), OLD.model_copy(update={"checks": many})) == (
        "other checks (c0 c1 c2 c3 and 3 more)"
    )
