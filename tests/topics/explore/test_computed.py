"""Everything that was computed: which models stand beside those of a map."""

import numpy as np
import pytest

from rankcore.algorithms.list_net import ListNet
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.measures import Rules, means
from rankcore.studies.models import document_scores
from rankcore.studies.paths import path
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore import computed
from rankcore.topics.explore.computed import (
    EMPTY,
    PATH,
    gathered,
    of_map,
    of_sensitivity,
    stored,
)
from rankcore.topics.explore.maps import MapPlan, axis, found_map
from rankcore.topics.explore.sensitivity import SensitivityPlan, found_sensitivity
from rankcore.topics.explore.trade_offs import best_of, trained
from rankcore.topics.explore.trade_offs import tested as on_test
from rankcore.training import Stop, drive

FEW = Stop(max_iterations=6)


@pytest.fixture
def store(tmp_path):
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as result:
        yield result


@pytest.fixture
def splits(small):
    return Splits(small.subset(range(6)), small.subset(range(6, 12)), small)


def a_map(splits, **more):
    points = axis(hyperparameters(RSRank)["g"], 3, 0.0, 6.0)
    plan = MapPlan(
        RSRank(learning_rate=1e-2), (points,), splits, max_iterations=6, **more
    )
    study = plan.study()
    list(study)
    return found_map(plan, study.found)


def everything(found, store, *batches, visitor="me"):
    values = [of_map(found), *batches, *stored(store, visitor)]
    return gathered(found.plan, values)


def test_sweeps_and_runs_of_the_store_stand_beside_a_map(splits, store):
    result = a_map(splits)
    train, valid, test = splits
    list(
        sweep(
            ListNet(), train, valid, {"l2": [0.0, 0.1]}, (0, 1), stop=FEW, store=store
        )
    )
    run = drive(RSRank(g=3.0), train, valid, stop=FEW)
    with store.recording(run):
        list(run)
    every = everything(result, store)
    assert every.taken == {"map": 3, "stored study": 2, "stored run": 1}
    assert not every.left_out
    *_, first, second, value = every.models
    assert [type(item.ranker) for item in (first, value)] == [ListNet, RSRank]
    assert [row.cell.seed for row in first.rows] == [0, 1]
    assert first.settings == {"l2": 0.0}
    assert value.settings["g"] == 3.0
    assert value.value == run.best.valid["nDCG@10"]
    for item in (second, value):
        # Stored to the bit, or trained again to the bit.
        model = trained(item)
        reached = means(valid, document_scores(model, valid), ("nDCG@10",))["nDCG@10"]
        assert reached == pytest.approx(
            item.value, abs=0.1 if item is second else 1e-12
        )
    np.testing.assert_array_equal(trained(value).coef_, run.best.coef)
    best = best_of(every.models)
    reached, change = on_test(first, best, test)
    assert reached.estimate == change.after
    scores = document_scores(trained(best), test)
    assert change.before == means(test, scores, ("nDCG@10",))["nDCG@10"]


def test_a_stored_sweep_is_trained_again_to_the_bit(splits, store):
    result, rows = a_map(splits), []
    for row in sweep(
        ListNet(), splits.train, splits.valid, {"l2": [0.1]}, stop=FEW, store=store,
        measures=("AP", "nDCG@10"), measured_every=2,
    ):  # fmt: skip
        rows.append(row)
    (model,) = [item for item in everything(result, store).models if item.trains]
    np.testing.assert_array_equal(trained(model).coef_, rows[0].coef)
    assert model.value == rows[0].valid["nDCG@10"]


