"""Checks of data before training: repeated queries, unjudged documents, single
features, and redundant features."""

import itertools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore import measures
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.data.readers.folds import query_keys
from rankcore.mathematics.small_matrices import symmetric
from rankcore.measures import STANDARD, Rules
from rankcore.topics.datasets.description import PART_WORDS, parts

SHOWN = 3
# Maximum number of documents, of the first queries, for correlations.
MOST_DOCUMENTS = 20_000
# With fewer rows or queries it may be chance.
FEWEST_STEPS, FEWEST_QUERIES = 10, 8
NEARLY_ALL = 0.95
RANKS_ALONE = "alone ranks nearly every query perfectly"
COUNTS_ROWS = "changes by one from row to row"
_IDENTIFIER = re.compile(r"(^|[_\W])(id|ID|Id|uuid|pk)$|[a-z](ID|Id)$")


class Feature(NamedTuple):
    """A single feature.

    Attributes
    ----------
    value : float
        Mean of the measure when documents are ranked by it, in the better direction.
    falling : bool
        Whether its lowest values rank first.
    like : str
        The feature with which it is most correlated; empty if it is the only one.
    correlation : float
        Pearson's correlation with that feature within queries, in [-1, 1]; 0 if a
        feature is constant within every query.
    """

    name: str
    value: float
    falling: bool
    like: str
    correlation: float

    def row(self) -> dict[str, Any]:
        """Return it as a row of a table."""
        return {
            "feature": self.name,
            "nDCG@10 alone": self.value,
            "ranks first": "low values" if self.falling else "high values",
            "most like": self.like,
            "correlation": self.correlation,
        }


class Repeated(NamedTuple):
    """Queries that occur more than once.

    Attributes
    ----------
    same : list of tuple of str
        Queries with the same documents and labels, each named with its split.
    leaking : list of tuple of str
        Such queries in two splits, and ids that occur in two splits.
    """

    same: list[tuple[str, ...]]
    leaking: list[tuple[str, ...]]


def features(
    dataset: RankingDataset, measure: str = "nDCG@10", rules: Rules = STANDARD
) -> list[Feature]:
    """Measure each feature alone, and find the most similar one; best first.

    Missing values are replaced by their feature's median.

    Parameters
    ----------
    rules : Rules
        Evaluation rules.
    """
    dataset = dataset.filled()
    nearest, correlations = nearest_features(dataset)
    findings = []
    for j, name in enumerate(dataset.feature_names):
        column = np.ascontiguousarray(dataset.X[:, j], dtype=np.float64)
        rising, falling = (
            next(iter(measures.means(dataset, scores, measure, *rules).values()))
            for scores in (column, -column)
        )
        like = dataset.feature_names[nearest[j]] if nearest[j] >= 0 else ""
        best = max(rising, falling)
        findings.append(Feature(name, best, falling > rising, like, correlations[j]))
    return sorted(findings, key=lambda feature: -feature.value)


def nearest_features(dataset: RankingDataset) -> tuple[Integers, Floats]:
    """Return the feature with which each feature is most correlated within queries.

    Returns
    -------
    (d,) int64
        Its number, from 0; -1 if there is no other feature.
    (d,) float64
        Pearson's correlation of the two, after subtracting means within queries.
    """
    from rankcore._kernels.arithmetic.small_matrices import add_products

    last = np.searchsorted(dataset.offsets, MOST_DOCUMENTS, side="right") - 1
    offsets = dataset.offsets[: max(int(last), 1) + 1]
    X = dataset.X[: offsets[-1]].astype(np.float64)
    lengths, d = np.diff(offsets), dataset.n_features
    largest = np.abs(X).max(axis=0)
    X /= np.where(largest > 0, largest, 1.0)
    X -= np.repeat(np.add.reduceat(X, offsets[:-1]) / lengths[:, None], lengths, axis=0)
    norms = np.sqrt((X**2).sum(axis=0))
    X /= np.where(norms > 1e-12, norms, np.inf)
    if d == 1:
        return np.full(1, -1), np.zeros(1)
    products = np.zeros((d, d))
    add_products(X, X, products)
    # Among equally near features the first wins.
    products = np.round(symmetric(products), 10)
    strength = np.abs(products)
    np.fill_diagonal(strength, -1.0)
    nearest = strength.argmax(axis=1)
    correlations = products[np.arange(d), nearest]
    return nearest, np.clip(correlations, -1.0, 1.0)


def first_queries(dataset: RankingDataset) -> RankingDataset:
    """Return the first queries, with at most 20,000 documents, but at least one
    query."""
    n_queries = int(np.searchsorted(dataset.offsets, MOST_DOCUMENTS, "right")) - 1
    return dataset.part(slice(0, max(n_queries, 1)))


def names_identifier(name: str) -> bool:
    """Whether a feature's name is typical of identifiers.

    Examples
    --------
    >>> [names_identifier(name) for name in ("product_id", "userID", "idf", "bid")]
    [True, True, False, False]
    """
    return _IDENTIFIER.search(name) is not None


