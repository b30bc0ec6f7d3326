"""``rankscope cluster``."""

import threading
from typing import Annotated

import typer

from rankcore.base.extras import command
from rankcore.base.numbers import counted
from rankcore.cli._failures import Failed
from rankcore.cli._options import NumberRange
from rankcore.cli.commands.serve import ADDRESS, require_free


def cluster(
    workers: Annotated[int | None, NumberRange(1, 1000)] = None,
    port: Annotated[int, NumberRange(0, 65535)] = 8786,
) -> None:
    """Start a Dask cluster on this machine for trials; Ctrl-C ends it.

    It listens on 127.0.0.1 only. Programs on this machine that connect to it can run
    any code in its workers.

    Parameters
    ----------
    workers
        Number of worker processes. (default: number of cores)
    port
        Port of the scheduler; 0 for any free port.
    """
    from rankcore.compute.executors import allowed_threads

    try:
        from distributed import LocalCluster
    except ImportError as error:
        raise Failed(
            f"Dask is not installed. Install it with: {command('cluster')}."
        ) from error
    count = workers or allowed_threads()
    require_free(ADDRESS, port, "rankscope cluster --port {}")
    with LocalCluster(
        host=ADDRESS,
        scheduler_port=port,
        n_workers=count,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False},
        env={"RANKSCOPE_THREADS": "1"},
    ) as running:
        address = running.scheduler_address
        typer.echo(
            f"{counted(count, 'workers')} at {address}. Train there: rankscope train "
            f"DATA RSRank --executor {address}"
        )
        threading.Event().wait()
