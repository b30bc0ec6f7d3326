"""A run that has ended, as a comparison takes it in: from a sweep or from the store.

It knows what it was measured on and by which rules, so that only runs on equal terms
are compared, and how it was trained beside its hyperparameters, so that only runs that
differ in nothing but seed and fold are averaged.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankcore import measures as _measures
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import plain
from rankcore.data.dataset import RankingDataset, set_name
from rankcore.data.readers import Splits
from rankcore.studies.results import Result
from rankcore.training import Stop
from rankcore.training.selection import By, chooses, chosen_text

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun

Floats = NDArray[np.float64]
# Fingerprints of training and validation data; None: there is none, or not known.
Content = tuple[str | None, str | None]


class Course(NamedTuple):
    """How a run was trained beside its hyperparameters, in words; empty: as usual.

    Attributes
    ----------
    chosen : str
        By which measure its best iteration was chosen.
    limit : str
        Of its training, beside the maximum number of iterations.
    changes : str
        Hyperparameters that changed while it ran.
    start : str
        The model it started from.
    ended : str
        After which iteration it was stopped.
    """

    chosen: str = ""
    limit: str = ""
    changes: str = ""
    start: str = ""
    ended: str = ""


AS_USUAL = Course()


@dataclass(frozen=True, eq=False)
class Trained:
    """A run that has ended, with its best model.

    Attributes
    ----------
    algorithm : str
    settings : dict
        Its hyperparameters, but for the seed; ``max_iter`` is what limited the run.
    data, fold : str
        Name of the data set, and of its fold; empty where there are no folds.
    seed : int or None
    split : {"train", "valid", "test"}
        Of the queries.
    ids : tuple of q str
    queries : dict of str to (q,) float64
        Measures of each query under the best model.
    history : dict of str to (r,) float64
        As of a `rankcore.studies.results.Result`; of a run of a sweep, with the
        measures of ``split`` only.
    coef : array
        The best model.
    iteration : int
        Of the best model.
    seconds : float
        Training time.
    nonzeros : int
        Features that the best model uses.
    ranks : bool
        Whether it orders any two documents of a query; by default, whether it uses a
        feature.
    normalisation : str or None
        How the features of its data were scaled.
    division : str
        How its data was divided, where that is not the data set's own.
    content : (str or None, str or None)
        Fingerprints of its training and validation data.
    rules : Rules
        By which its queries were measured.
    course : Course
    key : str
        Its id in the run store; empty if it is not from there.
    """

    algorithm: str
    settings: Mapping[str, Any]
    data: str
    fold: str
    seed: int | None
    split: str
    ids: tuple[str, ...]
    queries: Mapping[str, Floats]
    history: Mapping[str, Floats]
    coef: NDArray[Any]
    iteration: int
    seconds: float
    nonzeros: int
    normalisation: str | None = None
    division: str = ""
    content: Content = (None, None)
    rules: _measures.Rules = _measures.STANDARD
    course: Course = AS_USUAL
    key: str = ""
    ranks: bool = None  # type: ignore[assignment]  # replaced by nonzeros > 0

    def __post_init__(self) -> None:
        if self.ranks is None:
            object.__setattr__(self, "ranks", self.nonzeros > 0)

    @property
    def chosen_by(self) -> By:
        """How the iteration of its model was chosen."""
        measured = any(name.startswith("valid ") for name in self.history)
        return chooses(self.ranker, measured)

    @property
    def chosen_text(self) -> str:
        """The iteration of its model and how it was chosen."""
        return chosen_text(self.iteration, self.chosen_by)

    @property
    def recipe(self) -> tuple[Any, ...]:
        """How it was trained, but for seed and fold: runs of one model have it in
        common."""
        return self.algorithm, tuple(sorted(self.settings.items())), self.course

    @cached_property
    def ranker(self) -> Ranker:
        """The algorithm with these settings, not fitted."""
        return get_algorithm(self.algorithm)(**self.settings, random_state=self.seed)

    def scores(self, X: NDArray[np.float64]) -> Floats:
        """Scores (n,) of documents under the best model."""
        return self.ranker.scores(X, self.coef)

    def weights(self, n_features: int) -> Floats:
        """(d,) importance of each feature in the best model."""
        return self.ranker.feature_weights(self.coef, n_features)

    def measured(self, dataset: RankingDataset, split: str) -> "Trained":
        """Return the same run, its model measured on other queries by its own rules."""
        names = list(self.queries)
        table = _measures.evaluate(dataset, self.scores(dataset.X), names, *self.rules)
        columns = {str(name): column.to_numpy() for name, column in table.items()}
        return replace(self, split=split, ids=dataset.query_ids, queries=columns)

    def to_json(self) -> dict[str, Any]:
        """Return the run as JSON has it, to the bit; `from_json` reads it."""
        return {one.name: plain(getattr(self, one.name), 17) for one in fields(self)}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the run of a linear model that `to_json` has written."""
        columns = {
            kind: {name: np.array(v, np.float64) for name, v in fields[kind].items()}
            for kind in ("queries", "history")
        }
        terms = {
            "ids": tuple(fields["ids"]),
            "content": tuple(fields["content"]),
            "rules": _measures.Rules(*fields["rules"]),
            "course": Course(*fields["course"]),
        }
        coef = np.array(fields["coef"], np.float64)
        return cls(**{**fields, **columns, **terms, "coef": coef})


