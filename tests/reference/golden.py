"""Outputs of the OpenVX sample implementation, kept beside the tests."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.reference.neighbourhood import Edge

FOLDER = Path(__file__).parents[1] / "data" / "golden"


@dataclass(frozen=True)
class Golden:
    """One case: what went in, what came out, and which pixels of that are defined."""

    file: str
    name: str
    inputs: dict[str, npt.NDArray[Any]]
    params: dict[str, Any]
    edge: Edge
    outputs: dict[str, npt.NDArray[Any]]
    masks: dict[str, npt.NDArray[np.bool_]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.file}-{self.name}"

    def check(self, output: str, result: npt.NDArray[Any], tolerance: int = 0) -> None:
        """Compare one result with the recorded one, on the defined pixels."""
        expected = self.outputs[output]
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        mask = self.masks.get(output, np.ones(expected.shape, dtype=bool))
        if expected.dtype.kind == "f":  # recorded with sums in another order
            np.testing.assert_allclose(result[mask], expected[mask], rtol=1e-6)
            return
        difference = np.abs(result.astype(np.int64) - expected.astype(np.int64))[mask]
        assert difference.max(initial=0) <= tolerance


@cache
def golden(file: str) -> tuple[Golden, ...]:
    """Return the cases of one file."""
    with np.load(FOLDER / f"{file}.npz") as archive:
        return tuple(_cases(file, archive))


def _cases(file: str, archive: Any) -> Iterator[Golden]:
    for key in archive.files:
        if not key.endswith("__meta"):
            continue
        meta = json.loads(str(archive[key]))
        border = meta.get("border", {"mode": "UNDEFINED", "constant_value": 0})
        outputs, masks = {}, {}
        for name, output in meta["outputs"].items():
            (stored,) = output["keys"]
            outputs[name] = archive[stored]
            if stored in output.get("defined_keys", {}):
                masks[name] = archive[output["defined_keys"][stored]]
        yield Golden(
            file,
            meta["id"],
            {role: archive[stored] for role, stored in meta["inputs"].items()},
            meta["params"],
            Edge(border["mode"].lower(), border.get("constant_value", 0)),
            outputs,
            masks,
        )
