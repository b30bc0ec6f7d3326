"""Options that several commands take, described once."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from rankcore.base.hyperparameters import Hyperparameter
from rankcore.cli._failures import misuse
from rankcore.training.selection import checked

AlgorithmName = Annotated[
    str, typer.Argument(metavar="ALGORITHM", help="A name of `rankscope algorithms`.")
]
MODEL_HELP = (
    "A file of `rankscope train --out`, or a model of LightGBM (text), XGBoost (JSON), "
    "RankLib, SVMrank, Solr or Elasticsearch."
)
Convention = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="How to measure: standard, letor3, letor4; trec with `evaluate --run`.",
    ),
]
Empty = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="What queries without relevant documents count: zero, skip, one.",
    ),
]
Ties = Annotated[
    str | None,
    typer.Option(
        metavar="WORD",
        help="How documents of equal scores count: mean, over their orders; input, "
        "worst or trec, in the order of the data, the worst one or that of trec_eval. "
        "(default mean; input with letor3 and letor4)",
    ),
]
Valid = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Validation data; it chooses the best iteration."
    ),
]
Test = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Test data, measured at the end."),
]
Normalise = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="Scale features within each query (minmax, zscore), or let linear models "
        "learn standardised ones, which all exports hold (standard); or none.",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Settings by name; `rankscope describe` lists them."
    ),
]


def _at(text: str) -> str:
    with misuse():
        return checked(text)


At = Annotated[
    str,
    typer.Option(
        "--at",
        metavar="WORD",
        parser=_at,
        help="Which model of the run: best, as validation or the objective chooses it; "
        "last; or the number of an iteration.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object and nothing else."),
]


def option_executor(what: str, words: str, note: str) -> typer.models.OptionInfo:
    """Return the option ``--executor``, where ``what`` is done, with a ``note`` on
    it."""
    return typer.Option(
        metavar="WORD",
        help=f"Where {what}: {words}, or the address of a Dask scheduler, such as "
        f"tcp://127.0.0.1:8786. {note}",
    )


WHOLE_MODELS = "serial, threads, threads:4, processes, processes:4"
SumsExecutor = Annotated[
    str | None,
    option_executor(
        "sums over large data are computed",
        "serial, threads, threads:4",
        "The model is the same to the last bit. (default threads, as many as cores or "
        "as RANKSCOPE_THREADS says)",
    ),
]
RunsExecutor = Annotated[
    str | None,
    option_executor(
        "whole models are trained",
        WHOLE_MODELS,
        "What is found is the same to the last bit. Not together with --processes.",
    ),
]


def option_measures(note: str) -> typer.models.OptionInfo:
    """Return the option ``--measure``, with a ``note`` on its use in the command."""
    return typer.Option(metavar="NAME", help=f"May be repeated{note}")


def option_number(
    name: str,
    kind: Literal["real", "integer"],
    minimum: float,
    maximum: float | None = None,
    help: str | None = None,  # noqa: A002
) -> typer.models.OptionInfo:
    """Return an option that takes a number, read as those of the hyperparameters
    are."""
    declared = Hyperparameter(
        name, kind, None, help or "", minimum=minimum, maximum=maximum
    )

    def read(text: Any) -> Any:
        with misuse():
            # A default is a number already.
            return declared.parse(text if isinstance(text, str) else str(text))

    metavar = {"real": "NUMBER", "integer": "WHOLE"}[kind]
    return typer.Option(name, metavar=metavar, parser=read, help=help)
