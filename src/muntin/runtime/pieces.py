"""The loop over the pieces of a launch, and the pool of threads that shares it, as LLVM IR."""

from __future__ import annotations

import sys
from typing import Final

__all__ = [
    "ARGS",
    "BUDGET",
    "CONSTANTS",
    "COUNTS",
    "ENTRY",
    "EXTENT",
    "GRAIN",
    "HELPERS",
    "NEXT",
    "SCRATCH",
    "STRIDE",
    "TOTAL",
    "WORDS",
    "loop_text",
    "pool_text",
    "pool_words",
]

# A job is an array of words. Its constants fill the first two cache lines; the counter from which
# pieces are pulled has a line of its own, at whatever address the array lies.
ENTRY: Final = 0
ARGS: Final = 1
EXTENT: Final = 2  # outer, rows, columns
GRAIN: Final = 5
COUNTS: Final = 8  # of pieces along rows and columns; the outer one is never needed
TOTAL: Final = 10  # pieces
SCRATCH: Final = 11
STRIDE: Final = 12  # from one thread's scratch to the next one's
HELPERS: Final = 13
BUDGET: Final = 14  # ns, or negative for no end
CONSTANTS: Final = 15
NEXT: Final = 24  # the piece that is pulled next
WORDS: Final = 33

# A pool is an array of words too: what is written by different threads lies 128 bytes apart, which
# is what processors fetch at once. A semaphore takes 32 bytes on every 64-bit Linux; it gets 64.
_BUSY, _QUIT, _JOB, _WANTED, _CURSOR, _PENDING, _DONE, _WORKERS = 0, 16, 17, 18, 32, 48, 64, 80
_SIGNALLED, _SEMAPHORE, _WORKER_WORDS = 1, 16, 32  # a worker's first word is its state
_SPIN_NS = 100_000  # waking a sleeper takes 10 to 60 us: one that waits looks so long first

_WINDOWS_CLOCK = """
declare i64 @GetTickCount64()
define internal i64 @now() {
  %ms = call i64 @GetTickCount64()
  %ns = mul i64 %ms, 1000000
  ret i64 %ns
}
"""

_POSIX_CLOCK = """
declare i32 @clock_gettime(i32, ptr)
define internal i64 @now() {
  %at = alloca [2 x i64]
  %status = call i32 @clock_gettime(i32 CLOCK_MONOTONIC, ptr %at)
  %s = load i64, ptr %at
  %rest = getelementptr i64, ptr %at, i64 1
  %ns = load i64, ptr %rest
  %whole = mul i64 %s, 1000000000
  %sum = add i64 %whole, %ns
  ret i64 %sum
}
"""


def _word(name: str, base: str, index: int, kind: str = "i64") -> str:
    """Return the text that loads a word, its address being kept under the name with `.at`."""
    return (
        f"  %{name}.at = getelementptr i64, ptr %{base}, i64 {index}\n"
        f"  %{name} = load {kind}, ptr %{name}.at\n"
    )


def _axis(axis: str, index: int) -> str:
    """Return the text that turns a piece's index along an axis into the ends of its box."""
    return f"""
  %{axis}0 = mul i64 %{axis}i, %grain{index}
  %{axis}left = sub i64 %extent{index}, %{axis}0
  %{axis}size = call i64 @llvm.umin.i64(i64 %grain{index}, i64 %{axis}left)
  %{axis}1 = add i64 %{axis}0, %{axis}size"""


