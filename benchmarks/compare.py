"""One comparison from its contenders to its numbers: verify, choose the best forms, time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np

from benchmarks.case import Arrays, Case, Contender
from benchmarks.measure import fastest, rounds_of
from benchmarks.product import Product

__all__ = ["Line", "Options", "Outcome", "compare"]


@dataclass(frozen=True, slots=True)
class Options:
    """How much is measured."""

    rounds: int = 31
    burst: float = 0.004
    verify_only: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """The numbers of one contender; `ratio` is the median of its rounds divided by muntin's."""

    contender: str
    form: str
    agreement: str
    forms: int
    median: float | None = None
    low: float | None = None
    high: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a comparison gave; with a fault, nothing of the contender at fault was timed."""

    case: str
    about: str
    threads: int
    unit: str
    limit: float | None
    lines: tuple[Line, ...]
    faults: tuple[str, ...] = ()


def compare(case: Case, product: Product | None, options: Options) -> Outcome:
    """Run one comparison; a contender that fails is a fault of the outcome and ends nothing."""
    context: AbstractContextManager[object] = (
        product.threads(case.threads) if product else nullcontext()
    )
    lines: tuple[Line, ...] = ()
    with context:
        try:
            groups = [tuple(forms) for forms in case.enter(product)]
        except Exception as error:  # noqa: BLE001 - the other cases are still to come
            faults = [_said(error)]
        else:
            words, faults = _verified(case, groups)
            sound = [tuple(f for f in forms if id(f) in words) for forms in groups]
            chosen = _chosen([forms for forms in sound if forms], options)
            lines = _timed(case, chosen, words, options) if chosen else ()
    about = (case.name, case.about, case.threads, case.unit, case.limit)
    return Outcome(*about, lines, tuple(faults))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _verified(
    case: Case, groups: Sequence[Sequence[Contender]]
) -> tuple[dict[int, str], list[str]]:
    """Run every form once; return how each agrees, by identity, and the faults of the others."""
    words: dict[int, str] = {}
    faults: list[str] = []
    expected: Arrays | None = case.reference() if case.reference else None
    for contender in (form for forms in groups for form in forms):
        for output in contender.outputs:
            output[...] = 85
        try:
            contender.call()
        except Exception as error:  # noqa: BLE001 - the other contenders are still to come
            faults.append(f"{_named(contender)}: {_said(error)}")
            continue
        if expected is None:
            expected = tuple(np.copy(output) for output in contender.outputs)
        target = expected if contender.expected is None else contender.expected
        if fault := case.agreement.fault(target, contender.outputs):
            faults.append(f"{_named(contender)}: {fault}")
        else:
            words[id(contender)] = case.agreement.words(target, contender.outputs)
    return words, faults


def _named(contender: Contender) -> str:
    return f"{contender.name} ({contender.form})" if contender.form else contender.name


def _chosen(groups: Sequence[Sequence[Contender]], options: Options) -> list[tuple[Contender, int]]:
    if options.verify_only:
        return [(form, len(forms)) for forms in groups for form in forms]
    return [(fastest(forms, options.burst / 2), len(forms)) for forms in groups]


def _timed(
    case: Case,
    chosen: Sequence[tuple[Contender, int]],
    words: dict[int, str],
    options: Options,
) -> tuple[Line, ...]:
    plain = [
        Line(contender.name, contender.form, words[id(contender)], forms)
        for contender, forms in chosen
    ]
    if options.verify_only:
        return tuple(plain)
    rounds = min(case.rounds or options.rounds, options.rounds)
    taken = rounds_of([contender for contender, _ in chosen], rounds, options.burst)
    return tuple(_with_numbers(plain, taken))


def _with_numbers(
    lines: Sequence[Line], taken: np.ndarray[tuple[int, int], np.dtype[np.float64]]
) -> Iterator[Line]:
    names = [line.contender for line in lines]
    ours = taken[:, names.index("muntin")] if "muntin" in names else None
    for line, column in zip(lines, taken.T, strict=True):
        low, median, high = (float(q) for q in np.quantile(column, (0.25, 0.5, 0.75)))
        ratio = None if ours is None else float(np.median(column / ours))
        yield Line(line.contender, line.form, line.agreement, line.forms, median, low, high, ratio)
