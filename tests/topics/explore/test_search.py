"""Results of a search: importance as in Optuna, and the best model, tested once."""

from dataclasses import replace

import numpy as np
import optuna
import pytest
from scipy.interpolate import griddata

from rankcore.algorithms.rsrank import RSRank
from rankcore.data.catalogue import Splits
from rankcore.mathematics.differences import selection_optimism
from rankcore.measures import evaluate
from rankcore.studies.results import Cell, ModelResults, Result
from rankcore.studies.searches import Range, search
from rankcore.studies.searches.space import space_of
from rankcore.topics.compare.comparison_plan import pooled_folds
from rankcore.topics.explore.search import (
    SearchPlan,
    contour,
    found_search,
    importance,
    importance_ends,
    place,
)
from rankcore.topics.explore.search import tested_once as on_test
from rankcore.topics.explore.search_figure import contour_figure, parallel_figure
from rankcore.training import Stop, drive

OVER = {"g": Range(0.0, 50.0), "learning_rate": Range(1e-4, 1e-1)}
ITERATIONS = 4


def a_plan(small, **more):
    return SearchPlan(
        RSRank(random_state=2), OVER, Splits(small, small, small), models=12,
        max_iterations=ITERATIONS, **more,
    )  # fmt: skip


def taken(plan):
    study = plan.study()
    list(study)
    return study, found_search(plan, study.found)


def test_a_study_finds_what_the_search_finds(small):
    plan = a_plan(small)
    study, result = taken(plan)
    value = search(
        RSRank(random_state=2), small, small, OVER, models=12, seeds=(2,),
        stop=Stop(max_iterations=ITERATIONS),
    )  # fmt: skip
    assert [c.value for c in value] == [c.value for c in result.candidates]
    best = result.usable[int(np.argmax(result.values))].number
    assert result.best is result.candidates[best]
    assert study.reason == (
        f"All 12 models are trained; the best was number {best + 1}."
    )
    most = [max(result.values[: n + 1]) for n in range(len(result.usable))]
    assert result.best_so_far.tolist() == most
    nothing = [one for one in result.candidates if one.nonzeros == 0]
    assert nothing
    assert {one.state for one in nothing} == {"ranks nothing"}
    assert len(result.usable) + len(nothing) == 12


def test_importance_is_that_of_optuna():
    space = space_of(RSRank(), OVER)
    rng = np.random.default_rng(0)
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    candidates = []
    for number in range(30):
        trial = study.ask({item.name: item.distribution() for item in space})
        settings = {item.name: item.value(trial.params[item.name]) for item in space}
        # The learning rate decides, g hardly.
        value = -abs(np.log(settings["learning_rate"] / 1e-2)) + 0.1 * rng.random()
        study.tell(trial, value)
        cell = Cell(tuple(settings.items()), "", 0)
        row = Result(cell, valid={"nDCG@10": value})
        candidates.append(ModelResults((number,), (row,), "valid nDCG@10"))
    result = importance(space, candidates)
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    wanted = optuna.importance.get_param_importances(study, evaluator=evaluator)
    assert list(result) == list(wanted) == ["learning_rate", "g"]
    # Optuna knows how far below the smallest value each zero was.
    assert result == pytest.approx(wanted, abs=0.02)
    assert importance(space, candidates[:7]) == {}
    ends = importance_ends(space, candidates, result)
    for name, share in result.items():
        low, high = ends[name]
        assert 0.0 <= low < share < high <= 1.0
    assert ends["g"][1] < ends["learning_rate"][0]
    assert importance_ends(space, candidates[:7], {}) == {}


def test_the_best_value_is_said_to_be_too_high(small):
    _, result = taken(a_plan(small))
    rows = [one.rows[0].queries["nDCG@10"] for one in result.usable]
    above = selection_optimism(rows)
    assert above > 0.0
    assert result.optimism == (
        f"Choosing the best of {len(rows)} models by {small.n_queries} queries makes "
        f"its value too high by about {above:.2g} (bootstrap over these queries)."
    )
    assert found_search(result.plan, result.candidates[:1]).optimism == ""


def test_weighted_queries_are_drawn_with_their_weights(small):
    weights = np.linspace(1.0, 5.0, small.n_queries)
    _, result = taken(a_plan(small.with_query_weights(weights)))
    rows = [one.rows[0].queries["nDCG@10"] for one in result.usable]
    above = selection_optimism(rows, weights=weights)
    assert f"too high by about {above:.2g} (bootstrap" in result.optimism


