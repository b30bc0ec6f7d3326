"""Sums in lanes have the bits of a plain loop in the same order, on any processor."""

import os
import subprocess
import sys
from operator import add, mul

import numpy as np
import pytest

from rankcore._kernels import kernel
from rankcore._kernels.arithmetic import lanes
from tests.soaking import soak

LENGTHS, OFFSETS = range(41), range(5)


@kernel
def every_sum(X, w, lengths, offsets):
    """Of each stretch of the second row its sum, the product of its blends, and that
    with the start of w; the products of the row itself, and its distance."""
    sums = np.empty((len(lengths), len(offsets), 13))
    for i in range(len(lengths)):
        for k in range(len(offsets)):
            lo, n = offsets[k], lengths[i]
            stretch = X[1][lo : lo + n]
            sums[i, k, 0] = lanes.total(X[1], lo, lo + n)
            sums[i, k, 1] = lanes.product(stretch, w, n)
            sums[i, k, 2] = lanes.blend_products(stretch, X[0][:n], (0.3, 0.7))[1]
            sums[i, k, 3] = lanes.row_product(X, 1, w)
            sums[i, k, 4] = lanes.rows_product(X, 0, X, 1)
            sums[i, k, 5] = lanes.squared_distance(X, 0, 1, w)
            sums[i, k, 6:8] = lanes.two_row_products(X, 0, w)
            sums[i, k, 8:10] = lanes.totals(X[0], X[1], lo, lo + n)
            sums[i, k, 10:12] = lanes.moments(stretch, w, n)[1:]
            sums[i, k, 12] = lanes.factors_product(X[1], lo, lo + n)
    return sums


def numbers(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2, 45)) * 10.0 ** rng.uniform(-8, 8, (2, 45))
    return X.astype(kind), rng.normal(size=45)


def results(kind):
    X, w = numbers(kind)
    return every_sum(X, w, np.array(LENGTHS), np.array(OFFSETS))


def by_hand(terms, join=add, neutral=0.0):
    """The order the module describes, one addition after another."""
    n, lane = len(terms), [neutral] * 8
    for block in range(n // 8):
        for k in range(8):
            lane[k] = join(lane[k], terms[8 * block + k])
    done = n - n % 8
    if n % 8 >= 4:
        for k in range(4):
            lane[k] = join(lane[k], terms[done + k])
        done += 4
    a, b, c, d = (join(lane[k], lane[k + 4]) for k in range(4))
    total = join(join(a, c), join(b, d))
    for k in range(done, n):
        total = join(total, terms[k])
    return total


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_every_length_and_offset_is_summed_in_the_order_described(kind):
    X, w = numbers(kind)
    (other, row), sums = X.astype(np.float64), results(kind)
    for i, n in enumerate(LENGTHS):
        for k, lo in enumerate(OFFSETS):
            stretch = row[lo : lo + n]
            assert sums[i, k].tolist() == [
                by_hand(stretch),
                by_hand(stretch * w[:n]),
                by_hand(other[:n] + stretch * 0.7, mul, 1.0),
                by_hand(row * w),
                by_hand(other * row),
                by_hand(((other - row) * w) ** 2),
                by_hand(other * w),
                by_hand(row * w),
                by_hand(other[lo : lo + n]),
                by_hand(stretch),
                by_hand(stretch**2),
                by_hand(w[:n] ** 2),
                by_hand(stretch, mul, 1.0),
            ]


@pytest.mark.parametrize(
    "processor",
    [
        {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2"},
        soak({"NUMBA_DISABLE_JIT": "1"}),
        soak(
            {
                "NUMBA_CPU_NAME": "haswell",
                "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c,"
                "+movbe",
            }
        ),
    ],
    ids=["sse2", "uncompiled", "haswell"],
)
def test_the_bits_are_those_of_another_processor(processor, tmp_path):
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_lanes as t\n"
        "print(*(t.results(k).tobytes().hex() for k in ('float64', 'float32')))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, os.path.dirname(__file__)],
        env={**os.environ, **processor, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [results(kind).tobytes().hex() for kind in ("float64", "float32")]
    assert answer.stdout.split() == expected


@pytest.mark.skipif(lanes.config.DISABLE_JIT, reason="nothing is compiled")
def test_arrays_with_gaps_are_refused():
    @kernel
    def column_sum(X):
        return lanes.total(X[:, 0], 0, len(X))

    with pytest.raises(Exception, match="C-contiguous"):
        column_sum(np.ones((3, 2)))
