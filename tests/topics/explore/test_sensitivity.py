"""Sensitivity: each model equals one trained by hand on data changed by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from rankcore.algorithms import get_algorithm
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.rsrank import RSRank
from rankcore.data.catalogue import Splits
from rankcore.data.samples import part_of, with_noise
from rankcore.topics.explore.sensitivity import (
    FACTORS,
    NOISE,
    SensitivityPlan,
    found_sensitivity,
)
from rankcore.topics.explore.sensitivity_figure import (
    kept_repeats_figure,
    kept_spread_figure,
    repeats_figure,
    spread_figure,
)
from rankcore.training import Stop, drive

BRIEF = Stop(max_iterations=4)


def a_plan(small, vary, ranker=None, repeats=3):
    splits = Splits(small.subset(range(8)), small.subset(range(8, 12)), None)
    ranker = ranker or RSRank(learning_rate=1e-2)
    return SensitivityPlan(ranker, splits, vary, repeats, seed=4, max_iterations=4)


def taken(plan):
    study = plan.study()
    list(study)
    assert study.done == study.total == plan.runs
    return found_sensitivity(plan, study.found)


def by_hand(small, plan, level, repeat):
    train, valid, _ = plan.splits
    if plan.vary == "seeds":
        return train, valid, 4 + repeat
    if plan.vary == "folds":
        query = np.repeat(np.arange(12), 8)
        parts = list(GroupKFold(3).split(small.X, groups=query))
        result, left_out = (np.unique(query[item]) for item in parts[repeat])
        return small.subset(result), small.subset(left_out), 4
    rng = np.random.default_rng((4, repeat))
    if plan.vary == "queries":
        return train.subset(np.sort(rng.permutation(8)[: int(level)])), valid, 4
    at = np.flatnonzero(rng.random(len(train.y)) < level)
    y = train.y.copy()
    y[at] = y[rng.permutation(at)]
    return replace(train, y=y), valid, 4


@pytest.mark.parametrize(
    "vary",
    [
        pytest.param(
            name, marks=[pytest.mark.soak] if name in ("seeds", "queries") else []
        )
        for name in FACTORS
    ],
)
def test_each_model_equals_one_trained_by_hand(small, vary):
    plan = a_plan(small, vary, ApproxNDCG())
    result = taken(plan)
    assert not result.failed
    for row in result.results:
        level, repeat = plan.places[row.cell]
        train, valid, seed = by_hand(small, plan, level, repeat)
        run = drive(ApproxNDCG(random_state=seed), train, valid, stop=BRIEF)
        list(run)
        assert row.valid["nDCG@10"] == run.best.valid["nDCG@10"]
        assert row.train["nDCG@10"] == run.best.train["nDCG@10"]
        np.testing.assert_array_equal(row.coef, run.best.coef)
    for figure in (spread_figure, kept_spread_figure, repeats_figure):
        assert figure(result, "#0072B2").figure()
    assert kept_repeats_figure(result, "#0072B2").alt.endswith("features are kept.")


def test_spread_is_over_the_repeats_of_a_level(small):
    result = taken(a_plan(small, "noise"))
    spread = result.spread("valid")
    assert spread.levels.tolist() == list(NOISE)
    variances = []
    for n, level in enumerate(NOISE):
        each = result.figures("valid")[result.levels == level]
        assert len(each) == 3
        assert spread.mean[n] == pytest.approx(sum(each) / 3)
        assert (spread.low[n], spread.high[n]) == (min(each), max(each))
        variances.append(np.var(each, ddof=1))
    assert result.deviation == pytest.approx(np.sqrt(np.mean(variances)))
    values = result.results[len(NOISE) - 1].queries["nDCG@10"]
    assert result.over_queries.estimate == values.mean()


def test_an_algorithm_that_draws_nothing_has_no_spread_over_seeds(small):
    result = taken(a_plan(small, "seeds", get_algorithm("RankSVM")()))
    assert result.deviation == 0.0


def test_noise_keeps_the_labels_as_a_whole_and_grows(small):
    assert (with_noise(small, 0.0, 1).y == small.y).all()
    changed = []
    for share in (0.1, 0.3, 0.6):
        noisy = with_noise(small, share, 1)
        assert sorted(noisy.y) == sorted(small.y)
        np.testing.assert_array_equal(noisy.X, small.X)
        changed.append((noisy.y != small.y).mean())
    assert 0.0 < changed[0] < changed[1] < changed[2] < 0.6
    assert (with_noise(small, 0.6, 1).y != with_noise(small, 0.6, 2).y).any()


def test_more_queries_include_the_fewer_ones(small):
    fewer, more = (part_of(small, count, 3).query_ids for count in (3, 7))
    assert set(fewer) < set(more)
    assert part_of(small, 12, 3).query_ids == small.query_ids


def test_a_model_that_cannot_be_trained_is_counted(small):
    plan = a_plan(small, "queries")
    study = plan.study()
    list(study)
    bad = study.found[0]
    lost = replace(bad, status="failed", reason="No.")
    sensitivity = found_sensitivity(plan, [lost, *study.found[1:]])
    assert sensitivity.failed == (lost,)
    assert len(sensitivity.results) == plan.runs - 1
