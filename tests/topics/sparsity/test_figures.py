"""Pictures of paths: rules compared, duality gaps, and rankings that move."""

import numpy as np
import pytest

from rankcore import RSRank
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.data.catalogue import load_dataset
from rankcore.data.dataset import RankingDataset
from rankcore.measures import exact_ranks
from rankcore.plot.palette import LIGHT, contrast
from rankcore.plot.style import LINE_HEIGHT
from rankcore.studies.paths import path, paths_study
from rankcore.topics.sparsity import paths as sparsity
from rankcore.topics.sparsity.paths import Certificate, Smallest, SparsityCurves
from rankcore.topics.sparsity.rules_figure import gap_figure
from rankcore.topics.sparsity.trade_off_figure import (
    HEIGHT,
    MOST_NAMES,
    PATHS_HEIGHT,
    ZERO_GAP,
    Look,
    paths_figure,
    positions,
    ratios_figure,
    trade_off_figure,
)
from rankcore.topics.train.coefficients import Weighing


def curves(*nonzeros):
    counts = np.array(nonzeros, float)
    values = np.array([0.0, 1.0, 10.0])[: len(counts)]
    return SparsityCurves(values, counts, {"valid": counts / 10})


def chosen_at(at, best=0.9, tolerance=0.03):
    """The smallest model, at a point of `curves`."""
    return Smallest(
        at=at,
        value=(0.0, 1.0, 10.0)[at],
        left=(9, 5, 2)[at],
        features=9,
        part="valid",
        measure="nDCG@10",
        tolerance=tolerance,
        measured=best,
        best_at=0,
        best=best,
        floor=(1 - tolerance) * best,
    )


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize(("at", "side"), [(0, "left"), (1, "left"), (2, "right")])
def test_the_smallest_model_is_marked_where_no_name_is(log, at, side):
    result = curves(9, 5, 2)
    look = Look("g", "#0072b2", log, 0)
    picture = trade_off_figure(result, "nDCG@10", look, chosen_at(at))
    picture.figure()

    x = picture.data[0]["x"]
    chosen, line, _ = picture.layout["shapes"]
    assert (chosen["x0"], line["x0"], line["x1"]) == (x[0], x[at], x[at])
    name, band, label = picture.layout["annotations"]
    assert name["text"] == "<b>validation</b>"
    assert band["text"] == "<b>within 3% of best</b>"
    assert label["text"] == f"smallest: g = {(0, 1, 10)[at]}"
    assert label["x"] == x[at]
    assert label["xanchor"] == side
    lower = picture.layout["yaxis2"]["domain"][1]
    assert lower < label["y"] < picture.layout["yaxis"]["domain"][0]
    room = picture.layout["yaxis"]["domain"][0] - lower
    margin = picture.layout["margin"]
    inner = picture.layout["height"] - margin["t"] - margin["b"]
    assert room * inner > label["font"]["size"]


@pytest.mark.parametrize("tolerance", [0.0, 0.01, 0.1])
def test_a_band_reaches_from_the_least_tolerated_value_to_the_best(tolerance):
    result = chosen_at(0, 0.9, tolerance)
    look = Look("g", "#0072b2")
    picture = trade_off_figure(curves(9, 5, 2), "nDCG@10", look, result)
    picture.figure()

    band = picture.layout["shapes"][-1]
    assert (band["x0"], band["x1"], band["xref"]) == (0, 1, "paper")
    assert (band["y0"], band["y1"]) == (0.9 * (1 - tolerance), 0.9)
    assert band["fillcolor"].startswith("rgba(")
    name, label = picture.layout["annotations"][:2]
    assert label["text"] == f"<b>within {100 * tolerance:g}% of best</b>"
    assert label["xref"] == "paper"
    assert label["y"] == pytest.approx(0.9 * (1 - tolerance / 2))
    # 0.7 is what lies between the largest and the smallest value drawn.
    heights = [n["y"] * HEIGHT * 0.45 / 0.7 + n["yshift"] for n in (name, label)]
    assert abs(heights[1] - heights[0]) >= LINE_HEIGHT - 1e-9


