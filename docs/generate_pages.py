"""Writes the pages that are made of the code: `python docs/generate_pages.py`.

operations.md has a row for each row of the operation table, vision.md one for each vision function,
array_api.md one for each name of the Array API.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import muntin as mt
from muntin import vision, xp
from muntin.core.graph.infer import resolve
from muntin.core.graph.ops import OPS, Op
from muntin.dtypes import DTYPES, DType
from muntin.errors import DTypeError
from muntin.xp.standard import ATTRIBUTES, FUNCTIONS, METHODS, VALUES, VERSION

HERE = Path(__file__).parent

OPERATIONS = """# Operations

Made of the operation table by `python docs/generate_pages.py`. Each operation has a meaning in
NumPy, and the devices give its bits. *Types* are those of equal operands that it takes; operands
that differ are cast to NumPy's common type first. An operation is *spelled* for a target, or has a
*body* in other operations. *Nonzero* says which diagonals of a matrix the result may have, given
those of its operands.

## Functions

| function | does | types | result | code | nonzero |
|---|---|---|---|---|---|
{functions}
## Steps

Operations that bodies and the vision functions are made of, and that have no name in `muntin`.

| operation | operands | types | result | code | nonzero |
|---|---|---|---|---|---|
{steps}"""

VISION = """# Vision functions

Made of the docstrings by `python docs/generate_pages.py`: `help(vx.box)`, or `muntin stages box`
on the command line, shows all about one. Images have rows first and channels last; a filter runs
over each channel by itself. Every function returns lazy Arrays.

```text
from muntin import vision as vx
```
{groups}"""

ARRAY_API = """# The Array API

Made of the table in `muntin.xp.standard` by `python docs/generate_pages.py`. `muntin.xp` has the
names of the [Array API](https://data-apis.org/array-api/{version}/) {version} with its signatures,
so that code for any array library can run on muntin: `x.__array_namespace__()` is this module.
Functions that take more here do so by keywords: `axes` and `part` of `asarray`.

How an Array differs from other libraries' arrays, within the standard:

- It is a value. An assignment to elements is an error. `x += y` makes a new Array, which then has
  the name `x`; a NumPy array on the left, `nd += x`, is written at once.
- Elements are computed when they are asked for. `bool`, `int`, `float`, `complex` and `index` ask
  for those of an Array without axes, and are an error for others.
- `device` is None until an Array is committed to one: the context of the evaluation chooses. None
  is also what functions take for `device`.
- There are no complex numbers: `real` and `conj` return their argument, `imag` is an error.
- Types are mixed as NumPy 2 mixes them, also where the standard leaves it open.
- `floor_divide` of an infinity gives NaN, as NumPy's does. Integers divided by 0 give 0, and to a
  negative power -1, 0 or 1.
- A copy of a value is that value: `copy` of `astype` is not looked at. `asarray(x, copy=True)` does
  copy, so that later writes to the memory of `x` do not matter.
- What depends on all elements is computed at once: `sort`, `argsort`, `nonzero`, the different
  elements that `unique_all` and its like find, and a mask as an index, to know how many elements it
  takes.

{there} of {asked} functions are there.
{groups}
## Values

{values}

## Attributes and methods of an Array

{members}
"""

_KINDS = {"ui": "integers", "f": "floats", "b": "bool"}
_NARROW = ("bool", "uint8", "int8", "uint16", "int16")
_WIDE = ("uint32", "int32", "uint64", "int64")
_GROUPS = {
    _NARROW: "bool, 8 and 16 bits",
    _WIDE: "32 and 64 bits",
    (*_NARROW, *_WIDE): "integers and bool",
}
_NONZERO = {
    "union": "those of either operand",
    "intersection": "those of both operands",
    "argument": "those of the operand",
    "entire": "all",
}


def operations_page() -> str:
    """Return the page of the operation table."""
    rows = [op for op in OPS.values() if op.is_elementwise]
    functions = [_row(op, _does(op.name)) for op in rows if op.name in mt.__all__]
    steps = [_row(op, str(op.arity)) for op in rows if op.name not in mt.__all__]
    return OPERATIONS.format(functions=_lines(functions), steps=_lines(steps))


def vision_page() -> str:
    """Return the page of the vision functions, in the order of their modules."""
    modules: dict[str, list[str]] = {}
    for name in vision.__all__:
        modules.setdefault(getattr(vision, name).__module__, []).append(name)
    groups = []
    for module in sorted(modules):
        title = (sys.modules[module].__doc__ or "").partition("\n")[0]
        rows = [
            f"| `{name}{_signature(getattr(vision, name))}` | {_summary(getattr(vision, name))} |"
            for name in modules[module]
        ]
        groups.append(f"\n## {title.rstrip('.')}\n\n| function | does |\n|---|---|\n{_lines(rows)}")
    return VISION.format(groups="".join(groups))


def array_api_page() -> str:
    """Return the page of the Array API's names, those that are there and those that are not."""
    groups = []
    for title, functions in FUNCTIONS.items():
        rows = [
            f"| `{name}{signature}` | {_answer(name)} |" for name, signature in functions.items()
        ]
        groups.append(f"\n## {title}\n\n| function | does |\n|---|---|\n{_lines(rows)}")
    asked = [name for functions in FUNCTIONS.values() for name in functions]
    members = {name: hasattr(mt.Array, name) for name in (*ATTRIBUTES, *METHODS)}
    return ARRAY_API.format(
        version=VERSION,
        there=sum(map(_has, asked)),
        asked=len(asked),
        groups="".join(groups),
        values=_listed({name: _has(name) for name in VALUES}),
        members=_listed(members),
    )


def _answer(name: str) -> str:
    return _summary(getattr(xp, name)) if _has(name) else "not yet"


def _has(name: str) -> bool:
    return hasattr(xp, name)


def _listed(names: Mapping[str, bool]) -> str:
    there = textwrap.fill(
        ", ".join(f"`{name}`" for name, is_there in names.items() if is_there), 100
    )
    lacking = ", ".join(f"`{name}`" for name, is_there in names.items() if not is_there)
    return f"{there}." + (f" Not there: {lacking}." if lacking else "")


PAGES: Mapping[str, Callable[[], str]] = {
    "array_api.md": array_api_page,
    "operations.md": operations_page,
    "vision.md": vision_page,
}


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _does(name: str) -> str:
    return _summary(getattr(mt, name))


def _summary(function: object) -> str:
    text = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    return text.replace("|", "\\|")


def _signature(function: Callable[..., object]) -> str:
    parameters = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(parameters)).replace("'", '"').replace("|", "\\|")


