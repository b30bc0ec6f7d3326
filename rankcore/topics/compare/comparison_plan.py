"""Runs to train for a comparison: algorithms, values, seeds and folds."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import Ranker
from rankcore.base.hyperparameters import Hyperparameter, Value
from rankcore.base.numbers import all_of
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Splits
from rankcore.mathematics import elementary
from rankcore.studies import Findings, Progress, Study
from rankcore.studies.results import Result, SharedTerms
from rankcore.studies.sweeps import sweep
from rankcore.topics.compare.trained import from_sweep
from rankcore.topics.datasets.unjudged import judged_rows
from rankcore.topics.train.entries import entry_of
from rankcore.training import Stop


class Swept(NamedTuple):
    """An algorithm to train, with the values of its hyperparameters."""

    ranker: Ranker
    over: Mapping[str, Sequence[Value] | None]


@dataclass(frozen=True, eq=False)
class ComparisonPlan:
    """The runs of a comparison, on one data set.

    Attributes
    ----------
    data : str
        Its name.
    folds : dict of str to Splits
        Splits by fold name; a single one named "" without folds.
    measures : tuple of str
        The first one chooses the best iteration of a run.
    rules : Rules
    """

    data: str
    folds: Mapping[str, Splits]
    swept: tuple[Swept, ...]
    seeds: tuple[int, ...] = (0,)
    measures: tuple[str, ...] = ("nDCG@10",)
    rules: _measures.Rules = _measures.STANDARD
    stop: Stop | None = None

    @property
    def runs(self) -> int:
        """Number of runs."""
        return runs_of(self.swept) * len(self.seeds) * len(self.folds)

    def study(self, executor: Executor | None = None, store: Any = None) -> Study:
        """Train the runs, one algorithm after the other.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            As in `rankcore.studies.sweeps.sweep`.
        store : rankcore.studies.store.Store, optional
            Keeps one entry for each algorithm.

        Returns
        -------
        Study
            Finds a `Result` for each run; its subject is this plan.
        """
        return Study(self._trained(executor, store), self.runs, "runs", self)

    def _trained(self, executor: Executor | None, store: Any) -> Findings:
        done, failed = 0, 0
        for one in self.swept:
            yield Progress(one.ranker.title, done / max(self.runs, 1))
            rows = sweep(
                one.ranker, self.folds, None, one.over, self.seeds, executor,
                measures=self.measures, rules=self.rules, stop=self.stop, store=store,
            )  # fmt: skip
            with closing(rows):
                for row in rows:
                    done += 1
                    failed += row.failed
                    yield self._finding(one.ranker, row)
                    yield Progress(one.ranker.title, done / self.runs)
                    # A step of the study, so that it can be stopped between two runs.
                    yield row.record()
        failures = f"; {failed} could not be trained" if failed else ""
        return f"{all_of(done, 'runs', 'have')} ended{failures}."

    def _finding(self, ranker: Ranker, row: Result) -> Result:
        if row.failed:
            # Its settings may be invalid for the algorithm.
            return replace(row, terms=SharedTerms(type(ranker).__name__))
        splits, count = self.folds[row.cell.fold], len(self.folds)
        division = f"{count} folds" if row.cell.fold else ""
        return from_sweep(row, ranker, splits, self.rules, self.stop, division)


def runs_of(swept: Sequence[Swept]) -> int:
    """Return the number of runs of one seed and fold."""
    counts = [[len(choices or ()) for choices in one.over.values()] for one in swept]
    return sum(map(math.prod, counts))


def repeated(swept: Sequence[Swept]) -> list[str]:
    """Return the titles of the models that are requested more than once, each once.

    Examples
    --------
    >>> from rankcore.algorithms import get_algorithm
    >>> ranker = get_algorithm("RSRank")
    >>> repeated([Swept(ranker(), {"g": (0.0, 5.0)}), Swept(ranker(g=5.0), {})])
    ['RSRank, g = 5']
    """
    models = Counter(
        entry_of(
            type(one.ranker),
            one.ranker.get_params() | dict(zip(one.over, values, strict=True)),
        ).title
        for one in swept
        for values in itertools.product(
            *(choices or () for choices in one.over.values())
        )
    )
    return [title for title, count in models.items() if count > 1]


def spread_values(declared: Hyperparameter, count: int) -> tuple[Value, ...]:
    """Return ``count`` values of a hyperparameter, from its sweep if it has enough.

    Parameters
    ----------
    declared : Hyperparameter
        With a sweep.
    count : int
        At least 1, which gives only its default. Values beyond those of its sweep lie
        between the sweep's smallest and largest, if they are numbers.

    Examples
    --------
    >>> from rankcore.algorithms import get_algorithm
    >>> from rankcore.base.hyperparameters import hyperparameters
    >>> spread_values(hyperparameters(get_algorithm("RSRank"))["g"], 5)
    (0.0, 5.0, 10.0, 22.0, 50.0)
    """
    swept = declared.sweep
    if count == 1 or not swept:
        return (declared.default,)
    if count <= len(swept):
        at = np.linspace(0, len(swept) - 1, count).round().astype(int)
        return tuple(swept[i] for i in at)
    numbers = [v for v in swept if isinstance(v, int | float)]
    if len(numbers) < 2 or declared.kind == "choice":
        return tuple(swept)
    values = sorted(float(v) for v in numbers)
    while len(values) + len(swept) - len(numbers) < count:
        values = _with_a_middle(values, declared.scale == "log")
    whole = declared.kind == "integer"
    distinct = dict.fromkeys(round(v) if whole else float(f"{v:.2g}") for v in values)
    words = [v for v in swept if not isinstance(v, int | float)]
    return tuple(declared.check(v) for v in (*words, *distinct))


def _with_a_middle(values: list[float], log: bool) -> list[float]:
    """Rising values with one added in the middle of the widest gap."""
    gaps = []
    for low, high in itertools.pairwise(values):
        gaps.append(
            float(elementary.log(high / low))
            if log and low > 0.0
            else (high - low) / (abs(high) or 1.0)
        )
    at = int(np.argmax(gaps))
    low, high = values[at : at + 2]
    middle = np.sqrt(low * high) if log and low > 0.0 else (low + high) / 2.0
    return [*values[: at + 1], float(middle), *values[at + 1 :]]


def pooled_folds(splits: Splits, count: int) -> dict[str, Splits]:
    """Folds of the training and validation queries together; test data is not touched.

    They are those of scikit-learn's ``GroupKFold`` with queries as groups: each query
    is a validation query once, and folds have about as many documents.

    Parameters
    ----------
    count : int
        At least 2, and at most the number of queries.
    """
    from sklearn.model_selection import GroupKFold

    data = pooled(splits)
    query = np.repeat(np.arange(data.n_queries), data.lengths)
    parts = GroupKFold(count).split(query, groups=query)
    return {
        str(k): Splits(
            data.subset(np.unique(query[train])),
            data.subset(np.unique(query[valid])),
            None,
        )
        for k, (train, valid) in enumerate(parts, 1)
    }


def pooled(splits: Splits) -> RankingDataset:
    """Training and validation queries together."""
    first, second, _ = splits
    if second is None:
        return first
    queries = [np.repeat(one.query_ids, one.lengths) for one in (first, second)]
    dataset = RankingDataset.from_arrays(
        np.concatenate([first.X, second.X]),
        np.concatenate([first.y, second.y]),
        np.concatenate(queries),
        doc_ids=[*first.doc_ids, *second.doc_ids],
        doc_texts=_both(first.doc_texts, second.doc_texts),
        query_texts=_both(first.query_texts, second.query_texts),
        feature_names=first.feature_names,
        name=first.name,
    )
    groups = {
        name: words + (second.query_groups or {})[name]
        for name, words in (first.query_groups or {}).items()
        if name in (second.query_groups or {})
    }
    scores = {
        name: np.concatenate([column, (second.doc_scores or {})[name]])[dataset.rows]
        for name, column in (first.doc_scores or {}).items()
        if name in (second.doc_scores or {})
    }
    judged = None
    if first.judged is not None or second.judged is not None:
        both = [judged_rows(one) for one in (first, second)]
        judged = np.concatenate(both)[dataset.rows]
    return replace(
        dataset,
        normalisation=first.normalisation,
        query_groups=groups or None,
        doc_scores=scores or None,
        judged=judged,
        query_weights=np.concatenate([first.weights, second.weights])
        if first.is_weighted or second.is_weighted
        else None,
        weights_name=first.weights_name or second.weights_name,
        document_weights=np.concatenate([_gain_weights(first), _gain_weights(second)])[
            dataset.rows
        ]
        if first.has_document_weights or second.has_document_weights
        else None,
    )


def _gain_weights(dataset: RankingDataset) -> np.ndarray:
    """Return the weights of documents (n,), 1 if there are none."""
    weights = dataset.document_weights
    return np.ones(dataset.n_documents) if weights is None else weights


def _both(
    first: tuple[str, ...] | None, second: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    return None if first is None or second is None else first + second