def doubtful_features(dataset: RankingDataset) -> dict[str, str]:
    """Find features that may be identifiers, positions or the labels themselves.

    Parameters
    ----------
    dataset : RankingDataset
        With unscaled features; only the first 20,000 documents are examined.

    Returns
    -------
    dict of str to str
        The reason for each such feature: it rises or falls by one from row to row, or
        it alone ranks (nearly) every query perfectly.
    """
    sample = first_queries(dataset)
    kinds = {RANKS_ALONE: _ranks_alone(sample), COUNTS_ROWS: _counts_rows(sample)}
    return {
        sample.feature_names[j]: kind
        for kind, has in kinds.items()
        for j in np.flatnonzero(has)
    }


def _counts_rows(dataset: RankingDataset) -> NDArray[np.bool_]:
    """Whether each feature (d,) rises or falls by one at nearly all rows of a file, or
    within nearly all queries."""
    order = np.argsort(dataset.rows, kind="stable")
    codes = np.repeat(np.arange(dataset.n_queries), dataset.lengths)
    steps = np.diff(dataset.X[order], axis=0)
    inside = np.diff(codes[order]) == 0
    counts = np.zeros(dataset.n_features, dtype=np.bool_)
    for chosen in (steps, steps[inside]):
        if len(chosen) >= FEWEST_STEPS:
            for step in (1.0, -1.0):
                counts |= (chosen == step).mean(axis=0) >= NEARLY_ALL
    return counts


def _ranks_alone(dataset: RankingDataset) -> NDArray[np.bool_]:
    """Whether each feature (d,), or its negative, ranks every document above all with
    lower labels, in nearly all queries with several labels."""
    faultless = np.zeros((2, dataset.n_features))
    n_graded = 0
    for begin, end in itertools.pairwise(dataset.offsets):
        order = np.argsort(dataset.y[begin:end], kind="stable")
        labels, X = dataset.y[begin:end][order], dataset.X[begin:end][order]
        begins = np.flatnonzero(np.diff(labels, prepend=labels[:1] - 1))
        if len(begins) < 2:
            continue
        n_graded += 1
        lows, highs = (of.reduceat(X, begins) for of in (np.minimum, np.maximum))
        faultless[0] += (highs[:-1] < lows[1:]).all(axis=0)
        faultless[1] += (lows[:-1] > highs[1:]).all(axis=0)
    if n_graded < FEWEST_QUERIES:
        return np.zeros(dataset.n_features, dtype=np.bool_)
    return faultless.max(axis=0) >= NEARLY_ALL * n_graded


def repeated(splits: Splits) -> Repeated:
    """Find queries that occur twice, by content or, between splits, by id."""
    by_content: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
    by_id: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for part, dataset in parts(splits).items():
        for index in range(dataset.n_queries):
            query = dataset.query(index)
            keys, content = query_keys(query)
            place = PART_WORDS[part], query.id
            by_content[content].append(place)
            by_id[keys].append(place)
    same = [places for places in by_content.values() if len(places) > 1]
    crossing = [
        places
        for places in [*same, *by_id.values()]
        if len({part for part, _ in places}) > 1
    ]
    return Repeated(_part_queries(same), list(dict.fromkeys(_part_queries(crossing))))


def doubts(features: Mapping[str, str]) -> list[str]:
    """Return a warning and a remedy for each of `doubtful_features`."""
    return [
        f"Feature {name} {what}. If it is an identifier, a position or a copy of the "
        "label, leave it out, or it will dominate the model."
        for name, what in features.items()
    ]


def warnings(dataset: RankingDataset, repeated: Repeated) -> list[str]:
    """Return warnings about repeated queries and unjudged documents."""
    sentences = []
    if repeated.leaking:
        sentences.append(
            f"{_queries(repeated.leaking)} in two splits, so results on the second are "
            f"too optimistic: {_listed(repeated.leaking)}. Keep each in one split."
        )
    others = [group for group in repeated.same if group not in repeated.leaking]
    if others:
        sentences.append(
            f"{_queries(others)} with the same documents and labels more than once: "
            f"{_listed(others)}. Keep one of each, or it counts twice."
        )
    unjudged = dataset.n_documents - dataset.n_judged
    if unjudged:
        sentences.append(
            f"{unjudged:,} of {dataset.n_documents:,} documents have no judgement; "
            "measures count them as irrelevant."
        )
    return sentences


def _part_queries(groups: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, ...]]:
    return [tuple(f"{query} ({part})" for part, query in places) for places in groups]


def _queries(groups: Sequence[tuple[str, ...]]) -> str:
    return f"{len(groups):,} {'query is' if len(groups) == 1 else 'queries are'}"


def _listed(groups: Sequence[tuple[str, ...]]) -> str:
    shown = "; ".join(" = ".join(group) for group in groups[:SHOWN])
    return f"{shown} and more" if len(groups) > SHOWN else shown
