"""One limit of labels for every algorithm whose gains are exponential."""

import numpy as np
import pytest

import rankcore
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.dataset import DataError, RankingDataset
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

PROBLEM = "too large for the exponential gain 2^label - 1"
every_algorithm = every()


def data(largest):
    rng = np.random.default_rng(0)
    y = np.tile([0, 1, largest, 0, 2, 1], 6)
    return RankingDataset.from_arrays(
        rng.uniform(size=(36, 3)), y, np.repeat(np.arange(6), 6)
    )


def settings(algorithm):
    """The defaults, and every choice of each hyperparameter."""
    yield {}
    for name, parameter in hyperparameters(algorithm).items():
        for choice in parameter.choices or ():
            yield {name: choice}


@every_algorithm
def test_a_label_is_refused_by_one_rule_or_trained_on(algorithm):
    for chosen in settings(algorithm):
        model = algorithm(**chosen)
        if model.unsupported_reason(data(31)):
            continue
        refusal = model.unsupported_reason(data(32))
        if refusal:
            sentence = f"The label 32 is above 31, {PROBLEM} of {model.title}. Use"
            assert refusal.startswith(sentence), chosen
            assert model.unsupported_reason(data(10**6)), chosen
        else:
            huge = data(5000)
            run = drive(model, huge, measures=(), stop=Stop(max_iterations=3))
            history = list(run)
            assert len(history) > 1, (chosen, run.reason)
            assert np.isfinite(history[-1].objective), chosen
            scores = model.scores(huge.X, history[-1].coef)
            assert np.isfinite(scores).all(), chosen


def test_measures_say_it_alike():
    large = data(32)
    scores = np.arange(36.0)
    for measure in ("nDCG", "nDCG@10", "MeanNDCG"):
        with pytest.raises(DataError, match=r"^The label 32 is above 31, too large"):
            rankcore.measures.evaluate(large, scores, measure)
    assert np.isfinite(
        rankcore.measures.means(large, scores, "nDCG(dcg='log2')@10")[
            "nDCG(dcg='log2')@10"
        ]
    )


def test_the_row_of_a_large_label_is_that_of_the_data_given():
    y = np.array([0, 1, 2, 40])
    mixed = RankingDataset.from_arrays(np.eye(4), y, ["a", "b", "b", "a"])
    with pytest.raises(DataError, match=r"^row 4: The label 40 is above 31"):
        mixed.check_gain()
