"""Definitions in many languages; and no file is too broken or too evil to be asked."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bot.protocols import Command, Completed
from bot.tools.definitions import ask, define
from bot.tools.languages import LANGUAGES, SUFFIXES, language_of
from bot.tools.symbols import Symbol, by_pattern, of_python
from tests.conftest import executor
from tests.tools.conftest import Desk

SOURCES = {
    "a.sh": ("FOO=1\nf() { local x=1; }\nfunction g { y=2; }\n", "FOO f g"),
    "a.c": (
        (
            "#define A 1\ntypedef struct s { int a; } T;\nint *f(int a);\nstatic char **g(void) { int l; return 0; }\n"
            "int x = 1, y;\nextern int (*fp)(int);\n"
        ),
        "A T T.s f g x y fp",
    ),
    "a.hpp": (
        (
            "namespace a::b { template <class T> class C : public D { int m() const { return 1; } void n(); ~C(); "
            "}; }\nvoid C::n() {}\nusing Z = int;\nint& ref() {}\n"
        ),
        "a.b a.b.C a.b.C.m a.b.C.n a.b.C.~C C.n Z ref",
    ),
    "a.cs": (
        (
            "namespace N { class A<T> : B { int x = 1, y; "
            "string P { get; } A(int a) {} void M() { int l; } } enum Z { a } }"
        ),
        "N N.A N.A.x N.A.y N.A.P N.A.A N.A.M N.Z",
    ),
    "a.go": (
        (
            "package p\nconst (\n B = 2\n C, D = 3, 4\n)\ntype I interface { M() int }\n"
            "func F(a int) int { var z int }\nfunc (t *T) M() {}\nfunc (t G[X]) N() {}\n"
        ),
        "B C D I I.M F T.M G.N",
    ),
    "A.java": (
        "class A<T> { int x = 1, y; A() {} int f(int a) { int l = 1; } interface I { void g(); } record R(int a) {} }",
        "A A.x A.y A.A A.f A.I A.I.g A.R",
    ),
    "a.mjs": (
        (
            "export default class A extends B { #p = 2; get g() {} }\nexport const go = () => { const l = 1; };\n"
            "const z = 1, {q} = y;\nfunction f() { const l = 1; const inner = () => {}; }\n"
            "A.prototype.h = function() {}\n"
        ),
        "A A.p A.g go z f f.inner A.prototype.h",
    ),
    "a.ts": (
        (
            "export abstract class A<T> { private x: number = 1; abstract f(): void; m(): void {} }\n"
            "interface I { a: string }\ntype T = string;\nenum E { A }\nnamespace N { export const v = 1 }\n"
        ),
        "A A.x A.f A.m I I.a T E N N.v",
    ),
    "a.tsx": ("export const C = () => <div/>;\nfunction h<T>(a: T): void {}\n", "C h"),
    "a.kt": (
        (
            "class A(val x: Int) : B() {\n  fun f(): Int { val y = 1; return y }\n}\n"
            "object O\nval top = 1\nfun String.ext() = 1\n"
        ),
        "A A.f O top ext",
    ),
    "a.lua": (
        "local function f(a) end\nfunction M.g(x) end\nfunction M:h() end\nM.k = function() end\nlocal x = 1\n",
        "f M.g M.h M.k",
    ),
    "a.php": (
        (
            "<?php namespace A\\B; abstract class C { const X = 1; public int $p = 1; "
            "public function f(): int {} } function g() {}"
        ),
        "A.B C C.X C.p C.f g",
    ),
    "a.rb": (
        "module M; class A < B; X = 1; def f(a); y = 1; end; def self.g; end; end; end",
        "M M.A M.A.X M.A.f M.A.g",
    ),
    "a.rs": (
        (
            "pub struct A<T> { x: i32 }\nimpl<T> Tr for A<T> { fn new() -> Self { let y = 1; } const Z: i32 = 1; }\n"
            "trait Tr { fn g(&self); }\nmod m { pub fn h() {} }\nmacro_rules! mac { () => {} }\nstatic S: i32 = 1;\n"
        ),
        "A A A.new A.Z Tr Tr.g m m.h mac S",
    ),
    "a.scala": (
        (
            "class A(x: Int) extends B { def f(y: Int): Int = 1\n val z = 2 }\n"
            "object O { type T = Int }\ntrait I { def g: Int }"
        ),
        "A A.f A.z O O.T I I.g",
    ),
    "a.swift": (
        "struct A: B { let x: Int = 1\n func f(a: Int) -> Int { let y = 1 }\n init() {} }\nprotocol P { func g() }\n",
        "A A.x A.f A.init P P.g",
    ),
    "broken.py": ("X = 1\nclass A:\n    def f(self):\n        return ]\n\ndef g(): pass\n", "X A A.f"),
    "broken.js": ("class A { f() { if ( } g() {} }\nfunction h( {\n", "A A.f"),
    "odd name \udcff.go": ("func F() {}", "F"),
    "unknown.dart": ("abstract class A {\n  void f() {}\n}\n", "A"),
}


def test_definitions_are_found_in_the_usual_languages_also_in_broken_files() -> None:
    found = define({name: source for name, (source, _) in SOURCES.items()}, executor())
    names = {name: " ".join(symbol.name for symbol in symbols) for name, symbols in found.items()}
    short = {name: " ".join(told.split()[: len(SOURCES[name][1].split())]) for name, told in names.items()}
    assert short == {name: wanted for name, (_, wanted) in SOURCES.items()}
    exact = [name for name in SOURCES if "broken" not in name]
    assert {name: names[name] for name in exact} == {name: SOURCES[name][1] for name in exact}
    assert found["a.rs"][1] == Symbol("A", 2, 2, "impl<T> Tr for A<T>", 0)
    assert found["a.mjs"][3] == Symbol("go", 2, 2, "go = ()", 0)
    assert found["a.go"][5] == Symbol("F", 7, 7, "func F(a int) int", 0)
    assert found["a.kt"][1] == Symbol("A.f", 2, 2, "fun f(): Int", 1)
    assert set(LANGUAGES) == {language_of(name) for name in SOURCES} - {""} == set(SUFFIXES.values())


HOSTILE = {
    "deep.java": "a<" * 20_000,
    "here.rb": "x = <<~" + "E" * 5000 + "\nx\n",
    "nul.c": "\0" * 1000,
    "huge.go": "func F() {}\n" * 200_000,
    "lone.go": "func F() {}\n// \ufffd\u202e",
}


def test_a_file_that_breaks_its_parser_costs_the_others_nothing() -> None:
    found = define({**HOSTILE, "good.go": "func Good() {}\n"}, executor())
    assert [symbol.name for symbol in found["good.go"]] == ["Good"]
    assert [symbol.name for symbol in found["lone.go"]] == ["F"]
    assert set(found) == {*HOSTILE, "good.go"}


def test_what_a_parser_fell_over_is_told_apart_from_what_nobody_asked_it() -> None:
    told = ask({"huge.go": HOSTILE["huge.go"], "good.go": "func Good() {}\n"}, executor())
    assert told["huge.go"] is None
    assert [symbol.name for symbol in told["good.go"] or ()] == ["Good"]
    assert ask({"good.go": ""}, Lying(b"")) == {}


class Lying:
    """An executor whose parser was taken over."""

    isolation = "none"

    def __init__(self, report: bytes) -> None:
        self.report = report

    def execute(self, command: Command) -> Completed:
        return Completed(0, "exited", "", 0.1, self.report)


def test_answers_that_make_no_sense_are_passed_over() -> None:
    forged = b'\xff\n[9, []]\n[-1, []]\n[0]\n{}\n[0, [["a\\nb", -5, -9, "x\\ny", 9999]]]\n[0, [['
    assert define({"a.go": ""}, Lying(forged)) == {"a.go": (Symbol("a b", 1, 1, "x y", 20),)}
    assert define({"a.go": "func F() {"}, Lying(b"")) == {"a.go": (Symbol("F", 1, 1, "func F()", 0),)}


@pytest.mark.parametrize(
    "source",
    ["(" * 9000, "x = '\\d'\n", "class A:" * 3, "\0", "def " + "a" * 100_000, "x\n" * 10**6, "export " * 10**5],
)
def test_any_source_can_be_outlined(source: str) -> None:
    of_python(source)
    by_pattern(source)


def test_definitions_in_other_languages_are_found_by_their_dotted_names(desk: Desk) -> None:
    desk.put("s.rs", b"struct S;\nimpl S {\n    fn new() -> S {\n        S\n    }\n}\n")
    desk.put("u.go", b"package u\n\nfunc use() { S.new() }\n")
    assert desk.ok("find_symbol", name="S::new") == (
        "s.rs:3: fn new() -> S  (to line 5)\n1 other lines name it:\nu.go:3: func use() { S.new() }"
    )
    result = desk.call("outline", path="s.rs")
    assert result.output == "s.rs:\n        1  struct S\n      2-6  impl S\n      3-5    fn new() -> S"


class Late:
    """Garbage that only a collection finds, and that lets other threads in."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        sum(range(300))


def test_files_are_read_side_by_side() -> None:
    source = "x = [f(a, b)[c].d for a in (1, 2, 3) if -a]\n" * 200

    def read(_: int) -> int:
        garbage = [Late() for _ in range(50)]
        return len(garbage) + len(of_python(source) or ())

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(read, range(24))) == {250}
    finally:
        sys.setswitchinterval(usual)
