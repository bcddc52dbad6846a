"""The parts of benchmarks/repair.py that ask no one: what is put into programs, what is compared, what is drawn."""

import ast
import random
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from subjects.bugsinpy import without
from subjects.compare import shape
from subjects.faults import FAULTS, RUNS, misspell
from subjects.faults import propose as break_code
from subjects.humanevalfix import split
from subjects.inputs import Facts, Maker, cyclic, linked, objects
from subjects.item import Item, order
from subjects.mutants import propose as mutate
from subjects.plot import plot
from subjects.quixbugs import alternatives
from subjects.solving import Result, same
from subjects.table import percentile, show, tables

CODE = '''"""Words and numbers."""
from collections import Counter
import string

LIMITS = [1, 2,
          3]


class Words:
    def __init__(self, text, strict):
        self.words = text.split(" ")
        self.strict = strict

    def common(self, count, shortest):
        found = Counter(word for word in self.words if len(word) >= shortest)
        if not found or count == 0:
            return []
        ranked = sorted(found, key=lambda word: -found[word], reverse=False)
        return ranked[: count + 1 - 1]

    def letters(self):
        total = 0
        for word in self.words:
            total += sum(letter in string.ascii_letters for letter in word)
        return divmod(total, len(self.words)) if self.strict else (total, 0)
'''
FILES = {"words.py": CODE}


class Node:
    def __init__(self, value: int) -> None:
        self.value = value
        self.after: list[Node] = []
        self.before: list[Node] = []


def chain(*values: int) -> list[Node]:
    nodes = [Node(value) for value in values]
    for one, other in pairwise(nodes):
        one.after, other.before = [other], [one]
    return nodes


def item(**changed: object) -> Item:
    given = {
        "set": "mutants",
        "name": "words-1",
        "kind": "constant",
        "tree": Path("tree"),
        "broken": {"words.py": "A = 1\n\n\ndef f():\n    return 2\n"},
        "right": {"words.py": ("A = 1\n\n\ndef f():\n    return 3\n",)},
        "python": Path(sys.executable),
    }
    return Item.model_validate(given | changed)


def result(**changed: object) -> Result:
    given = {
        "set": "quixbugs",
        "name": "gcd",
        "kind": "one line",
        "plausible": True,
        "correct": (True,),
        "first": 0.5,
        "seconds": 2.0,
        "tried": 100,
        "template": "swap_args",
    }
    return Result.model_validate(given | changed)


def test_mutants_depend_on_the_seed_alone() -> None:
    once, again, other = (list(mutate(FILES, seed)) for seed in ("words 1", "words 1", "words 2"))
    assert once == again
    assert once != other
    assert sorted(once, key=repr) == sorted(other, key=repr)


def test_each_kind_of_mutant_is_made_and_every_one_is_another_program() -> None:
    made = [edit for _, edit in mutate(FILES, "words 1")]
    assert {edit.kind for edit in made} == {
        "comparison", "operator", "operand", "constant", "branch", "negation", "argument order", "line order"
    }  # fmt: skip
    texts = [edit.apply(CODE) for edit in made]
    assert all(ast.dump(ast.parse(text)) != ast.dump(ast.parse(CODE)) for text in texts)


@pytest.mark.parametrize("kind", FAULTS)
def test_each_kind_of_fault_is_made(kind: str) -> None:
    made = [edit.apply(CODE) for _, edit in break_code(FILES, kind, "1")]
    assert made == [edit.apply(CODE) for _, edit in break_code(FILES, kind, "1")]
    assert made
    for text in made:
        if kind in RUNS:
            ast.parse(text)
        else:
            with pytest.raises(SyntaxError):
                ast.parse(text)


def test_a_misspelled_word_is_another_word_with_the_same_first_letter() -> None:
    for seed in range(50):
        wrong = misspell("letters", random.Random(seed))
        assert wrong != "letters"
        assert wrong[0] == "l"


def test_a_program_is_restored_when_its_tree_is() -> None:
    right = item().right["words.py"][0]
    assert same(item(), {"words.py": right.replace("return 3", "return (3)")})
    assert not same(item(), {"words.py": right.replace("return 3", "return 4")})
    assert not same(item(), {"other.py": right})
    assert not same(item(), {"words.py": "A = 1\n"})


