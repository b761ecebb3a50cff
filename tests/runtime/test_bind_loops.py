"""How the phases of a program are cut, and which slots they get."""

import numpy as np

import muntin as mt
from muntin.runtime.bind import Limits
from muntin.runtime.bind_loops import bind_loops


@mt.program(
    x=mt.Input("float32", 2),
    y=mt.Output("float32", 2, lambda x: x),
    total=mt.Output("int32", 0, ()),
    n=mt.Scalar("int32"),
)
def twice(p, x, y, total, n):
    rows, columns = x.shape
    with p.parallel(rows) as i, p.for_(columns) as j:
        y[i, j] = x[i, j] * 2
    total[()] = n


def bound(shape, threads=2, checked=False):
    call = (twice.checked if checked else twice)(np.zeros(shape, np.float32), 1)[0]._node.payload
    row = 4 * shape[1]
    limits = Limits(1 << 15, 1 << 19, threads, 1 << 30)
    return bind_loops(call, {0: (row, 4), 1: (row, 4), 2: ()}, limits)


def test_slots_are_sizes_and_strides():
    first, second = bound((3, 5))
    arrays = [0, 3, 5, 20, 4, 0, 3, 5, 20, 4, 0]
    assert first.slots.tolist() == [*arrays, 0, 0]
    assert second.slots.tolist() == [*arrays, 0, 1]
    assert first.operand_slots == (0, 5, 10)
    assert (first.scalar_slot, first.phase_slot, first.output_slots) == (11, 12, ())


def test_large_parallel_loops_are_shared():
    first, second = bound((1000, 1000))
    assert (first.extent, first.grain, first.threads) == ((1, 1, 1000), (1, 1, 16), 2)
    assert bound((1000, 1000), threads=50)[0].grain == (1, 1, 3)
    assert bound((1000, 1000), threads=1)[0].grain == (1, 1, 16)  # signals are seen in between
    assert (second.extent, second.grain) == ((1, 1, 1), (1, 1, 1))


def test_small_and_checked_ones_stay_in_one_thread():
    for first in (bound((10, 10))[0], bound((1000, 1000), checked=True)[0]):
        assert first.threads == 1
        assert first.grain == first.extent
    checked = bound((10, 10), checked=True)[0]
    assert checked.operand_slots == (0, 5, 10, 13)
    assert len(checked.slots) == 14


def test_empty_loops_have_no_pieces():
    assert bound((0, 5))[0].extent == (1, 1, 0)
