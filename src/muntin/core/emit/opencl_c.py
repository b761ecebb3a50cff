"""Writes a program as OpenCL C 1.2 text.

A work-item runs the entry on a box of its own. The caller's slots lie in constant memory; that of a
pointer holds the byte offset in its buffer, and the box of the whole launch follows the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from muntin.core.emit.opencl_cast import C_TYPES, cast_text, literal
from muntin.core.plan.facts import ENTRY
from muntin.core.program import (
    BOOL,
    INDEX,
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
    Note,
    Prefetch,
    Program,
    Return,
    Set,
    Statement,
    Store,
    StreamBytes,
    Var,
    While,
)
from muntin.dtypes import DType
from muntin.errors import InternalError

__all__ = ["OpenClOptions", "emit_opencl_c"]

BOX = ("o", "y", "x")
_POINTER = "__global uchar *"
_NAME = re.compile(r"\w+\Z")
_ATOM = re.compile(r"\batom_add\(")
_DOUBLE = re.compile(r"\bdouble\b|0x[0-9a-f.]+p[+-]\d+(?!f|\d)")


@dataclass(frozen=True, slots=True)
class OpenClOptions:
    """What the text depends on besides the program: the size of a work-item's box."""

    step: tuple[int, int, int] = (1, 1, 8)


def emit_opencl_c(program: Program, options: OpenClOptions = OpenClOptions()) -> str:
    """Return the OpenCL C of a program; its kernel is called `ENTRY`.

    The kernel's arguments are the slots (64-bit words: those of the program, then o0, o1, y0, y1,
    x0, x1) and a buffer for each slot that is a pointer. Work-items along x, y and o are the
    dimensions 0, 1 and 2 of the launch.
    """
    parts = [_FunctionText().function(function) for function in program.functions[:-1]]
    parts.append(_FunctionText().entry(program, options))
    text = "\n".join(line for part in parts for line in [*part, ""])
    head = ["#pragma OPENCL FP_CONTRACT OFF"]
    if _DOUBLE.search(text):
        head.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    if _ATOM.search(text):
        head.append("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable")
    return "\n".join([*head, "", text])


