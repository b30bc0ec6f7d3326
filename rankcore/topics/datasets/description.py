"""Ranking data in numbers: labels, list lengths, spread of features, warnings."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Floats, Integers, missing_of
from rankcore.base.grids import decade
from rankcore.base.numbers import label_text, phrase
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Division, Shares

SHORT_LIST = 10
MANY_BINS = 24
DIFFERENT_SCALES = 1000.0
# Number of different fractional labels above which ranges are shown.
MANY_LABELS = 12


@dataclass(frozen=True)
class PartSize:
    """The size of one split of a data set.

    Attributes
    ----------
    part : str
        ``train``, ``valid`` or ``test``.
    highest_label : float
        An int if all labels are whole.
    relevant : float
        Share of the documents with a label above 0.
    shortest, longest : int
        Documents of the shortest and of the longest list.
    """

    part: str
    queries: int
    documents: int
    features: int
    highest_label: float
    relevant: float
    shortest: int
    median_length: float
    longest: int

    def row(self, name: str) -> dict[str, Any]:
        """Return it as a row of a table, under the name of the split."""
        return {
            "split": name,
            "queries": self.queries,
            "documents": self.documents,
            "features": self.features,
            "highest label": self.highest_label,
            "share of relevant documents": self.relevant,
            "shortest list": self.shortest,
            "median list": self.median_length,
            "longest list": self.longest,
        }


class LabelCounts(NamedTuple):
    """Number of documents by label.

    Attributes
    ----------
    names : tuple of str
        A label, or the range of several.
    levels : (m,) float64
        The label, or the end of the range.
    counts : (m,) int64
    """

    names: tuple[str, ...]
    levels: Floats
    counts: Integers


@dataclass(frozen=True)
class FeatureSpread:
    """The values of each of d features over all documents.

    Attributes
    ----------
    names : tuple of d str
    low, quarter, median, three_quarters, high : (d,) float64
    zeros, missing : (d,) float64
        Share of the documents in which the feature is 0, and in which it is missing.
    constant : (d,) bool
        Whether it is constant everywhere.
    useless : (d,) bool
        Whether it is constant within each query, so that it cannot affect the ranking;
        constant features are included.
    """

    names: tuple[str, ...]
    low: Floats
    quarter: Floats
    median: Floats
    three_quarters: Floats
    high: Floats
    zeros: Floats
    missing: Floats
    constant: NDArray[np.bool_]
    useless: NDArray[np.bool_]


# (b,) counts and (b + 1,) edges of bins.
Histogram = tuple[Integers, Integers]
# Names of the splits in a sentence.
PART_WORDS = {"train": "training", "valid": "validation", "test": "test"}


def parts(splits: Splits) -> dict[str, RankingDataset]:
    """Return the splits of a data set, by name."""
    return {
        name: part
        for name, part in zip(Splits._fields, splits, strict=True)
        if part is not None
    }


def loaded_text(names: Sequence[str], splits: Splits, division: Division | None) -> str:
    """Return a sentence on data loaded from files, and on its split."""
    there = parts(splits)
    loaded = f"{', '.join(names)} loaded: " + ", ".join(
        f"{number:,} {one if number == 1 else many}"
        for number, one, many in (
            (sum(part.n_queries for part in there.values()), "query", "queries"),
            (sum(part.n_documents for part in there.values()), "document", "documents"),
            (splits.train.n_features, "feature", "features"),
        )
    )
    unjudged = sum(part.n_documents - part.n_judged for part in there.values())
    if unjudged:
        word = "document" if unjudged == 1 else "documents"
        loaded += f", {unjudged:,} {word} without judgement"
    if division is None:
        return f"{loaded}."
    if len(there) == 1:
        few = isinstance(division, Shares)
        return f"{loaded}, {'too few queries to split' if few else 'all for training'}."
    names = phrase(PART_WORDS[name] for name in there)
    return f"{loaded}, split {division} into {names}."


def sizes(splits: Splits) -> list[PartSize]:
    """Return the size of each split."""
    return [size(part, dataset) for part, dataset in parts(splits).items()]


def size(part: str, dataset: RankingDataset) -> PartSize:
    """Return the size of one split."""
    return PartSize(
        part=part,
        queries=dataset.n_queries,
        documents=dataset.n_documents,
        features=dataset.n_features,
        highest_label=dataset.y.max().item(),
        relevant=float(np.mean(dataset.y >= 1)),
        shortest=int(dataset.lengths.min()),
        median_length=float(np.median(dataset.lengths)),
        longest=int(dataset.lengths.max()),
    )


def label_counts(dataset: RankingDataset) -> LabelCounts:
    """Return the numbers of documents with labels 0, 1, 2 and so on; many different
    fractions are counted in ranges of equal size, apart from 0."""
    levels = dataset.numbered_labels[1]
    if levels is None:
        counts = np.bincount(dataset.y)
        return _counts(np.arange(len(counts), dtype=np.float64), counts)
    if len(levels) <= MANY_LABELS:
        return _counts(levels, np.bincount(dataset.grades, minlength=len(levels)))
    ends = np.linspace(0.0, levels[-1], MANY_LABELS)
    places = np.searchsorted(ends, dataset.y)
    texts = [f"{label_text(low)}–{label_text(high)}" for low, high in pairwise(ends)]
    counts = np.bincount(places, minlength=len(ends))
    return LabelCounts(("0", *texts), ends, counts)


def _counts(levels: Floats, counts: Integers) -> LabelCounts:
    return LabelCounts(tuple(map(label_text, levels.tolist())), levels, counts)


def label_meanings(parts: Sequence[RankingDataset]) -> str:
    """Return the meaning of the labels and their numbers of documents, as a
    sentence."""
    labels, counts = np.unique(
        np.concatenate([part.y for part in parts]), return_counts=True
    )
    if len(labels) > MANY_LABELS and labels.dtype.kind == "f":
        return (
            f"{len(labels):,} different labels, from {label_text(labels[0])} to "
            f"{label_text(labels[-1])} = most relevant."
        )
    words = {labels[-1].item(): " = most relevant"} | {0: " = irrelevant"}
    texts = [
        f"{label_text(label)}{words.get(label, '')} ({count:,})"
        for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
    ]
    return f"Labels, with their documents: {', '.join(texts)}."


def list_lengths(dataset: RankingDataset) -> Histogram:
    """Return the numbers of queries by list length, in at most 24 round bins, and the
    edges of the bins, like `numpy.histogram`."""
    lengths = dataset.lengths
    width = _round_up((lengths.max() - lengths.min() + 1) / MANY_BINS)
    first = lengths.min() // width * width
    edges = np.arange(first, lengths.max() + width + 1, width)
    return np.histogram(lengths, bins=edges)


def feature_spread(dataset: RankingDataset) -> FeatureSpread:
    """Return the distribution of each feature's values, without missing ones."""
    X, of = dataset.X, np.quantile
    missing = missing_of(X) / len(X) if dataset.has_missing else np.zeros(X.shape[1])
    if missing.any():  # a feature without values counts as 0
        X, of = np.where(missing == 1.0, 0.0, X), np.nanquantile
    low, quarter, median, three_quarters, high = of(X, (0, 0.25, 0.5, 0.75, 1), axis=0)
    starts = dataset.offsets[:-1]
    within = np.maximum.reduceat(X, starts) - np.minimum.reduceat(X, starts)
    return FeatureSpread(
        names=dataset.feature_names,
        low=low,
        quarter=quarter,
        median=median,
        three_quarters=three_quarters,
        high=high,
        zeros=np.mean(X == 0, axis=0),
        missing=missing,
        constant=low == high,
        useless=(within == 0).all(axis=0),
    )