def test_without_any_value_there_is_no_band():
    result = chosen_at(0, np.nan)
    look = Look("g", "#0072b2")
    picture = trade_off_figure(curves(9, 5, 2), "nDCG@10", look, result)
    assert [shape["type"] for shape in picture.layout["shapes"]] == ["line"]
    assert len(picture.layout["annotations"]) == 2


@pytest.mark.parametrize(
    ("values", "log", "places", "names"),
    [
        ([0, 0.1, 1, 10], True, [-1 - ZERO_GAP, -1, 0, 1], ["0", "0.1", "1", "10"]),
        ([0, 0.1, 1, 10], False, [0, 0.1, 1, 10], None),
        # Without positive values a log axis is linear, and within a decade it has
        # ticks at its ends.
        ([0, 0], True, [0, 0], None),
        ([2, 5], True, np.log10([2, 5]), ["2", "5"]),
    ],
)
def test_values_stand_on_an_axis_with_ticks(values, log, places, names):
    x, ticks = positions(np.array(values, float), log=log)
    assert x == pytest.approx(places)
    assert ticks.get("ticktext") == names
    assert ticks.get("tickvals", x) == pytest.approx(x)


@pytest.mark.parametrize("log", [True, False])
def test_the_largest_coefficients_have_their_names_where_they_are_larger(log):
    values = np.array([1.0, 10.0])
    sizes = np.arange(1.0, MOST_NAMES + 3.0)
    coefficients = np.stack([sizes, np.where(sizes > 3.0, 0.5 * sizes, 0.0)])
    coefficients = np.column_stack([coefficients, np.zeros(2)])
    names = [f"<{j}>" for j in range(len(sizes))] + ["never used"]
    X = np.array([np.zeros(len(names)), np.full(len(names), 2.0)])
    data = RankingDataset.from_arrays(X, [0, 1], feature_names=names)
    weighing = Weighing(RSRank(), data)
    picture = paths_figure(values, coefficients, weighing, Look("g", "", log, 1))
    picture.figure()

    notes = picture.layout["annotations"]
    largest = list(range(len(sizes)))[-MOST_NAMES:]
    assert {note["text"] for note in notes} == {f"&lt;{j}&gt;" for j in largest}
    assert {note["text"]: note["y"] for note in notes} == {
        f"&lt;{j}&gt;": sizes[j] for j in largest
    }
    heights = sorted(n["y"] * PATHS_HEIGHT * 0.8 / 10.0 + n["yshift"] for n in notes)
    assert np.diff(heights).min() >= LINE_HEIGHT - 1e-9
    assert len(picture.data) == len(sizes)
    expected = 1.0 if log else 10.0
    assert picture.layout["shapes"][0]["x0"] == expected


def test_what_is_kept_is_drawn_by_cutoff_with_the_chosen_point_on_top():
    result = np.array([[1.0, 1.0], [0.9, 0.8], [0.5, 0.6]])
    measures = ("nDCG@1", "nDCG@10")
    look = Look("g", "#0072b2", chosen=1)
    picture = ratios_figure(np.array([0.0, 1, 2]), result, measures, look)
    picture.figure()

    assert [trace["name"] for trace in picture.data] == ["0", "2", "1"]
    top = picture.data[-1]
    assert top["x"] == ["1", "10"]
    assert top["y"].tolist() == [0.9, 0.8]
    # Others have another lightness of its hue; it is told by its width, too.
    shades = {trace["line"]["color"] for trace in picture.data}
    assert len(shades) == 3
    assert all(contrast(shade, LIGHT.background) >= 3.0 for shade in shades)
    assert top["line"]["width"] > 2 * picture.data[0]["line"]["width"]
    names = [note["text"] for note in picture.layout["annotations"]]
    assert names == [f"<b>g = {value}</b>" for value in (0, 1, 2)]
    assert picture.layout["shapes"][0]["y0"] == 1


