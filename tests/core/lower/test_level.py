"""Operands of one element a row: read once a row where they lie."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin.config import settings_override
from muntin.runtime.native import NativeDevice
from tests.pointwise import same_bits
from tests.runtime.audit import Interpreting

SHAPE = (7, 150)


def array(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def laid_out(x: np.ndarray, way: int) -> np.ndarray:
    """Return the array with other strides."""
    if way == 0 or not x.ndim:
        return x
    if way == 1:
        return np.asfortranarray(x)
    if way == 2:
        wide = np.zeros([2 * n for n in x.shape], x.dtype)
        part = wide[tuple([slice(None, None, 2)] * x.ndim)]
        part[...] = x
        return part
    return x[::-1].copy()[::-1]


@given(data=st.data())
def test_results_are_numpys(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["uint8", "int16", "float32", "float64", "bool"]))
    shapes = [(7, 150), (7, 1), (1, 150), (1, 1), (150,), (1,), ()]
    operands = [
        laid_out(array(data.draw(st.sampled_from(shapes)), dtype, k), data.draw(st.integers(0, 3)))
        for k in range(data.draw(st.integers(1, 3)))
    ]
    whole = laid_out(array(SHAPE, dtype, 9), data.draw(st.integers(0, 3)))

    def work(xp: Any, *args: Any) -> Any:
        found = args[0]
        for arg in args[1:]:
            found = xp.maximum(found, arg) + arg
        return found

    lazy = work(mt, *map(mt.asarray, (whole, *operands)))
    wanted = work(np, whole, *operands)
    with settings_override(streaming_threshold=data.draw(st.sampled_from([0, 1]))):
        found = lazy.eval(threads=data.draw(st.sampled_from([1, 3])))
    assert same_bits(np.asarray(found), wanted)
    interpreting = Interpreting(np.random.default_rng(0))
    with interpreting.in_place_of_code():
        (other,) = NativeDevice(1).evaluate(
            [work(mt, *map(mt.asarray, (whole, *operands)))._node], [None], threads=1
        )
    assert same_bits(other, wanted)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_out_over_what_is_read_once_a_row(threads: int) -> None:
    for column in (0, 70, 1999):
        x = array((300, 2000), "int32", column)
        wanted = x + x[:, column : column + 1]
        lazy = mt.asarray(x) + mt.asarray(x[:, column : column + 1])
        lazy.eval(out=x, threads=threads)
        assert same_bits(x, wanted)


def test_it_is_read_where_it_lies() -> None:
    x, column = mt.asarray(array(SHAPE, "uint8", 0)), mt.asarray(array((7,), "uint8", 1))
    told = str(mt.explain(x + column[:, None]))
    assert "axes [0, new], one element a row" in told
    assert "packed" not in told
