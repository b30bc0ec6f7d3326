"""Regularisation paths: one model per value of a hyperparameter, with warm starts.

Neighbouring values have similar models, so each model is a good start for the next.
Points are yielded as soon as they are trained; the caller can draw them, or stop.

`rankcore.training.drive` does the training.
"""

import copy
import json
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.base.hyperparameters import Hyperparameter, hyperparameters
from rankcore.base.numbers import all_of, plain
from rankcore.compute.executors import Executor
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import geomspace
from rankcore.studies import Findings, Study, earlier
from rankcore.studies.results import Cell
from rankcore.training import Record, Run, Stop, drive
from rankcore.training.selection import select

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.store import Store, SweepRecorder

CUTOFFS = tuple(f"nDCG@{k}" for k in range(1, 11))
_POINTS = 12
DECADES = 1e-3


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The model at one value of the hyperparameter.

    Attributes
    ----------
    value : float
    coef : (d,) float64
        Coefficients; a model's parameters in general.
    nonzeros : int
        Number of features in use.
    objective : float
    iteration : int
        The iteration after which the model was taken.
    seconds : float
        Training time of this value.
    measures : dict of str to dict
        By split (``"train"``, ``"valid"``, ``"test"``) the mean of each measure.
    diagnostics : dict of str to float
        The algorithm's own figures.
    reason : str
        Why training ended.
    model : Ranker
        The fitted model, to predict with, save and export.
    ranks : bool
        Whether the model orders any two documents of a query; by default, whether it
        uses a feature.
    path : str
        What sets its path apart from others of a study; empty where there are none.
    """

    value: float
    coef: np.ndarray
    nonzeros: int
    objective: float
    iteration: int
    seconds: float
    measures: Mapping[str, Mapping[str, float]]
    diagnostics: Mapping[str, float]
    reason: str
    model: Ranker
    ranks: bool = None  # type: ignore[assignment]  # replaced by nonzeros > 0
    path: str = ""

    def __post_init__(self) -> None:
        if self.ranks is None:
            object.__setattr__(self, "ranks", self.nonzeros > 0)

    def to_json(self) -> dict[str, Any]:
        """Return the point as JSON has it, to the bit; `from_json` reads it."""
        from rankcore.studies.models import model_to_json

        own = {**vars(self), "model": json.loads(model_to_json(self.model))}
        # The model has the coefficients; it is the same with other packages.
        own["model"]["versions"] = {}
        return {name: plain(own[name], 17) for name in own if name != "coef"}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the point that `to_json` has written, or that of an earlier version
        has."""
        from rankcore.studies.models import read_model

        fields = earlier.path_point(fields)
        measured = fields["measures"].items()
        means = {"measures": {part: _numbers(values) for part, values in measured}}
        model = read_model(json.dumps(fields["model"]).encode(), "a point")
        if not model.provenance_.measures:
            # Models of before do not say what they reached.
            _state(model, means["measures"])
        parts = {
            "coef": model.parameters_,
            "diagnostics": _numbers(fields["diagnostics"]),
            "model": model,
        }
        return cls(**{**fields, **means, **parts})

    def to_row(self, name: str) -> dict[str, float]:
        """Return the point's figures by column name, coefficients left out."""
        columns = ("nonzeros", "objective", "iteration", "seconds", "ranks")
        return {
            name: self.value,
            **{column: getattr(self, column) for column in columns},
            **{
                f"{split} {measure}": mean
                for split, means in self.measures.items()
                for measure, mean in means.items()
            },
            **self.diagnostics,
        }


def _state(model: Ranker, measures: Mapping[str, Mapping[str, float]]) -> None:
    """Write in a model's provenance what it is, as training with measures does."""
    own = {
        f"{split} {name}": mean
        for split in ("train", "valid")
        for name, mean in measures.get(split, {}).items()
    }
    model.provenance_ = replace(model.provenance_, measures=own)


def _numbers(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: np.nan if n is None else n for name, n in values.items()}


