"""Edges of a photograph, or of the file that is named; what fusing made of them."""

import sys

import numpy as np

import muntin as mt
from muntin import vision as vx
from muntin.interop.images import read_image, write_image


def edges(image: mt.Array) -> mt.Array:
    """Return white edges of a grey image."""
    gx, gy = vx.sobel3x3(vx.gaussian3x3(image))
    return vx.threshold(vx.magnitude(gx, gy), 80)


def main(*paths: str) -> None:
    if paths:
        photo = read_image(paths[0])
    else:
        y, x = np.mgrid[:480, :640]
        photo = ((np.hypot(y - 240, x - 320) < 150) * 160 + x // 16).astype(np.uint8)
    image = mt.asarray(photo[..., 1] if photo.ndim == 3 else photo)
    found = edges(image)
    print(mt.explain(found))
    pixels = np.asarray(found)
    write_image("edges.png", pixels)
    print(f"{np.count_nonzero(pixels)} of {pixels.size} pixels are edges; they are in edges.png")


if __name__ == "__main__":
    main(*sys.argv[1:2])
