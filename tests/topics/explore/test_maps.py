"""Maps over hyperparameters: equal to loops written by hand, whatever the order."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.mathematics.statistics import mean_interval
from rankcore.measures import evaluate
from rankcore.studies.results import ModelResults, Result
from rankcore.studies.sweeps import cell_levels, coarse_to_fine
from rankcore.topics.explore import map_words
from rankcore.topics.explore.cell_figure import curve_figure, weights_figure
from rankcore.topics.explore.curve_figure import line_figure
from rankcore.topics.explore.lines_figure import map_lines_figure
from rankcore.topics.explore.map_figure import map_figure
from rankcore.topics.explore.maps import (
    MapPlan,
    axis,
    found_map,
    mappable,
    report_of,
    state_of,
)
from rankcore.topics.train.coefficients import Weighing
from rankcore.training import Stop, drive

ITERATIONS = 4
RATES = (1e-3, 1e-2)


def of(name, algorithm=RSRank):
    return hyperparameters(algorithm)[name]


def a_plan(small, *axes, ranker=None, seeds=(0,)):
    splits = Splits(small, small, None)
    ranker = ranker or RSRank(learning_rate=1e-3)
    return MapPlan(ranker, axes, splits, seeds, max_iterations=ITERATIONS)


def taken(plan, count=None):
    study = plan.study()
    while count is None or study.done < count:
        if next(study, None) is None:
            break
    return found_map(plan, study.found)


@pytest.mark.parametrize("shape", [(1,), (2,), (16,), (16, 16), (9, 4), (3, 5, 2)])
def test_each_cell_comes_once(shape):
    assert sorted(coarse_to_fine(shape)) == list(range(np.prod(shape)))


def test_ends_and_middles_come_first():
    first = [divmod(number, 17) for number in coarse_to_fine((17, 17))]
    assert set(first[:4]) == {(a, b) for a in (0, 16) for b in (0, 16)}
    assert set(first[:9]) == {(a, b) for a in (0, 8, 16) for b in (0, 8, 16)}
    fourths = range(0, 17, 4)
    assert set(first[:25]) == {(a, b) for a in fourths for b in fourths}


def test_cells_equal_a_loop_written_by_hand(small):
    across, up = axis(of("g"), 3, 0.0, 10.0), axis(of("learning_rate"), 2, *RATES)
    seeds = (0, 7)
    result = taken(a_plan(small, across, up, seeds=seeds))
    assert len(result.cells) == 6
    for cell in result.cells:
        i, j = cell.at
        reached, value = [], []
        for seed in seeds:
            model = RSRank(
                g=across.values[i], learning_rate=up.values[j], random_state=seed
            )
            run = drive(model, small, small, stop=Stop(max_iterations=ITERATIONS))
            list(run)
            reached.append(run.best.valid["nDCG@10"])
            value.append(run.best.nonzeros)
        assert cell.values == tuple(reached)
        assert cell.value == (reached[0] + reached[1]) / 2
        assert cell.nonzeros == (value[0] + value[1]) / 2
        assert result.values[i, j] == cell.value
    assert result.best.value == result.values.max()


def test_cells_over_folds_equal_a_loop_over_group_k_fold(small):
    across, up = axis(of("g"), 2, 0.0, 10.0), axis(of("learning_rate"), 2, *RATES)
    first, second = small.subset(range(8)), small.subset(range(8, 12))
    plan = MapPlan(
        RSRank(), (across, up), Splits(first, second, None), (0, 7),
        max_iterations=ITERATIONS, folds=3,
    )  # fmt: skip
    result = taken(plan)
    query = np.repeat(np.arange(12), 8)
    for cell in result.cells:
        reached, queries = [], []
        for train, valid in GroupKFold(3).split(small.X, groups=query):
            data = [small.subset(np.unique(query[item])) for item in (train, valid)]
            of_fold = []
            for seed in (0, 7):
                model = RSRank(**cell.settings, random_state=seed)
                run = drive(model, *data, stop=Stop(max_iterations=ITERATIONS))
                list(run)
                reached.append(run.best.valid["nDCG@10"])
                scores = data[1].X @ run.best.coef
                of_fold.append(evaluate(data[1], scores, ("nDCG@10",)).to_numpy()[:, 0])
            queries.append(np.mean(of_fold, axis=0))
        assert cell.values == tuple(reached)
        assert cell.value == np.mean(reached)
        low, high = result.intervals()[result.places[cell.at]]
        assert low < np.mean(np.concatenate(queries)) < high
        assert result.seed(cell) == 0
    study = plan.study()
    while study.done < 4 * plan.repeats - 1:
        next(study)
    *whole, last = found_map(plan, study.found).cells
    part = found_map(plan, study.found).intervals()
    # A cell with two of three folds, or one of two seeds of the last.
    assert {len(cell.rows) for cell in (*whole, last)} == {5, 6}
    assert np.isfinite(part).all()


def test_axes_are_equidistant_on_their_own_scale():
    assert axis(of("learning_rate"), 3, 1e-4, 1e-2).values == pytest.approx(
        (1e-4, 1e-3, 1e-2)
    )
    first, *rest = axis(of("g"), 4).values
    assert first == 0.0
    # Values of a grid have ten digits.
    assert np.ptp(np.diff(np.log(rest))) < 1e-8
    assert axis(of("importance"), 9).values == of("importance").choices
    with pytest.raises(ValueError, match="must end above its beginning"):
        axis(of("g"), 5, 10.0, 10.0)


@pytest.mark.parametrize("name", list_algorithms())
def test_what_can_be_an_axis_makes_one(name):
    algorithm = get_algorithm(name)
    for item in mappable(algorithm):
        made = axis(hyperparameters(algorithm)[item], 5)
        assert len(made.values) > 1
        assert all(made.text(at) for at in range(len(made.values)))


def test_a_part_shows_the_nearest_models(small):
    plan = a_plan(
        small, axis(of("g"), 5, 0.01, 0.5), axis(of("learning_rate"), 5, *RATES)
    )
    result = taken(plan, 9)
    coarse = list(itertools.product((0, 2, 4), repeat=2))
    assert [cell.at for cell in result.cells] == coarse
    assert [value.tolist() for value in result.complete] == [[0, 2, 4], [0, 2, 4]]
    for at in np.ndindex(5, 5):
        nearest = result.cells[result.nearest[at]].at
        squares = [(at[0] - i) ** 2 + (at[1] - j) ** 2 for i, j in coarse]
        value = (at[0] - nearest[0]) ** 2 + (at[1] - nearest[1]) ** 2
        assert value == min(squares)
    assert np.isfinite(result.values).sum() == 9


def test_the_cells_of_a_level_come_nearest_to_the_pointer_first(small):
    plan = a_plan(
        small, axis(of("g"), 5, 1.0, 50.0), axis(of("learning_rate"), 5, *RATES),
        seeds=(0, 1),
    )  # fmt: skip
    study, pointed = plan.study(), (3, 1)
    while study.done < 3:
        next(study)
    study.pointer.at = pointed
    for _ in study:
        pass
    numbers = [
        [
            values.values.index(value)
            for values, (_, value) in zip(plan.axes, row.cell.settings, strict=True)
        ]
        for row in study.found
    ]
    levels = cell_levels((5, 5))
    at = [levels[5 * i + j] for i, j in numbers]
    assert at == sorted(at)
    distances = [(i - pointed[0]) ** 2 + (j - pointed[1]) ** 2 for i, j in numbers]
    for level in (0, 1, 2):
        # The pointer moved after three runs of the first level.
        values = [d for n, d in enumerate(distances) if at[n] == level and n > 3]
        assert values == sorted(values)
    plain = taken(plan)
    other = found_map(plan, study.found)
    np.testing.assert_array_equal(other.values, plain.values)
    for one, two in zip(other.cells, plain.cells, strict=True):
        for row, same in zip(one.rows, two.rows, strict=True):
            np.testing.assert_array_equal(row.coef, same.coef)


def test_vanishing_gradients_are_reported_and_drawn_hatched(small):
    points = axis(of("alpha", ApproxNDCG), 5, 1.0, 1e3)
    betas, ranker = axis(of("beta", ApproxNDCG), 2), ApproxNDCG(init_scale=100.0)
    plan = a_plan(small, points, betas, ranker=ranker)
    result = taken(plan)
    states = {state_of(cell) for cell in result.cells}
    assert "vanishes" in states
    names = [trace.get("name") for trace in map_figure(result).data]
    assert "reported" in names


def test_cells_that_diverge_or_fail_are_hatched_upwards_and_named(small):
    plan = a_plan(
        small, axis(of("g"), 3, 0.01, 0.5), axis(of("learning_rate"), 3, *RATES)
    )
    rows = list(taken(plan).cells)
    rows = [row for cell in rows for row in cell.rows]
    rows[4] = replace(rows[4], status="diverged", reason="It is no longer finite.")
    rows[8] = Result(rows[8].cell, "failed", "It cannot be.")
    result = found_map(plan, rows)
    assert [state_of(result.cells[n]) for n in (4, 8)] == ["diverges", "failed"]
    assert report_of(result.cells[4]) == "It is no longer finite."
    assert np.isnan(result.values[1, 1])
    assert result.best not in (result.cells[4], result.cells[8])
    picture = map_figure(result)
    (strokes,) = [t for t in picture.data if t.get("name") == "reported"]
    x, y = (np.reshape(strokes[axis], (-1, 3))[:, :2] for axis in "xy")
    assert (np.diff(x) == np.diff(y)).all()
    middles = np.round([x.mean(axis=1), y.mean(axis=1)]).T
    assert {tuple(at) for at in middles} <= {(1, 1), (2, 2)}
    names = [item["text"] for item in picture.layout["annotations"]]
    assert {"diverges", "cannot be trained"} <= set(names)


def test_a_cell_whose_model_ranks_nothing_is_named_and_never_the_best(small):
    plan = a_plan(small, axis(of("g"), 3, 0.01, 0.5))
    rows = [row for cell in taken(plan).cells for row in cell.rows]
    rows[1] = replace(rows[1], ranks=False, valid={plan.measure: 1.0})
    result = found_map(plan, rows)
    states = [state_of(cell) for cell in result.cells]
    assert states == ["trained", "nothing", "trained"]
    assert result.best is not result.cells[1]
    assert np.isnan(result.values[1])
    title = map_words.measure_title(plan)
    assert map_words.map_table(result)[1][title] == "ranks nothing"
    value = map_words.cell_text(result, result.cells[1])
    assert "ranks nothing" in value
    assert plan.measure not in value


def reported(small, *axes):
    """A map whose second cell diverges, whose third one has a vanishing gradient and
    whose last one cannot be trained."""
    plan = a_plan(small, *axes)
    rows = [row for cell in taken(plan).cells for row in cell.rows]
    rows[1] = replace(rows[1], status="diverged", reason="It is no longer finite.")
    rows[2] = replace(rows[2], problem="The gradient has vanished.")
    rows[-1] = Result(rows[-1].cell, "failed", "It cannot be.")
    return found_map(plan, rows)


def test_a_curve_is_hatched_where_it_diverges_and_where_gradients_vanish(small):
    result = reported(small, axis(of("g"), 5, 1.0, 50.0))
    states = [state_of(cell) for cell in result.cells]
    assert states == ["trained", "diverges", "vanishes", "trained", "failed"]
    picture = line_figure(result, "#000000")
    strokes = [t for t in picture.data if t.get("name") == "reported"]
    for trace, sign, columns in zip(strokes, (1, -1), ({1, 4}, {2}), strict=True):
        x, y = (np.reshape(trace[axis], (-1, 3))[:, :2] for axis in "xy")
        assert (np.diff(x) == sign * np.diff(y)).all()
        assert set(np.round(x.mean(axis=1))) == columns
        # Over the whole height.
        low, high = picture.layout["yaxis2"]["range"]
        assert (y.min(), y.max()) == (low, high)
        assert trace["yaxis"] == "y2"


def test_each_value_of_a_curve_leads_also_without_a_model(small):
    plan = a_plan(small, axis(of("g"), 9, 1.0, 50.0))
    result = taken(plan, count=3)
    (columns,) = [t for t in line_figure(result, "#000000").data if "meta" in t]
    shape = np.shape(columns["z"])
    assert shape == (shape[0], 9) == np.shape(columns["text"])
    meta = columns["meta"]
    assert meta["width"] == 9
    for row in np.reshape(meta["cells"], shape):
        np.testing.assert_array_equal(row, result.nearest)
    for row in np.reshape(meta["empty"], shape):
        assert set(np.flatnonzero(~row)) == {cell.at[0] for cell in result.cells}
    assert columns["text"][0][1].startswith("nearest model so far:")


def test_lines_over_three_axes_say_what_is_reported(small):
    three = (
        axis(of("g"), 2, 0.01, 0.5),
        axis(of("learning_rate"), 2, *RATES),
        axis(of("truncation_interval"), 2, 1, 5),
    )
    (trace,) = map_lines_figure(reported(small, *three)).data
    dimensions = {report["name"]: report for report in trace["dimensions"]}
    report = dimensions["report"]
    settings = dict(zip(report["tickvals"], report["ticktext"], strict=True))
    # The one that cannot be trained has no measure, so no line.
    assert [settings[at] for at in report["values"]] == [
        "none", "diverges", "gradient vanishes", *["none"] * 4
    ]  # fmt: skip
    (trace,) = map_lines_figure(taken(a_plan(small, *three))).data
    assert "report" not in [report["name"] for report in trace["dimensions"]]


def test_drawing_looks_at_each_cell_a_few_times(small, monkeypatch):
    plan = a_plan(
        small, axis(of("g"), 5, 1.0, 50.0), axis(of("learning_rate"), 5, *RATES)
    )
    outcome = taken(plan)
    result, value = [], ModelResults.value.func
    counting = property(lambda cell: result.append(cell) or value(cell))
    monkeypatch.setattr(ModelResults, "value", counting)
    map_figure(outcome, outcome.cells[0])
    # Looking for the best cell once for each cell would be 25 times 25.
    assert len(result) <= 15 * len(outcome.cells)


def test_curves_and_weights_follow_by_cell(small):
    plan = a_plan(
        small, axis(of("g"), 3, 1.0, 50.0), axis(of("learning_rate"), 3, *RATES)
    )
    result = taken(plan)
    chosen = result.cells[4]
    leads = map_figure(result, chosen).data[0]["meta"]
    assert leads["cells"] == [result.places[i, j] for j in range(3) for i in range(3)]
    curve = curve_figure(result, chosen, "#000000").data[-1]
    row = chosen.rows[0].history
    assert curve["meta"]["at"] == 4
    np.testing.assert_array_equal(curve["y"], curve["meta"]["rows"][4])
    np.testing.assert_array_equal(curve["y"], row["valid nDCG@10"].astype(np.float32))
    coef = result.weights(chosen)
    np.testing.assert_array_equal(coef, chosen.rows[0].coef)
    train = result.plan.splits.train
    importance = result.plan.ranker.importances(coef, train)
    for by, drawn in (("importance", importance), ("coefficient", coef)):
        weighing = Weighing(result.plan.ranker, train, by)
        picture = weights_figure(result, chosen, "#000000", weighing)
        bars, hollow = picture.data
        shares = np.sort(drawn / np.abs(drawn).max())
        np.testing.assert_allclose(np.sort(bars["y"]), shares, atol=1e-4)
        assert np.isfinite(hollow["y"]).sum() == (coef == 0).sum()
        assert picture.numbers().keys() == {"feature", "importance", "coefficient"}


def test_a_curve_has_the_interval_over_queries(small):
    result = taken(a_plan(small, axis(of("g"), 3, 1.0, 50.0)))
    ends = result.intervals()
    for cell, (low, high) in zip(result.cells, ends, strict=True):
        each = cell.rows[0].queries["nDCG@10"]
        assert (low, high) == mean_interval(each)[1:3]
    picture = line_figure(result, "#000000", result.cells[1])
    assert "is highest" in picture.alt
    assert picture.figure()


def test_a_curve_over_weighted_queries_has_their_interval(small):
    weights = np.linspace(1.0, 5.0, small.n_queries)
    heavy = small.with_query_weights(weights)
    result = taken(a_plan(heavy, axis(of("g"), 2, 1.0, 50.0)))
    for cell, (low, high) in zip(result.cells, result.intervals(), strict=True):
        each = cell.rows[0].queries["nDCG@10"]
        assert (low, high) == mean_interval(each, weights=weights)[1:3]
        assert cell.value == pytest.approx(np.average(each, weights=weights))
    again = small.with_query_weights(np.full(small.n_queries, 2.0))
    assert a_plan(again, axis(of("g"), 2, 1.0, 50.0)).query_weights() is None


def test_what_cannot_be_trained_is_a_cell_with_its_reason(small):
    result = taken(a_plan(small.subset([0]), axis(of("g"), 2, 1.0, 2.0)))
    assert all(cell.rows for cell in result.cells)
    texts = map_figure(taken(a_plan(
        small, axis(of("g"), 2, 1.0, 2.0), axis(of("learning_rate"), 2, *RATES)
    )))  # fmt: skip
    assert texts.figure()
