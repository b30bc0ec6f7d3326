"""The Runs page: what it finds, what can be done with it, and what it says."""

import json
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest

from pages.ui import registry
from pages.ui.catalogue import pages, setting
from pages.ui.serving import visitor
from pages.views.runs import _find
from rankcore.algorithms.rank_svm import RankSVM
from rankcore.algorithms.rsrank import RSRank
from rankcore.cli import _running as cli
from rankcore.data.catalogue import load_dataset
from rankcore.data.trec import qrels, trec_run
from rankcore.mathematics.statistics import mean_interval
from rankcore.measures import STANDARD, Rules
from rankcore.studies.owners import COMMON_RUNS, ONE_PERSON
from rankcore.studies.paths import path
from rankcore.studies.searches import search
from rankcore.studies.store import StoreError, SweepKeeper
from rankcore.studies.store._search import STATUSES
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore.sensitivity import SensitivityPlan
from rankcore.topics.runs.titles import run_names
from rankcore.training import Stop, drive
from rankcore.views import (
    Act,
    Begin,
    Caption,
    Edit,
    Go,
    Notice,
    Panel,
    Popover,
    Row,
    Table,
    TakeModel,
    Words,
    flat,
    past,
)
from rankcore.views.blocks import columns
from rankcore.views.pins import read_pins
from tests.viewing import blocks, shown, unsound, values, view

RUNS = view("runs", "Kept runs")


def test_a_run_says_how_its_data_was_divided_and_scaled(store):
    data = load_dataset("toy-2d").normalise("minmax")
    run = drive(RankSVM(max_iter=4), data.train, data.valid)
    for text, value in (
        (
            "60/20/20",
            "toy-2d train, divided 60/20/20, seed 3, features scaled by minmax",
        ),
        ("2-of-5", "toy-2d train, fold 2 of 5, divided 5 folds, seed 3"),
    ):
        settings = {"divide": text, "divide_seed": 3}
        with store.recording(run, settings=settings) as recorder:
            list(run)
        result = shown(RUNS, runs_chosen=recorder.id)
        captions = [one.text for one in flat(result.blocks) if isinstance(one, Caption)]
        assert any(value in text for text in captions)


@pytest.fixture
def three(store):
    """The ids of three runs, the newest first."""
    data = load_dataset("toy-2d")
    keys = []
    for model in (RankSVM(max_iter=4), RSRank(max_iter=6), RSRank(max_iter=9)):
        run = drive(model, data.train, data.valid)
        with store.recording(run) as recorder:
            list(run)
        keys.append(recorder.id)
    return keys[::-1]


def named(found, kind, label):
    (block,) = [one for one in blocks(found, kind) if one.label == label]
    return block


def titles(found):
    (table,) = blocks(found, Table)
    return [title.split(",")[0] for title in table.rows["Title"]]


@pytest.mark.parametrize("picture", ["algorithms", "time", "curves"])
def test_every_run_is_in_the_picture_and_in_the_table(store, three, picture):
    both = (*_find.USUAL, "best")
    result = shown(RUNS, runs_picture=picture, runs_chosen=three[0], runs_columns=both)
    assert list(unsound(result)) == []
    (panel,) = blocks(result, Panel)
    panel.picture.figure()
    assert titles(result) == ["RSRank", "RSRank", "RankSVM"]
    (table,) = blocks(result, Table)
    assert list(table.selected) == [0]
    bests = [store.load(key).best["valid nDCG@10"] for key in three]
    assert table.rows["Best (validation)"] == bests
    assert table.rows["Last (validation)"] == [
        store.load(key).last["valid nDCG@10"] for key in three
    ]


@pytest.mark.parametrize("picture", ["algorithms", "time", "curves"])
def test_values_of_other_data_or_rules_have_pictures_of_their_own(
    store, three, picture
):
    """No axis, no "highest" and no "best" goes over several data sets or rules."""
    data = load_dataset("toy-3d")
    for rules in (STANDARD, Rules("letor3")):
        run = drive(RSRank(max_iter=3), data.train, data.valid, rules=rules)
        with store.recording(run):
            list(run)
    terms = store.search().table["terms"]
    assert set(terms) == {"toy-2d train", "toy-3d train", "toy-3d train, letor3"}

    every = ",".join(store.search().table.index)
    result = shown(RUNS, runs_picture=picture, runs_chosen=every)
    assert list(unsound(result)) == []
    panels = blocks(result, Panel)
    drawn = [set(columns(panel.picture.numbers())["data"]) for panel in panels]
    assert sorted(drawn, key=sorted) == sorted(
        ({one} for one in terms.unique()), key=sorted
    )
    for panel, (items,) in zip(panels, drawn, strict=True):
        assert panel.title.endswith(f" on {items}")
        assert f"on {items}" in panel.picture.alt or f"of {items}" in panel.picture.alt
    (groups,) = blocks(shown(RUNS, runs_group="algorithm"), Table)
    items = [row["values of"] for row in groups.rows if row["Algorithm"] == "RSRank"]
    assert set(items) == set(terms)


