"""Quality, objective and K together: what more vectors buy, and what they cost."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.measures import STANDARD, Rules, means
from rankcore.studies import Findings, Progress, Study
from rankcore.studies.paths import PathPoint, PathSubject, path
from rankcore.training import Record, Stop, drive

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


class ObjectiveVerdict(NamedTuple):
    """Whether a lower objective went with a worse ranking.

    Attributes
    ----------
    worse : bool
        The largest K ranks worse than K = 1 while its objective is lower.
    first, last : tuple of (int, float, float)
        K, objective and measure at both ends.
    best : int
        K with the best measure.
    """

    worse: bool
    first: tuple[int, float, float]
    last: tuple[int, float, float]
    best: int


def numbers(most: int) -> tuple[int, ...]:
    """Return the K to train, up to ``most``, closer together where they are small."""
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


def verdict(quality: Quality, part: str = "train") -> ObjectiveVerdict:
    """Compare the smallest and the largest K on a part of the data."""
    values = quality.measured[part]
    ends = [
        (int(quality.n_basis[i]), float(quality.objective[i]), float(values[i]))
        for i in (0, -1)
    ]
    first, last = ends
    return ObjectiveVerdict(
        last[1] < first[1] and last[2] < first[2],
        first,
        last,
        int(quality.n_basis[int(np.nanargmax(values))]),
    )


class QualitySubject(NamedTuple):
    """The subject of `quality_study`.

    Attributes
    ----------
    cones : PathSubject
        The cones over K.
    measure : str
    half_space : dict of str to float
        RankSVM's measure by part; filled before there is a cone.
    train : RankingDataset
        What they are trained on.
    """

    cones: PathSubject
    measure: str
    half_space: dict[str, float]
    train: RankingDataset


def quality_study(
    splits: Splits,
    most: int,
    measure: str,
    *,
    rules: Rules = STANDARD,
    seed: int = 0,
    passes: int = MOST_PASSES,
    **hyperparameters: object,
) -> Study:
    """Train RankSVM, then cones of 1 to ``most`` vectors, each from its own start.

    Parameters
    ----------
    splits : Splits
    most : int
    measure : str
    rules : Rules
        How it is computed.
    seed : int
    passes : int
        For each K at most.
    **hyperparameters
        Of `ConeRank`, other than ``n_basis``.

    Returns
    -------
    Study
        It finds a `rankcore.studies.paths.PathPoint` for each K; its subject is a
        `QualitySubject`.
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
        rules=rules,
        stop=Stop(max_iterations=passes),
        warm=False,
    )
    half_space: dict[str, float] = {}

    def coming() -> Findings:
        with closing(svm), closing(cones):
            yield from svm
            for part, dataset in splits._asdict().items():
                if dataset is not None:
                    scores = linear_scores(dataset.X, svm.best.coef)
                    found = means(dataset, scores, [measure], *rules)
                    half_space[part] = found[measure]
            for item in cones.findings():
                if isinstance(item, Record):
                    yield Progress(f"iteration {item.iteration} of the next cone")
                yield item
        return f"All {len(cones.values)} cones are trained."

    return Study(
        coming(),
        len(cones.values),
        "cones",
        QualitySubject(cones.subject, measure, half_space, splits.train),
        doing="training RankSVM, which may have to be compiled first",
    )
