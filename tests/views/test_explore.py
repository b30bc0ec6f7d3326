"""Explore: what its views show beyond what every view keeps to."""

import re
from collections import Counter

import numpy as np
import pytest

from pages.ui import registry
from pages.ui.catalogue import place_of
from pages.views.explore import _setup, search
from rankcore.algorithms import get_algorithm
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore.computed import stored
from rankcore.topics.explore.search import found_search
from rankcore.topics.explore.trade_offs import front
from rankcore.training import Stop, drive, every
from rankcore.views import Act, Caption, Go, Table, TakeModel, Tiles, past, read
from tests.viewing import blocks, page, shown, studied, values, view

SMALL = {"data": "toy-2d", "map_iterations": 2, "map_values": 5}


def test_a_preset_asks_for_256_models_of_500_iterations():
    of = view("explore", "Map")
    chosen = of.scenarios({})["g × η, 256 long runs"]
    result = values(of, **chosen)
    assert of.refusal(result) is None
    plan = _setup.plan(result)
    assert plan.splits.train.name.startswith("planted")
    assert [axe.name for axe in plan.axes] == ["g", "learning_rate"]
    assert (plan.shape, plan.max_iterations) == ((16, 16), 500)
    assert _setup.runs(result) == plan.runs == 256


def test_three_axes_are_lines_over_parallel_axes():
    result = shown(view("explore", "Map"), **SMALL, map_z="truncation_interval")
    (trace,) = result.panels()[0].picture.data
    assert trace["type"] == "parcoords"
    labels = [item["label"] for item in trace["dimensions"]]
    interval = "truncation<br>interval K"
    assert labels == ["g", "η", interval, "nDCG@10", "features", "seconds"]
    short = [name if name != interval else "K" for name in labels]
    assert trace["meta"]["headings"] == {"long": labels, "short": short}
    (table,) = blocks(result, Table)
    ranked = [row for row in table.rows if row["state"] != "nothing"]
    assert 0 < len(ranked) < len(table.rows)
    assert len(ranked) == len(trace["dimensions"][0]["values"])
    for at, name in enumerate(("g", "learning_rate", "truncation_interval")):
        each = sorted({row[name] for row in table.rows})
        places = [each.index(row[name]) for row in ranked]
        assert trace["dimensions"][at]["values"] == places
    assert table.on_choose(7) == {"map_cell": "0,1,2"}


def test_lines_of_three_axes_lead_and_are_clicked_as_cells_are():
    of = view("explore", "Map")
    raw = SMALL | {"map_z": "truncation_interval"}
    chosen = values(of, **raw)
    study = of.work.study(chosen)
    next(study)
    for _ in range(2):
        result = of.show(chosen, study)
        lines, curve, *_ = result.panels()
        notes = [item.note for item in [curve, *blocks(result, Tiles)]]
        assert all("the pointer" in note.lower() for note in notes)
        led = lines.picture.data[0]["meta"]
        assert led["leads"] == curve.picture.data[-1]["meta"]["follows"]
        assert led["cells"][led["at"]] == curve.picture.data[-1]["meta"]["at"]
        list(study)
    (table,) = blocks(result, Table)
    assert lines.on_click("map", 7) == table.on_choose(led["cells"][7])
    selected = values(of, **raw, **lines.on_click("map", 7))
    lines, *_ = of.show(selected, study).panels()
    assert lines.picture.data[0]["meta"]["at"] == 7
    assert lines.on_click("map", 7) == table.links[led["cells"][7]]
    assert lines.on_click("map", 8) == table.on_choose(led["cells"][8])


def test_an_empty_value_under_the_pointer_is_trained_next():
    of = view("explore", "Map")
    chosen = values(of, **SMALL | {"map_values": 9}, map_y="none")
    study = of.work.study(chosen)
    while study.done < 4:
        next(study)
    (panel, *_) = of.show(chosen, study).panels()
    result = _setup.map_of(study)
    assert (6,) not in result.places
    # With one axis, the height of the pointer has no meaning.
    assert panel.on_hover("map", 24, 6.0, 3.0) == {}
    next(study)
    assert _setup.map_of(study).places.keys() - result.places.keys() == {(6,)}
    study.close()


