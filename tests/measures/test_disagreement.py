"""Disagreement of raters on queries."""

import numpy as np
import pytest

from rankcore.measures.disagreement import query_disagreement


def test_variances_are_summed_with_the_discount_of_dcg():
    query, labels = np.array([1, 1, 0, 0]), np.array([0.0, 0.0, 1.0, 2.0])
    result = query_disagreement(query, labels, np.array([1.0, 3.0, 5.0, 7.0]))
    second = 1 / np.log2(3)
    # Labels that are equal share their discounts.
    assert result == pytest.approx([7 + 5 * second, 4 * (1 + second) / 2])
