"""The text of a pipeline, `gaussian3x3 | threshold(80)`, read by Python's grammar and nothing else.

The text is parsed to a syntax tree in which only names, calls and plain values are allowed; it is
never run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeAlias

from muntin.core.border import Border, constant
from muntin.errors import BorderError, PipelineError

__all__ = ["Call", "Pipeline", "Value", "fault", "nearest", "parse_pipeline"]

Value: TypeAlias = bool | int | float | str | tuple[Any, ...] | Border | None

_LONGEST = 10_000  # characters
_SHOWN = 96  # characters of a text that are shown around a fault
_CALL = "a stage is the name of a function, or a call of it such as threshold(80)"

_VALUES = (
    "use numbers, texts in quotes, True, False, None, tuples, and constant(number) for a border"
)


@dataclass(frozen=True, slots=True)
class Call:
    """One stage as written: a function's name, its arguments, and where it stands in the text."""

    name: str
    args: tuple[Value, ...]
    options: tuple[tuple[str, Value], ...]
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline's text and its stages, the first one first."""

    text: str
    calls: tuple[Call, ...]


def parse_pipeline(text: str, names: Collection[str]) -> Pipeline:
    """Return the pipeline that a text stands for.

    Parameters
    ----------
    text : str
        Stages joined by ``|``; a stage is a function's name or a call with numbers, texts, truth
        values, None, tuples of these, and the border ``constant(number)``.
    names : collection of str
        The functions that there are.

    Raises
    ------
    PipelineError
        If it cannot be understood; the message shows where.

    Examples
    --------
    >>> pipeline = parse_pipeline("box(5) | threshold(value=80)", ("box", "threshold"))
    >>> [(call.name, call.args, call.options) for call in pipeline.calls]
    [('box', (5,), ()), ('threshold', (), (('value', 80),))]
    """
    line = "".join(" " if letter.isspace() else letter for letter in text)
    if not line.strip():
        raise PipelineError(
            "pipeline: the text is empty; join functions by |, such as "
            '"gaussian3x3 | sobel3x3 | magnitude"'
        )
    if len(line) > _LONGEST:
        raise PipelineError(
            f"pipeline: the text has {len(line)} characters; up to {_LONGEST} are read; write it "
            "as a Python program"
        )
    return _Reader(line, names).pipeline()


