"""Functions that gather strided rows and scatter them: as NumPy copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.lower.packing import BLOCK, packing_name, shared_function
from muntin.core.program import INDEX, POINTER, Builder, Call, Parameter, Program, Var
from muntin.runtime.interpret import BOX, Memory, interpret

NUMBERS = [Var(INDEX, f"n{k}") for k in range(4)]
TARGET, SOURCE, SCRATCH = Var(POINTER, "to"), Var(POINTER, "from"), Var(POINTER, "scratch")


def call(name, target, source, *numbers):
    """Run a packing function on checked memory."""
    function = shared_function(name)
    slots = (TARGET, SOURCE, *NUMBERS[: len(numbers)])
    parameters = [Parameter(Var(INDEX, word)) for word in BOX]
    parameters += [Parameter(SCRATCH, written=True), Parameter(TARGET, written=True)]
    b = Builder()
    b.add(Call(name, slots))
    program = Program((function, b.function("entry", parameters)), slots)
    memories = [Memory(array, name=word) for array, word in ((target, "to"), (source, "from"))]
    memories[1].is_writable = False
    pointers = [memory.first for memory in memories]
    interpret(program, [*pointers, *numbers], (0, 1, 0, 1, 0, 1), Memory.scratch(0))


@st.composite
def rows(draw):
    """Return the strided memory of a row of pixels, and whether it has channels of its own."""
    channels = draw(st.sampled_from([1, 1, 1, 3, 4]))
    dtype = draw(st.sampled_from([np.uint8, np.uint16, np.uint32, np.uint64]))
    step = draw(st.sampled_from([1, -1, 2, 3, -2, 0])) if channels == 1 else 1
    count = draw(st.integers(0 if step else 1, 12))  # what is repeated is read before the loop
    values = np.random.default_rng(0).integers(0, 200, (max(count, 1) * 3, channels))
    row = values.astype(dtype)
    if step == 0:
        row = np.broadcast_to(row[0], (count, channels))
    else:
        row = row[::step][:count]
    if channels > 1 and draw(st.booleans()):
        row = row[:, ::-1]
    return row


@given(rows())
def test_rows_are_packed(row):
    count, channels = row.shape
    target = np.zeros((count, channels), row.dtype)
    name = packing_name("pack", row.itemsize, channels)
    call(name, target, row, count, *row.strides)
    assert target.tolist() == row.tolist()


@given(rows())
def test_rows_are_unpacked(row):
    if 0 in row.strides:
        return
    count, channels = row.shape
    held = np.zeros((3 * max(count, 1), channels, 2), row.dtype)
    target = held[: 3 * count : 3, :, 0]
    name = packing_name("unpack", row.itemsize, channels)
    call(name, target, np.ascontiguousarray(row), count, *target.strides)
    assert target.tolist() == row.tolist()
    assert not held[:, :, 1].any()


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8])
@given(columns=st.integers(1, 9), rows=st.integers(1, BLOCK), padding=st.integers(0, 3))
def test_blocks_are_packed(itemsize, columns, rows, padding):
    dtype = np.dtype(f"uint{8 * itemsize}")
    source = np.arange((rows + padding) * columns, dtype=dtype).reshape(columns, -1)[:, :rows].T
    target = np.zeros((rows, columns + padding), dtype)
    name = packing_name("block", itemsize, 1)
    call(name, target, source, columns, rows, source.strides[1], target.strides[0])
    assert target[:, :columns].tolist() == source.tolist()
    assert not target[:, columns:].any()


def test_names_tell_all_about_a_function():
    for word, itemsize, channels in (("pack", 2, 3), ("unpack", 8, 1), ("block", 4, 1)):
        name = packing_name(word, itemsize, channels)
        function = shared_function(name)
        assert function.name == name
        assert function.shared
