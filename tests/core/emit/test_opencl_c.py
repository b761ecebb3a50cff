"""OpenCL C text: a golden kernel, every kind of statement, exact numbers, and what is refused."""

import math
import re

import numpy as np
import pytest

from muntin.core.emit.opencl_c import OpenClOptions, emit_opencl_c
from muntin.core.emit.opencl_cast import C_TYPES, cast_text, literal
from muntin.core.graph import build
from muntin.core.graph.ops import OPS, op
from muntin.core.graph.order import topological
from muntin.core.lower.elementwise import lower_elementwise
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
    Function,
    Let,
    Load,
    Parameter,
    Prefetch,
    Program,
    Return,
    Set,
    Store,
    StreamBytes,
    Var,
    index,
)
from muntin.dtypes import DTYPES
from muntin.errors import InternalError

U8, I8, I32, F32, F64 = (DTYPES[n] for n in ("uint8", "int8", "int32", "float32", "float64"))
A, B = Var(POINTER, "a"), Var(POINTER, "b")
CHAR_BITS = {"char": 8, "short": 16, "int": 32, "long": 64}


def text_of(body, slots=(A, B), functions=()):
    return emit_opencl_c(Program((*functions, Function("entry", (), tuple(body))), slots))


def lines_of(body, **rest):
    """Return the lines of the entry after those that unpack slots and box."""
    lines = text_of(body, **rest).rstrip().split("\n")
    box = max(number for number, line in enumerate(lines) if "mt_x1 =" in line)
    return [line.strip() for line in lines[box + 1 : -1]]


def row(name, *args, dtype=None):
    return Apply(dtype or args[-1].dtype, op(name), args)


GOLDEN = """\
#pragma OPENCL FP_CONTRACT OFF

__kernel void muntin_kernel(__constant const ulong *mt_slots, __global uchar *restrict mb_in0, \
__global uchar *restrict mb_out0)
{
    __global uchar *const mt_in0 = mb_in0 + (long)mt_slots[0];
    const long mt_in0_stride0 = (long)mt_slots[1];
    __global uchar *const mt_out0 = mb_out0 + (long)mt_slots[2];
    const long mt_out0_stride0 = (long)mt_slots[3];
    const uchar mt_scalar0 = (uchar)mt_slots[4];
    const long mt_o0 = (long)mt_slots[5] + (long)get_global_id(2) * 1;
    const long mt_o1 = min(mt_o0 + 1, (long)mt_slots[6]);
    const long mt_y0 = (long)mt_slots[7] + (long)get_global_id(1) * 1;
    const long mt_y1 = min(mt_y0 + 1, (long)mt_slots[8]);
    const long mt_x0 = (long)mt_slots[9] + (long)get_global_id(0) * 4;
    const long mt_x1 = min(mt_x0 + 4, (long)mt_slots[10]);
    for (long mt_o = mt_o0; mt_o < mt_o1; mt_o += 1)
    {
        for (long mt_y = mt_y0; mt_y < mt_y1; mt_y += 1)
        {
            for (long mt_x = mt_x0; mt_x < mt_x1; mt_x += 1)
            {
                const uchar mt_t = ((__global uchar *)(mt_in0 + \
(long)((ulong)mt_x * (ulong)mt_in0_stride0)))[0L];
                const uchar mt_t_1 = ((uchar)(uchar)((uint)mt_t + (uint)mt_scalar0));
                ((__global uchar *)(mt_out0 + (long)((ulong)mt_x * (ulong)mt_out0_stride0)))[0L] \
= mt_t_1;
            }
        }
    }
}
"""


def test_a_pointwise_kernel():
    image = build.input_node(0, (5,), U8)
    total = build.elementwise("add", image, build.scalar(0, U8))
    program = lower_elementwise(topological([total]), [total], rank=1)
    text = emit_opencl_c(program, OpenClOptions((1, 1, 4)))
    assert text.rstrip("\n") + "\n" == GOLDEN


def test_names_of_the_language_are_no_names_here():
    words = ["pipe", "kernel", "half", "global", "min", "long"]
    lines = lines_of([Let(Var(INDEX, word), index(1)) for word in words])
    assert lines == [f"const long mt_{word} = 1L;" for word in words]


