"""From scores to tables and means: rank once, then every measure."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rankcore._arrays import read_only
from rankcore.measures._measure import (
    Floats,
    Integers,
    Lists,
    Measure,
    checked,
)
from rankcore.measures._naming import parse
from rankcore.measures._ranking import worst_first
from rankcore.measures._rules import Rules

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.dataset import RankingDataset


TIES = ("input", "worst")


class Judged(Protocol):
    """Anything with grades and query offsets, such as a `RankingDataset`."""

    @property
    def y(self) -> Integers: ...

    @property
    def offsets(self) -> Integers: ...


def evaluate(
    dataset: "RankingDataset",
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str = "input",
) -> "pd.DataFrame":
    """Measure the rankings that scores give.

    Parameters
    ----------
    dataset : RankingDataset
    scores : (n,) float64
        A score per document in the order of ``dataset.X``; higher is better.
    measures : str, Measure or sequence of them
        Names such as ``"nDCG@10"``, ``"AP"``, ``"RR@10"``, ``"P@5"``, ``"AUC"``.
    convention : {"standard", "letor3", "letor4"}
    empty : {"zero", "skip", "one"}
        Value of queries without relevant documents; ``skip`` gives NaN, which
        pandas leaves out of means.
    ties : {"input", "worst"}
        Whether documents of equal scores keep their order, as in reported figures, or
        count by their worst order, by rising label. Models are chosen by the latter:
        otherwise one that ties all documents of data sorted by label seems perfect.

    Returns
    -------
    pandas.DataFrame
        A row per query, indexed by query id, and a column per measure.

    Raises
    ------
    ValueError
        For unknown measures, conventions, rules or ties, or scores that do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from rankcore import RankingDataset
    >>> data = RankingDataset.from_arrays(np.eye(3), [0, 2, 1])
    >>> float(evaluate(data, [3.0, 2.0, 1.0], "RR").loc["1", "RR"])
    0.5
    """
    import pandas as pd

    columns = by_query(dataset, scores, measures, convention, empty, ties)
    index = pd.Index(dataset.query_ids, name="query", dtype=object)
    return pd.DataFrame(columns, index=index)


def by_query(
    dataset: Judged,
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str = "input",
) -> dict[str, Floats]:
    """The columns (q,) of `evaluate` by name, as `evaluate` without the table.

    Parameters and errors are those of `evaluate`; ``dataset`` may be anything with
    grades ``y`` and query ``offsets``.
    """
    fill = Rules(convention, empty).undefined.value
    return {
        str(measure): np.where(np.isnan(values), fill, values)
        for measure, values in _measured(dataset, scores, measures, convention, ties)
    }


def means(
    dataset: Judged,
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str = "input",
) -> dict[str, float]:
    """Mean over queries of each measure, by name, as `evaluate` without the table.

    Parameters and errors are those of `evaluate`; ``dataset`` may be anything with
    grades ``y`` and query ``offsets``.
    """
    return {
        str(measure): mean(values, empty)
        for measure, values in _measured(dataset, scores, measures, convention, ties)
    }


def mean(values: ArrayLike, empty: str = "zero") -> float:
    """Mean of values per query, NaN counting what the rule ``empty`` says.

    Returns
    -------
    float
        NaN if no query is left.
    """
    fill = Rules(empty=empty).undefined.value
    numbers = np.asarray(values, dtype=np.float64)
    undefined = np.isnan(numbers)
    if undefined.any():
        numbers = (
            numbers[~undefined]
            if math.isnan(fill)
            else np.where(undefined, fill, numbers)
        )
    return float(numbers.sum() / numbers.size) if numbers.size else math.nan


def _measured(
    dataset: Judged,
    scores: ArrayLike,
    measures: str | Measure | Sequence[str | Measure],
    convention: str,
    ties: str,
) -> Iterator[tuple[Measure, Floats]]:
    """Rank the documents once and give each measure its values per query."""
    definition = Rules(convention).definition
    names = [measures] if isinstance(measures, str | Measure) else measures
    parsed = [parse(name) for name in names]
    keys, labels, offsets = checked(scores, dataset.y, dataset.offsets, "scores")
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, not {ties!r}.")
    if ties == "worst":
        rows = worst_first(labels, offsets)
        keys, labels, _ = checked(keys[rows], labels[rows], offsets, "scores")
    whole = any(measure.reads_irrelevant for measure in parsed)
    lists = _ranked(keys, labels, offsets, whole)
    relevant = lists.relevant() if whole else lists
    for measure in parsed:
        listed = lists if measure.reads_irrelevant else relevant
        yield measure, measure.values(listed, definition, math.inf)


def _ranked(keys: Floats, labels: Integers, offsets: Integers, whole: bool) -> Lists:
    from rankcore._kernels.ranks import rank_all, rank_relevant

    sizes = np.diff(offsets)
    if whole:
        ranks = read_only(rank_all(keys, offsets), np.float64)
        return Lists(ranks, labels, offsets, sizes)
    ranks, labels, offsets = rank_relevant(keys, labels, offsets)
    return Lists(ranks, labels, offsets, sizes)
