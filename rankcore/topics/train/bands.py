"""Uncertainty of the mean over queries along a training curve.

The intervals are those of `rankcore.mathematics.statistics.mean_interval`. The measure
of each query is recomputed from the stored models of a run, only when a band is
requested.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from rankcore import measures
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.statistics import LEVEL, mean_interval, mean_intervals
from rankcore.topics.train.curves import Axis, downsample_minmax
from rankcore.training import Record, Run

# Number of scores for one band: 2500 iterations of 4000 documents, one or two seconds.
MOST_SCORED = 10_000_000
FEWEST_POINTS = 20
# The same model has the same measure, up to rounding.
_SAME = 1e-9


class MeanInterval(NamedTuple):
    """The interval of a mean over queries at the iterations of a run.

    Attributes
    ----------
    x : (m,) float64
        Iterations, or seconds of training.
    low, high : (m,) float64
        Ends of the interval.
    split : {"training", "validation"}
    weighted : str
        Name of the queries' weights, with their effective number; empty if all weigh
        the same.
    caution : str
        Why the last interval is unreliable, as a sentence; empty if it is reliable.
    """

    x: Floats
    low: Floats
    high: Floats
    split: str
    queries: int
    level: float
    weighted: str
    caution: str

    @property
    def method(self) -> str:
        """The meaning of the band, with a warning if its end is unreliable."""
        weighted = f", {self.weighted}" if self.weighted else ""
        return (
            f"Band: {100 * self.level:g}% interval of the mean over {self.queries} "
            f"{self.split} queries{weighted}. {self.caution}"
        ).rstrip()


@dataclass
class _RunIntervals:
    """The intervals of one run, measure and split, by position in its history."""

    data: RankingDataset
    score: Callable[[np.ndarray], np.ndarray]
    ends: dict[int, tuple[float, float]] = field(default_factory=dict)
    queries: int = 0
    caution: str = ""


_INTERVALS: WeakKeyDictionary[Run, dict[tuple[str, str], _RunIntervals]] = (
    WeakKeyDictionary()
)
_LOCK = threading.Lock()


def mean_band(run: Run, measure: str, over: Axis = "iteration") -> MeanInterval | None:
    """Return the interval of a run's mean over validation queries, otherwise training
    queries.

    Parameters
    ----------
    run : Run
        The run, which may be under way.
    measure : str
        A measure that the run records.
    over : {"iteration", "seconds"}

    Returns
    -------
    MeanInterval or None
        At the iterations that `rankcore.topics.train.curves.run_curves` draws (some of
        them with long data) and whose model is stored; None with fewer than two queries
        with a value, or without an iteration.
    """
    valid = run.valid is not None
    split, data = ("valid", run.valid) if valid else ("train", run.train)
    records = run.history.records[:]
    if data is None or not records or measure not in getattr(records[0], split):
        return None
    with _LOCK:
        parts = _INTERVALS.setdefault(run, {})
        known_part = parts.setdefault(
            (split, measure), _RunIntervals(data, run.algorithm.scorer(data.X))
        )
        at = _places(records, split, measure, data)
        _measure(
            run,
            known_part,
            records,
            [i for i in at if i not in known_part.ends],
            measure,
            split,
        )
        ends = np.array([known_part.ends[i] for i in at])
    mask = ~np.isnan(ends[:, 0])
    if not mask.any():
        return None
    x = np.array([records[i].figure(over) for i in at])
    name = "validation" if valid else "training"
    low, high = ends[mask].T
    counts = name, known_part.queries, LEVEL, data.weighted_text
    return MeanInterval(x[mask], low, high, *counts, known_part.caution)


def _places(
    records: Sequence[Record], split: str, measure: str, data: RankingDataset
) -> Integers:
    """Return the positions of the records to measure."""
    places = downsample_minmax([getattr(record, split)[measure] for record in records])
    most = max(FEWEST_POINTS, MOST_SCORED // data.n_documents)
    if len(places) <= most:
        return places
    return places[np.unique(np.linspace(0, len(places) - 1, most).round().astype(int))]


def _measure(
    run: Run,
    measured: _RunIntervals,
    records: Sequence[Record],
    places: Sequence[int],
    measure: str,
    split: str,
) -> None:
    """Add the intervals at some records; NaN if the model is another record's."""
    columns, each = [], []
    for i in places:
        scores = measured.score(records[i].coef)
        table = measures.evaluate(measured.data, scores, measure, *run.rules)
        values = table[measure].to_numpy(np.float64)
        counted = values[~np.isnan(values)]
        mean = measures.mean(values, "skip", measured.data.query_weights)
        same = len(counted) > 1 and (
            abs(mean - getattr(records[i], split)[measure]) <= _SAME
        )
        measured.ends[i] = np.nan, np.nan
        if same:
            columns.append(counted)
            each.append(i)
    if columns:
        # If a query has no value, it has none under any model.
        query_weights = measured.data.query_weights
        weights = None if query_weights is None else query_weights[~np.isnan(values)]
        measured.queries = len(columns[0])
        measured.caution = mean_interval(columns[-1], weights=weights).caution
        ends = mean_intervals(columns, weights=weights)
        measured.ends |= zip(each, map(tuple, ends), strict=True)
