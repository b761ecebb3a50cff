"""Loops that only move bytes: loads from one array or three, non-temporal stores to another.

They are the floor under a chain of operations that reads the same inputs and writes one output.
The loops are LLVM IR, one a number of cache lines a turn and a distance of prefetch; three inputs
are added, which costs nothing beside the loads.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import llvmlite.binding as llvm

from benchmarks.case import Array, Contender

__all__ = ["bound", "compiled", "contenders"]

_LINE = 64
_LINES = (1, 4, 8)
_AHEAD = (0, 1024, 2048)


def contenders(inputs: tuple[Array, ...], out: Array, threads: int) -> Iterator[Contender]:
    """Yield every loop, run over equal parts of the arrays, a part a thread."""
    total = sum(inputs[1:], inputs[0])
    for lines, ahead in itertools.product(_LINES, _AHEAD):
        loop = compiled(_text(len(inputs), lines, ahead), "stream", 1 + len(inputs))
        call = bound(loop, (out, *inputs), out.nbytes, threads)
        form = f"{lines} lines a turn, prefetch {ahead}"
        yield Contender("streaming copy", call, (out,), form, (total,))


def bound(
    loop: Callable[..., None], arrays: tuple[Array, ...], nbytes: int, threads: int
) -> Callable[[], object]:
    """Return a call of a loop over equal parts of arrays, a part a thread."""
    addresses = [array.ctypes.data for array in arrays]
    part = nbytes // threads
    starts = [part * thread for thread in range(threads)]
    parts = [partial(loop, *(a + start for a in addresses), part) for start in starts]
    if threads == 1:
        return parts[0]
    pool = ThreadPoolExecutor(threads - 1)

    def call() -> None:
        others = [pool.submit(other) for other in parts[1:]]
        parts[0]()
        for other in others:
            other.result()

    return call


def compiled(text: str, name: str, pointers: int) -> Callable[..., None]:
    """Return the function `(*pointers, bytes)` of LLVM IR; the engine lives as long as it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    engine: Any = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * pointers, ctypes.c_int64)
    function: Any = kind(engine.get_function_address(name))
    function.engine = engine
    loop: Callable[..., None] = function
    return loop


def _text(inputs: int, lines: int, ahead: int) -> str:
    loads: list[str] = []
    stores: list[str] = []
    for line in range(lines):
        for source in range(inputs):
            loads += _load(f"{line}.{source}", f"%in{source}", line * _LINE, ahead)
        value = f"%v{line}.0"
        for source in range(1, inputs):
            loads.append(f"%s{line}.{source} = fadd <16 x float> {value}, %v{line}.{source}")
            value = f"%s{line}.{source}"
        stores += [
            f"%q{line} = getelementptr inbounds i8, ptr %out, i64 %at{line}",
            f"store <16 x float> {value}, ptr %q{line}, align 64, !nontemporal !0",
        ]
    places = [f"%at{line} = add i64 %at, {line * _LINE}" for line in range(lines)]
    body = "\n  ".join([*places, *loads, *stores])
    pointers = "".join(f", ptr noalias %in{source}" for source in range(inputs))
    return f"""
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
define void @stream(ptr noalias %out{pointers}, i64 %bytes) "prefer-vector-width"="512" {{
entry:
  br label %loop
loop:
  %at = phi i64 [ 0, %entry ], [ %next, %loop ]
  {body}
  %next = add i64 %at, {lines * _LINE}
  %more = icmp ult i64 %next, %bytes
  br i1 %more, label %loop, label %done
done:
  fence seq_cst
  ret void
}}
!0 = !{{i32 1}}
"""


def _load(name: str, base: str, offset: int, ahead: int) -> list[str]:
    line = offset // _LINE
    text = [
        f"%p{name} = getelementptr inbounds i8, ptr {base}, i64 %at{line}",
        f"%v{name} = load <16 x float>, ptr %p{name}, align 64",
    ]
    if ahead:
        text += [
            f"%f{name} = getelementptr i8, ptr %p{name}, i64 {ahead}",
            f"call void @llvm.prefetch.p0(ptr %f{name}, i32 0, i32 0, i32 1)",
        ]
    return text
