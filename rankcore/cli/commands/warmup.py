"""``rankscope warmup`` and ``rankscope cache``."""

import os
from typing import TYPE_CHECKING

import typer

from rankcore.base.numbers import counted

if TYPE_CHECKING:
    from rankcore.base.kernel_cache import Size


def warmup() -> None:
    """Compile the kernels now, so that later commands start at once."""
    from rankcore.base import kernel_cache

    if kernel_cache.is_complete():
        typer.echo(f"All kernels are compiled, in {kernel_cache.place()}.")
        return
    from rankcore.topics.warmup import warm_up

    def show(part: str, done: int, count: int) -> None:
        typer.echo(f"  {done + 1} of {count}: {part}")

    typer.echo("Compiling the kernels, once on this machine; takes some minutes ...")
    warm_up(show, workers=os.cpu_count() or 1)


def cache_application() -> typer.Typer:
    """Return the commands below ``rankscope cache``."""
    app = typer.Typer(
        help="Manage the cache of compiled kernels: show, clear.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command()(show)
    app.command()(clear)
    return app


def show() -> None:
    """Show the folder of compiled kernels and their size."""
    from rankcore.base import kernel_cache

    typer.echo(f"{kernel_cache.place()}: {_text(kernel_cache.size())}")


def clear() -> None:
    """Remove compiled kernels of all versions; they are compiled again when needed."""
    from rankcore.base import kernel_cache

    removed = kernel_cache.clear()
    typer.echo(f"Removed {_text(removed)} from {kernel_cache.place()}.")


def _text(size: "Size") -> str:
    files = counted(size.files, "files")
    return f"{files}, {size.bytes / 1e6:.1f} MB"
