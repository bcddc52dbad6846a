"""Each kind of defect is among the edits that the templates propose for its line."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.repair.worker.facts import NO_FACTS, Crash, Facts
from bot.repair.worker.pairs import Pairs
from bot.repair.worker.source import Source, key, replace_spans
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
    ("other end", "def f(a, b):\n    a.insert(0, b)\n", "a.insert(0, b)", "a.append(b)"),
    ("yield", "def f(a):\n    yield a\n", "yield a", "yield from a"),
    ("swapped names", "def f(a, b):\n    return a - b * a\n", "a - b * a", "b - a * b"),
    ("both operands", "def f(a: str, b: str):\n    return a == b\n", "a == b", "set(a) == set(b)"),
    ("sides of in", "def f(a: str, b: str):\n    return a in b\n", "a in b", "b in a"),
    ("operand in a chain", "def f(a, b):\n    return (-1) ** 2 * len(a)\n", "(-1) ** 2 * len(a)", "(-1) ** len(a)"),
    (
        "symmetric condition",
        "def f(a: int, b: int, c: int):\n    if a + b == c:\n        return 1\n",
        "a + b == c",
        "a + b == c or a + c == b",
    ),
    (
        "every turn of a condition",
        "def f(a: int, b: int, c: int):\n    return a * a + b * b == c * c\n",
        "a * a + b * b == c * c",
        "(a * a + b * b == c * c or b * b + c * c == a * a or c * c + a * a == b * b)",
    ),
    (
        "missing clause",
        "def f(a: int, b: int, c: int):\n    return a == b or b == c\n",
        "a == b or b == c",
        "a == b or b == c or a == c",
    ),
    (
        "answers swapped",
        "def f(a):\n    if a:\n        return True\n    return False\n",
        "        return True\n    return False\n",
        "        return False\n    return True\n",
    ),
    (
        "in all places",
        "def f(a):\n    if a:\n        return ' '\n    return ' '\n",
        "        return ' '\n    return ' '\n",
        "        return ''\n    return ''\n",
    ),
    (
        "uncalled function",
        "def f(n):\n    def g(x):\n        return x\n    if n:\n        return 1\n",
        "if n",
        "if n and g(n)",
    ),
    (
        "unread table",
        "def f(a: list, ranks: dict):\n    return sorted(a)\n",
        "sorted(a)",
        "sorted(a, key=lambda x: ranks[x])",
    ),
    ("unread keys", "def f(a: str, names: dict):\n    return a\n", "return a", "return names[a]"),
    (
        "strangers",
        "def f(a: str, kinds: list):\n    return True\n",
        "    return True\n",
        "    if a not in kinds:\n        return True\n    return True\n",
    ),
    ("quoted name", "def f(text):\n    return g('text')\n", "'text'", "text.encode()"),
    (
        "missing else",
        "def f(a):\n    b = c = 0\n    if a:\n        b += 1\n    return b, c\n",
        "        b += 1\n",
        "        b += 1\n    else:\n        c += 1\n",
    ),
    (
        "endless loop",
        "def f(n: int, s):\n    while n:\n        g(s)\n",
        "        g(s)\n",
        "        g(s)\n        n -= 1\n",
    ),
    (
        "counter that stays",
        "def f(a):\n    n = 0\n    for x in a:\n        g(x)\n    return n\n",
        "        g(x)\n",
        "        g(x)\n        n += 1\n",
    ),
    (
        "condition like another",
        "def f(i: int):\n    if i % 3 == 0:\n        return 1\n    if i > 1:\n        return 2\n",
        "i > 1",
        "(i > 1 and i % 4 == 0)",
    ),
    (
        "far move",
        "def f(a):\n    b = 1\n    c = 2\n    d = 3\n    g(b)\n    return c\n",
        "    b = 1\n    c = 2\n    d = 3\n    g(b)\n",
        "    c = 2\n    d = 3\n    g(b)\n    b = 1\n",
    ),
    (
        "use before definition",
        "def f(a):\n    d = c\n    c = b\n    b = a\n    return d\n",
        "    d = c\n    c = b\n    b = a\n",
        "    b = a\n    c = b\n    d = c\n",
    ),
    ("two superfluous statements", "def f(a):\n    b = 1\n    c = 2\n    return a\n", "    b = 1\n    c = 2\n", ""),
    ("pattern quantifier", "def f(a):\n    return re.match('a+', a)\n", "'a+'", "'a*'"),
    ("pattern class", "def f(a):\n    return re.match('[a-z]+', a)\n", "'[a-z]+'", "'[a-zA-Z]+'"),
    ("pattern anchor", "def f(a):\n    return re.match('a', a)\n", "'a'", "'a$'"),
    ("pattern escape", "def f(a):\n    return re.sub('a.b', '', a)\n", "'a.b'", "r'a\\.b'"),
    ("pattern flag", "def f(a):\n    return re.search('a', a)\n", "'a', a", "'a', a, re.IGNORECASE"),
    ("static method", "class C:\n    def f(a):\n        return a\n", "    def f", "    @staticmethod\n    def f"),
    ("property", "class C:\n    def f(self):\n        return 1\n", "    def f", "    @property\n    def f"),
    ("superfluous decorator", "class C:\n    @property\n    def f(self):\n        return 1\n", "    @property\n", ""),
    (
        "shared default",
        "def f(a=[]):\n    a.append(1)\n    return a\n",
        "(a=[]):\n",
        "(a=None):\n    if a is None:\n        a = []\n",
    ),
    (
        "missing super",
        "class C(B):\n    def __init__(self, a):\n        self.a = a\n",
        "        self.a = a\n",
        "        super().__init__(a)\n        self.a = a\n",
    ),
    ("pass through", "def g(a, b):\n    return a\ndef f(a, b):\n    return g(a)\n", "g(a)\n", "g(a, b=b)\n"),
    ("keyword values", "def f(a, b):\n    return g(x=a, y=b)\n", "x=a, y=b", "x=b, y=a"),
    ("missing await", "async def f(a):\n    return g(a)\n", "return g(a)", "return await g(a)"),
    (
        "missing self",
        "class C:\n    def f(self, a):\n        self.a = a\n        return a\n",
        "return a",
        "return self.a",
    ),
    ("extra self", "class C:\n    def f(self, a):\n        return self.a\n", "self.a", "a"),
    ("missing f", "def f(name):\n    return 'I am {name}'\n", "'I", "f'I"),
    ("aggregate", "def f(a: list):\n    return a[0]\n", "a[0]", "sum(a)"),
    ("element", "def f(a: list, i: int, b: int):\n    return b == a[0]\n", "b == a[0]", "a[i] == a[0]"),
    ("known number", "def f(a: int):\n    b = 7\n    return a\n", "return a", "return a * 7"),
    (
        "branches of a chain",
        "def f(a, b):\n    if a:\n        return 1\n    elif b:\n        return 2\n    else:\n        return 3\n",
        "        return 2\n    else:\n        return 3\n",
        "        return 3\n    else:\n        return 2\n",
    ),
    (
        "chain for a branch",
        "def f(a, b):\n    if a:\n        return 1\n    elif b:\n        return 2\n",
        "        return 1\n    elif b:\n        return 2\n",
        "        if b:\n            return 2\n    else:\n        return 1\n",
    ),
    (
        "shuffled",
        "def f(a):\n    g(a)\n    h(a)\n    i(a)\n    j(a)\n",
        "    g(a)\n    h(a)\n    i(a)\n    j(a)\n",
        "    j(a)\n    i(a)\n    g(a)\n    h(a)\n",
    ),
    (
        "inner function after its use",
        "def f(a):\n    return g\n\n    def g():\n        return a\n",
        "    return g\n\n    def g():\n        return a\n",
        "    def g():\n        return a\n\n    return g\n",
    ),
    (
        "keyword of other calls",
        "def f(a):\n    run(a, check=True)\ndef g(a):\n    run([a])\n",
        "run([a])",
        "run([a], check=True)",
    ),
    ("field", "def f(a):\n    return '{a}'.format()\n", "format()", "format(a=a)"),
    (
        "clause of an object",
        "def f(a, b):\n    g(a.wide)\n    if a.long:\n        return b\n",
        "if a.long",
        "if a.long and a.wide",
    ),
    (
        "clause of a kind",
        "def f(a, b):\n    g(isinstance(b, int))\n    if a:\n        return b\n",
        "if a:",
        "if not isinstance(a, int) and a:",
    ),
    ("term of a chain", "def f(a, b):\n    g(a.wide)\n    return b - a\n", "b - a", "a.wide - b - a"),
    ("usual attribute", "def f(a):\n    return a.size\ndef g(a):\n    return a.name\n", "a.name", "a.size"),
    (
        "method of its own",
        "class C:\n    def f(self):\n        return g()\n    def g(self):\n        return 1\n",
        "return g()",
        "return self.g()",
    ),
    ("missing parameter", "def f(a):\n    return a + b\n", "(a)", "(a, b)"),
    ("missing receiver", "class C:\n    def f():\n        return 1\n", "f()", "f(self)"),
    (
        "collection that stays empty",
        "def f(a):\n    seen = set()\n    def g(b):\n        return b in seen or g(b.next)\n    return g(a)\n",
        "        return b in seen",
        "        seen.add(b)\n        return b in seen",
    ),
    ("letter cases", "def f(a):\n    return a in 'aeiou'\n", "'aeiou'", "'aeiouAEIOU'"),
]


ORDERS = [
    ("b = 1; c = b; return c", "b = 1; c = b; return c"),
    ("c = b; b = 1; return c", "b = 1; c = b; return c"),
    ("return c; b = 1; c = b", "b = 1; c = b; return c"),
    ("n += a; n = 0; return n", "n = 0; n += a; return n"),
    ("a = g(a); b = a; return b", "a = g(a); b = a; return b"),
    ("b = [x for x in a]; x = b; return x", "b = [x for x in a]; x = b; return x"),
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
    return replace_spans(source.encode(), scored.candidate.edits).decode()


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
        '"""Doc."""\n\nimport json\n',
    ),
    (
        "def f(a):\n    return a.uper()\n",
        crashed(2, "AttributeError", "'str' object has no attribute 'uper'", "upper"),
        "a.upper()",
    ),
    ("def f(d):\n    return d['k']\n", crashed(2, "KeyError", "'k'"), "d.get('k')"),
    ("def f(a):\n    return 'n' + a\n", crashed(2, "TypeError", "can only concatenate str"), "'n' + str(a)"),
    ("def f(d):\n    return d['nmae'], 'name'\n", crashed(2, "KeyError", "'nmae'"), "d['name']"),
    (
        "def f(a):\n    return md5('a')\n",
        crashed(2, "TypeError", "Strings must be encoded before hashing"),
        "md5('a'.encode())",
    ),
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
    ("def f(a, b):\n    return a + b\n", NO_FACTS._replace(differences=(("ab", "a.b"),)), "a + '.' + b"),
    ("def f(a):\n    return f'<{a}'\n", NO_FACTS._replace(differences=(("<b", "<b>"),)), "f'<{a}>'"),
    (
        "def f(a):\n    return g(a)\n",
        NO_FACTS._replace(differences=(([2, 1], [1, 2]), ([3, 1], [1, 3]))),
        "return sorted(g(a))",
    ),
    ("def f(a):\n    return g(a)\n", NO_FACTS._replace(differences=((2, 5), (4, 7))), "return g(a) + 3"),
    ("def f(a):\n    return 'Jupyter'\n", NO_FACTS._replace(vocabulary=("Jupiter",)), "'Jupiter'"),
    ("def f(a):\n    return a == '('\n", NO_FACTS._replace(vocabulary=("[[]]",)), "a == '['"),
    (
        "def f(a):\n    return {'total': a}\n",
        NO_FACTS._replace(differences=(({"total": 1}, {"sum": 1}),)),
        "{'sum': a}",
    ),
    ("def f(a):\n    return a == 'write'\n", NO_FACTS._replace(vocabulary=("bob", "read")), "a == 'read'"),
    ('def f(a):\n    g("")\n    return "is_a"\n', NO_FACTS._replace(vocabulary=("is_b",)), 'return "is_b"'),
    (
        "def f(a):\n    return sorted(a, revers=True)\n",
        crashed(2, "TypeError", "'revers' is an invalid keyword argument for sort()"),
        "sorted(a)",
    ),
    (
        "from p import Lost\ndef f(a):\n    raise Lost(a)\n",
        NO_FACTS._replace(exceptions=(("Found", "p"),)),
        "from p import Found, Lost\ndef f(a):\n    raise Found(a)\n",
    ),
    (
        "from p import Lost, Found\ndef f(a):\n    raise Lost(a)\n",
        NO_FACTS._replace(mentioned=frozenset({"Found"}), exceptions=(("Found", "p"),)),
        "raise Found(a)",
    ),
    ("def f(a):\n    raise ValueError(a)\n", NO_FACTS._replace(mentioned=frozenset({"KeyError"})), "raise KeyError(a)"),
    (
        "def f(a):\n    return a\n",
        NO_FACTS._replace(mentioned=frozenset({"KeyError"})),
        "    if not a:\n        raise KeyError\n",
    ),
]


@pytest.mark.parametrize(("source", "facts", "wanted"), FAULTS)
def test_what_a_crash_asks_for_is_proposed(source: str, facts: Facts, wanted: str) -> None:
    assert any(wanted in fixed(source, scored) for scored in proposals(source, facts))


def test_candidates_come_best_first() -> None:
    found = proposals("".join(kind[1].replace("def f", f"def f{n}") for n, kind in enumerate(KINDS[::3])))
    scores = [scored.score for scored in found]
    assert scores == sorted(scores, reverse=True)
    assert len({scored.candidate.edits for scored in found}) == len(scores)


def test_a_comparison_that_agrees_on_all_values_seen_is_not_proposed() -> None:
    source = "def f(a, b):\n    return a < b\n"
    node = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Compare))
    facts = NO_FACTS._replace(signs={key(node): {"lt", "gt"}})
    texts = [fixed(source, scored) for scored in proposals(source, facts)]
    assert not any("a <= b" in text for text in texts)
    assert any("a > b" in text for text in texts)


def test_variables_of_types_that_do_not_fit_come_late() -> None:
    source = "def f(a: int, b: list, c: int):\n    return a + 1\n"
    renamed = [s for s in proposals(source) if s.candidate.template == "var_replace"]
    assert [next(n for n in "bc" if f"return {n} + 1" in fixed(source, s)) for s in renamed] == ["c", "b"]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_line_ends_and_marks_are_kept(prefix: bytes, ending: str) -> None:
    content = prefix + f"def f(a, b):{ending}    return a - b  # naïve{ending}".encode()
    source = Source("m.py", content)
    lines = {("m.py", 2): 1.0}
    for scored in Stream(lines, lambda _: View(source, NO_FACTS)):
        after = replace_spans(content, scored.candidate.edits)
        assert after.startswith(prefix)
        assert after.count(b"\n") == after.count(ending.encode())


@settings(max_examples=25)
@given(st.lists(st.sampled_from([k[1] for k in KINDS]), min_size=1, max_size=3))
def test_most_candidates_compile_and_none_escapes_its_file(parts: list[str]) -> None:
    source = "".join(parts)
    found = proposals(source)
    for edit in (edit for scored in found for edit in scored.candidate.edits):
        assert 0 <= edit.start <= edit.end <= len(source.encode())
    assert sum(compiles(fixed(source, scored)) for scored in found) >= 0.97 * len(found)


def test_an_edit_that_leaves_a_variable_unread_comes_later_and_one_that_reads_it_sooner() -> None:
    ranks = {
        fixed("def f(a, b, c):\n    return [b, a]\n", s): n
        for n, s in enumerate(proposals("def f(a, b, c):\n    return [b, a]\n"))
    }
    assert ranks["def f(a, b, c):\n    return [b, c]\n"] < ranks["def f(a, b, c):\n    return [b, b]\n"]


def test_two_edits_that_mend_different_tests_are_put_together() -> None:
    source = "def f(a, b):\n    x = a + 1\n    return x * 3\n"
    pairs = Pairs()
    for number, scored in enumerate(proposals(source)):
        pairs.keep(number, scored)
    pairs.begin(1.0)
    texts = {number: fixed(source, scored) for batch in pairs.batches for number, scored in batch}
    pairs.hear(b"%d %d" % (n, 1 * ("a - 1" in text) | 2 * ("x * 4" in text)) for n, text in texts.items())
    _, first = next(pairs.join())
    assert fixed(source, first) == "def f(a, b):\n    x = a - 1\n    return x * 4\n"


@pytest.mark.parametrize(("statements", "order"), ORDERS)
def test_statements_are_ordered_by_what_they_read(statements: str, order: str) -> None:
    source = "def f(a):\n" + "".join(f"    {line}\n" for line in statements.split("; "))
    wanted = "def f(a):\n" + "".join(f"    {line}\n" for line in order.split("; "))
    found = {fixed(source, s) for s in proposals(source) if s.candidate.template == "define_first"}
    assert found == ({wanted} if statements != order else set())


@pytest.mark.parametrize(
    ("source", "wanted", "unwanted"),
    [
        ("def f(n: int):\n    return list(range(g(n) - 1))\n", "range(g(n))", "- 1 + 1"),
        ("def f(a: list):\n    return sum(a) / (len(a) - 1)\n", "sum(a) / len(a)", "((len"),
        ("def f(c):\n    return c * 9 / 5 - 32\n", "return c * 9 / 5 + 32\n", "(c * 9 / 5) + 32"),
        ("def f(a, b):\n    return (a + b) / 2\n", "return (a + b) // 2\n", "return a + b // 2\n"),
    ],
)
def test_an_edit_is_written_as_a_person_would(source: str, wanted: str, unwanted: str) -> None:
    types = {key(n): {"int"} for n in ast.walk(ast.parse(source)) if isinstance(n, ast.expr)}
    facts = NO_FACTS._replace(types=types)
    assert best(source, facts, wanted) > best(source, facts, unwanted)


def best(source: str, facts: Facts, text: str) -> float:
    return max((s.score for s in proposals(source, facts) if text in fixed(source, s)), default=0.0)


def test_what_only_passes_by_chance_is_expected_less() -> None:
    product = "def product(a, b):\n    return a + b\n"
    numbers = {key(n): {"int"} for n in ast.walk(ast.parse(product)) if isinstance(n, ast.expr)}
    facts = NO_FACTS._replace(types=numbers)
    assert best(product, facts, "a * b") > best(product, facts, "a + b + 1") > 0
    place = "def f(a, b):\n    a.insert(0, b)\n"
    assert best(place, NO_FACTS, "a.append(b)") > 3 * best(place, NO_FACTS, "a.insert(1, b)") > 0
    words = "def f(a: str):\n    return a == 'x'\n"
    assert best(words, observed(Source("m.py", words.encode())), "a != ") > 4 * best(
        words, observed(Source("m.py", words.encode())), "a <= "
    )


def test_a_function_that_gives_numbers_is_not_made_to_give_truths() -> None:
    source = "def f(a):\n    return sum(a) / len(a)\n"
    types = {key(n): {"float"} for n in ast.walk(ast.parse(source)) if isinstance(n, ast.BinOp)}
    facts = crashed(2, "ZeroDivisionError", "division by zero")._replace(types=types)
    texts = [fixed(source, scored) for scored in proposals(source, facts)]
    assert any("return 0\n" in text for text in texts)
    assert not any("return False" in text for text in texts)
