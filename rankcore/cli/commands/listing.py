"""``rankscope datasets``, ``algorithms`` and ``describe``."""

import inspect
from typing import TYPE_CHECKING, Any

import typer

from rankcore.base.symbols import plain
from rankcore.cli import _output
from rankcore.cli._failures import misuse
from rankcore.cli._hyperparameters import option_name
from rankcore.cli._options import AlgorithmName, AsJson

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker


def datasets(as_json: AsJson = False) -> None:
    """List the data sets available by name, bundled and your own."""
    from rankcore.data.catalogue import list_datasets

    infos = list_datasets()
    if as_json:
        _output.print_json({info.name: vars(info) for info in infos})
        return
    heads = ("NAME", "PARTS", "WHAT IT IS", "LICENCE")
    rows = [
        (info.name, ", ".join(info.splits), info.title, info.licence) for info in infos
    ]
    _output.print_table(heads, rows)
    for info in infos:
        if info.problem:
            typer.echo(info.problem, err=True)


def algorithms(as_json: AsJson = False) -> None:
    """List the algorithms."""
    from rankcore.algorithms import get_algorithm, list_algorithms

    classes = [get_algorithm(name) for name in list_algorithms()]
    if as_json:
        _output.print_json({cls.__name__: _summary(cls) for cls in classes})
        return
    rows = [(cls.__name__, cls.family, cls.summary) for cls in classes]
    _output.print_table(("NAME", "FAMILY", "WHAT IT DOES"), rows)


def describe(
    algorithm: AlgorithmName,
    as_json: AsJson = False,
) -> None:
    """Describe an algorithm: equation, paper, hyperparameters and presets."""
    from rankcore.algorithms import get_algorithm

    with misuse():
        cls = get_algorithm(algorithm)
    if as_json:
        _output.print_json(_summary(cls))
        return
    typer.echo(f"{cls.title} ({cls.family})\n{cls.summary}\n")
    goal = "Maximises" if cls.maximises else "Minimises"
    typer.echo(f"{goal}\n    {cls.equation}\n\nPaper\n    {cls.paper}\n")
    about = inspect.getdoc(inspect.getmodule(cls))
    if about:
        typer.echo(f"{about}\n")
    _print_hyperparameters(cls)
    _print_presets(cls)


def _summary(cls: "type[Ranker]") -> dict[str, Any]:
    from rankcore.base.hyperparameters import hyperparameters

    texts = ("title", "family", "summary", "equation", "paper", "maximises")
    return {
        "name": cls.__name__,
        **{text: getattr(cls, text) for text in texts},
        "hyperparameters": {
            name: vars(declared) for name, declared in hyperparameters(cls).items()
        },
        "presets": cls.presets,
    }


def _print_hyperparameters(cls: "type[Ranker]") -> None:
    from rankcore.base.hyperparameters import hyperparameters

    rows = [
        (
            option_name(name),
            plain(declared.symbol),
            declared.format(declared.default),
            declared.range_text,
            declared.meaning,
        )
        for name, declared in hyperparameters(cls).items()
    ]
    heads = ("HYPERPARAMETER", "SYMBOL", "DEFAULT", "PERMITTED", "MEANING")
    _output.print_table(heads, rows)


def _print_presets(cls: "type[Ranker]") -> None:
    for name, settings in cls.presets.items():
        options = " ".join(f"{option_name(key)} {settings[key]}" for key in settings)
        typer.echo(f'\n--preset "{name}"\n    {options}')
