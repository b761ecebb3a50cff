"""A row of the tables of functions, and the case that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import cv2

from benchmarks.case import EXACT, Agreement, Array, Arrays, Case, Contender
from benchmarks.images import aligned
from benchmarks.product import Product

__all__ = ["HALF", "ROUNDS", "Row", "cases"]

ROUNDS = Agreement(1, why="OpenCV rounds where muntin truncates, as OpenVX says")
HALF = Agreement(1, why="float32 and float64 round a product near a half to different sides")


Spec = str | tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True)
class Row:
    """One function.

    Attributes
    ----------
    inputs : callable
        Makes the arrays that go in.
    muntin : callable
        Given `muntin` and an Array an input, returns the expression.
    opencv : mapping
        OpenCV's ways by name, each given the inputs, the outputs and the scratch arrays.
    outputs, scratch : sequence
        The arrays that are filled, and lent to OpenCV: an element type, for an array of the
        input's shape, or a shape and a type.
    opencv_outputs : sequence
        Where OpenCV lacks the type or the shape of the output, what it fills instead.
    opencv_view : callable
        Gives the part of such an array that has the output's values.
    """

    name: str
    inputs: Callable[[], Arrays]
    muntin: Callable[..., Any]
    opencv: Mapping[str, Callable[..., object]]
    outputs: Sequence[Spec] = ("uint8",)
    scratch: Sequence[Spec] = ()
    opencv_outputs: Sequence[Spec] = ()
    opencv_view: Callable[[Array], Array] = lambda array: array
    agreement: Agreement = EXACT

    def case(self, group: str) -> Case:
        """Return the comparison of this row."""
        return Case(
            name=f"{group}.{self.name}",
            about="1920 × 1080, one thread",
            enter=self._enter,
            agreement=self.agreement,
        )

    def _enter(self, product: Product | None) -> Sequence[Sequence[Contender]]:
        cv2.setNumThreads(1)
        inputs = self.inputs()
        made = partial(_arrays, inputs[0].shape)
        ours: tuple[Contender, ...] = ()
        if product is not None:
            outputs = made(self.outputs)
            call = product.compiled(self.muntin, inputs, outputs)
            ours = (Contender("muntin", call, outputs),)
        outputs = made(self.opencv_outputs or self.outputs)
        arguments = (*inputs, *outputs, *made(self.scratch))
        views = tuple(self.opencv_view(output) for output in outputs)
        peers = tuple(
            Contender("OpenCV", partial(call, *arguments), views, form)
            for form, call in self.opencv.items()
        )
        return ours, peers


def _arrays(shape: tuple[int, ...], specs: Sequence[Spec]) -> Arrays:
    return tuple(
        aligned(shape, spec) if isinstance(spec, str) else aligned(*spec) for spec in specs
    )


def cases(rows: Sequence[Row], group: str = "functions") -> tuple[Case, ...]:
    """Return the comparison of each row."""
    return tuple(row.case(group) for row in rows)
