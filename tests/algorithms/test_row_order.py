"""The order of the rows decides no model, whichever algorithm, and no choice of one."""

import numpy as np
import pytest

from rankcore import RankingDataset, get_algorithm, load_dataset, measures
from rankcore.algorithms.parts.cones import Differences
from rankcore.base.hyperparameters import hyperparameters
from tests.algorithms.scored import ALGORITHMS, every
from tests.soaking import soak

every_algorithm = every()
validated = pytest.mark.parametrize("validated", [False, True])
# Their objectives have many maxima: rounding may change the way to one of them.
SEVERAL_MAXIMA = {"ApproxAP", "ApproxERR", "ApproxNDCG", "ApproxPrecision", "ApproxRR"}
EXACT, NEAR = 1e-6, 0.002


def planted(seed, queries=12, size=10):
    """Documents on a grid, so that some are the same and features tie, with labels by a
    linear truth with noise; half of the queries have few values of a feature."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (queries * size, 4)) / 5.0
    truth = X @ [3.0, -2.0, 1.0, 0.0] + rng.normal(scale=0.3, size=len(X))
    y = np.digitize(truth, np.quantile(truth, [0.4, 0.75]))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), size))


def rearranged(data, order, seed=0):
    """The same rows by descending or rising label, or all shuffled, queries and all."""
    query = np.repeat(np.arange(data.n_queries), data.lengths)
    rows = {
        "given": lambda: np.arange(len(query)),
        "down": lambda: np.lexsort((-data.y, query)),
        "up": lambda: np.lexsort((data.y, query)),
        "shuffled": lambda: np.random.default_rng(seed).permutation(len(query)),
    }[order]()
    return RankingDataset.from_arrays(data.X[rows], data.y[rows], query[rows])


def trained(algorithm, train, valid, test, **settings):
    """Scores of the test documents and the nDCG@10 of their worst order."""
    model = algorithm(**settings).fit_dataset(train, valid)
    scores = model.predict(test.X)
    return scores, measures.means(test, scores, ties="worst")["nDCG@10"]


def differences(algorithm, arrangements, splits, validated, **settings):
    """Relative differences of the scores to those from the rows as given, and the
    nDCG@10 of all models."""
    train, valid, test = splits
    models = [
        trained(
            algorithm,
            rearranged(train, *arrangement),
            rearranged(valid, *arrangement) if validated else None,
            test,
            **settings,
        )
        for arrangement in (("given",), *arrangements)
    ]
    first = models[0][0]
    for scores, _ in models:
        assert np.ptp(scores) > 0.0, "the model ties everything"
    size = np.linalg.norm(first - first.mean())
    apart = [np.linalg.norm(scores - first) / size for scores, _ in models[1:]]
    return np.array(apart), np.array([value for _, value in models])


def check(algorithm, apart, values):
    if algorithm.__name__ not in SEVERAL_MAXIMA:
        assert apart.max() <= EXACT
    # The rows as given lead to one of the maxima, too: by chance, not to a better one.
    by_chance = 3.0 * values[1:].std()
    assert abs(values[1:].mean() - values[0]) <= NEAR + by_chance


@pytest.mark.parametrize(
    ("algorithm", "validated"),
    # Half of the algorithms with validation, the other half without.
    [
        (algorithm, validated) if (i + validated) % 2 else soak(algorithm, validated)
        for i, algorithm in enumerate(ALGORITHMS)
        for validated in (False, True)
    ],
)
def test_the_order_of_rows_decides_no_model(algorithm, validated):
    orders = [("down",), ("up",), ("shuffled",)]
    splits = [planted(seed) for seed in range(3)]
    settings = {"max_iter": 30}
    check(algorithm, *differences(algorithm, orders, splits, validated, **settings))


def choices(algorithm):
    """The defaults, and every other choice of each hyperparameter; each with and
    without a cutoff."""
    parameters = hyperparameters(algorithm)
    cutoffs = [{}, {"cutoff": 15}] if "cutoff" in parameters else [{}]
    for cutoff in cutoffs:
        yield cutoff
        for name, parameter in parameters.items():
            for choice in parameter.choices or ():
                if choice != parameter.default:
                    yield {**cutoff, name: choice}


@every_algorithm
def test_no_choice_follows_the_order_of_rows(algorithm):
    """Nor early on the way to a model, but for ListMLE where it is told to."""
    data = planted(0, queries=60, size=20)
    splits, orders = (data, None, data), [("shuffled",)]
    for chosen in choices(algorithm):
        if chosen == {"ties": "input"} or algorithm(**chosen).unsupported_reason(data):
            continue
        settings = {**chosen, "max_iter": 3}
        apart, _ = differences(algorithm, orders, splits, False, **settings)
        assert apart.max() <= EXACT, chosen


def test_random_pairs_do_not_follow_the_order_of_rows():
    data = planted(0)
    first, *others = (
        Differences(rearranged(data, order)).sample(20, np.random.default_rng(0))
        for order in ("given", "down", "up", "shuffled")
    )
    for pairs in others:
        assert pairs == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize(
    ("package", "name", "settings", "queries"),
    [
        ("lightgbm", "LightGBM", {}, 210),
        ("lightgbm", "McRank", {"trees": "lightgbm"}, 210),
        ("sklearn", "McRank", {"trees": "scikit-learn"}, 2010),
        ("xgboost", "XGBoost", {}, 96),
        ("xgboost", "XGBoost", {}, 210),
    ],
)
def test_the_order_of_many_rows_decides_no_bins(package, name, settings, queries):
    """More documents of different values than the package itself bins exactly."""
    pytest.importorskip(package)
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(100 * queries, 2))
    y = np.digitize(X[:, 0] - X[:, 1] + rng.normal(size=len(X)), [0.0, 1.5])
    data = RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), 100))
    splits, orders = (data, None, data.subset(np.arange(20))), [("shuffled",)]
    algorithm, settings = get_algorithm(name), {**settings, "max_iter": 5}
    check(algorithm, *differences(algorithm, orders, splits, False, **settings))


@pytest.mark.soak
@every_algorithm
@validated
def test_twenty_shuffles_decide_no_model(algorithm, validated):
    orders = [("down",), ("up",), *(("shuffled", seed) for seed in range(20))]
    splits = load_dataset("planted")
    # Minimisers end as near to the minimum as they are asked to.
    result = "gradient_tolerance" in hyperparameters(algorithm)
    settings = {"gradient_tolerance": 1e-9} if result else {}
    check(algorithm, *differences(algorithm, orders, splits, validated, **settings))


@every_algorithm
@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_list_sorted_by_label_is_learnt_from(algorithm, order):
    X = np.array([[0.9], [0.5], [0.6], [0.8], [0.1], [0.2]])[order]
    y, qid = np.array([2, 1, 0, 2, 1, 0])[order], np.array([1, 1, 1, 2, 2, 2])[order]
    if algorithm.__name__ in {"LightGBM", "McRank", "XGBoost"}:
        pytest.skip("Six documents are too few for a split.")
    scores = algorithm(max_iter=20).fit(X, y, qid=qid).predict(X)
    assert np.ptp(scores) > 0.0