def from_sweep(
    row: Result,
    ranker: Ranker,
    splits: Splits,
    rules: _measures.Rules = _measures.STANDARD,
    stop: Stop | None = None,
    division: str = "",
) -> Trained:
    """Return the run of a sweep's row that did not fail.

    Parameters
    ----------
    row : Result
    ranker : Ranker
        The algorithm that was swept, with the values of its other hyperparameters.
    splits : Splits
        The data of the row's fold.
    rules, stop
        Of the sweep.
    division : str
        As of a `Trained`.
    """
    train, valid, _ = splits
    split, dataset = ("train", train) if valid is None else ("valid", valid)
    other = [] if valid is None else [f"train {name}" for name in row.queries]
    settings = {**ranker.get_params(), **dict(row.cell.settings)}
    del settings["random_state"]
    limits = row.cell.limits(stop) or Stop(max_iterations=settings["max_iter"])
    data, fold = _data_and_fold(set_name(train.name))
    fold = ", ".join(filter(None, (fold, row.cell.fold)))
    return Trained(
        algorithm=type(ranker).__name__,
        settings=_limited(settings, limits.max_iterations),
        data=data,
        fold=fold,
        seed=row.cell.seed,
        split=split,
        ids=dataset.query_ids,
        queries=row.queries,
        history={n: values for n, values in row.history.items() if n not in other},
        coef=row.coef,
        iteration=row.iteration,
        seconds=row.seconds,
        nonzeros=row.nonzeros,
        normalisation=dataset.normalisation,
        division=division,
        content=content_of(splits),
        rules=rules,
        course=Course(
            chosen=_chosen(row.queries),
            limit=_limit(limits.max_iterations, limits.max_seconds),
        ),
        ranks=row.ranks,
    )


def from_store(stored: "StoredRun") -> Trained:
    """Return a run of the store.

    Raises
    ------
    ValueError
        If it keeps no measures of its queries or no best model, or cannot be read here.
    """
    table, figures = stored.queries(), stored.figures()
    measured = len(table) and len(figures)
    if not (measured and stored.best and "best" in stored.models()):
        what = "best model" if measured else "measures of its queries"
        raise ValueError(
            f"Run {stored.title} keeps no {what} (it is {stored.status}), so it cannot "
            "be compared."
        )
    settings = dict(stored.hyperparameters)
    settings.pop("random_state", None)
    named = [n for n in figures if n.startswith(("train ", "valid "))]
    data, fold = _data_and_fold(stored.data_set)
    division = stored.division
    return Trained(
        algorithm=stored.algorithm,
        settings=_limited(settings, stored.max_iterations),
        data=data,
        fold=fold or ("" if division is None else division.title),
        seed=stored.seed,
        split=table.attrs["split"],
        ids=tuple(table.index),
        queries={str(name): column.to_numpy() for name, column in table.items()},
        history={n: figures[n].to_numpy() for n in ("iteration", "seconds", *named)},
        coef=stored.coef(),
        iteration=int(stored.best["iteration"]),
        seconds=stored.seconds,
        nonzeros=int(stored.best["nonzeros"]),
        normalisation=stored.normalisation,
        division="" if division is None else division.words,
        content=(stored.fingerprint or None, stored.valid_fingerprint),
        rules=_measures.Rules(stored.convention, stored.empty),
        course=_course(stored),
        key=stored.id,
    )


def content_of(splits: Splits) -> Content:
    """Return the fingerprints of training and validation data, which may take a
    moment."""
    train, valid, _ = splits
    return train.fingerprint, None if valid is None else valid.fingerprint


def _course(stored: "StoredRun") -> Course:
    declared = hyperparameters(get_algorithm(stored.algorithm))
    changes = [
        # In full, as this tells runs apart.
        f"{row.brief} = {row.short(one.new)} after iteration {one.iteration}"
        for one in stored.changes
        for row in [declared[one.name]]
    ]
    start = stored.start
    return Course(
        chosen=_chosen(stored.measures),
        limit=_limit(stored.max_iterations, stored.max_seconds),
        changes=", ".join(changes),
        start="" if start is None else f"from model {_digest(start)}",
        ended=""
        if stored.status == "finished"
        else f"{stored.status} after iteration {stored.iterations}",
    )


def _limited(settings: dict[str, Any], most: int | None) -> dict[str, Any]:
    """Return the settings with the limit that counted."""
    return settings if most is None else {**settings, "max_iter": most}


def _chosen(measures: Iterable[str]) -> str:
    return "".join(f"best by {name}" for name in itertools.islice(measures, 1))


def _limit(iterations: int | None, seconds: float | None) -> str:
    parts = ["any number of iterations"] if iterations is None else []
    parts += [] if seconds is None else [f"at most {seconds:g} s"]
    return ", ".join(parts)


def _digest(start: NDArray[Any]) -> str:
    """Return a few digits that tell one model from another."""
    return blake2b(np.ascontiguousarray(start).tobytes(), digest_size=3).hexdigest()


def _data_and_fold(name: str) -> tuple[str, str]:
    """Return a data set's name and its fold: ``mq2008/Fold1`` is no data set of its
    own."""
    data, _, fold = name.partition("/")
    return data, fold
