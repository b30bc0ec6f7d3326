"""The front of a map, and the models that rules choose."""

import numpy as np

from rankcore.algorithms.rsrank import RSRank
from rankcore.catalogue import Splits
from rankcore.hyperparameters import hyperparameters
from rankcore.insight.maps import MapPlan, axis, found_map
from rankcore.insight.trade_offs import (
    best_within,
    front,
    front_cells,
    smallest_within,
    trained,
)
from rankcore.insight.trade_offs import tested as on_test
from rankcore.measures import means


def test_the_front_is_what_no_model_beats():
    rng = np.random.default_rng(1)
    for _ in range(50):
        y, x = rng.integers(0, 6, 12) / 5, rng.integers(0, 6, 12)
        beaten = [
            any(
                (y[k] >= y[n] and x[k] <= x[n])
                and (y[k] > y[n] or x[k] < x[n] or k < n)
                for k in range(12)
                if k != n
            )
            for n in range(12)
        ]
        assert sorted(front(y, x)) == [n for n in range(12) if not beaten[n]]


def test_rules_choose_and_the_test_compares_with_the_best(small):
    own = axis(hyperparameters(RSRank)["g"], 5, 0.0, 60.0)
    plan = MapPlan(
        RSRank(learning_rate=1e-2), (own,), Splits(small, small, small),
        max_iterations=10,
    )  # fmt: skip
    study = plan.study()
    list(study)
    found = found_map(plan, study.found)
    cells, best = found.cells, found.best
    for loss in (0.0, 0.1, 1.0):
        able = [c.kept for c in cells if c.value >= (1 - loss) * best.value]
        assert smallest_within(found, loss).kept == min(able)
    for most in sorted({cell.kept for cell in cells}):
        able = [c.value for c in cells if c.kept <= most]
        assert best_within(found, most).value == max(able)
    assert best_within(found, -1) is None
    costs = [cell.kept for cell in cells]
    on_front = front_cells(found, costs)
    at = front([cell.value for cell in cells], costs)
    assert on_front == [cells[number] for number in at]
    model = trained(found, on_front[-1])
    np.testing.assert_array_equal(model.coef_, on_front[-1].rows[0].coef)
    assert model.provenance_.measures["valid nDCG@10"] == on_front[-1].value
    cell = cells[-1]
    reached, change = on_test(found, cell, small)
    assert reached.estimate == change.after
    assert reached.low <= reached.estimate <= reached.high
    for mean, one in ((change.before, best), (change.after, cell)):
        scores = small.X @ one.rows[0].coef
        assert mean == np.float64(means(small, scores, ("nDCG@10",))["nDCG@10"])