_PULL = f"""
declare i64 @llvm.umin.i64(i64, i64)

; Runs pieces until none is left, or until the budget (ns; negative for no end) is spent: then
; nobody gets another piece. Returns the first piece that nobody got.
define i64 @pull(ptr %job, ptr %scratch, i64 %budget) {{
entry:
{_word("entry.fn", "job", ENTRY, "ptr")}{_word("args", "job", ARGS, "ptr")}\
{"".join(_word(f"extent{i}", "job", EXTENT + i) for i in range(3))}\
{"".join(_word(f"grain{i}", "job", GRAIN + i) for i in range(3))}\
{_word("rows", "job", COUNTS)}{_word("columns", "job", COUNTS + 1)}{_word("total", "job", TOTAL)}\
  %next = getelementptr i64, ptr %job, i64 {NEXT}
  %timed = icmp sge i64 %budget, 0
  br i1 %timed, label %begin, label %loop
begin:
  %started = call i64 @now()
  br label %loop
loop:
  %since = phi i64 [0, %entry], [%started, %begin], [%since, %run], [%since, %look]
  %piece = atomicrmw add ptr %next, i64 1 monotonic
  %more = icmp ult i64 %piece, %total
  br i1 %more, label %run, label %done
run:
  %upper = udiv i64 %piece, %columns
  %upper.first = mul i64 %upper, %columns
  %xi = sub i64 %piece, %upper.first
  %oi = udiv i64 %upper, %rows
  %oi.first = mul i64 %oi, %rows
  %yi = sub i64 %upper, %oi.first
{_axis("o", 0)}{_axis("y", 1)}{_axis("x", 2)}
  call void %entry.fn(ptr %args, i64 %o0, i64 %o1, i64 %y0, i64 %y1, i64 %x0, i64 %x1, ptr %scratch)
  br i1 %timed, label %look, label %loop
look:
  %at = call i64 @now()
  %spent = sub i64 %at, %since
  %late = icmp sge i64 %spent, %budget
  br i1 %late, label %close, label %loop
close:
  %pulled = atomicrmw xchg ptr %next, i64 %total monotonic
  %first = call i64 @llvm.umin.i64(i64 %pulled, i64 %total)
  ret i64 %first
done:
  ret i64 %total
}}
"""

