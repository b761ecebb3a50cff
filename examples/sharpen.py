"""An unsharp mask in plain arithmetic, as one kernel."""

import numpy as np

import muntin as mt
from muntin import vision as vx


def sharpened(image: mt.Array, amount: float) -> mt.Array:
    """Return an image whose distance to its blurred self has grown."""
    exact = image.astype("float32")
    blurred = vx.gaussian(exact, 9, sigma=2.0)
    return mt.clip(mt.round(exact + (exact - blurred) * amount), 0, 255).astype("uint8")


def main() -> None:
    y, x = np.mgrid[:300, :400]
    photo = np.stack([(x // 50 % 2) * 90 + 80, (y // 50 % 2) * 90 + 80, x * 0 + 99], axis=-1)
    photo = photo.astype(np.uint8)
    sharpen = mt.function(sharpened)
    for amount in (0.0, 0.5, 1.0):
        result = np.asarray(sharpen(photo, amount))
        print(f"amount {amount}: values from {result.min()} to {result.max()}")
    assert len(sharpen.kernels) == 1


if __name__ == "__main__":
    main()
