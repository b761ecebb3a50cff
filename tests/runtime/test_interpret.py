"""Programs run in Python: what they compute, and every fault that is caught."""

import re

import numpy as np
import pytest

from muntin.core.graph.ops import op
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Apply,
    AtomicAdd,
    Builder,
    Call,
    Const,
    Convert,
    CopyBytes,
    Expr,
    For,
    Function,
    Let,
    Load,
    Lookup,
    Note,
    Parameter,
    Prefetch,
    Program,
    Return,
    Set,
    Store,
    StreamBytes,
    Var,
    Word,
    index,
)
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from muntin.runtime.interpret import BOX, Memory, Pointer, interpret

U8, I32, F32, I64 = (DTYPES[name] for name in ("uint8", "int32", "float32", "int64"))
A, B = Var(POINTER, "a"), Var(POINTER, "b")
SCRATCH = Var(POINTER, "scratch")
HERE = (0, 1, 0, 1, 0, 1)


def program_of(body, slots=(A, B), functions=(), unaliased=()):
    entry = Function(
        "entry",
        (
            *[Parameter(var, unaliased=var in unaliased, written=True) for var in slots],
            *[Parameter(Var(INDEX, name)) for name in BOX],
            Parameter(SCRATCH, written=True),
        ),
        tuple(body),
    )
    return Program((*functions, entry), tuple(slots))


def run(body, *values, box=HERE, scratch=64, **rest):
    interpret(program_of(body, **rest), values, box, Memory.scratch(scratch))


def pointer(array, name="memory", **rest):
    return Memory(array, name=name, **rest).first


def fails(fault):
    return pytest.raises(InternalError, match=re.escape(fault))


def row(name, *args, dtype=None):
    return Apply(dtype or args[-1].dtype, op(name), args)


# --- what programs compute ------------------------------------------------------------------------


def test_a_loop_over_the_box_adds_a_scalar():
    number = Var(I32, "number")
    b = Builder()
    with b.loop("x", Var(INDEX, "x0"), Var(INDEX, "x1")) as x:
        b.store(B, x, row("add", Load(I32, A, x), number))
    source, target = np.arange(5, dtype=np.int32), np.zeros(5, np.int32)
    slots = (A, B, number)
    run(b.statements(), pointer(source), pointer(target), 7, slots=slots, box=(0, 1, 0, 1, 1, 4))
    assert target.tolist() == [0, 8, 9, 10, 0]


def test_loops_step_and_conditions_choose():
    b = Builder()
    count = b.variable(index(0), "count")
    with b.loop("x", index(0), index(10), 3) as x:
        with b.when(x.equals(6)):
            b.set(count, count + 100)
        with b.otherwise():
            b.set(count, count + 1)
    with b.repeat(count < 200):
        b.set(count, count + 10)
    b.store(A, index(0), count)
    target = np.zeros(1, np.int64)
    run(b.statements(), pointer(target), slots=(A,))
    assert target[0] == 203


def test_arithmetic_wraps_and_converts_as_arrays_do():
    big = Const(U8, 250)
    total = row("add", big, Const(U8, 10))
    wide = Convert(I32, Convert(DTYPES["int8"], Const(I32, 200)))
    clamped = Convert(U8, Const(I32, -5), saturate=True)
    rounded = Convert(U8, Const(F32, 300.7))
    body = [Store(A, index(k), Convert(I32, value)) for k, value in enumerate((total, clamped))]
    body += [Store(A, index(2), wide), Store(A, index(3), Convert(I32, rounded))]
    target = np.zeros(4, np.int32)
    run(body, pointer(target), slots=(A,))
    assert target.tolist() == [4, 0, -56, 255]


def test_bools_are_bytes():
    flags, target = np.array([True, False]), np.zeros(2, bool)
    body = [Store(B, index(k), row("logical_not", Load(BOOL, A, index(k)))) for k in range(2)]
    run(body, pointer(flags), pointer(target))
    assert target.tolist() == [False, True]


def test_negative_strides_are_reached_from_element_0():
    source = np.arange(6, dtype=np.int32)[::-2]
    body = [Store(B, index(0), Load(I32, A, index(-4)))]
    target = np.zeros(1, np.int32)
    run(body, pointer(source), pointer(target))
    assert target[0] == source[2] == 1


def test_scalar_arrays_have_one_element():
    target = np.array(5, np.int32)
    run([Store(A, index(0), row("negative", Load(I32, A, index(0))))], pointer(target), slots=(A,))
    assert target == -5


