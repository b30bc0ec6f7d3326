"""A cone trained on a scene, pass by pass, among the differences of its pairs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.dataset import RankingDataset
from rankcore.insight import cone_view
from rankcore.insight.cone import (
    CapturedEnergy,
    Folds,
    energy_spectrum,
    fold,
    half_space,
)
from rankcore.insight.cone_view import Pass, Points, Scene, View
from rankcore.mathematics.cones import Differences

Floats = NDArray[np.float64]


def difference_spectrum(dataset: RankingDataset) -> CapturedEnergy:
    """The spectrum of all ordered differences of a data set, features in units of their
    standard deviations."""
    return energy_spectrum(Differences(dataset))


def feature_scene(
    dataset: RankingDataset, features: Sequence[int], most: int = 400, seed: int = 0
) -> Scene:
    """Documents in the plane or space of some features.

    Parameters
    ----------
    dataset : RankingDataset
    features : sequence of int
        Two or three columns.
    most, seed : int
        Pairs at most, and the seed of a sample of them; see `cone_view.scene`.
    """
    axes = cone_view.feature_axes(dataset, features)
    names = [dataset.feature_names[j] for j in features]
    return cone_view.scene(dataset, axes, names, most, seed)


def principal_scene(
    dataset: RankingDataset,
    size: int,
    most: int = 400,
    seed: int = 0,
    energy: CapturedEnergy | None = None,
) -> Scene:
    """Documents in the directions in which differences are longest.

    Parameters
    ----------
    dataset : RankingDataset
    size : int
        How many directions, 2 or 3.
    most, seed : int
        As in `feature_scene`.
    energy : CapturedEnergy, optional
        The result of `difference_spectrum` for the data set, if already known.
    """
    known = difference_spectrum(dataset) if energy is None else energy
    axes = cone_view.principal_axes(dataset, known, size)
    names = [f"direction {i}" for i in range(1, size + 1)]
    return cone_view.scene(dataset, axes, names, most, seed)


class TrainedCone(NamedTuple):
    """A cone's training on a scene.

    Attributes
    ----------
    algorithm : ConeRank
    points : Points
        The normalised differences of the scene's pairs.
    passes : tuple of p Pass
        The start, and the cone after every pass.
    in_order : (p,) float64
        The share of the pairs that each of them puts in order, 0 to 1.
    """

    algorithm: ConeRank
    points: Points
    passes: tuple[Pass, ...]
    in_order: Floats

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest sum of weights; infinite without a limit."""
        high = self.algorithm.lambda_high
        return float(self.algorithm.lambda_low), np.inf if high is None else float(high)

    @property
    def last(self) -> Floats:
        """(d, K) vectors after the last pass."""
        return self.passes[-1].basis

    def view(self, at: int = -1) -> View:
        """The view of the cone after a pass, by default the last one.

        Raises
        ------
        IndexError
            If there is no such pass.
        """
        basis = self.passes[at].basis
        return cone_view.look(basis, self.points.z, *self.limits)

    def fold(self, z: ArrayLike, at: int = -1) -> Folds:
        """Differences (m, d) or one (d,), folded in the cone after a pass."""
        return fold(self.passes[at].basis, z, *self.limits)


def train_cone(dataset: RankingDataset, algorithm: ConeRank) -> TrainedCone:
    """Train a cone on the documents of a scene.

    Parameters
    ----------
    dataset : RankingDataset
        That of a `Scene`, already in units of its standard deviations, with at least
        one ordered pair.
    algorithm : ConeRank
        Its ``standardise`` should be ``"no"``.

    Returns
    -------
    TrainedCone
        Of at most `cone_view.MOST_PASSES` passes.
    """
    rho = None if algorithm.rho == "auto" else float(algorithm.rho)
    points = cone_view.points(dataset, algorithm.alpha, rho)
    passes = tuple(cone_view.train(dataset, algorithm))
    return TrainedCone(algorithm, points, passes, share_in_order(passes, points))


def share_in_order(passes: Sequence[Pass], points: Points) -> Floats:
    """(p,) share of the pairs that the direction of each pass puts in order, 0 to 1."""
    directions = [half_space(one.basis)[0] for one in passes]
    return np.mean(points.z @ np.array(directions).T > 0.0, axis=0)


def unconstrained_weights(basis: ArrayLike, z: ArrayLike) -> Floats:
    """(K,) least-squares weights U⁺z of a difference, of any sign and sum.

    Their sum is the score of the difference in the cone's direction.

    Parameters
    ----------
    basis : (d, K) float64
    z : (d,) float64
    """
    return np.linalg.pinv(np.asarray(basis, np.float64)) @ np.asarray(z, np.float64)


def difference_table(
    dataset: RankingDataset, points: Points, view: View
) -> dict[str, Any]:
    """The differences of a scene and what a cone makes of them, as columns by name.

    Parameters
    ----------
    dataset : RankingDataset
        That of the scene.
    points : Points
    view : View
        For the same differences.
    """
    axes = zip(dataset.feature_names, points.z.T, strict=True)
    weights = enumerate(view.folds.weights.T, start=1)
    return {
        "better": [dataset.doc_ids[i] for i in points.better],
        "worse": [dataset.doc_ids[i] for i in points.worse],
        "gap": points.gaps,
        **{f"z: {name}": column for name, column in axes},
        **{f"w: u{k}": column for k, column in weights},
        "distance": view.folds.distances,
        "in the cone": view.inside,
        "aᵀz": points.z @ view.direction,
    }


def record(scene: Scene, cone: TrainedCone, at: int) -> dict[str, Any]:
    """A cone after an iteration, with all it was made from, as plain values."""
    one = cone.passes[at]
    return {
        "axes": list(scene.dataset.feature_names),
        "data": scene.dataset.name,
        "settings": cone.algorithm.get_params(),
        "iteration": at,
        "vectors": one.basis.T.tolist(),
        "direction": half_space(one.basis)[0].tolist(),
        "objective": one.objective,
    }
