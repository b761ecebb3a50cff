"""A program of the statement language as text that people can read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from enum import Enum

from muntin.core.program import (
    POINTER,
    Advance,
    Apply,
    AtomicAdd,
    Call,
    Const,
    Convert,
    CopyBytes,
    Expr,
    For,
    Function,
    If,
    Let,
    Load,
    Lookup,
    Note,
    Prefetch,
    Program,
    Return,
    Set,
    Shuffle,
    Statement,
    Store,
    StreamBytes,
    Var,
    While,
    Word,
)

__all__ = ["program_text"]

_INFIX = {  # how a row is written, and how closely it binds
    "logical_or": ("or", 1),
    "logical_and": ("and", 2),
    "equal": ("==", 3),
    "not_equal": ("!=", 3),
    "less": ("<", 3),
    "less_equal": ("<=", 3),
    "greater": (">", 3),
    "greater_equal": (">=", 3),
    "bitwise_or": ("|", 4),
    "bitwise_xor": ("^", 5),
    "bitwise_and": ("&", 6),
    "raw_left_shift": ("<<", 7),
    "raw_right_shift": (">>", 7),
    "add": ("+", 8),
    "subtract": ("-", 8),
    "multiply": ("*", 9),
    "divide": ("/", 9),
    "raw_divide": ("//", 9),
}
_CHOICE, _WHOLE = 0, 10  # binding of `a if c else b`, and of what never needs brackets
_BITWISE = frozenset(name for name, (_, level) in _INFIX.items() if 4 <= level <= 7)
_CALLED = {"minimum": "min", "maximum": "max"}


def program_text(program: Program) -> str:
    """Return the functions of a program, the entry last.

    Notes
    -----
    ``a: int16 = …`` names a value once and ``a := …`` changes it; ``row[x]`` is the element x
    behind the pointer row; ``p + n bytes`` moves a pointer. ``independent`` loops may run in any
    order. Memory behind a pointer marked ``only`` is reached through it alone.
    """
    parts = [_function(function) for function in program.functions[:-1]]
    slots = [f"{var.name}: {var.dtype.name}" for var in program.slots]
    listed = ["slots", *_folded(slots), ""] if slots else []
    return "\n".join(
        [*("\n".join([*part, ""]) for part in parts), *listed, *_function(program.entry)]
    )


def _function(function: Function) -> list[str]:
    parameters = []
    for parameter in function.parameters:
        words = [parameter.var.dtype.name]
        words += ["only"] * parameter.unaliased + ["written"] * parameter.written
        parameters.append(f"{parameter.var.name}: {' '.join(words)}")
    return [f"function {function.name}", *_folded(parameters), *_block(function.body)]


def _folded(words: Iterable[str]) -> list[str]:
    """Return words separated by commas, in lines of up to 100 characters."""
    lines = ["    ("]
    for word in words:
        if len(lines[-1]) + len(word) > 98:
            lines[-1] = lines[-1].rstrip()
            lines.append("     ")
        lines[-1] += f"{word}, "
    lines[-1] = lines[-1].removesuffix(", ") + ")"
    return lines


def _block(statements: Iterable[Statement]) -> list[str]:
    return [f"    {line}" for statement in statements for line in _statement(statement)]


def _statement(statement: Statement) -> list[str]:
    match statement:
        case Let(var, value):
            text = _element(value) if isinstance(value, Load) else _text(value)
            return [f"{var.name}: {var.dtype.name} = {text}"]
        case Set(var, value):
            return [f"{var.name} := {_text(value)}"]
        case Note(var, condition):
            return [f"note {var.name} if {_text(condition)}"]
        case Store(pointer, index, value):
            return [f"{_part(pointer, _WHOLE)}[{_text(index)}] = {_text(value)}"]
        case Shuffle(var, value, fill, places):
            lanes = ", ".join("fill" if place < 0 else str(place) for place in places)
            head = f"{var.name}: {var.dtype.name} = {_text(value)} of lanes {lanes}"
            return [f"{head}; fill {_text(fill)}" if -1 in places else head]
        case AtomicAdd(pointer, index, value, old):
            place = f"{_part(pointer, _WHOLE)}[{_text(index)}]"
            return [f"{old.name}: {old.dtype.name} = {place}, then add {_text(value)}"]
        case Return():
            return ["return"]
        case CopyBytes(target, source, count):
            return [f"copy {_text(count)} bytes from {_text(source)} to {_text(target)}"]
        case StreamBytes(target, source, count):
            return [f"stream {_text(count)} bytes from {_text(source)} to {_text(target)}"]
        case Prefetch(place, written):
            return [f"prefetch {_text(place)}{' to write' if written else ''}"]
        case For(var, start, stop, step, body, independent):
            by = "" if step == 1 else f" by {step}"
            how = ", independent" if independent else ""
            head = f"for {var.name} from {_text(start)} below {_text(stop)}{by}{how}"
            return [head, *_block(body)]
        case While(condition, body):
            return [f"while {_text(condition)}", *_block(body)]
        case If(condition, then, otherwise):
            lines = [f"if {_text(condition)}", *_block(then)]
            return [*lines, "else", *_block(otherwise)] if otherwise else lines
        case Call(function, args):
            return [f"{function}({', '.join(map(_text, args))})"]


def _text(expr: Expr) -> str:
    match expr:
        case Const():
            return _number(expr)
        case Var(_, name):
            return name
        case Load(dtype):
            return _element(expr) if dtype is POINTER else f"{_element(expr)} : {dtype.name}"
        case Word(dtype, pointer):
            return f"word at {_part(pointer, _WHOLE)} : {dtype.name}"
        case Lookup(_, table, size, index):
            return f"{_part(table, _WHOLE)} of {_part(size, _WHOLE)} at {_part(index, _WHOLE)}"
        case Advance(_, pointer, nbytes):
            return f"{_text(pointer)} + {_part(nbytes, _WHOLE)} bytes"
        case Convert(dtype, arg, saturate):
            return f"{dtype.name}{'.saturated' if saturate else ''}({_text(arg)})"
        case Apply(_, row, args):
            return _applied(row.name, args)
    return _unknown(expr)


def _number(constant: Const) -> str:
    value = constant.value
    if isinstance(value, Enum):
        return value.name
    return ("true" if value else "false") if constant.dtype.is_bool else repr(value)


def _element(load: Load) -> str:
    return f"{_part(load.pointer, _WHOLE)}[{_text(load.index)}]"


def _applied(name: str, args: tuple[Expr, ...]) -> str:
    if name == "where":
        condition, yes, no = (_part(arg, _CHOICE + 1) for arg in args)
        return f"{yes} if {condition} else {no}"
    if name not in _INFIX:
        return f"{_CALLED.get(name, name)}({', '.join(map(_text, args))})"
    sign, level = _INFIX[name]
    if name in _BITWISE:
        level = _WHOLE
    a, b = _part(args[0], level), _part(args[1], min(level + 1, _WHOLE))
    if name == "add" and b.startswith("-"):
        return f"{a} - {b[1:]}"
    return f"{a} {sign} {b}"


def _part(expr: Expr, level: int) -> str:
    """Return the text of a part of an expression, in brackets if it binds less than `level`."""
    text, own = _text(expr), _WHOLE
    if isinstance(expr, Advance) or (isinstance(expr, Load) and expr.dtype is not POINTER):
        own = _CHOICE
    elif isinstance(expr, Apply):
        own = _CHOICE if expr.op.name == "where" else _INFIX.get(expr.op.name, ("", _WHOLE))[1]
    return f"({text})" if own < level else text


def _unknown(expr: Expr) -> str:
    """Return the text of a kind of expression that has no notation of its own."""
    values = [getattr(expr, each.name) for each in fields(expr)]
    words = [_text(value) if isinstance(value, Expr) else repr(value) for value in values]
    return f"{type(expr).__name__}({', '.join(words)})"
