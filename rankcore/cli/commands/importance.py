"""``rankscope importance``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcore.cli import _output
from rankcore.cli._data import Data, Reading, Weights, load, takes_reading
from rankcore.cli._failures import misuse
from rankcore.cli._options import MODEL, AsJson, Convention, Empty, NumberRange
from rankcore.cli.commands.evaluate import part_of

if TYPE_CHECKING:
    from rankcore.studies.importance import Importance


@takes_reading
def importance(
    data: Data,
    model: Annotated[list[Path], MODEL],
    split: str | None = None,
    measure: str = "nDCG@10",
    convention: Convention = "standard",
    empty: Empty = "zero",
    repeats: Annotated[int, NumberRange(20)] = 20,
    refits: bool = False,
    weights: Weights = None,
    as_json: AsJson = False,
    *,
    reading: Reading,
) -> None:
    """Show how much a measure decreases without the information of each feature.

    A feature's values are permuted within each query. The interval is over queries.

    Parameters
    ----------
    split : WORD
        The part to measure: train, valid or test; by default test, or the only one.
    measure : NAME
        Measure whose decrease is reported.
    repeats
        Number of permutations, the same ones for all models.
    refits
        Instead, retrain a linear model on the training split without each feature, with
        the same hyperparameters and seed.
    """
    from warnings import catch_warnings, simplefilter

    from rankcore.base.errors import warn_of_data
    from rankcore.studies.importance import partners, permuted, refitted
    from rankcore.studies.models import load_model

    reading = reading._replace(weights=weights)
    rules = _output.rules_of([measure], convention, empty)
    rankers = [load_model(path) for path in model]
    name, dataset = part_of(data, split, reading)
    with misuse(), catch_warnings(record=True) as caught:
        simplefilter("always", UserWarning)
        if refits:
            train = load(data, reading=reading).train
            losses = [refitted(one, train, dataset, measure, rules) for one in rankers]
        else:
            losses = permuted(rankers, dataset, measure, rules, repeats)
    for sentence in dict.fromkeys(str(one.message) for one in caught):
        warn_of_data(sentence)
    correlated, weighted = partners(dataset), _output.weights_of({name: dataset})
    if as_json:
        _output.print_json(
            {
                "measure": measure,
                "models": [
                    {"file": str(path), "features": [one._asdict() for one in rows]}
                    for path, rows in zip(model, losses, strict=True)
                ],
                "correlated": correlated,
                **weighted,
            }
        )
        return
    how = f"where values are permuted within queries, {repeats} times"
    if refits:
        how = "when retrained without the feature, with equal hyperparameters and seed"
    for path, ranker, rows in zip(model, rankers, losses, strict=True):
        typer.echo(f"{path}: {ranker.title}, loss of {measure} {how}\n")
        heads = ("feature", ranker.weights_title, "loss", "low", "high", "correlated")
        _output.print_table(heads, [_row(one, correlated) for one in rows])
        typer.echo("")
    _output.print_weights(weighted)


def _row(
    one: "Importance", correlated: dict[str, tuple[str, float]]
) -> tuple[object, ...]:
    other = correlated.get(one.feature)
    return (*one, "" if other is None else f"{other[0]} (r {other[1]:.2f})")