def warnings(dataset: RankingDataset, spread: FeatureSpread) -> list[str]:
    """Warnings before training on a data set, one sentence each."""
    sentences = [
        dataset.missing_text
        and f"{dataset.missing_text}. Only LightGBM and XGBoost train on them.",
        _useless_warning(spread),
        *_query_warnings(dataset),
        _scale_warning(spread),
    ]
    return [sentence for sentence in sentences if sentence]


def _useless_warning(spread: FeatureSpread) -> str:
    count = int(spread.useless.sum())
    if count == 0:
        return ""
    names = [spread.names[i] for i in np.flatnonzero(spread.useless)]
    shown = ", ".join(names[:3]) + (" and more" if count > 3 else "")
    return (
        f"{_count(count, 'feature is', 'features are')} constant within each query "
        f"and cannot affect the ranking: {shown}."
    )


def _query_warnings(dataset: RankingDataset) -> list[str]:
    """Return warnings about queries with problems."""
    best = np.maximum.reduceat(dataset.y, dataset.offsets[:-1])
    empty = (
        "no relevant document. Its nDCG is not defined; it counts as 0 (change it "
        "under Evaluation rules)."
    )
    single = "a single document: there is nothing to order in it."
    short = (
        f"fewer than {SHORT_LIST} documents. The letor conventions count 0 as their "
        f"nDCG@{SHORT_LIST}; the standard one does not."
    )
    lengths = dataset.lengths
    wrong = {empty: best == 0, single: lengths == 1, short: lengths < SHORT_LIST}
    return [
        f"{_count(int(queries.sum()), 'query has', 'queries have')} {text}"
        for text, queries in wrong.items()
        if queries.any()
    ]


def scale_ratio(spread: FeatureSpread) -> float:
    """Return the ratio of the widest to the narrowest range of non-constant features; 1
    if all are constant."""
    ranges = (spread.high - spread.low)[~spread.constant]
    return float(ranges.max() / ranges.min()) if len(ranges) else 1.0


def differ_in_scale(spread: FeatureSpread) -> bool:
    """Whether a feature spans a thousand times the range of another."""
    return scale_ratio(spread) > DIFFERENT_SCALES


def scaling_effect(spread: FeatureSpread, scaled: FeatureSpread) -> str:
    """Return the ranges of the features before and after a normalisation, as a
    sentence."""
    return (
        f"The widest feature spans {_times(scale_ratio(scaled))} the range of the "
        f"narrowest; unscaled, {_times(scale_ratio(spread))}."
    )


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"


def _scale_warning(spread: FeatureSpread) -> str:
    if not differ_in_scale(spread):
        return ""
    return (
        f"The widest feature spans {scale_ratio(spread):.0e} times the range "
        "of the narrowest. Standardise them, or one feature dominates the others."
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _round_up(width: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    power = 10 ** decade(max(width, 1))
    return int(next(power * m for m in (1, 2, 5, 10) if power * m >= width))
