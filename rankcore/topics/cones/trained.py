"""A cone trained on a scene, with the differences of its pairs."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.parts.cones import Differences, scoring_direction
from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.products import product, times_vector
from rankcore.mathematics.small_matrices import pseudo_inverse
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones.cone import CapturedEnergy, Folds, energy_spectrum, fold
from rankcore.topics.cones.sight import ConeScene, DifferencePoints, Pass, VisibleCone


@lru_cache(maxsize=8)
def difference_spectrum(dataset: RankingDataset) -> CapturedEnergy:
    """Return the spectrum of all ordered differences of a data set, with features in
    units of their standard deviations."""
    return energy_spectrum(Differences(dataset))


@lru_cache(maxsize=16)
def feature_scene(
    dataset: RankingDataset, features: tuple[int, ...], most: int = 400, seed: int = 0
) -> ConeScene:
    """Return documents in the plane or space of some features.

    Parameters
    ----------
    features : tuple of int
        Two or three columns.
    most, seed : int
        Maximum number of pairs, and the seed of a sample; see `cone_view.scene`.
    """
    axes = cone_view.feature_axes(dataset, features)
    names = [dataset.feature_names[j] for j in features]
    return cone_view.scene(dataset, axes, names, most, seed)


@lru_cache(maxsize=16)
def principal_scene(
    dataset: RankingDataset, size: int, most: int = 400, seed: int = 0
) -> ConeScene:
    """Return documents along the directions in which differences are longest.

    Parameters
    ----------
    size : int
        Number of directions, 2 or 3.
    most, seed : int
        As in `feature_scene`.
    """
    axes = cone_view.principal_axes(dataset, difference_spectrum(dataset), size)
    names = [f"direction {i}" for i in range(1, size + 1)]
    return cone_view.scene(dataset, axes, names, most, seed)


class TrainedCone(NamedTuple):
    """A cone's training on a scene.

    Attributes
    ----------
    points : DifferencePoints
        The normalised differences of the scene's pairs.
    passes : tuple of p Pass
        The start, and the cone after every iteration.
    in_order : (p,) float64
        The share of pairs that each of them orders correctly, 0 to 1.
    """

    algorithm: ConeRank
    points: DifferencePoints
    passes: tuple[Pass, ...]
    in_order: Floats

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest sum of weights; infinite without a limit."""
        high = self.algorithm.lambda_high
        return float(self.algorithm.lambda_low), np.inf if high is None else float(high)

    @property
    def last(self) -> Floats:
        """(d, K) vectors after the last iteration."""
        return self.passes[-1].basis

    @property
    def outlier(self) -> Floats:
        """The difference (d,) with the largest angle to the mean difference."""
        return cone_view.outlier(self.points.z)

    def view(self, at: int = -1) -> VisibleCone:
        """Return the view of the cone after an iteration, by default the last one.

        Raises
        ------
        IndexError
            If there is no such iteration.
        """
        basis = self.passes[at].basis
        return cone_view.look(basis, self.points.z, *self.limits)

    def fold(self, z: ArrayLike, at: int = -1) -> Folds:
        """Differences (m, d) or one (d,), folded in after an iteration."""
        return fold(self.passes[at].basis, z, *self.limits)


def train_cone(dataset: RankingDataset, algorithm: ConeRank) -> TrainedCone:
    """Train a cone on the documents of a scene.

    Parameters
    ----------
    dataset : RankingDataset
        The data set of a `ConeScene`, already in units of its standard deviations, with
        at least one ordered pair.
    algorithm : ConeRank
        Its ``standardise`` should be ``"no"``.

    Returns
    -------
    TrainedCone
        With at most `cone_view.MOST_PASSES` passes.
    """
    rho = None if algorithm.rho == "auto" else float(algorithm.rho)
    points = cone_view.points(dataset, algorithm.alpha, rho)
    passes = tuple(cone_view.train(dataset, algorithm))
    return TrainedCone(algorithm, points, passes, share_in_order(passes, points))


