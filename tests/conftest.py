"""What every test shares: a kernel cache of its own, and how long properties are searched."""

import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Compiling a kernel for the first time takes longer than Hypothesis allows an example by default.
settings.register_profile(
    "quick", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000)
settings.load_profile("quick")

_cache = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Point this process, and those that it starts, to an empty kernel cache.

    Interrupts are heard, which a shell has the commands ignore that it runs in the background.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = tempfile.TemporaryDirectory(prefix="muntin-tests-", ignore_cleanup_errors=True)
    config.stash[_cache] = folder
    os.environ["MUNTIN_CACHE_DIR"] = folder.name


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_cache].cleanup()
