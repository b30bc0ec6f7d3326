"""Exponentials and logarithms against extended precision; products against exact
sums."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rankcore._kernels.measures.resampling import weighted_sums
from rankcore.base.draws import standard_exponential, standard_normal
from rankcore.mathematics import angles, elementary, products

pytestmark = pytest.mark.unit

RNG = np.random.default_rng(0)
MANY = np.concatenate(
    [10.0 ** RNG.uniform(-300, 300, 2000), RNG.uniform(0.5, 2.0, 2000)]
)
AROUND_ZERO = np.concatenate([RNG.uniform(-700.0, 700.0, 2000), RNG.normal(size=2000)])


def _units(values: np.ndarray, true: np.ndarray) -> float:
    """The largest error in units of the last place."""
    return float(np.max(np.abs(values - true) / np.spacing(np.abs(values))))


@pytest.mark.parametrize(
    ("function", "true", "x", "units"),
    [
        (elementary.log, np.log, MANY, 1.0),
        (elementary.log2, np.log2, np.arange(2.0, 5000.0), 0.6),
        (elementary.exp, np.exp, AROUND_ZERO, 1.0),
        (elementary.exp2, np.exp2, RNG.uniform(-500.0, 500.0, 2000), 1.5),
        (
            elementary.logistic,
            lambda x: 1.0 / (1.0 + np.exp(-x)),
            RNG.uniform(-30.0, 30.0, 2000),
            3.0,
        ),
        (
            elementary.softplus,
            lambda x: np.log1p(np.exp(x)),
            RNG.uniform(-30.0, 30.0, 2000),
            4.0,
        ),
        (angles.sin, np.sin, RNG.uniform(-20.0, 20.0, 2000), 2.0),
        (angles.cos, np.cos, RNG.uniform(-20.0, 20.0, 2000), 2.0),
        (angles.tan, np.tan, RNG.uniform(-20.0, 20.0, 2000), 4.0),
        (angles.arctan, np.arctan, RNG.standard_cauchy(2000), 5.0),
    ],
)
def test_the_last_digit_is_right(function, true, x, units) -> None:
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("long double is double here, so there is nothing finer to ask")
    assert _units(function(x), true(x.astype(np.longdouble))) <= units


def test_ends_of_the_range() -> None:
    assert elementary.log([1.0, 0.0, np.inf]).tolist() == [0.0, -np.inf, np.inf]
    assert np.isnan(elementary.log([-1.0, np.nan])).all()
    assert elementary.exp([0.0, -np.inf, np.inf]).tolist() == [1.0, 0.0, np.inf]
    assert elementary.logistic([-np.inf, 0.0, np.inf]).tolist() == [0.0, 0.5, 1.0]
    assert elementary.softplus([-1000.0, 1000.0]).tolist() == [0.0, 1000.0]


def test_angles_of_all_quadrants() -> None:
    y, x = RNG.normal(size=(2, 2000))
    assert angles.arctan2(y, x) == pytest.approx(np.arctan2(y, x), rel=1e-15)
    eighths = np.array([0.0, 1.0, 2.0, 3.0, 4.0, -3.0, -2.0, -1.0]) * 45.0
    y, x = [0, 1, 1, 1, 0, -1, -1, -1], [1, 1, 0, -1, -1, -1, 0, 1]
    assert np.degrees(angles.arctan2(y, x)).tolist() == eighths.tolist()


def test_ten_digits() -> None:
    result = np.array([[1.0 / 3.0, 2e-30 / 3.0], [-1e10 / 3.0, np.nan]])
    expected = [[0.3333333333, 6.666666667e-31], [-3333333333.0, np.nan]]
    assert np.array_equal(elementary.ten_digits(result), expected, equal_nan=True)
    assert float(elementary.ten_digits(np.inf)) == np.inf


def test_geometric_steps() -> None:
    assert elementary.geomspace(1e-3, 1e3, 7).tolist() == [
        0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0
    ]  # fmt: skip
    assert elementary.geomspace(1 / 3, 2 / 3, 2).tolist() == [1 / 3, 2 / 3]
    assert elementary.geomspace(2.0, 3.0, 1).tolist() == [2.0]


@pytest.mark.parametrize("kind", [np.bool_, np.uint16, np.int64])
def test_sums_over_resampled_queries(kind) -> None:
    values, weights = RNG.normal(size=(3, 21)), RNG.integers(0, 2, (5, 21), kind)
    sums = np.empty((3, 5))
    weighted_sums(values, weights, sums)
    exact = [[math.fsum(row[w == 1]) for w in weights] for row in values]
    assert sums == pytest.approx(np.array(exact), abs=1e-14)


def test_whole_powers_are_exact() -> None:
    powers = np.arange(-1022, 1024)
    assert elementary.exp2(powers).tolist() == [2.0 ** int(k) for k in powers]
    assert elementary.log2(elementary.exp2(powers)).tolist() == powers.tolist()


def test_products() -> None:
    a, b = RNG.normal(size=(7, 5)), RNG.normal(size=(5, 3))
    exact = [
        [sum(Fraction(x) * Fraction(y) for x, y in zip(row, column, strict=True))
         for column in b.T]
        for row in a
    ]  # fmt: skip
    product = products.product(a, b)
    assert product.tolist() == pytest.approx(np.array(exact, float), abs=1e-14)
    assert products.combination(a[0], b).tolist() == product[0].tolist()
    assert products.times_vector(b.T, a[0]).tolist() == pytest.approx(product[0], 1e-14)
    assert products.dot(a[:, 0], a[:, 1]) == pytest.approx(math.fsum(a[:, 0] * a[:, 1]))
    assert products.norm([3.0, 4.0]) == 5.0


def test_exponential_draws_are_numpys_but_for_the_tail() -> None:
    ours = standard_exponential(np.random.default_rng(1), 40_000)
    numpys = np.random.default_rng(1).standard_exponential(40_000)
    tail = numpys > 7.69711747013105
    assert 0 < tail.sum() < 40
    assert (ours[~tail] == numpys[~tail]).all()
    assert (ours[tail] == np.rint(numpys[tail] * 2.0**32) / 2.0**32).all()


def test_normal_draws_are_numpys_but_for_the_tail() -> None:
    ours = standard_normal(np.random.default_rng(1), (400, 100))
    numpys = np.random.default_rng(1).standard_normal((400, 100))
    tail = np.abs(numpys) > 3.6541528853610088
    assert 0 < tail.sum() < 40
    assert (ours[~tail] == numpys[~tail]).all()
    assert (ours[tail] == np.rint(numpys[tail] * 2.0**32) / 2.0**32).all()
