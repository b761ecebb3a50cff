"""A file larger than what is read of it: views, and results written in place."""

import numpy as np

import muntin as mt
from muntin import vision as vx

ROWS, COLUMNS = 4000, 3000


def main() -> None:
    scan = np.memmap("scan.raw", np.uint16, "w+", shape=(ROWS, COLUMNS))
    scan[:] = np.arange(ROWS, dtype=np.uint16)[:, None] + np.arange(COLUMNS, dtype=np.uint16)

    part = np.s_[1000:1200, 500:900]
    smooth = vx.box(mt.asarray(scan), 9)[part]  # the pixels around the part are read too
    (need,) = mt.required(smooth, mt.Box((0, 0), smooth.shape))
    print(f"{smooth.shape} of the result need {need.box.shape} of {scan.shape}")
    assert np.array_equal(smooth, scan[part])  # the mean of a ramp is the ramp

    half = np.memmap("half.raw", np.uint8, "w+", shape=(ROWS, COLUMNS))
    mt.eval((mt.asarray(scan) // 32).astype("uint8", overflow="saturate"), out=half)
    print(f"from {half.min()} to {half.max()}, written to half.raw")


if __name__ == "__main__":
    main()