@lru_cache(maxsize=64)
def train(scene: ConeScene, **hyperparameters: Any) -> TrainedCone:
    """Train a cone with some of ConeRank's hyperparameters on a scene.

    Trained cones are cached.
    """
    cone = ConeRank(**hyperparameters, standardise="no")
    return train_cone(scene.dataset, cone)


def share_in_order(passes: Sequence[Pass], points: DifferencePoints) -> Floats:
    """(p,) share of pairs that each iteration's direction orders correctly, 0 to 1."""
    directions = [scoring_direction(one.basis) for one in passes]
    return np.mean(product(points.z, np.array(directions).T) > 0.0, axis=0)


def unconstrained_weights(basis: ArrayLike, z: ArrayLike) -> Floats:
    """(K,) least-squares weights U⁺z of a difference, of any sign and sum.

    Their sum is the score of the difference in the cone's direction.

    Parameters
    ----------
    basis : (d, K) float64
    z : (d,) float64
    """
    return times_vector(pseudo_inverse(np.asarray(basis, np.float64)), z)


class ConeState(NamedTuple):
    """A cone after an iteration of its training, and one pair folded in.

    Attributes
    ----------
    cone : TrainedCone
        Trained on the scene.
    at : int
        The iteration.
    view : VisibleCone
        The cone among all differences.
    z : (d,) float64
        The pair that is explained.
    folds : Folds
        The pair, folded in.
    svm : (d,) float64 or None
        RankSVM's direction on the same documents.
    """

    scene: ConeScene
    cone: TrainedCone
    at: int
    view: VisibleCone
    z: Floats
    folds: Folds
    svm: Floats | None = None

    @property
    def one(self) -> Pass:
        """The cone itself, with its objective."""
        return self.cone.passes[self.at]

    @property
    def pairs_in_words(self) -> str:
        """The number of pairs shown, and of all pairs if they are sampled."""
        count = f"{len(self.view.right)}"
        return (
            f"{count} of {counted(self.scene.n_pairs, 'pairs')}"
            if self.scene.sampled
            else (f"{count} pairs")
        )

    @property
    def svm_in_order(self) -> float | None:
        """The share of pairs that RankSVM orders correctly, 0 to 1."""
        if self.svm is None:
            return None
        return float((times_vector(self.cone.points.z, self.svm) > 0.0).mean())

    @property
    def free(self) -> Floats:
        """(K,) weights of z without constraints; the sign of their sum is the vote."""
        return unconstrained_weights(self.view.basis, self.z)

    def table(self) -> dict[str, Any]:
        """Return the differences and the cone's results for them, as columns by
        name."""
        dataset, points, view = self.scene.dataset, self.cone.points, self.view
        axes = zip(dataset.feature_names, points.z.T, strict=True)
        names = dataset.doc_texts or dataset.doc_ids
        weights = enumerate(view.folds.weights.T, start=1)
        return {
            "better": [names[i] for i in points.better],
            "worse": [names[i] for i in points.worse],
            "gap": points.gaps,
            **{f"z: {name}": column for name, column in axes},
            **{f"w: u{k}": column for k, column in weights},
            "distance": view.folds.distances,
            "in the cone": view.inside,
            "aᵀz": times_vector(points.z, view.direction),
        }

    def record(self) -> dict[str, Any]:
        """Return the cone, with all its inputs, as plain values."""
        return {
            "axes": list(self.scene.dataset.feature_names),
            "data": self.scene.dataset.name,
            "settings": self.cone.algorithm.get_params(),
            "iteration": self.at,
            "vectors": self.one.basis.T.tolist(),
            "direction": scoring_direction(self.one.basis).tolist(),
            "objective": self.one.objective,
        }


def look(
    scene: ConeScene, cone: TrainedCone, at: int, z: Floats, svm: Floats | None = None
) -> ConeState:
    """Return a cone's state after an iteration, or the last one if earlier."""
    at = min(at, len(cone.passes) - 1)
    return ConeState(scene, cone, at, cone.view(at), z, cone.fold(z, at), svm)
