"""Ctrl-C at any time: it is seen soon, and the next evaluation is right."""

import os
import signal
import threading
import time
from collections.abc import Callable
from math import prod

import numpy as np
import pytest

import muntin as mt
from muntin import vision as vx
from muntin.runtime.launch import Launch
from muntin.runtime.scheduler import CPUScheduler, ThreadsScheduler
from tests.concurrency.processes import start

pytestmark = pytest.mark.skipif(os.name != "posix", reason="os.kill sends no signal there")

SIDE = 30_000  # a thread would take a minute or more


def pointwise(image: mt.Array) -> mt.Array:
    for _ in range(30):
        image = mt.sqrt(image + 1.5) / (image + 0.25)
    return image > 1


def rolled(image: mt.Array) -> mt.Array:
    for _ in range(3):
        image = mt.sqrt(vx.gaussian5x5(image) + 1.5) / (image + 0.25)
    return image > 1


def flat(image: mt.Array) -> mt.Array:
    return pointwise(image[0])


LARGEST = 64 << 20  # bytes that one piece may move


CALLS: tuple[Callable[[mt.Array], mt.Array], ...] = (pointwise, rolled, flat)


@pytest.fixture(scope="module")
def endless() -> mt.Array:
    """An image that takes no memory, and of whose results only what is computed takes any."""
    return mt.asarray(np.broadcast_to(np.float32(2), (SIDE, SIDE)))


def interrupted(work: Callable[[], object]) -> float:
    """Send SIGINT soon after the work has begun; return the CPU seconds that it took to end."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    late = time.process_time() - sent[0]
    timer.join()
    return late


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_a_long_evaluation_is_cut_short(endless, call, threads):
    small = np.full((40, 50), 2, np.float32)
    wanted = np.asarray(call(mt.asarray(small))).copy()  # compiled before
    if call is flat:
        endless = mt.asarray(np.broadcast_to(np.float32(2), (1, SIDE * SIDE)))
    late = interrupted(lambda: mt.eval(call(endless), threads=threads))
    assert late < 2 * threads
    assert (np.asarray(call(mt.asarray(small))) == wanted).all()


class Recorder:
    """Runs nothing."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.launches: list[Launch] = []

    def launch(self, launch: Launch) -> None:
        self.launches.append(launch)


@pytest.mark.parametrize("threads", [1, 2, 64])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_pieces_are_small_however_large_the_image(endless, call, threads):
    recorder = Recorder(threads)
    with mt.use(scheduler=recorder):
        call(endless).eval()
    for launch in recorder.launches:
        assert prod(launch.extent) >= SIDE
        assert prod(launch.grain) * 5 <= LARGEST


def test_a_function_is_cut_short(endless):
    function = mt.function(rolled)
    small = np.full((40, 50), 2, np.float32)
    wanted = np.asarray(function(small)).copy()
    image = np.asarray(endless)
    assert interrupted(lambda: function(image)) < 4
    assert (np.asarray(function(small)) == wanted).all()


@pytest.mark.parametrize("scheduler", [CPUScheduler(2), ThreadsScheduler(2)], ids=repr)
def test_threads_beside_the_interrupted_one_go_on(endless, scheduler):
    small = mt.asarray(np.full((40, 50), 2, np.float32))
    wanted = np.asarray(pointwise(small)).copy()
    stop, results = threading.Event(), []

    def work() -> None:
        with mt.use(scheduler=scheduler):
            while not stop.is_set():
                results.append(bool((np.asarray(pointwise(small)) == wanted).all()))

    thread = threading.Thread(target=work)
    thread.start()
    with mt.use(scheduler=scheduler):
        assert interrupted(lambda: mt.eval(pointwise(endless))) < 4
        done = len(results)
        assert (np.asarray(pointwise(small)) == wanted).all()
    while thread.is_alive() and len(results) == done:
        time.sleep(0.001)
    stop.set()
    thread.join()
    assert set(results) == {True}


def test_an_evaluation_beside_the_caller_goes_on():
    image = np.arange(3_000_000, dtype=np.float32)
    pending = mt.eval(pointwise(mt.asarray(image)), block=False)
    interrupted(lambda: time.sleep(100))
    assert np.asarray(pending.wait()).shape == image.shape


ANYWHERE = """
import random, signal, sys
import numpy as np
import muntin as mt
from muntin import vision as vx

class Stop(Exception):
    pass

def handler(*_):
    raise Stop

def chain(value, number):
    for bit in range(9):
        value = value + image if number >> bit & 1 else value ^ image
    return value

image = np.arange(300 * 400, dtype=np.uint8).reshape(300, 400)
function = mt.function(lambda x: vx.box(x, 3) + x)
wanted, out = np.asarray(function(image)).copy(), np.empty_like(image)
signal.signal(signal.SIGALRM, handler)
rng = random.Random(0)
cut = 0
for turn in range(int(sys.argv[1])):
    is_new = turn % 8 == 0  # else nothing is compiled
    number = rng.randrange(512) if is_new else 77
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 0.02 if is_new else 3e-4))
            for _ in range(50):
                np.asarray(chain(mt.asarray(image), number))
                function(image)
                function(image, out=out, threads=2)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        cut += 1
    assert (np.asarray(chain(mt.asarray(image), number)) == chain(image, number)).all()
    assert (np.asarray(function(image, threads=2)) == wanted).all()
assert cut
print("right")
"""


@pytest.mark.parametrize("turns", [120, pytest.param(1500, marks=pytest.mark.slow)])
def test_an_exception_of_a_signal_handler_at_any_place(turns):
    # where one comes out of a finalizer Python itself tells it on stderr, and goes on
    process = start(ANYWHERE, turns)
    printed, errors = process.communicate(timeout=110)
    assert (process.returncode, printed) == (0, "right\n"), errors
