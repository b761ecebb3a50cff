"""Window sums down the rows: every row from the one above gives the bits of a sum of its own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.core.graph.canonical import canonical
from muntin.core.plan.fuse import fuse
from muntin.core.plan.stages import form_stages
from muntin.dtypes import DTYPES
from muntin.errors import BorderError, DTypeError
from tests.pointwise import node_of
from tests.runtime.test_interpret_rows import CUT, STREAMED, WHOLE, check

MODES = [mode for mode in BorderMode if mode is not BorderMode.UNDEFINED]


@st.composite
def sums(draw):
    """Return sums of an image, or of work on its neighbours, and work on them."""
    axes = draw(st.sampled_from(["yx", "yxc", "nyx", "x"]))
    shape = [draw(st.integers(1, 7)) for _ in axes]
    dtype = draw(st.sampled_from(["uint8", "int16", "int32"]))
    values = np.random.default_rng(draw(st.integers(0, 9))).integers(-99, 99, shape)
    image = node_of(values.astype(dtype), axes)
    mode = draw(st.sampled_from(MODES))
    border = Border(mode, draw(st.integers(0, 9)) if mode is BorderMode.CONSTANT else 0)
    if draw(st.booleans()):
        offsets = tuple([1 if axis in "yx" else 0 for axis in axes])
        image = build.elementwise("add", image, build.neighbour(image, offsets, border))
    wide = build.cast(image, DTYPES[draw(st.sampled_from(["int32", dtype]))])
    axis = axes.index("y") if "y" in axes else 0
    total = build.window_sum(wide, axis, draw(st.integers(0, 9)), draw(st.integers(0, 9)), border)
    if draw(st.booleans()):
        aside = [0] * len(axes)
        aside[axes.index("x")] = draw(st.integers(-3, 3))
        aside[axis] += draw(st.integers(-2, 2))
        total = build.elementwise("add", total, build.neighbour(total, tuple(aside), border))
    return total


@given(sums(), st.sampled_from([WHOLE, CUT, STREAMED]))
def test_sums_are_those_of_the_reference(total, limits):
    check([total], limits)


def test_a_sum_is_a_row_stage_of_its_own():
    image = node_of(np.zeros((40, 30), np.uint8), "yx")
    wide = build.cast(image, DTYPES["int32"])
    total = build.window_sum(wide, 0, 15, 15, Border(BorderMode.REPLICATE))
    (kernel,) = fuse(canonical([total])).kernels
    stages = form_stages(kernel)
    running = [group for group in stages.groups if group.running is not None]
    assert len(running) == 1
    # Sums of 31 bytes fit 16 bits, whatever the type of the expression.
    assert running[0].targets[0][0].dtype is DTYPES["int16"]


def test_along_the_columns_reads_are_added():
    image = node_of(np.arange(12, dtype=np.int32).reshape(3, 4), "yx")
    total = build.window_sum(image, 1, 1, 1, Border(BorderMode.REPLICATE))
    assert total.op.name == "add"
    check([total], WHOLE)


def test_sums_of_floats_are_refused():
    image = node_of(np.zeros((3, 4), np.float32), "yx")
    with pytest.raises(DTypeError, match="window_sum: takes integers, but got float32"):
        build.window_sum(image, 0, 1, 1, Border(BorderMode.REPLICATE))


def test_a_sum_over_an_undefined_border_is_valid_inside():
    image = node_of(np.zeros((9, 4), np.uint8), "yx")
    part = build.window_sum(image, 0, 2, 1, Border(BorderMode.UNDEFINED))
    assert (part.valid.start, part.valid.stop) == ((2, 0), (8, 4))
    with pytest.raises(BorderError, match="window_sum: a read under border replicate needs"):
        build.window_sum(part, 0, 1, 1, Border(BorderMode.REPLICATE))
