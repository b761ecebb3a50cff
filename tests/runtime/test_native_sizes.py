"""Chains of filters on the CPU device at every small size, under every border, in every type."""

from itertools import product

import numpy as np
import pytest

from muntin.core.border import Border, BorderMode
from muntin.core.graph import build
from muntin.dtypes import DTYPES
from muntin.runtime.buffer import Buffer
from muntin.runtime.context import use
from muntin.runtime.native import NativeDevice
from muntin.runtime.reference import ReferenceDevice
from tests.runtime.audit import Auditor, assert_same

CPU, REFERENCE = NativeDevice(), ReferenceDevice()
WIDTHS, HEIGHTS = range(1, 71), range(1, 10)
SIZES = list(product(HEIGHTS, WIDTHS))
EDGES = [(h, w) for h in (1, 2, 3, 4, 9) for w in (1, 2, 3, 4, 7, 16, 33, 64, 65, 70)]


def along(node, axis, taps, border, divisor):
    """Return a node filtered along rows (0) or columns (1), and divided."""
    total = None
    middle = len(taps) // 2
    for place, tap in enumerate(taps):
        offsets = [0] * len(node.shape)
        offsets[axis] = place - middle
        term = build.neighbour(node, tuple(offsets), border)
        term = build.elementwise("multiply", term, build.constant(tap, node.dtype))
        total = term if total is None else build.elementwise("add", total, term)
    name = "divide" if node.dtype.is_float else "truncated_divide"
    return build.elementwise(name, total, build.constant(divisor, node.dtype))


def smoothed(image, border):
    """Smooth by 3 x 3, then take a difference and its square: three stages."""
    wide = image if image.dtype.is_float else build.cast(image, DTYPES["int32"])
    for _ in range(2):
        wide = along(along(wide, 0, (1, 2, 1), border, 4), 1, (1, 2, 1), border, 4)
    edges = along(wide, 1, (-1, 0, 1), border, 2)
    return build.cast(build.elementwise("add", edges, wide), image.dtype, saturate=True)


def wide_chain(image, border):
    """Two filters of seven taps in each direction, and the image beside."""
    node = image if image.dtype.is_float else build.cast(image, DTYPES["int32"])
    for axis, taps in ((1, (1, 2, 3, 4, 3, 2, 1)), (0, (3, -1, 2, 8, 2, -1, 3))):
        node = along(node, axis, taps, border, 16)
    far = [0] * len(image.shape)
    far[:2] = -3, 3
    beside = build.neighbour(image, tuple(far), border)
    return build.elementwise("maximum", build.cast(node, image.dtype), beside)


CASES = list(
    product(
        (smoothed, wide_chain),
        BorderMode,
        ("uint8", "int16", "float32"),
        (1, 3, 4),
    )
)


def check(chain, mode, dtype, channels, size, rng):
    shape = (*size, channels) if channels > 1 else size
    values = rng.integers(-(2**15) if dtype == "int16" else 0, 255, shape)
    array = values.astype(dtype) if dtype != "float32" else values.astype(dtype) / np.float32(7)
    axes = "yxc" if channels > 1 else "yx"
    image = build.input_node(Buffer(array), shape, DTYPES[dtype], axes)
    root = chain(image, Border(mode, 9 if mode is BorderMode.CONSTANT else 0))
    (wanted,) = REFERENCE.evaluate([root], [None])
    scheduler = Auditor(rng) if rng.integers(2) else None
    with use(scheduler=scheduler):
        (got,) = CPU.evaluate([root], [None], threads=1)
    assert_same(got, wanted)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_chains_at_some_sizes(number):
    rng = np.random.default_rng(number)
    sizes = [EDGES[(7 * number + k) % len(EDGES)] for k in range(8)]
    sizes += [SIZES[(37 * number + 89 * k) % len(SIZES)] for k in range(8)]
    for size in sizes:
        check(*CASES[number], size, rng)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", range(len(CASES)))
def test_chains_at_all_sizes(number):
    rng = np.random.default_rng(number)
    for size in SIZES:
        check(*CASES[number], size, rng)
