"""Searches: equal to loops over Optuna and scikit-learn written by hand."""

import itertools
import json
import multiprocessing
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import optuna
import pytest
from hypothesis import given, settings
from optuna.samplers._tpe import parzen_estimator
from sklearn.model_selection import GroupKFold

from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.data.planted import planted
from rankcore.studies import searches
from rankcore.studies.searches import Range, search
from rankcore.studies.searches.space import searchable, space_of
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop, drive
from tests.damage import ABSENT, damaged, edits, replaced
from tests.offloading import offload_soon
from tests.soaking import soak

OVER = {
    "g": Range(0.0, 50.0),
    "learning_rate": Range(1e-4, 1e-1),
    "truncation_interval": [2, 5],
}
BRIEF = Stop(max_iterations=4)


def found(small, by="tpe", models=14, **more):
    more = {"valid": small, "over": OVER, "generation": 4, "stop": BRIEF} | more
    return search("RSRank", small, by=by, models=models, **more)


def figures(candidates):
    ordered = sorted(candidates, key=lambda one: one.number)
    return [(dict(one.settings), one.value, one.state) for one in ordered]


def sampler(seed, generation):
    state = np.random.SeedSequence((seed, generation)).generate_state(1)[0]
    return optuna.samplers.TPESampler(seed=int(state))


def distributions():
    return {item.name: item.distribution() for item in space_of(RSRank(), OVER)}


def value_of(settings, train, valid):
    run = drive(RSRank(**settings, random_state=3), train, valid, stop=BRIEF)
    list(run)
    return run.best.valid["nDCG@10"]


@pytest.mark.parametrize("by", ["tpe", "random", "halving", "grid"])
@pytest.mark.parametrize("prune", [False, True])
def test_a_search_that_was_ended_goes_on_to_the_same_result(small, by, prune):
    if prune and by != "tpe":
        return
    whole = list(found(small, by, prune=prune))
    first = list(itertools.islice(found(small, by, prune=prune), 6))
    values = [row for one in first for row in one.rows]
    again = list(found(small, by, prune=prune, rows=values))
    assert figures(again) == figures(whole)
    # Brief rungs of halving have the same number of iterations, and share their rows.
    rows = {id(row) for one in again for row in one.rows}
    assert {id(row) for row in values} <= rows
    assert len(values) == 6


def test_data_are_sent_to_a_process_once_for_all_generations(small):
    """Although each generation is asked for by itself."""
    sent = []

    class Watched(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):
            sent.append(bool(args[1]))
            return super().submit(fn, *args, **kwargs)

    with Watched(1) as executor:
        both = found(small, generation=2, models=6, executor=executor)
        assert len(list(both)) == 6
    # Two are under way before the first one is told that it lacks the data.
    assert sum(sent) <= 2


def test_generations_share_their_processes(small, monkeypatch):
    alone = figures(found(small, generation=2))
    begun = offload_soon(monkeypatch, searches)
    # A generation of two models would never pay by itself.
    both = list(found(small, generation=2, processes=2))
    assert figures(both) == alone
    assert begun in ([1], [1, 1])
    trained = Counter(one.reason for one in both)
    assert trained[str(os.getpid())] < len(both) - 1
    assert len(trained) <= 1 + len(begun)
    # Those that nobody waits for take a moment to end.
    until = time.monotonic() + 60
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.01)
    assert not multiprocessing.active_children()


def settings_of(trial):
    """What Optuna proposes, to ten digits; small numbers stand for zero."""
    settings = {
        name: float(f"{value:.10g}") if isinstance(value, float) else value
        for name, value in trial.params.items()
    }
    return settings | {"g": settings["g"] if settings["g"] >= 50.0 * 1e-3 else 0.0}


