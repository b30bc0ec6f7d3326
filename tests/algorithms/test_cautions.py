"""Every algorithm trains as well on features of mixed scales, or says it does not."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rankcore import (
    ApproxNDCG,
    ConeRank,
    FenchelRank,
    LambdaRank,
    RSRank,
    measures,
)
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

every_algorithm = every()
# Powers of two change no digit.
UNITS = np.array([2.0**-10, 1.0, 2.0**10, 1.0])


def data(units=1.0):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(96, 4))
    truth = X @ np.array([3.0, -2.0, 1.0, 0.0]) + rng.normal(scale=0.2, size=96)
    y = np.digitize(truth, np.quantile(truth, [0.5, 0.8]))
    return RankingDataset.from_arrays(X * units, y, np.repeat(np.arange(8), 12))


def choices(algorithm):
    """The defaults, and every other choice of each hyperparameter."""
    yield {}
    for name, parameter in hyperparameters(algorithm).items():
        for choice in parameter.choices or ():
            if choice != parameter.default:
                yield {name: choice}


def quality(model, dataset, passes=20):
    run = drive(model, dataset, measures=(), stop=Stop(max_iterations=passes))
    *_, last = run
    scores = model.scores(dataset.X, last.coef)
    return measures.means(dataset, scores, "nDCG@10")["nDCG@10"]


def check_scales(algorithm, settings, passes):
    alike, mixed = data(), data(UNITS)
    for chosen in settings:
        model = algorithm(**chosen)
        if model.unsupported_reason(alike):
            continue
        assert model.caution(alike) is None, chosen
        caution = model.caution(mixed)
        if caution is None:
            expected = pytest.approx(quality(model, alike, passes), abs=0.02)
            assert quality(model, mixed, passes) == expected, chosen
        else:
            assert caution.startswith(f"{model.title}: "), chosen
            assert "Standardise the features" in caution, chosen


@every_algorithm
def test_scales_matter_only_where_a_caution_says_so(algorithm):
    check_scales(algorithm, choices(algorithm), 3)


@pytest.mark.soak
@every_algorithm
def test_scales_matter_to_presets_only_where_a_caution_says_so(algorithm):
    check_scales(algorithm, algorithm.presets.values(), 20)


@pytest.mark.parametrize(
    ("what", "model"),
    [
        ("the ball", FenchelRank()),
        ("the l1 penalty", RSRank(g=10.0)),
        ("a fixed learning rate", RSRank(learning_rate=0.001)),
        ("a fixed learning rate", LambdaRank(learning_rate=0.001)),
        ("a stochastic step", ApproxNDCG(optimiser="stochastic")),
        ("the length of a difference", ConeRank(standardise="no")),
    ],
)
def test_a_caution_says_what_is_in_the_units_of_features(what, model):
    assert what in model.caution(data(UNITS))


def test_fit_warns_where_scales_differ_much():
    mixed = data(UNITS)
    with pytest.warns(UserWarning, match="Standardise the features"):
        FenchelRank(max_iter=1).fit_dataset(mixed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        FenchelRank(max_iter=1).fit_dataset(data())
        FenchelRank(max_iter=1).fit_dataset(mixed.normalise())
        FenchelRank(max_iter=1, units="ranges").fit_dataset(mixed)


def test_what_is_worth_a_caution_costs_much():
    """A factor of eleven on the two features that matter: a tenth of nDCG@10."""
    tenth = data(np.array([0.09, 1.0, 0.09, 1.0]))
    assert "11 times" in FenchelRank().caution(tenth)
    assert FenchelRank().caution(data(np.array([0.2, 1.0, 0.2, 1.0]))) is None
    assert quality(FenchelRank(), tenth) < 0.9 * quality(FenchelRank(), data())
