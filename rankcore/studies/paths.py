"""Regularisation paths: one model per value of a hyperparameter, with warm starts.

Neighbouring values have similar models, so each model is a good start for the next.
Points are yielded as soon as they are trained; the caller can draw them, or stop.

`rankcore.training.drive` does the training.
"""

import copy
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
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore import measures as _measures
from rankcore.algorithms import LinearRanker, Ranker
from rankcore.base.hyperparameters import Hyperparameter, hyperparameters
from rankcore.base.numbers import all_of
from rankcore.compute.executors import Executor
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.elementary import geomspace
from rankcore.studies import Findings, Study
from rankcore.studies.cells import result_of
from rankcore.studies.results import SPLITS, Cell, Result
from rankcore.training import Record, Run, Stop, drive
from rankcore.training.selection import select

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.store import Store, SweepRecorder

CUTOFFS = tuple(f"nDCG@{k}" for k in range(1, 11))
_POINTS = 12
DECADES = 1e-3


def to_row(point: Result, name: str) -> dict[str, Any]:
    """Return a point's metrics by column name, without coefficients.

    The hyperparameter's name comes from the path, because points stored by earlier
    versions lack it.
    """
    columns = ("nonzeros", "objective", "iteration", "seconds", "ranks")
    return {
        name: point.cell.value,
        **{column: getattr(point, column) for column in columns},
        **{
            f"{split} {measure}": mean
            for split in SPLITS
            for measure, mean in getattr(point, split).items()
        },
        **point.diagnostics,
    }


class Path(Iterator[Result]):
    """A path; iterating over it trains one value after another.

    Attributes
    ----------
    name : str
        Name of the hyperparameter.
    values : tuple of float
    feature_names : tuple of d str
    points : list of Result
        Points trained so far.
    """

    def __init__(
        self,
        name: str,
        values: Sequence[float],
        feature_names: tuple[str, ...],
        items: Generator[Record | Result],
    ) -> None:
        self.name = name
        self.values = tuple(values)
        self.feature_names = feature_names
        self.points: list[Result] = []
        self._coming = items

    def __next__(self) -> Result:
        for item in self.findings():
            if isinstance(item, Result):
                return item
        raise StopIteration

    def findings(self) -> Iterator[Record | Result]:
        """Continue training; yield the record of each iteration, and each point when
        ready."""
        for item in self._coming:
            if isinstance(item, Result):
                self.points.append(item)
            yield item

    def close(self) -> None:
        """End the path; the points trained so far are kept."""
        self._coming.close()

    @property
    def subject(self) -> "PathSubject":
        """The subject of the path: everything except its points."""
        return PathSubject(self.name, self.values, self.feature_names)

    def to_rows(self) -> list[dict[str, float]]:
        """Return the points with all metrics and coefficients, one row each."""
        names = [f"coefficient of {name}" for name in self.feature_names]
        return [
            to_row(point, self.name)
            | dict(zip(names, point.coef.tolist(), strict=True))
            for point in self.points
        ]

    @property
    def coefficients(self) -> np.ndarray:
        """Coefficients of the points trained so far, (m, d)."""
        return np.array([point.coef for point in self.points])

    def to_frame(self) -> "pd.DataFrame":
        """Return a table with one row per point; its first column is the
        hyperparameter."""
        import pandas as pd

        return pd.DataFrame([to_row(point, self.name) for point in self.points])

    def coefficients_to_frame(self) -> "pd.DataFrame":
        """Return a table with one row per point and one column per feature."""
        import pandas as pd

        index = pd.Index([point.cell.value for point in self.points], name=self.name)
        return pd.DataFrame(
            self.coefficients, index=index, columns=list(self.feature_names)
        )


@dataclass(frozen=True)
class PathSubject:
    """The subject of `path_study`.

    Attributes
    ----------
    name : str
        Name of the hyperparameter.
    values : tuple of float
        All values of the path.
    feature_names : tuple of d str
    """

    name: str
    values: tuple[float, ...]
    feature_names: tuple[str, ...]

    def path(self, points: Iterable[Result]) -> Path:
        """Return the path of the points so far, in any order."""
        ordered = sorted(points, key=lambda point: self.values.index(point.cell.value))
        ready = Path(
            self.name, self.values, self.feature_names, (point for point in ordered)
        )
        list(ready)
        return ready


def path_study(path: Path) -> Study:
    """Return the `paths_study` of a single path."""
    return paths_study({"": path})


@dataclass(frozen=True)
class PathsSubject:
    """The subject of `paths_study`.

    Attributes
    ----------
    paths : dict of str to PathSubject
        Paths by distinguishing label.
    """

    paths: Mapping[str, PathSubject]

    def ready(self, points: Sequence[Result]) -> dict[str, Path]:
        """Each path with its points so far."""
        return {
            name: subject.path([point for point in points if point.cell.fold == name])
            for name, subject in self.paths.items()
        }


