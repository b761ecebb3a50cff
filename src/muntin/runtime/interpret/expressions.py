"""Expressions compiled to closures over a list of values, one a variable; all types are checked."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from muntin.core.graph.arrays import cast_array
from muntin.core.graph.infer import resolve
from muntin.core.graph.ops import op
from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    Advance,
    Apply,
    Const,
    Convert,
    Expr,
    Load,
    Lookup,
    Var,
    Word,
)
from muntin.dtypes import DTYPES, DType
from muntin.errors import InternalError
from muntin.runtime.interpret.log import AccessLog
from muntin.runtime.interpret.memory import Pointer

__all__ = ["Compute", "ExpressionCompiler", "Values"]

_UINT8 = DTYPES["uint8"]

Values: TypeAlias = list[Any]
Compute: TypeAlias = Callable[[Values], Any]

# On NumPy's scalars these mean the same as NumPy's functions, and are several times faster.
_OPERATORS: dict[Any, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.logical_and: operator.and_,
    np.logical_or: operator.or_,
    np.logical_xor: operator.xor,
}


@dataclass(slots=True)
class ExpressionCompiler:
    """Compiles the expressions of one function; `scopes` say which variables may be read where."""

    log: AccessLog
    places: dict[str, int] = field(default_factory=dict)
    readable: set[str] = field(default_factory=set)
    scopes: list[list[str]] = field(default_factory=lambda: [[]])
    assigned: dict[str, DType] = field(default_factory=dict)

    # --- variables --------------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Let variables be read that are declared within, and no longer."""
        self.scopes.append([])
        yield
        self.readable.difference_update(self.scopes.pop())

    def declare(self, var: Var) -> int:
        if var.name not in self.readable:
            self.readable.add(var.name)
            self.scopes[-1].append(var.name)
        return self.places.setdefault(var.name, len(self.places))

    def assign(self, var: Var) -> int:
        """Let a variable be read anywhere from now on, once it is set."""
        if self.assigned.setdefault(var.name, var.dtype) is not var.dtype:
            raise InternalError(f"interpret: variable {var.name} changes its type to {var.dtype}")
        return self.places.setdefault(var.name, len(self.places))

    def variable(self, var: Var) -> Compute:
        if var.name in self.assigned:
            return self.assigned_variable(var)
        if var.name not in self.readable:
            raise InternalError(f"interpret: variable {var.name} is not known here")
        return operator.itemgetter(self.places[var.name])

    def assigned_variable(self, var: Var) -> Compute:
        place = self.places[var.name]

        def read(values: Values) -> Any:
            value = values[place]
            if value is None:
                raise InternalError(f"interpret: variable {var.name} is read before it is set")
            return value

        return read

    # --- expressions ------------------------------------------------------------------------------

    def typed(self, expr: Expr, dtype: DType, what: str) -> Compute:
        if expr.dtype is not dtype:
            raise InternalError(f"interpret: {what} is {expr.dtype}; it must be {dtype}")
        return self.expression(expr)

    def expression(self, expr: Expr) -> Compute:
        rule = _RULES.get(type(expr))
        if rule is None:
            raise InternalError(f"interpret: no meaning for the expression {type(expr).__name__}")
        return rule(self, expr)

    def number(self, expr: Const) -> Compute:
        if expr.dtype is POINTER:
            raise InternalError("interpret: there are no pointer constants")
        value = expr.dtype.numpy.type(expr.value)
        return lambda values: value

    def apply(self, expr: Apply) -> Compute:
        row, dtypes = expr.op, tuple([arg.dtype for arg in expr.args])
        if POINTER in dtypes:
            return self.apply_to_pointers(expr)
        function = _meaning(row.name, dtypes, expr.dtype)
        args = [self.expression(arg) for arg in expr.args]
        if row.name == "where":
            return _choice(*args)
        if row.name == "raw_whole":
            return _whole(args[0], expr.dtype)
        if row.name in _PARTIAL:
            args[1] = _guarded(row.name, dtypes[0], args[0], args[1])
        elif len(args) == 2 and isinstance(expr.args[1], Const):
            a, number = args[0], args[1]([])
            return lambda values: function(a(values), number)
        if len(args) == 1:
            (a,) = args
            return lambda values: function(a(values))
        if len(args) == 2:
            a, b = args
            return lambda values: function(a(values), b(values))
        return lambda values: function(*[arg(values) for arg in args])

    def apply_to_pointers(self, expr: Apply) -> Compute:
        if expr.op.name != "where":
            raise InternalError(f"interpret: {expr.op.name} is not defined for pointers")
        condition, yes, no = expr.args
        return _choice(
            self.typed(condition, BOOL, "the condition of where"),
            self.typed(yes, POINTER, "a choice of where"),
            self.typed(no, POINTER, "a choice of where"),
        )

    def convert(self, expr: Convert) -> Compute:
        arg, target = self.expression(expr.arg), expr.dtype
        if POINTER in (expr.arg.dtype, target):
            raise InternalError("interpret: a pointer cannot be converted")
        kind, is_plain = target.numpy, not (target.is_integer and expr.arg.dtype.is_float)
        if is_plain and not (expr.saturate or target.is_half or expr.arg.dtype.is_half):
            return lambda values: arg(values).astype(kind)
        saturates = expr.saturate
        return lambda values: cast_array(arg(values), target, is_saturating=saturates)[()]

    def load(self, expr: Load) -> Compute:
        pointer = self.typed(expr.pointer, POINTER, "what a load reads from")
        index = self.typed(expr.index, INDEX, "the index of a load")
        dtype, size, log = expr.dtype, expr.dtype.itemsize, self.log

        def load(values: Values) -> Any:
            base = pointer(values)
            offset = base.offset + int(index(values)) * size
            value = base.memory.load(offset, dtype)
            log.note(base, offset, size, False)
            return value

        return load

    def word(self, expr: Word) -> Compute:
        pointer = self.typed(expr.pointer, POINTER, "what a word is read from")
        dtype, size, log = expr.dtype, expr.dtype.itemsize, self.log

        def load(values: Values) -> Any:
            place = pointer(values)
            value = place.memory.word(place.offset, dtype)
            log.note(place, place.offset, size, False)
            return value

        return load

    def look_up(self, expr: Lookup) -> Compute:
        if expr.index.dtype is not _UINT8:
            raise InternalError(f"interpret: a lookup at {expr.index.dtype}; it must be uint8")
        return self.load(Load(expr.dtype, expr.table, Convert(INDEX, expr.index)))

    def advance(self, expr: Advance) -> Compute:
        pointer = self.typed(expr.pointer, POINTER, "what is advanced")
        nbytes = self.typed(expr.nbytes, INDEX, "the bytes of an advance")

        def advance(values: Values) -> Pointer:
            base = pointer(values)
            return Pointer(base.memory, base.offset + int(nbytes(values)), base.origin)

        return advance


