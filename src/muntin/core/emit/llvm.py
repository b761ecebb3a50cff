"""Writes a program as LLVM IR text."""

from __future__ import annotations

from dataclasses import dataclass, field

from muntin.core.emit.llvm_cast import cast_lines
from muntin.core.emit.llvm_types import literal, memory_type, suffix, value_type
from muntin.core.graph.ops import op
from muntin.core.plan.facts import CACHE_LINE, ENTRY
from muntin.core.program import (
    BOOL,
    INDEX,
    LOOKUP_LANES,
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
from muntin.dtypes import DTYPES, DType
from muntin.errors import InternalError

__all__ = ["LlvmOptions", "emit_llvm", "emit_llvm_function"]

LIGHT_WIDTH = 256  # of loops that move more than they compute: wide vectors straddle more lines
BOX = ("o0", "o1", "y0", "y1", "x0", "x1")
_STREAM = "muntin_stream"


@dataclass(frozen=True, slots=True)
class LlvmOptions:
    """What the text depends on besides the program."""

    vector_width: int = 512
    holds_tables: bool = False  # whether bytes are looked up in vectors, by avx512vbmi


def emit_llvm(program: Program, options: LlvmOptions = LlvmOptions()) -> str:
    """Return the LLVM IR of a program; its entry is called `ENTRY`.

    The addresses of its shared functions follow the program's slots.
    """
    lines: list[str] = []
    metadata: list[str] = []
    for function in program.functions[:-1]:
        if not function.shared:
            lines += _FunctionText(options, metadata).function(function)
    lines += _FunctionText(options, metadata).entry(program)
    text = "\n".join(lines)
    if f"@{_STREAM}" in text:
        text += _stream_function(options.vector_width)
    return _with_attributes(text, metadata, options)


def emit_llvm_function(function: Function, options: LlvmOptions = LlvmOptions()) -> str:
    """Return the LLVM IR of a shared function by itself."""
    metadata: list[str] = []
    lines = _FunctionText(options, metadata).function(function)
    text = "\n".join(lines).replace("define internal", "define", 1)
    return _with_attributes(text, metadata, options)


def _with_attributes(text: str, metadata: list[str], options: LlvmOptions) -> str:
    wide, light = (_width(min(width, options.vector_width)) for width in (512, LIGHT_WIDTH))
    attributes = f"attributes #0 = {{ nounwind {wide} }}\n"
    attributes += f"attributes #1 = {{ nounwind noinline {wide} }}\n"
    attributes += f"attributes #2 = {{ nounwind noinline {light} }}\n"
    return text + "\n" + attributes + "\n".join(metadata) + "\n"


def _width(bits: int) -> str:
    return f'"prefer-vector-width"="{bits}" "min-legal-vector-width"="0"'


@dataclass(slots=True)
class _FunctionText:
    """The text of one function while it is written."""

    options: LlvmOptions
    metadata: list[str]
    lines: list[str] = field(default_factory=list)
    allocas: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    mutable: dict[str, DType] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)  # where shared functions are
    vectors: dict[str, str] = field(default_factory=dict)  # names that vary between lanes
    lanes: int = 1
    count: int = 0
    free: bool = False
    block: str = "entry"

    def function(self, function: Function) -> list[str]:
        parameters = []
        for parameter in function.parameters:
            name = f"%p.{parameter.var.name}"
            words = [value_type(parameter.var.dtype)]
            if parameter.unaliased:
                words.append("noalias")
            if parameter.var.dtype is POINTER and not parameter.written:
                words.append("readonly")
            parameters.append(" ".join([*words, name]))
            self.values[parameter.var.name] = name
        self.free = function.free
        self.statements(function.body)
        attributes = "#2" if function.light else "#1"
        head = f"define internal void @{function.name}({', '.join(parameters)}) {attributes} {{"
        return [head, "entry:", *self.allocas, *self.lines, "  ret void", "}", ""]

    def entry(self, program: Program) -> list[str]:
        box = ", ".join(f"i64 %p.{name}" for name in BOX)
        head = (
            f"define void @{ENTRY}(ptr noalias readonly %args, {box}, ptr noalias %p.scratch) #0 {{"
        )
        for name in (*BOX, "scratch"):
            self.values[name] = f"%p.{name}"
        for number, var in enumerate(program.slots):
            slot = self.line(f"getelementptr inbounds i64, ptr %args, i64 {number}")
            kind = memory_type(var.dtype)
            loaded = self.line(f"load {kind}, ptr {slot}, align 8")
            if var.dtype.is_bool:
                loaded = self.line(f"icmp ne i8 {loaded}, 0")
            self.values[var.name] = loaded
        for number, function in enumerate(program.shared, len(program.slots)):
            slot = self.line(f"getelementptr inbounds i64, ptr %args, i64 {number}")
            self.code[function.name] = self.line(f"load ptr, ptr {slot}, align 8")
        self.statements(program.entry.body)
        return [head, "entry:", *self.allocas, *self.lines, "  ret void", "}", ""]

    # --- lines ------------------------------------------------------------------------------------

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def label(self, word: str) -> str:
        self.count += 1
        return f"{word}.{self.count}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def branch(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    # --- expressions ------------------------------------------------------------------------------

    def value(self, expr: Expr) -> str:
        match expr:
            case Const():
                return literal(expr.value, expr.dtype)
            case Var():
                if expr.name in self.mutable:
                    kind = value_type(expr.dtype)
                    return self.line(f"load {kind}, ptr %m.{expr.name}")
                return self.values[expr.name]
            case Apply():
                return self.apply(expr)
            case Convert():
                return self.convert(expr)
            case Load():
                return self.load(expr)
            case Word():
                address = self.value(expr.pointer)
                return self.line(f"load {memory_type(expr.dtype)}, ptr {address}, align 1")
            case Lookup():
                return self.load(self.looked_up(expr))
            case Advance():
                base, nbytes = self.value(expr.pointer), self.value(expr.nbytes)
                return self.line(f"getelementptr i8, ptr {base}, i64 {nbytes}")
        raise InternalError(f"emit.llvm: no text for the expression {type(expr).__name__}")

    def data(self, expr: Expr) -> str:
        """Return the value of an element's expression: in a loop of several lanes, a vector."""
        if self.lanes == 1:
            return self.value(expr)
        match expr:
            case Const():
                return literal(expr.value, expr.dtype, self.lanes)
            case Var():
                return self.vectors.get(expr.name) or self.spread(expr)
            case Apply():
                return self.apply(expr)
            case Convert():
                return self.convert(expr)
            case Load():
                return self.load(expr)
            case Lookup():
                return self.look_up(expr)
        raise InternalError(f"emit.llvm: no vector for the expression {type(expr).__name__}")

    def spread(self, var: Var) -> str:
        """Return a vector that holds a number in every lane."""
        kind, wide = value_type(var.dtype), value_type(var.dtype, self.lanes)
        first = self.line(f"insertelement {wide} poison, {kind} {self.value(var)}, i64 0")
        mask = f"<{self.lanes} x i32> zeroinitializer"
        spread = self.line(f"shufflevector {wide} {first}, {wide} poison, {mask}")
        self.vectors[var.name] = spread
        return spread

    def apply(self, expr: Apply) -> str:
        operand_type = expr.args[-1].dtype
        kind = "u" if operand_type is POINTER else operand_type.kind
        template = expr.op.llvm.get(kind)
        if template is None:
            raise InternalError(
                f"emit.llvm: row {expr.op.name} has no spelling for {operand_type}; "
                "expand should have replaced it by its body"
            )
        operands = [self.data(arg) for arg in expr.args]
        name = self.name()
        lanes = self.lanes
        text = template.format(
            *operands,
            t=value_type(operand_type, lanes),
            r=value_type(expr.dtype, lanes),
            s=suffix(operand_type, lanes),
            c=value_type(BOOL, lanes),
            zero=literal(0, operand_type, lanes),
            one=literal(1, operand_type, lanes),
            ones=literal(1 if operand_type.is_bool else -1, operand_type, lanes),
            d=name,
        )
        self.lines += [f"  {part}" for part in text.split("\n")]
        return name

    def convert(self, expr: Convert) -> str:
        value = self.data(expr.arg)
        lines, result = cast_lines(
            value,
            expr.arg.dtype,
            expr.dtype,
            saturate=expr.saturate,
            lanes=self.lanes,
            name=self.name,
        )
        self.lines += [f"  {line}" for line in lines]
        return result

    def element(self, pointer: Expr, index: Expr, dtype: DType) -> str:
        if isinstance(index, Const) and index.value == 0:
            return self.value(pointer)
        # An index that is a sum of a loop variable and a number is written as two steps, so that
        # every read of a row shares the first.
        if isinstance(index, Apply) and index.op is _ADD and isinstance(index.args[1], Const):
            moved = self.element(pointer, index.args[0], dtype)
            return self.line(
                f"getelementptr inbounds {memory_type(dtype)}, ptr {moved}, "
                f"i64 {index.args[1].value}"
            )
        lanes, self.lanes = self.lanes, 1  # an element is found by the first lane's index
        base, position = self.value(pointer), self.value(index)
        self.lanes = lanes
        return self.line(f"getelementptr inbounds {memory_type(dtype)}, ptr {base}, i64 {position}")

    def load(self, expr: Load) -> str:
        address = self.element(expr.pointer, expr.index, expr.dtype)
        kind = memory_type(expr.dtype, self.lanes)
        loaded = self.line(f"load {kind}, ptr {address}, align {expr.dtype.itemsize}")
        if not expr.dtype.is_bool:
            return loaded
        return self.line(f"icmp ne {kind} {loaded}, {literal(0, _BYTE, self.lanes)}")

    def looked_up(self, expr: Lookup) -> Load:
        """Return the read of a single element of a table."""
        return Load(expr.dtype, expr.table, Convert(INDEX, expr.index))

    def look_up(self, expr: Lookup) -> str:
        """Choose bytes of the two halves of a table, in two registers each."""
        kind, lanes = f"<{LOOKUP_LANES} x i8>", self.lanes
        index = self.data(expr.index)
        self.lanes = 1
        table, size = self.value(expr.table), self.value(expr.size)
        self.lanes = lanes
        parts = []
        for start in range(0, 4 * LOOKUP_LANES, LOOKUP_LANES):
            place = self.line(f"getelementptr i8, ptr {table}, i64 {start}")
            mask = f"<{LOOKUP_LANES} x i1>"
            held = self.line(
                f"call {mask} @llvm.get.active.lane.mask.v{LOOKUP_LANES}i1.i64"
                f"(i64 {start}, i64 {size})"
            )
            parts.append(
                self.line(
                    f"call {kind} @llvm.masked.load.v{LOOKUP_LANES}i8.p0"
                    f"(ptr {place}, i32 1, {mask} {held}, {kind} zeroinitializer)"
                )
            )
        low, high = (
            self.line(
                f"call {kind} @llvm.x86.avx512.vpermi2var.qi.512({kind} {parts[half]}, "
                f"{kind} {index}, {kind} {parts[half + 1]})"
            )
            for half in (0, 2)
        )
        zeros = literal(0, _BYTE, lanes)
        is_high = self.line(f"icmp slt {kind} {index}, {zeros}")
        found = self.line(f"select <{lanes} x i1> {is_high}, {kind} {high}, {kind} {low}")
        return self.line(f"icmp ne {kind} {found}, {zeros}") if expr.dtype.is_bool else found

    # --- statements -------------------------------------------------------------------------------

    def statements(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let() if self.lanes > 1:
                self.vectors[statement.var.name] = self.data(statement.value)
            case Let():
                self.values[statement.var.name] = self.value(statement.value)
            case Set():
                self.assign(statement)
            case Note():
                self.note(statement)
            case Store():
                self.store(statement)
            case Shuffle():
                self.shuffle(statement)
            case AtomicAdd():
                self.atomic_add(statement)
            case For():
                self.loop(statement)
            case While():
                self.repeat(statement)
            case If():
                self.choice(statement)
            case Call():
                args = [f"{value_type(arg.dtype)} {self.value(arg)}" for arg in statement.args]
                code = self.code.get(statement.function, f"@{statement.function}")
                self.lines.append(f"  call void {code}({', '.join(args)})")
            case Return():
                self.lines.append("  ret void")
                self.start(self.label("never"))
            case CopyBytes():
                target, source = self.value(statement.target), self.value(statement.source)
                count = self.value(statement.count)
                self.lines.append(
                    f"  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, "
                    f"i64 {count}, i1 false)"
                )
            case Prefetch(place, written):
                lanes, self.lanes = self.lanes, 1
                address, self.lanes = self.value(place), lanes
                kinds = f"i32 {int(written)}, i32 {3 if written else 2}"
                self.lines.append(f"  call void @llvm.prefetch.p0(ptr {address}, {kinds}, i32 1)")
            case StreamBytes():
                target, source = self.value(statement.target), self.value(statement.source)
                count = self.value(statement.count)
                self.lines.append(
                    f"  call void @{_STREAM}(ptr {target}, ptr {source}, i64 {count})"
                )
            case _:
                raise InternalError(
                    f"emit.llvm: no text for the statement {type(statement).__name__}"
                )

    def assign(self, statement: Set) -> None:
        name, dtype = statement.var.name, statement.var.dtype
        value = self.value(statement.value)
        if name not in self.mutable:
            self.mutable[name] = dtype
            self.allocas.append(f"  %m.{name} = alloca {value_type(dtype)}")
        self.lines.append(f"  store {value_type(dtype)} {value}, ptr %m.{name}")

    def note(self, statement: Note) -> None:
        condition = self.data(statement.condition)
        if self.lanes > 1:
            wide = f"v{self.lanes}i1({value_type(BOOL, self.lanes)} {condition})"
            condition = self.line(f"call i1 @llvm.vector.reduce.or.{wide}")
        noted = self.line(f"or i1 {self.value(statement.var)}, {condition}")
        self.lines.append(f"  store i1 {noted}, ptr %m.{statement.var.name}")

    def store(self, statement: Store) -> None:
        lanes, dtype = self.lanes, statement.value.dtype
        value = self.data(statement.value)
        address = self.element(statement.pointer, statement.index, dtype)
        kind = memory_type(dtype, lanes)
        if dtype.is_bool:
            value = self.line(f"zext {value_type(BOOL, lanes)} {value} to {kind}")
        align, past = dtype.itemsize, ""
        if statement.streamed:
            align, past = min(dtype.itemsize * lanes, CACHE_LINE), ", !nontemporal !{i32 1}"
        self.lines.append(f"  store {kind} {value}, ptr {address}, align {align}{past}")

    def shuffle(self, statement: Shuffle) -> None:
        kind = value_type(statement.value.dtype, self.lanes)
        fill = literal(statement.fill.value, statement.fill.dtype, self.lanes)
        lanes = [self.lanes if place < 0 else place for place in statement.places]
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        self.vectors[statement.var.name] = self.line(
            f"shufflevector {kind} {self.data(statement.value)}, {kind} {fill}, "
            f"<{self.lanes} x i32> <{mask}>"
        )

    def atomic_add(self, statement: AtomicAdd) -> None:
        dtype = statement.value.dtype
        value = self.value(statement.value)
        address = self.element(statement.pointer, statement.index, dtype)
        added = f"atomicrmw add ptr {address}, {value_type(dtype)} {value} monotonic"
        self.values[statement.old.name] = self.line(added)

    def loop(self, statement: For) -> None:
        start, stop = self.value(statement.start), self.value(statement.stop)
        head, body, done = self.label("head"), self.label("body"), self.label("done")
        variable, following, test = self.name(), self.name(), self.name()
        before = self.block
        self.branch(head)
        self.start(head)
        phi = len(self.lines)
        self.lines.append("")
        self.lines.append(f"  {test} = icmp slt i64 {variable}, {stop}")
        self.lines.append(f"  br i1 {test}, label %{body}, label %{done}")
        self.start(body)
        self.values[statement.var.name] = variable
        self.lanes = lanes = self.lanes_of(statement)
        self.statements(statement.body)
        self.lanes, step = 1, statement.step * lanes
        self.vectors.clear()
        self.lines.append(f"  {following} = add nsw i64 {variable}, {step}")
        self.lines.append(f"  br label %{head}{self.loop_metadata(statement)}")
        self.lines[phi] = (
            f"  {variable} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]"
        )
        self.start(done)

    def lanes_of(self, statement: For) -> int:
        """Return how many iterations of a loop are written as one."""
        values = [each.value for each in statement.body if isinstance(each, Let)]
        looks_up = any(isinstance(value, Lookup) for value in values)
        holds = self.options.holds_tables and statement.lanes == LOOKUP_LANES
        return 1 if looks_up and not holds else statement.lanes

    def loop_metadata(self, statement: For) -> str:
        """Leave loops of independent iterations to LLVM, and keep others as they are."""
        if (statement.independent or self.free) and self.lanes_of(statement) == 1:
            return ""
        hints = ['!"llvm.loop.vectorize.enable", i1 false', '!"llvm.loop.unroll.disable"']
        number = len(self.metadata)
        names = [f"!{number + 1 + place}" for place in range(len(hints))]
        self.metadata.append(f"!{number} = distinct !{{!{number}, {', '.join(names)}}}")
        self.metadata += [f"{name} = !{{{hint}}}" for name, hint in zip(names, hints, strict=True)]
        return f", !llvm.loop !{number}"

    def repeat(self, statement: While) -> None:
        head, body, done = self.label("test"), self.label("body"), self.label("done")
        self.branch(head)
        self.start(head)
        condition = self.value(statement.condition)
        self.lines.append(f"  br i1 {condition}, label %{body}, label %{done}")
        self.start(body)
        self.statements(statement.body)
        self.branch(head)
        self.start(done)

    def choice(self, statement: If) -> None:
        then, other, done = self.label("then"), self.label("else"), self.label("done")
        condition = self.value(statement.condition)
        target = other if statement.otherwise else done
        self.lines.append(f"  br i1 {condition}, label %{then}, label %{target}")
        self.start(then)
        self.statements(statement.then)
        self.branch(done)
        if statement.otherwise:
            self.start(other)
            self.statements(statement.otherwise)
            self.branch(done)
        self.start(done)


_ADD, _BYTE = op("add"), DTYPES["uint8"]


def _stream_function(vector_width: int) -> str:
    """Bytes to 64-byte alignment, then whole cache lines past the caches, then the rest."""
    nbytes = 64
    kind = f"<{nbytes // 8} x i64>"
    return f"""
define internal void @{_STREAM}(ptr noalias %target, ptr noalias readonly %source, i64 %count) #1 {{
entry:
  %address = ptrtoint ptr %target to i64
  %negated = sub i64 0, %address
  %short = and i64 %negated, {nbytes - 1}
  %small = icmp ult i64 %count, %short
  %head = select i1 %small, i64 %count, i64 %short
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %head, i1 false)
  %rest = sub i64 %count, %head
  %whole = and i64 %rest, -{nbytes}
  %stop = add i64 %head, %whole
  br label %test
test:
  %i = phi i64 [ %head, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %stop
  br i1 %more, label %body, label %done
body:
  %from = getelementptr inbounds i8, ptr %source, i64 %i
  %to = getelementptr inbounds i8, ptr %target, i64 %i
  %line = load {kind}, ptr %from, align 1
  store {kind} %line, ptr %to, align {nbytes}, !nontemporal !{{i32 1}}
  %next = add nsw i64 %i, {nbytes}
  br label %test
done:
  %left = sub i64 %count, %stop
  %tail.to = getelementptr inbounds i8, ptr %target, i64 %stop
  %tail.from = getelementptr inbounds i8, ptr %source, i64 %stop
  call void @llvm.memcpy.p0.p0.i64(ptr %tail.to, ptr %tail.from, i64 %left, i1 false)
  ret void
}}
"""
