"""``rankscope warmup``."""

import os

import typer


def warmup() -> None:
    """Compile the kernels now, so that later commands start at once."""
    from rankcore.warmup import warm_up

    def show(part: str, done: int, count: int) -> None:
        typer.echo(f"  {done + 1} of {count}: {part}")

    warm_up(show, workers=os.cpu_count() or 1)