NINE = "RSRank, g = 9, maximum iterations = 2"


def test_titles_tell_runs_apart(store, three):
    """By settings, data and best value; equal ones by seed, else by time."""
    (table,) = blocks(shown(RUNS), Table)
    for title, key in zip(table.rows["Title"], three, strict=True):
        run = store.load(key)
        best = run.best["valid nDCG@10"]
        assert title == f"{run.described}, toy-2d, {best:.3f}"
    assert len(set(table.rows["Title"])) == 3
    data = load_dataset("toy-2d")
    for seed in (1, 2):
        run = drive(RSRank(g=9.0, max_iter=2, random_state=seed), data.train)
        with store.recording(run):
            list(run)
    (table,) = blocks(shown(RUNS, runs_search="g=9"), Table)
    titles = [f"{NINE}, toy-2d, seed 2", f"{NINE}, toy-2d, seed 1"]
    assert table.rows["Title"] == titles
    for _ in range(2):
        run = drive(RSRank(g=7.0, max_iter=2), data.train)
        with store.recording(run):
            list(run)
    result = store.search().table
    moments = [f"{moment:%d %b %H:%M:%S}" for moment in result["created"][:2]]
    value = moments if moments[0] != moments[1] else [f"seed 0, {t}" for t in moments]
    names = run_names(result)[:2]
    assert names[0].startswith("RSRank, g = 7, maximum iterations = 2, ")
    assert names == [f"{NINE.replace('9', '7')}, {one}" for one in value]


def test_the_figure_comes_with_a_selection(store, three):
    result = shown(RUNS)
    assert not result.panels()
    assert "Choose a run in the table" in blocks(result, Caption)[0].text
    (panel,) = shown(RUNS, runs_chosen=three[1]).panels()
    assert panel.title == "Curves on toy-2d train"
    assert columns(panel.picture.numbers())["run"][0].startswith("RSRank, ")


def test_search_and_filters_narrow_both(store, three):
    chosen = {"runs_chosen": three[2], "runs_picture": "time"}
    result = shown(RUNS, runs_algorithm="RankSVM", **chosen)
    assert titles(result) == ["RankSVM"]
    (panel,) = blocks(result, Panel)
    assert len(panel.picture.numbers()["run"]) == 1
    assert titles(shown(RUNS, runs_search="svm", runs_sort="best")) == ["RankSVM"]
    nothing = shown(RUNS, runs_search="none of them")
    assert not nothing.panels()
    assert not any("has a value" in one.text for one in blocks(nothing, Caption))
    clear = named(nothing, Act, "Clear search and filters")
    assert titles(shown(RUNS, **clear.changes)) == ["RSRank", "RSRank", "RankSVM"]


def test_runs_of_one_algorithm_are_told_apart_by_their_settings(store):
    data = load_dataset("toy-2d").train
    keys = []
    for g, title in ((30.0, ""), (10.0, "RSRank, g = 10"), (5.0, "Mine"), (0.0, "")):
        run = drive(RSRank(g=g, max_iter=500), data, stop=Stop(2))
        with store.recording(run, title=title) as recorder:
            list(run)
        keys.append(recorder.id)
    result = shown(RUNS, runs_chosen=",".join(keys))
    (table,) = blocks(result, Table)
    names = "RSRank", "Mine, g = 5", "RSRank, g = 10", "RSRank, g = 30"
    assert table.rows["Title"] == [f"{name}, toy-2d" for name in names]
    wanted = ["RSRank, g = 30", "RSRank, g = 10", "Mine, g = 5", "RSRank"]
    (value, *_) = blocks(result, Words)
    assert value.text.splitlines()[1:] == [f"- {name}" for name in wanted]
    labels = past.recent("")
    for key, name in zip(keys, wanted, strict=True):
        assert labels[key].startswith(f"{name}, toy-2d train, seed 0, ")
    for text in ("g=30", "g = 30"):
        settings = {"runs_search": text, "runs_columns": ("settings",)}
        (table,) = blocks(shown(RUNS, **settings), Table)
        assert table.rows["Settings"] == ["g = 30"]