def test_slots_need_not_be_listed_as_parameters():
    entry = Function("entry", (), (Store(A, index(0), Const(I32, 4)),))
    target = np.zeros(1, np.int32)
    interpret(Program((entry,), (A,)), [pointer(target)], HERE, Memory.scratch(0))
    assert target[0] == 4


def test_functions_see_their_parameters():
    p, n = Var(POINTER, "p"), Var(I64, "n")
    callee = Function("fill", (Parameter(p, written=True), Parameter(n)), (Store(p, index(0), n),))
    body = [Call("fill", (A, index(k))) for k in (3, 4)]
    target = np.zeros(1, np.int64)
    run(body, pointer(target), slots=(A,), functions=(callee,))
    assert target[0] == 4


def test_pointers_are_kept_in_memory_and_chosen():
    body = [
        Store(SCRATCH, index(1), B),
        CopyBytes(SCRATCH, _advanced(SCRATCH, 8), index(8)),
        Store(Load(POINTER, SCRATCH, index(0)), index(0), Const(I32, 9)),
        Store(row("where", Const(BOOL, True), A, B), index(0), Const(I32, 8)),
    ]
    one, two = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(body, pointer(one), pointer(two))
    assert (one[0], two[0]) == (8, 9)


def _advanced(base, nbytes):
    return Advance(POINTER, base, index(nbytes))


@pytest.mark.parametrize("copy", [CopyBytes, StreamBytes])
def test_bytes_are_copied(copy):
    source, target = np.arange(8, dtype=np.uint8), np.zeros(8, np.uint8)
    run([copy(_advanced(B, 2), _advanced(A, 1), index(5))], pointer(source), pointer(target))
    assert target.tolist() == [0, 0, 1, 2, 3, 4, 5, 0]


def test_any_place_may_be_asked_for():
    numbers = np.arange(2, dtype=np.uint8)
    run([Prefetch(_advanced(A, -640)), Prefetch(_advanced(A, 640))], pointer(numbers), slots=(A,))
    assert numbers.tolist() == [0, 1]
    with pytest.raises(InternalError, match="the place of a prefetch"):
        run([Prefetch(index(0))], pointer(numbers), slots=(A,))


def test_what_is_written_becomes_readable():
    target = np.zeros(2, np.int32)
    memory = Memory(target, is_set=False)
    assert memory.unset == 8
    body = [Store(A, index(0), Const(I32, 3)), Store(A, index(1), Load(I32, A, index(0)))]
    interpret(program_of(body, slots=(A,)), [memory.first], HERE, Memory.scratch(0))
    assert memory.unset == 0
    assert target.tolist() == [3, 3]


def test_independent_loops_run_in_an_order_that_the_seed_decides():
    seen = []
    for seed in range(2):
        b = Builder()
        last = b.variable(index(-1), "last")
        with b.loop("outer", index(0), index(1)):
            with b.loop("x", index(0), index(50), independent=True) as x:
                b.store(A, index(0), x)
            b.set(last, Load(INDEX, A, index(0)))
        target = np.zeros(1, np.int64)
        program = program_of(b.statements(), slots=(A,))
        interpret(program, [pointer(target)], HERE, Memory.scratch(0), seed=seed)
        seen.append(target[0])
    assert seen[0] != seen[1]


def test_independent_iterations_may_add_to_the_same_element():
    b = Builder()
    with b.loop("x", index(0), index(4), independent=True) as x:
        old = b.atomic_add(B, index(0), Load(I32, A, x))
        b.store(B, x + 1, old)
    target = np.zeros(5, np.int32)
    run(b.statements(), pointer(np.full(4, 2**31 - 1, np.int32)), pointer(target))
    assert target[0] == -4  # it wraps
    assert sorted(target[1:].tolist()) == [-2, 0, 2**31 - 3, 2**31 - 1]


def test_functions_are_left_early():
    b = Builder()
    with b.loop("x", index(0), index(4), independent=True) as x, b.when(x >= 0):
        b.atomic_add(A, index(0), Const(I32, 1))
        b.add(Return())
    once = Function("once", (Parameter(A, unaliased=True, written=True),), b.statements())
    target = np.zeros(1, np.int32)
    run([Call("once", (A,))] * 2, pointer(target), slots=(A,), functions=(once,))
    assert target[0] == 2


def test_empty_loops_do_nothing():
    b = Builder()
    with b.loop("x", index(3), index(3), independent=True) as x:
        b.store(A, x, index(1))
    target = np.zeros(4, np.int64)
    run(b.statements(), pointer(target), slots=(A,))
    assert not target.any()


