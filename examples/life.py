"""The Game of Life: a stencil of one's own, two buffers written in turn."""

import numpy as np

import muntin as mt

AROUND = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
GLIDER = ((0, 1), (1, 2), (2, 0), (2, 1), (2, 2))


def step(alive: mt.Array) -> mt.Array:
    """Return the next generation on a board whose edges meet."""
    neighbours = mt.zeros(alive.shape, dtype="uint8")
    for y, x in AROUND:
        neighbours = neighbours + alive.at(y, x, border="wrap")
    return ((neighbours == 3) | ((neighbours == 2) & (alive == 1))).astype("uint8")


def main() -> None:
    advance = mt.function(step)
    now, then = np.zeros((2, 20, 20), np.uint8)
    for y, x in GLIDER:
        now[y, x] = 1
    start = now.copy()
    for _ in range(80):  # a glider moves by a cell in four steps, and has gone around by then
        advance(now, out=then)
        now, then = then, now
    assert np.array_equal(now, start)
    print("\n".join("".join(".#"[cell] for cell in row) for row in now))


if __name__ == "__main__":
    main()
