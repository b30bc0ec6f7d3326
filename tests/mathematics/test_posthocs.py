"""Tests of several models at once, as scikit-posthocs and statsmodels compute them."""

from dataclasses import replace

import numpy as np
import pytest
import scikit_posthocs as posthocs
from matplotlib.figure import Figure
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

from rankcore.mathematics.differences import mean_ranks
from rankcore.mathematics.statistics import (
    detectable_effect,
    holm,
    minimal_detectable_difference,
    queries_needed,
)
from rankcore.topics.compare.comparison import compare, contenders, over_data_sets
from tests.mathematics.test_differences import DEMSAR
from tests.topics.compare.test_comparison import trained

RNG = np.random.default_rng(3)
# Rounded values have ties; models that are better by more have higher columns.
STEPS = np.array([0.0, 0.4, 0.8, 1.6, 2.4])
TIED = (RNG.normal(size=(9, 5)) + STEPS).round(0)
APART = RNG.normal(size=(20, 6)) + 1.5 * np.arange(6)
TABLES = {"demsar": DEMSAR, "tied": TIED, "apart": APART, "noise": RNG.random((5, 3))}
LEVELS = (0.01, 0.05, 0.1)
tables = pytest.mark.parametrize("values", TABLES.values(), ids=TABLES)


@tables
def test_friedman_s_statistic_is_durbin_s_of_complete_blocks(values):
    _, statistic, _ = posthocs.test_durbin(values)
    assert mean_ranks(values).chi_square == pytest.approx(statistic)


@tables
def test_the_critical_difference_is_nemenyi_s_at_each_p_value(values):
    p_values = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    ranks = mean_ranks(values).ranks
    # Beyond, p-values have too few digits to be inverted.
    pairs = [(i, j) for i, j in np.argwhere((p_values > 1e-6) & (p_values < 0.999))]
    for first, second in [pair for pair in pairs if pair[0] < pair[1]][:6]:
        result = mean_ranks(values, float(p_values[first, second]))
        apart = abs(ranks[first] - ranks[second])
        assert result.critical_difference == pytest.approx(apart, rel=1e-5)


@pytest.mark.parametrize("level", LEVELS)
@tables
def test_bars_are_those_of_the_critical_difference_diagram(values, level):
    p_values = posthocs.posthoc_nemenyi_friedman(values)
    ranks = mean_ranks(values, level)
    drawn = posthocs.critical_difference_diagram(
        dict(enumerate(ranks.ranks)), p_values, alpha=level, ax=Figure().subplots()
    )
    bars = [line.get_xdata() for bar in drawn["crossbars"] for line in bar]
    groups = [ranks.ranks[list(group)] for group in ranks.groups]
    assert sorted(map(sorted, bars)) == sorted(map(sorted, groups))


def test_a_comparison_over_data_sets_has_nemenyi_s_bars():
    """From the runs on: each data set with the mean over its queries."""
    runs = [
        replace(run, terms=replace(run.terms, data=f"data {number}"))
        for number, row in enumerate(APART)
        for name, value in zip(("ListNet", "RSRank", "RankSVM"), row[::2], strict=True)
        for run in [trained([value - 0.01, value + 0.01], name, ids=("a", "b"))]
    ]
    _, names, values = over_data_sets(runs, "nDCG@10")
    order = [names.index(name) for name in ("ListNet", "RSRank", "RankSVM")]
    np.testing.assert_allclose(values[:, order], APART[:, ::2])
    p_values = posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    apart = np.abs(np.subtract.outer(*2 * [mean_ranks(values).ranks]))
    differ = apart > mean_ranks(values).critical_difference
    assert (differ == (p_values < 0.05)).all()


QUERIES = np.clip(0.5 + 0.2 * RNG.normal(size=(5, 30)), 0.0, 1.0)
QUERIES += np.array([0.0, 0.0, 0.05, 0.1, 0.2])[:, None]
PAIRS = [(i, j) for i in range(5) for j in range(i)]


def test_holm_s_p_values_of_wilcoxon_s_tests():
    table = posthocs.posthoc_wilcoxon(list(QUERIES), p_adjust="holm").to_numpy()
    alone = [wilcoxon(QUERIES[i], QUERIES[j]).pvalue for i, j in PAIRS]
    expected = [table[pair] for pair in PAIRS]
    np.testing.assert_allclose(holm(alone), expected)


def test_pairs_of_a_comparison_have_p_values_of_paired_t_tests_and_of_holm():
    ids = tuple(map(str, range(30)))
    runs = [trained(v, ids=ids, l2=float(n)) for n, v in enumerate(QUERIES)]
    result = compare(contenders(runs), "nDCG@10")
    alone = [
        DescrStatsW(result.values[pair.first] - result.values[pair.second]).ttest_mean()
        for pair in result.pairs
    ]
    assert len(alone) == len(PAIRS)
    expected = [p for _, p, _ in alone]
    values = [pair.difference.t_p_value for pair in result.pairs]
    np.testing.assert_allclose(values, expected, rtol=1e-9)
    p_values = [pair.difference.p_value for pair in result.pairs]
    _, corrected, *_ = multipletests(p_values, method="holm")
    adjusted = [pair.adjusted for pair in result.pairs]
    np.testing.assert_allclose(adjusted, corrected, rtol=1e-9)


@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize("queries", [5, 21, 400])
def test_what_queries_detect_has_the_power_of_a_paired_t_test(queries, power):
    def of(effect, queries):
        return TTestPower().power(effect, queries, 0.05)

    assert of(detectable_effect(queries, power), queries) == pytest.approx(power)
    values = RNG.normal(size=queries)
    deviation = values.std(ddof=1)
    difference = minimal_detectable_difference(values, power=power)
    assert of(difference.difference / deviation, queries) == pytest.approx(power)
    needed = queries_needed(values, 0.3, power=power)
    assert of(0.3 / deviation, needed) >= power > of(0.3 / deviation, needed - 1)
