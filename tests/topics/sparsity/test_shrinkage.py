"""Where RSRank's rules of shrinking come to rest."""

import numpy as np
import pytest

from rankcore.topics.sparsity.shrinkage import settled_rules, shrunk_once


def test_one_shrinkage_has_the_worked_values():
    assert shrunk_once([0.3, -0.1, 0.05], 0.1) == pytest.approx([0.3 - 0.1, 0, 0])


def test_the_printed_rule_rests_beside_a_penalty_divided_by_the_interval():
    printed, divided, langford, plain = (rule.coef for rule in settled_rules())

    apart = np.abs(divided - plain).max()
    assert np.abs(printed - divided).max() < 0.05 * apart
    assert np.abs(langford - plain).max() < 0.15 * apart
    assert [np.count_nonzero(c) for c in (printed, divided, langford, plain)] == [
        2,
        2,
        1,
        1,
    ]


def test_all_rules_agree_when_every_step_shrinks():
    first, *others = (rule.coef for rule in settled_rules(0.4, 1))

    assert all(np.array_equal(first, coef) for coef in others)
