"""Statements and functions compiled to closures, with the promises of loops and calls checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import numpy as np

from muntin.core.program import (
    BOOL,
    INDEX,
    POINTER,
    AtomicAdd,
    Call,
    CopyBytes,
    For,
    Function,
    If,
    Let,
    Note,
    Prefetch,
    Return,
    Set,
    Shuffle,
    Statement,
    Store,
    StreamBytes,
    Var,
    While,
)
from muntin.errors import InternalError
from muntin.runtime.interpret.expressions import Compute, ExpressionCompiler, Values
from muntin.runtime.interpret.log import AccessLog

__all__ = ["Callee"]

Run: TypeAlias = Callable[[Values], None]


class _Returned(Exception):
    """The function is left."""


class Callee:
    """A function that can be called, and may call those of `callees`; compiled at the first call.

    A fault of its types or scopes is found when it is compiled. What is chosen by a condition is
    compiled when it is first run if the function `is_lazy`.
    """

    def __init__(
        self,
        function: Function,
        log: AccessLog,
        callees: dict[str, Callee],
        random: Random,
        *,
        is_lazy: bool,
    ) -> None:
        self.function = function
        self._log = log
        self._expressions = ExpressionCompiler(log)
        self._compiler = _StatementCompiler(self._expressions, callees, random, is_lazy)
        self._body: tuple[Run, ...] | None = None
        pointers = [p for p in function.parameters if p.var.dtype is POINTER]
        self._names = [p.var.name for p in pointers]
        self._unaliased = [p.unaliased for p in pointers]

    def compile(self) -> tuple[Run, ...]:
        """Return the statements as functions of the values of variables."""
        if self._body is None:
            for parameter in self.function.parameters:
                self._expressions.declare(parameter.var)
            self._body = self._compiler.block(self.function.body)
        return self._body

    def __call__(self, *args: Any, is_entry: bool = False) -> None:
        log, body = self._log, self.compile()
        values: Values = [None] * len(self._expressions.places)
        first = len(log.parents)
        for place, parameter in enumerate(self.function.parameters):
            value = args[place]
            if parameter.var.dtype is POINTER:
                value = log.derive(value, is_entry or parameter.written)
            values[place] = value
        is_promised = any(self._unaliased)
        begin = log.watch() if is_promised else 0
        try:
            for run in body:
                run(values)
        except _Returned:
            pass
        if is_promised:
            log.check_call(self.function.name, self._names, self._unaliased, first, begin)
            log.unwatch()


@dataclass(slots=True)
class _StatementCompiler:
    """Compiles the statements of one function."""

    expressions: ExpressionCompiler
    callees: dict[str, Callee]
    random: Random
    is_lazy: bool

    def block(self, body: Sequence[Statement]) -> tuple[Run, ...]:
        with self.expressions.scope():
            return tuple([self.statement(statement) for statement in body])

    def statement(self, statement: Statement) -> Run:
        rule = _RULES.get(type(statement))
        if rule is None:
            raise InternalError(
                f"interpret: no meaning for the statement {type(statement).__name__}"
            )
        return rule(self, statement)

    def leave(self, statement: Return) -> Run:
        return _leave

    def prefetch(self, statement: Prefetch) -> Run:
        self.expressions.typed(statement.place, POINTER, "the place of a prefetch")
        return _nothing

    def let(self, statement: Let) -> Run:
        var = statement.var
        value = self.expressions.typed(statement.value, var.dtype, f"the value of {var.name}")
        return _setter(self.expressions.declare(var), value)

    def assign(self, statement: Set) -> Run:
        var = statement.var
        value = self.expressions.typed(statement.value, var.dtype, f"the value of {var.name}")
        return _setter(self.expressions.assign(var), value)

    def note(self, statement: Note) -> Run:
        name = statement.var.name
        if self.expressions.assigned.get(name) is not BOOL:
            raise InternalError(f"interpret: {name} is noted, but is no truth value set before")
        condition = self.expressions.typed(statement.condition, BOOL, f"what {name} notes")
        place = self.expressions.places[name]

        def note(values: Values) -> None:
            values[place] = values[place] | condition(values)

        return note

    def store(self, statement: Store) -> Run:
        pointer = self.expressions.typed(statement.pointer, POINTER, "what a store writes to")
        index = self.expressions.typed(statement.index, INDEX, "the index of a store")
        value, dtype = self.expressions.expression(statement.value), statement.value.dtype
        size, log = dtype.itemsize, self.expressions.log

        def store(values: Values) -> None:
            base = pointer(values)
            offset = base.offset + int(index(values)) * size
            base.memory.store(offset, value(values), dtype)
            log.note(base, offset, size, True)

        return store

    def shuffle(self, statement: Shuffle) -> _Exchange:
        var = statement.var
        value = self.expressions.typed(statement.value, var.dtype, f"the value of {var.name}")
        fill = var.dtype.numpy.type(statement.fill.value)
        return _Exchange(self.expressions.declare(var), value, fill, statement.places)

    def atomic_add(self, statement: AtomicAdd) -> Run:
        dtype = statement.value.dtype
        if not dtype.is_integer or dtype.bits < 32:
            raise InternalError(
                f"interpret: an atomic addition of {dtype}; it takes integers of 32 and 64 bits"
            )
        pointer = self.expressions.typed(statement.pointer, POINTER, "what is added to")
        index = self.expressions.typed(statement.index, INDEX, "the index of an addition")
        value, old = self.expressions.expression(statement.value), statement.old
        place = self.expressions.declare(old)
        if old.dtype is not dtype:
            raise InternalError(f"interpret: {old.name} is {old.dtype}; it must be {dtype}")
        log = self.expressions.log

        def add(values: Values) -> None:
            base = pointer(values)
            offset = base.offset + int(index(values)) * dtype.itemsize
            values[place] = base.memory.load(offset, dtype)
            base.memory.store(offset, values[place] + value(values), dtype)
            log.note(base, offset, dtype.itemsize, True, is_atomic=True)

        return add

    def copy(self, statement: CopyBytes | StreamBytes) -> Run:
        target = self.expressions.typed(statement.target, POINTER, "the target of a copy")
        source = self.expressions.typed(statement.source, POINTER, "the source of a copy")
        count = self.expressions.typed(statement.count, INDEX, "the count of a copy")
        log = self.expressions.log

        def copy(values: Values) -> None:
            to, start, nbytes = target(values), source(values), int(count(values))
            to.memory.copy_from(to.offset, start, nbytes)
            log.note(start, start.offset, nbytes, False)
            log.note(to, to.offset, nbytes, True)

        return copy

    def loop(self, statement: For) -> Run:
        name, step = statement.var.name, statement.step
        if step < 1:
            raise InternalError(f"interpret: the loop over {name} has step {step}")
        start = self.expressions.typed(statement.start, INDEX, f"the start of the loop over {name}")
        stop = self.expressions.typed(statement.stop, INDEX, f"the stop of the loop over {name}")
        with self.expressions.scope():
            place = self.expressions.declare(statement.var)
            body = self.block(statement.body)

        def run(values: Values) -> None:
            for number in range(int(start(values)), int(stop(values)), step):
                values[place] = np.int64(number)
                for each in body:
                    each(values)

        if any(isinstance(each, _Exchange) for each in body):
            return _in_lanes(statement, start, stop, place, body)
        if not statement.independent:
            return run
        assigned = {var.name for var in _assigned_in(statement.body)}
        changed = [self.expressions.places[name] for name in sorted(assigned)]
        return self.shuffled(statement, start, stop, place, body, changed)

    def shuffled(
        self,
        statement: For,
        start: Compute,
        stop: Compute,
        place: int,
        body: tuple[Run, ...],
        changed: Sequence[int],
    ) -> Run:
        """Run in any order; what iterations assign does not outlive them."""
        log, random = self.expressions.log, self.random

        def run(values: Values) -> None:
            numbers = list(range(int(start(values)), int(stop(values)), statement.step))
            random.shuffle(numbers)
            begins = []
            log.watch()
            try:
                for number in numbers:
                    begins.append(len(log.accesses))
                    values[place] = np.int64(number)
                    for each in body:
                        each(values)
                    for other in changed:
                        values[other] = None
                log.check_iterations(statement.var.name, begins)
            finally:
                log.unwatch()

        return run

    def repeat(self, statement: While) -> Run:
        condition = self.expressions.typed(statement.condition, BOOL, "the condition of a loop")
        body = self.block(statement.body)

        def run(values: Values) -> None:
            while condition(values):
                for each in body:
                    each(values)

        return run

    def choice(self, statement: If) -> Run:
        condition = self.expressions.typed(statement.condition, BOOL, "the condition of a choice")
        compiled = self.lazy_block if self.is_lazy else self.block
        then, otherwise = compiled(statement.then), compiled(statement.otherwise)

        def run(values: Values) -> None:
            for each in then if condition(values) else otherwise:
                each(values)

        return run

    def lazy_block(self, body: Sequence[Statement]) -> tuple[Run, ...]:
        """Return a function that compiles the statements when they are first run."""
        if not body:
            return ()
        expressions, readable = self.expressions, set(self.expressions.readable)
        for var in _assigned_in(body):
            expressions.assign(var)
        block: tuple[Run, ...] | None = None

        def run(values: Values) -> None:
            nonlocal block
            if block is None:
                here, expressions.readable = expressions.readable, readable
                block = self.block(body)
                expressions.readable = here
                values.extend([None] * (len(expressions.places) - len(values)))
            for each in block:
                each(values)

        return (run,)

    def call(self, statement: Call) -> Run:
        callee = self.callees.get(statement.function)
        if callee is None:
            raise InternalError(f"interpret: function {statement.function} is not defined before")
        parameters = callee.function.parameters
        if len(parameters) != len(statement.args):
            raise InternalError(
                f"interpret: {statement.function} takes {len(parameters)} arguments, not "
                f"{len(statement.args)}"
            )
        args = [
            self.expressions.typed(
                arg, p.var.dtype, f"argument {p.var.name} of {statement.function}"
            )
            for arg, p in zip(statement.args, parameters, strict=True)
        ]
        return lambda values: callee(*[arg(values) for arg in args])


_RULES: dict[type, Callable[[_StatementCompiler, Any], Run]] = {
    Let: _StatementCompiler.let,
    Set: _StatementCompiler.assign,
    Note: _StatementCompiler.note,
    Store: _StatementCompiler.store,
    Shuffle: _StatementCompiler.shuffle,
    AtomicAdd: _StatementCompiler.atomic_add,
    Return: _StatementCompiler.leave,
    Prefetch: _StatementCompiler.prefetch,
    CopyBytes: _StatementCompiler.copy,
    StreamBytes: _StatementCompiler.copy,
    For: _StatementCompiler.loop,
    While: _StatementCompiler.repeat,
    If: _StatementCompiler.choice,
    Call: _StatementCompiler.call,
}


def _nothing(values: Values) -> None:
    pass


def _leave(values: Values) -> None:
    raise _Returned


def _setter(place: int, value: Compute) -> Run:
    def run(values: Values) -> None:
        values[place] = value(values)

    return run


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A shuffle: the lanes of a loop give each other values."""

    place: int
    value: Compute
    fill: Any
    places: tuple[int, ...]

    def __call__(self, values: Values) -> None:
        raise InternalError("interpret: a shuffle outside a loop of several lanes")

    def exchange(self, lanes: Sequence[Values]) -> None:
        given = [self.value(values) for values in lanes]
        for values, other in zip(lanes, self.places, strict=True):
            values[self.place] = self.fill if other < 0 else given[other]


def _in_lanes(
    statement: For, start: Compute, stop: Compute, place: int, body: tuple[Run, ...]
) -> Run:
    """Run so many iterations at once, statement by statement."""

    def run(values: Values) -> None:
        for number in range(int(start(values)), int(stop(values)), statement.lanes):
            lanes = [[*values] for _ in range(statement.lanes)]
            for lane, own in enumerate(lanes):
                own[place] = np.int64(number + lane)
            for each in body:
                if isinstance(each, _Exchange):
                    each.exchange(lanes)
                    continue
                for own in lanes:
                    each(own)

    return run


def _assigned_in(body: Sequence[Statement]) -> list[Var]:
    """Return the variables that statements set, at any depth."""
    found: list[Var] = []
    pending = list(body)
    while pending:
        match pending.pop():
            case Set(var):
                found.append(var)
            case For(body=inner) | While(body=inner):
                pending += inner
            case If(then=then, otherwise=otherwise):
                pending += [*then, *otherwise]
            case _:
                pass
    return found
