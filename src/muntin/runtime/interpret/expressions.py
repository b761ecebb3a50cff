"""Expressions compiled to closures over a list of values, one a variable; all types are checked."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from muntin.core.graph.arrays import cast_array
from muntin.core.graph.infer import resolve
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
    Var,
)
from muntin.dtypes import DType
from muntin.errors import InternalError
from muntin.runtime.interpret.log import AccessLog
from muntin.runtime.interpret.memory import Pointer

__all__ = ["Compute", "ExpressionCompiler", "Values"]

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
    scopes: list[set[str]] = field(default_factory=lambda: [set()])
    assigned: dict[str, DType] = field(default_factory=dict)

    # --- variables --------------------------------------------------------------------------------

    def declare(self, var: Var) -> int:
        self.scopes[-1].add(var.name)
        return self.places.setdefault(var.name, len(self.places))

    def variable(self, var: Var) -> Compute:
        if var.name in self.assigned:
            return self.assigned_variable(var)
        if not any(var.name in scope for scope in self.scopes):
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
        match expr:
            case Var():
                return self.variable(expr)
            case Const():
                return self.number(expr)
            case Apply():
                return self.apply(expr)
            case Convert():
                return self.convert(expr)
            case Load():
                return self.load(expr)
            case Advance():
                return self.advance(expr)
        raise InternalError(f"interpret: no meaning for the expression {type(expr).__name__}")

    def number(self, expr: Const) -> Compute:
        if expr.dtype is POINTER:
            raise InternalError("interpret: there are no pointer constants")
        value = expr.dtype.numpy.type(expr.value)
        return lambda values: value

    def apply(self, expr: Apply) -> Compute:
        row, dtypes = expr.op, tuple([arg.dtype for arg in expr.args])
        if POINTER in dtypes:
            return self.apply_to_pointers(expr)
        kind = dtypes[-1].kind
        if row.reference is None or kind not in row.llvm:
            raise InternalError(
                f"interpret: row {row.name} of {dtypes[-1]} has no spelling; core.plan.expand "
                "should have replaced it by its body"
            )
        taken, result = resolve(row.name, row.rule, dtypes)
        if taken != dtypes or result is not expr.dtype:
            given = ", ".join(map(str, dtypes))
            raise InternalError(f"interpret: {row.name} of {given} is said to give {expr.dtype}")
        args = [self.expression(arg) for arg in expr.args]
        if row.name == "where":
            return _choice(*args)
        if row.name in _PARTIAL:
            args[1] = _guarded(row.name, dtypes[0], args[0], args[1])
        function = _OPERATORS.get(row.reference)
        if function is None:
            function = _scalar_function(row.reference, result.numpy.type)
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
        kind = target.numpy
        if not expr.saturate and not (target.is_integer and expr.arg.dtype.is_float):
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

    def advance(self, expr: Advance) -> Compute:
        pointer = self.typed(expr.pointer, POINTER, "what is advanced")
        nbytes = self.typed(expr.nbytes, INDEX, "the bytes of an advance")

        def advance(values: Values) -> Pointer:
            base = pointer(values)
            return Pointer(base.memory, base.offset + int(nbytes(values)), base.origin)

        return advance


def _choice(condition: Compute, yes: Compute, no: Compute) -> Compute:
    def choose(values: Values) -> Any:
        chosen, other = yes(values), no(values)  # both, as every target does
        return chosen if condition(values) else other

    return choose


def _scalar_function(
    reference: Callable[..., Any], kind: Callable[[Any], Any]
) -> Callable[..., Any]:
    return lambda *args: kind(reference(*args))


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
