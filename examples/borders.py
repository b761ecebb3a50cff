"""What each border reads outside a row."""

import numpy as np

import muntin as mt

ROW = np.array([[1, 2, 3, 4]])
BORDERS = ("replicate", "symmetric", "reflect101", "wrap", mt.constant(0))


def main() -> None:
    row = mt.asarray(ROW)
    for border in BORDERS:
        left = [int(row.at(0, -offset, border=border)[0, 0]) for offset in (3, 2, 1)]
        right = [int(row.at(0, offset, border=border)[0, 3]) for offset in (1, 2, 3)]
        print(f"{border!s:12} {left} {ROW[0].tolist()} {right}")


if __name__ == "__main__":
    main()
