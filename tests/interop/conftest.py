"""The devices on which exchanges of memory are tested."""

from collections.abc import Iterator

import pytest

import muntin as mt
from muntin.runtime.device import device_names


@pytest.fixture(scope="module", params=["reference", "cpu"])
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """Evaluate on each device that is at hand."""
    if request.param not in device_names():
        pytest.skip(f"no device {request.param}")
    with mt.use(request.param):
        yield request.param
