"""Why a document is below another: contributions and swaps against brute force."""

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import LinearRanker, Ranker, get_algorithm, load_dataset
from rankcore.algorithms.parts.trees.forests import GrowingForest, stump
from rankcore.algorithms.parts.trees.imported import ImportedSingleLinear
from rankcore.data.dataset import RankingDataset
from rankcore.topics.inspect import inspection
from rankcore.topics.inspect.why import Why, why
from rankcore.topics.inspect.why_figure import why_figure
from rankcore.training import Stop, drive

pytestmark = pytest.mark.unit


class Untrained:
    """An algorithm that is never trained here."""

    title: ClassVar[str] = "Untrained"
    family: ClassVar[str] = "none"

    def steps(self, dataset, rng, start=None):
        raise NotImplementedError


@dataclass(eq=False, repr=False, kw_only=True)
class Weights(Untrained, LinearRanker):
    """A linear model."""


@dataclass(eq=False, repr=False, kw_only=True)
class Other(Untrained, Ranker):
    """Neither linear nor a forest."""

    def scores(self, X, coef):
        return X @ coef

    def feature_weights(self, coef, n_features):
        return coef


def data(X, y=None):
    X = np.asarray(X, float)
    return RankingDataset.from_arrays(X, np.zeros(len(X), int) if y is None else y)


def trained(name, iterations=6, **settings):
    """A run on three features, so that every set of them can be tried."""
    full = load_dataset("toy-3d").train
    algorithm = get_algorithm(name)(**settings)
    run = drive(algorithm, full, stop=Stop(max_iterations=iterations), measures=())
    list(run)
    return algorithm, run.history[-1].coef, full


def shapley(value, d):
    """Shapley values by all orders in which features can change."""
    zeros = np.zeros(d)
    for order in itertools.permutations(range(d)):
        held = []
        for j in order:
            before = value(held)
            held = [*held, j]
            zeros[j] += value(held) - before
    return zeros / math.factorial(d)


def mixed(found, held):
    """The upper document with the lower one's values of some features."""
    return np.array(
        [
            found.lower_values[j] if j in held else found.upper_values[j]
            for j in range(len(found.upper_values))
        ]
    )


LINEAR = ["RSRank", "ListNet", "AdaRank"]
LEAVES = {"n_leaves": 8, "min_documents": 1}
FORESTS = {
    "RankBoost": {},
    "LightGBM": LEAVES,
    "XGBoost": {"depth": 3, "min_child_weight": 0.0},
    "McRank": LEAVES,
}
SUMS = [name for name in FORESTS if name != "McRank"]


@pytest.mark.parametrize("name", [*LINEAR, *FORESTS])
def test_contributions_sum_to_the_difference_of_scores(name):
    algorithm, coef, full = trained(name, **FORESTS.get(name, {}))
    for query in range(full.n_queries):
        for place in range(1, len(full.query(query))):
            reason = why(algorithm, coef, full, query, place)
            assert reason.contributions.sum() == pytest.approx(
                reason.lower_score - reason.upper_score, abs=1e-9
            )
            assert reason.upper_score >= reason.lower_score


@pytest.mark.parametrize("name", SUMS)
def test_contributions_of_trees_are_shapley_values(name):
    algorithm, coef, full = trained(name, 8, **FORESTS[name])
    compared = 0
    for query, place in itertools.product(range(3), range(1, 4)):
        found = why(algorithm, coef, full, query, place)

        def value(held, found=found):
            return algorithm.scores(mixed(found, held)[None, :], coef)[0]

        expected = shapley(value, full.n_features)
        np.testing.assert_allclose(found.contributions, expected, atol=1e-9)
        compared += np.count_nonzero(expected) > 1
    assert compared


def test_contributions_of_each_sum_of_mcrank_are_shapley_values():
    """With the linear function of sums in place of its own they are those of it."""
    algorithm, coef, full = trained("McRank", 5, n_leaves=6, min_documents=1)
    slopes = {}

    def combined(totals, outputs):
        slopes.setdefault(0, np.arange(1.0, len(outputs) + 1))
        return totals @ slopes[0]

    algorithm.combined = combined
    reason = why(algorithm, coef, full, 0, 1)
    expected = shapley(
        lambda held: algorithm.scores(mixed(reason, held)[None, :], coef)[0],
        full.n_features,
    )
    np.testing.assert_allclose(reason.contributions, expected, atol=1e-8)