def test_a_protocol_run_equals_a_loop_over_group_k_fold_and_optuna(small):
    query = np.repeat(np.arange(12), 8)
    parts = [
        (np.unique(query[train]), np.unique(query[valid]))
        for train, valid in GroupKFold(3).split(small.X, groups=query)
    ]
    folds = {
        str(n): Splits(small.subset(train), small.subset(valid), None)
        for n, (train, valid) in enumerate(parts)
    }
    result = search(
        "RSRank", folds, over=OVER, models=14, seed=5, seeds=(3,), generation=4,
        stop=BRIEF,
    )  # fmt: skip
    list(result)
    study = optuna.create_study(direction="maximize")
    by_hand = []
    for generation in range(4):
        study.sampler = sampler(5, generation)
        count = 4 if generation < 3 else 2
        trials = [study.ask(distributions()) for _ in range(count)]
        for trial in trials:
            settings = settings_of(trial)
            folded = [
                value_of(settings, small.subset(train), small.subset(valid))
                for train, valid in parts
            ]
            by_hand.append((settings, float(np.mean(folded)), "complete"))
        for trial, (_, value, _) in zip(trials, by_hand[-count:], strict=True):
            study.tell(trial, value)
    assert figures(result.candidates) == by_hand
    assert result.best.value == study.best_value


def test_optuna_leaves_equal_numbers_in_their_order(small):
    """They would have another order on each processor, and so would what follows."""
    list(found(small, models=1))
    ties = np.repeat([1.0, 0.0], 50)
    assert list(parzen_estimator.np.argsort(ties)) == [*range(50, 100), *range(50)]


def test_pruning_is_that_of_optunas_median_pruner(small):
    result = found(small, models=16, prune=True, seeds=(3,))
    list(result)
    study = optuna.create_study(
        direction="maximize", pruner=optuna.pruners.MedianPruner(n_startup_trials=5)
    )
    by_hand = []
    for generation in range(4):
        study.sampler = sampler(0, generation)
        trials = [study.ask(distributions()) for _ in range(4)]
        ended = []
        for trial in trials:
            settings = settings_of(trial)
            model = RSRank(**settings, random_state=3)
            run, state = drive(model, small, small, stop=BRIEF), "complete"
            for record in run:
                if record.iteration:
                    trial.report(record.valid["nDCG@10"], record.iteration)
                    if trial.should_prune():
                        state = "pruned"
                        break
            ended.append(state)
            by_hand.append((settings, run.best.valid["nDCG@10"], state))
        for trial, state, (_, value, _) in zip(
            trials, ended, by_hand[-4:], strict=True
        ):
            if state == "pruned":
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            else:
                study.tell(trial, value)
    assert figures(result.candidates) == by_hand
    states = [one.state for one in result.candidates]
    assert "pruned" in states
    assert all(one.iterations < 4 for one in result.candidates if one.state == "pruned")


@pytest.mark.parametrize(
    "by",
    [
        "tpe",
        "halving",
        *(pytest.param(b, marks=pytest.mark.soak) for b in ("random", "grid")),
    ],
)
def test_the_order_in_which_runs_end_changes_nothing(small, by):
    alone = found(small, by)
    list(alone)
    with ThreadPoolExecutor(3) as executor:
        together = found(small, by, executor=executor)
        list(together)
    assert figures(alone.candidates) == figures(together.candidates)


def test_random_values_are_uniform_on_their_own_scale(small):
    result = found(small, "random", models=9, seed=7)
    list(result)
    shares = np.random.default_rng(7).random((9, 3))
    for one, (_, rate, interval) in zip(result.candidates, shares, strict=True):
        wanted = 10.0 ** (-4.0 + 3.0 * rate)
        assert one.settings["learning_rate"] == pytest.approx(wanted)
        assert one.settings["truncation_interval"] == (2 if interval < 0.5 else 5)
    (dimension,) = space_of(RSRank(), {"g": Range(0.0, 50.0)})
    with pytest.raises(ValueError, match=r"two values, or Range\(0.0, 50.0\) for all"):
        space_of(RSRank(), {"g": (0.0, 50.0)})
    with pytest.raises(ValueError, match=r"g: give values such as \[5\], or a Range"):
        space_of(RSRank(), {"g": 5})
    # An eighth of the length is zero; the rest is three decades.
    assert dimension.at(0.124) == 0.0
    assert dimension.at(0.125 + 1e-9) == pytest.approx(0.05)
    assert dimension.at(0.125 + 0.875 * 2 / 3) == pytest.approx(5.0)