def test_rows_and_marks_choose_runs(store, three):
    chosen = {"runs_chosen": three[2], "runs_picture": "time"}
    result = shown(RUNS, runs_algorithm="RSRank", **chosen)
    (table,) = blocks(result, Table)
    # What the filter hides stays chosen.
    assert table.on_select([1])["runs_chosen"] == f"{three[2]},{three[1]}"
    (panel,) = blocks(result, Panel)
    assert panel.on_click("RSRank", 1, 0.5, "RSRank")["runs_chosen"] == three[1]


def test_a_run_is_named_noted_and_tagged(store, three):
    result = shown(RUNS, runs_chosen=three[0])
    named(result, Edit, "Title").write("  The good one ")
    named(result, Edit, "Note").write("See page 3.")
    named(result, Edit, "Tags").write("paper, , lecture,paper")
    run = store.load(three[0])
    assert (run.title, run.notes) == ("The good one", "See page 3.")
    assert run.tags == ("lecture", "paper")
    named(result, Edit, "Title").write(" ")
    assert store.load(three[0]).title == "RSRank"
    several = shown(RUNS, runs_chosen=",".join(three))
    compared = named(several, Go, "Compare").settings["runs"]
    assert sorted(setting("runs").format(compared).split(",")) == sorted(three)
    named(several, Edit, "Add tags to all").write("all")
    assert [store.load(key).tags for key in three[1:]] == [("all",)] * 2
    assert store.load(three[0]).tags == ("all", "lecture", "paper")


def test_deleted_runs_come_back(store, three):
    result = shown(RUNS, runs_chosen=f"{three[0]},{three[1]}")
    changes = named(result, Act, "Delete 2 runs").changes()
    after = shown(RUNS, **changes)
    assert titles(after) == ["RankSVM"]
    assert titles(shown(RUNS, runs_deleted="deleted")) == ["RSRank", "RSRank"]
    changes = named(after, Act, "Undo").changes()
    assert titles(shown(RUNS, **changes)) == ["RSRank", "RSRank", "RankSVM"]


def test_deleted_runs_are_removed_for_good(store, three):
    store.delete(*three[:2])
    result = shown(RUNS)
    (storage,) = [f for f in blocks(result, Popover) if f.title == "Storage"]
    (remove,) = [b for b in storage.blocks() if isinstance(b, Act)]
    assert remove.label == "Remove 2 deleted runs for good"
    remove.changes()
    assert len(store) == 1
    assert store.runs(deleted=True).empty


def test_a_run_is_made_again_from_its_own_settings(store, three):
    begin = named(shown(RUNS, runs_chosen=three[0]), Begin, "Run again")
    again, stored = begin.run(), store.load(three[0])
    list(again)
    assert again.history[-1].valid["nDCG@10"] == stored.last["valid nDCG@10"]
    # The Train page offers what the command trained it with.
    assert begin.settings["data"] == "toy-2d"
    assert begin.settings["RSRank.max_iter"] == 9
    train = pages()["train"].view({})
    raw = dict(begin.settings)
    assert values(train, **{k.replace(".", "__"): v for k, v in raw.items()}).seed == 0