STOPPED = [
    ("Map", SMALL, "explore/Map"),
    (
        "Search",
        {"data": "toy-2d", "search_iterations": 3, "search_models": 7},
        "explore/Search/Search",
    ),
    ("Sensitivity", {"data": "toy-2d", "vary_iterations": 2}, None),
]


@pytest.mark.parametrize(("name", "raw", "place"), STOPPED)
def test_a_stopped_study_goes_on_by_its_button(name, raw, place):
    of, works = view("explore", name), {}
    place = place or "explore/Sensitivity/Sensitivity"
    assert place_of(page("explore"), of, values(of, **raw)) == place

    def now(**more):
        return read(of.rows(raw | more), raw | more, "light", works.get)

    study = of.work.study(now())
    works[place] = study
    while study.done < 5:
        next(study)
    begin, left = of.work.button(now()), study.total - 5
    study.close()
    assert not begin.startswith("Go on")
    assert of.work.button(now()) == f"Go on with {left} models"
    # Other settings begin anew, those of what is looked at do not.
    assert of.work.button(now(seed=3)) == begin
    assert of.work.button(now(map_cell="1,1")) == f"Go on with {left} models"
    after = of.work.study(now())
    for _ in after:
        pass
    before, again = ([one.to_json() for one in item.found] for item in (study, after))
    assert again[:5] == before
    assert after.done == after.total
    facts = of.show(now(), after).facts
    assert facts == shown(of, **raw).facts
    works[place] = after
    assert of.work.button(now()) == begin


def test_the_estimator_says_that_two_processes_find_other_models(run_page):
    app = run_page("explore", explore_view="Search")
    items = [item.value for item in app.caption]
    assert search.TWO in items
    assert "`--study`" in search.TWO
    app = run_page("explore", explore_view="Search", search_by="random")
    assert search.TWO not in [item.value for item in app.caption]


def test_other_axes_do_not_keep_the_zoom():
    of = view("explore", "Map")
    zooms = [
        shown(of, **SMALL, map_y=up).panels()[0].zoom
        for up in ("none", "learning_rate")
    ]
    assert zooms == ["g", "g and learning_rate"]


def test_an_empty_cell_under_the_pointer_is_trained_next():
    of = view("explore", "Map")
    chosen = values(of, **SMALL)
    study = of.work.study(chosen)
    while study.done < 6:
        next(study)
    (panel, *_) = of.show(chosen, study).panels()
    empty = np.reshape(panel.picture.data[0]["meta"]["empty"], (5, 5)).T
    result = _setup.map_of(study)
    assert {tuple(at) for at in np.argwhere(~empty)} == set(result.places)
    assert panel.on_hover("map", 7, 2.0, 2.0) == {}
    next(study)
    assert _setup.map_of(study).places.keys() - result.places.keys() == {(2, 2)}
    for _ in study:
        pass
    (panel, *_) = of.show(chosen, study).panels()
    assert panel.on_hover is None
    assert not any(panel.picture.data[0]["meta"]["empty"])


def test_the_ranking_of_a_query_follows_the_pointer():
    of = view("explore", "Map")
    chosen = values(of, **SMALL)
    study = of.work.study(chosen)
    while study.done < 7:
        next(study)
    result = _setup.map_of(study)
    (tiles,) = blocks(of.show(chosen, study), Tiles)
    query = result.plan.splits.valid.query(0)
    for cell, ranking in zip(result.cells, tiles.follows.rankings, strict=True):
        scores = query.X @ cell.rows[0].coef
        order = np.argsort(-scores, kind="stable")
        assert list(ranking.documents) == [query.doc_names[n] for n in order]
    assert tiles.follows.rankings[tiles.follows.at] is tiles.ranking
    assert result.cells[tiles.follows.at] == result.best


