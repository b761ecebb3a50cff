"""Kernels as text, for tests of what compiles and runs them."""

from functools import cache

from muntin.runtime.cpu import NativeModule, compile_ir

SIGNATURE = "(ptr %args, i64 %o0, i64 %o1, i64 %y0, i64 %y1, i64 %x0, i64 %x1, ptr %scratch)"

# Adds 1 to every cell of its box, and to the number of its pieces.
# Args: cells (int32), outer stride and row stride in cells, pieces (int64).
COUNT = f"""
define void @count{SIGNATURE} {{
entry:
  %cells = load ptr, ptr %args
  %a1 = getelementptr i64, ptr %args, i64 1
  %outer.stride = load i64, ptr %a1
  %a2 = getelementptr i64, ptr %args, i64 2
  %row.stride = load i64, ptr %a2
  %a3 = getelementptr i64, ptr %args, i64 3
  %pieces = load ptr, ptr %a3
  %old = atomicrmw add ptr %pieces, i64 1 seq_cst
  br label %outer
outer:
  %o = phi i64 [%o0, %entry], [%o.next, %rows.end]
  %o.more = icmp slt i64 %o, %o1
  br i1 %o.more, label %rows, label %done
rows:
  %y = phi i64 [%y0, %outer], [%y.next, %columns.end]
  %y.more = icmp slt i64 %y, %y1
  br i1 %y.more, label %columns, label %rows.end
columns:
  %x = phi i64 [%x0, %rows], [%x.next, %cell]
  %x.more = icmp slt i64 %x, %x1
  br i1 %x.more, label %cell, label %columns.end
cell:
  %at.o = mul i64 %o, %outer.stride
  %at.y = mul i64 %y, %row.stride
  %at.row = add i64 %at.o, %at.y
  %at = add i64 %at.row, %x
  %where = getelementptr i32, ptr %cells, i64 %at
  %was = atomicrmw add ptr %where, i32 1 seq_cst
  %x.next = add i64 %x, 1
  br label %columns
columns.end:
  %y.next = add i64 %y, 1
  br label %rows
rows.end:
  %o.next = add i64 %o, 1
  br label %outer
done:
  ret void
}}
"""

# Turns `rounds` times round, then adds 1 to the number of its pieces. Args: rounds, pieces (int64).
SPIN = f"""
define void @spin{SIGNATURE} {{
entry:
  %rounds = load i64, ptr %args
  %a1 = getelementptr i64, ptr %args, i64 1
  %pieces = load ptr, ptr %a1
  %own = alloca i64
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %loop]
  %i.next = add i64 %i, 1
  store volatile i64 %i, ptr %own
  %more = icmp ult i64 %i.next, %rounds
  br i1 %more, label %loop, label %done
done:
  %old = atomicrmw add ptr %pieces, i64 1 seq_cst
  ret void
}}
"""

# Fills its scratch with its row's number, waits, and looks whether all is still there.
# Args: words of scratch, pieces whose scratch was misaligned or was written by others (int64).
SCRATCH = f"""
define void @scratch{SIGNATURE} {{
entry:
  %words = load i64, ptr %args
  %a1 = getelementptr i64, ptr %args, i64 1
  %faults = load ptr, ptr %a1
  br label %fill
fill:
  %i = phi i64 [0, %entry], [%i.next, %fill]
  %to = getelementptr i64, ptr %scratch, i64 %i
  store volatile i64 %y0, ptr %to
  %i.next = add i64 %i, 1
  %fill.more = icmp ult i64 %i.next, %words
  br i1 %fill.more, label %fill, label %wait
wait:
  %w = phi i64 [0, %fill], [%w.next, %wait]
  %w.next = add i64 %w, 1
  %seen = load volatile i64, ptr %scratch
  %wait.more = icmp ult i64 %w.next, 20000
  br i1 %wait.more, label %wait, label %look
look:
  %j = phi i64 [0, %wait], [%j.next, %look]
  %bad = phi i64 [0, %wait], [%bad.next, %look]
  %from = getelementptr i64, ptr %scratch, i64 %j
  %value = load volatile i64, ptr %from
  %differs = xor i64 %value, %y0
  %bad.next = or i64 %bad, %differs
  %j.next = add i64 %j, 1
  %look.more = icmp ult i64 %j.next, %words
  br i1 %look.more, label %look, label %judge
judge:
  %address = ptrtoint ptr %scratch to i64
  %offset = and i64 %address, 63
  %all = or i64 %bad.next, %offset
  %fault = icmp ne i64 %all, 0
  %one = zext i1 %fault to i64
  %old = atomicrmw add ptr %faults, i64 %one seq_cst
  ret void
}}
"""


_kept: list[NativeModule] = []  # two threads may make the same one: neither may vanish


@cache
def native(text: str) -> NativeModule:
    """Return the kernel's code, kept for the whole run."""
    module = compile_ir(text)
    _kept.append(module)
    return module
