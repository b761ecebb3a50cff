"""The `muntin` command: its subcommands, and one clean line for what goes wrong."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any, NoReturn

import click

from muntin.cli.pipeline import nearest
from muntin.errors import InternalError, MuntinError, PipelineError

__all__ = ["main"]

# Each is the command of this name in the module `muntin.cli.<name>`, imported when asked for.
_COMMANDS = ("run", "demo", "explain", "stages", "devices", "cache")

_EXAMPLES = """\b
Examples:
  muntin demo
  muntin run "gaussian3x3 | sobel3x3 | magnitude | threshold(80)" photo.png -o edges.png
  muntin explain "grey | median(5)"
"""


class _Commands(click.Group):
    """A group whose errors are single lines, and which guesses what a wrong name meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"muntin.cli.{cmd_name}_command").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in _COMMANDS:
            guess = nearest(name, _COMMANDS) or f"the commands are {', '.join(_COMMANDS)}"
            raise click.UsageError(f"there is no command {name!r}; {guess}", ctx)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; errors become a line on the standard error and an exit code."""
        run: Callable[[], object] = partial(
            super().main, args, prog_name, complete_var, standalone_mode=False, **extra
        )
        if not standalone_mode:
            return run()
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                code = run()
            except click.UsageError as error:
                where = error.ctx.command_path if error.ctx else "muntin"
                _stop(f"{_lowered(error.format_message())}; see {where} --help", 2)
            except click.ClickException as error:
                _stop(_lowered(error.format_message()), error.exit_code)
            except PipelineError as error:
                _stop(str(error), 2)
            except (MuntinError, InternalError) as error:
                _stop(str(error), 1)
            except click.Abort:
                _stop("interrupted", 130)
        sys.exit(code if isinstance(code, int) else 0)


def _stop(message: str, code: int) -> NoReturn:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {message}", err=True)
    sys.exit(code)


def _show_warning(message: Warning | str, *place: Any, **extra: Any) -> None:
    click.echo(f"{click.style('warning:', fg='yellow')} {message}", err=True)


def _lowered(sentence: str) -> str:
    """Return a sentence of click's as it follows a colon."""
    text = sentence.strip().removesuffix(".")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _print_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"muntin {version('muntin')}")
        ctx.exit()


@click.group(
    "muntin",
    cls=_Commands,
    epilog=_EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Image pipelines, fused into a few fast kernels."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
