"""Print the seconds from a finished import to the first result: `first_result NAME`."""

from __future__ import annotations

import sys
from time import perf_counter

from benchmarks.images import FULL_HD, aligned, photograph
from benchmarks.process.entrants import prepared


def main(name: str) -> None:
    image = photograph(FULL_HD)
    out = aligned(FULL_HD, "uint8")
    start = prepared(name, threads=1)
    before = perf_counter()
    start()(image, out)()
    print(perf_counter() - before)


if __name__ == "__main__":
    main(sys.argv[1])
