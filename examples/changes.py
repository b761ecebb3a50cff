"""Moving things in a series of frames: a function with a specification."""

from itertools import pairwise

import numpy as np

import muntin as mt
from muntin import vision as vx

FRAME = mt.spec(("height", "width"), "uint8")


def moved(before: mt.Array, after: mt.Array) -> mt.Array:
    """Return where two frames differ by more than noise does."""
    difference = vx.absdiff(vx.gaussian5x5(before), vx.gaussian5x5(after))
    return vx.opening(vx.threshold(difference, 40), 3)


def draw(step: int, rng: np.random.Generator) -> np.ndarray:
    """Return a dark frame with noise, over which a bright square moves."""
    frame = rng.integers(0, 30, (240, 320), dtype=np.uint8)
    frame[100:130, 20 + 15 * step : 50 + 15 * step] = 220
    return frame


def main() -> None:
    find = mt.function(moved, FRAME, FRAME)
    rng = np.random.default_rng(0)
    frames = [draw(step, rng) for step in range(8)]
    mask = np.empty_like(frames[0])
    for step, (before, after) in enumerate(pairwise(frames)):
        find(before, after, out=mask)
        columns = np.flatnonzero(mask.any(axis=0))
        print(f"step {step}: {np.count_nonzero(mask)} pixels, columns {columns[0]}-{columns[-1]}")
        assert columns[0] >= 15 * step + 18
    print(find.memory_report())


if __name__ == "__main__":
    main()