class Path(Iterator[PathPoint]):
    """A path; iterating over it trains one value after the other.

    Attributes
    ----------
    name : str
        The hyperparameter.
    values : tuple of float
    feature_names : tuple of d str
    points : list of PathPoint
        The points trained so far.
    """

    def __init__(
        self,
        name: str,
        values: Sequence[float],
        feature_names: tuple[str, ...],
        items: Generator[Record | PathPoint],
    ) -> None:
        self.name = name
        self.values = tuple(values)
        self.feature_names = feature_names
        self.points: list[PathPoint] = []
        self._coming = items

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> PathPoint:
        for item in self.findings():
            if isinstance(item, PathPoint):
                return item
        raise StopIteration

    def findings(self) -> Iterator[Record | PathPoint]:
        """Train on: yield the record of each iteration, and each point when it is
        ready."""
        for item in self._coming:
            if isinstance(item, PathPoint):
                self.points.append(item)
            yield item

    def close(self) -> None:
        """End the path; the points trained so far are kept."""
        self._coming.close()

    @property
    def subject(self) -> "PathSubject":
        """What the path is about, apart from its points."""
        return PathSubject(self.name, self.values, self.feature_names)

    def to_rows(self) -> list[dict[str, float]]:
        """Return the points with all their figures and coefficients, a row each."""
        names = [f"coefficient of {name}" for name in self.feature_names]
        return [
            point.to_row(self.name) | dict(zip(names, point.coef.tolist(), strict=True))
            for point in self.points
        ]

    @property
    def coefficients(self) -> np.ndarray:
        """(m, d) coefficients of the points trained so far."""
        return np.array([point.coef for point in self.points])

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with one row a point; its first column is the
        hyperparameter."""
        import pandas as pd

        return pd.DataFrame([point.to_row(self.name) for point in self.points])

    def coefficients_to_frame(self) -> "pd.DataFrame":
        """Return a table with one row a point and one column a feature."""
        import pandas as pd

        index = pd.Index([point.value for point in self.points], name=self.name)
        return pd.DataFrame(
            self.coefficients, index=index, columns=list(self.feature_names)
        )


@dataclass(frozen=True)
class PathSubject:
    """What `path_study` studies.

    Attributes
    ----------
    name : str
        The hyperparameter.
    values : tuple of float
        All there will be.
    feature_names : tuple of d str
    """

    name: str
    values: tuple[float, ...]
    feature_names: tuple[str, ...]

    def path(self, points: Iterable[PathPoint]) -> Path:
        """Return the path of the points that are ready, whatever their order."""
        ordered = sorted(points, key=lambda point: self.values.index(point.value))
        ready = Path(
            self.name, self.values, self.feature_names, (point for point in ordered)
        )
        list(ready)
        return ready


def path_study(path: Path) -> Study:
    """As `paths_study` of a single path, which nothing sets apart."""
    return paths_study({"": path})


@dataclass(frozen=True)
class PathsSubject:
    """What `paths_study` studies.

    Attributes
    ----------
    paths : dict of str to PathSubject
        By what sets them apart.
    """

    paths: Mapping[str, PathSubject]

    def ready(self, points: Sequence[PathPoint]) -> dict[str, Path]:
        """Each path, of the points that are ready."""
        return {
            name: subject.path([point for point in points if point.path == name])
            for name, subject in self.paths.items()
        }


def paths_study(paths: Mapping[str, Path]) -> Study:
    """Several paths, not yet begun, one after the other as one study.

    Parameters
    ----------
    paths : dict of str to Path
        By what sets them apart.

    Returns
    -------
    Study
        It finds a `PathPoint` at each value of each; its subject is a `PathsSubject`.
    """

    def coming() -> Findings:
        for name, path in paths.items():
            with closing(path):
                for item in path.findings():
                    if isinstance(item, PathPoint):
                        yield replace(item, path=name)
                    else:
                        yield item
        several = len(paths) > 1
        said = all_of(len(paths), "paths") if several else all_of(total, "values")
        return f"{said} trained."

    subject = PathsSubject({name: path.subject for name, path in paths.items()})
    total = sum(len(path.values) for path in paths.values())
    return Study(coming(), total, "models", subject)


def numeric_hyperparameters(algorithm: Ranker | type[Ranker]) -> list[str]:
    """Return the hyperparameters of an algorithm over which a path can be taken."""
    return [
        name
        for name, declared in hyperparameters(algorithm).items()
        if declared.kind != "choice" and name != "random_state"
    ]


def grid(declared: Hyperparameter, count: int = _POINTS) -> list[float]:
    """Increasing values over the whole range of a hyperparameter.

    They are equidistant on its scale. A log scale that starts at zero has zero and then
    three decades up to the highest value.

    Parameters
    ----------
    declared : Hyperparameter
        A number.
    count : int
        Values at most, at least 2; whole numbers that coincide are left out.
    """
    low, high = float(declared.low or 0.0), float(declared.high or 1.0)
    if declared.scale == "linear":
        values = np.linspace(low, high, count)
    elif low > 0.0:
        values = geomspace(low, high, count)
    else:
        values = np.append(0.0, geomspace(DECADES * high, high, count - 1))
    if declared.kind == "integer":
        values = np.unique(np.round(values))
    whole = declared.kind == "integer"
    return [int(value) if whole else float(value) for value in values]


def path(
    algorithm: Ranker,
    splits: Splits | RankingDataset,
    over: str,
    values: Sequence[float] | None = None,
    *,
    take: str = "last",
    measures: Sequence[str] = CUTOFFS,
    rules: _measures.Rules = _measures.STANDARD,
    stop: Stop | None = None,
    warm: bool = True,
    start: np.ndarray | None = None,
    during: Callable[[float, Run, Record], None] | None = None,
    executor: Executor | None = None,
    store: "Store | None" = None,
) -> Path:
    """Train an algorithm at each value of one hyperparameter.

    Parameters
    ----------
    algorithm : Ranker
        With the other hyperparameters; it is not changed.
    splits : Splits or RankingDataset
        Training data; validation and test data, if given, are measured.
    over : str
        A number among its hyperparameters, such as RSRank's ``"g"``.
    values : sequence of float, optional
        In the order of training; by default `grid`.
    take : {"last", "best"}
        Whether the model of a point is that of the last iteration or the best one, by
        the first measure on validation data if given, else by the objective.
    measures : sequence of str
        Of each point; by default nDCG@1 to nDCG@10.
    rules : Rules
        How they are computed.
    stop : Stop, optional
        For each value; by default the algorithm's own ``max_iter``.
    warm : bool
        Whether a value starts from the previous value's model; linear models only.
    start : (d,) float64, optional
        Starting model of the first value, and without ``warm`` of every value.
    during : callable, optional
        Called with value, run and record after each record. May raise to stop.
    executor : rankcore.compute.executors.Executor, optional
        Where sums over large data are computed, see `rankcore.training.drive`.
    store : rankcore.studies.store.Store, optional
        Keeps the path as one entry, and each point when it is ready.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        For a hyperparameter, values, measures or data that are not permitted; errors
        that only training detects are raised with the first point.
    """
    splits = Splits(splits) if isinstance(splits, RankingDataset) else splits
    declared = numeric_hyperparameter(algorithm, over)
    chosen = [
        _checked_value(declared, v)
        for v in (grid(declared) if values is None else values)
    ]
    if not chosen:
        raise ValueError(f"A path over {over} needs at least one value.")
    if take not in ("last", "best"):
        raise ValueError(f"take must be 'last' or 'best', not {take!r}.")
    names = tuple(str(_measures.parse(name)) for name in measures)
    follows = warm and isinstance(algorithm, LinearRanker)
    for value in chosen:
        _with_value(algorithm, over, value).check(splits.train)

    def items() -> Generator[Record | PathPoint]:
        coef = start
        for value in chosen:
            run = drive(
                _with_value(algorithm, over, value),
                splits.train,
                splits.valid if take == "best" else None,
                stop=stop,
                measures=names[:1] if take == "best" else (),
                start=coef,
                rules=rules,
                executor=executor,
            )
            for record in run:
                if during is not None:
                    during(value, run, record)
                yield record
            point = _point(value, run, take, _measured(splits, names, rules))
            if follows:
                coef = point.coef
            yield point

    def begun() -> "SweepRecorder":
        from rankcore.studies.store import SweepRecorder

        assert store is not None
        seed = algorithm.random_state or 0
        return SweepRecorder(
            store, algorithm, {"": splits},
            [Cell(((over, value),), "", seed) for value in chosen],
            title=f"{algorithm.title}, path over {over}",
            measures=names, rules=rules, stop=stop, warm=follows,
        )  # fmt: skip

    coming = items() if store is None else _kept(begun, items(), over)
    return Path(over, chosen, splits.train.feature_names, coming)


def _kept(
    begun: "Callable[[], SweepRecorder]",
    coming: Generator[Record | PathPoint],
    over: str,
) -> Generator[Record | PathPoint]:
    """Yield the items, each point written before it is given."""
    number = 0
    with closing(begun()) as recorder, closing(coming):
        for item in coming:
            if isinstance(item, PathPoint):
                ended = {"failed": False, "reason": item.reason}
                recorder.put(number, ended | item.to_row(over))
                number += 1
            yield item


def numeric_hyperparameter(algorithm: Ranker, over: str) -> Hyperparameter:
    """One of `numeric_hyperparameters` by its name; ValueError if it is none."""
    possible = numeric_hyperparameters(algorithm)
    if over not in possible:
        raise ValueError(
            f"{type(algorithm).__name__} has no number called {over!r} to take a path "
            f"over; it has {', '.join(possible)}."
        )
    return hyperparameters(algorithm)[over]


def _checked_value(declared: Hyperparameter, value: Any) -> float:
    if value is None or isinstance(value, str):
        raise ValueError(
            f"A path over {declared.name} goes from number to number, not by {value!r}."
        )
    return declared.check(value)


def _with_value(algorithm: Ranker, name: str, value: Any) -> Ranker:
    model = copy.copy(algorithm)
    setattr(model, name, value)
    return model


Means = dict[str, dict[str, float]]
Measured = Callable[[Ranker, np.ndarray], Means]


def _measured(splits: Splits, names: Sequence[str], rules: _measures.Rules) -> Measured:
    """Return a function that measures a model on every split that is given."""

    def measured(model: Ranker, coef: np.ndarray) -> Means:
        return {
            split: _measures.means(
                dataset, model.scores(dataset.X, coef), names, *rules
            )
            for split, dataset in splits._asdict().items()
            if dataset is not None
        }

    return measured


def _point(value: float, run: Run, take: str, measured: Measured) -> PathPoint:
    last, record = run.history[-1], select(run, take).record
    means = measured(run.algorithm, record.coef)
    model = run.algorithm.load_run(run, take)
    _state(model, means)
    return PathPoint(
        value=value,
        coef=record.coef,
        nonzeros=record.nonzeros,
        objective=record.objective,
        iteration=record.iteration,
        seconds=last.seconds,
        measures=means,
        diagnostics=record.diagnostics,
        reason=run.reason or "",
        model=model,
        ranks=record.ranks,
    )
