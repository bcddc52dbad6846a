"""Each kind of defect is among the edits that the templates propose for its line."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.repair.worker.facts import NO_FACTS, Crash, Facts
from bot.repair.worker.source import Source, key, replace_span
from bot.repair.worker.stream import Scored, Stream
from bot.repair.worker.view import View

KINDS = [
    ("comparison", "def f(a, b):\n    return a < b\n", "a < b", "a <= b"),
    ("chained comparison", "def f(a):\n    return 0 < a < 9\n", "0 < a < 9", "0 <= a < 9"),
    ("operator", "def f(a, b):\n    return a - b\n", "a - b", "a + b"),
    ("update", "def f(a, b):\n    a -= b\n    return a\n", "a -= b", "a += b"),
    ("junction", "def f(a, b):\n    if a and b:\n        return 1\n", "a and b", "a or b"),
    ("dropped condition", "def f(a, b):\n    if a and b:\n        return 1\n", "a and b", "a"),
    ("negation", "def f(a):\n    if not a:\n        return 1\n", "not a", "a"),
    ("missing negation", "def f(a):\n    if a:\n        return 1\n", "if a", "if (not a)"),
    ("off by one", "def f(n: int):\n    return list(range(n))\n", "range(n)", "range(n + 1)"),
    ("variable", "def f(a, b):\n    return [a]\n", "[a]", "[b]"),
    ("attribute", "def f(p):\n    p.y = 2\n    return p.x\n", "return p.x", "return p.y"),
    ("constant", "def f():\n    return 41\n", "41", "42"),
    ("truth value", "def f():\n    return True\n", "True", "False"),
    ("swapped arguments", "def f(a, b):\n    return g(a, b)\n", "g(a, b)", "g(b, a)"),
    ("min and max", "def f(a, b):\n    return min(a, b)\n", "min(", "max("),
    ("any and all", "def f(a):\n    return any(a)\n", "any(", "all("),
    ("append and extend", "def f(a, b):\n    a.append(b)\n    return a\n", "a.append", "a.extend"),
    ("unwrapped call", "def f(a):\n    return list(a)\n", "list(a)", "a"),
    ("slice", "def f(a):\n    return a[:2]\n", "a[:2]", "a[2:]"),
    ("missing slice", "def f(a: str):\n    return a\n", "return a", "return a[1:]"),
    (
        "missing base case",
        "def f(a):\n    return f(a)\n",
        "    return f(a)\n",
        "    if not a:\n        return []\n    return f(a)\n",
    ),
    ("missing call", "def f(a: list, b):\n    return a\n", "    return a\n", "    a.append(b)\n    return a\n"),
    ("missing or", "def f(a, b):\n    if a:\n        return 1\n", "if a", "if (b is None or a)"),
    ("swapped branches", "def f(a, b):\n    return a if b else 0\n", "a if b else 0", "0 if b else a"),
    (
        "statement order",
        "def f(a):\n    a = 1\n    b = a\n    return b\n",
        "    a = 1\n    b = a\n",
        "    b = a\n    a = 1\n",
    ),
    ("superfluous statement", "def f(a):\n    a = 1\n    return a\n", "    a = 1\n", ""),
    ("depth", "def f(a):\n    for x in a:\n        a = x\n        return a\n", "        return a\n", "    return a\n"),
    ("flow", "def f(a):\n    for x in a:\n        break\n", "break", "continue"),
    ("yield", "def f(a):\n    yield a\n", "yield a", "yield from a"),
    ("swapped names", "def f(a, b):\n    return a - b * a\n", "a - b * a", "b - a * b"),
]


def proposals(source: str, facts: Facts | None = None) -> list[Scored]:
    """Return every candidate for a file all of whose lines are suspicious."""
    parsed = Source("m.py", source.encode())
    view = View(parsed, facts or observed(parsed))
    lines = {("m.py", line): 1.0 for line in range(1, len(parsed.lines) + 1)}
    return list(Stream(lines, lambda _: view))


def observed(source: Source) -> Facts:
    """Say of annotated arguments that they had the types of their annotations."""
    types: dict[tuple[int, int, int, int], set[str]] = {}
    variables: dict[int, dict[str, set[str]]] = {}
    for function in ast.walk(source.tree):
        if isinstance(function, ast.FunctionDef):
            known = {a.arg: {a.annotation.id} for a in function.args.args if isinstance(a.annotation, ast.Name)}
            variables[function.lineno] = {a.arg: known.get(a.arg, set()) for a in function.args.args}
            for name in ast.walk(function):
                if isinstance(name, ast.Name) and name.id in known:
                    types[key(name)] = known[name.id]
    return NO_FACTS._replace(types=types, variables=variables)


def fixed(source: str, scored: Scored) -> str:
    return replace_span(source.encode(), scored.candidate.edit).decode()


@pytest.mark.parametrize(("kind", "source", "old", "new"), KINDS, ids=[k[0] for k in KINDS])
def test_the_right_edit_of_each_kind_is_proposed(kind: str, source: str, old: str, new: str) -> None:
    wanted = ast.dump(ast.parse(source.replace(old, new, 1)))
    texts = [fixed(source, scored) for scored in proposals(source)]
    assert wanted in {ast.dump(ast.parse(text)) for text in texts if compiles(text)}


def compiles(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def crashed(line: int, name: str, message: str, *offered: str) -> Facts:
    return NO_FACTS._replace(crashes=(Crash("m.py", line, name, message, offered),))


FAULTS = [
    ("def f(value):\n    return valeu\n", crashed(2, "NameError", "name 'valeu' is not defined"), "return value"),
    ("def f():\n    return math.pi\n", crashed(2, "NameError", "name 'math' is not defined"), "import math\n"),
    (
        '"""Doc."""\ndef f():\n    return json\n',
        crashed(3, "NameError", "name 'json' is not defined"),
        '"""Doc."""\nimport json\n',
    ),
    (
        "def f(a):\n    return a.uper()\n",
        crashed(2, "AttributeError", "'str' object has no attribute 'uper'", "upper"),
        "a.upper()",
    ),
    ("def f(d):\n    return d['k']\n", crashed(2, "KeyError", "'k'"), "d.get('k')"),
    ("def f(a):\n    return 'n' + a\n", crashed(2, "TypeError", "can only concatenate str"), "'n' + str(a)"),
    (
        "def g(size):\n    return size\ndef f():\n    return g(sise=1)\n",
        crashed(4, "TypeError", "g() got an unexpected keyword argument 'sise'"),
        "g(size=1)",
    ),
    (
        "def f(a):\n    try:\n        return a[0]\n    except KeyError:\n        return None\n",
        crashed(3, "IndexError", "list index out of range"),
        "except (KeyError, IndexError):",
    ),
    (
        "from m import lod\n",
        crashed(1, "ImportError", "cannot import name 'lod' from 'm'", "load"),
        "from m import load",
    ),
    (
        "def f():\n    return 'push --force'\n",
        NO_FACTS._replace(differences=(("git push --force", "git push --now"),)),
        "'push --now'",
    ),
]


@pytest.mark.parametrize(("source", "facts", "wanted"), FAULTS)
def test_what_a_crash_asks_for_is_proposed(source: str, facts: Facts, wanted: str) -> None:
    assert any(wanted in fixed(source, scored) for scored in proposals(source, facts))


def test_candidates_come_best_first() -> None:
    source = "".join(kind[1].replace("def f", f"def f{n}") for n, kind in enumerate(KINDS))
    scores = [scored.score for scored in proposals(source)]
    assert scores == sorted(scores, reverse=True)
    assert len({scored.candidate.edit for scored in proposals(source)}) == len(scores)


def test_a_comparison_that_agrees_on_all_values_seen_is_not_proposed() -> None:
    source = "def f(a, b):\n    return a < b\n"
    node = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Compare))
    facts = NO_FACTS._replace(signs={key(node): {"lt", "gt"}})
    texts = [fixed(source, scored) for scored in proposals(source, facts)]
    assert not any("a <= b" in text for text in texts)
    assert any("a > b" in text for text in texts)


def test_variables_of_types_that_cannot_fit_are_not_proposed() -> None:
    source = "def f(a: int, b: list):\n    return a\n"
    assert not any("return b" in fixed(source, s) and s.candidate.template == "var_replace" for s in proposals(source))


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_line_ends_and_marks_are_kept(prefix: bytes, ending: str) -> None:
    content = prefix + f"def f(a, b):{ending}    return a - b  # naïve{ending}".encode()
    source = Source("m.py", content)
    lines = {("m.py", 2): 1.0}
    for scored in Stream(lines, lambda _: View(source, NO_FACTS)):
        after = replace_span(content, scored.candidate.edit)
        assert after.startswith(prefix)
        assert after.count(b"\n") == after.count(ending.encode())


@given(st.lists(st.sampled_from([k[1] for k in KINDS]), min_size=1, max_size=4))
def test_most_candidates_compile_and_none_escapes_its_file(parts: list[str]) -> None:
    source = "".join(parts)
    found = proposals(source)
    for scored in found:
        edit = scored.candidate.edit
        assert 0 <= edit.start <= edit.end <= len(source.encode())
    assert sum(compiles(fixed(source, scored)) for scored in found) >= 0.97 * len(found)