_RULES: dict[type, Callable[[ExpressionCompiler, Any], Compute]] = {
    Var: ExpressionCompiler.variable,
    Const: ExpressionCompiler.number,
    Apply: ExpressionCompiler.apply,
    Convert: ExpressionCompiler.convert,
    Load: ExpressionCompiler.load,
    Word: ExpressionCompiler.word,
    Lookup: ExpressionCompiler.look_up,
    Advance: ExpressionCompiler.advance,
}


def _choice(condition: Compute, yes: Compute, no: Compute) -> Compute:
    def choose(values: Values) -> Any:
        chosen, other = yes(values), no(values)  # both, as every target does
        return chosen if condition(values) else other

    return choose


@cache
def _meaning(name: str, dtypes: tuple[DType, ...], result: DType) -> Callable[..., Any]:
    """Return what a row does to NumPy's scalars, its types being checked."""
    row = op(name)
    kind = dtypes[-1].kind
    if row.reference is None or kind not in row.llvm:
        raise InternalError(
            f"interpret: row {name} of {dtypes[-1]} has no spelling; core.plan.expand should have "
            "replaced it by its body"
        )
    taken, found = resolve(name, row.rule, dtypes)
    if taken != dtypes or found is not result:
        given = ", ".join(map(str, dtypes))
        raise InternalError(f"interpret: {name} of {given} is said to give {result}")
    known = _OPERATORS.get(row.reference)
    if known is not None:
        return known
    if name == "raw_divide":
        return _quotient
    reference, scalar = row.reference, result.numpy.type
    return lambda *args: scalar(reference(*args))


def _whole(arg: Compute, dtype: DType) -> Compute:
    def whole(values: Values) -> Any:
        value = float(arg(values))
        if not (value.is_integer() and dtype.least <= value <= dtype.greatest):
            raise InternalError(f"interpret: raw_whole of {value} is undefined")
        return dtype.numpy.type(value)

    return whole


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b toward zero, of integers for which that is defined."""
    x, y = int(a), int(b)
    found = abs(x) // abs(y)
    return type(a)(found if (x < 0) == (y < 0) else -found)


# Rows that have no meaning for some operands, with the test of those that they take.
_PARTIAL: dict[str, Callable[[DType, int, int], bool]] = {
    "raw_divide": lambda dtype, a, b: b != 0 and not (a == dtype.least and a < 0 and b == -1),
    "raw_left_shift": lambda dtype, a, b: 0 <= b < dtype.bits,
    "raw_right_shift": lambda dtype, a, b: 0 <= b < dtype.bits,
}


def _guarded(name: str, dtype: DType, left: Compute, right: Compute) -> Compute:
    takes = _PARTIAL[name]

    def checked(values: Values) -> Any:
        a, b = left(values), right(values)
        if not takes(dtype, int(a), int(b)):
            raise InternalError(f"interpret: {name} of {dtype} {a} and {b} is undefined")
        return b

    return checked
