"""What folds, combinations and scans mean in NumPy; the parts of a reduction are combined here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from muntin.core.graph.folds import BEFORE, CHUNK, FOLDS, LANES, Fold
from muntin.core.graph.node import Node
from muntin.core.graph.ops import op
from muntin.core.graph.reductions import fold
from muntin.dtypes import dtype_of

__all__ = ["Join", "combined", "folded", "in_pairs", "scanned"]

Array: TypeAlias = npt.NDArray[Any]

Join: TypeAlias = Callable[[Fold, Array], Array]

_UFUNCS = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum}


# --- combinations ---------------------------------------------------------------------------------


def in_pairs(fold: Fold, run: Array) -> Array:
    """Join neighbours as often as it takes; the identity stands beside an odd one."""
    missing = (1 << (len(run) - 1).bit_length()) - len(run)
    if missing:
        nothing = np.full((missing, *run.shape[1:]), fold.identity(dtype_of(run.dtype)), run.dtype)
        run = np.concatenate((run, nothing))
    meaning = _meaning(fold)
    while len(run) > 1:
        run = meaning(run[0::2], run[1::2])
    last: Array = run[0]
    return last


def combined(node: Node, parts: Sequence[Array], join: Join = in_pairs) -> Array:
    """Return the array of a combine node, in memory that nothing else uses.

    Neighbours are combined, then neighbours of what that gives: `join` is a way to do so.
    """
    name, axes = node.params
    if name.startswith(BEFORE):
        return _before(FOLDS[name.removeprefix(BEFORE)], parts[0])
    fold, length = FOLDS[name], node.payload
    found: Array
    runs = [_runs_first(part, axes, node.shape) for part in parts]
    with np.errstate(all="ignore"):
        if fold.finds:
            best, places = runs
            found = _first_found(fold, best, places, length)
        elif fold.centred:
            sums, deviations = runs
            found = _deviations(sums, deviations, length, join)
        else:
            found = _joined(fold, runs[0], join)
        return np.array(found, node.dtype.numpy, order="C")


def _before(fold: Fold, parts: Array) -> Array:
    """Return the fold of all parts before each along the last axis, one after the other."""
    dtype = dtype_of(parts.dtype)
    found: Array = np.full(parts.shape, fold.identity(dtype), parts.dtype)
    found[..., 1:] = parts[..., :-1]
    with np.errstate(all="ignore"):
        if fold.is_ordered(dtype):
            _UFUNCS[fold.row].accumulate(found, axis=-1, out=found)
            return found
        step = 1
        while step < found.shape[-1]:
            found[..., step:] = _meaning(fold)(found[..., :-step], found[..., step:])
            step *= 2
    return found


def scanned(node: Node, x: Array, starts: Array | None) -> Array:
    """Return the array of a scan node, of at least one element."""
    name, mapping = node.params
    meant, meaning = FOLDS[name], _meaning(FOLDS[name])
    axis = -2 if mapping == "down" else -1
    if mapping == "chunks":
        starts = _before(meant, folded(fold(name, node.args[0], "across"), x))
    rows = np.moveaxis(x, axis, 0)
    found = np.empty(rows.shape, x.dtype)
    step = len(rows) if starts is None else CHUNK
    with np.errstate(all="ignore"):
        for first in range(0, len(rows), step):
            kept = np.full(rows.shape[1:], meant.identity(node.dtype), x.dtype)
            if starts is not None:
                kept = starts[..., first // CHUNK]
            chunk = rows[first : first + step]
            whole = len(chunk) // LANES * LANES if axis == -1 else 0
            for block in range(0, whole, LANES):
                done = meaning(kept[None], _prefixes(meant, meaning, chunk[block : block + LANES]))
                found[first + block : first + block + LANES] = done
                kept = done[-1]
            for place in range(whole, len(chunk)):
                kept = meaning(np.atleast_1d(kept), np.atleast_1d(chunk[place])).reshape(kept.shape)
                found[first + place] = kept
    return np.ascontiguousarray(np.moveaxis(found, 0, axis))


def _prefixes(fold: Fold, meaning: Callable[..., Array], block: Array) -> Array:
    """Return in each lane what all lanes up to it give, by steps of 1, 2, 4, … lanes."""
    identity = np.full(block.shape, fold.identity(dtype_of(block.dtype)), block.dtype)
    step = 1
    while step < LANES:
        before = np.concatenate((identity[:step], block[:-step]))
        block, step = meaning(before, block), 2 * step
    return block


def _runs_first(part: Array, axes: Sequence[int], kept: tuple[int, ...]) -> Array:
    """Return the parts with one axis, the first, for all that become one element, in C order."""
    is_turned = tuple(axes) != tuple(range(len(axes)))
    turned = np.moveaxis(part, axes, range(len(axes))) if is_turned else part
    return turned.reshape(prod(turned.shape[: len(axes)]), *kept)


def _joined(fold: Fold, run: Array, join: Join) -> Array:
    """Return what the elements of a run become, neighbours first."""
    dtype = dtype_of(run.dtype)
    if not fold.is_ordered(dtype):
        whole: Array = _UFUNCS[fold.row].reduce(run, axis=0, dtype=run.dtype)
        if not (dtype.is_float and np.any(whole == 0)):  # NumPy's choice has zeros of any sign
            return whole
    return join(fold, run)


def _chunk_lengths(count: int, length: int) -> Array:
    """Return the lengths of `count` chunks, those of as many runs as there are, one by one."""
    one_run = np.full(-(-length // CHUNK), CHUNK)
    one_run[-1] = length - CHUNK * (len(one_run) - 1)
    return np.tile(one_run, count // len(one_run))


def _first_found(fold: Fold, best: Array, places: Array, length: int) -> Array:
    """Return the position of the first of the best elements, counted through all runs."""
    find = np.argmin if fold.greatest else np.argmax
    chunk = np.expand_dims(find(best, axis=0), 0)
    lengths = _chunk_lengths(len(best), length)
    starts = np.cumsum(lengths) - lengths
    first: Array = starts[chunk[0]] + np.take_along_axis(places, chunk, axis=0)[0]
    return first


def _deviations(sums: Array, deviations: Array, length: int, join: Join) -> Array:
    """Return the sum of squares about the mean of all runs, from those of chunks, in float64."""
    lengths = _chunk_lengths(len(sums), length).astype(np.float64)
    counts = lengths.reshape(-1, *[1] * (sums.ndim - 1))
    wide = sums.astype(np.float64)
    mean = join(FOLDS["sum"], wide) / lengths.sum()
    apart = wide / counts - mean
    return join(FOLDS["sum"], deviations + counts * apart * apart)


# --- folds ----------------------------------------------------------------------------------------


def folded(node: Node, x: Array) -> Array:
    """Return the array of a fold node, of at least one element."""
    name, mapping = node.params
    if mapping == "row":
        of_chunks = folded(fold(name, node.args[0], "across"), x)
        whole = _joined(FOLDS[name], np.moveaxis(of_chunks, -1, 0), in_pairs)
        return np.broadcast_to(whole[..., None], x.shape)
    if mapping == "channels":
        x = x.reshape(*x.shape[:-2], -1, 1)
    axis = x.ndim - 1 if mapping == "across" else x.ndim - 2
    runs = np.moveaxis(x, axis, 0)
    starts = range(0, len(runs), CHUNK)
    with np.errstate(all="ignore"):
        parts = [_folded_chunk(FOLDS[name], runs[start : start + CHUNK]) for start in starts]
    return np.moveaxis(np.array(parts, node.dtype.numpy), 0, axis)


def _folded_chunk(fold: Fold, chunk: Array) -> Array:
    if fold.finds:
        found: Array = (np.argmin if fold.greatest else np.argmax)(chunk, axis=0)
        return found
    if fold.centred:
        mean = _in_lanes(fold, chunk) / chunk.dtype.type(len(chunk))
        apart = chunk - mean
        return _in_lanes(fold, apart * apart)
    return _in_lanes(fold, chunk)


def _in_lanes(fold: Fold, chunk: Array) -> Array:
    """Return the fold of a chunk: by lanes in order, then halves of them into one another."""
    dtype = dtype_of(chunk.dtype)
    meaning, lanes = _meaning(fold), fold.lanes(dtype)
    taken = np.full((lanes, *chunk.shape[1:]), fold.identity(dtype), chunk.dtype)
    for start in range(0, len(chunk), lanes):
        some = chunk[start : start + lanes]
        taken[: len(some)] = meaning(taken[: len(some)], some)
    while len(taken) > 1:
        taken = meaning(taken[: len(taken) // 2], taken[len(taken) // 2 :])
    last: Array = taken[0]
    return last


def _meaning(fold: Fold) -> Callable[..., Array]:
    meaning = op(fold.row).reference
    assert meaning is not None
    return meaning
