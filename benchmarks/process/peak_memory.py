"""Print the bytes that a pipeline needs beyond its input and output.

`peak_memory NAME ROWS COLUMNS THREADS`. The pipeline runs on a small image first, so compiling is
over; then Linux is told to forget the peak of the process, input and output are made in pages of
their own, and the pipeline runs on them.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.images import photograph
from benchmarks.process.entrants import prepared
from benchmarks.process.pages import forget_peak, pages, peak

_SMALL = (128, 256)


def main(name: str, rows: int, columns: int, threads: int) -> None:
    bind = prepared(name, threads)()
    bind(photograph(_SMALL), np.empty(_SMALL, np.uint8))()
    before = forget_peak()
    image, out = pages((rows, columns)), pages((rows, columns))
    image[...] = np.arange(columns) & 255
    out[...] = 0
    bind(image, out)()
    print(peak() - before - image.nbytes - out.nbytes)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