def test_every_cell_opens_its_best_run_in_train():
    of = view("explore", "Map")
    raw = {"algorithm": "ApproxNDCG", "map_seeds": 3, "map_y": "none"}
    chosen = values(of, **SMALL, **raw)
    study = studied(of, chosen)
    value, result = _setup.map_of(study), of.show(chosen, study)
    (table,) = blocks(result, Table)
    best = [value.best_row(cell).cell.seed for cell in value.cells]
    assert len(set(best)) > 1
    assert [link.settings["seed"] for link in table.links] == best
    axis = value.plan.axes[0].name
    assert [link.settings[f"ApproxNDCG.{axis}"] for link in table.links] == [
        row[axis] for row in table.rows
    ]
    # The first click selects, also the cell that is in focus already.
    at = value.cells.index(value.best)
    click = result.panels()[0].on_click
    assert click("map", at, at, 0.5) == {"map_cell": str(at)}
    again = of.show(values(of, **SMALL, **raw, map_cell=str(at)), study)
    click = again.panels()[0].on_click
    assert click("map", at, at, 0.5) == table.links[at]
    assert click("map", 0, (at + 1) % 5, 0.5) == {"map_cell": str((at + 1) % 5)}


def test_a_map_over_folds_is_shown_tested_and_written_in_python():
    of = view("explore", "Map")
    chosen = values(of, **SMALL, map_folds="3", map_y="none", map_seeds=2)
    study, names = studied(of, chosen), {}
    value = _setup.map_of(study)
    assert study.done == _setup.runs(chosen) == 5 * 3 * 2
    result = of.show(chosen, study)
    exec(result.python, names)
    rows = list(names["found"].rows.values())
    assert sorted(row.valid["nDCG@10"] for row in rows) == sorted(
        row.valid["nDCG@10"] for row in study.found
    )
    (tiles,) = blocks(result, Tiles)
    # The first query is held out in one of the folds, whose models rank it.
    (fold,) = [
        k for k, outcome in value.plan.data.items() if tiles.title in titles(outcome)
    ]
    row = value.best_row(value.best, fold)
    assert tiles.ranking.scores[0] == max(
        value.plan.data[fold].valid.query(0).X @ row.coef
    )
    trade = view("explore", "Trade-offs")
    tested = trade.show(values(trade, **chosen), study)
    (export,) = blocks(tested, TakeModel)
    splits = value.plan.splits
    model = export.model()
    run = drive(
        type(model)(**model.get_params()), splits.train, splits.valid,
        stop=Stop(max_iterations=2), schedule=every(1),
    )  # fmt: skip
    list(run)
    np.testing.assert_array_equal(model.coef_, run.best.coef)
    assert [fact for fact in tested.facts if fact.meaning.startswith("Test")]
    many = values(of, data="toy-2d", map_folds="5")
    assert of.refusal(many) is None


def titles(splits):
    return [
        query.title for query in map(splits.valid.query, range(splits.valid.n_queries))
    ]


def test_a_model_of_the_front_is_selected_and_exported():
    of = view("explore", "Trade-offs")
    at_first = shown(of, **SMALL)
    table, left_out = blocks(at_first, Table)
    assert left_out.rows[0]["reason for exclusion"] == "ranks nothing"
    measure = next(name for name in table.rows[0] if name.startswith("Validation"))
    every = at_first.panels()[0].picture.numbers()
    at = front([r[measure] for r in every], [r["features kept"] for r in every])
    assert table.rows == [every[number] for number in at]
    chosen = table.on_choose(len(at) - 1)
    assert chosen["map_rule"] == "selected"
    result = shown(of, **SMALL, **chosen)
    (export,) = blocks(result, TakeModel)
    model, row = export.model(), table.rows[-1]
    assert model.g == row["g"]
    assert model.learning_rate == row["learning_rate"]
    assert np.count_nonzero(model.coef_) == row["features kept"]
    # Only a rule may look at test data.
    assert not [fact for fact in result.facts if fact.meaning.startswith("Test")]
    assert [fact for fact in at_first.facts if fact.meaning.startswith("Test")]
    assert export.held_out().split == "valid"
    (by_rule,) = blocks(at_first, TakeModel)
    compared = by_rule.held_out()
    assert (compared.split, compared.measure) == ("test", "nDCG@10")