def _row(op: Op, second: str) -> str:
    results = {dtype: result for dtype in DTYPES.values() if (result := _result(op, dtype))}
    outcome = "the type asked for" if op.name == "cast" else _outcome(results)
    cells = [f"`{op.name}`", second, _types(results), outcome, _code(op)]
    return f"| {' | '.join([*cells, _NONZERO[op.zero]])} |"


def _result(op: Op, dtype: DType) -> DType | None:
    try:
        return resolve(op.name, op.rule, (dtype,) * op.arity)[1]
    except DTypeError:
        return None


def _types(results: Mapping[DType, DType]) -> str:
    if len(results) == len(DTYPES):
        return "every"
    words = []
    left = list(results)
    for letters, word in _KINDS.items():
        every = [dtype for dtype in DTYPES.values() if dtype.kind in letters]
        if all(dtype in left for dtype in every):
            words.append(word)
            left = [dtype for dtype in left if dtype not in every]
    return ", ".join([*words, *(dtype.name for dtype in left)])


def _outcome(results: Mapping[DType, DType]) -> str:
    if len(set(results.values())) == 1:
        return next(iter(results.values())).name
    others: dict[str, list[str]] = {}
    for dtype, result in results.items():
        if dtype is not result:
            others.setdefault(result.name, []).append(dtype.name)
    same = ["the same"] if any(dtype is result for dtype, result in results.items()) else []
    return "; ".join([*same, *(f"{to} of {_group(of)}" for to, of in others.items())])


def _group(names: list[str]) -> str:
    return _GROUPS.get(tuple(names)) or " and ".join(names)


def _code(op: Op) -> str:
    if op.name == "cast":
        return "spelled"
    spelled = bool(op.llvm or op.opencl)
    if op.body is None or not spelled:
        return "spelled" if spelled else "body"
    return "spelled and body"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
