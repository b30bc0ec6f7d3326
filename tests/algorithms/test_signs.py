"""Signs of features: bounds of coefficients, and ways that scores of trees may go."""

import numpy as np
import pytest

import rankcore
from rankcore.algorithms.parts.signs import bounds_of
from rankcore.data.dataset import RankingDataset

NAMES = ("stars", "price", "age")
TREES = ["LightGBM", "XGBoost"]


@pytest.fixture(scope="module")
def data():
    """What ranks by stars, by price and against age, with noise."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(240, 3))
    truth = X @ [2.0, 1.5, -1.0] + rng.normal(scale=0.6, size=240)
    y = np.digitize(truth, [0.5, 1.5])
    qid = np.repeat(np.arange(12), 20)
    return RankingDataset.from_arrays(X, y, qid, feature_names=NAMES)


def test_signs_are_bounds():
    assert bounds_of("any", NAMES) is None
    everything = bounds_of("not_negative", NAMES)
    assert everything.low.tolist() == [0.0] * 3
    assert everything.high.tolist() == [np.inf] * 3
    some = bounds_of(" price=−, stars = + ,age=0", NAMES)
    assert some.low.tolist() == [0.0, -np.inf, 0.0]
    assert some.high.tolist() == [np.inf, 0.0, 0.0]
    assert some.directions.tolist() == [1, -1, 0]
    assert bounds_of("a=b=+", ["a=b"]).low.tolist() == [0.0]


@pytest.mark.parametrize(
    ("signs", "sentence"),
    [
        ("stars", "'stars' in signs is no feature with a sign"),
        ("stars=*", "no feature with a sign"),
        ("stars=+,", "'' in signs is no feature"),
        ("colour=+", "that the data lacks, 'colour'; the features are stars, price"),
        ("age=+, age=-", "names a feature twice, 'age'"),
    ],
)
def test_what_is_no_sign_is_refused(data, signs, sentence):
    with pytest.raises(ValueError, match=sentence):
        rankcore.get_algorithm("XGBoost")(signs=signs).fit_dataset(data)


@pytest.mark.parametrize("name", TREES)
def test_scores_of_trees_go_the_way_of_the_signs(name, data):
    algorithm = rankcore.get_algorithm(name)
    signs = {"price": -1.0, "stars": 1.0}
    grid = np.linspace(0.0, 1.0, 60)
    found = {}
    for setting in ("any", "price=-, stars=+"):
        model = algorithm(max_iter=30, signs=setting).fit_dataset(data)
        rises = []
        for j, feature in enumerate(NAMES):
            X = np.tile(data.X[:40], (60, 1, 1))
            X[:, :, j] = grid[:, None]
            scores = model.predict(X.reshape(-1, 3)).reshape(60, 40)
            rises.append((signs.get(feature, 1.0) * np.diff(scores, axis=0)).min())
        found[setting] = rises
    assert min(found["price=-, stars=+"][:2]) >= 0.0
    assert found["price=-, stars=+"][2] < 0.0, "a feature without a sign is free"
    assert max(found["any"][:2]) < 0.0
    with pytest.raises(ValueError, match="'age' out of the data"):
        algorithm(signs="age=0").fit_dataset(data)
