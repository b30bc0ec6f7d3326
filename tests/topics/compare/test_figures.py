"""Pictures of comparisons: what is filled, framed, apart, and said on them."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from rankcore.algorithms import list_algorithms
from rankcore.data.dataset import RankingDataset
from rankcore.mathematics.differences import mean_ranks
from rankcore.plot.palette import DARK, LIGHT
from rankcore.studies.results import Cell, Result, SharedTerms
from rankcore.topics.compare.comparison import compare, contenders
from rankcore.topics.compare.curves_figure import curves_figure
from rankcore.topics.compare.differences_figure import (
    MOST_PAIRS,
    STAMP,
    differences_figure,
    p_text,
    pair_rows,
    stamped_figure,
)
from rankcore.topics.compare.models_figure import cost_figure, weights_figure
from rankcore.topics.compare.queries_figure import wins_figure
from rankcore.topics.compare.ranks_figure import ranks_figure
from rankcore.topics.compare.splits_figure import splits_figure
from rankcore.topics.compare.wins import wins
from rankcore.topics.train.coefficients import COEFFICIENT

IDS = tuple(map(str, range(30)))
RNG = np.random.default_rng(0)
BASE = RNG.random(30) / 2
NAMES = ("RankSVM", "ListNet", "RankNet")


def trained(algorithm, shift, seed=0, **settings):
    history = {
        "iteration": np.arange(4.0),
        "seconds": np.arange(4.0) / 8,
        "valid nDCG@10": np.array([0.1, 0.4, 0.3, 0.2]) + 0.1 * seed,
    }
    values = BASE + shift + 0.01 * np.random.default_rng(seed).normal(size=30)
    return Result(
        Cell(tuple((settings or {"l2": 1.0}).items()), "", seed),
        iteration=1, seconds=0.5, nonzeros=2, queries={"nDCG@10": values},
        coef=np.ones(2), history=history, terms=SharedTerms(algorithm, "data", ids=IDS),
    )  # fmt: skip


def data(*features):
    """Features whose spreads within the query are 1, 1/4, 1/16 …"""
    X = [np.zeros(len(features)), 2.0 * 0.25 ** np.arange(len(features))]
    return RankingDataset.from_arrays(X, [0, 1], feature_names=features)


def compared(count=3):
    runs = [trained(name, 0.4 * (name == "RankSVM")) for name in NAMES[:count]]
    return compare(contenders(runs), "nDCG@10")


def test_a_significant_difference_is_filled_and_bold():
    rows = pair_rows(compared(), LIGHT)
    picture = differences_figure(rows, "nDCG@10")
    means = [t for t in picture.data if t["mode"] == "markers" and len(t["x"]) == 1]
    filled = [t["marker"]["color"] != LIGHT.background for t in means]
    assert filled == [row.significant for row in rows] == [True, True, False]
    bold = [n for n in picture.layout["annotations"] if n["text"] == "<b>&lt; 0.001</b>"
            or n["text"] == "<b>< 0.001</b>"]  # fmt: skip
    assert len(bold) == 2
    picture.figure()


def test_many_pairs_are_all_in_the_table():
    runs = [trained("RankSVM", 0.0, seed=s, l2=float(s)) for s in range(1, 8)]
    rows = pair_rows(compare(contenders(runs), "nDCG@10"), LIGHT)
    picture = differences_figure(rows, "nDCG@10")
    assert len(rows) == 21
    drawn = [t for t in picture.data if t["mode"] == "markers" and len(t["x"]) == 1]
    assert len(drawn) == MOST_PAIRS
    assert len(picture.numbers()) == 21


@pytest.mark.parametrize(("p", "text"), [(0.0001, "< 0.001"), (0.0231, "0.023")])
def test_p_values_have_two_digits(p, text):
    assert p_text(p) == text


@pytest.mark.parametrize(("count", "charts"), [(6, 1), (7, 7), (8, 8)])
def test_more_than_six_algorithms_are_small_multiples(count, charts):
    names = list_algorithms()[:count]
    runs = [trained(name, 0.1, i, max_iter=5) for i, name in enumerate(names)]
    runs.append(trained(names[0], 0.1, 9, max_iter=7))
    picture = curves_figure(contenders(runs), "nDCG@10", palette=DARK)
    places = {trace.get("yaxis", "y") for trace in picture.data}

    assert len(places) == charts
    axes = [picture.layout[key] for key in picture.layout if key.startswith("yaxis")]
    assert len({tuple(item["range"]) for item in axes}) == 1
    first = {t["name"] for t in picture.data if t.get("yaxis", "y") == "y"}
    assert len(first) == (3 if charts > 1 else count + 2)
    if charts > 1:
        column = [item["domain"] for item in axes[::2]]
        for (low, high), (_, below) in itertools.pairwise(column):
            assert high > low > below
    # The best value stands beside each line.
    names = count + 1 if charts == 1 else charts
    assert len(picture.layout["annotations"]) == names
    picture.figure()


def test_titles_of_small_multiples_are_narrow_enough_for_two_on_a_telephone():
    names = list_algorithms()[:8]
    runs = [trained(name, 0.1, i, max_iter=5) for i, name in enumerate(names)]
    for value in (0.2, 0.3):
        runs.append(trained(names[0], value, 9, max_iter=7))
    layout = curves_figure(contenders(runs), "nDCG@10").layout
    for title in layout["annotations"]:
        for line in re.sub(r"</?b( [^>]*)?>", "", title["text"]).split("<br>"):
            assert len(line) <= 20


def test_names_at_the_ends_stay_beside_the_plot():
    """All curves end near the top of it."""
    names = list_algorithms()[:6]
    result = contenders([trained(name, 0.1, seed=i) for i, name in enumerate(names)])
    for item in result:
        item.runs[0].history["valid nDCG@10"][-1] = 0.9
    layout = curves_figure(result, "nDCG@10").layout
    low, high = layout["yaxis"]["range"]
    plot = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]

    for label in layout["annotations"]:
        at = (label["y"] - low) / (high - low) * plot + label["yshift"]
        assert 7 <= at <= plot - 7


@pytest.mark.parametrize("count", [3, 8])
def test_models_are_told_apart_without_colours(count):
    names = list_algorithms()[:count]
    runs = [trained(name, 0.0, i, max_iter=9) for i, name in enumerate(names)]
    result = compare(contenders(runs), "nDCG@10")
    weights = {one.name: np.ones(2) for one in result.contenders}
    picture = weights_figure(result.contenders, weights, data("a", "b"))
    styles = {(t["marker"]["color"], t["marker"]["symbol"][0]) for t in picture.data}

    assert len(styles) == count
    dots = [t["marker"] for t in cost_figure(result, "features").data if "marker" in t]
    assert {(*dot["color"], *dot["symbol"]) for dot in dots} == styles


def test_features_that_differ_at_their_ends_are_told_apart():
    features = [f"min of normalised term frequency ({field})" for field in NAMES]
    (one,) = contenders([trained("RankSVM", 0.0)])
    picture = weights_figure([one], {one.name: np.ones(3)}, data(*features))

    assert len(set(picture.layout["yaxis"]["ticktext"])) == 3


def test_models_are_compared_by_the_importance_of_features():
    (one,) = contenders([trained("RankSVM", 0.0)])
    weights, train = {one.name: np.array([1.0, -3.0, 0.0])}, data("a", "b", "c")
    spread = train.X[1] / 2.0
    (trace,) = weights_figure([one], weights, train).data
    assert spread.tolist() == [1.0, 0.25, 0.0625]
    assert trace["x"].tolist() == [1.0, -0.75, 0.0]
    assert trace["customdata"][1] == "b<br>coefficient −3"
    assert trace["marker"]["symbol"][2].endswith("-open")
    picture = weights_figure([one], weights, train, COEFFICIENT)
    assert picture.data[0]["x"].tolist() == pytest.approx([1.0 / 3.0, -1.0, 0.0])
    assert "largest coefficient" in picture.layout["xaxis"]["title"]["text"]
    assert list(picture.numbers()) == [
        "feature", f"{one.name}, importance", f"{one.name}, coefficient"
    ]  # fmt: skip


def test_a_single_run_has_no_band():
    (one,) = contenders([trained("RankSVM", 0.0)])
    assert len(curves_figure([one], "nDCG@10").data) == 2


def test_equal_costs_are_drawn_beside_each_other_within_half_a_feature():
    runs = [trained("RankSVM", -0.01 * k, l2=float(k)) for k in range(1, 11)]
    far = replace(trained("ListNet", 0.0), nonzeros=100)
    picture = cost_figure(compare(contenders([*runs, far]), "nDCG@10"), "features")
    _, near = (t for t in picture.data if "marker" in t)
    x = np.array(near["x"])
    assert len(set(x)) == 10
    assert np.abs(x - 2.0).max() < 0.5
    # The one with the next value is not the next to the side.
    assert np.abs(np.diff(x)).min() > 0.35
    assert picture.numbers()["features kept"] == [100.0] + [2.0] * 10


def test_names_of_costs_stand_above_them():
    """On a narrow screen the plot has the width."""
    runs = [trained(name, 0.0, l2=item) for name in NAMES for item in (1.0, 2.0)]
    layout = cost_figure(compare(contenders(runs), "nDCG@10"), "features").layout
    traces = cost_figure(compare(contenders(runs), "nDCG@10"), "features").data
    assert "annotations" not in layout
    assert layout["margin"]["r"] <= 16
    named = [trace["name"] for trace in traces if trace.get("showlegend", True)]
    assert sorted(named) == sorted(NAMES)


def test_the_chosen_query_is_framed_and_bars_have_the_winner_s_colour():
    result = wins("abc", [0.9, 0.5, 0.1], [0.1, 0.5, 0.9], 0.01)
    colours = ("#0072B2", "#D55E00")
    picture = wins_figure(result, ("X", "Y"), colours, "AP", "b")
    marker = picture.data[0]["marker"]
    assert marker["color"] == [colours[0], LIGHT.secondary, colours[1]]
    assert [width > 0 for width in marker["line"]["width"]] == [False, True, False]
    assert "X is better on 1 query, Y on 1, and 1 are tied" in picture.alt


@pytest.mark.parametrize(("count", "named"), [(3, 3), (20, 20), (21, 0)])
def test_queries_are_named_below_their_bars_while_names_fit(count, named):
    first = np.linspace(0.9, 0.1, count)
    ids = [f"q{number}" for number in range(count)]
    result = wins(ids, first, first[::-1], 0.01)
    axis = wins_figure(result, ("X", "Y"), ("#0072B2", "#D55E00"), "AP").layout["xaxis"]
    assert [*axis["ticktext"]] == ids[:named]
    assert len(axis["tickvals"]) == named


def test_words_are_above_a_stamped_picture():
    picture = differences_figure(pair_rows(compared(), LIGHT), "nDCG@10")
    after = stamped_figure(picture, "test queries looked at once")
    assert after.layout["height"] == picture.layout["height"] + STAMP
    assert after.layout["annotations"][-1]["text"] == "test queries looked at once"
    assert after.layout["annotations"][-1] not in picture.layout["annotations"]


def test_a_bar_joins_the_ranks_of_a_group():
    values = np.array([[0.9, 0.1, 0.2]] * 3 + [[0.9, 0.2, 0.1]] * 3)
    ranks = mean_ranks(values)
    picture = ranks_figure(ranks, NAMES, NAMES)
    thick = [
        t for t in picture.data if t["mode"] == "lines" and t["line"]["width"] == 5
    ]
    assert len(thick) == len(ranks.groups) > 0
    picture.figure()


def test_both_sets_stand_side_by_side_in_the_order_of_validation():
    validation = compared()
    runs = [trained(name, 0.4 * (name == "RankNet")) for name in NAMES]
    test = compare(contenders(runs), "nDCG@10")
    picture = splits_figure(validation, test)
    first, second = picture.data

    assert validation.names != test.names
    assert picture.table()["model"] == validation.names
    assert (first["name"], second["name"]) == ("validation", "test")
    assert first["y"] == validation.means.tolist()
    assert second["y"] == [
        test.means[test.names.index(name)] for name in validation.names
    ]
    assert first["marker"]["line"] == second["marker"]["line"]