def test_independent_iterations_may_nest_and_use_what_they_wrote():
    b = Builder()
    with b.loop("y", index(0), index(3), independent=True) as y:
        total = b.variable(y * 10, "total")
        with b.loop("x", index(0), index(3), independent=True) as x:
            b.store(A, y * 3 + x, total + x)
        b.set(total, total + 1)
    target = np.zeros(9, np.int64)
    run(b.statements(), pointer(target), slots=(A,))
    assert target.tolist() == [0, 1, 2, 10, 11, 12, 20, 21, 22]


# --- faults of memory -----------------------------------------------------------------------------


@pytest.mark.parametrize("place", [-1, 4])
def test_loads_stay_inside(place):
    with fails(f"load of int32 at byte {place * 4} of image: there are 16 bytes"):
        run([Let(Var(I32, "t"), Load(I32, A, index(place)))], pointer(_four(), "image"), slots=(A,))


@pytest.mark.parametrize("place", [-1, 4])
def test_stores_stay_inside(place):
    with fails(f"store of int32 at byte {place * 4} of image: there are 16 bytes"):
        run([Store(A, index(place), Const(I32, 0))], pointer(_four(), "image"), slots=(A,))


def _four():
    return np.arange(4, dtype=np.int32)


def test_gaps_between_elements_are_out_of_bounds():
    source = np.arange(12, dtype=np.int32).reshape(3, 4)[:, :2]
    with fails("load of int32 at byte 8 of image: it is between elements"):
        run([Let(Var(I32, "t"), Load(I32, A, index(2)))], pointer(source, "image"), slots=(A,))
    with fails("store of int32 at byte 12 of image: it is between elements"):
        run([Store(A, index(3), Const(I32, 0))], pointer(source, "image"), slots=(A,))


def test_scratch_is_written_before_it_is_read():
    with fails("load of float32 at byte 4 of scratch: never written"):
        run([Let(Var(F32, "t"), Load(F32, SCRATCH, index(1)))], slots=())


def test_read_only_memory_is_not_written():
    source = _four()
    source.flags.writeable = False
    with fails("store of int32 at byte 0 of image: the memory is read-only"):
        run([Store(A, index(0), Const(I32, 0))], pointer(source, "image"), slots=(A,))


def test_words_begin_at_elements_and_what_lies_between_is_anything():
    source, target = np.arange(1, 8, dtype=np.uint8), np.zeros(1, np.uint32)
    word = DTYPES["uint32"]
    body = [Store(B, index(0), Word(word, Advance(POINTER, A, index(3))))]
    run(body, pointer(source), pointer(target))
    assert target[0] == 4 + (5 << 8) + (6 << 16) + (7 << 24)
    with fails("word of uint32 at byte 3 of image: there are 6 bytes"):
        run(body, pointer(source[:6], "image"), pointer(target))
    run(body, pointer(np.zeros(9, np.uint8)[::3], "image"), pointer(target))
    assert target[0] == 0x00FFFF00  # of the next element, and what is not there
    with fails("word of uint32 at byte 3 of image: it is between elements"):
        run(body, pointer(np.zeros(9, np.uint8)[::2], "image"), pointer(target))


def test_accesses_are_aligned():
    with fails("load of int32 at byte 2 of image: it is not aligned to 4 bytes"):
        body = [Let(Var(I32, "t"), Load(I32, _advanced(A, 2), index(0)))]
        run(body, pointer(_four(), "image"), slots=(A,))
    with fails("store of int32 at byte 2 of image: it is not aligned to 4 bytes"):
        run(
            [Store(_advanced(A, 2), index(0), Const(I32, 0))], pointer(_four(), "image"), slots=(A,)
        )


def test_copies_do_not_overlap_and_count_upwards():
    with fails("copy at byte 2 of image: it overlaps its source at byte 0"):
        run([CopyBytes(_advanced(A, 2), A, index(3))], pointer(_four(), "image"), slots=(A,))
    with fails("copy at byte 0 of image: the count is -1 bytes"):
        run([CopyBytes(A, A, index(-1))], pointer(_four(), "image"), slots=(A,))


def test_numbers_and_pointers_are_not_mixed_up():
    stored = Store(SCRATCH, index(0), A)
    with fails("load of int64 at byte 0 of scratch: a pointer is stored there"):
        run(
            [stored, Let(Var(I64, "t"), Load(I64, SCRATCH, index(0)))], pointer(_four()), slots=(A,)
        )
    number = Store(SCRATCH, index(0), index(3))
    with fails("load of pointer at byte 0 of scratch: no pointer is stored there"):
        body = [stored, number, Let(Var(POINTER, "t"), Load(POINTER, SCRATCH, index(0)))]
        run(body, pointer(_four()), slots=(A,))


# --- broken promises ------------------------------------------------------------------------------