@dataclass(slots=True)
class _FunctionText:
    """The text of one function while it is written."""

    lines: list[str] = field(default_factory=list)
    declared: dict[str, DType] = field(default_factory=dict)
    depth: int = 1
    count: int = 0
    has_scratch: bool = True

    def function(self, function: Function) -> list[str]:
        parameters = []
        for parameter in function.parameters:
            kind = _type(parameter.var.dtype)
            if parameter.unaliased and parameter.var.dtype is POINTER:
                kind += "restrict "
            parameters.append(f"{kind}{_name(parameter.var)}")
        self.statements(function.body)
        head = f"static void mf_{function.name}({', '.join(parameters)})"
        return [head, "{", *self.declarations(), *self.lines, "}"]

    def entry(self, program: Program, options: OpenClOptions) -> list[str]:
        self.has_scratch = False
        alone = {p.var.name for p in program.entry.parameters if p.unaliased}
        arguments = ["__constant const ulong *mt_slots"]
        for number, var in enumerate(program.slots):
            slot = f"mt_slots[{number}]"
            if var.dtype is POINTER:
                word = "restrict " if var.name in alone else ""
                arguments.append(f"{_POINTER}{word}mb_{var.name}")
                self.line(f"{_POINTER}const {_name(var)} = mb_{var.name} + (long){slot};")
            else:
                self.line(f"const {_type(var.dtype)}{_name(var)} = {_from_bits(slot, var.dtype)};")
        for axis, letter in enumerate(BOX):
            place, step = len(program.slots) + 2 * axis, options.step[axis]
            first = f"(long)mt_slots[{place}] + (long)get_global_id({2 - axis}) * {step}"
            self.line(f"const long mt_{letter}0 = {first};")
            last = f"min(mt_{letter}0 + {step}, (long)mt_slots[{place + 1}])"
            self.line(f"const long mt_{letter}1 = {last};")
        self.statements(program.entry.body)
        head = f"__kernel void {ENTRY}({', '.join(arguments)})"
        return [head, "{", *self.declarations(), *self.lines, "}"]

    # --- lines ------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def declarations(self) -> list[str]:
        return [f"    {_type(dtype)}{name};" for name, dtype in self.declared.items()]

    def named(self, expr: Expr, word: str = "v") -> str:
        """Return a name or a plain number for the value of an expression."""
        text = self.value(expr)
        if _NAME.match(text) or isinstance(expr, Const):
            return text
        return self.kept(text, expr.dtype, word)

    def kept(self, text: str, dtype: DType, word: str) -> str:
        self.count += 1
        name = f"m{word}_{self.count}"
        self.line(f"{_type(dtype, constant=True)}{name} = {text};")
        return name

    # --- expressions ------------------------------------------------------------------------------

    def value(self, expr: Expr) -> str:
        match expr:
            case Const() if expr.dtype is not POINTER:
                return literal(expr.value, expr.dtype)
            case Var():
                if expr.name == "scratch" and not self.has_scratch:
                    raise InternalError("emit.opencl_c: a device has no scratch memory")
                return _name(expr)
            case Apply():
                return self.apply(expr)
            case Convert():
                value = self.named(expr.arg)
                return cast_text(value, expr.arg.dtype, expr.dtype, saturate=expr.saturate)
            case Load() if expr.dtype is not POINTER:
                element = self.element(expr.pointer, expr.index, expr.dtype)
                return f"({element} != 0)" if expr.dtype.is_bool else element
            case Advance():
                return f"({self.value(expr.pointer)} + {self.value(expr.nbytes)})"
        raise InternalError(
            f"emit.opencl_c: no text for the expression {type(expr).__name__} of {expr.dtype}"
        )

    def apply(self, expr: Apply) -> str:
        dtype = expr.args[-1].dtype
        kind = "u" if dtype is POINTER else dtype.kind
        template = expr.op.opencl.get(kind)
        if template is None or (dtype is POINTER and expr.op.name != "where"):
            raise InternalError(
                f"emit.opencl_c: row {expr.op.name} has no spelling for {dtype}; "
                "core.plan.expand should have replaced it by its body"
            )
        operands = []
        for place, arg in enumerate(expr.args):
            repeated = template.count(f"{{{place}}}") > 1
            operands.append(self.named(arg) if repeated else self.value(arg))
        words = {"T": _type(expr.dtype).strip(), "t": _type(dtype).strip()}
        words["U"] = "ulong" if dtype.bits == 64 else "uint"
        text = template.format(*operands, **words)
        # C computes in int; a function that is overloaded by type must see the row's own.
        return f"(({words['T']}){text})" if expr.dtype.is_integer and dtype.bits < 32 else text

    def element(self, pointer: Expr, index: Expr, dtype: DType, word: str = "") -> str:
        kind = "uchar" if dtype.is_bool else C_TYPES[dtype.name]
        return f"((__global {word}{kind} *){self.value(pointer)})[{self.value(index)}]"

    # --- statements -------------------------------------------------------------------------------

    def statements(self, body: Sequence[Statement]) -> None:
        for statement in body:
            self.statement(statement)

    def block(self, head: str, body: Sequence[Statement]) -> None:
        self.line(head)
        self.line("{")
        self.depth += 1
        self.statements(body)
        self.depth -= 1
        self.line("}")

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let(var, value):
                text = self.value(value)
                self.line(f"{_type(var.dtype, constant=True)}{_name(var)} = {text};")
            case Set(var, value):
                self.declared.setdefault(_name(var), var.dtype)
                self.line(f"{_name(var)} = {self.value(value)};")
            case Note(var, condition):
                self.line(f"{_name(var)} |= {self.value(condition)};")
            case Store(pointer, index, value) if value.dtype is not POINTER:
                text = self.value(value)
                self.line(f"{self.element(pointer, index, value.dtype)} = {text};")
            case AtomicAdd():
                self.atomic_add(statement)
            case Return():
                self.line("return;")
            case Prefetch():
                pass  # devices hide the way to memory behind other work-items
            case CopyBytes(target, source, count) | StreamBytes(target, source, count):
                self.copy(target, source, count)
            case For():
                self.loop(statement)
            case While(condition, body):
                self.repeat(condition, body)
            case If(condition, then, otherwise):
                self.block(f"if ({self.value(condition)})", then)
                if otherwise:
                    self.block("else", otherwise)
            case Call(function, args):
                self.line(f"mf_{function}({', '.join([self.value(arg) for arg in args])});")
            case Store():
                raise InternalError("emit.opencl_c: the memory of a device holds no pointers")
            case _:
                raise InternalError(
                    f"emit.opencl_c: no text for the statement {type(statement).__name__}"
                )

    def atomic_add(self, statement: AtomicAdd) -> None:
        dtype = statement.value.dtype
        value = self.value(statement.value)
        element = self.element(statement.pointer, statement.index, dtype, "volatile ")
        function = "atomic_add" if dtype.bits == 32 else "atom_add"
        old = f"{_type(dtype, constant=True)}{_name(statement.old)}"
        self.line(f"{old} = {function}(&{element}, {value});")

    def copy(self, target: Expr, source: Expr, count: Expr) -> None:
        to, start, stop = self.named(target), self.named(source), self.named(count)
        self.count += 1
        k = f"mk_{self.count}"
        self.line(f"for (long {k} = 0; {k} < {stop}; ++{k}) {to}[{k}] = {start}[{k}];")

    def loop(self, statement: For) -> None:
        start = self.value(statement.start)
        stop = self.value(statement.stop)
        if stop in self.declared or not _NAME.match(stop):
            stop = self.kept(stop, INDEX, "stop")  # what the body sets does not move it
        k = _name(statement.var)
        self.block(
            f"for (long {k} = {start}; {k} < {stop}; {k} += {statement.step})", statement.body
        )

    def repeat(self, condition: Expr, body: Sequence[Statement]) -> None:
        self.line("for (;;)")
        self.line("{")
        self.depth += 1
        self.line(f"if (!{self.named(condition)}) break;")
        self.statements(body)
        self.depth -= 1
        self.line("}")


def _name(var: Var) -> str:
    return f"mt_{var.name}"


def _type(dtype: DType, *, constant: bool = False) -> str:
    """Return how a declaration of a value starts, with the space before its name."""
    if dtype is POINTER:
        return _POINTER + ("const " if constant else "")
    return ("const " if constant else "") + C_TYPES[dtype.name] + " "


def _from_bits(slot: str, dtype: DType) -> str:
    """Return the number whose bits are the low ones of a 64-bit slot."""
    if dtype is BOOL:
        return f"(({slot} & 1) != 0)"
    if dtype.is_float and not dtype.is_half:
        return f"as_float((uint){slot})" if dtype.bits == 32 else f"as_double({slot})"
    return f"({C_TYPES[dtype.name]}){slot}"
