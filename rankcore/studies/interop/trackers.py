"""Callbacks of `fit` that log each iteration to MLflow and to Weights & Biases."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankcore.base.extras import needed_to

if TYPE_CHECKING:
    from rankcore.training import Record


def figures(record: "Record") -> dict[str, float]:
    """Return the logged metrics of an iteration, such as ``"valid nDCG@10"``."""
    measured = {"train": record.train, "valid": record.valid}
    return {
        "objective": record.objective,
        "features": record.nonzeros,
        "seconds": record.seconds,
        **{
            f"{split} {name}": value
            for split, values in measured.items()
            for name, value in values.items()
        },
    }


def mlflow_callback(run_id: str | None = None) -> Callable[["Record"], None]:
    """Return a callback that logs to MLflow.

    Parameters
    ----------
    run_id : str, optional
        By default the active run. Names have " at " for @, which MLflow does not allow.

    Raises
    ------
    MissingExtraError
        If MLflow is not installed.
    """
    with needed_to("log to MLflow"):
        import mlflow

    def log(record: "Record") -> None:
        values = {n.replace("@", " at "): v for n, v in figures(record).items()}
        mlflow.log_metrics(values, step=record.iteration, run_id=run_id)

    return log


def wandb_callback(run: Any = None) -> Callable[["Record"], None]:
    """Return a callback that logs to Weights & Biases.

    Parameters
    ----------
    run : wandb.Run, optional
        Run to log to; by default the active run.

    Raises
    ------
    MissingExtraError
        If Weights & Biases is not installed.
    """
    with needed_to("log to Weights & Biases"):
        import wandb

    def log(record: "Record") -> None:
        (run or wandb).log(figures(record), step=record.iteration, commit=True)

    return log
