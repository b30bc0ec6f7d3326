"""Pictures of paths: rules compared, duality gaps, and rankings that move."""

import numpy as np
import pytest

from rankcore import RSRank
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.catalogue import load_dataset
from rankcore.charts.palette import LIGHT
from rankcore.charts.path_rules import gap_picture, rules_picture
from rankcore.charts.sparsity import trade_off_figure
from rankcore.insight import sparsity
from rankcore.insight.sparsity import Certificate, SparsityCurves
from rankcore.measures import exact_ranks
from rankcore.paths import PathsRun, path


def curves(*nonzeros):
    counts = np.array(nonzeros, float)
    values = np.array([0.0, 1.0, 10.0])[: len(counts)]
    return SparsityCurves(values, counts, {"test": counts / 10})


def test_each_rule_has_a_colour_and_its_name_at_its_end():
    found = {"a": curves(9, 5, 2), "b": curves(9, 8)}
    picture = rules_picture(found, "test", "nDCG@10", "g")
    picture.figure()

    assert [t["name"] for t in picture.data] == ["a", "a", "b", "b"]
    assert picture.data[1]["y"].tolist() == [9, 5, 2]
    assert picture.data[2]["y"].tolist() == [0.9, 0.8]
    assert picture.data[0]["line"]["color"] != picture.data[2]["line"]["color"]
    names = [note["text"] for note in picture.layout["annotations"]]
    assert names == ["<b>a</b>", "<b>b</b>"] * 2
    assert "0" in picture.layout["xaxis"]["ticktext"]


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize(("at", "side"), [(0, "left"), (1, "left"), (2, "right")])
def test_the_sparsest_tolerated_point_is_marked_where_no_name_is(log, at, side):
    found = curves(9, 5, 2)
    words = "3 % loss: g = 1"
    picture = trade_off_figure(
        found, "nDCG@10", "g", "#0072b2", log=log, chosen=0, tolerated=(at, words)
    )
    picture.figure()

    x = picture.data[0]["x"]
    chosen, line = picture.layout["shapes"]
    assert (chosen["x0"], line["x0"], line["x1"]) == (x[0], x[at], x[at])
    name, label = picture.layout["annotations"]
    assert (name["text"], label["text"]) == ("test", words)
    assert label["x"] == x[at]
    assert label["xanchor"] == side
    lower = picture.layout["yaxis2"]["domain"][1]
    assert lower < label["y"] < picture.layout["yaxis"]["domain"][0]
    room = picture.layout["yaxis"]["domain"][0] - lower
    margin = picture.layout["margin"]
    inner = picture.layout["height"] - margin["t"] - margin["b"]
    assert room * inner > label["font"]["size"]


def test_without_a_tolerated_point_nothing_is_marked():
    picture = trade_off_figure(curves(9, 5, 2), "nDCG@10", "g", "#0072b2")

    assert picture.layout["shapes"] == []
    assert len(picture.layout["annotations"]) == 1


def test_gaps_beyond_the_tolerance_are_hollow():
    found = Certificate(
        np.array([1.0, 2.0]), np.array([1e-4, 0.2]), np.array([0.5, 0.4])
    )
    picture = gap_picture(found, "r", "#000000", tolerance=1e-3, chosen=1)
    picture.figure()

    dots = picture.data[0]
    assert dots["y"].tolist() == [1e-4, 0.2]
    assert dots["marker"]["color"] == ["#000000", LIGHT.background]
    assert picture.layout["shapes"][0]["y0"] == 1e-3


def test_only_certified_algorithms_have_a_gap():
    data = load_dataset("toy-2d").train
    without = path(RSRank(max_iter=5), data, "g", [0.0, 1.0])
    ball = get_algorithm("FenchelRank")(max_iter=5)
    with_gap = path(ball, data, "radius", [1.0, 2.0])
    list(without), list(with_gap)

    assert sparsity.certificate(without) is None
    found = sparsity.certificate(with_gap)
    assert found.gaps.tolist() == [p.diagnostics["best gap"] for p in with_gap.points]
    assert (found.gaps >= 0).all()


def test_a_moved_ranking_holds_both_orders():
    data = load_dataset("toy-3d").train
    rng = np.random.default_rng(0)
    before, after = rng.standard_normal((2, 3))
    query = data.query(0)
    found = sparsity.moved_ranking(query, before, after)
    offsets = np.array([0, len(query)])

    ranks = exact_ranks(query.X @ after, offsets)
    for place, document in enumerate(found.documents):
        row = list(query.doc_ids).index(document)
        assert found.ideal[place] == ranks[row] - 1
    assert (np.diff(found.scores) <= 0).all()


def test_changed_queries_say_where_they_are():
    data = load_dataset("toy-3d").train
    found = sparsity.changed(data, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    assert [data.query_ids[i] for i in found.positions] == found.query_ids


def test_paths_run_one_after_the_other():
    data = load_dataset("toy-2d").train
    run = PathsRun(
        {
            name: path(RSRank(max_iter=3), data, "g", [0.0, 1.0])
            for name in ("one", "two")
        }
    )
    first = next(run)
    assert first.iteration == 0
    list(run)

    assert [len(p.points) for p in run.paths.values()] == [2, 2]
    assert run.reason == "All 2 paths are trained."


@pytest.mark.parametrize("name", list_algorithms())
def test_contrasts_are_settings_of_the_algorithm(name):
    algorithm = get_algorithm(name)
    for values in algorithm.contrasts.values():
        algorithm(**values)
        assert algorithm.sparsity not in values
