"""Print the bytes that a filter of a volume needs beyond its input and output, on one thread.

`peak_memory LIBRARY FILTER`. The filter runs on a small volume first, so compiling is over.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.case import Array
from benchmarks.process.pages import forget_peak, pages, peak
from benchmarks.product import load
from benchmarks.volumes.filters import FILTERS

_SMALL = 16


def main(library: str, name: str) -> None:
    filtered = FILTERS[name]
    product = load() if library == "muntin" else None

    def run(volume: Array, out: Array) -> None:
        if product is None:
            filtered.scipy(volume, out)
            return
        with product.threads(1):
            product.compiled(filtered.muntin, (volume,), (out,))()

    small = np.zeros((_SMALL,) * 3, filtered.dtype)
    run(small, np.empty_like(small))
    before = forget_peak()
    volume, out = pages(filtered.shape, filtered.dtype), pages(filtered.shape, filtered.dtype)
    volume[...] = np.arange(filtered.size)
    out[...] = 0
    run(volume, out)
    print(peak() - before - volume.nbytes - out.nbytes)


if __name__ == "__main__":
    main(*sys.argv[1:])
