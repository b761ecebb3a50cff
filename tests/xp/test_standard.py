"""Every name that is there has the standard's signature, and no other name is there."""

import ast
import inspect
import math

import numpy as np
import pytest

import muntin as mt
from muntin import xp
from muntin.xp.standard import (
    ATTRIBUTES,
    FUNCTIONS,
    METHODS,
    VALUES,
    VERSION,
)

SIGNATURES = {name: text for group in FUNCTIONS.values() for name, text in group.items()}
THERE = [name for name in SIGNATURES if hasattr(xp, name)]
_Parameter = tuple[str, str, object]
_KINDS = inspect.Parameter


def asked(text: str) -> list[_Parameter]:
    """Return the parameters of a signature as (kind, name, default)."""
    (function,) = ast.parse(f"def f{text}: pass").body
    assert isinstance(function, ast.FunctionDef)
    args = function.args
    ordered = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(ordered) - len(args.defaults)) + list(args.defaults)
    found: list[_Parameter] = []
    for place, (arg, default) in enumerate(zip(ordered, defaults, strict=True)):
        is_named = place >= len(args.posonlyargs)
        found.append((_kind(is_named), arg.arg if is_named else "", _value(default)))
    if args.vararg:
        found.append(("several", "", inspect.Parameter.empty))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(("keyword", arg.arg, _value(default)))
    return found


def _kind(is_named: bool) -> str:
    return "either" if is_named else "position"


def _value(node: ast.expr | None) -> object:
    return inspect.Parameter.empty if node is None else ast.literal_eval(node)


def given(function: object) -> list[_Parameter]:
    """Return the parameters of a function in the same form."""
    words = {
        _KINDS.POSITIONAL_ONLY: "position",
        _KINDS.POSITIONAL_OR_KEYWORD: "either",
        _KINDS.VAR_POSITIONAL: "several",
        _KINDS.KEYWORD_ONLY: "keyword",
    }
    return [
        (words[each.kind], each.name if each.kind in _NAMED else "", each.default)
        for each in inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    ]


_NAMED = (_KINDS.POSITIONAL_OR_KEYWORD, _KINDS.KEYWORD_ONLY)


@pytest.mark.parametrize("name", THERE)
def test_signatures_are_the_standards(name: str) -> None:
    wanted, found = asked(SIGNATURES[name]), given(getattr(xp, name))
    assert [each for each in found if each[0] != "keyword"] == [
        each for each in wanted if each[0] != "keyword"
    ]
    keywords = [each for each in found if each[0] == "keyword"]
    assert {each for each in wanted if each[0] == "keyword"} <= set(keywords)
    more = [each for each in keywords if each not in wanted]
    assert all(default is not inspect.Parameter.empty for _, _, default in more), more


@pytest.mark.parametrize("name", METHODS)
def test_methods_take_what_the_standard_gives_them(name: str) -> None:
    wanted, found = asked(METHODS[name]), given(getattr(mt.Array, name))
    count = sum(kind == "position" for kind, _, _ in wanted)
    assert len([kind for kind, _, _ in found if kind in ("position", "either")]) == count
    assert [each for each in found if each[0] == "keyword"] == [
        each for each in wanted if each[0] == "keyword"
    ]


def test_an_array_has_the_standards_attributes() -> None:
    x = mt.asarray(np.zeros((2, 3)))
    for name in ATTRIBUTES:
        getattr(x, name)


def test_the_namespace_has_the_standards_names_alone() -> None:
    assert set(xp.__all__) <= {*SIGNATURES, *VALUES, "__array_api_version__"}
    assert set(VALUES) - set(xp.__all__) == {"complex64", "complex128"}
    assert xp.__array_api_version__ == VERSION == "2024.12"


def test_its_functions_are_muntins() -> None:
    for name in THERE:
        if not name.startswith("_"):
            assert getattr(xp, name) is getattr(mt, name), name


def test_values() -> None:
    assert (xp.e, xp.pi, xp.inf, xp.newaxis) == (math.e, math.pi, math.inf, None)
    assert math.isnan(xp.nan)
    for name in VALUES[5:-2]:
        assert getattr(xp, name) == np.dtype(name)


def test_a_difference_between_signatures_is_seen() -> None:
    def close(x, /, axis=None, *, keepdims=False, more=1): ...  # type: ignore[no-untyped-def]

    assert given(close) != asked("(x, /, *, axis=None, keepdims=False)")
    assert given(close) == asked("(y, /, axis=None, *, keepdims=False, more=1)")