def paths_study(paths: Mapping[str, Path]) -> Study:
    """Return one study of several paths, not yet begun, one after the other.

    Parameters
    ----------
    paths : dict of str to Path
        Paths by distinguishing label.

    Returns
    -------
    Study
        Its findings are a `Result` per value and path, its subject a `PathsSubject`.
    """

    def coming() -> Findings:
        for name, path in paths.items():
            with closing(path):
                for item in path.findings():
                    if isinstance(item, Result):
                        yield replace(item, cell=item.cell._replace(fold=name))
                    else:
                        yield item
        several = len(paths) > 1
        progress = all_of(len(paths), "paths") if several else all_of(total, "values")
        return f"{progress} trained."

    subject = PathsSubject({name: path.subject for name, path in paths.items()})
    total = sum(len(path.values) for path in paths.values())
    return Study(coming(), total, "models", subject)


def numeric_hyperparameters(algorithm: Ranker | type[Ranker]) -> list[str]:
    """Return the hyperparameters of an algorithm that a path can vary."""
    return [
        name
        for name, declared in hyperparameters(algorithm).items()
        if declared.kind != "choice" and name != "random_state"
    ]


def grid(declared: Hyperparameter, count: int = _POINTS) -> list[float]:
    """Return increasing values over the whole range of a hyperparameter.

    They are equidistant on its scale. A log scale from zero has zero and then three
    decades up to the highest value.

    Parameters
    ----------
    declared : Hyperparameter
        A numeric hyperparameter.
    count : int
        Maximum number of values, at least 2; equal whole numbers are left out.
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
        Algorithm with the other hyperparameters; not modified.
    splits : Splits or RankingDataset
        Training data; validation and test data, if given, are evaluated.
    over : str
        A numeric hyperparameter, such as RSRank's ``"g"``.
    values : sequence of float, optional
        Values in the order of training; by default `grid`.
    take : {"last", "best"}
        Whether a point's model is from the last iteration or the best one, by the first
        measure on validation data if given, otherwise by the objective.
    measures : sequence of str
        Measures of each point; by default nDCG@1 to nDCG@10.
    rules : Rules
        How measures are computed.
    stop : Stop, optional
        Limits for each value; by default the algorithm's ``max_iter``.
    warm : bool
        Whether a value starts from the previous value's model; linear models only.
    start : (d,) float64, optional
        Starting model of the first value, or of every value without ``warm``.
    during : callable, optional
        Called with value, run and record after each record. May raise to stop.
    executor : rankcore.compute.executors.Executor, optional
        Executor of sums over large data, see `rankcore.training.drive`.
    store : rankcore.studies.store.Store, optional
        Stores the path as one entry, and each point when it is ready.

    Raises
    ------
    ValueError
        For an invalid hyperparameter, values, measures or data; errors that only
        training detects are raised with the first point.
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

    def items() -> Generator[Record | Result]:
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
            cell = Cell(((over, value),), "", algorithm.random_state or 0)
            point = _point(cell, run, take, splits, names, rules)
            if follows:
                coef = point.coef
            yield point

    def new_recorder() -> "SweepRecorder":
        from rankcore.studies.store import SweepRecorder

        assert store is not None
        seed = algorithm.random_state or 0
        return SweepRecorder(
            store, algorithm, {"": splits},
            [Cell(((over, value),), "", seed) for value in chosen],
            title=f"{algorithm.title}, path over {over}",
            measures=names, rules=rules, stop=stop, warm=follows,
        )  # fmt: skip

    coming = items() if store is None else _record_each(new_recorder, items(), over)
    return Path(over, chosen, splits.train.feature_names, coming)


def _record_each(
    new_recorder: "Callable[[], SweepRecorder]",
    coming: Generator[Record | Result],
    over: str,
) -> Generator[Record | Result]:
    """Yield the items, after storing each point."""
    number = 0
    with closing(new_recorder()) as recorder, closing(coming):
        for item in coming:
            if isinstance(item, Result):
                ended = {"failed": False, "reason": item.reason}
                recorder.put(number, ended | to_row(item, over))
                number += 1
            yield item


def numeric_hyperparameter(algorithm: Ranker, over: str) -> Hyperparameter:
    """Return one of `numeric_hyperparameters`. Raises ValueError if it is unknown."""
    possible = numeric_hyperparameters(algorithm)
    if over not in possible:
        raise ValueError(
            f"{type(algorithm).__name__} has no numeric hyperparameter {over!r} for a "
            f"path; it has {', '.join(possible)}."
        )
    return hyperparameters(algorithm)[over]


def _checked_value(declared: Hyperparameter, value: Any) -> float:
    if value is None or isinstance(value, str):
        raise ValueError(f"A path over {declared.name} needs numbers, not {value!r}.")
    return declared.check(value)


def _with_value(algorithm: Ranker, name: str, value: Any) -> Ranker:
    model = copy.copy(algorithm)
    setattr(model, name, value)
    return model


def _point(
    cell: Cell,
    run: Run,
    take: str,
    splits: Splits,
    names: Sequence[str],
    rules: _measures.Rules,
) -> Result:
    """Return the result of a run, with its model evaluated on every given split."""
    record, scores = select(run, take).record, run.algorithm.scores
    means = {
        split: _measures.means(data, scores(data.X, record.coef), names, *rules)
        for split, data in splits._asdict().items()
        if data is not None
    }
    model = run.algorithm.load_run(run, take)
    reached = {
        f"{split} {name}": mean
        for split in ("train", "valid")
        for name, mean in means.get(split, {}).items()
    }
    model.provenance_ = replace(model.provenance_, measures=reached)
    figures = {"diagnostics": record.diagnostics, "model": model}
    return result_of(cell, run, record, **means, **figures)
