"""Signs of features: bounds of coefficients, and ways that scores of trees may go."""

import itertools
import re

import numpy as np
import pytest
from scipy.optimize import Bounds, minimize, minimize_scalar

import rankcore
from rankcore import FenchelRank, LambdaRank, RSRank
from rankcore.algorithms import LinearRanker, StructuredRanker
from rankcore.algorithms.parts.scales import feature_ranges
from rankcore.algorithms.parts.signs import bounds_of, signs_among
from rankcore.base.hyperparameters import hyperparameters, stored_settings
from rankcore.cli._failures import Misused
from rankcore.cli._hyperparameters import parse
from rankcore.data.dataset import RankingDataset
from rankcore.studies.importance import refitted
from rankcore.studies.models import load_model, save_model
from rankcore.studies.searches.space import searchable
from rankcore.topics.explore.maps import mappable
from rankcore.training import Stop, drive
from tests.algorithms.scored import every

NAMES = ("stars", "price", "age")
TREES = ["LightGBM", "XGBoost"]
SIGNS = "stars=+, price=-, shop=0"


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


ODD_NAMES = ["price, net", 'so-called "quality"', '"', 'a "b", c', "a=b", "stars"]


def test_names_with_commas_stand_in_quotation_marks():
    bounds = bounds_of('"price, net"=-, stars=+', ODD_NAMES)
    assert bounds.directions.tolist() == [-1, 0, 0, 0, 0, 1]
    whole = bounds_of('"price, net=-" ,stars = +', ODD_NAMES)
    assert whole.directions.tolist() == bounds.directions.tolist()
    doubled = bounds_of('"a ""b"", c"=0, so-called "quality"=-, """"=+', ODD_NAMES)
    assert doubled.directions.tolist() == [0, -1, 1, 0, 0, 0]
    assert doubled.fixed.tolist() == [False, False, False, True, False, False]


def test_signs_among_features_are_signs_of_these():
    signs = '"price, net"=-, """"=+, "a ""b"", c"=0, a=b=+, stars=-'
    every = signs_among(signs, ODD_NAMES)
    np.testing.assert_array_equal(
        bounds_of(every, ODD_NAMES), bounds_of(signs, ODD_NAMES)
    )
    for at, name in enumerate(ODD_NAMES):
        result = bounds_of(signs_among(signs, [name]), [name])
        expected = bounds_of(signs, ODD_NAMES).directions[at]
        assert (result.directions[0] if result else 0) == expected