def test_functions_loops_and_choices():
    p, n = Var(POINTER, "p"), Var(INDEX, "n")
    fill = Function(
        "fill",
        (Parameter(p, unaliased=True, written=True), Parameter(n)),
        (Store(p, index(0), n),),
    )
    b = Builder()
    count = b.variable(index(0), "count")
    with b.loop("x", index(0), count + 4, 2) as x:
        with b.when(x < 2):
            b.add(Call("fill", (Advance(POINTER, A, x * 8), x)))
        with b.otherwise():
            b.set(count, count + 1)
    with b.repeat(count < 9):
        b.set(count, index(9))
    text = text_of(b.statements(), slots=(A,), functions=(fill,))
    assert "static void mf_fill(__global uchar *restrict mt_p, long mt_n)\n" in text
    assert lines_of(b.statements(), slots=(A,)) == [
        "mt_count = 0L;",
        "const long mstop_1 = (long)((ulong)mt_count + (ulong)4L);",
        "for (long mt_x = 0L; mt_x < mstop_1; mt_x += 2)",
        "{",
        "if ((mt_x < 2L))",
        "{",
        "mf_fill((mt_a + (long)((ulong)mt_x * (ulong)8L)), mt_x);",
        "}",
        "else",
        "{",
        "mt_count = (long)((ulong)mt_count + (ulong)1L);",
        "}",
        "}",
        "for (;;)",
        "{",
        "const int mv_2 = (mt_count < 9L);",
        "if (!mv_2) break;",
        "mt_count = 9L;",
        "}",
    ]


def test_the_end_of_a_loop_is_found_once():
    stop = Var(INDEX, "stop")
    b = Builder()
    b.set(stop, index(5))
    with b.loop("x", index(0), stop):
        b.set(stop, index(3))
    assert lines_of(b.statements())[1:3] == [
        "const long mstop_1 = mt_stop;",
        "for (long mt_x = 0L; mt_x < mstop_1; mt_x += 1)",
    ]


def test_what_is_noted_stays_true():
    b = Builder()
    found = b.variable(Const(BOOL, 0), "found")
    b.note(found, Load(BOOL, A, index(0)))
    assert lines_of(b.statements()) == [
        "mt_found = 0;",
        "mt_found |= (((__global uchar *)mt_a)[0L] != 0);",
    ]


def test_nothing_is_asked_for():
    assert lines_of([Prefetch(A)]) == []


@pytest.mark.parametrize("copy", [CopyBytes, StreamBytes])
def test_bytes_are_copied_one_by_one(copy):
    assert lines_of([copy(A, Advance(POINTER, B, index(2)), index(7))]) == [
        "__global uchar *const mv_1 = (mt_b + 2L);",
        "for (long mk_2 = 0; mk_2 < 7L; ++mk_2) mt_a[mk_2] = mv_1[mk_2];",
    ]


@pytest.mark.parametrize(
    ("dtype", "kind", "function"),
    [("int32", "int", "atomic_add"), ("uint64", "ulong", "atom_add")],
)
def test_additions_in_one_step_have_a_function(dtype, kind, function):
    b = Builder()
    b.atomic_add(A, index(2), Const(DTYPES[dtype], 1))
    b.add(Return())
    number = {"int": "1", "ulong": "1UL"}[kind]
    assert lines_of(b.statements()) == [
        f"const {kind} mt_old = {function}(&((__global volatile {kind} *)mt_a)[2L], {number});",
        "return;",
    ]
    extension = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable"
    assert (extension in text_of(b.statements())) == (dtype == "uint64")


def test_bools_are_bytes_in_memory_and_ints_in_registers():
    flag = Load(BOOL, A, index(1))
    assert lines_of([Store(B, index(0), row("logical_not", flag))]) == [
        "((__global uchar *)mt_b)[0L] = (!(((__global uchar *)mt_a)[1L] != 0));"
    ]


def test_pointers_are_chosen():
    chosen = row("where", Const(BOOL, 1), A, B)
    assert lines_of([Let(Var(POINTER, "p"), chosen)]) == [
        "__global uchar *const mt_p = (1 ? mt_a : mt_b);"
    ]


def test_slots_of_every_type_are_unpacked():
    slots = [Var(dtype, name) for name, dtype in DTYPES.items()]
    text = text_of([], slots=tuple(slots))
    assert "const int mt_bool = ((mt_slots[0] & 1) != 0);" in text
    assert "const char mt_int8 = (char)mt_slots[2];" in text
    assert "const short mt_float16 = (short)mt_slots[9];" in text
    assert "const short mt_bfloat16 = (short)mt_slots[10];" in text
    assert "const float mt_float32 = as_float((uint)mt_slots[11]);" in text
    assert "const double mt_float64 = as_double(mt_slots[12]);" in text


