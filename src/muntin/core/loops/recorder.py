"""Records what a function does with values as statements: the typed front end of the language."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
import numpy.typing as npt

from muntin.core.graph.infer import resolve, weak_dtype
from muntin.core.graph.ops import OPS, Op
from muntin.core.loops.definition import Element, ElementAdd, ElementStore, Phase, Place, at_line
from muntin.core.loops.values import Elements, Operand, Source, Value, Variable
from muntin.core.program import (
    BOOL,
    INDEX,
    Apply,
    Builder,
    Const,
    Convert,
    Expr,
    If,
    Let,
    Var,
)
from muntin.dtypes import DTYPES, DType, dtype_of
from muntin.errors import DTypeError, ParameterError, ShapeError, UnsupportedError

__all__ = ["Recorder"]

_HERE = __name__.rpartition(".")[0]
_DEFAULTS = {bool: BOOL, int: INDEX, float: DTYPES["float64"]}


class Recorder:
    """Collects the statements of a program, each where the user writes it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.builder = Builder()
        self.prelude: list[Let] = []
        self.phases: list[Phase] = []
        self.places: list[Place] = []
        self.root = object()
        self.scopes: list[object] = [self.root, object()]
        self.is_open = True
        self.unused: dict[str, str] = {}  # what is computed of variables, with its line
        self._start = 0  # of the statements of the phase that is recorded

    # --- values -----------------------------------------------------------------------------------

    @property
    def is_at_top(self) -> bool:
        """Whether no loop or choice is open."""
        return len(self.scopes) == 2

    def value(self, expr: Expr, source: Source, word: str = "v") -> Value:
        """Name what is computed here and return it."""
        self.check_open()
        if isinstance(expr, Const | Var):
            return Value(expr, source, self.scopes[-1], self)
        if self.is_at_top and source < Source.DATA:
            var = self.builder.fresh(word, expr.dtype)
            self.prelude.append(Let(var, expr))
            return Value(var, source, self.root, self)
        return Value(self.builder.let(expr, word), source, self.scopes[-1], self)

    def size(self, var: Var) -> Value:
        return Value(var, Source.SIZES, self.root, self)

    def check_open(self) -> None:
        if not self.is_open:
            raise UnsupportedError(
                f"{self.name}: a value of the program is used after the program was recorded; use "
                "values within the function alone"
            )

    def check_value(self, value: Value) -> Value:
        """Return a value that may be used here."""
        self.check_open()
        if value._recorder is not self:
            raise UnsupportedError(
                f"{self.name}: a value of another program ({value._recorder.name}) is used here; "
                "hand it over in an array"
            )
        if not any(value._scope is scope for scope in self.scopes):
            raise UnsupportedError(
                f"{self.name}: a {value._expr.dtype} is used outside of the loop, choice or phase "
                "in which it was made; declare a variable() before the loop or choice and assign "
                "to it, or keep it in an array"
            )
        if isinstance(value._expr, Var):
            self.unused.pop(value._expr.name, None)
        return value

    def typed(self, what: str, operand: Operand, dtype: DType) -> tuple[Expr, Source]:
        """Return an operand that must have a type."""
        if isinstance(operand, np.generic):
            operand = operand.item()
        if isinstance(operand, Value):
            found = self.check_value(operand)._expr.dtype
            if found is not dtype:
                raise DTypeError(
                    f"{what}: got a {found} for {dtype}; cast it with .astype({dtype.name!r})"
                )
            return operand._expr, operand._source
        if type(operand) not in _DEFAULTS:
            raise DTypeError(
                f"{what}: got a {type(operand).__name__}; give a value of the program or a number"
            )
        if weak_dtype(what, operand, dtype) is not dtype:
            raise DTypeError(f"{what}: got {operand!r} for {dtype}; give a number of that type")
        return Const(dtype, operand), Source.SIZES

    def named(self, operand: Operand, dtype: DType | npt.DTypeLike | None) -> Value:
        """Return an operand as a value that does not change; a number gets a type."""
        if dtype is None:
            beside = _DEFAULTS.get(type(operand), INDEX)
            dtype = operand._expr.dtype if isinstance(operand, Value) else beside
        expr, source = self.typed("let", operand, dtype_of(dtype))
        if isinstance(operand, Variable):
            var = self.builder.fresh("v", expr.dtype)
            self.builder.add(Let(var, expr))
            return Value(var, source, self.scopes[-1], self)
        if isinstance(operand, Value):
            return operand
        return Value(expr, source, self.root, self)

    # --- operations -------------------------------------------------------------------------------

    def row(self, name: str) -> Callable[..., Value]:
        """Return the operation called `name`."""
        found = OPS.get(name)
        if found is None or not found.is_elementwise or name.startswith("raw_"):
            raise AttributeError(
                f"program: there is no operation {name!r}; docs/operations.md lists them"
            )
        return partial(self.apply, name)

    def apply(self, name: str, *operands: Operand) -> Value:
        """Return an operation of values and numbers, in NumPy's types."""
        row = OPS[name]
        if len(operands) != row.arity:
            raise ParameterError(
                f"{name}: takes {row.arity} operands, but got {len(operands)}; give that many"
            )
        parts = self.operands(row, operands)
        given = tuple([expr.dtype for expr, _ in parts])
        dtypes, result = resolve(name, row.rule, given)
        if row.rule == "compare" and dtypes[0].is_float and all(each.is_integer for each in given):
            raise DTypeError(
                f"{name}: operands are {given[0]} and {given[1]}, and no integer type holds both; "
                "cast one with .astype()"
            )
        args = [
            self.converted(row, expr, source, dtype)
            for (expr, source), dtype in zip(parts, dtypes, strict=True)
        ]
        value = self.value(Apply(result, row, tuple(args)), max(source for _, source in parts))
        if isinstance(value._expr, Var) and any(isinstance(each, Variable) for each in operands):
            self.unused[value._expr.name] = at_line(*_user_line())
        return value

    def operands(self, row: Op, operands: Sequence[Operand]) -> list[tuple[Expr, Source]]:
        """Return operands of one operation; numbers take the type of the values beside them."""
        plain = [each.item() if isinstance(each, np.generic) else each for each in operands]
        strong = [
            self.check_value(each)._expr.dtype
            for place, each in enumerate(plain)
            if isinstance(each, Value) and not (row.rule == "select" and place == 0)
        ]
        common = resolve("", "compare", tuple(strong))[0][0] if strong else None
        parts: list[tuple[Expr, Source]] = []
        for each in plain:
            if isinstance(each, Value):
                parts.append((self.check_value(each)._expr, each._source))
                continue
            if type(each) not in _DEFAULTS:
                raise DTypeError(
                    f"{row.name}: got a {type(each).__name__}; it takes values of the program and "
                    "numbers"
                )
            beside = _DEFAULTS[type(each)] if common is None else common
            dtype = weak_dtype(row.name, each, beside, row.rule)
            parts.append((Const(dtype, each), Source.SIZES))
        return parts

    def converted(self, row: Op, expr: Expr, source: Source, dtype: DType) -> Expr:
        """Return an operand as the type in which an operation takes it."""
        if expr.dtype is dtype:
            return expr
        if row.rule == "logical":
            compared = (expr, Const(expr.dtype, 0))
            return self.value(Apply(BOOL, OPS["not_equal"], compared), source)._expr
        return self.value(Convert(dtype, expr), source)._expr

    def cast(self, operand: Operand, dtype: DType | npt.DTypeLike, overflow: str) -> Value:
        """Return an operand as another type."""
        if overflow not in ("wrap", "saturate"):
            raise ParameterError(f'cast: overflow is {overflow!r}; use "wrap" or "saturate"')
        value, row = self.named(operand, None), dtype_of(dtype)
        source = value._expr.dtype
        if source is row:
            return value
        saturates = overflow == "saturate" and row.is_integer and source.is_integer
        return self.value(Convert(row, value._expr, saturates), value._source)

    # --- variables --------------------------------------------------------------------------------

    def variable(self, initial: Operand, dtype: DType | npt.DTypeLike | None) -> Variable:
        """Declare a variable."""
        value = self.named(initial, dtype)
        var = self.builder.variable(value._expr, "m")
        return Variable(var, Source.DATA, self.scopes[-1], self)

    def assign(self, variable: Variable, value: Operand) -> None:
        """Give a variable another value."""
        self.check_value(variable)
        var = variable._expr
        expr, _ = self.typed("assign", value, var.dtype)
        self.builder.set(var, expr)

    # --- elements ---------------------------------------------------------------------------------

    def load(self, array: Elements, index: object) -> Value:
        indices = self.indices(array, index)
        return self.value(self.element(array, indices), Source.DATA)

    def element(self, array: Elements, indices: tuple[Expr, ...]) -> Element:
        place = self.place(array, "read")
        return Element(array._slots.dtype, array._number, indices, place)

    def load_inside(self, array: Elements, index: object, outside: Operand) -> Value:
        """Return an element, or something else where the index is outside of the array."""
        indices = self.indices(array, index)
        dtype = array._slots.dtype
        expr, _ = self.typed(f"{array.name}.get", outside, dtype)
        found = self.builder.variable(expr, "m")
        inside: Expr = Const(BOOL, True)
        for each, size in zip(indices, array._slots.sizes, strict=True):
            inside = inside.both((each >= 0).both(each < size))
        with self.builder.when(inside):
            self.builder.set(found, self.builder.let(self.element(array, indices)))
        return self.named(Variable(found, Source.DATA, self.scopes[-1], self), None)

    def store(self, array: Elements, index: object, value: Operand) -> None:
        self.check_writable(array, "written")
        indices = self.indices(array, index)
        expr, _ = self.typed(f"{array.name}[…] =", value, array._slots.dtype)
        place = self.place(array, "written")
        self.builder.add(ElementStore(array._number, indices, expr, place))  # type: ignore[arg-type]

    def atomic_add(self, array: Elements, index: object, value: Operand) -> Value:
        self.check_writable(array, "added to")
        dtype = array._slots.dtype
        if not dtype.is_integer or dtype.bits < 32:
            raise DTypeError(
                f"atomic_add: {array.name} is {dtype}; it takes arrays of integers of 32 and 64 "
                "bits, whose sums do not depend on the order of threads"
            )
        indices = self.indices(array, index)
        expr, _ = self.typed("atomic_add", value, dtype)
        old = self.builder.fresh("v", dtype)
        place = self.place(array, "added to")
        self.builder.add(ElementAdd(array._number, indices, expr, old, place))  # type: ignore[arg-type]
        return Value(old, Source.DATA, self.scopes[-1], self)

    def check_writable(self, array: Elements, word: str) -> None:
        if not array._is_writable:
            raise UnsupportedError(
                f"{self.name}: {array.name} is an Input, which is only read; it cannot be {word}; "
                "declare an Output or a Scratch array"
            )

    def indices(self, array: Elements, index: object) -> tuple[Expr, ...]:
        """Return an index as one expression of type int64 for each axis."""
        self.check_open()
        parts = index if isinstance(index, tuple) else (index,)
        if len(parts) != array.ndim:
            raise ShapeError(
                f"{self.name}: {array.name} has {array.ndim} axes, but its index has "
                f"{len(parts)} parts; give one for each axis"
            )
        return tuple([self.index(array, part) for part in parts])

    def index(self, array: Elements, part: object) -> Expr:
        if isinstance(part, np.generic):
            part = part.item()
        if isinstance(part, Value) and self.check_value(part)._expr.dtype.is_integer:
            expr = part._expr
            return expr if expr.dtype is INDEX else self.cast(part, INDEX, "wrap")._expr
        if type(part) is not int:
            found = f"a {part._expr.dtype}" if isinstance(part, Value) else repr(part)
            raise DTypeError(
                f"{self.name}: an index of {array.name} is {found}; give an integer for each axis"
            )
        if part < 0:
            raise ParameterError(
                f"{self.name}: an index of {array.name} is {part}; indices count from 0; from the "
                f"end, use {array.name}.shape[axis] - {-part}"
            )
        return Const(INDEX, part)

    def place(self, array: Elements, word: str) -> int:
        """Note the line of the user's text that is run; return its number."""
        self.places.append(Place(array._number, word, *_user_line()))
        return len(self.places) - 1

    # --- blocks -----------------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[object]:
        """Let what is made inside end there."""
        self.check_open()
        scope = object()
        self.scopes.append(scope)
        yield scope
        self.scopes.pop()

    @contextmanager
    def loop(self, start: Operand, stop: Operand, step: int) -> Iterator[Value]:
        if type(step) is not int or step < 1:
            raise ParameterError(
                f"for_: step is {step!r}; give a Python integer, 1 or more; to count down, take "
                "the index from the last one"
            )
        first, _ = self.bound("for_", start)
        last, _ = self.bound("for_", stop)
        with self.builder.loop("i", first, last, step) as var, self.scope() as scope:
            yield Value(var, Source.DATA, scope, self)

    def bound(self, word: str, operand: Operand) -> tuple[Expr, Source]:
        """Return an integer as the type in which loops count."""
        if isinstance(operand, Value) and operand._expr.dtype.is_integer:
            operand = self.cast(operand, INDEX, "wrap")
        return self.typed(word, operand, INDEX)

    @contextmanager
    def repetition(self, condition: object) -> Iterator[None]:
        if isinstance(condition, Variable):
            variable = condition
            condition = lambda: variable  # noqa: E731
        if not callable(condition):
            raise UnsupportedError(
                "while_: the condition is computed once, so that it never changes; give a function "
                "that computes it, as in while_(lambda: i < n), or a variable"
            )
        going = self.builder.variable(Const(BOOL, True), "m")
        with self.builder.repeat(going), self.scope():
            self.builder.set(going, self.condition("while_", condition()))
            with self.builder.when(going):
                yield

    @contextmanager
    def choice(self, condition: Operand) -> Iterator[None]:
        expr = self.condition("if_", condition)
        with self.builder.when(expr), self.scope():
            yield

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        last = self.builder.last
        if not isinstance(last, If) or last.otherwise:
            raise UnsupportedError("else_: it must follow the block of an if_() at once")
        with self.builder.otherwise(), self.scope():
            yield

    def condition(self, word: str, condition: Operand) -> Expr:
        """Return a condition as a truth value."""
        if isinstance(condition, Value) and not self.check_value(condition)._expr.dtype.is_bool:
            raise DTypeError(
                f"{word}: the condition is {condition._expr.dtype}; compare it, as in x != 0"
            )
        return self.typed(word, condition, BOOL)[0]

    # --- phases -----------------------------------------------------------------------------------

    @contextmanager
    def parallel(self, count: Operand) -> Iterator[Value]:
        if not self.is_at_top:
            raise UnsupportedError(
                "parallel: it stands inside of a loop or choice; a parallel loop is a phase of its "
                "own, on the outermost level; use for_() inside"
            )
        extent, source = self.bound("parallel", count)
        if source > Source.SIZES:
            what = "a number" if source is Source.NUMBERS else "data"
            raise UnsupportedError(
                f"parallel: the count depends on {what} of the call; it must follow from the "
                "shapes of arrays, so that threads can share it; give the size of an array"
            )
        self.end_phase()
        var = self.builder.fresh("i", INDEX)
        with self.scope() as scope:
            yield Value(var, Source.DATA, scope, self)
        self.end_phase(var, extent)

    def end_phase(self, var: Var | None = None, extent: Expr | None = None) -> None:
        """Close the phase that is recorded; what was made of data in it is not seen in others."""
        statements = self.builder.statements()
        body = statements[self._start :]
        self._start = len(statements)
        if body:
            self.phases.append(Phase(body, var, extent))
        self.scopes[1] = object()

    def end(self) -> None:
        """Close the recording."""
        if not self.is_at_top:
            raise UnsupportedError(
                f"{self.name}: an exception has left a loop or choice and was caught outside of "
                "it; catch it inside, or let it go"
            )
        self.end_phase()
        self.is_open = False
        for line in self.unused.values():
            raise UnsupportedError(
                f"{self.name}: what is computed of a variable is never used: {line}; to change the "
                "variable write n += 1 or n.assign(n + 1), for n = n + 1 only moves a name of "
                "Python's; or leave it out"
            )


def _user_line() -> tuple[str, int]:
    """Return the file and the line of the user's text that is run."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith(_HERE) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
