"""The interpreter ends at any time: no hang, no crash, nothing on stderr."""

import pytest

from tests.concurrency.processes import finish, run, start

BUSY = """
import sys, threading, time
import numpy as np
import muntin as mt
from muntin import vision as vx

image = np.arange(500 * 600, dtype=np.uint8).reshape(500, 600)

def evaluate_on():
    while True:
        np.asarray(vx.gaussian3x3(mt.asarray(image)) + 1)

def compile_on():
    number = 0
    while True:
        x = mt.asarray(image[:9])
        for bit in range(12):
            x = x + 1 if number >> bit & 1 else x ^ 1
        np.asarray(x)
        number += 1

def call_on():
    function = mt.function(lambda x: x * 3)
    out = np.empty_like(image)
    while True:
        function(image, out=out, threads=2)

np.asarray(vx.gaussian3x3(mt.asarray(image)) + 1)
for work in (evaluate_on, evaluate_on, compile_on, call_on):
    threading.Thread(target=work, daemon=True).start()
time.sleep(float(sys.argv[1]))
print("ending")
"""


@pytest.mark.parametrize(
    "times",
    [
        (0, 0.1),
        pytest.param([k * 0.017 for k in range(40)], marks=[pytest.mark.slow]),
    ],
    ids=["few", "many"],
)
def test_daemons_that_never_end(times):
    for k in range(0, len(times), 2):
        for process in [start(BUSY, seconds) for seconds in times[k : k + 2]]:
            assert finish(process) == "ending\n"


WAITING = """
import threading
import numpy as np
import muntin as mt
image = np.arange(900 * 1000, dtype=np.float32).reshape(900, 1000)
x = mt.asarray(image)
for _ in range(40):
    x = mt.sqrt(x + 1.5)
results = []

def work():
    results.append(np.asarray(x + 1).shape)
    print("done", *results, flush=True)

threading.Thread(target=work).start()
pending = mt.eval(x + 2, block=False)
print("ending", flush=True)
"""


def test_threads_that_are_waited_for():
    assert sorted(run(WAITING).splitlines()) == ["done (900, 1000)", "ending"]


LATE = """
import atexit, sys, weakref
import numpy as np
import muntin as mt
from muntin import vision as vx
from muntin.runtime.scheduler import ThreadsScheduler
image = np.arange(500 * 600, dtype=np.uint8).reshape(500, 600)

def evaluate(word, size, scheduler=None):
    x = mt.asarray(image)
    with mt.use(scheduler=scheduler):
        result = np.asarray(vx.box(x, size) + x - vx.box(x, size))
    print(word, bool((result == image).all()), flush=True)

if sys.argv[1:]:
    evaluate("first", 3)

class Ghost:
    def __del__(self):
        evaluate("ghost", 3)  # nothing new: files cannot be read any more

atexit.register(evaluate, "known", 3)
atexit.register(evaluate, "new", 5)
atexit.register(evaluate, "threads", 3, ThreadsScheduler(2))
weakref.finalize(Ghost, evaluate, "finalizer", 3)
ghost = Ghost()
"""


@pytest.mark.parametrize("words", [("first",), ()], ids=["after others", "the first"])
def test_evaluations_at_the_very_end(words):
    lines = run(LATE, *words).splitlines()
    early, late = lines[: len(words)], lines[len(words) :]
    assert early == ["first True"] * len(words)
    told = ["finalizer True", "ghost True", "known True", "new True", "threads True"]
    assert sorted(late) == told


RAISING = """
import sys, threading
import numpy as np
import muntin as mt

def work():
    np.asarray(mt.asarray(np.zeros(3)) + 1)
    sys.exit(3)

thread = threading.Thread(target=work)
thread.start()
thread.join()
print(np.asarray(mt.asarray(np.zeros(3)) + 1).tolist())
"""


def test_a_thread_that_exits():
    assert run(RAISING) == "[1.0, 1.0, 1.0]\n"
