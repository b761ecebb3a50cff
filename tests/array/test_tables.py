"""Tables of bytes, looked up by indices of 8 bits: in registers where the processor can."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.config import settings_override
from muntin.errors import BoundsError
from muntin.runtime.cpu import target_facts
from muntin.runtime.reference import ReferenceDevice
from tests.runtime.test_gathering import interpreted

SIZES = [1, 5, 63, 64, 65, 128, 200, 255, 256, 300]


def bytes_of(shape, dtype, seed=0):
    found = np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
    return found > 127 if dtype == "bool" else found.view(dtype)


@st.composite
def tables(draw):
    """Return a table of any stride and an image of indices in it."""
    size = draw(st.sampled_from(SIZES))
    step = draw(st.sampled_from([1, 1, 1, 2, -1]))
    dtype = draw(st.sampled_from(["uint8", "int8", "bool"]))
    table = bytes_of(size * 2, dtype, draw(st.integers(0, 9)))[::step][:size]
    shape = (draw(st.integers(0, 3)), draw(st.integers(0, 300)))
    image = np.random.default_rng(size).integers(0, min(size, 256), shape).astype(np.uint8)
    return table, image[:, ::-1] if draw(st.booleans()) else image


@given(tables())
@settings(max_examples=80)
def test_bytes_are_those_of_the_table(case):
    table, image = case
    array = mt.asarray(table)[mt.asarray(image)]
    wanted = table[image]
    np.testing.assert_array_equal(np.asarray(array.eval(threads=2)), wanted, strict=True)
    with settings_override(prefer_vector_width=128):
        found = np.asarray(mt.asarray(table)[mt.asarray(image)])
    np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("size", [7, 256])
def test_programs_that_look_up_touch_nothing_but_the_table(size):
    table, image = bytes_of(size, "uint8"), bytes_of((2, 131), "uint8") % min(size, 255)
    array = mt.asarray(table)[mt.asarray(image)]
    found, record = interpreted(array)
    np.testing.assert_array_equal(found, table[image], strict=True)
    assert not record.any()


def test_work_before_and_after_is_done_beside_the_lookup():
    image, table = bytes_of((3, 203), "uint8"), bytes_of(256, "uint8")
    other = bytes_of(256, "int8", 1)
    x = mt.asarray(image)
    array = mt.asarray(table)[(x.at(0, 1) >> 1) + 3] * np.float32(0.5) + mt.asarray(other)[x]
    (wanted,) = ReferenceDevice().evaluate([array._node], [None])
    np.testing.assert_array_equal(interpreted(array)[0], wanted, strict=True)
    np.testing.assert_array_equal(np.asarray(array), wanted, strict=True)


@pytest.mark.parametrize("place", [0, 70, 199])
def test_an_index_beyond_a_short_table_is_told(place):
    image = np.zeros(200, np.uint8)
    image[place] = 100
    table = mt.asarray(bytes_of(100, "uint8"))
    with pytest.raises(BoundsError, match=r"index: 100 is out of bounds for axis 0 with size 100"):
        np.asarray(table[mt.asarray(image)])
    found, record = interpreted(table[mt.asarray(image)])
    assert record.tolist() == [[1, 100]]
    assert found[place] == np.asarray(table)[0]


def test_tables_stand_in_registers_where_the_processor_has_the_instruction():
    array = mt.asarray(bytes_of(256, "uint8"))[mt.asarray(bytes_of(5000, "uint8"))]
    text = str(mt.explain(array, what="llvm"))
    calls = re.findall(r"call <64 x i8> @llvm\.x86\.avx512\.vpermi2var\.qi\.512", text)
    assert bool(calls) == target_facts().holds_tables
    with settings_override(prefer_vector_width=128):
        assert "vpermi2var" not in str(mt.explain(array, what="llvm"))
