"""LLVM IR: golden texts, what programs do once compiled, counts in kernels, and every fault.

The golden texts lie in `golden/`. Where a change of them is meant, write them again with
`REWRITE_GOLDEN=1 pytest tests/core/emit/test_llvm.py`, and look at the difference.
"""

import ctypes
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from muntin.core.border import Border
from muntin.core.emit.llvm import LlvmOptions, emit_llvm, emit_llvm_function
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.graph.ops import op
from muntin.core.lower.rows import lower_rows
from muntin.core.plan.facts import ENTRY
from muntin.core.plan.fuse import fuse
from muntin.core.plan.sink import ROWS_PER_STEP
from muntin.core.plan.stages import form_stages
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
    For,
    Load,
    Parameter,
    Prefetch,
    Program,
    Return,
    Store,
    StreamBytes,
    Var,
    index,
)
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from muntin.runtime.cpu import assembly, compile_ir, target_facts
from muntin.runtime.interpret import BOX, Memory, interpret
from tests.pointwise import node_of

GOLDEN = Path(__file__).parent / "golden"
U8, I16, I32, F32 = (DTYPES[name] for name in ("uint8", "int16", "int32", "float32"))
A, B, N, SCALE = Var(POINTER, "a"), Var(POINTER, "b"), Var(INDEX, "n"), Var(F32, "scale")
SCRATCH = Var(POINTER, "scratch")


def check_golden(name, text):
    path, text = GOLDEN / f"{name}.ll", text.rstrip() + "\n"
    if os.environ.get("REWRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


# --- programs -------------------------------------------------------------------------------------


def program_of(builder, functions=(), slots=(A, B, N, SCALE)):
    parameters = [Parameter(Var(INDEX, name)) for name in BOX]
    parameters.append(Parameter(SCRATCH, unaliased=True, written=True))
    parameters += [Parameter(A, written=True), Parameter(B, written=True)]
    return Program((*functions, builder.function("entry", parameters)), slots)


def scaled():
    """Numbers as floats times a scalar, cast back."""
    b = Builder()
    with b.loop("x", index(0), N, independent=True) as x:
        product = Apply(F32, op("multiply"), (Convert(F32, Load(I32, A, x)), SCALE))
        b.store(B, x, Convert(I32, b.let(product, "product")))
    return program_of(b)


def neighbours():
    """A sum of neighbours, of which all addresses share a step."""
    b = Builder()
    with b.loop("x", index(1), N - 1, independent=True) as x:
        b.store(B, x, Load(I32, A, x + -1) + Load(I32, A, x + 1))
    return program_of(b)


def truths():
    """Truth values, which are bytes in memory."""
    b = Builder()
    flags = Advance(POINTER, SCRATCH, index(64))
    with b.loop("x", index(0), N) as x:
        b.store(flags, x, Apply(BOOL, op("less"), (Load(I32, A, x), Const(I32, 0))))
    with b.loop("x", index(0), N) as x:
        b.store(B, x, Load(BOOL, flags, x).choose(Const(I32, -1), Load(I32, A, x)))
    return program_of(b)


def choices():
    """Branches, and a variable that they change."""
    b = Builder()
    best = b.variable(Const(I32, 0), "best")
    with b.loop("x", index(0), N) as x:
        number = b.let(Load(I32, A, x), "number")
        with b.when(number > best):
            b.set(best, number)
        with b.otherwise():
            b.set(best, best + 1)
        b.store(B, x, best)
    return program_of(b)


def repetition():
    """A loop that ends when its condition does."""
    b = Builder()
    left = b.variable(N, "left")
    with b.repeat(left > 0):
        b.set(left, left - 1)
        b.store(B, left, Load(I32, A, left))
    return program_of(b)


def steps():
    """A loop of longer steps, and one within it."""
    b = Builder()
    with b.loop("block", index(0), N, 8) as block:
        stop = b.let((block + 8).at_most(N), "stop")
        with b.loop("x", block, stop) as x:
            b.store(B, x, Load(I32, A, x) - Load(I32, A, block))
    return program_of(b)


def calls():
    """A function with memory of its own."""
    inner = Builder()
    source, target, count = Var(POINTER, "source"), Var(POINTER, "target"), Var(INDEX, "count")
    with inner.loop("x", index(0), count, independent=True) as x:
        inner.store(target, x, Apply(I32, op("abs"), (Load(I32, source, x),)))
    function = inner.function(
        "magnitudes",
        (
            Parameter(target, unaliased=True, written=True),
            Parameter(source, unaliased=True),
            Parameter(count),
        ),
    )
    b = Builder()
    b.add(Call("magnitudes", (B, A, N)))
    return program_of(b, (function,))


def copies():
    """Bytes copied, and past the caches."""
    b = Builder()
    b.add(CopyBytes(SCRATCH, A, N * 4))
    b.add(StreamBytes(B, SCRATCH, N * 4))
    return program_of(b)


def asked():
    """A cache line that is asked for."""
    b = Builder()
    b.add(Prefetch(Advance(POINTER, A, index(-64))))
    return program_of(b)


def lanes():
    """Vectors written past the caches."""
    b = Builder()
    with b.loop("x", index(0), N, lanes=4) as x:
        total = Apply(I32, op("add"), (Load(I32, A, x), Const(I32, 3)))
        b.store(B, x, b.let(total, "total"), streamed=True)
    return program_of(b)


def additions():
    """Sums that no thread can come between, until one is large."""
    b = Builder()
    with b.loop("x", index(0), N) as x:
        old = b.atomic_add(B, index(0), Load(I32, A, x))
        with b.when(old > 100):
            b.add(Return())
    return program_of(b)


PROGRAMS = [
    scaled,
    neighbours,
    truths,
    choices,
    repetition,
    steps,
    calls,
    copies,
    asked,
    lanes,
    additions,
]
ENTRY_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 6, ctypes.c_void_p)


