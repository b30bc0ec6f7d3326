"""Packages that parts of RankScope need, and the message if one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

# Package → the extra of `pyproject.toml` that installs it.
EXTRAS = {
    "alembic": "store",
    "distributed": "cluster",
    "mlflow": "tracking",
    "optuna": "search",
    "plotly": "app",
    "pyarrow": "parquet",
    "rich": "cli",
    "sqlalchemy": "store",
    "streamlit": "app",
    "typer": "cli",
    "wandb": "tracking",
}


class MissingExtraError(ModuleNotFoundError):
    """A package is not installed; the message says what to do."""


def command(extra: str) -> str:
    """Return the command for an extra; RankScope is not on a package index yet."""
    return f"pip install '.[{extra}]' in the folder of RankScope"


@contextmanager
def needed_to(purpose: str) -> Iterator[None]:
    """Import packages of an extra.

    Parameters
    ----------
    purpose : str
        Their purpose, such as ``"read Parquet"``.

    Raises
    ------
    MissingExtraError
        If a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if isinstance(error, MissingExtraError) or package not in EXTRAS:
            raise
        raise MissingExtraError(
            f"To {purpose}, install {package}: {command(EXTRAS[package])}.",
            name=error.name,
        ) from error
