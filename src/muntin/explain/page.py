"""A page that needs nothing else: pictures, plan and sources of an expression."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from muntin.explain.graph_text import graph_text
from muntin.explain.plan_text import kernel_text, moved_in_words
from muntin.explain.survey import KernelFacts, Survey
from muntin.explain.svg import draw_graph, draw_plan

__all__ = ["page"]

_MOST_NODES = 300  # that a picture of the expression shows

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --back: #fff; --soft: #f3f4f7; --line: #9aa3b5;
  --array: #dce9fb; --load: #e9e6f7; --rows: #e4f3e1; --output: #fdeccf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ee; --back: #15181f; --soft: #1e232d;
  --line: #6b7488; --array: #23364f; --load: #322c4d; --rows: #25402a; --output: #4d3a19; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1.5rem; background: var(--back);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { background: var(--soft); padding: .8rem 1rem; overflow-x: auto; border-radius: 6px;
  font: 12.5px/1.45 ui-monospace, Menlo, Consolas, monospace; }
summary { cursor: pointer; padding: .25rem 0; }
.picture { overflow-x: auto; background: var(--soft); border-radius: 6px; padding: 1rem; }
svg { font: 12px ui-monospace, Menlo, Consolas, monospace; display: block; margin: auto; }
svg text { fill: var(--ink); } svg rect { stroke: var(--line); fill: var(--rows); }
svg .array rect { fill: var(--array); } svg .load rect { fill: var(--load); }
svg .output rect { fill: var(--output); }
svg .arrow { fill: none; stroke: var(--line); stroke-width: 1.3; }
.key span { padding: .1rem .5rem; border-radius: 4px; margin-right: .6rem; font-size: .85rem; }
""".strip()

_KEY = "".join(
    f'<span style="background: var(--{name})">{words}</span>'
    for name, words in (
        ("array", "array given"),
        ("load", "rows of an array"),
        ("rows", "rows kept in cache"),
        ("output", "array written"),
    )
)


def page(found: Survey, sources: tuple[tuple[str, Callable[[KernelFacts], str]], ...]) -> str:
    """Return the page of a survey; `sources` are titles and what writes each kernel's text."""
    count = len(found.kernels)
    kernels = "1 kernel" if count == 1 else f"{count} kernels"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>muntin: {kernels}</title><style>\n{_STYLE}\n</style></head><body>",
        f"<h1>{kernels}</h1><p>{escape(moved_in_words(found))}</p>",
    ]
    if found.kernels:
        parts.append(f'<div class="picture">{draw_plan(found)}</div><p class="key">{_KEY}</p>')
    for kernel in found.kernels:
        parts.append(f"<h2>Kernel {kernel.number}</h2><pre>{escape(kernel_text(kernel))}</pre>")
        parts += [_folded(title, write(kernel)) for title, write in sources]
    parts.append("<h2>Expression</h2>")
    if len(found.graph.nodes) <= _MOST_NODES:
        parts.append(f'<div class="picture">{draw_graph(found.graph)}</div>')
    parts.append(_folded(f"{len(found.graph.nodes)} nodes as a list", graph_text(found.graph)))
    return "\n".join([*parts, "</body></html>", ""])


def _folded(title: str, text: str) -> str:
    body = f"<pre>{escape(text)}</pre>"
    return f"<details><summary>{escape(title)}</summary>{body}</details>"
