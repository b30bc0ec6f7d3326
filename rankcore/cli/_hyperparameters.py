"""Options of ``train`` and other commands for the hyperparameters of an algorithm."""

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from rankcore.base.hyperparameters import Hyperparameter, hyperparameters
from rankcore.base.symbols import plain
from rankcore.cli._failures import Misused
from rankcore.cli._options import with_parameters

SIGNS = "signs"
RENAMED = {"random_state": "seed"}


def command(
    train: Callable[..., None], arguments: Sequence[str], word: str = "train"
) -> tuple[dict[str, Any], Callable[..., None]]:
    """Add to a command, by default ``train``, an option for each hyperparameter of the
    algorithm that the command line names.

    Return context settings for Typer, and the command with a signature that Typer
    reads; it receives the hyperparameters as keyword arguments. If the algorithm is
    missing or misspelt, that error comes before any about options.
    """
    algorithm = _algorithm_class(arguments[1:]) if arguments[:1] == [word] else None
    settings = {} if algorithm else {"ignore_unknown_options": True}
    if not algorithm:
        settings["allow_extra_args"] = True
    options = _options(algorithm) if algorithm else []
    fixed = [
        parameter
        for parameter in inspect.signature(train).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]

    return settings, with_parameters(train, train, [*fixed, *options])


def option_name(name: str) -> str:
    """Return the option of a hyperparameter: ``learning_rate`` → --learning-rate."""
    return "--" + RENAMED.get(name, name).replace("_", "-")


def parse(algorithm: type, texts: dict[str, str | None]) -> dict[str, Any]:
    """Return the values of the given options. Raises Misused for an invalid value."""
    declared = hyperparameters(algorithm)
    values = {}
    for name, text in texts.items():
        if text is not None:
            if name not in declared:
                raise Misused(_no_signs(algorithm))
            try:
                values[name] = declared[name].parse(text)
            except ValueError as error:
                raise Misused(f"{option_name(name)}: {error}") from error
    return values


def _algorithm_class(words: Sequence[str]) -> type | None:
    """Return the first word that is an algorithm's name."""
    if all(word.startswith("-") for word in words):
        return None
    from rankcore.algorithms import get_algorithm, list_algorithms

    names = {name.lower() for name in list_algorithms()}
    return next((get_algorithm(w) for w in words if w.lower() in names), None)


def _no_signs(algorithm: Any) -> str:
    return (
        f"{option_name(SIGNS)}: {algorithm.title} has no signs of features. "
        f"{algorithm.signs_refusal} Leave them out, or choose an algorithm that has "
        "them, such as RSRank, FenchelRank or XGBoost."
    )


def _options(algorithm: type) -> list[inspect.Parameter]:
    declared = hyperparameters(algorithm)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, _option(algorithm, name, row)],
        )
        # Without signs of features, the option is hidden and refused with a reason.
        for name, row in {**declared, SIGNS: declared.get(SIGNS)}.items()
    ]


def _option(algorithm: type, name: str, declared: Hyperparameter | None) -> Any:
    if declared is None:
        return typer.Option(option_name(name), hidden=True)
    return typer.Option(
        option_name(name),
        metavar=_metavar(declared),
        help=_help(declared),
        rich_help_panel=f"Hyperparameters of {algorithm.__name__}",
    )


def _metavar(declared: Hyperparameter) -> str:
    return {"real": "NUMBER", "integer": "WHOLE", "choice": "WORD"}[declared.kind]


def _help(declared: Hyperparameter) -> str:
    symbol = f"{plain(declared.symbol)}: " if declared.symbol else ""
    default = declared.format(declared.default)
    return f"{declared.meaning} ({symbol}{declared.range_text}; default {default})"