@pytest.mark.parametrize(
    ("signs", "sentence"),
    [
        (
            '"price',
            'not a feature with a sign: .* quotation marks, such as "price, net"=-',
        ),
        ("price=-\nstars=+", "that the data lacks"),
        ("stars", "'stars' in signs is not a feature with a sign"),
        ("stars=*", "not a feature with a sign"),
        ("stars=+,", "'' in signs is not a feature"),
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
    settings = {}
    for setting in ("any", "price=-, stars=+"):
        model = algorithm(max_iter=30, signs=setting).fit_dataset(data)
        rises = []
        for j, feature in enumerate(NAMES):
            X = np.tile(data.X[:40], (60, 1, 1))
            X[:, :, j] = grid[:, None]
            scores = model.predict(X.reshape(-1, 3)).reshape(60, 40)
            rises.append((signs.get(feature, 1.0) * np.diff(scores, axis=0)).min())
        settings[setting] = rises
    assert min(settings["price=-, stars=+"][:2]) >= 0.0
    assert settings["price=-, stars=+"][2] < 0.0, "a feature without a sign is free"
    assert max(settings["any"][:2]) < 0.0
    with pytest.raises(ValueError, match="'age' from the data"):
        algorithm(signs="age=0").fit_dataset(data)


def fitted(algorithm, data, passes=500, **settings):
    model = algorithm(signs=SIGNS, **settings)
    return [*drive(model, data, stop=Stop(max_iterations=passes))]


def keeps_signs(w):
    return w[1] <= 0.0 <= w[0] and w[3] == 0.0


@pytest.fixture(scope="module")
def four():
    """What ranks by four features, one of them against its sign in `SIGNS`."""
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(60, 4))
    truth = X @ [1.5, 1.0, -1.0, 2.0] + rng.normal(scale=0.4, size=60)
    y = np.digitize(truth, np.quantile(truth, [0.5, 0.8]))
    names = ("stars", "price", "age", "shop")
    qid = np.repeat(np.arange(6), 10)
    return RankingDataset.from_arrays(X, y, qid, feature_names=names)


@pytest.mark.parametrize(
    ("algorithm", "g"), [(RSRank, 0.0), (RSRank, 0.5), (LambdaRank, 0.0)]
)
def test_descent_ends_where_no_permitted_step_gains(algorithm, g, four):
    model = algorithm(signs=SIGNS, **({"g": g} if g else {}))
    steps = itertools.islice(model.steps(four, np.random.default_rng(0)), 600)
    coefs = [step.coef for step in steps]
    assert all(map(keeps_signs, coefs))
    w = coefs[-1]
    _, gradient = model.loss(four)(w)
    assert w[0] > 0.0 > w[2]
    left = gradient[[0, 2]] + [g, -g]
    assert abs(left).max() < 0.01 * abs(gradient).max()
    assert w[1] == 0.0
    assert gradient[1] < -g


@pytest.mark.parametrize("shrinkage", ["paper", "langford"])
def test_between_shrinkages_coefficients_keep_their_signs(shrinkage, four):
    settings = {"g": 2.0, "truncation_interval": 3, "shrinkage": shrinkage}
    records = fitted(RSRank, four, 9, learning_rate=0.003, **settings)
    loss = RSRank().loss(four)
    steps = 3 if shrinkage == "langford" else 1
    low, high = bounds_of(SIGNS, four.feature_names)
    for before, after in itertools.pairwise(records):
        moved = before.coef - 0.003 * loss(before.coef)[1]
        # The proximal step by SciPy: of g times the norm, with bounds.
        l1 = 0.003 * 2.0 * steps * (after.iteration % 3 == 0)
        for j, (at, reached) in enumerate(zip(moved, after.coef, strict=True)):
            near = minimize_scalar(
                lambda v, at=at, l1=l1: 0.5 * (v - at) ** 2 + l1 * abs(v),
                bounds=(max(low[j], -9.0), min(high[j], 9.0)),
                method="bounded",
                options={"xatol": 1e-10},
            )
            assert reached == pytest.approx(near.x, abs=1e-6)


def pairs_of(data):
    """The difference (p, d) of each pair of a better and a worse document."""
    queries = np.repeat(np.arange(data.n_queries), data.lengths)
    one, other = np.nonzero(
        (queries[:, None] == queries) & (data.y[:, None] > data.y[None, :])
    )
    return data.X[one] - data.X[other]


@pytest.mark.parametrize("variant", ["plain", "away", "pairwise"])
@pytest.mark.parametrize(
    ("signs", "radius"), [(SIGNS, 0.5), (SIGNS, 20.0), ("stars=-, price=-, shop=-", 1)]
)
def test_the_gap_on_a_part_of_the_ball_bounds_what_scipy_finds(
    variant, signs, radius, four
):
    K = pairs_of(four)
    bounds = bounds_of(signs, four.feature_names)

    def value(parts):
        # Positive and negative parts: the norm is their sum.
        lacking = np.maximum(1.0 - K @ (parts[:4] - parts[4:]), 0.0)
        slope = -2.0 / len(K) * (lacking @ K)
        return float((lacking**2).mean()), np.append(slope, -slope)

    limits = [*((0.0, high) for high in bounds.high)]
    limits += [(0.0, -low) for low in bounds.low]
    ball = {"type": "ineq", "fun": lambda parts: radius - parts.sum()}
    least = minimize(
        value, np.zeros(8), jac=True, method="SLSQP", bounds=limits, constraints=[ball],
        options={"ftol": 1e-13, "maxiter": 500},
    )  # fmt: skip
    model = FenchelRank(signs=signs, radius=radius, variant=variant, gap_tolerance=1e-4)
    steps = [*itertools.islice(model.steps(four, np.random.default_rng(0)), 400)]
    for step in steps:
        assert (bounds.nearest(step.coef) == step.coef).all()
        assert np.abs(step.coef).sum() <= radius * (1.0 + 1e-12)
        assert step.objective - step.diagnostics["gap"] <= least.fun + 1e-9
        assert step.diagnostics["dual"] <= least.fun + 1e-9
    last = steps[-1]
    assert last.objective <= least.fun + max(last.diagnostics["gap"], 1e-4)
    assert last.diagnostics["best gap"] < (1e-2 if variant == "plain" else 1.1e-4)


@pytest.mark.parametrize("slacks", ["per_query", "one"])
@every(StructuredRanker)
def test_the_dual_with_signs_bounds_what_scipy_finds(algorithm, slacks, four):
    model = algorithm(signs=SIGNS, slacks=slacks)
    steps = [*model.steps(four, np.random.default_rng(0))]
    for step in steps:
        assert keeps_signs(step.coef)
    last = steps[-1]
    ranges = feature_ranges(four)
    total = sum(item.C for item in model.losses(four))

    def objective(w):
        size = ranges * w
        return size @ size + model.forces(four, four.X @ w).value

    limits = Bounds(*bounds_of(SIGNS, four.feature_names))
    least = minimize(
        objective, 0.9 * last.coef, method="Nelder-Mead", bounds=limits,
        options={"maxfev": 150},
    ).fun  # fmt: skip
    assert last.objective == pytest.approx(objective(last.coef), rel=1e-12)
    assert last.objective <= least + model.epsilon * total
    duals = [step.diagnostics["dual"] for step in steps]
    assert max(duals) <= least + 1e-9
    assert (np.diff(duals) >= -1e-9 * total).all()
    assert last.objective - duals[-1] <= model.epsilon * total


@pytest.mark.parametrize("variant", ["plain", "away", "pairwise"])
def test_where_every_sign_is_wrong_steps_lead_to_zero(variant, four):
    signs = "stars=-, price=-, age=+, shop=-"
    start = np.array([-0.2, -0.1, 0.3, 0.0])
    model = FenchelRank(signs=signs, radius=1.0, variant=variant)
    first, *_, last = model.steps(four, np.random.default_rng(0), start)
    assert first.coef.tolist() == start.tolist()
    assert last.coef.tolist() == [0.0] * 4
    assert last.diagnostics["gap"] == 0.0


def test_a_start_and_raw_features_have_the_signs_too(four):
    start = np.array([1.0, 1.0, -1.0, 1.0])
    data = four.normalise("standard")
    run = drive(RSRank(signs=SIGNS), data, start=start, stop=Stop(max_iterations=3))
    first, *others = run
    assert first.coef.tolist() == [1.0, 0.0, -1.0, 0.0]
    assert all(keeps_signs(record.coef) for record in others)


def test_stored_settings_name_signs_where_there_are_some():
    assert "signs" not in stored_settings(RSRank())
    assert stored_settings(RSRank(signs="a=+"))["signs"] == "a=+"
    assert signs_among("a=+, b=-", ["b"]) == "b=-"
    assert signs_among("a=+", ["b"]) == "any"
    assert signs_among("not_negative", ["b"]) == "not_negative"


@every()
def test_every_algorithm_keeps_signs_or_says_why_it_has_none(algorithm, four):
    if "signs" not in hyperparameters(algorithm):
        why = re.escape(f"{algorithm.title} has no signs of features. ")
        with pytest.raises(Misused, match=rf"--signs: {why}[A-Z].*\. Leave them out"):
            parse(algorithm, {"signs": SIGNS})
        return
    assert parse(algorithm, {"signs": SIGNS}) == {"signs": SIGNS}
    assert algorithm().signs == "any"
    assert "signs" not in stored_settings(algorithm())
    assert "signs" not in {*searchable(algorithm), *mappable(algorithm)}
    with pytest.raises(ValueError, match="lacks, 'colour'; the features are stars"):
        algorithm(signs="colour=+").fit_dataset(four)
    if issubclass(algorithm, LinearRanker):
        model = algorithm(signs="not_negative", max_iter=6).fit_dataset(four)
        assert model.coef_.min() >= 0.0 < model.coef_.max()


def test_a_refit_without_a_feature_has_the_signs_of_the_others(four):
    model = RSRank(signs=SIGNS, max_iter=40).fit_dataset(four)
    lost = {row.feature: row.loss for row in refitted(model, four, four)}
    assert lost["stars"] > 0.0 == lost["shop"]


def test_a_model_file_has_the_signs(four, tmp_path):
    model = RSRank(signs=SIGNS, max_iter=2).fit_dataset(four)
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").signs == SIGNS