def test_a_worked_example():
    """Scores 0.5 · 2 + 1 · 1 = 2 and 0.5 · 1 + 1 · 0 = 0.5; the third one is unused."""
    dataset = data(
        [[1.0, 0.0, 5.0], [2.0, 1.0, 9.0], [0.0, 0.0, 0.0], [11.0, -9.0, 2.0]]
    )
    reason = why(Weights(), np.array([0.5, 1.0, 0.0]), dataset, 0, 1)

    assert (reason.upper_score, reason.lower_score) == (2.0, 0.5)
    assert reason.contributions.tolist() == [-0.5, -1.0, 0.0]
    # 0.5 (x + 3) = 2 and 1 (0 + 1.5) + 0.5 = 2; in ranges 3 / 11 and 1.5 / 10.
    # No document has 1.5 or more of the second feature.
    assert [change.feature for change in reason.changes] == [0, 1]
    assert [change.beyond for change in reason.changes] == [4.0, 1.5]
    assert [change.size for change in reason.changes] == [3 / 11, 1.5 / 10]
    assert [change.seen for change in reason.changes] == [True, False]
    assert reason.sentence == (
        f"{reason.lower} would pass {reason.upper} "
        f"if “{dataset.feature_names[0]}” rose from 1 to more than 4."
    )
    assert [row["would swap them"] for row in reason.rows()] == [
        "more than 1.5",
        "more than 4",
        "no change of it alone",
    ]


@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=2, max_size=6, unique=True),
    st.tuples(*[st.integers(-2, 2)] * 3),
)
def test_beyond_the_change_a_linear_model_swaps_and_before_it_does_not(rows, weights):
    result, w = data(rows), np.array(weights, float)
    for place in range(1, len(result.query(0))):
        reason = why(Weights(), w, result, 0, place)
        assert {change.feature for change in reason.changes} == set(np.flatnonzero(w))
        for change in reason.changes:
            way = 1.0 if change.rises else -1.0
            for further, swaps in ((1e-6, True), (-1e-6, False)):
                moved = reason.lower_values.copy()
                moved[change.feature] = change.beyond + way * further
                assert (moved @ w > reason.upper_values @ w) == swaps


def test_a_value_that_no_document_has_is_said_to_be_one():
    dataset = data([[0.5, 0.0], [-0.5, 0.0]])
    reason = why(Weights(), np.array([0.0, -2.0]), dataset, 0, 1)
    assert reason.changes[0].beyond == 0.0
    reason = why(Weights(), np.array([0.25, -2.0]), dataset, 0, 1)

    assert not reason.changes[1].seen
    assert reason._replace(changes=reason.changes[1:]).sentence == (
        f"{reason.lower} would pass {reason.upper} "
        f"if “{dataset.feature_names[1]}” fell from "
        "0 to less than −0.125, a value that no document here has."
    )


def test_without_coefficients_no_change_swaps():
    dataset = data([[1.0, 2.0], [3.0, 4.0]])
    reason = why(Weights(), np.zeros(2), dataset, 0, 1)

    assert reason.changes == ()
    assert reason.sentence == (
        f"No change of a single feature would lift {reason.lower} above {reason.upper}."
    )
    assert {row["would swap them"] for row in reason.rows()} == {
        "no change of it alone"
    }


@pytest.mark.parametrize("name", FORESTS)
def test_the_smallest_change_for_trees_is_that_of_a_fine_search(name):
    algorithm, coef, full = trained(name, 10, **FORESTS[name])
    swapped = 0
    for query, place in itertools.product(range(4), range(1, 4)):
        reason = why(algorithm, coef, full, query, place)
        changes = {change.feature: change for change in reason.changes}
        for j in range(full.n_features):
            grid = np.linspace(-0.5, 10.5, 1101)
            tried = np.tile(reason.lower_values, (len(grid), 1))
            tried[:, j] = grid
            wins = grid[algorithm.scores(tried, coef) > reason.upper_score]
            if j not in changes:
                assert len(wins) == 0
                continue
            swapped += 1
            distance = abs(changes[j].beyond - changes[j].now)
            assert distance <= np.abs(wins - changes[j].now).min() + 1e-12
            assert distance >= np.abs(wins - changes[j].now).min() - 0.0101
    assert swapped


def test_a_threshold_is_reached_from_above_and_exceeded_from_below():
    algorithm = get_algorithm("RankBoost")()
    forest = GrowingForest()
    forest.add(stump(0, 0.5, 0.0, 1.0, gain=1.0))
    forest.add(stump(1, 0.3, 2.0, 0.0, gain=1.0))
    dataset = data([[0.9, 0.1], [0.2, 0.8]])
    reason = why(algorithm, forest.nodes(), dataset, 0, 1)

    # 3 above 0: neither 1 nor 2 alone is enough.
    assert reason.contributions.tolist() == [-1.0, -2.0]
    assert reason.changes == ()
    dataset = data([[0.9, 0.8], [0.2, 0.8]])
    reason = why(algorithm, forest.nodes(), dataset, 0, 1)
    (change,) = reason.changes
    assert (change.feature, change.target) == (1, "0.3 or less")
    assert not change.seen
    dataset = data([[0.9, 0.1], [0.2, 0.1], [0.2, 0.9]])
    forest.add(stump(0, 0.5, 0.0, 1.0, gain=1.0))
    reason = why(algorithm, forest.nodes(), dataset, 0, 2)
    assert [change.target for change in reason.changes] == []
    dataset = data([[0.2, 0.1], [0.2, 0.8]])
    forest.add(stump(0, 0.7, 0.0, 1.0, gain=1.0))
    (change,) = why(algorithm, forest.nodes(), dataset, 0, 1).changes
    assert (change.feature, change.target) == (0, "more than 0.7")


