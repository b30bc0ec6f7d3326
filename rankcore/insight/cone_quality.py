"""Quality, objective and K together: what more vectors buy, and what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.catalogue import Splits
from rankcore.measures import means
from rankcore.paths import Path, PathPoint, path
from rankcore.training import Record, Run, Stop, drive

Floats = NDArray[np.float64]

NUMBERS = (1, 2, 3, 4, 5, 7, 10, 14, 20)
MOST_PASSES = 40


class Quality(NamedTuple):
    """Cones of several sizes, trained on the same data.

    Attributes
    ----------
    n_basis : (m,) int64
        K of those that are ready, rising.
    measured : dict of str to (m,) float64
        Means of a measure by part, ``"train"`` first.
    objective : (m,) float64
    captured : (m,) float64
        Share of the differences' energy.
    wanted : tuple of int
        Every K there is to be.
    """

    n_basis: NDArray[np.int64]
    measured: Mapping[str, Floats]
    objective: Floats
    captured: Floats
    wanted: tuple[int, ...]


class Verdict(NamedTuple):
    """Whether a lower objective went with a worse ranking.

    Attributes
    ----------
    worse : bool
        On ``part`` the largest K ranks worse than K = 1 while its objective is lower.
    part : str
    first, last : tuple of (int, float, float)
        K, objective and measure at both ends.
    best : int
        K with the best measure on ``part``.
    """

    worse: bool
    part: str
    first: tuple[int, float, float]
    last: tuple[int, float, float]
    best: int


def numbers(most: int) -> tuple[int, ...]:
    """The K to train, up to ``most``, closer together where they are small."""
    return (*tuple(k for k in NUMBERS if k < most), most)


def quality(
    points: Sequence[PathPoint], measure: str, wanted: Sequence[float]
) -> Quality:
    """Gather what is to be drawn from a path over the number of vectors."""
    parts = points[0].measures if points else {}
    return Quality(
        np.array([point.value for point in points], dtype=np.int64),
        {
            part: np.array([point.measures[part][measure] for point in points])
            for part in parts
        },
        np.array([point.objective for point in points]),
        np.array([point.diagnostics["energy captured"] for point in points]),
        tuple(int(k) for k in wanted),
    )


def verdict(found: Quality, part: str = "train") -> Verdict:
    """Compare the smallest and the largest K on a part of the data."""
    values = found.measured[part]
    ends = [
        (int(found.n_basis[i]), float(found.objective[i]), float(values[i]))
        for i in (0, -1)
    ]
    first, last = ends
    return Verdict(
        last[1] < first[1] and last[2] < first[2],
        part,
        first,
        last,
        int(found.n_basis[int(np.nanargmax(values))]),
    )


class QualityRun(Iterator[Record]):
    """Trains RankSVM and then a cone for each K, a pass at a time, as a job does.

    Attributes
    ----------
    path : Path
        The cones.
    half_space : dict of str to float
        RankSVM's measure by part; empty until it is trained.
    doing : str
        What is under way, as a phrase.
    reason : str or None
        Why it ended, as a sentence; None while it has not.
    """

    def __init__(
        self, svm: Run, cones: Path, splits: Splits, measure: str, **details: str
    ):
        self.path = cones
        self.half_space: dict[str, float] = {}
        self.reason: str | None = None
        self.doing = "RankSVM goes first, and may have to be compiled"
        self._svm = svm
        self._splits, self._measure, self._details = splits, measure, details

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Record:
        if not self.half_space:
            record = next(self._svm, None)
            if record is not None:
                return record
            self._measure_svm()
        record = self.path.advance()
        if record is not None:
            self.doing = f"pass {record.iteration} of the next one"
        else:
            self.reason = f"All {len(self.path.values)} cones are trained."
            raise StopIteration
        return record

    def close(self) -> None:
        """Take no further pass; what is ready stays."""
        self._svm.close()
        self.path.close()

    def _measure_svm(self) -> None:
        coef = self._svm.best.coef
        for part, dataset in self._splits._asdict().items():
            if dataset is not None:
                scores = dataset.X @ coef
                found = means(dataset, scores, [self._measure], **self._details)
                self.half_space[part] = found[self._measure]


def quality_run(
    splits: Splits,
    most: int,
    measure: str,
    *,
    convention: str = "standard",
    empty: str = "zero",
    seed: int = 0,
    passes: int = MOST_PASSES,
    **hyperparameters: object,
) -> QualityRun:
    """Train cones of 1 to ``most`` vectors, each from a start of its own.

    Parameters
    ----------
    splits : Splits
    most : int
    measure : str
    convention, empty : str
        As in `rankcore.measures.evaluate`.
    seed : int
    passes : int
        For each K at most.
    **hyperparameters
        Of `ConeRank`, other than ``n_basis``.
    """
    cone = ConeRank(**hyperparameters, random_state=seed)  # type: ignore[arg-type]
    svm = drive(
        RankSVM(random_state=seed),
        splits.train,
        stop=Stop(max_iterations=passes),
        measures=(),
    )
    cones = path(
        cone,
        splits,
        "n_basis",
        numbers(most),
        measures=[measure],
        convention=convention,
        empty=empty,
        stop=Stop(max_iterations=passes),
        warm=False,
    )
    return QualityRun(svm, cones, splits, measure, convention=convention, empty=empty)
