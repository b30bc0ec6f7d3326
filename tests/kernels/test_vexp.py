import math

import numpy as np
import pytest

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic.vexp import vexp


@kernel
def exponentials(x, out):
    for i in range(len(x)):
        out[i] = vexp(x[i])


def of(values):
    x = np.asarray(values, dtype=np.float64)
    out = np.empty_like(x)
    exponentials(x, out)
    return out


@pytest.mark.parametrize("reach", [1e-3, 1.0, 40.0, 700.0])
def test_the_error_stays_within_one_unit_in_the_last_place(reach):
    x = np.concatenate([np.linspace(-reach, reach, 4001), np.zeros(1)])
    expected = np.exp(x)
    # np.exp itself errs by up to half a unit.
    assert (np.abs(of(x) - expected) <= 1.5 * np.spacing(expected)).all()


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant <= 52, reason="long double is no longer than double"
)
def test_the_relative_error_against_extended_precision():
    x = np.random.default_rng(0).uniform(-700.0, 700.0, 20_000)
    exact = np.exp(x.astype(np.longdouble))
    assert float(np.max(np.abs(of(x) / exact - 1.0))) <= 2.5e-16


def test_beyond_the_ends_it_is_zero_or_infinite():
    low, high = -1022.0 * math.log(2.0), 1024.0 * math.log(2.0)
    result = of([-np.inf, -1e300, low - 1.0, high + 1.0, 1e300, np.inf])
    np.testing.assert_array_equal(result, [0.0, 0.0, 0.0, np.inf, np.inf, np.inf])


def test_near_the_ends_it_is_finite_and_accurate():
    x = np.array([-708.3, 709.7])
    np.testing.assert_allclose(of(x), np.exp(x), rtol=4e-16)


def test_special_values():
    np.testing.assert_array_equal(of([0.0, -0.0]), [1.0, 1.0])
    assert of([1.0])[0] == pytest.approx(math.e, rel=2.5e-16)


def test_the_uncompiled_function_agrees():
    plain = getattr(vexp, "py_func", vexp)
    for x in (-800.0, -700.0, -1.5, 0.0, 0.3, 44.0, 700.0, 800.0):
        assert plain(x) == of([x])[0]