_POOL = f"""
declare i32 @sem_init(ptr, i32, i32)
declare i32 @sem_post(ptr)
declare i32 @sem_wait(ptr)

define internal ptr @worker(ptr %pool, i64 %index) {{
  %offset = mul i64 %index, {_WORKER_WORDS}
  %word = add i64 %offset, {_WORKERS}
  %worker = getelementptr i64, ptr %pool, i64 %word
  ret ptr %worker
}}

define internal void @wait(ptr %semaphore) {{
entry:
  br label %again
again: ; a signal handler may cut the wait short
  %status = call i32 @sem_wait(ptr %semaphore)
  %cut = icmp ne i32 %status, 0
  br i1 %cut, label %again, label %done
done:
  ret void
}}

; At most one post is under way to a worker: `signalled` says so until the worker is awake.
define internal void @signal(ptr %worker) {{
entry:
  %signalled = getelementptr i64, ptr %worker, i64 {_SIGNALLED}
  %before = atomicrmw xchg ptr %signalled, i64 1 seq_cst
  %asleep = icmp eq i64 %before, 0
  br i1 %asleep, label %post, label %done
post:
  %semaphore = getelementptr i64, ptr %worker, i64 {_SEMAPHORE}
  %status = call i32 @sem_post(ptr %semaphore)
  br label %done
done:
  ret void
}}

; Wakes two more workers, if there are more and pieces are left: each that wakes wakes two, so that
; many are up soon, and none that is late delays the others.
define internal void @wake(ptr %pool, ptr %job) {{
entry:
{_word("wanted", "pool", _WANTED)}{_word("total", "job", TOTAL)}\
  %cursor = getelementptr i64, ptr %pool, i64 {_CURSOR}
  %next = getelementptr i64, ptr %job, i64 {NEXT}
  br label %loop
loop:
  %turn = phi i64 [0, %entry], [%turn.next, %next.turn]
  %pulled = load atomic i64, ptr %next monotonic, align 8
  %left = icmp ult i64 %pulled, %total
  %two = icmp ult i64 %turn, 2
  %go = and i1 %left, %two
  br i1 %go, label %choose, label %done
choose:
  %index = atomicrmw add ptr %cursor, i64 1 monotonic
  %there = icmp ult i64 %index, %wanted
  br i1 %there, label %rouse, label %done
rouse:
  %worker = call ptr @worker(ptr %pool, i64 %index)
  %state = load atomic i64, ptr %worker seq_cst, align 8
  %unanswered = icmp eq i64 %state, 1
  br i1 %unanswered, label %post, label %next.turn
post:
  call void @signal(ptr %worker)
  br label %next.turn
next.turn:
  %turn.next = add i64 %turn, 1
  br label %loop
done:
  ret void
}}

define void @prepare(ptr %pool) {{
  %done = getelementptr i64, ptr %pool, i64 {_DONE}
  %status = call i32 @sem_init(ptr %done, i32 0, i32 0)
  ret void
}}

define void @hire(ptr %pool, i64 %index) {{
  %worker = call ptr @worker(ptr %pool, i64 %index)
  %semaphore = getelementptr i64, ptr %worker, i64 {_SEMAPHORE}
  %status = call i32 @sem_init(ptr %semaphore, i32 0, i32 0)
  ret void
}}

define void @quit(ptr %pool, i64 %workers) {{
entry:
  %quit = getelementptr i64, ptr %pool, i64 {_QUIT}
  store atomic i64 1, ptr %quit seq_cst, align 8
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i.next, %one]
  %more = icmp ult i64 %i, %workers
  br i1 %more, label %one, label %done
one:
  %worker = call ptr @worker(ptr %pool, i64 %i)
  call void @signal(ptr %worker)
  %i.next = add i64 %i, 1
  br label %loop
done:
  ret void
}}

; The life of a worker. A posted state (1) is a launch's call for help, which the launch takes back
; if the worker has not answered (2) by the time that all pieces are pulled.
define void @work(ptr %pool, i64 %index) {{
entry:
  %state = call ptr @worker(ptr %pool, i64 %index)
  %signalled = getelementptr i64, ptr %state, i64 {_SIGNALLED}
  %semaphore = getelementptr i64, ptr %state, i64 {_SEMAPHORE}
  %quit = getelementptr i64, ptr %pool, i64 {_QUIT}
  %job.at = getelementptr i64, ptr %pool, i64 {_JOB}
  %pending = getelementptr i64, ptr %pool, i64 {_PENDING}
  %done = getelementptr i64, ptr %pool, i64 {_DONE}
  %number = add i64 %index, 1
  br label %sleep
sleep:
  call void @wait(ptr %semaphore)
  %was = atomicrmw xchg ptr %signalled, i64 0 seq_cst
  %quitting = load atomic i64, ptr %quit seq_cst, align 8
  %stay = icmp eq i64 %quitting, 0
  br i1 %stay, label %answer, label %leave
answer:
  %answered = cmpxchg ptr %state, i64 1, i64 2 seq_cst seq_cst
  %called = extractvalue {{i64, i1}} %answered, 1
  br i1 %called, label %help, label %sleep
help:
  %job = load ptr, ptr %job.at
  call void @wake(ptr %pool, ptr %job)
{_word("scratch", "job", SCRATCH, "ptr")}{_word("stride", "job", STRIDE)}\
  %offset = mul i64 %number, %stride
  %own = getelementptr i8, ptr %scratch, i64 %offset
  %first = call i64 @pull(ptr %job, ptr %own, i64 -1)
  store atomic i64 0, ptr %state seq_cst, align 8
  %left = atomicrmw sub ptr %pending, i64 1 seq_cst
  %last = icmp eq i64 %left, 1
  br i1 %last, label %tell, label %linger
tell:
  %status = call i32 @sem_post(ptr %done)
  br label %linger
linger:
  %from = call i64 @now()
  br label %spin
spin:
  %now.state = load atomic i64, ptr %state seq_cst, align 8
  %posted = icmp eq i64 %now.state, 1
  br i1 %posted, label %answer, label %watch
watch:
  %to = call i64 @now()
  %spun = sub i64 %to, %from
  %patient = icmp slt i64 %spun, {_SPIN_NS}
  br i1 %patient, label %spin, label %sleep
leave:
  ret void
}}

; Runs pieces with the pool's help, or without if the pool is at work for another launch. On return
; no worker uses the job. Returns what pull returns.
define i64 @launch(ptr %pool, ptr %job) {{
entry:
{_word("scratch", "job", SCRATCH, "ptr")}{_word("helpers", "job", HELPERS)}\
{_word("budget", "job", BUDGET)}\
  %busy = getelementptr i64, ptr %pool, i64 {_BUSY}
  %job.at = getelementptr i64, ptr %pool, i64 {_JOB}
  %wanted = getelementptr i64, ptr %pool, i64 {_WANTED}
  %cursor = getelementptr i64, ptr %pool, i64 {_CURSOR}
  %pending = getelementptr i64, ptr %pool, i64 {_PENDING}
  %done = getelementptr i64, ptr %pool, i64 {_DONE}
  %none = icmp eq i64 %helpers, 0
  br i1 %none, label %alone, label %take
take:
  %taken = cmpxchg ptr %busy, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{i64, i1}} %taken, 1
  br i1 %mine, label %fill, label %alone
alone:
  %first.alone = call i64 @pull(ptr %job, ptr %scratch, i64 %budget)
  ret i64 %first.alone
fill:
  store ptr %job, ptr %job.at
  store i64 %helpers, ptr %wanted
  store i64 0, ptr %cursor
  store i64 0, ptr %pending
  br label %call
call:
  %i = phi i64 [0, %fill], [%i.next, %call]
  %state = call ptr @worker(ptr %pool, i64 %i)
  store atomic i64 1, ptr %state seq_cst, align 8
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %helpers
  br i1 %more, label %call, label %share
share:
  call void @wake(ptr %pool, ptr %job)
  %first = call i64 @pull(ptr %job, ptr %scratch, i64 %budget)
  br label %recall
recall:
  %j = phi i64 [0, %share], [%j.next, %recall]
  %running = phi i64 [0, %share], [%running.next, %recall]
  %called = call ptr @worker(ptr %pool, i64 %j)
  %recalled = cmpxchg ptr %called, i64 1, i64 0 seq_cst seq_cst
  %unanswered = extractvalue {{i64, i1}} %recalled, 1
  %answered = xor i1 %unanswered, true
  %one = zext i1 %answered to i64
  %running.next = add i64 %running, %one
  %j.next = add i64 %j, 1
  %others = icmp ult i64 %j.next, %helpers
  br i1 %others, label %recall, label %join
join: ; `pending` is minus the number of workers that have finished
  %spin.from = call i64 @now()
  br label %spin
spin:
  %finished = load atomic i64, ptr %pending seq_cst, align 8
  %open = add i64 %finished, %running.next
  %all = icmp eq i64 %open, 0
  br i1 %all, label %free, label %watch
watch:
  %spin.to = call i64 @now()
  %spun = sub i64 %spin.to, %spin.from
  %patient = icmp slt i64 %spun, {_SPIN_NS}
  br i1 %patient, label %spin, label %park
park: ; from now on the worker that takes `pending` to 0 tells
  %before = atomicrmw add ptr %pending, i64 %running.next seq_cst
  %after = add i64 %before, %running.next
  %over = icmp eq i64 %after, 0
  br i1 %over, label %free, label %sleep
sleep:
  call void @wait(ptr %done)
  br label %free
free:
  store atomic i64 0, ptr %busy seq_cst, align 8
  ret i64 %first
}}
"""


def loop_text(platform: str = sys.platform) -> str:
    """Return the module with `pull(job, scratch, budget)`."""
    if platform == "win32":
        return _WINDOWS_CLOCK + _PULL
    return _POSIX_CLOCK.replace("CLOCK_MONOTONIC", "6" if platform == "darwin" else "1") + _PULL


def pool_text() -> str:
    """Return the module of the pool, which is for Linux.

    It defines `launch(pool, job)` and `work(pool, index)`, a worker's whole life; `prepare(pool)`
    comes first, `hire(pool, index)` before a worker starts, and `quit(pool, workers)` ends them.
    """
    return loop_text("linux") + _POOL


def pool_words(workers: int) -> int:
    """Return how many words a pool of so many workers takes, all zero at first."""
    return _WORKERS + workers * _WORKER_WORDS
