"""Maps over hyperparameters."""

import numpy as np
import pytest

from rankcore.insight.maps import coarse_to_fine


@pytest.mark.parametrize("shape", [(1,), (2,), (16,), (16, 16), (9, 4), (3, 5, 2)])
def test_each_cell_comes_once(shape):
    assert sorted(coarse_to_fine(shape)) == list(range(np.prod(shape)))


def test_ends_and_middles_come_first():
    first = [divmod(number, 17) for number in coarse_to_fine((17, 17))]
    assert set(first[:9]) == {(a, b) for a in (0, 8, 16) for b in (0, 8, 16)}
    fourths = range(0, 17, 4)
    assert set(first[:25]) == {(a, b) for a in fourths for b in fourths}
