"""Which runs are averaged as one model, and which are compared at all."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import set_name
from rankcore.measures import Rules
from rankcore.studies.store import open_store
from rankcore.topics.compare.comparable import comparable
from rankcore.topics.compare.comparison import (
    compare,
    contenders,
    over_data_sets,
    settings_that_differ,
)
from rankcore.topics.compare.trained import from_store
from rankcore.training import Stop, drive

MEASURES = ("nDCG@10", "AP")
FEW = Stop(max_iterations=6)


@pytest.fixture
def kept(small, tmp_path):
    """Train a run, keep it, and take it in from the store."""
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:

        def run(name="RSRank", *, train=small, valid=small, steps=None, **details):
            settings = details.pop("settings", {})
            chosen = {"random_state": details.pop("seed", 0)}
            ranker = get_algorithm(name)(**chosen, **details.pop("chosen", {}))
            entries = {"stop": FEW, "measures": MEASURES} | details
            run = drive(ranker, train, valid, **entries)
            recorder = store.record(run, settings=settings)
            for record in run:
                if record.iteration == steps:
                    break
            recorder.end()
            return from_store(store.load(recorder.id))

        yield run


def names(runs):
    return [one.name for one in contenders(runs)]


def relabelled(data):
    return replace(data, y=data.y[::-1].copy())


def test_runs_that_differ_in_their_seed_alone_are_one_model(kept):
    assert [len(one.runs) for one in contenders([kept(), kept(seed=1)])] == [2]


@pytest.mark.parametrize(
    ("details", "name"),
    [
        ({"changes": {3: {"g": 100.0}}}, "RSRank, g = 100 after iteration 3"),
        ({"steps": 2}, "RSRank, stopped after iteration 2"),
        ({"stop": Stop(6, max_seconds=99)}, "RSRank, at most 99 s"),
        ({"stop": Stop(max_iterations=5)}, "RSRank, maximum iterations = 5"),
        ({"measures": ("AP", "nDCG@10")}, "RSRank, best by AP"),
    ],
)
def test_runs_that_were_trained_otherwise_are_other_models(kept, details, name):
    runs = [kept(), kept(seed=1), kept(**details)]
    assert comparable(runs, "nDCG@10").left_out == ()
    result = contenders(runs)
    assert [len(one.runs) for one in result] == [2, 1]
    assert result[1].name == name
    assert result[0].name != name


def test_a_run_from_another_start_is_another_model(kept):
    starts = [None, np.ones(4), np.full(4, 2.0), np.ones(4)]
    result = contenders([kept(start=start) for start in starts])
    assert [len(one.runs) for one in result] == [1, 2, 1]
    assert len({one.name for one in result}) == 3
    assert result[1].name.startswith("RSRank, from model ")


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ({"rules": Rules("letor3")}, "measured by convention letor3, not standard"),
        (
            {"rules": Rules(empty="skip")},
            "queries without relevant documents measured by rule skip, not zero",
        ),
        ({"measures": ("AP",)}, "not measured by nDCG@10"),
        ({"valid": None}, "measured on training queries, not validation"),
    ],
)
def test_runs_that_were_measured_otherwise_are_left_out(kept, details, reason):
    runs = [kept(), kept("ListNet"), kept("RankSVM", **details)]
    result = comparable(runs, "nDCG@10")
    assert result.runs == tuple(runs[:2])
    (left,) = result.left_out
    assert left.runs == (runs[2],)
    assert left.reason == reason
    assert (
        left.sentence == f"RankSVM (run {runs[2].terms.key[:8]}) is left out: {reason}."
    )


def test_runs_on_data_of_other_content_are_left_out_whatever_its_name(kept, small):
    runs = [kept(), kept(seed=1), kept(valid=relabelled(small))]
    result = comparable(runs, "nDCG@10")
    assert result.runs == tuple(runs[:2])
    (left,) = result.left_out
    assert "other queries, labels, features or weights" in left.reason
    same = kept("ListNet", train=replace(small, name="a copy"))
    assert comparable([*runs[:2], same], "nDCG@10").left_out == ()
    other = kept(train=replace(relabelled(small), name="another"))
    (left,) = comparable([*runs[:2], other], "nDCG@10").left_out
    assert left.reason == "trained on another, not small"
    scaled = kept(train=small.normalise(), valid=small.normalise())
    (left,) = comparable([*runs[:2], scaled], "nDCG@10").left_out
    assert left.reason == "features scaled by minmax, not as given"


def divided(small, first, last):
    """All but some queries to train on, and these."""
    rest = [*range(first), *range(last, small.n_queries)]
    return {"train": small.subset(rest), "valid": small.subset(range(first, last))}


def test_other_divisions_of_the_data_are_left_out(kept, small):
    def one(name, text, seed, first):
        division = {"divide": text, "divide_seed": seed}
        return kept(name, **divided(small, first, first + 6), settings=division)

    runs = [one(n, "50/50", 0, 0) for n in ("RSRank", "ListNet")]
    other = one("RankSVM", "50/50", 3, 4)
    result = comparable([*runs, other], "nDCG@10")
    assert result.runs == tuple(runs)
    (left,) = result.left_out
    assert left.reason == "data divided 50/50, seed 3, not 50/50, seed 0"


def test_folds_of_one_division_are_averaged_and_those_of_another_left_out(kept, small):
    def fold(name, number, seed=0):
        division = {"divide": f"{number}-of-3", "divide_seed": seed}
        first = 4 * (number - 1) + seed
        return kept(name, **divided(small, first, first + 4), settings=division)

    runs = [fold(n, k) for n in ("RSRank", "ListNet") for k in (1, 2, 3)]
    result = comparable([*runs, fold("RankSVM", 1, seed=2)], "nDCG@10")
    assert [len(one.runs) for one in contenders(result.runs)] == [3, 3]
    assert len(compare(contenders(result.runs), "nDCG@10").ids) == small.n_queries
    (left,) = result.left_out
    assert left.reason == "data divided 3 folds, seed 2, not 3 folds, seed 0"


def test_one_data_set_counts_once_whatever_its_splits_are_called(kept, small):
    named = [replace(small, name=name) for name in ("small", "small train", "copy")]
    runs = [kept(n, train=data) for n in ("RSRank", "ListNet") for data in named]
    data, algorithms, values = over_data_sets(runs, "nDCG@10")
    assert (data, algorithms) == (["small"], ["RSRank", "ListNet"])
    assert values.shape == (1, 2)
    assert set_name("small train") == set_name("small") == "small"


def test_a_default_that_is_not_written_stands_beside_what_is(kept):
    signed = contenders([kept(), kept(chosen={"signs": "not_negative"})])
    assert [one.name for one in signed] == [
        "RSRank, signs of features = any",
        "RSRank, signs of features = not_negative",
    ]
    rows, _ = settings_that_differ(signed)
    values = [row["Signs of features"] for row in rows.values()]
    assert values == ["any", "not_negative"]


def test_what_is_equal_is_what_is_said_to_be(kept, small):
    runs = [kept(), kept("ListNet")]
    _, equal = settings_that_differ(contenders(runs))
    values = ["Data and split", "Evaluation rules", "Choice of the best iteration"]
    assert equal[:3] == values
    apart = [runs[0], kept("ListNet", valid=relabelled(small), rules=Rules("letor3"))]
    rows, equal = settings_that_differ(contenders(apart))
    assert not {"Data and split", "Evaluation rules"} & {*equal}
    assert rows["ListNet"]["Evaluation rules"] == "letor3, zero"
    changed = [kept(), kept(changes={3: {"g": 100.0}})]
    rows, equal = settings_that_differ(contenders(changed))
    assert "Changes" not in equal
    assert [row["Changes"] for row in rows.values()] == [
        "–",
        "g = 100 after iteration 3",
    ]