def test_trade_offs_are_over_the_models_of_the_search_too():
    of, raw = view("explore", "Trade-offs"), {**SMALL, "map_cost": "both"}
    searching = view("explore", "Search")
    searched = studied(
        searching,
        values(searching, data="toy-2d", search_iterations=40, search_models=9),
    )
    places = {"explore/Search/Search": searched}
    chosen = read(of.rows(raw), raw, "light", places.get)
    study = studied(of, chosen)
    result = of.show(chosen, study)
    (panel,) = result.panels()
    rows = panel.picture.numbers()
    (value,) = [
        item.text for item in blocks(result, Caption) if "compared" in item.text
    ]
    assert "9 of the last search" in value
    assert [row["found by"] for row in rows].count("search") == 9
    table, _ = blocks(result, Table)
    measure = next(name for name in rows[0] if name.startswith("Validation"))
    costs = [(row["features kept"], row["seconds"]) for row in rows]
    at = front([row[measure] for row in rows], costs)
    assert table.rows == [rows[number] for number in at]
    taken = panel.on_click("RSRank", len(rows) - 1)
    assert taken == {"map_rule": "selected", "map_taken": "search 9"}
    raw |= taken
    result = of.show(read(of.rows(raw), raw, "light", places.get), study)
    (export,) = blocks(result, TakeModel)
    np.testing.assert_array_equal(export.model().coef_, searched.found[-1].rows[0].coef)
    (link,) = blocks(result, Go)
    assert link.settings["RSRank.max_iter"] == 40
    assert link.settings["RSRank.g"] == searched.found[-1].settings["g"]
    # One that is not there is said, and no other takes its place.
    raw["map_taken"] = "search 99"
    result = of.show(read(of.rows(raw), raw, "light", places.get), study)
    assert any("search 99" in caption.text for caption in blocks(result, Caption))
    assert blocks(result, TakeModel) == blocks(result, Go) == []


def test_trade_offs_are_over_stored_studies_and_runs_of_any_algorithm(tmp_path):
    of, raw = view("explore", "Trade-offs"), {**SMALL, "seed": 4}
    study = studied(of, values(of, **raw))
    train, valid, _ = study.subject.splits
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:
        l2 = {"l2": [0.0, 1e-3, 1.0]}
        ended = Stop(max_iterations=30)
        list(sweep("ListNet", train, valid, l2, stop=ended, store=store))
        list(sweep("ListNet", valid, train, l2, stop=ended, store=store))
        run = drive(get_algorithm("RankNet")(), train, valid, stop=ended)
        with store.recording(run):
            list(run)
        works = {"computed": stored(store, "me")}

        def now(**more):
            settings = raw | more
            return of.show(read(of.rows(settings), settings, "light", works.get), study)

        result = now()
        (panel,) = result.panels()
        rows = panel.picture.numbers()
        counts = Counter(row["algorithm"] for row in rows)
        assert (counts["ListNet"], counts["RankNet"]) == (3, 1)
        names = [trace["name"] for trace in panel.picture.data]
        assert names == ["RSRank", "ListNet", "RankNet", "front", "chosen"]
        (value,) = [b.text for b in blocks(result, Caption) if "compared" in b.text]
        assert "3 of stored studies, 1 of stored runs" in value
        *_, left_out = blocks(result, Table)
        assert any("same name" in row["reason for exclusion"] for row in left_out.rows)
        (export,) = blocks(now(**panel.on_click("RankNet", 0)), TakeModel)
        np.testing.assert_array_equal(export.model().coef_, run.best.coef)
        taken = now(**panel.on_click("ListNet", 2))
        (export,), (go,) = blocks(taken, TakeModel), blocks(taken, Go)
        assert export.model().l2 == go.settings["ListNet.l2"] == 1.0
        assert go.settings["algorithm"] == "ListNet"
        assert go.settings["ListNet.max_iter"] == 30
        # A rule is tested, also where its model must be trained again.
        (test,) = [f for f in now(map_loss=20.0).facts if f.meaning == "Test nDCG@10"]
        assert "95% interval" in test.note


