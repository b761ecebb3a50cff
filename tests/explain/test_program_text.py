"""Programs as text: every kind of statement and expression, and where brackets stand."""

from dataclasses import dataclass

import pytest

from muntin.core.graph.ops import op
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Apply,
    Builder,
    Call,
    Const,
    Convert,
    CopyBytes,
    Expr,
    Load,
    Parameter,
    Prefetch,
    Program,
    Return,
    StreamBytes,
    Var,
    Word,
    index,
)
from muntin.dtypes import DTYPES
from muntin.explain.program_text import _text, program_text

U8, F32 = DTYPES["uint8"], DTYPES["float32"]
a, b, c = (Var(INDEX, name) for name in "abc")
p = Var(POINTER, "p")
truth = Var(BOOL, "t")


def applied(name: str, *args: Expr) -> Apply:
    return Apply(args[-1].dtype, op(name), args)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (a + b * c, "a + b * c"),
        ((a + b) * c, "(a + b) * c"),
        (a - (b - c), "a - (b - c)"),
        (a - b - c, "a - b - c"),
        (a + index(-1), "a - 1"),
        (a * index(-1), "a * -1"),
        ((a + 3) & index(7), "(a + 3) & 7"),
        ((a & index(7)) + 1, "(a & 7) + 1"),
        ((a < b).both(b <= c).either(truth), "a < b and b <= c or t"),
        (truth.both((a > b).either(a >= c)), "t and (a > b or a >= c)"),
        (a.equals(b), "a == b"),
        ((a // index(3)).at_least(b).at_most(0), "min(max(a // 3, b), 0)"),
        (truth.choose(a + 1, b), "a + 1 if t else b"),
        (truth.choose(a, b) + 1, "(a if t else b) + 1"),
        (truth.choose(truth.choose(a, b), c), "(a if t else b) if t else c"),
        (applied("sqrt", Const(F32, 2.0)), "sqrt(2.0)"),
        (applied("raw_left_shift", a, b), "a << b"),
        (Convert(U8, a + 1), "uint8(a + 1)"),
        (Convert(U8, a, True), "uint8.saturated(a)"),
        (Const(BOOL, True), "true"),
        (Const(BOOL, False), "false"),
        (Load(U8, p, a), "p[a] : uint8"),
        (Load(POINTER, p, a + 1), "p[a + 1]"),
        (Load(INDEX, Advance(POINTER, p, a * 8), b) + 1, "((p + (a * 8) bytes)[b] : int64) + 1"),
        (Advance(POINTER, p, a), "p + a bytes"),
        (Word(DTYPES["uint32"], Advance(POINTER, p, a)), "word at (p + a bytes) : uint32"),
    ],
)
def test_expressions(expr: Expr, text: str) -> None:
    assert _text(expr) == text


def test_other_kinds_show_their_fields() -> None:
    @dataclass(frozen=True, eq=False)
    class Shuffle(Expr):
        source: Expr
        lanes: tuple[int, ...]

    assert _text(Shuffle(U8, a + 1, (1, 0))) == "Shuffle(uint8, a + 1, (1, 0))"


def test_statements() -> None:
    build = Builder()
    total = build.variable(index(0), "total")
    with build.loop("x", index(0), a, 2, independent=True) as x:
        value = build.let(Load(U8, p, x), "value")
        build.store(p, x + 1, value)
    with build.when(a < b):
        build.set(total, total + 1)
    with build.otherwise():
        build.add(Call("helper", (p, a + 1)))
    with build.repeat(total > 0):
        build.set(total, total - 1)
    with build.when(truth):
        build.add(CopyBytes(p, Advance(POINTER, p, a), b))
    build.add(StreamBytes(p, p, index(64)))
    build.add(Prefetch(Advance(POINTER, p, a)))
    build.add(Prefetch(p, written=True))
    build.atomic_add(p, a, index(1))
    build.add(Return())
    parameters = [Parameter(a), Parameter(p, unaliased=True, written=True)]
    helper = Builder().function("helper", [Parameter(p), Parameter(a)])
    program = Program((helper, build.function("entry", parameters)), (p, b))
    assert (
        program_text(program)
        == """\
function helper
    (p: pointer, a: int64)

slots
    (p: pointer, b: int64)

function entry
    (a: int64, p: pointer only written)
    total := 0
    for x from 0 below a by 2, independent
        value: uint8 = p[x]
        p[x + 1] = value
    if a < b
        total := total + 1
    else
        helper(p, a + 1)
    while total > 0
        total := total - 1
    if t
        copy b bytes from p + a bytes to p
    stream 64 bytes from p to p
    prefetch p + a bytes
    prefetch p to write
    old: int64 = p[a], then add 1
    return"""
    )


def test_long_lists_are_folded() -> None:
    slots = tuple([Var(INDEX, f"some_long_name_{k}") for k in range(30)])
    text = program_text(Program((Builder().function("entry", []),), slots))
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("int64") == 30
    assert text.endswith("function entry\n    ()")