def test_other_models_are_refused_with_a_sentence():
    with pytest.raises(ValueError, match="neither linear nor a sum of trees"):
        why(Other(), np.ones(1), data([[1.0], [2.0]]), 0, 1)


@pytest.mark.parametrize("place", [0, 2, -1])
def test_the_first_document_has_none_above_it(place):
    with pytest.raises(ValueError, match="from 1 to 1"):
        why(Weights(), np.ones(1), data([[1.0], [2.0]]), 0, place)


def test_a_document_is_named_and_the_first_stands_for_the_second():
    dataset = data([[1.0], [3.0], [2.0]])
    names = dataset.doc_ids

    def lower(name):
        return why(Weights(), np.ones(1), dataset, 0, name).lower

    assert lower(names[0]) == names[0]
    assert lower(names[2]) == names[2]
    assert lower(names[1]) == lower("no such document") == names[2]
    reason = why(Weights(), np.ones(1), dataset, 0, names[0])
    assert reason.question == f"Why is {names[0]} below {names[2]}?"


def test_tied_documents_need_any_rise():
    reason = why(Weights(), np.array([2.0]), data([[1.0], [1.0]]), 0, 1)

    assert reason.contributions.tolist() == [0.0]
    assert reason.changes[0].target == "more than 1"


def example(contributions, upper=2.0):
    d = len(contributions)
    return Why(
        upper="top",
        lower="below",
        upper_score=upper,
        lower_score=upper + sum(contributions),
        upper_values=np.ones(d),
        lower_values=np.zeros(d),
        feature_names=tuple(f"f{j}" for j in range(d)),
        contributions=np.array(contributions, float),
        method="Exact.",
        changes=(),
    )


def test_the_waterfall_leads_from_one_score_to_the_other():
    picture = why_figure(example([-0.5, 0.0, 0.25, -1.0]))
    bars = next(trace for trace in picture.data if trace["type"] == "bar")

    assert list(bars["x"]) == [-1.0, -0.5, 0.25]
    assert list(bars["base"]) == [2.0, 1.0, 0.5]
    values = next(trace for trace in picture.data if trace.get("name") == "values")
    assert list(values["text"]) == [" −1", " −0.5", " +0.25"]
    assert list(values["x"]) == [2.0, 1.0, 0.75]
    assert list(picture.layout["yaxis"]["ticktext"]) == [
        "<b>top</b> 2",
        "f3",
        "f0",
        "f2",
        "<b>below</b> 0.75",
    ]
    assert "f3 −1, f0 −0.5, f2 +0.25" in picture.alt
    assert len(picture.numbers()) == 4
    picture.figure()


def test_small_contributions_are_one_bar():
    picture = why_figure(example([-3.0, -2.0, -0.5, 0.25]), most=2)
    bars = next(trace for trace in picture.data if trace["type"] == "bar")

    assert list(bars["x"]) == [-3.0, -2.0, -0.25]
    assert picture.layout["yaxis"]["ticktext"][3] == "2 other features"
    picture.figure()


def test_documents_without_a_difference_have_no_bars():
    picture = why_figure(example([0.0, 0.0]))
    bars = next(trace for trace in picture.data if trace["type"] == "bar")

    assert len(bars["x"]) == 0
    assert picture.alt.endswith("no feature differs.")
    picture.figure()


def test_a_model_of_normalised_features_is_explained_in_their_own_units():
    """0.4 (x₂ - 0.5) / 0.25 + 2 x₁ has the coefficients 2 and 1.6."""
    parameters = np.array([[1.0, 0.5, 0.25, 0.4], [0.0, 0.0, 1.0, 2.0]])
    dataset = data([[1.0, 0.5], [0.25, 0.75]])
    reason = why(ImportedSingleLinear(), parameters, dataset, 0, 1)
    scores = reason.upper_score, reason.lower_score
    assert scores == pytest.approx((2.0, 0.9), rel=1e-6)
    assert reason.contributions.tolist() == pytest.approx([-1.5, 0.4])
    beyond = {change.feature: change.beyond for change in reason.changes}
    assert beyond == pytest.approx({0: 0.25 + 1.1 / 2.0, 1: 0.75 + 1.1 / 1.6})
    parts = inspection.parts(ImportedSingleLinear(), parameters, dataset.X[1], dataset)
    assert sum(parts["contribution"]) == pytest.approx(0.9)