def test_a_grid_has_the_combinations_of_a_sweep(small):
    result = found(small, "grid", models=20)
    list(result)
    over = {
        "g": [0.0, 0.05, 50.0],
        "learning_rate": [1e-4, 0.00316227766, 1e-1],
        "truncation_interval": [2, 5],
    }
    assert result.total == len(result.candidates) == 18
    rows = list(sweep("RSRank", small, small, over, stop=BRIEF))
    reached = {row.cell.settings: row.valid["nDCG@10"] for row in rows}
    assert {tuple(c.settings.items()): c.value for c in result.candidates} == reached


def test_the_best_third_of_each_rung_goes_on(small):
    result = found(small, "halving", models=9, stop=Stop(max_iterations=18))
    list(result)
    first, second, last = (
        result.candidates[:9],
        result.candidates[9:12],
        result.candidates[12:],
    )
    assert [one.most for one in result.candidates] == [2] * 9 + [6] * 3 + [18]
    assert result.total == 13
    for before, after in itertools.pairwise((first, second, last)):
        best = sorted(before, key=lambda one: -one.value)[: len(after)]
        names = [one.settings for one in after]
        assert sorted(map(str, names)) == sorted(str(one.settings) for one in best)
    (row,) = last[0].rows
    model = RSRank(**last[0].settings, random_state=0)
    run = drive(model, small, small, stop=Stop(max_iterations=18))
    list(run)
    np.testing.assert_array_equal(row.coef, run.best.coef)
    assert result.best.value == max(one.value for one in result.candidates)


def test_a_kept_study_goes_on_to_the_same_result(small, tmp_path):
    whole = found(small, prune=True)
    list(whole)
    file = tmp_path / "study.log"
    half = found(small, prune=True, study=file)
    list(itertools.islice(half, 6))
    half.close()
    assert len(half.candidates) == 6
    rest = found(small, prune=True, study=file)
    list(rest)
    assert figures(rest.candidates) == figures(whole.candidates)
    for one, other in zip(rest.candidates, whole.candidates, strict=True):
        np.testing.assert_array_equal(one.rows[0].coef, other.rows[0].coef)
    # Nothing is left to do.
    assert len(list(found(small, prune=True, study=file))) == 14
    with pytest.raises(ValueError, match="contains another search, with another seed"):
        next(found(small, prune=True, study=file, seed=1))
    with pytest.raises(ValueError, match="another data"):
        next(found(small.subset(range(9)), valid=small, prune=True, study=file))


def test_a_file_that_is_no_study_is_refused(small, tmp_path):
    file = tmp_path / "study.log"
    text = "g,learning_rate\n1,2\n3,4"
    file.write_text(text)
    with pytest.raises(ValueError, match="is not a study of Optuna"):
        next(found(small, study=file))
    assert file.read_text() == text


@pytest.fixture(scope="module")
def study_log(tmp_path_factory):
    """A study of four models."""
    file = tmp_path_factory.mktemp("study") / "study.log"
    small = planted(n_queries=8)
    list(found(small, study=file, models=4))
    return small, file.read_bytes()


def check_study(small, file, content):
    """A damaged study is refused, or goes on."""
    file.write_bytes(content)
    try:
        values = list(found(small, study=file, models=4))
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = None
    if refusal is not None:
        assert str(file) in refusal
        assert len(refusal) < len(str(file)) + 350
        assert "\n" not in refusal
        return
    assert len(values) == 4
    assert all(0 <= one.value <= 1 for one in values if one.state == "complete")
    assert all(set(one.settings) == {*OVER} for one in values)


@pytest.mark.parametrize(
    "value",
    [ABSENT, None, [1], 10**400, soak("\ud800"), soak({})],
    ids=lambda odd: f"{odd!r:.9}",
)
def test_a_study_with_other_json_is_refused_or_goes_on(value, study_log, tmp_path):
    small, whole = study_log
    lines = whole.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if b'"rows"' in line)
    for other in replaced(json.loads(lines[at]), value):
        line = json.dumps(other).encode() + b"\n"
        content = b"".join([*lines[:at], line, *lines[at + 1 :]])
        check_study(small, tmp_path / "study.log", content)


