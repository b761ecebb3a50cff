"""The adapter through which muntin enters a comparison: its public functions and nothing else."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy.typing as npt

__all__ = ["Product", "load"]


@dataclass(frozen=True, slots=True)
class Product:
    """The package `muntin`, with `muntin.vision` imported."""

    mt: Any

    def threads(self, count: int) -> AbstractContextManager[object]:
        """Return a context in which muntin runs on so many threads."""
        manager: AbstractContextManager[object] = self.mt.use(threads=count)
        return manager

    def compiled(
        self,
        expression: Callable[..., Any],
        inputs: Sequence[npt.NDArray[Any]],
        outputs: Sequence[npt.NDArray[Any]],
    ) -> Callable[[], object]:
        """Return a call of the compiled function of an expression.

        The expression is given `muntin` and an Array an input.
        """
        function = self.mt.function(partial(expression, self.mt))
        out = outputs[0] if len(outputs) == 1 else tuple(outputs)
        return partial(function, *inputs, out=out)


def load() -> Product:
    """Import muntin."""
    importlib.import_module("muntin.vision")
    return Product(importlib.import_module("muntin"))
