"""Memory: what is taken is given back, and a fused pipeline takes little besides its result."""

import sys

import pytest

from tests.concurrency.processes import run

linux = pytest.mark.skipif(sys.platform != "linux", reason="sizes are read from /proc")

RESIDENT = """
import gc
import os

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def growth(work, first, count):
    for number in range(first):
        work(number)
    before = resident()
    for number in range(first, first + count):
        work(number)
    return resident() - before
"""

COMPILING = """
from muntin.runtime.cpu import compile_ir

def work(number):
    compile_ir(f"define i64 @f(i64 %x) {{\\n  %y = mul i64 %x, {number}\\n  ret i64 %y\\n}}")

print(growth(work, 20, 100) // 100)
"""


@linux
def test_a_compilation_gives_its_memory_back():
    assert int(run(RESIDENT + COMPILING)) < 16 << 10