def fault(text: str, start: int, stop: int, why: str, *notes: str) -> PipelineError:
    """Return the error for a part of a text, shown with carets under that part."""
    first = max(0, min(start, len(text) - 1) - _SHOWN // 2) if len(text) > _SHOWN else 0
    shown = text[first : first + _SHOWN]
    dots = "…" if first else ""
    end = "…" if first + _SHOWN < len(text) else ""
    width = max(1, min(stop, first + len(shown)) - start)
    lines = [f"pipeline: {why}", f"  {dots}{shown}{end}"]
    lines.append(f"  {' ' * (len(dots) + start - first)}{'^' * width}")
    return PipelineError("\n".join([*lines, *notes]))


def nearest(name: str, names: Iterable[str]) -> str:
    """Return words that name what a misspelt name may have meant, or nothing."""
    known = list(names)
    close = get_close_matches(name.lower(), known, n=3, cutoff=0.6)
    close += [other for other in known if other not in close and name.lower() in other][:3]
    *most, last = [f"{other}" for other in close] or [""]
    if not close:
        return ""
    return f"did you mean {', '.join(most)} or {last}?" if most else f"did you mean {last}?"


@dataclass(slots=True)
class _Reader:
    text: str
    names: Collection[str]
    indent: int = 0

    def pipeline(self) -> Pipeline:
        self.indent = len(self.text) - len(self.text.lstrip())
        calls = []
        stack: list[ast.expr] = [self.tree()]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
                stack += [node.right, node.left]
            else:
                calls.append(self.call(node))
        return Pipeline(self.text, tuple(calls))

    def tree(self) -> ast.expr:
        """Return the syntax tree of the text."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes in texts that are not there
                return ast.parse(self.text[self.indent :], mode="eval").body
        except SyntaxError as error:
            raise self.unreadable(error) from None
        except (ValueError, RecursionError, MemoryError) as error:
            why = str(error) or "it is nested too deeply"
            raise PipelineError(f"pipeline: the text cannot be read: {why}") from None

    def unreadable(self, error: SyntaxError) -> PipelineError:
        bare = self.text.rstrip()
        if bare.endswith("|"):
            return fault(self.text, len(bare) - 1, len(bare), "a stage is missing after the last |")
        start = self.indent + max((error.offset or 1) - 1, 0)
        stop = self.indent + (error.end_offset or 0) - 1
        if self.text[start : start + 1] == "|":
            return fault(self.text, start, start + 1, "a stage is missing before this |")
        why = f"this cannot be read ({error.msg}); {_CALL}, and stages are joined by |"
        return fault(self.text, start, max(stop, start + 1), why)

    def wrong(self, node: ast.expr | ast.keyword, why: str, *notes: str) -> PipelineError:
        return fault(self.text, *self.span(node), why, *notes)

    def span(self, node: ast.expr | ast.keyword) -> tuple[int, int]:
        """Return the first character of a node and the one after its last."""
        text = self.text[self.indent :].encode()
        ends = (node.col_offset, node.end_col_offset or node.col_offset + 1)
        start, stop = (self.indent + len(text[:end].decode()) for end in ends)
        return start, stop

    # --- stages and values ------------------------------------------------------------------------

    def call(self, node: ast.expr) -> Call:
        """Return the stage that a node is."""
        start, stop = self.span(node)
        if isinstance(node, ast.Name):
            return Call(self.function(node), (), (), start, stop)
        if not isinstance(node, ast.Call):
            raise self.wrong(node, self.no_stage(node))
        name = self.function(node.func)
        args = tuple([self.value(arg) for arg in node.args])
        options: dict[str, Value] = {}
        for option in node.keywords:
            key = self.option(option)
            if key in options:
                raise self.wrong(option, f"{key} is given twice; give it once")
            options[key] = self.value(option.value)
        return Call(name, args, tuple(options.items()), start, stop)

    def no_stage(self, node: ast.expr) -> str:
        """Return what is wrong with something that stands where a stage should be."""
        if isinstance(node, ast.Tuple):
            return "stages are separated by commas here; join them by |"
        if isinstance(node, ast.Constant):
            return f"{node.value!r} is a value; {_CALL}"
        if isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp):
            return f"this is a formula; {_CALL}"
        return f"this is no stage; {_CALL}"

    def function(self, node: ast.expr) -> str:
        """Return the name of a function that there is."""
        if isinstance(node, ast.Attribute):
            raise self.wrong(node, f"write the function's name alone, {node.attr!r}")
        if not isinstance(node, ast.Name):
            raise self.wrong(node, f"this is no function's name; {_CALL}")
        if node.id not in self.names:
            guess = nearest(node.id, self.names) or "`muntin stages` lists all"
            raise self.wrong(node, f"there is no function {node.id!r}; {guess}")
        return node.id

    def option(self, node: ast.keyword) -> str:
        """Return the name of an option."""
        if node.arg is None:
            raise self.wrong(node, "** is not allowed; write options as name=value")
        return node.arg

    def value(self, node: ast.expr) -> Value:
        """Return the plain value of an argument."""
        if isinstance(node, ast.Constant) and isinstance(
            node.value, bool | int | float | str | None
        ):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            number = self.value(node.operand)
            if type(number) in (int, float):
                return -number if isinstance(node.op, ast.USub) else number  # type: ignore[operator]
        if isinstance(node, ast.Tuple | ast.List):
            return tuple([self.value(element) for element in node.elts])
        if isinstance(node, ast.Name):
            raise self.wrong(
                node, f"{node.id!r} is a bare word; write texts in quotes, '{node.id}'"
            )
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.border(node, node.func.id)
        raise self.wrong(node, f"this is no plain value; {_VALUES}")

    def border(self, node: ast.Call, name: str) -> Border:
        """Return the border that a call of `constant` stands for."""
        if name != "constant" or len(node.args) != 1 or node.keywords:
            raise self.wrong(node, f"this is no plain value; {_VALUES}")
        number: Any = self.value(node.args[0])
        try:
            return constant(number)
        except BorderError as error:
            raise self.wrong(node, str(error)) from error
