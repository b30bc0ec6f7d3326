"""The workbench of cards: data, models trained by the protocol, processes.

The protocol is LETOR's: in each fold hyperparameters and iteration are chosen by
nDCG@10 on validation queries, and the model is tested once. Results are means of the
folds' means; to give every query the same weight in tests and intervals as in that
mean, each value is multiplied by (number of queries) / (folds × queries of its fold).
"""

import dataclasses
import itertools
import math
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcore.compute.calls import results
from rankcore.compute.executors import Executor
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.mathematics import statistics
from rankcore.measures import Rules
from rankcore.studies.experiments import choose_model
from rankcore.studies.results import Result
from rankcore.topics.papers.entry import LeaderboardEntry
from rankcore.topics.papers.published import Printed
from rankcore.topics.papers.ranking import Ranking, weighted
from rankcore.topics.papers.value import CardValue

CHOOSE_BY, CHOSEN_IN = "nDCG@10", "letor3"
PROTOCOL = (
    f"folds as supplied; hyperparameters and iteration chosen by {CHOOSE_BY} on "
    "validation queries; mean of the test folds; seed 0"
)
Data = Mapping[str, Mapping[str, Splits]]


@dataclass(frozen=True)
class TestedEntry:
    """An entry over all folds of a data set.

    Attributes
    ----------
    folds : tuple of Result
        The models.
    rankings : tuple of Ranking
        Rankings of the test queries of each fold.
    """

    entry: LeaderboardEntry
    folds: tuple[Result, ...]
    rankings: tuple[Ranking, ...]

    def values(self, measure: str, convention: str) -> np.ndarray:
        """(q,) values of queries, weighted to have the mean of the folds."""
        return weighted(
            [ranking.values(measure, convention) for ranking in self.rankings]
        )

    def means(self, measure: str, convention: str) -> np.ndarray:
        """(folds,) the mean of each fold."""
        each = [ranking.values(measure, convention) for ranking in self.rankings]
        return np.array([values.mean() for values in each])

    def mean(self, measure: str, convention: str) -> float:
        """Return the mean of the folds' means."""
        return float(self.means(measure, convention).mean())

    def spread(self, measure: str, convention: str) -> tuple[float, float]:
        """Return the mean minus and plus one standard deviation over folds."""
        return ends(self.means(measure, convention))

    @property
    def nonzeros(self) -> float:
        """Features kept, as mean over folds."""
        return float(np.mean([fold.nonzeros for fold in self.folds]))

    @cached_property
    def seconds(self) -> float:
        """Training time of all candidates in all folds."""
        return sum(fold.seconds for fold in self.folds)


class Bench:
    """The available data, and the models trained on it.

    Parameters
    ----------
    data : dict of str to folds, optional
        By names such as ``OHSUMED``.
    executor : rankcore.compute.executors.Executor, optional
        Computes tasks; the data is sent to each of its workers once. None: tasks run
        here, one after the other.
    say : callable, optional
        Called with a line for each finished piece of work.
    """

    def __init__(
        self,
        data: Data | None = None,
        executor: Executor | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.data: Data = data or {}
        self.executor, self.say = executor, say
        self._key = uuid.uuid4().hex
        self._tested: dict[tuple[str, str], TestedEntry] = {}
        self._once: dict[str, tuple[Any, float]] = {}

    def once(self, name: str, make: Callable[[], Any]) -> tuple[Any, float]:
        """Return a value that several cards share, computed on first request, with its
        seconds, which every card that uses it reports."""
        if name not in self._once:
            began = time.perf_counter()
            value = make()
            self._once[name] = value, time.perf_counter() - began
        return self._once[name]

    def folds(self, dataset: str) -> Mapping[str, Splits]:
        """Return the folds of an available data set."""
        return self.data[dataset]

    def run(
        self, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Call ``function(data, *task)`` for each task; results in their order."""
        by_index: dict[int, Any] = {}
        coming = results(self.executor, function, tasks, (self.data,), key=self._key)
        for number, result in coming:
            by_index[number] = result
            self.say(" ".join(_name(part) for part in tasks[number]))
        return [by_index[number] for number in range(len(tasks))]

    def train(self, wanted: Iterable[tuple[str, LeaderboardEntry]]) -> None:
        """Train entries on data sets by the protocol, unless already trained."""
        missing = {
            (dataset, entry.name): entry
            for dataset, entry in wanted
            if dataset in self.data and (dataset, entry.name) not in self._tested
        }
        tasks = [
            (dataset, fold, entry)
            for (dataset, _), entry in missing.items()
            for fold in self.data[dataset]
        ]
        models = iter(self.run(train_fold, tasks))
        for (dataset, name), entry in missing.items():
            of_dataset = itertools.islice(models, len(self.data[dataset]))
            self._tested[dataset, name] = TestedEntry(
                entry, *zip(*of_dataset, strict=True)
            )

    def tested(self, dataset: str, entry: LeaderboardEntry) -> TestedEntry:
        """Return an entry on a data set, trained now if necessary."""
        self.train([(dataset, entry)])
        return self._tested[dataset, entry.name]

    def all_tested(self) -> Mapping[tuple[str, str], TestedEntry]:
        """Everything trained, by data set and name of the entry."""
        return self._tested


def _name(part: Any) -> str:
    return part.name if isinstance(part, LeaderboardEntry) else str(part)


def train_fold(
    data: Data, dataset: str, fold: str, entry: LeaderboardEntry
) -> tuple[Result, Ranking]:
    """Choose an entry's model in one fold, and rank its test queries."""
    splits = data[dataset][fold]
    if entry.binary:
        splits = _binary(splits)
    chosen, test, scores = choose_model(
        entry.algorithm,
        fold,
        splits,
        entry.candidates(),
        choose_by=CHOOSE_BY,
        rules=Rules(CHOSEN_IN),
    )
    return chosen, Ranking.of(test, scores)


def _binary(splits: Splits) -> Splits:
    """Return the data with the label 1 in place of every label above 0."""

    def of(data: RankingDataset) -> RankingDataset:
        return dataclasses.replace(data, y=np.minimum(data.y, 1))

    return Splits(of(splits.train), *(part and of(part) for part in splits[1:]))


def ends(over_folds: ArrayLike, centre: float | None = None) -> tuple[float, float]:
    """Return the mean minus and plus one standard deviation over folds.

    Parameters
    ----------
    over_folds : (folds,) float64
    centre : float, optional
        Replaces the mean if the value is not that of the folds.
    """
    values = np.asarray(over_folds, np.float64)
    middle = float(values.mean()) if centre is None else centre
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return middle - deviation, middle + deviation


def paired_error(tested: Sequence[TestedEntry], measure: str, convention: str) -> float:
    """Return the standard error of a difference between two models over the same
    queries.

    It is the median over pairs of these entries: the typical difference of two equally
    good models on these queries.
    """
    values = [each.values(measure, convention) for each in tested]
    errors = [
        float((a - b).std(ddof=1)) / math.sqrt(statistics.paired(a, b)[0].size)
        for a, b in itertools.combinations(values, 2)
    ]
    return float(np.median(errors)) if errors else 0.0


def timed_values(
    rows: Sequence[Printed], seconds: Mapping[str, np.ndarray]
) -> list[CardValue]:
    """Return printed times with the means of ours, given by the paper's name of an
    algorithm; other printed times stand alone."""
    values = []
    for row in rows:
        name = row.algorithm
        times = seconds.get(name)
        ours = (None, None) if times is None else (float(times.mean()), ends(times))
        values.append(CardValue.of(row, ours[0], "seconds", name, ours[1]))
    return values
