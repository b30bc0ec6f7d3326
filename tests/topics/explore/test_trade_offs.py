"""The front of a map, and the models that rules choose."""

import numpy as np
import pytest

from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.measures import means
from rankcore.studies.searches import Range
from rankcore.topics.explore.computed import gathered, of_map, of_search
from rankcore.topics.explore.maps import MapPlan, axis, found_map
from rankcore.topics.explore.search import SearchPlan, found_search
from rankcore.topics.explore.trade_offs import (
    best_of,
    best_within,
    front,
    smallest_within,
    trained,
)
from rankcore.topics.explore.trade_offs import tested as on_test
from rankcore.topics.explore.trade_offs_figure import costs_of, trade_off_figure

COLOURS = {"RSRank": "#123456"}


def reached(models):
    return [model.value for model in models]


def beaten(n, values, costs):
    """Whether another model is as good for as little, and better or earlier."""
    return any(
        values[k] >= values[n]
        and all(a <= b for a, b in zip(costs[k], costs[n], strict=True))
        and (
            values[k] > values[n]
            or any(a < b for a, b in zip(costs[k], costs[n], strict=True))
            or k < n
        )
        for k in range(len(values))
        if k != n
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_front_is_what_no_model_beats(count):
    rng = np.random.default_rng(1)
    for _ in range(50):
        y, x = rng.integers(0, 6, 12) / 5, rng.integers(0, 6, (12, count))
        result = front(y, x)
        assert sorted(result) == [n for n in range(12) if not beaten(n, y, x)]
        assert x[result, 0].tolist() == sorted(x[result, 0])
    assert front(y, x[:, :1]) == front(y, x[:, 0])


def halves(data):
    """Two thirds of the queries to train on, the others to choose by."""
    first = 2 * data.n_queries // 3
    parts = data.subset(range(first)), data.subset(range(first, data.n_queries))
    return Splits(*parts, data)


def a_map(small, **more):
    points = axis(hyperparameters(RSRank)["g"], 5, 0.0, 60.0)
    plan = MapPlan(
        RSRank(learning_rate=1e-2), (points,), halves(small),
        max_iterations=10, **more,
    )  # fmt: skip
    study = plan.study()
    list(study)
    return found_map(plan, study.found)


def a_search(small, **more):
    plan = SearchPlan(
        RSRank(), {"g": Range(0.0, 60.0), "learning_rate": Range(1e-3, 1e-1)},
        halves(small), "random", 8, max_iterations=6, **more,
    )  # fmt: skip
    study = plan.study()
    list(study)
    return found_search(plan, study.found)


def models_of(found, *searches):
    batches = [of_map(found), *map(of_search, searches)]
    return gathered(found.plan, batches).models


def test_all_models_of_a_map_and_a_search_on_the_same_data_compare(small):
    result, search = a_map(small), a_search(small)
    models = models_of(result, search)
    cells = [cell for cell in result.cells if cell.nonzeros > 0]
    others = [one for one in search.candidates if one.nonzeros > 0]
    origins = ["map"] * len(cells) + ["search"] * len(others)
    assert [model.batch.origin for model in models] == origins
    assert reached(models) == [one.value for one in (*cells, *others)]
    assert len({model.key for model in models}) == len(models)
    costs = [(model.nonzeros, model.mean_seconds) for model in models]
    at = front(reached(models), costs_of(models, "both"))
    expected = [n for n in range(len(models)) if not beaten(n, reached(models), costs)]
    assert sorted(at) == expected
    picture = trade_off_figure(models, "both", models[at[0]], COLOURS, 0.01)
    drawn = next(trace for trace in picture.data if trace["name"] == "front")
    assert drawn["x"].tolist() == [models[n].nonzeros for n in at]
    assert drawn["mode"] == "markers"
    slowest = np.argmax([models[n].mean_seconds for n in at])
    assert np.argmax(drawn["marker"]["size"]) == slowest
    for model in (models[-1], models[0]):
        np.testing.assert_array_equal(trained(model).coef_, model.first.coef)
    other = a_search(small.subset(range(6)))
    for unlike in (other, a_search(small, measure="nDCG@3"), a_search(small, folds=2)):
        assert {model.batch.origin for model in models_of(result, unlike)} == {"map"}


def test_the_first_fold_stands_for_all(small):
    for model in models_of(a_map(small, folds=3)):
        assert len(model.rows) == 3
        assert model.first is model.rows[0]


def test_rules_choose_and_the_test_compares_with_the_best(small):
    result = a_map(small)
    cells, models = (
        [cell for cell in result.cells if cell.nonzeros > 0],
        models_of(result),
    )
    # A model that keeps no feature ranks nothing: no rule chooses it.
    assert len(cells) < len(result.cells)
    assert [model.key for model in models] == [str(cell.at[0]) for cell in cells]
    assert best_within(models, 0) is None
    best = best_of(models)
    assert best.value == result.best.value
    for loss in (0.0, 0.1, 1.0):
        able = [c.nonzeros for c in cells if c.value >= (1 - loss) * best.value]
        assert smallest_within(models, loss).nonzeros == min(able)
    for most in sorted({cell.nonzeros for cell in cells}):
        able = [c.value for c in cells if c.nonzeros <= most]
        assert best_within(models, most).value == max(able)
    assert best_within(models, -1) is None
    model = trained(models[-1])
    np.testing.assert_array_equal(model.coef_, cells[-1].rows[0].coef)
    assert model.provenance_.measures["valid nDCG@10"] == cells[-1].value
    reached_there, change = on_test(models[-1], best, small)
    assert reached_there.estimate == change.after
    assert reached_there.low <= reached_there.estimate <= reached_there.high
    for mean, one in ((change.before, result.best), (change.after, cells[-1])):
        scores = small.X @ one.rows[0].coef
        assert mean == np.float64(means(small, scores, ("nDCG@10",))["nDCG@10"])