def test_what_is_left_out_is_counted_with_its_reason(splits, store):
    result = a_map(splits)
    train, valid, _ = splits
    g = {"g": [1.0, 2.0]}
    list(sweep("RSRank", valid, train, g, stop=FEW, store=store))
    list(sweep("RSRank", train, valid, g, stop=FEW, store=store, measures=("AP",)))
    rules = Rules(empty="skip")
    list(sweep("RSRank", train, valid, g, stop=FEW, store=store, rules=rules))
    list(path(RSRank(), splits, "g", (1.0, 2.0, 3.0), stop=FEW, store=store))
    list(sweep("RSRank", train, valid, {"g": [1e6]}, stop=FEW, store=store))
    every = everything(result, store)
    assert every.taken == {"map": 3}
    reasons = {why: count for (_, why), count in every.left_out.items()}
    assert reasons.pop(PATH) == 3
    assert reasons.pop(EMPTY) == 1
    assert reasons.pop("not measured by nDCG@10") == 2
    assert sum(count for why, count in reasons.items() if "rule skip" in why) == 2
    assert sum(count for why, count in reasons.items() if "same name" in why) == 2
    assert sum(reasons.values()) == 4


def test_of_a_large_store_the_newest_are_read_and_the_others_counted(
    splits, store, monkeypatch
):
    result, value = a_map(splits), {"stop": FEW, "store": store}
    for rate in (0.1, 0.2, 0.3):
        over = {"g": [0.5, 1.5], "learning_rate": [rate]}
        list(sweep("RSRank", *splits[:2], over, **value))
        run = drive(RSRank(learning_rate=rate), *splits[:2], stop=FEW)
        with store.recording(run):
            list(run)
    monkeypatch.setattr(computed, "MOST_CELLS", 3)
    monkeypatch.setattr(computed, "MOST_RUNS", 1)
    outcome = everything(result, store)
    rates = [model.ranker.learning_rate for model in outcome.models[3:]]
    assert rates == [0.3, 0.3, 0.3]
    counts = {("stored study", computed.OLDER): 4, ("stored run", computed.OLDER): 2}
    assert outcome.left_out == counts


def test_a_visitor_s_own_and_everybody_s_count_but_not_another_s(splits, store):
    result = a_map(splits)
    for who, g in (("me", 1.0), ("her", 2.0), (None, 3.0)):
        run = drive(RSRank(g=g), *splits[:2], stop=FEW)
        with store.recording(run, visitor=who):
            list(run)
    value = everything(result, store).models[3:]
    assert sorted(model.ranker.g for model in value) == [1.0, 3.0]


def test_a_map_that_is_in_the_store_too_counts_once(splits, store):
    result = a_map(splits)
    list(result.plan.study(store=store))
    every = everything(result, store)
    assert (every.taken, every.left_out) == ({"map": 3}, {})


@pytest.mark.parametrize("vary", ["seeds", "folds", "queries", "noise"])
def test_studies_of_the_sensitivity_count_where_their_data_is_the_same(
    splits, store, vary
):
    result = a_map(splits, folds=3 if vary == "folds" else 1)
    plan = SensitivityPlan(RSRank(g=5.0), splits, vary, 3, max_iterations=6)
    study = plan.study(store=store)
    list(study)
    live = of_sensitivity(found_sensitivity(plan, study.found))
    every = everything(result, store, live)
    assert every.taken == {"map": 3, "sensitivity": 1}
    (model,) = [item for item in every.models if item.batch.origin == "sensitivity"]
    rows = study.found
    whole = {"queries": lambda s: s.level == 6, "noise": lambda s: s.level == 0.0}
    if vary in whole:
        rows = [row for row in rows if whole[vary](row.cell.sample)]
    assert model.value == np.mean([row.valid["nDCG@10"] for row in rows])
    others = sum(every.left_out.values())
    # Each of another level once, of the page and of the store.
    assert others == {"queries": 2, "noise": 2}.get(vary, 0) * (plan.runs // 3 - 1) * 3
    if vary == "folds":
        other = everything(a_map(splits), store)
        assert other.taken == {"map": 3}
        ((_, why),) = other.left_out
        assert why == "data divided into 3 folds, not as it is given"