def test_what_is_used_twice_is_named_once():
    a, b = Load(F32, A, index(0)), Load(F32, B, index(0))
    lines = lines_of([Let(Var(F32, "t"), row("minimum", a, b))])
    assert lines[0] == "const float mv_1 = ((__global float *)mt_a)[0L];"
    assert lines[1] == "const float mv_2 = ((__global float *)mt_b)[0L];"
    assert len(lines) == 3


def test_double_is_asked_for_only_where_it_is_used():
    pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"
    assert pragma not in text_of([Let(Var(F32, "t"), Const(F32, 0.1))])
    assert pragma in text_of([Let(Var(F64, "t"), Const(F64, 0.5))])
    assert pragma in text_of([Let(Var(F32, "t"), Convert(F32, Const(F64, 0.5)))])


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (5, U8, "((uchar)5)"),
        (-128, I8, "((char)(-128))"),
        (-7, I32, "(-7)"),
        (-(2**31), I32, "(-2147483647 - 1)"),
        (2**32 - 1, DTYPES["uint32"], "4294967295u"),
        (-(2**63), INDEX, "(-9223372036854775807L - 1)"),
        (2**64 - 1, DTYPES["uint64"], "18446744073709551615UL"),
        (True, BOOL, "1"),
        (1.5, F32, "0x1.8000000000000p+0f"),
        (0.1, F64, "0x1.999999999999ap-4"),
        (-0.0, F32, "(-0x0.0p+0f)"),
        (1e300, F32, "INFINITY"),
        (-math.inf, F64, "(-((double)INFINITY))"),
        (math.nan, F32, "NAN"),
        (math.nan, F64, "((double)NAN)"),
    ],
)
def test_numbers_are_exact(value, dtype, text):
    assert literal(value, dtype) == text


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_hexadecimal_numbers_keep_every_bit(dtype):
    for value in np.random.default_rng(3).normal(0, 1, 50).astype(dtype.numpy):
        text = literal(float(value), dtype).strip("()")
        assert text.endswith("f") == (dtype is F32)
        assert dtype.numpy.type(float.fromhex(text.removesuffix("f"))) == value


def test_casts_leave_nothing_to_the_target():
    assert cast_text("x", F32, U8, saturate=False) == (
        "((uchar)(x != x ? ((uchar)0) : (x >= 0x1.0000000000000p+8f ? ((uchar)255) : "
        "(x <= 0x0.0p+0f ? ((uchar)0) : ((uchar)x)))))"
    )
    assert cast_text("x", I32, U8, saturate=True) == (
        "((uchar)(x > 255 ? ((uchar)255) : (x < 0 ? ((uchar)0) : ((uchar)x))))"
    )
    assert cast_text("x", U8, I32, saturate=True) == "((int)x)"
    assert cast_text("x", F64, BOOL, saturate=False) == "(x != 0x0.0p+0)"
    assert cast_text("x", U8, U8, saturate=False) == "x"


def test_every_spelling_has_a_type_for_its_operands():
    for each in OPS.values():
        for kind, template in each.opencl.items():
            assert kind in "buif"
            words = set(re.findall(r"{(\w+)}", template))
            assert words <= {"T", "U", "t", *map(str, range(each.arity))}, each
    assert set(C_TYPES) == set(DTYPES)


# --- what is refused ------------------------------------------------------------------------------


class Odd(Expr):
    __slots__ = ()


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (Let(Var(I32, "t"), Odd(I32)), "no text for the expression Odd of int32"),
        (
            Let(Var(POINTER, "t"), Load(POINTER, A, index(0))),
            "no text for the expression Load of p",
        ),
        (Let(Var(POINTER, "t"), Const(POINTER, 0)), "no text for the expression Const of pointer"),
        (Store(A, index(0), B), "the memory of a device holds no pointers"),
        (Let(Var(I32, "t"), row("square", Const(I32, 1))), "row square has no spelling for int32"),
        (
            Let(Var(BOOL, "t"), row("equal", A, A, dtype=BOOL)),
            "row equal has no spelling for point",
        ),
        (Set(Var(POINTER, "t"), Var(POINTER, "scratch")), "a device has no scratch memory"),
        (object(), "no text for the statement object"),
    ],
)
def test_what_a_device_cannot_do_is_refused(statement, fault):
    with pytest.raises(InternalError, match=re.escape(f"emit.opencl_c: {fault}")):
        text_of([statement])
