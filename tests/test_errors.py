"""The exception tree: a user's fault is a MuntinError and the built-in that it is."""

import pytest

from muntin import errors

BUILT_INS = {
    "BorderError": ValueError,
    "BoundsError": IndexError,
    "CacheError": OSError,
    "CompileError": RuntimeError,
    "DTypeError": TypeError,
    "DeviceError": RuntimeError,
    "ImageFileError": OSError,
    "ParameterError": ValueError,
    "PipelineError": ValueError,
    "ShapeError": ValueError,
    "StaleInputError": RuntimeError,
    "UnsupportedError": TypeError,
}


def test_every_class_is_listed() -> None:
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert defined == set(errors.__all__)
    assert defined == set(BUILT_INS) | {"MuntinError", "InternalError"}


@pytest.mark.parametrize(("name", "built_in"), BUILT_INS.items())
def test_a_users_fault_is_caught_both_ways(name: str, built_in: type[Exception]) -> None:
    for caught in (errors.MuntinError, built_in):
        with pytest.raises(caught, match="operation: what and why"):
            raise getattr(errors, name)("operation: what and why")


def test_our_own_fault_is_no_users_fault() -> None:
    assert not issubclass(errors.InternalError, errors.MuntinError)
    assert issubclass(errors.InternalError, Exception)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_class_says_what_it_means(name: str) -> None:
    assert getattr(errors, name).__doc__.strip()