def aligned(count, dtype):
    block = np.zeros(count * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -block.ctypes.data % 64
    return block[start : start + count * np.dtype(dtype).itemsize].view(dtype)


def run_native(program, a, b, scale):
    module = compile_ir(emit_llvm(program))
    scratch = aligned(4096, np.uint8)
    slots = np.array([a.ctypes.data, b.ctypes.data, len(a), 0], np.int64)
    slots[3:].view(np.float32)[0] = scale
    ENTRY_TYPE(module.address(ENTRY))(slots.ctypes.data, 0, 1, 0, 1, 0, 1, scratch.ctypes.data)


def run_interpreted(program, a, b, scale):
    pointers = [Memory(array, name=name).first for array, name in ((a, "a"), (b, "b"))]
    scratch = Memory.scratch(4096)
    interpret(program, [*pointers, len(a), scale], (0, 1, 0, 1, 0, 1), scratch)


@pytest.mark.parametrize("make", PROGRAMS)
def test_programs_have_their_golden_text(make):
    text = emit_llvm(make())
    check_golden(make.__name__, text[: text.index("attributes #0")])


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.parametrize("count", [0, 1, 8, 60])
def test_programs_do_what_the_interpreter_does(make, count):
    if make in (neighbours, steps) and count == 0:
        return
    count = count // 4 * 4 if make is lanes else count
    program = make()
    numbers = np.random.default_rng(count).integers(-99, 99, count)
    results = []
    for run in (run_native, run_interpreted):
        a, b = aligned(count, np.int32), aligned(count, np.int32)
        a[:] = numbers
        run(program, a, b, 2.5)
        results.append(b)
    assert results[0].tolist() == results[1].tolist()


# --- kernels --------------------------------------------------------------------------------------


def image_of(dtype="uint8", seed=0, axes="yx", shape=(20, 30)):
    values = np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    return node_of(values, axes)


def lowered(*roots):
    (kernel,) = fuse(canonical(roots)).kernels
    return lower_rows(kernel, form_stages(kernel)).program


def text_of(*roots):
    return emit_llvm(lowered(*roots), LlvmOptions(target_facts().vector_bits))


def function_text(text, name):
    """Return the definition of a function, without its attributes."""
    found = re.search(rf"define internal void @{name}\(.*?^}}$", text, re.DOTALL | re.MULTILINE)
    return re.sub(r" #\d+ {", " {", found[0])


def total(*nodes):
    first, *others = nodes
    for node in others:
        first = build.elementwise("add", first, node)
    return first


def read(node, *offsets, border="replicate"):
    return build.neighbour(node, offsets, Border.of(border))


def added():
    return [total(image_of(), image_of(seed=1))]


def saturated():
    wide = build.cast(image_of("int16"), I32)
    return [build.cast(total(wide, build.scalar(5, I32)), U8, saturate=True)]


def rounded():
    return [build.cast(build.elementwise("multiply", image_of(), image_of("float32")), U8)]


def selected():
    image = image_of("int16")
    is_negative = build.elementwise("less", image, build.constant(0, I16))
    return [build.elementwise("where", is_negative, build.scalar(9, I16), image), is_negative]


def three():
    image = image_of()
    return [total(read(image, 0, -1), image, read(image, 0, 1))]


def pixels():
    image = image_of(axes="yxc", shape=(20, 30, 3))
    return [build.elementwise("maximum", read(image, 0, -1, 0), image)]


KERNELS = [added, saturated, rounded, selected, three, pixels]


@pytest.mark.parametrize("make", KERNELS)
def test_row_loops_have_their_golden_text(make):
    check_golden(f"row_{make.__name__}", function_text(text_of(*make()), "final"))


class TestCounts:
    """What is needed several times is loaded and computed once."""

    def final(self, *roots):
        return function_text(text_of(*roots), "final")

    def test_an_operand_is_loaded_once(self):
        image, other = image_of(), image_of(seed=1)
        text = self.final(total(image, other, image), build.elementwise("multiply", image, other))
        assert text.count("load i8") == 2

    def test_equal_work_is_done_once(self):
        image = image_of("int32")
        sums = [build.elementwise("add", image, build.scalar(k, I32)) for k in (1, 2)]
        products = [build.elementwise("multiply", image, image) for _ in range(2)]
        text = self.final(build.elementwise("subtract", *products), *sums)
        assert text.count("= mul ") == 1
        assert text.count("= add i32") == 2

    def test_a_quotient_is_divided_once(self):
        a, b = image_of("float32"), image_of("float32", 1)
        quotients = [build.elementwise("divide", a, b) for _ in range(2)]
        text = self.final(total(*quotients), build.elementwise("sqrt", quotients[0]))
        assert text.count("fdiv") == 1

    def test_quotient_and_remainder_share_a_division(self):
        a, b = image_of("int64"), image_of("int64", 1)
        both = [build.elementwise(name, a, b) for name in ("floor_divide", "remainder")]
        assert self.final(*both).count("sdiv") == 1

    def test_a_box_loads_each_pixel_of_its_rows_once(self):
        image = build.cast(image_of(), I16)
        box = total(*[read(image, dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
        text = self.final(box)
        assert text.count("load i8") == (ROWS_PER_STEP + 2) * 3
        assert text.count("store i16") == ROWS_PER_STEP

    def test_reads_of_one_row_share_their_address(self):
        image = image_of()
        text = self.final(total(*[read(image, 0, dx) for dx in (-2, -1, 1, 2)]))
        rows = re.findall(r"getelementptr inbounds i8, ptr %p\.row0, i64 (%\w+)", text)
        assert len(set(rows)) == 1
        assert text.count("load i8") == 4


@pytest.mark.skipif("x86_64" not in target_facts().triple, reason="looks for x86 registers")
class TestVectors:
    """Row loops are vectors of the widest kind."""

    def registers(self, *roots):
        listing = assembly(text_of(*roots))
        return {name: len(re.findall(rf"%{name}\d", listing)) for name in ("xmm", "ymm", "zmm")}

    def widest(self):
        return {128: "xmm", 256: "ymm", 512: "zmm"}[target_facts().vector_bits]

    def test_filters(self):
        image = build.cast(image_of(), I16)
        box = total(*[read(image, dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
        assert self.registers(build.cast(box, U8))[self.widest()] > 20

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
    def test_heavy_pointwise_work(self, dtype):
        image = image_of(dtype)
        power = image
        for _ in range(8):
            power = build.elementwise("multiply", power, image)
        assert self.registers(power)[self.widest()] > 8

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
    def test_light_pointwise_work(self, dtype):
        found = self.registers(total(image_of(dtype), image_of(dtype, 1)))
        assert found["ymm" if target_facts().vector_bits > 128 else "xmm"] > 0

    def test_integers_divided(self):
        found = self.registers(build.elementwise("floor_divide", image_of(), image_of(seed=1)))
        assert found[self.widest()] > 8


# --- faults ---------------------------------------------------------------------------------------


class Strange(Expr):
    pass


class Unheard:
    pass


def emit(statement):
    b = Builder()
    b.add(statement)
    return emit_llvm(program_of(b))


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (Store(A, index(0), Strange(I32)), "no text for the expression Strange"),
        (Unheard(), "no text for the statement Unheard"),
        (
            Store(A, index(0), Apply(I32, op("floor_divide"), (Const(I32, 1), Const(I32, 2)))),
            "row floor_divide has no spelling for int32; expand should have replaced it",
        ),
        (
            For(Var(INDEX, "x"), index(0), N, 1, (Store(A, index(0), Strange(I32)),), False, 4),
            "no vector for the expression Strange",
        ),
    ],
)
def test_faults_are_told(statement, fault):
    with pytest.raises(InternalError, match=f"emit.llvm: {fault}"):
        emit(statement)


def test_functions_are_emitted_before_their_calls():
    text = emit_llvm(calls())
    assert text.index("@magnitudes(ptr noalias") < text.index("call void @magnitudes")


def test_shared_functions_are_called_where_the_last_slots_say():
    program = calls()
    shared = Program((replace(program.functions[0], shared=True), program.entry), program.slots)
    text = emit_llvm(shared)
    assert "define internal void @magnitudes" not in text
    assert re.search(r"getelementptr inbounds i64, ptr %args, i64 4\n", text)
    assert re.search(r"call void %v\d+\(ptr", text)
    alone = emit_llvm_function(shared.functions[0])
    assert "define void @magnitudes(ptr noalias %p.target" in alone


def test_loops_are_kept_as_they_are_unless_they_are_free():
    function = calls().functions[0]
    (loop,) = function.body
    for independent, free, kept in ((True, False, 0), (False, False, 1), (False, True, 0)):
        body = (replace(loop, independent=independent),)
        text = emit_llvm_function(replace(function, body=body, free=free))
        assert text.count("llvm.loop.vectorize.enable") == kept


def test_vectors_are_not_wider_than_the_options_say():
    text = emit_llvm(scaled(), LlvmOptions(128))
    assert re.findall(r'"prefer-vector-width"="(\d+)"', text) == ["128"] * 3
    assert re.findall(r'"prefer-vector-width"="(\d+)"', emit_llvm(scaled())) == [
        "512",
        "512",
        "256",
    ]


def test_every_golden_text_is_of_a_test():
    names = [make.__name__ for make in PROGRAMS] + [f"row_{make.__name__}" for make in KERNELS]
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(names)