def test_independent_iterations_do_not_read_what_others_write():
    b = Builder()
    with b.loop("x", index(0), index(3), independent=True) as x:
        b.store(A, x + 1, Load(I32, A, x))
    with fails("an iteration of the independent loop over x reads byte 4 of image, which another"):
        run(b.statements(), pointer(_four(), "image"), slots=(A,))


def test_independent_iterations_do_not_read_what_others_add_to():
    b = Builder()
    with b.loop("x", index(0), index(3), independent=True) as x:
        b.atomic_add(A, index(0), Const(I32, 1))
        b.store(A, x + 1, Load(I32, A, index(0)))
    with fails("an iteration of the independent loop over x reads byte 0 of image, which another"):
        run(b.statements(), pointer(_four(), "image"), slots=(A,))


def test_independent_iterations_do_not_use_what_others_set():
    b = Builder()
    total = b.variable(index(0), "total")
    with b.loop("x", index(0), index(3), independent=True) as x:
        b.set(total, total + x)
    with fails("variable total is read before it is set"):
        run(b.statements(), slots=())


def test_independent_iterations_may_note_the_same_thing():
    values = np.array([5, 3, 9], np.int32)
    for limit, expected in ((8, 1), (9, 0)):
        b = Builder()
        found = b.variable(Const(BOOL, False), "found")
        with b.loop("x", index(0), index(3), independent=True) as x:
            b.note(found, Load(I32, A, x) > limit)
        b.store(B, index(0), found)
        out = np.zeros(1, bool)
        run(b.statements(), pointer(values), pointer(out))
        assert out[0] == expected


def _copying(unaliased=True, written=True):
    p, q = Var(POINTER, "p"), Var(POINTER, "q")
    body = (Store(p, index(0), row("add", Load(I32, q, index(1)), Load(I32, q, index(2)))),)
    parameters = (Parameter(p, unaliased=unaliased, written=written), Parameter(q))
    return Function("copying", parameters, body)


def test_unaliased_parameters_are_the_only_way_to_what_they_write():
    apart = [Call("copying", (A, A))]
    run(apart, pointer(_four()), slots=(A,), functions=(_copying(),))
    together = [Call("copying", (_advanced(A, 4), A))]
    run(together, pointer(_four()), slots=(A,), functions=(_copying(unaliased=False),))
    with fails("copying: byte 4 of image is written, and reached through p and q, of which one"):
        run(together, pointer(_four(), "image"), slots=(A,), functions=(_copying(),))


def test_the_last_of_several_parameters_may_be_used_alone():
    p, q, r = Var(POINTER, "p"), Var(POINTER, "q"), Var(POINTER, "r")
    parameters = [Parameter(each, unaliased=True, written=True) for each in (p, q, r)]
    last = Function("last", tuple(parameters), (Store(r, index(0), Const(I32, 7)),))
    target = np.zeros(1, np.int32)
    run([Call("last", (A, A, A))], pointer(target), slots=(A,), functions=(last,))
    assert target[0] == 7


def test_promises_of_a_caller_hold_in_what_it_calls():
    body = [Call("copying", (_advanced(A, 4), B))]
    memory = Memory(_four(), name="image")
    program = program_of(body, functions=(_copying(unaliased=False),), unaliased=(A,))
    with fails("entry: byte 4 of image is written, and reached through a and b, of which one"):
        interpret(program, [memory.first, memory.first], HERE, Memory.scratch(0))


def test_stored_pointers_count_as_another_way():
    memory = Memory(_four(), name="image")
    holder = Memory.scratch(8)
    holder.store(0, memory.first, POINTER)
    holder.is_writable = False
    body = [
        Store(Load(POINTER, A, index(0)), index(0), Const(I32, 1)),
        Store(B, index(0), Const(I32, 1)),
    ]
    program = program_of(body, unaliased=(B,))
    with fails("entry: byte 0 of image is written, and reached through a stored pointer and b"):
        interpret(program, [holder.first, memory.first], HERE, Memory.scratch(0))


def test_parameters_are_written_only_where_marked():
    function = _copying(written=False)
    with fails("byte 0 of image is written through a parameter that is not marked as written"):
        run([Call("copying", (A, A))], pointer(_four(), "image"), slots=(A,), functions=(function,))


@pytest.mark.parametrize(
    ("name", "dtype", "a", "b"),
    [
        ("raw_divide", U8, 1, 0),
        ("raw_divide", I32, -(2**31), -1),
        ("raw_left_shift", U8, 1, 8),
        ("raw_right_shift", I32, 1, -1),
    ],
)
def test_rows_are_given_only_what_they_take(name, dtype, a, b):
    with fails(f"{name} of {dtype} {a} and {b} is undefined"):
        run([Let(Var(dtype, "t"), row(name, Const(dtype, a), Const(dtype, b)))], slots=())


