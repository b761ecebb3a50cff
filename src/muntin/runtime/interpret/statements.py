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
    While,
)
from muntin.errors import InternalError
from muntin.runtime.interpret.expressions import Compute, ExpressionCompiler, Values
from muntin.runtime.interpret.log import AccessLog

__all__ = ["Callee", "compile_function"]

Run: TypeAlias = Callable[[Values], None]


class _Returned(Exception):
    """The function is left."""


@dataclass(slots=True)
class Callee:
    """A function that can be called."""

    function: Function
    log: AccessLog
    size: int
    body: tuple[Run, ...]

    def __call__(self, *args: Any, is_entry: bool = False) -> None:
        log, parameters = self.log, self.function.parameters
        values: Values = [None] * self.size
        first = len(log.parents)
        for place, (parameter, value) in enumerate(zip(parameters, args, strict=True)):
            if parameter.var.dtype is POINTER:
                value = log.derive(value, is_entry or parameter.written)
            values[place] = value
        pointers = [p for p in parameters if p.var.dtype is POINTER]
        unaliased = [p.unaliased for p in pointers]
        if not any(unaliased):
            self.run(values)
            return
        begin = log.watch()
        self.run(values)
        names = [p.var.name for p in pointers]
        log.check_call(self.function.name, names, unaliased, first, begin)
        log.unwatch()

    def run(self, values: Values) -> None:
        try:
            for run in self.body:
                run(values)
        except _Returned:
            pass


def compile_function(
    function: Function, log: AccessLog, callees: dict[str, Callee], random: Random
) -> Callee:
    """Compile a function that may call those compiled before."""
    compiler = _StatementCompiler(ExpressionCompiler(log), callees, random)
    for parameter in function.parameters:
        compiler.expressions.declare(parameter.var)
    body = compiler.block(function.body)
    return Callee(function, log, len(compiler.expressions.places), body)


@dataclass(slots=True)
class _StatementCompiler:
    """Compiles the statements of one function."""

    expressions: ExpressionCompiler
    callees: dict[str, Callee]
    random: Random

    def block(self, body: Sequence[Statement]) -> tuple[Run, ...]:
        self.expressions.scopes.append(set())
        compiled = tuple([self.statement(statement) for statement in body])
        self.expressions.scopes.pop()
        return compiled

    def statement(self, statement: Statement) -> Run:
        match statement:
            case Let():
                return self.let(statement)
            case Set():
                return self.assign(statement)
            case Note():
                return self.note(statement)
            case Store():
                return self.store(statement)
            case Shuffle():
                return self.shuffle(statement)
            case AtomicAdd():
                return self.atomic_add(statement)
            case Return():
                return _leave
            case Prefetch(place):
                self.expressions.typed(place, POINTER, "the place of a prefetch")
                return _nothing
            case CopyBytes() | StreamBytes():
                return self.copy(statement)
            case For():
                return self.loop(statement)
            case While():
                return self.repeat(statement)
            case If():
                return self.choice(statement)
            case Call():
                return self.call(statement)
        raise InternalError(f"interpret: no meaning for the statement {type(statement).__name__}")

    def let(self, statement: Let) -> Run:
        var = statement.var
        value = self.expressions.typed(statement.value, var.dtype, f"the value of {var.name}")
        return _setter(self.expressions.declare(var), value)

    def assign(self, statement: Set) -> Run:
        var = statement.var
        value = self.expressions.typed(statement.value, var.dtype, f"the value of {var.name}")
        if self.expressions.assigned.setdefault(var.name, var.dtype) is not var.dtype:
            raise InternalError(f"interpret: variable {var.name} changes its type to {var.dtype}")
        return _setter(
            self.expressions.places.setdefault(var.name, len(self.expressions.places)), value
        )

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
        self.expressions.scopes.append(set())
        place = self.expressions.declare(statement.var)
        body = self.block(statement.body)
        self.expressions.scopes.pop()

        def run(values: Values) -> None:
            for number in range(int(start(values)), int(stop(values)), step):
                values[place] = np.int64(number)
                for each in body:
                    each(values)

        if any(isinstance(each, _Exchange) for each in body):
            return _in_lanes(statement, start, stop, place, body)
        if not statement.independent:
            return run
        changed = [self.expressions.places[var] for var in _assigned_in(statement.body)]
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
        then, otherwise = self.block(statement.then), self.block(statement.otherwise)

        def run(values: Values) -> None:
            for each in then if condition(values) else otherwise:
                each(values)

        return run

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


def _assigned_in(body: Sequence[Statement]) -> set[str]:
    """Return the names of the variables that statements set, at any depth."""
    names: set[str] = set()
    pending = list(body)
    while pending:
        match pending.pop():
            case Set(var):
                names.add(var.name)
            case For(body=inner) | While(body=inner):
                pending += inner
            case If(then=then, otherwise=otherwise):
                pending += [*then, *otherwise]
            case _:
                pass
    return names
