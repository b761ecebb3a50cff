"""What `__array_namespace_info__` tells."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import DeviceError, ParameterError

INFO = mt.xp.__array_namespace_info__()


def test_masks_are_indices_and_shapes_depend_on_elements() -> None:
    assert INFO.capabilities() == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    x = mt.xp.reshape(mt.xp.arange(6), (2, 3))
    assert x[x % 2 == 1].tolist() == [1, 3, 5]
    assert mt.xp.nonzero(x % 2)[1].tolist() == [1, 0, 2]
    assert mt.xp.unique_values(x // 4).tolist() == [0, 1]


@pytest.mark.parametrize("name", ["reference", "cpu"])
def test_arrays_may_have_so_many_axes(name: str) -> None:
    most = INFO.capabilities()["max dimensions"]
    x = np.zeros((1,) * (most - 1) + (3,))
    with mt.use(name):
        assert np.asarray(mt.asarray(x) + 1).shape == x.shape


def test_devices_are_those_that_there_are() -> None:
    assert INFO.devices() == mt.devices()
    assert INFO.default_device() == "cpu"
    with mt.use("reference"):
        assert INFO.default_device() == "reference"
    for name in INFO.devices():
        assert mt.xp.zeros(2, device=name).device == name


def test_default_types_are_those_of_python_numbers() -> None:
    defaults = INFO.default_dtypes(device="reference")
    assert defaults == INFO.default_dtypes()
    assert mt.xp.asarray(1.5).dtype == mt.xp.zeros(1).dtype == defaults["real floating"]
    assert mt.xp.asarray(1).dtype == mt.xp.arange(2).dtype == defaults["integral"]
    assert mt.index(3, 0).dtype == defaults["indexing"]


def test_types_are_found_by_kind() -> None:
    whole = INFO.dtypes()
    assert list(whole) == [
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float32", "float64"),
    ]
    assert all(getattr(mt.xp, name) == dtype for name, dtype in whole.items())
    assert list(INFO.dtypes(kind="real floating")) == ["float32", "float64"]
    assert list(INFO.dtypes(kind=("bool", "signed integer"), device="cpu")) == [
        *("bool", "int8", "int16", "int32", "int64"),
    ]
    assert INFO.dtypes(kind="complex floating") == {}
    assert len(INFO.dtypes(kind="numeric")) == len(whole) - 1


def test_what_there_is_not() -> None:
    with pytest.raises(
        ParameterError, match="dtypes: kind is 'float'; use one of bool, signed int"
    ):
        INFO.dtypes(kind="float")
    with pytest.raises(DeviceError, match="device: 'gpu' names no device"):
        INFO.default_dtypes(device="gpu")
