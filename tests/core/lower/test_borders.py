"""Borders in programs: every position that a read may have, and the padding of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import BorderMode, map_index
from muntin.core.lower.borders import map_position, pad_far, pad_row
from muntin.core.program import INDEX, POINTER, Builder, Load, Parameter, Program, Var, index
from muntin.dtypes import DTYPES
from muntin.errors import InternalError
from muntin.runtime.interpret import BOX, Memory, interpret

U8 = DTYPES["uint8"]
OUT, SIZE, SCRATCH = Var(POINTER, "out"), Var(INDEX, "size"), Var(POINTER, "scratch")


def run(builder, out, size, offset=0):
    """Interpret statements that write `out`, some bytes into it."""
    parameters = [Parameter(Var(INDEX, name)) for name in BOX]
    parameters += [Parameter(SCRATCH, written=True), Parameter(OUT, written=True)]
    program = Program((builder.function("entry", parameters),), (OUT, SIZE))
    pointer = Memory(out).first
    pointer.offset += offset
    interpret(program, [pointer, size], (0, 1, 0, 1, 0, 1), Memory.scratch(0))


@pytest.mark.parametrize("mode", BorderMode)
@given(size=st.integers(1, 9), reach=st.integers(1, 30))
def test_positions_are_those_of_the_definition(mode, size, reach):
    b = Builder()
    with b.loop("x", index(0), SIZE + 2 * reach) as x:
        b.store(OUT, x, map_position(mode, x - reach, SIZE, reach))
    out = np.zeros(size + 2 * reach, np.int64)
    run(b, out, size)
    for position, found in enumerate(out.tolist(), -reach):
        wanted = map_index(mode, position, size)
        if wanted is None:  # any place inside will do: it is not looked at
            assert 0 <= found < size
        else:
            assert found == wanted


def test_what_is_no_border_has_no_map():
    with pytest.raises(InternalError, match="borders: no map for mirror"):
        map_position("mirror", index(0), SIZE, 1)


@pytest.mark.parametrize("channels", [1, 3])
@given(
    size=st.integers(7, 9),
    inset=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    pads=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_padding_is_written_where_a_row_reaches_an_edge(channels, size, inset, pads):
    """Of a row that holds some columns, padded as under "replicate"."""
    start, stop = inset[0], size - inset[1]
    left, right = pads
    places = {k: index(0 if k < 0 else size - 1) for k in range(-left, right)}
    held = np.arange(start * channels, stop * channels, dtype=np.uint8).reshape(-1, channels)
    row = np.pad(held, ((left, right), (0, 0)), constant_values=99)
    b = Builder()
    span = index(start), index(stop)

    def value(column, channel):
        return Load(U8, OUT, (column - start) * channels + channel)

    pad_row(b, OUT, channels, span, places, SIZE, value)
    run(b, row, size, offset=left * channels)
    wanted = np.pad(held, ((left, right), (0, 0)), mode="edge")
    if start > 0:
        wanted[:left] = 99
    if stop < size:
        wanted[left + len(held) :] = 99
    assert row.tolist() == wanted.tolist()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("mode", [m for m in BorderMode if m is not BorderMode.WRAP])
@given(size=st.integers(1, 9), pads=st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_wide_padding_is_written_by_loops(channels, mode, size, pads):
    left, right = pads
    held = np.arange(size * channels, dtype=np.uint8).reshape(-1, channels)
    row = np.pad(held, ((left, right), (0, 0)), constant_values=99)
    b = Builder()

    def value(column, channel):
        return Load(U8, OUT, column * channels + channel)

    pad_far(b, OUT, channels, (index(0), SIZE), pads, mode, SIZE, value)
    run(b, row, size, offset=left * channels)
    for position, found in enumerate(row.tolist(), -left):
        source = map_index(mode, position, size)
        if source is not None:
            assert found == held[source].tolist()


def test_wide_padding_is_written_at_an_edge_alone():
    row = np.full(60, 99, np.uint8)
    row[20:40] = np.arange(20)
    b = Builder()
    span = index(1), index(21)

    def value(column, channel):
        return Load(U8, OUT, column - 1)

    pad_far(b, OUT, 1, span, (20, 20), BorderMode.REPLICATE, SIZE, value)
    run(b, row, 21, offset=20)
    assert row.tolist() == [99] * 20 + [*range(20)] + [19] * 20
