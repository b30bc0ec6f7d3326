"""The working set of the structured rankers is solved to its maximum."""

import numpy as np
import pytest

from rankcore._kernels.structured.simplex_dual import ascend, block_grams
from rankcore.algorithms.parts.margins.working_set import WorkingSet


def problem(blocks=20, size=8, d=6, seed=0):
    """A working set with more constraints than features, most of which matter."""
    rng = np.random.default_rng(seed)
    bounds = np.full(blocks, 2.0)
    planes = rng.normal(size=(blocks * size, d)) + 0.5 * rng.normal(size=d)
    losses = rng.uniform(size=blocks * size)
    working = WorkingSet(bounds, d)
    working.add(np.repeat(np.arange(blocks), size), planes, losses)
    return working, bounds, planes, losses


@pytest.mark.parametrize("blocks", [1, 20, 200])
def test_the_gap_is_closed(blocks):
    working, bounds, planes, losses = problem(blocks)
    working.solve(1e-3)
    slacks = np.maximum((losses - planes @ working.w).reshape(blocks, -1).max(1), 0.0)
    primal = working.w @ working.w + bounds @ slacks
    assert 0.0 <= primal - working.dual + 1e-12 * primal <= 1e-6 * 1e-3 + 2e-12 * primal
    assert working.slacks == pytest.approx(slacks)


def test_the_solver_ends_with_its_work_and_its_value_is_a_lower_bound():
    working, bounds, planes, losses = problem(200)
    limited = WorkingSet(bounds, planes.shape[1], most_work=5.0 * planes.size)
    limited.add(np.repeat(np.arange(200), 8), planes, losses)
    working.solve(1e-3)
    assert not working.is_exhausted
    limited.solve(1e-3)
    assert limited.is_exhausted
    assert 0.0 < limited.dual < working.dual


@pytest.mark.parametrize("blocks", [1, 20, 200])
def test_a_last_digit_of_the_coefficients_does_not_matter(blocks):
    working, bounds, planes, losses = problem(blocks)
    working.solve(1e-1)
    starts = np.arange(blocks + 1) * (len(losses) // blocks)
    more = planes + 0.05 * np.random.default_rng(1).normal(size=planes.shape)
    ends = []
    for towards in (-np.inf, np.inf):
        alpha = working._alpha.copy()
        w = np.nextafter(0.5 * alpha @ more, towards)
        grams = block_grams(more, starts)
        ascend(more, losses, starts, bounds, grams, alpha, w, 1e-7, 1000)
        ends.append(0.5 * alpha @ more)
    assert np.abs(ends[0] - ends[1]).max() < 1e-6 * np.abs(ends[0]).max()
