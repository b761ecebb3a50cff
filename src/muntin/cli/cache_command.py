"""`muntin cache`: compiled kernels on disk."""

from __future__ import annotations

import click

from muntin.config import settings
from muntin.explain.plan_text import bytes_in_words
from muntin.runtime.cache import kernel_cache

__all__ = ["command"]


@click.command(short_help="Show or clear the kernels kept on disk.")
@click.argument("action", type=click.Choice(["show", "clear", "path"]), default="show")
def command(action: str) -> None:
    """Show, clear or locate the compiled kernels that are kept on disk.

    MUNTIN_CACHE_DIR names another folder, and MUNTIN_CACHE_SIZE the space that it may take, such as
    1 GiB; 0 keeps nothing.
    """
    if action == "path":
        click.echo(settings().cache_dir)
        return
    cache = kernel_cache()
    if action == "clear":
        click.echo(f"removed {_kernels(cache.clear())} from {cache.folder}")
        return
    stats = cache.stats()
    space = f"{bytes_in_words(stats.nbytes)} of {bytes_in_words(stats.limit)}"
    click.echo(f"{stats.folder}: {_kernels(stats.entries)}, {space}")


def _kernels(count: int) -> str:
    return "1 kernel" if count == 1 else f"{count} kernels"