def test_a_search_alone_is_on_the_front_of_its_settings(
    run_page, drawn, monkeypatch, tmp_path
):
    # Runs that other tests keep would stand beside it.
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path}/runs.sqlite")
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    link = {"data": "toy-2d", "algorithm": "ListNet", "search_over": "l2"}
    link |= {"search_models": "5", "search_iterations": "3"}
    app = run_page("explore", explore_view="Search", **link)
    app.button(key="study_start").click().run()
    assert registry.registry().get(app.query_params["job"]).wait(60)

    def front_of(**more):
        app.query_params.clear()
        app.query_params.update({"explore_view": "Trade-offs", **link, **more})
        app.run()
        assert not app.exception
        assert app.button(key="study_start").label.startswith("Train ")
        result = " ".join(item.value for item in app.caption)
        figures = drawn(app)
        return figures and figures["trade_offs"]["data"][0]["name"], result

    name, result = front_of()
    assert name == "ListNet"
    assert "5 models compared: 5 of the last search." in result
    assert "Example" not in result
    _, result = front_of(algorithm="RSRank", map_iterations="2", map_y="none")
    assert "5 models compared" in result
    # A map of other settings is one of those that are looked at.
    app.button(key="study_start").click().run()
    job = registry.registry().get(app.query_params["job"])
    assert job.wait(60)
    figures, result = front_of(data="toy-3d")
    assert not figures
    assert "Example" not in result
    assert "Settings changed" not in result
    _, result = front_of(map_iterations="7")
    assert re.search(r"\d of the last map, 5 of the last search", result)
    assert "Settings changed" not in result


def test_stored_models_need_no_map_to_be_chosen_tested_and_exported(tmp_path):
    of, raw = view("explore", "Trade-offs"), {"data": "toy-2d", "algorithm": "ListNet"}
    train, valid, _ = _setup.plan(values(of, **raw)).splits
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:
        few = Stop(max_iterations=5)
        list(sweep("ListNet", train, valid, {"l2": [0.0, 1.0]}, stop=few, store=store))
        works = {"computed": stored(store, "me")}
        result = of.show(read(of.rows(raw), raw, "light", works.get), None)
    assert [f.meaning for f in result.facts][-1].startswith("Test")
    (export,) = blocks(result, TakeModel)
    assert export.model().l2 in (0.0, 1.0)
    assert (result.python, export.held_out().split) == ("", "test")
    assert not of.show(values(of, **raw), None).blocks


def test_the_search_tests_the_best_model_alone():
    of = view("explore", "Search")
    small = {"data": "toy-2d", "search_iterations": 3, "search_models": 9}
    best = shown(of, **small)
    (table,) = blocks(best, Table)
    assert table.on_choose(0) != table.on_choose(3)
    other = shown(of, **small, **table.on_choose(3))
    tests = [
        [fact.number for fact in item.facts if fact.meaning.startswith("Test")]
        for item in (best, other)
    ]
    assert len(tests[0]) == 1
    assert tests[0] == tests[1]
    assert "Selected" in [fact.meaning for fact in other.facts]


def titled(found):
    return {panel.key: panel for panel in found.panels()}


def test_a_brush_filters_importance_contours_and_the_table():
    of = view("explore", "Search")
    small = {"data": "toy-2d", "search_iterations": 3, "search_models": 24}
    chosen = values(of, **small)
    study = studied(of, chosen)
    every = of.show(chosen, study)
    (trace,) = titled(every)["search_models"].picture.data
    rate = next(d for d in trace["dimensions"] if d["name"] == "learning_rate")
    middle = float(np.median(rate["values"]))
    brushed = titled(every)["search_models"].on_brush(
        {"learning_rate": [[middle, 1.0]], "g": []}
    )
    assert list(brushed) == ["search_brush"]
    some = of.show(values(of, **small, **brushed), study)
    (table,) = blocks(some, Table)
    numbers = [n + 1 for n, at in enumerate(rate["values"]) if at >= middle]
    assert sorted(row["number"] for row in table.rows) == numbers
    assert table.on_choose(0) == {"search_model": str(table.rows[0]["number"] - 1)}
    words = f"{len(numbers)} of 24 models, as brushed"
    assert table.note.startswith(words)
    for key in ("search_importance", "search_contour"):
        before, after = titled(every)[key], titled(some)[key]
        assert words in after.note
        assert words not in before.note
        numbers_of = before.picture.data[0], after.picture.data[0]
        name = "x" if key == "search_importance" else "z"
        assert not np.array_equal(*(t[name] for t in numbers_of), equal_nan=True)
    # The browser fades the points of the other models, which it finds by number.
    points = [titled(f)["search_contour"].picture.data[1]["x"] for f in (every, some)]
    assert len(points[0]) == len(points[1]) == 24
    (trace,) = titled(some)["search_models"].picture.data
    ranges = [item.get("constraintrange") for item in trace["dimensions"]]
    assert sum(item is not None for item in ranges) == 1
    assert [fact.number for fact in some.facts] == [f.number for f in every.facts]
    best = [fact for fact in some.facts if "of all models" in fact.meaning + fact.note]
    assert [fact.meaning.split()[0] for fact in best] == ["Best", "Features", "Test"]
    (act,) = blocks(some, Act)
    assert act.changes == {"search_brush": ""}
    assert not blocks(every, Act)


