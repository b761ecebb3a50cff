"""Where arrays lie is what NumPy tells."""

import numpy as np
import pytest

from muntin.runtime import address


@pytest.mark.parametrize("find", [address._read, address._told, address.address_of])
def test_addresses_are_those_that_numpy_tells(find, tmp_path):
    whole = np.arange(24.0).reshape(2, 3, 4)
    frozen = whole.copy()
    frozen.flags.writeable = False
    mapped = np.memmap(tmp_path / "mapped", np.uint8, "w+", shape=(5, 7))
    records = np.zeros(3, [("a", np.int32), ("b", np.float64)])
    for array in (whole, whole[1:, ::-1], whole.T, frozen, mapped, mapped[2:], records["b"]):
        assert find(array) == array.ctypes.data