def test_the_best_is_tested_once(small):
    plan = a_plan(small)
    _, result = taken(plan)
    (row,) = result.best.rows
    values = evaluate(small, small.X @ row.coef, ("nDCG@10",))["nDCG@10"]
    assert on_test(plan, result.best).estimate == values.mean()


def test_contours_pass_through_the_models(small):
    plan = a_plan(small)
    _, result = taken(plan)
    surface = contour(result)
    first, second = list(result.importance)[:2]
    assert (surface.across.name, surface.up.name) == (first, second)
    x, y = result.places(surface.across), result.places(surface.up)
    points = np.unique(np.column_stack([x, y]), axis=0)
    means = [result.values[(x == across) & (y == up)].mean() for across, up in points]
    grid = np.array(np.meshgrid(surface.places, surface.places)).reshape(2, -1).T
    expected = griddata(points, means, grid, method="linear")
    np.testing.assert_allclose(surface.values.ravel(), expected)
    assert np.isfinite(expected).any()
    picture = contour_figure(result, surface, result.best, "#000000")
    models = next(t for t in picture.data if (t.get("meta") or {}).get("brushed"))
    np.testing.assert_array_equal(models["x"], x)
    np.testing.assert_array_equal(models["y"], y)


def test_what_is_brushed_is_found_on_the_axes_that_are_drawn(small):
    _, result = taken(a_plan(small))
    brush = {"g": [(0.0, 0.3), (0.6, 1.0)], "measure": [(0.0, float(result.values[3]))]}
    (trace,) = parallel_figure(result, brush=brush).data
    drawn = {item["name"]: item for item in trace["dimensions"]}
    assert {name: item["values"] for name, item in drawn.items()} == {
        name: values.tolist() for name, values in result.axes.items()
    }
    ranges = {k: item["constraintrange"] for k, item in drawn.items() if k in brush}
    assert ranges == {"g": [[0.0, 0.3], [0.6, 1.0]], "measure": [0.0, result.values[3]]}
    assert "constraintrange" not in drawn["learning_rate"]
    value = result.brushed(brush)
    assert value.usable == tuple(
        one
        for one, place in zip(result.usable, result.axes["g"], strict=True)
        if not 0.3 < place < 0.6 and one.value <= result.values[3]
    )
    assert result.brushed({}) is result.brushed({"alpha": [(0.0, 1.0)]}) is result


def test_a_brush_may_leave_too_few_models_to_say_what_matters(small):
    _, result = taken(a_plan(small))
    most = np.sort(result.axes["learning_rate"])[6]
    few = result.brushed({"learning_rate": [(0.0, most)]})
    assert (len(few.usable), few.importance, contour(few)) == (7, {}, None)
    none = result.brushed({"seconds": [(-2.0, -1.0)]})
    assert (none.usable, none.importance, contour(none)) == ((), {}, None)


def test_models_on_a_line_have_no_contours(small):
    plan = replace(a_plan(small), over={"g": None})
    assert contour(taken(plan)[1]) is None


def test_a_search_ends_with_its_time(small):
    study, result = taken(replace(a_plan(small), max_seconds=1e-9))
    assert len(result.candidates) == 1
    assert study.ended
    assert study.reason == (
        "The 1e-09 seconds are over: 1 of 12 models are trained; the best was number 1."
    )


@pytest.mark.soak
def test_after_folds_the_best_is_trained_on_the_training_data(small):
    first, second = small.subset(range(8)), small.subset(range(8, 12))
    plan = replace(a_plan(small, folds=3), splits=Splits(first, second, small))
    _, result = taken(plan)
    folds = pooled_folds(plan.splits, 3)
    model = RSRank(**result.best.settings, random_state=2)
    stop = Stop(max_iterations=ITERATIONS)
    values = []
    for train, valid, _ in folds.values():
        run = drive(model, train, valid, stop=stop)
        list(run)
        values.append(run.best.valid["nDCG@10"])
    assert result.best.value == np.mean(values)
    run = drive(model, first, second, stop=stop)
    list(run)
    scores = small.X @ run.best.coef
    values = evaluate(small, scores, ("nDCG@10",))["nDCG@10"]
    assert on_test(plan, result.best).estimate == values.mean()


def test_places_are_on_the_scale_of_a_dimension():
    g, interval = space_of(RSRank(), {"g": None, "truncation_interval": [5, 2, 9]})
    assert [place(interval, v) for v in (5, 2, 9)] == [0.0, 0.5, 1.0]
    decades = [place(g, 250.0 * 10.0**-n) for n in range(4)]
    np.testing.assert_allclose(decades, [1.0 - n * 0.875 / 3 for n in range(4)])
    assert place(g, 0.0) == 0.0