def test_one_of_several_correct_versions_will_do() -> None:
    right = item().right["words.py"][0]
    several = item(right={"words.py": (right, right.replace("return 3", "return 1 + 2"))})
    assert same(several, {"words.py": "A = 1\n\n\ndef f():\n    return 1 + 2\n"})
    assert not same(several, {"words.py": "A = 1\n\n\ndef f():\n    return 2 + 1\n"})


def test_versions_that_stand_in_strings_are_found() -> None:
    text = 'import math\n\ndef f(x):\n    return math.sin(x)\n"""\nsaid\n"""\n"""\ndef f(x):\n    return 1\n"""\n'
    assert alternatives(text) == ["import math\n\ndef f(x):\n    return 1"]


def test_assertions_become_tests_with_what_stands_before_them() -> None:
    told = split("def check(c):\n    a = 1\n    assert c(a) == 2\n    b = 3\n    assert c(b) == 4\n", "m", "plus")
    tests = [node for node in ast.parse(told).body if isinstance(node, ast.FunctionDef)]
    assert [ast.unparse(node.body[-1]) for node in tests] == ["assert c(a) == 2", "assert c(b) == 4"]
    assert [len(node.body) for node in tests] == [3, 4]


def test_tests_that_fail_with_the_fix_are_taken_out() -> None:
    group, rest = "class TestA:\n    @mark\n    def test_a(self):\n        assert 0\n", "def test_c():\n    pass\n"
    text = f"{group}\n\ndef test_b(x):\n    pass\n\n\n{rest}"
    left = without(text, "tests/test_x.py", {"tests.test_x.TestA::test_a", "tests.test_x::test_b[1]"})
    assert left == f"class TestA:\n    pass\n\n\n\n\n{rest}"


def test_what_is_always_so_of_inputs_stays_so() -> None:
    calls = [([1, 3, 7], 3), ([2, 4, 9, 11], 9), ([5, 6], 1)]
    facts = Facts(calls)
    maker = Maker(facts, random.Random(1))
    made = [maker.make() for _ in range(200)]
    assert len({repr(call) for call in made}) > 50
    for numbers, one in made:
        assert numbers == sorted(set(numbers))
        assert 1 <= one <= 9


def test_objects_stay_linked_both_ways_and_without_circles() -> None:
    calls = [(nodes, nodes[0]) for nodes in (chain(1, 2, 3), chain(4, 5, 6, 7))]
    facts = Facts(calls)
    assert facts.inverse == {("after", "before"), ("before", "after")}
    maker = Maker(facts, random.Random(1))
    made = [maker.make() for _ in range(100)]
    assert len({repr(shape(call, {})) for call in made}) > 20
    for call in made:
        graph = objects(call)
        assert not cyclic(graph, "after")
        assert all(node in linked(other, "before") for node in graph for other in linked(node, "after"))


def test_names_with_numbers_are_sorted_as_a_person_would() -> None:
    assert sorted(("b-1", "a-10", "a-9"), key=order) == ["a-9", "a-10", "b-1"]


def test_tables_count_what_is_plausible_right_and_claimed() -> None:
    found = [
        result(),
        result(name="sieve", correct=(False, True)),
        result(name="kth", plausible=False, correct=(), first=None, reason="exhausted"),
        result(set="faults", outcome="verified", proved=True, plausible=False),
    ]
    lines = list(tables(found))
    assert any(line.startswith("quixbugs              3         2        1        2      0") for line in lines)
    assert any("1 verified, 1 proved again by git agent verify, 1 wrongly" in line for line in lines)
    assert "other (2)" in show(found[1])
    assert "exhausted" in show(found[2])
    assert percentile([3, 1, 2], 0.9) == 3
    assert list(tables([]))


def test_the_picture_is_well_formed() -> None:
    drawn = ET.fromstring(plot([result(), result(set="<&>", first=None, plausible=False, correct=())]))
    assert "<&>" in [node.text for node in drawn.iter()]
    ET.fromstring(plot([]))
