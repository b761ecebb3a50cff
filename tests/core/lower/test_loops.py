"""Loops written by hand as programs: what is promised of memory, and faults of the lowering."""

import re

import numpy as np
import pytest

import muntin as mt
from muntin.core.emit.llvm import emit_llvm
from muntin.core.emit.opencl_c import emit_opencl_c
from muntin.core.graph.ops import Op, op
from muntin.core.loops.define import define
from muntin.core.loops.definition import Definition, Phase
from muntin.core.lower.loops import lower_loops
from muntin.core.program import Apply, Const, Expr, For, Let, Load, Var, index
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from muntin.explain.program_text import program_text

I32, I64, BOOL = DTYPES["int32"], DTYPES["int64"], DTYPES["bool"]


def sums(p, image, counts, out, limit):
    rows, columns = image.shape
    last = rows - 1
    with p.parallel(rows) as y, p.for_(columns) as x:
        counts.atomic_add(image[y, x] % 2, 1)
    out[last] = limit


DEFINITION = define(
    sums,
    {
        "image": mt.Input("uint8", 2),
        "counts": mt.Output("int32", 1, 2),
        "out": mt.Output("float32", 1, lambda image: image[0]),
        "limit": mt.Scalar("float32"),
    },
)


def test_each_phase_is_a_function_with_promises():
    program = lower_loops(DEFINITION, checked=False)
    first, second, entry = program.functions
    assert [function.name for function in program.functions] == ["phase0", "phase1", "entry"]
    assert first.free
    promised = {
        function.name: {
            each.var.name: (each.unaliased, each.written)
            for each in function.parameters
            if each.var.dtype.kind == "p"
        }
        for function in (first, second)
    }
    assert promised == {
        "phase0": {"array0": (True, False), "array1": (False, True), "array2": (True, False)},
        "phase1": {"array0": (True, False), "array1": (True, False), "array2": (True, True)},
    }
    loops = [each for each in first.body if isinstance(each, For)]
    assert [loop.independent for loop in loops] == [True]
    assert [var.name for var in program.slots[-2:]] == ["scalar3", "phase"]
    assert [parameter.var.name for parameter in entry.parameters[-2:]] == ["x0", "x1"]


def test_values_of_shapes_are_computed_in_each_phase():
    text = program_text(lower_loops(DEFINITION, checked=False))
    assert text.count("array0_size0 - 1") == 2


def test_checks_precede_every_access():
    checked = program_text(lower_loops(DEFINITION, checked=True))
    plain = program_text(lower_loops(DEFINITION, checked=False))
    assert len(re.findall(r"fault\[0\] = \d+", checked)) == len(DEFINITION.places) == 3
    assert checked.count("return") == 3
    assert "fault" not in plain
    assert "return" not in plain


def test_programs_can_be_written_for_other_targets():
    for checked in (False, True):
        program = lower_loops(DEFINITION, checked=checked)
        assert "atomicrmw add" in emit_llvm(program)
        text = emit_opencl_c(program)
        assert "atomic_add(&((__global volatile int *)" in text
        assert ("return;" in text) == checked


class Odd(Expr):
    pass


def lowered(*statements):
    definition = Definition("odd", {}, (), (Phase(statements),), ())
    return lower_loops(definition, checked=False)


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (object(), "no meaning for the statement object"),
        (Let(Var(I32, "t"), Odd(I32)), "no meaning for the expression Odd"),
        (Let(Var(I64, "t"), Load(I64, Var(I64, "p"), index(0))), "no meaning for the expression L"),
        (
            Let(Var(I32, "t"), Apply(I32, op("add"), (Const(I32, 1), index(1)))),
            "add is given int32, int64; cast them first",
        ),
        (
            Let(Var(BOOL, "t"), Apply(BOOL, op("subtract"), (Const(BOOL, 1), Const(BOOL, 1)))),
            "subtract",
        ),
        (
            Let(Var(I32, "t"), Apply(I32, Op("odd", "elementwise", 1, "same"), (Const(I32, 1),))),
            "odd of int32 has no body",
        ),
        (
            Let(
                Var(I32, "t"),
                Apply(
                    I32,
                    Op("odd", "elementwise", 1, "same", body=lambda b, x: b.neither(x)),
                    (Const(I32, 1),),
                ),
            ),
            "a body uses 'neither', which is no operation",
        ),
    ],
)
def test_faults_are_told(statement, fault):
    with pytest.raises((InternalError, mt.DTypeError), match=fault):
        lowered(statement)


def test_extents_are_sums_of_sizes():
    phase = Phase((), Var(I64, "i"), Odd(I64))
    definition = Definition("odd", {}, (), (phase,), ())
    with pytest.raises(InternalError, match="loops: no number for the expression Odd"):
        definition.extent(phase, {})
    assert np.int64(definition.extent(Phase(()), {})) == 1
