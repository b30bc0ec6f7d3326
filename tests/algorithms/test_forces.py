"""Forces of every algorithm against finite differences of its objective."""

import numpy as np
import pytest

from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.data.dataset import RankingDataset

WITH_FORCES = [
    name
    for name in list_algorithms()
    if get_algorithm(name).forces is not Ranker.forces
]
OTHER_SETTINGS = {
    "RankSVM": {"loss_function": "hinge"},
    "RSRank": {"importance": "AP"},
    "LeastSquares": {"centring": "queries"},
    "SoftRank": {"cutoff": 2},
}
SCORES = np.array([0.31, -0.42, 0.93, 0.55, -1.07, 0.12, 0.74, 0.2, -0.35])
STEP = 1e-6


@pytest.fixture(scope="module")
def lists():
    rng = np.random.default_rng(0)
    y, qid = [2, 0, 1, 0, 1, 1, 0, 2, 0], [1] * 5 + [2] * 4
    return RankingDataset.from_arrays(rng.uniform(size=(9, 3)), y, qid)


def by_differences(algorithm, dataset):
    """(n,) derivatives of the objective by the scores, improvement being positive."""
    sign = 1.0 if algorithm.maximises else -1.0
    values = []
    for step in STEP * np.eye(len(SCORES)):
        ahead = algorithm.forces(dataset, SCORES + step).value
        behind = algorithm.forces(dataset, SCORES - step).value
        values.append(sign * (ahead - behind) / (2.0 * STEP))
    return np.array(values)


@pytest.mark.parametrize("name", WITH_FORCES)
def test_forces_are_derivatives_of_the_objective_by_the_scores(name, lists):
    for settings in ({}, OTHER_SETTINGS.get(name)):
        if settings is not None:
            algorithm = get_algorithm(name)(**settings)
            forces = algorithm.forces(lists, SCORES)
            assert forces.by_score.any()
            expected = by_differences(algorithm, lists)
            np.testing.assert_allclose(forces.by_score, expected, rtol=1e-5, atol=1e-8)


def test_most_algorithms_have_forces():
    without = set(list_algorithms()) - set(WITH_FORCES)
    assert without <= {
        *("AdaRank", "ConeRank", "CoordinateAscent", "SingleFeature"),
        *("LightGBM", "McRank", "XGBoost"),
    }


def test_an_algorithm_whose_objective_is_the_measure_has_none(lists):
    assert get_algorithm("CoordinateAscent")().forces(lists, SCORES) is None