def test_a_brush_with_few_models_or_none_says_so():
    of = view("explore", "Search")
    small = {"data": "toy-2d", "search_iterations": 3, "search_models": 24}
    study = studied(of, values(of, **small))
    seconds = sorted(one.seconds for one in study.found)
    few = f"seconds:0..{(seconds[2] + seconds[3]) / 2!r}"
    for brush, count in ((few, "3"), ("seconds:-2..-1", "none")):
        result = of.show(values(of, **small, search_brush=brush), study)
        assert list(titled(result)) == [
            "search_models", "search_progress", "search_slices"
        ]  # fmt: skip
        above, *texts = [caption.text for caption in blocks(result, Caption)]
        assert above == found_search(study.subject, study.found).optimism
        assert texts[0] == (
            "Importance and contours need 8 complete models; the brush contains "
            f"{count}."
        )
        assert texts[1:] == (
            ["No model is inside the brush."] if count == "none" else []
        )
        assert [len(item.rows) for item in blocks(result, Table)] == (
            [] if count == "none" else [3]
        )


def test_brushed_models_on_a_line_have_no_contours():
    of = view("explore", "Search")
    small = {
        "data": "toy-2d", "search_iterations": 3, "search_by": "grid",
        "search_models": 64, "search_over": ("g", "learning_rate"),
    }  # fmt: skip
    study = studied(of, values(of, **small))
    every = of.show(values(of, **small), study)
    assert "search_contour" in titled(every)
    (trace,) = titled(every)["search_models"].picture.data
    at = trace["dimensions"][0]["values"][0]
    line = values(of, **small, search_brush=f"g:{at - 1e-6}..{at + 1e-6}")
    result = of.show(line, study)
    assert "search_contour" not in titled(result)
    assert "search_importance" in titled(result)
    captions = [caption.text for caption in blocks(result, Caption)]
    assert captions == [found_search(study.subject, study.found).optimism, search.FLAT]


def test_a_text_that_is_no_brush_does_not_count():
    of = view("explore", "Search")
    (row,) = [row for row in of.rows({}) if row.key == "search_brush"]
    with pytest.raises(ValueError, match=r"cannot be 'g:1..0'. Write ranges"):
        row.parse("g:1..0")
    assert values(of, search_brush="g:1..0").search_brush == ""


def test_the_search_has_a_budget_in_seconds():
    of = view("explore", "Search")
    wanted = [search.plan(values(of, search_seconds=n)).max_seconds for n in (0, 30)]
    assert wanted == [None, 30.0]


def test_the_search_in_python_finds_the_same():
    of = view("explore", "Search")
    result = values(of, data="toy-2d", search_iterations=3, search_models=4)
    study, names = studied(of, result), {}
    exec(of.show(result, study).python, names)
    reached = [one.value for one in study.found]
    assert [one.value for one in names["found"].candidates] == reached


def test_the_sensitivity_in_python_finds_the_same():
    of = view("explore", "Sensitivity")
    result = values(of, data="toy-2d", vary="seeds", vary_iterations=2)
    study, names = studied(of, result), {}
    exec(of.show(result, study).python, names)
    reached = [one.valid for one in study.found]
    assert [one.valid for one in names["study"].found] == reached
