"""``rankscope warmup``."""

import typer


def warmup() -> None:
    """Compile the kernels now, so that nobody waits for them later."""
    from rankcore.warmup import warm_up

    warm_up(lambda part, done, count: typer.echo(f"  {done + 1} of {count}: {part}"))