def test_a_damaged_study_is_refused_or_goes_on(study_log, tmp_path):
    small, whole = study_log

    @given(edits)
    @settings(max_examples=40, deadline=None)
    def check(changes):
        check_study(small, tmp_path / "study.log", damaged(whole, changes))

    check()


CUT = [(line, at) for line in range(-14, 0) for at in (0, 9, -1)]


@pytest.mark.parametrize(
    ("line", "at"), [(-5, 9), *(soak(*cut) for cut in CUT if cut != (-5, 9))]
)
def test_a_study_whose_process_was_killed_goes_on_to_the_same_result(
    line, at, study_log, tmp_path, monkeypatch
):
    """Killed at any byte that it wrote, and while it held Optuna's lock."""
    small, whole = study_log
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    file = Path("there", "study.log")
    file.write_bytes(whole)
    expected = figures(found(small, study=file, models=4))
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:line], lines[line][:at]]))
    Path(f"{file}.lock").symlink_to(file)
    for _ in range(2):
        assert figures(found(small, study=file, models=4)) == expected


def test_two_searches_can_work_on_one_study(small, tmp_path):
    file = tmp_path / "study.log"
    one, other = (found(small, study=file, models=12) for _ in range(2))
    next(one)
    next(other)
    list(one)
    list(other)
    settings = [str(c.settings) for c in (*one.candidates[:4], *other.candidates[:4])]
    assert len(set(settings)) == 8
    study = optuna.load_study(
        study_name="rankscope",
        storage=optuna.storages.JournalStorage(
            optuna.storages.journal.JournalFileBackend(str(file))
        ),
    )
    assert len(study.trials) >= 12


def test_it_ends_after_its_time_and_keeps_what_is_done(small):
    result = found(small, "random", models=500, max_seconds=0.0)
    assert len(list(result)) == 1
    assert result.best is result.candidates[0]
    table = result.to_frame()
    assert table["valid nDCG@10"].tolist() == [result.best.value]
    assert table["number"].tolist() == [1]


def test_a_model_that_cannot_be_trained_is_a_candidate_with_its_reason(small):
    over = {"feature": ["best", "nope"]}
    result = search("SingleFeature", small, over=over, by="grid", models=2)
    states = {one.settings["feature"]: one.state for one in result}
    assert states == {"best": "complete", "nope": "failed"}
    assert result.best.settings == {"feature": "best"}
    value = search("SingleFeature", small, over=over, models=6, generation=2)
    assert {one.state for one in value} == {"complete", "failed"}


@pytest.mark.parametrize("name", list_algorithms())
def test_every_dimension_gives_values_that_are_permitted(name):
    algorithm = get_algorithm(name)
    model = algorithm()
    names = searchable(algorithm)
    for item in space_of(model, dict.fromkeys(names)) if names else ():
        declared = hyperparameters(algorithm)[item.name]
        for share in (0.0, 0.1, 0.5, 1.0 - 1e-12):
            assert declared.check(item.at(share)) == item.at(share)
        assert item.grid(5)
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        value = study.ask({item.name: item.distribution()}).params[item.name]
        assert declared.check(item.value(value)) == item.value(value)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"by": "guess"}, "Search by one of tpe, random, halving, grid, not 'guess'"),
        ({"over": {}}, "name a hyperparameter"),
        ({"over": {"foo": None}}, "RSRank has no hyperparameter 'foo'; it has g"),
        ({"over": {"g": Range(2, 2)}}, "range of g must have its end above its start"),
        ({"over": {"g": [-1]}}, "g must be a number of at least 0"),
        ({"over": {"g": []}}, "Give values for g, or a range"),
        ({"models": 0}, "at least one model"),
        ({"by": "random", "prune": True}, "Pruning requires the method tpe"),
        ({"by": "grid", "study": "x"}, "requires the method tpe, not grid"),
        ({"prune": True, "seeds": (0, 1)}, "a single fold and seed"),
        ({"measures": ("nope",)}, "nope"),
    ],
)
def test_misuse_is_said_in_a_sentence(small, more, sentence):
    with pytest.raises(ValueError, match=sentence):
        found(small, **more)


def test_a_grid_that_does_not_fit_says_how_many_models_it_has(small):
    with pytest.raises(ValueError, match="The coarsest grid has 8 models"):
        found(small, "grid", models=7)
