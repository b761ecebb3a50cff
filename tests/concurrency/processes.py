"""Processes of a test's own: forked ones, and fresh ones that run a text."""

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def forked(check: Callable[[], object], seconds: float = 60) -> str:
    """Fork; return "right" if the check holds in the child, or else what became of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with several threads
        child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if check() else 2
        finally:
            os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            return {0: "right", 1: "raised", 2: "wrong"}.get(code, f"ended by signal {-code}")
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


def start(text: str, *args: object, **changes: str) -> subprocess.Popen[str]:
    """Start Python on a text, with arguments, and with changes to the environment."""
    return subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", text, *map(str, args)],
        cwd=ROOT,
        env=environment(changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **changes}


def finish(process: subprocess.Popen[str], seconds: float = 100) -> str:
    """Return what a process printed, once it has ended well."""
    try:
        printed, errors = process.communicate(timeout=seconds)
    finally:
        process.kill()
    assert (process.returncode, errors) == (0, ""), f"{process.returncode}: {errors}"
    return printed


def run(text: str, *args: object, **changes: str) -> str:
    """Return what Python prints for a text: see `start`."""
    return finish(start(text, *args, **changes))
