"""The exception tree: a user's fault is a MuntinError and the built-in that it is."""

import builtins
import pickle

import pytest

from muntin import errors

FAULTS = [name for name in errors.__all__ if name not in ("MuntinError", "InternalError")]


def test_every_class_is_listed() -> None:
    defined = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    ]
    assert sorted(defined) == sorted(errors.__all__)


@pytest.mark.parametrize("name", FAULTS)
def test_a_users_fault_is_one_built_in(name: str) -> None:
    base, built_in = getattr(errors, name).__bases__
    assert base is errors.MuntinError
    assert built_in is not Exception
    assert vars(builtins)[built_in.__name__] is built_in


@pytest.mark.parametrize(
    ("name", "built_in"),
    [
        ("ShapeError", ValueError),
        ("DTypeError", TypeError),
        ("BoundsError", IndexError),
        ("RangeError", OverflowError),
        ("DeviceError", RuntimeError),
        ("CacheError", OSError),
    ],
)
def test_a_users_fault_is_caught_both_ways(name: str, built_in: type[Exception]) -> None:
    for caught in (errors.MuntinError, built_in):
        with pytest.raises(caught, match="operation: what and why"):
            raise getattr(errors, name)("operation: what and why")


def test_our_own_fault_is_no_users_fault() -> None:
    assert not issubclass(errors.InternalError, errors.MuntinError)
    assert issubclass(errors.InternalError, Exception)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_class_says_what_it_means_and_travels(name: str) -> None:
    fault = getattr(errors, name)
    assert fault.__doc__.strip()
    assert pickle.loads(pickle.dumps(fault("why"))).args == ("why",)