def test_a_stopped_run_goes_on_under_its_id(store):
    data = load_dataset("toy-2d")
    run = drive(RSRank(max_iter=9), data.train, data.valid)
    recorder = store.record(run)
    next(run)
    recorder.end()
    begin = named(shown(RUNS, runs_chosen=recorder.id), Begin, "Go on")
    assert begin.resumes.id == recorder.id


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"runs_search": "the 'good' one"},
        {"runs_algorithm": "RSRank", "runs_sort": "oldest"},
        {"runs_data": "toy-3d train"},
        {"runs_status": "stopped", "runs_measure": "AP"},
        {"runs_tag": "paper 2"},
        {"runs_deleted": "deleted", "runs_sort": "iterations"},
        {"runs_algorithm": "RSRank", "runs_sort": "best", "runs_measure": "AP"},
        {"runs_search": "none"},
    ],
)
def test_the_copied_command_lists_the_runs_of_the_page(store, three, link, capsys):
    splits = load_dataset("toy-3d")
    run = drive(RSRank(max_iter=2), splits.train, splits.valid, measures=("AP",))
    recorder = store.record(run, "The 'good' one")
    next(run)
    recorder.end()
    store.note(three[0], tags=["paper 2"])
    store.delete(three[1])
    result = shown(RUNS, **link)
    listed = titles(result) if blocks(result, Table) else []
    words = shlex.split(result.command)
    assert cli.run([*words[1:], "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["runs"]
    assert [row["title"] for row in rows] == listed
    page, _ = _find.listed_runs(store, values(RUNS, **link))
    assert [row["id"] for row in rows] == list(page.table.index)


def test_the_copied_command_lists_the_visitor_s_runs(store, three, monkeypatch, capsys):
    splits = load_dataset("toy-2d")
    for who in ("me", "her"):
        run = drive(RSRank(max_iter=2), splits.train, splits.valid)
        with store.recording(run, title=f"Of {who}", visitor=who):
            list(run)
    monkeypatch.setattr(visitor, "current", lambda: "me")
    for link in ({}, {"runs_algorithm": "RSRank", "runs_sort": "title"}):
        result = shown(RUNS, **link)
        (table,) = blocks(result, Table)
        listed = [title.split(",")[0] for title in table.rows["Title"]]
        assert "Of me" in listed
        assert "Of her" not in listed
        words = shlex.split(result.command)
        assert cli.run([*words[1:], "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)["runs"]
        assert [row["title"] for row in rows] == listed
        names = {}
        exec(result.python, names)
        assert list(names["found"].table["title"]) == listed
        assert "Of me" in capsys.readouterr().out


def test_the_page_knows_every_status():
    assert set(_find.STATUSES) == set(STATUSES)


def test_at_most_two_buttons_stand_beside_each_other(store, three):
    """The column beside the figure cuts the words of three."""
    beside = shown(RUNS, runs_chosen=three[0]).blocks[2].columns[1]
    assert {len(row.columns) for row in beside if isinstance(row, Row)} == {2}


def test_chosen_runs_are_exported(store, three):
    result = shown(RUNS, runs_chosen=three[1])
    assert result.files[f"run-{three[1]}.json"]() == store.load(three[1]).to_json()


def test_a_model_is_compared_on_held_out_queries_before_it_is_exported(store, three):
    result = shown(RUNS, runs_chosen=three[1])
    (take,) = blocks(result, TakeModel)
    held_out = take.held_out()
    splits = load_dataset("toy-2d")
    last = splits.test or splits.valid
    assert held_out.dataset.fingerprint == last.fingerprint
    assert held_out.measure == "nDCG@10"

    run = drive(RSRank(max_iter=2), replace(splits.train, name="gone"))
    with store.recording(run) as recorder:
        list(run)
    (take,) = blocks(shown(RUNS, runs_chosen=recorder.id), TakeModel)
    assert take.held_out() is None


def test_groups_open_their_runs(store, three):
    result = shown(RUNS, runs_group="algorithm")
    (table,) = blocks(result, Table)
    assert [row["Algorithm"] for row in table.rows] == ["RSRank", "RankSVM"]
    assert [row["runs"] for row in table.rows] == [2, 1]
    assert titles(shown(RUNS, **table.on_choose(1))) == ["RankSVM"]


@pytest.mark.parametrize("window", [2, 200])
def test_lists_follow_each_other(window, store, three, monkeypatch):
    monkeypatch.setattr("pages.views.runs._find.WINDOW", window)
    monkeypatch.setattr("pages.views.runs._find.ROWS", 2)
    assert titles(shown(RUNS, runs_list=2)) == ["RankSVM"]


def test_the_rankings_of_chosen_runs_are_exported_for_trec_eval(store, three):
    valid = load_dataset("toy-2d").valid
    files = shown(RUNS, runs_chosen=",".join(three[:2])).files
    for key in three[:2]:
        model = store.load(key).model()
        rankings = files[f"run-{key}-valid.trec"]()
        assert rankings == trec_run(valid, model.scores(valid.X, model.coef_), "RSRank")
        assert files[f"run-{key}-valid.qrels"]() == qrels(valid)


def test_runs_without_rankings_say_why(store, three):
    data = load_dataset("toy-2d")
    unnamed = drive(RSRank(max_iter=1), replace(data.train, name="mine"), data.valid)
    idle = drive(RankSVM(), data.train)
    with store.recording(unnamed) as first:
        list(unnamed)
    with store.recording(idle) as second:
        pass
    chosen = [first.id, second.id, three[0]]
    result = shown(RUNS, runs_chosen=",".join(chosen))
    items = [one.text for one in blocks(result, Caption)]
    assert (
        "Export has no TREC files for RSRank, maximum iterations = 1 (its data is "
        "missing), RankSVM (no model is stored)." in items
    )
    ends = [name for name in result.files if not name.endswith(".json")]
    assert ends == [f"run-{three[0]}-valid.trec", f"run-{three[0]}-valid.qrels"]


def test_a_cell_of_a_sweep_becomes_a_run_when_it_is_opened(store):
    train, valid, _ = load_dataset("toy-2d")
    over = {"g": [0.0, 5.0], "max_iter": [3]}
    rows = list(sweep("RSRank", train, valid, over, seeds=(4,), store=store))
    (table,) = blocks(shown(RUNS), Table)
    assert [row["Completed"] for row in table.rows] == ["2 of 2"]
    chosen = table.on_choose(0)
    cells = blocks(shown(RUNS, **chosen), Table)[1]
    chosen |= cells.on_choose(1)
    begin = named(shown(RUNS, **chosen), Begin, "Open cell 1 in Train")
    run = begin.run()
    list(run)
    np.testing.assert_array_equal(run.best.coef, rows[1].coef)
    assert (begin.settings["RSRank.g"], begin.settings["seed"]) == (5.0, 4)


def test_a_cell_is_opened_with_the_features_that_its_sweep_left_out_off(store):
    data, off = load_dataset("planted"), ("f2", "f4")
    left = data.without(off)
    over = {"g": [0.0, 5.0], "max_iter": [3]}
    rows = list(sweep("RSRank", left.train, left.valid, over, store=store))
    (table,) = blocks(shown(RUNS), Table)
    chosen = table.on_choose(0) | {"runs_cell": "1"}
    begin = named(shown(RUNS, **chosen), Begin, "Open cell 1 in Train")
    run = begin.run()
    list(run)
    np.testing.assert_array_equal(run.best.coef, rows[1].coef)
    assert begin.settings["without"] == off
    assert run.train.feature_names == left.train.feature_names


def test_a_comparison_is_one_row_with_its_best_value_and_interval(store):
    data = load_dataset("toy-2d")
    keeper = SweepKeeper(lambda: store, pytest.fail, "her", "one study")
    ranked = {
        model: list(sweep(model, {"": data}, over=over, store=keeper))
        for model, over in ((RSRank, {"g": [0.0, 30.0]}), (RankSVM, {"l2": [0.1]}))
    }
    list(sweep(RSRank, {"": data}, over={"g": [5.0]}, store=store))

    (table,) = blocks(shown(RUNS), Table)
    alone, compared = table.rows
    assert alone["Title"] == "RSRank over g"
    assert compared["Title"] == "Comparison of RSRank, RankSVM"
    assert compared["Completed"] == "3 of 3"
    rows = [row for outcome in ranked.values() for row in outcome]
    best = max(rows, key=lambda row: row.valid["nDCG@10"])
    value = best.valid["nDCG@10"]
    assert compared["Best"].startswith(f"{value:.3f} nDCG@10, ")
    per_query = best.queries["nDCG@10"]
    ends = mean_interval(per_query[~np.isnan(per_query)])
    assert compared["95% interval"] == f"{ends.low:.3f} to {ends.high:.3f}"

    opened = table.on_choose(1)
    result = shown(RUNS, **opened)
    (_, outcome) = blocks(result, Table)
    assert [row["Title"] for row in outcome.rows] == [
        "RSRank over g",
        "RankSVM over l2",
    ]
    both = blocks(shown(RUNS, **(opened | outcome.on_choose(1))), Table)
    assert [one.key for one in both] == ["sweeps_table", "study_table", "cells_table"]
    # Found by one of its algorithms, a comparison is shown whole.
    (narrowed,) = blocks(shown(RUNS, runs_search="svm over"), Table)
    assert [row["Completed"] for row in narrowed.rows] == ["3 of 3"]


def test_a_deleted_sweep_comes_back(store, three):
    over, data = {"g": [0.0, 5.0], "max_iter": [3]}, load_dataset("toy-2d").train
    list(sweep("RSRank", data, over=over, store=store))
    chosen = blocks(shown(RUNS), Table)[1].on_choose(0)
    gone = named(shown(RUNS, **chosen), Act, "Delete sweep").changes()
    assert len(blocks(shown(RUNS, **chosen | gone), Table)) == 1
    back = named(shown(RUNS, **chosen | gone), Act, "Undo").changes()
    assert len(blocks(shown(RUNS, **chosen | gone | back), Table)) == 3
    named(shown(RUNS, **back), Act, "Delete sweep").changes()
    # Among the deleted runs it is found again, and removed for good.
    (table,) = blocks(shown(RUNS, runs_deleted="deleted"), Table)
    binned = {"runs_deleted": "deleted"} | table.on_choose(0)
    result = shown(RUNS, **binned)
    assert [one.key for one in blocks(result, Act)] == ["runs_kept", "sweep_back"]
    named(result, Act, "Bring back sweep").changes()
    assert store.sweeps(deleted=True).empty
    store.delete(*store.sweeps().index)
    (fold,) = [b for b in blocks(shown(RUNS), Popover) if b.title == "Storage"]
    remove = fold.blocks()[1]
    assert remove.label == "Remove 0 deleted runs and 1 sweep for good"
    remove.changes()
    assert store.sweeps(deleted=True).empty


def test_search_and_filters_narrow_the_sweeps(store, three):
    data = load_dataset("toy-2d").train
    for name, over in (("RSRank", {"g": [0.0]}), ("RankSVM", {"l2": [1.0]})):
        list(sweep(name, data, over=over, stop=Stop(1), store=store))
    for result, wanted in (
        ({}, ["RankSVM over l2", "RSRank over g"]),
        ({"runs_search": "OVER g"}, ["RSRank over g"]),
        ({"runs_algorithm": "RankSVM"}, ["RankSVM over l2"]),
        ({"runs_data": "toy-2d train"}, ["RankSVM over l2", "RSRank over g"]),
        ({"runs_search": "planted"}, []),
    ):
        items = [
            b for b in blocks(shown(RUNS, **result), Table) if b.key == "sweeps_table"
        ]
        assert [row["Title"] for one in items for row in one.rows] == wanted
    captions = blocks(shown(RUNS, runs_sweep="nobody"), Caption)
    assert any("Sweep nobody is not in" in caption.text for caption in captions)


def test_a_cell_of_a_sweep_becomes_a_run_when_it_is_pinned(store, run_page):
    train, valid, _ = load_dataset("toy-2d")
    over = {"g": [0.0, 5.0], "max_iter": [3]}
    rows = list(sweep("RSRank", train, valid, over, seeds=(4,), store=store))
    (key,) = store.sweeps().index
    page = run_page("runs", runs_sweep=key, runs_cell="1")
    page.button(key="cell_pin").click().run()
    assert not page.exception
    (pin,) = read_pins(page.session_state["pin"])
    job = registry.registry().get(pin.id)
    assert job.wait(60)
    # Train shows it beside the run there, and the store keeps it.
    there = run_page("train", pin=page.session_state["pin"], data="toy-2d")
    assert not there.exception
    assert f"run_shown {pin.id} False" in [box.key for box in there.checkbox]
    result = store.load(pin.id)
    np.testing.assert_array_equal(result.coef("best"), rows[1].coef)
    assert (result.hyperparameters["g"], result.seed) == (5.0, 4)


def test_a_model_of_a_search_becomes_a_run_when_it_is_opened(store):
    train, valid, _ = load_dataset("toy-2d")
    result = search("RSRank", train, valid, {"g": None}, "halving", 3,
                   stop=Stop(6), store=store)  # fmt: skip
    every = list(result)
    (table,) = blocks(shown(RUNS), Table)
    assert [row["Title"] for row in table.rows] == ["RSRank, search over g"]
    assert [row["Completed"] for row in table.rows] == ["4 of 4"]
    chosen = table.on_choose(0) | {"runs_cell": "1"}
    run = named(shown(RUNS, **chosen), Begin, "Open cell 1 in Train").run()
    list(run)
    # It is of the first rung, which trains a third of the iterations.
    assert run.history[-1].iteration == 2
    np.testing.assert_array_equal(run.best.coef, every[1].rows[0].coef)


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("noise", "(shuffled training labels 0.05, repeat 1)"),
        ("folds", "It was trained on fold 2 of the data"),
    ],
)
def test_cells_on_other_data_say_how_to_train_them(store, vary, said):
    splits = load_dataset("toy-2d")
    plan = SensitivityPlan(RSRank(), splits, vary, repeats=2, max_iterations=1)
    list(plan.study(store=store))
    (key,) = store.sweeps().index
    result = shown(RUNS, runs_sweep=key, runs_cell="1")
    assert [one.label for one in blocks(result, Begin) if one.key == "cell_open"] == []
    (text,) = [c.text for c in blocks(result, Caption) if said in c.text]
    call = re.search(r"`open_store\(\)\.(.*)`", text)[1]
    train, valid, _ = plan.data["" if vary == "noise" else "2"]
    names = {"store": store, "train": train, "valid": valid}
    list(eval(f"store.{call}", names))


def test_the_models_of_a_path_are_shown_and_not_opened(store):
    list(path(RSRank(max_iter=2), load_dataset("toy-2d"), "g", [0.0, 5.0], store=store))
    (table,) = blocks(shown(RUNS), Table)
    result = shown(RUNS, **table.on_choose(0) | {"runs_cell": "1"})
    assert len(blocks(result, Table)[1].rows) == 2
    assert [one.label for one in blocks(result, Begin) if one.key == "cell_open"] == []
    assert any("starts from the one before" in c.text for c in blocks(result, Caption))


def test_a_visitor_does_not_see_the_sweeps_of_others(store, monkeypatch):
    fields = {"over": {"g": [0.0]}, "store": SweepKeeper(lambda: store, list, "her")}
    list(sweep("RSRank", load_dataset("toy-2d").train, **fields))
    monkeypatch.setattr(visitor, "current", lambda: "me")
    assert blocks(shown(RUNS), Table) == []
    monkeypatch.setattr(visitor, "current", lambda: "her")
    assert [row["Title"] for row in blocks(shown(RUNS), Table)[0].rows] == [
        "RSRank over g"
    ]


@pytest.fixture
def hers(store):
    """The ids of two runs of a visitor, the second of them stopped."""
    data, keys = load_dataset("toy-2d"), []
    for iterations in (3, 1):
        run = drive(RSRank(max_iter=3), data.train, data.valid)
        recorder = store.record(run, "Hers", visitor="her")
        for _ in range(1 + iterations):
            next(run, None)
        recorder.end()
        keys.append(recorder.id)
    assert [store.load(key).status for key in keys] == ["finished", "stopped"]
    return keys


def offered(found):
    """What a visitor can press or fill in, of what changes runs."""
    words = ("Delete", "Undo", "Go on", "Bring back")
    acts = [one.label for one in (*blocks(found, Act), *blocks(found, Begin))]
    return [one.label for one in blocks(found, Edit)] + [
        label for label in acts if label.startswith(words)
    ]


def said(found):
    return [one.text for one in blocks(found, Caption)]


def test_only_who_began_a_run_may_change_it(store, hers, three, monkeypatch):
    """A link shows it to others, with a sentence in place of the buttons."""
    shows = {
        "one": {"runs_chosen": hers[1]},
        "several": {"runs_chosen": ",".join(hers)},
        "undo": {"runs_undo": hers[0]},
        "bin": {"runs_chosen": hers[0], "runs_deleted": "deleted"},
    }
    monkeypatch.setattr(visitor, "current", lambda: "her")
    settings = {name: shown(RUNS, **link) for name, link in shows.items()}
    assert {name: offered(item) for name, item in settings.items()} == {
        "one": ["Title", "Tags", "Note", "Delete", "Go on"],
        "several": ["Add tags to all", "Delete 2 runs"],
        "undo": ["Undo"],
        "bin": ["Bring back 1 run"],
    }
    before = [store.load(key) for key in hers]

    monkeypatch.setattr(visitor, "current", lambda: "me")
    others = {name: shown(RUNS, **link) for name, link in shows.items()}
    assert [offered(item) for item in others.values()] == [[]] * 4
    reason = "Another visitor's run: only its owner can edit, delete or resume it."
    assert reason in said(others["one"])
    assert any(
        one.startswith("Some runs are not yours") for one in said(others["several"])
    )
    assert offered(shown(RUNS, runs_chosen=f"{hers[0]},{three[0]}")) == []

    # A page that was drawn for its owner changes nothing for anyone else.
    for item in settings.values():
        for edit in blocks(item, Edit):
            with pytest.raises(StoreError, match="another visitor"):
                edit.write("mine")
        for act in blocks(item, Act):
            if act.label.startswith(("Delete", "Undo", "Bring back")):
                with pytest.raises(StoreError, match="another visitor"):
                    act.changes()
    assert [store.load(key) for key in hers] == before
    assert set(hers) <= set(store.runs(visitor="her").index)


def test_common_runs_are_noted_on_by_all_and_deleted_by_commands(
    store, three, monkeypatch
):
    list(sweep("RSRank", load_dataset("toy-2d").train, over={"g": [0.0]}, store=store))
    monkeypatch.setattr(visitor, "current", lambda: "me")
    one = shown(RUNS, runs_chosen=three[0])
    assert offered(one) == ["Title", "Tags", "Note"]
    assert any("`rankscope runs delete`" in text for text in said(one))
    several = shown(RUNS, runs_chosen=",".join(three))
    assert offered(several) == ["Add tags to all"]
    assert any(text.startswith("Some runs are not yours") for text in said(several))
    (table,) = [b for b in blocks(shown(RUNS), Table) if b.key == "sweeps_table"]
    swept = shown(RUNS, **table.on_choose(0))
    assert offered(swept) == []
    assert any("`rankscope runs delete`" in text for text in said(swept))

    monkeypatch.setenv(COMMON_RUNS, "read-only")
    assert offered(shown(RUNS, runs_chosen=three[0])) == []
    assert "Common runs are read-only on this server." in said(
        shown(RUNS, runs_chosen=three[0])
    )
    assert offered(shown(RUNS, runs_chosen=",".join(three))) == []


def storage(found):
    (fold,) = [b for b in blocks(found, Popover) if b.title == "Storage"]
    return fold.blocks()


def test_nobody_removes_for_good_what_others_have_deleted(
    store, hers, three, monkeypatch
):
    monkeypatch.setattr(visitor, "current", lambda: "her")
    named(shown(RUNS, runs_chosen=hers[0]), Act, "Delete").changes()
    store.delete(three[0])
    monkeypatch.setattr(visitor, "current", lambda: "me")
    _, remove = storage(shown(RUNS))
    assert (remove.label, remove.disabled) == ("Remove 0 deleted runs for good", True)
    remove.changes()
    assert blocks(shown(RUNS, runs_deleted="deleted"), Table) == []
    assert set(store.runs(deleted=True).index) == {hers[0], three[0]}
    monkeypatch.setattr(visitor, "current", lambda: "her")
    _, remove = storage(shown(RUNS))
    assert remove.label == "Remove 1 deleted run for good"
    remove.changes()
    assert list(store.runs(deleted=True).index) == [three[0]]


def test_on_one_s_own_computer_all_runs_are_one_s_own(store, hers, three, monkeypatch):
    """Also in another browser than the one that began them."""
    monkeypatch.setenv(ONE_PERSON, "yes")
    monkeypatch.setenv(COMMON_RUNS, "read-only")
    monkeypatch.setattr(visitor, "current", lambda: "me")
    result = shown(RUNS)
    assert set(titles(result)) == {"Hers", "RSRank", "RankSVM"}
    assert len(titles(result)) == len([*hers, *three])
    assert "--visitor" not in result.command
    assert set(past.recent(visitor.owner())) == {*hers, *three}
    for key in (hers[1], three[0]):
        assert "Delete" in offered(shown(RUNS, runs_chosen=key))
    assert "Go on" in offered(shown(RUNS, runs_chosen=hers[1]))
    every = ",".join([*hers, *three])
    changes = named(shown(RUNS, runs_chosen=every), Act, "Delete 5 runs").changes()
    named(shown(RUNS, **changes), Act, "Undo").changes()
    store.delete(*hers)
    _, remove = storage(shown(RUNS))
    assert remove.label == "Remove 2 deleted runs for good"
    remove.changes()
    assert set(store.runs().index) == set(three)
    assert store.runs(deleted=True).empty


@pytest.mark.parametrize("others", [0, 1])
def test_a_link_to_a_run_of_another_store_says_what_to_do(store, others):
    data, here = load_dataset("toy-2d"), []
    for _ in range(others):
        run = drive(RSRank(max_iter=1), data.train, data.valid)
        with store.recording(run) as recorder:
            list(run)
        here.append(recorder.id)
    result = shown(RUNS, runs_chosen=",".join(["0123456789abcdef", *here]))
    (notice,) = [one for one in blocks(result, Notice) if one.warns]
    assert notice.text.startswith("Not in this run store: 0123456789abcdef. Open")
    assert any("rankscope runs import" in one.text for one in blocks(result, Caption))
    assert [one.label for one in blocks(result, Act) if one.key == "runs_pin"] == [
        "Pin" for _ in here
    ]


def test_an_empty_store_says_what_to_do(store):
    result = shown(RUNS)
    assert "No runs in this browser yet" in blocks(result, Notice)[0].text
    begin = named(result, Begin, "Train a first run")
    assert begin.run().algorithm.title == "RSRank"


def test_runs_without_validation_have_a_curve(store):
    data = load_dataset("toy-2d").train
    run = drive(RSRank(max_iter=3), data)
    with store.recording(run):
        list(run)
    result = shown(RUNS)
    assert list(unsound(result)) == []
    (table,) = blocks(result, Table)
    assert np.isnan(table.rows["Last (validation)"]).all()
    (key,) = store.runs().index
    again = named(shown(RUNS, runs_chosen=key), Begin, "Run again").run()
    assert again.valid is None


def test_without_a_store_the_page_says_so(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{blocked}/runs.sqlite")
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    (notice,) = blocks(shown(RUNS), Notice)
    assert notice.text.startswith("Runs are not kept after a restart: ")
    assert notice.warns


def test_storage_does_not_say_where_the_store_is(store, three, tmp_path, monkeypatch):
    monkeypatch.setattr(visitor, "current", lambda: "me")
    caption, _ = storage(shown(RUNS))
    assert ", SQLite. If it is full" in caption.text
    assert str(tmp_path) not in caption.text
    assert "own.sqlite" not in caption.text
    monkeypatch.setenv(ONE_PERSON, "yes")
    caption, _ = storage(shown(RUNS))
    assert "in the file `own.sqlite`" in caption.text
    assert str(tmp_path) not in caption.text
