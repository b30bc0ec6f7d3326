"""Options shared by several commands."""

import inspect
import re
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from rankcore.base.hyperparameters import Hyperparameter
from rankcore.cli._failures import misuse
from rankcore.training.selection import checked

AlgorithmName = Annotated[
    str, typer.Argument(metavar="ALGORITHM", help="A name of `rankscope algorithms`.")
]
MODEL = typer.Argument(
    metavar="MODEL",
    help="A file of `rankscope train --out`, or a model of LightGBM (text), XGBoost "
    "(JSON), RankLib, SVMrank, Solr or Elasticsearch.",
)
Convention = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="Convention of the measures: standard, letor3, letor4; trec with "
        "`evaluate --run`.",
    ),
]
Empty = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="Value of queries without relevant documents: zero, one, or skip to leave "
        "them out.",
    ),
]
Ties = Annotated[
    str | None,
    typer.Option(
        metavar="WORD",
        help="How to order tied documents: mean (average over their orders), input "
        "(order of the data), worst (worst order) or trec (order of trec_eval). "
        "(default mean; input with letor3 and letor4)",
    ),
]
Valid = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Validation data, used to choose the best iteration."
    ),
]
Test = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Test data, evaluated at the end."),
]
Normalise = Annotated[
    str,
    typer.Option(
        metavar="WORD",
        help="Scale features within each query (minmax, zscore), standardise them for "
        "linear models, in all exports too (standard), or none.",
    ),
]
BudgetTime = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="End after this time: 60s, 5m, 1h30m."),
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
        help="Model of the run: best (chosen by validation data or the objective), "
        "last, or the number of an iteration.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object and nothing else."),
]


def option_executor(what: str, words: str, note: str) -> typer.models.OptionInfo:
    """Return the option ``--executor``, whose help says ``what`` it places and ends
    with a ``note``."""
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
        "The model is the same to the last bit. (default threads, one per core or "
        "RANKSCOPE_THREADS)",
    ),
]
RunsExecutor = Annotated[
    str | None,
    option_executor(
        "whole models are trained",
        WHOLE_MODELS,
        "The results are the same to the last bit. Excludes --processes.",
    ),
]


@dataclass(frozen=True)
class NumberRange:
    """An option that takes a number in a range, parsed like hyperparameters; an integer
    where the command's parameter is an ``int``."""

    minimum: float
    maximum: float | None = None

    def option(self, name: str, kind: Any) -> typer.models.OptionInfo:
        """Return the option with a name, such as --seed, for a parameter of a type."""
        whole = int in (kind, *get_args(kind))
        declared = Hyperparameter(
            name,
            "integer" if whole else "real",
            *(None, ""),
            minimum=self.minimum,
            maximum=self.maximum,
        )

        def read(text: Any) -> Any:
            with misuse():
                # The default is already a number.
                return declared.parse(text if isinstance(text, str) else str(text))

        return typer.Option(name, metavar="WHOLE" if whole else "NUMBER", parser=read)


_ENTRY = re.compile(r"^(\w+)(?: : (.+))?\n((?: {4}.*\n?)+)", re.MULTILINE)


def documented(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for Typer with the options that its docstring describes.

    Each entry under "Parameters" has the name, the placeholder of the value in the
    help, and its meaning. A parameter without a default is an argument, unless
    annotated as an option; a parameter without an entry keeps its annotation.
    """
    about, _, entries = (inspect.getdoc(command) or "").partition(
        "\n\nParameters\n----------\n"
    )
    texts = {
        name: {"metavar": metavar or None, "help": " ".join(meaning.split())}
        for name, metavar, meaning in _ENTRY.findall(entries)
    }
    parameters = [
        _described(parameter, texts.get(parameter.name, {}))
        for parameter in inspect.signature(command).parameters.values()
    ]
    complete = with_parameters(command, command, parameters)
    complete.__doc__ = about
    return complete


def _described(
    parameter: inspect.Parameter, texts: dict[str, str | None]
) -> inspect.Parameter:
    kind, info = parameter.annotation, None
    if get_origin(kind) is Annotated:
        kind, info = get_args(kind)
    name = "--" + parameter.name.replace("_", "-")
    if isinstance(info, NumberRange):
        # The type determines the placeholder of the value.
        info, texts = info.option(name, kind), {"help": texts.get("help")}
    elif kind is bool and info is None:
        # An explicit name prevents a --no-… counterpart.
        info = typer.Option(name)
    elif not texts:
        return parameter
    elif info is not None:
        info = copy(info)
    else:
        needed = parameter.default is parameter.empty
        info = typer.Argument() if needed else typer.Option()
    vars(info).update(texts)
    return parameter.replace(annotation=Annotated[kind, info])


def with_parameters(
    command: Callable[..., None],
    calling: Callable[..., None],
    parameters: Iterable[inspect.Parameter],
) -> Callable[..., None]:
    """Return ``calling`` under the name of a command, with parameters for Typer."""

    @wraps(command)
    def command_of_typer(**values: Any) -> None:
        calling(**values)

    command_of_typer.__signature__ = inspect.Signature([*parameters])  # type: ignore[attr-defined]
    return command_of_typer