@pytest.mark.parametrize("value", [0.5, 2.0**31, -(2.0**32), np.inf, np.nan])
def test_only_whole_numbers_that_fit_are_made_integers(value):
    whole = Apply(I32, op("raw_whole"), (Const(F32, value),))
    with fails(f"raw_whole of {value} is undefined"):
        run([Let(Var(I32, "t"), whole)], slots=())


# --- ill-formed programs --------------------------------------------------------------------------


class Odd(Expr):
    __slots__ = ()


T = Var(I32, "t")
FLOAT = Const(F32, 1)


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (Let(T, Odd(I32)), "no meaning for the expression Odd"),
        (object(), "no meaning for the statement object"),
        (Let(T, FLOAT), "the value of t is float32; it must be int32"),
        (Let(T, Var(I32, "u")), "variable u is not known here"),
        (Set(T, FLOAT), "the value of t is float32; it must be int32"),
        (Store(index(0), index(0), FLOAT), "what a store writes to is int64; it must be pointer"),
        (Note(T, Const(BOOL, 1)), "t is noted, but is no truth value set before"),
        (Store(SCRATCH, FLOAT, FLOAT), "the index of a store is float32; it must be int64"),
        (Let(Var(POINTER, "t"), Const(POINTER, 0)), "there are no pointer constants"),
        (Let(T, Convert(I32, SCRATCH)), "a pointer cannot be converted"),
        (Let(T, row("square", Const(I32, 1))), "row square of int32 has no spelling; core.plan.e"),
        (Let(T, row("cast", Const(I32, 1))), "row cast of int32 has no spelling"),
        (Let(T, row("add", FLOAT, Const(I32, 1))), "add of float32, int32 is said to give int32"),
        (Let(T, row("bitwise_and", FLOAT, FLOAT, dtype=I32)), "row bitwise_and of float32 has no"),
        (
            Let(Var(BOOL, "t"), row("subtract", *[Const(BOOL, 1)] * 2)),
            "row subtract of bool has no",
        ),
        (
            Let(Var(BOOL, "t"), row("equal", SCRATCH, SCRATCH, dtype=BOOL)),
            "equal is not defined for pointers",
        ),
        (
            Let(Var(U8, "t"), Lookup(U8, SCRATCH, index(1), index(0))),
            "a lookup at int64; it must be uint8",
        ),
        (For(Var(INDEX, "x"), index(0), index(1), 0, ()), "the loop over x has step 0"),
        (
            AtomicAdd(SCRATCH, index(0), FLOAT, Var(F32, "t")),
            "an atomic addition of float32; it takes integers of 32 and 64 bits",
        ),
        (AtomicAdd(SCRATCH, index(0), index(1), T), "t is int32; it must be int64"),
        (Call("f", ()), "function f is not defined before"),
        (Call("copying", (SCRATCH,)), "copying takes 2 arguments, not 1"),
        (
            Call("copying", (SCRATCH, index(0))),
            "argument q of copying is int64; it must be pointer",
        ),
    ],
)
def test_programs_are_well_formed(statement, fault):
    with fails(f"interpret: {fault}"):
        run([statement], slots=(), functions=(_copying(),))


def test_rows_give_the_type_that_they_are_said_to_give():
    with fails("interpret: minimum of uint8, uint8 is said to give int32"):
        run([Let(T, Apply(I32, op("minimum"), (Const(U8, 1), Const(U8, 2))))], slots=())


def test_variables_keep_their_type():
    body = [Set(T, Const(I32, 1)), Set(Var(F32, "t"), FLOAT)]
    with fails("variable t changes its type to float32"):
        run(body, slots=())


def test_names_end_with_their_block():
    b = Builder()
    with b.when(Const(BOOL, True)):
        inner = b.let(row("add", Const(I32, 1), Const(I32, 1)))
    b.let(row("negative", inner))
    with fails("variable t is not known here"):
        run(b.statements(), slots=())


def test_every_slot_and_parameter_is_given():
    with fails("got 1 slots; there are 2"):
        interpret(program_of([]), [1], HERE, Memory.scratch(0))
    entry = Function("entry", (Parameter(Var(INDEX, "z0")),), ())
    with fails("parameter z0 of the entry is in no slot"):
        interpret(Program((entry,), ()), [], HERE, Memory.scratch(0))


def test_pointers_show_where_they_point():
    assert repr(Pointer(Memory(_four(), name="image"), 8)) == "Pointer('image', 8)"