def test_gaps_beyond_the_tolerance_are_hollow():
    certificate = Certificate(
        np.array([1.0, 2.0]), np.array([1e-4, 0.2]), np.array([0.5, 0.4])
    )
    picture = gap_figure(certificate, Look("r", "#000000", chosen=1), 1e-3)
    picture.figure()

    dots = picture.data[0]
    assert dots["y"].tolist() == [1e-4, 0.2]
    assert dots["marker"]["color"] == ["#000000", LIGHT.background]
    assert picture.layout["shapes"][0]["y0"] == 1e-3


@pytest.mark.parametrize("least", [0.0, 1e-16, 1e-5, 0.1])
def test_the_ticks_of_gaps_are_apart(least):
    gaps = np.array([least, 0.2])
    picture = gap_figure(Certificate(gaps + 1, gaps, gaps), Look("r", "#000000"))

    decades = np.log10(0.2) - np.log10(max(least, 1e-16))
    assert picture.layout["yaxis"]["dtick"] >= 1
    assert decades / picture.layout["yaxis"]["dtick"] <= 7


def test_only_certified_algorithms_have_a_gap():
    data = load_dataset("toy-2d").train
    without = path(RSRank(max_iter=5), data, "g", [0.0, 1.0])
    ball = get_algorithm("FenchelRank")(max_iter=5)
    with_gap = path(ball, data, "radius", [1.0, 2.0])
    list(without), list(with_gap)

    assert sparsity.certificate(without) is None
    certificate = sparsity.certificate(with_gap)
    assert certificate.gaps.tolist() == [
        p.diagnostics["best gap"] for p in with_gap.points
    ]
    assert (certificate.gaps >= 0).all()


def test_a_moved_ranking_holds_both_orders():
    data = load_dataset("toy-3d").train
    rng = np.random.default_rng(0)
    before, after = rng.standard_normal((2, 3))
    query = data.query(0)
    result = sparsity.moved_ranking(query, before, after)
    offsets = np.array([0, len(query)])

    ranks = exact_ranks(query.X @ after, offsets)
    for place, document in enumerate(result.documents):
        row = list(query.doc_ids).index(document)
        assert result.ideal[place] == ranks[row] - 1
    assert (np.diff(result.scores) <= 0).all()


def test_changed_queries_say_where_they_are():
    data = load_dataset("toy-3d").train
    result = sparsity.changed(data, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    assert [data.query_ids[i] for i in result.positions] == result.query_ids
    gaps = result.before - result.after
    assert result.differing == sum(gap != 0.0 for gap in gaps[~np.isnan(gaps)])
    same = sparsity.changed(data, np.ones(3), 2.0 * np.ones(3))
    assert same.differing == 0


def test_kept_features_are_those_of_the_model_the_largest_first():
    data = load_dataset("planted").train
    result = path(RSRank(max_iter=20), data, "g", [0.0, 3.0, 30.0])
    list(result)
    dense = result.points[sparsity.densest(result)]
    for at, point in enumerate(result.points):
        features = sparsity.kept_features(result, at, data)
        importances = RSRank().importances(point.coef, data)

        assert len(features.names) == point.nonzeros
        assert (np.diff(np.abs(features.importances)) <= 0.0).all()
        for name, *numbers in zip(*features, strict=True):
            j = result.feature_names.index(name)
            assert numbers == [importances[j], point.coef[j], dense.coef[j]]
            assert point.coef[j] != 0.0


def test_paths_run_one_after_the_other():
    data = load_dataset("toy-2d").train
    run = paths_study(
        {
            name: path(RSRank(max_iter=3), data, "g", [0.0, 1.0])
            for name in ("one", "two")
        }
    )
    first = next(run)
    assert first.iteration == 0
    list(run)

    assert [len(p.points) for p in run.subject.ready(run.found).values()] == [2, 2]
    assert run.reason == "All 2 paths are trained."


@pytest.mark.parametrize("name", list_algorithms())
def test_contrasts_are_settings_of_the_algorithm(name):
    algorithm = get_algorithm(name)
    for values in algorithm.comparisons.values():
        algorithm(**values)
        assert algorithm.sparsity not in values
