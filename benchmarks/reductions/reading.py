"""Loops that only read: no reduction can be faster than memory."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.case import Array, Contender
from benchmarks.chain.streaming import bound, compiled

__all__ = ["contenders"]

_LINE = 64
_LINES = (4, 8)


def contenders(source: Array, threads: int) -> Iterator[Contender]:
    """Yield every loop, run over equal parts of the array, a part a thread."""
    for lines in _LINES:
        loop = compiled(_text(lines), "drain", 1)
        form = f"{lines} lines a turn"
        call = bound(loop, (source,), source.nbytes, threads)
        yield Contender("reading alone", call, (), form, ())


def _text(lines: int) -> str:
    """Return a loop that keeps the bits of all lines; what it keeps is made to look used."""
    kind = "<16 x i32>"
    first = "[ zeroinitializer, %entry ]"
    phis = [f"%a{k} = phi {kind} {first}, [ %b{k}, %loop ]" for k in range(lines)]
    work = []
    for k in range(lines):
        work += [
            f"%at{k} = add i64 %at, {k * _LINE}",
            f"%p{k} = getelementptr inbounds i8, ptr %in, i64 %at{k}",
            f"%v{k} = load {kind}, ptr %p{k}, align 64",
            f"%b{k} = or {kind} %a{k}, %v{k}",
        ]
    used = [f'call void asm sideeffect "", "v"({kind} %b{k})' for k in range(lines)]
    head, body, end = ("\n  ".join(part) for part in (phis, work, used))
    return f"""
define void @drain(ptr noalias %in, i64 %bytes) "prefer-vector-width"="512" {{
entry:
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  {head}
  {body}
  %next = add i64 %at, {lines * _LINE}
  %more = icmp ult i64 %next, %bytes
  br i1 %more, label %loop, label %done
done:
  {end}
  ret void
}}
"""
