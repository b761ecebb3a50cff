"""The same bits on every device, where choices are rare and where they are not."""

import numpy as np
import pytest

from muntin.core.graph import build
from muntin.core.graph.mathematics import FUNCTIONS
from muntin.dtypes import DTYPES
from muntin.runtime.device import device_names, find_device
from muntin.runtime.reference import ReferenceDevice
from tests.pointwise import hard_values, node_of, same_bits
from tests.reference.mathematics import samples

DEVICES = [name for name in device_names() if name != "reference"]


def operands(function, dtype):
    """Return values in order of their size and then in no order, which fill whole blocks."""
    hard = [grid.ravel() for grid in np.meshgrid(*[hard_values(dtype, 48)] * function.arity)]
    drawn = samples(function.name, dtype.numpy, 600)
    order = np.argsort(np.abs(drawn[0]), kind="stable")
    parts = [np.concatenate([each[order], each, h]) for each, h in zip(drawn, hard, strict=True)]
    return [node_of(part) for part in parts]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_devices_give_the_bits_of_the_reference(function, dtype):
    root = build.elementwise(function.name, *operands(function, DTYPES[dtype]))
    (wanted,) = ReferenceDevice().evaluate([root], [None])
    for name in DEVICES:
        (found,) = find_device(name).evaluate([root], [None], threads=1)
        assert same_bits(found, wanted), name
