"""Examples that ship with the app: every empty view has one, and it is current."""

import dataclasses
import json
import math
import re
from datetime import date

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.catalogue import pages, place_of
from pages.ui.data import datasets
from pages.views.explore import _setup
from rankcore.data.readers import Splits
from rankcore.mathematics.arithmetic import deviation
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop
from rankcore.training.run import _CONVERGED
from rankcore.views import (
    Ask,
    Caption,
    Choice,
    Go,
    Shown,
    Table,
    TakeModel,
    Tiles,
    Training,
    Watched,
    read,
)
from rankcore.views.blocks import columns, flat
from rankcore.views.stored import _place as stored_place
from rankcore.views.stored import pack, plain, settings_text, unpack
from tests.soaking import soak, spread
from tests.viewing import page, shown, values, view

# A view whose study takes seconds is computed again by `make soak` only, but for one.
SMALL = "explore-map-ranksvm"
SLOW = (
    "Race", "Along training", "Compare rules", "One path",
    "Curves and differences", "Map",
    "Trade-offs", "Search", "Sensitivity", "Trained on × tested on",
    "Learning from clicks",
)  # fmt: skip
# How far numbers may be apart on a processor that rounds otherwise than all others.
CLOSE = 1e-4


def test_examples_say_as_today_that_an_algorithm_has_converged():
    texts = [path.read_text("utf-8") for path in examples.FOLDER.glob("*.json")]
    items = {
        reason
        for text in texts
        for reason in re.findall(r"The algorithm has converged[^\"]*", text)
    }
    assert items == {_CONVERGED}


def read_file(own):
    return json.loads(own.path.read_text("utf-8"))


def slow(own):
    return own.view.name in SLOW and own.path.stem != SMALL


STORED = [
    own
    for page in pages().values()
    for view in page.views.values()
    for own in (examples.Example(page, view, name) for name in ("", *view.shipped))
    if own.path.is_file()
]
BEGUN = [own for own in STORED if "found" in read_file(own)]
EACH = [pytest.param(own, id=own.path.stem) for own in STORED]
MAPS = [param for param in EACH if param.values[0].view.name == "Map"]
CASES = [
    pytest.param(
        own,
        id=own.path.stem,
        marks=[pytest.mark.soak] if slow(own) else [],
    )
    for own in STORED
]


def differences(made, stored, where=""):
    """Places where two JSON values differ."""
    if isinstance(made, dict) and isinstance(stored, dict):
        # How long training took is not the same twice, nor is an axis of it.
        if made.get("label") == stored.get("label") == "seconds":
            return
        for key in (made.keys() | stored.keys()) - {"seconds", "date"}:
            yield from differences(made.get(key), stored.get(key), f"{where}.{key}")
    elif isinstance(made, list) and isinstance(stored, list):
        if len(made) != len(stored):
            yield f"{where}: {len(made)} and {len(stored)} items"
        for n, pair in enumerate(zip(made, stored, strict=False)):
            yield from differences(*pair, f"{where}[{n}]")
    elif isinstance(made, float) and isinstance(stored, float):
        close = deviation() and math.isclose(made, stored, rel_tol=CLOSE, abs_tol=1e-9)
        if made != stored and not close:
            yield f"{where}: {made} and {stored}"
    elif made != stored:
        yield f"{where}: {made!r} and {stored!r}"


def test_every_view_that_is_empty_before_its_study_has_one():
    paths = [item.path for item in examples.every()]
    wanted = set(paths)
    assert len(wanted) == len(paths) >= 7
    assert set(examples.FOLDER.glob("*.json")) == wanted


@pytest.mark.parametrize("own", CASES)
def test_it_is_what_the_study_finds_now(own):
    made = json.loads(json.dumps(own.computed()))
    assert list(differences(made, read_file(own)))[:5] == [], "run make examples"


@pytest.mark.parametrize("own", BEGUN, ids=lambda own: own.path.stem)
def test_findings_are_stored_in_an_order_that_times_do_not_change(own):
    result = read_file(own)["found"]
    others = [one | {"seconds": number} for number, one in enumerate(result[::-1])]
    places = [stored_place(one) for one in result]
    assert places == [stored_place(one) for one in sorted(others, key=stored_place)]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("own", EACH)
def test_it_is_stored_with_the_settings_of_now(own):
    assert read_file(own)["settings"] == settings_text(own.view, own.raw)


@pytest.mark.parametrize("own", EACH)
def test_the_status_line_says_that_it_is_one(own):
    values = read(own.view.rows(own.raw), own.raw)
    work = own.view.work_for(values)
    announced = examples.announced(own.page, own.view, work, values)
    stored = read_file(own)
    when = "beforehand"
    if "date" in stored:
        day = date.fromisoformat(stored["date"])
        assert date(2026, 1, 1) <= day
        when = f"on {day.day} {day:%B} {day.year}"
    words = f"computed {when}."
    if isinstance(work, Training):
        assert announced.example == f"C{words[1:]}"
    else:
        assert announced.promise == f"**Example**, {words}"


def opening(name, of, raw):
    """The values of a view of a page that has just been opened, but for these."""
    raw = {**page(name).opening, **raw}
    return read(of.rows(raw), raw)


def opened(of, raw, name="explore"):
    """What a view opens on beside these settings, by default one of Explore."""
    return examples.example(page(name), of, opening(name, of, raw))


def shown_of(of, raw):
    """What such a view of Explore shows."""
    return opened(of, raw).show(opening("explore", of, raw))


def test_the_settings_of_a_shipped_preset_open_on_its_map():
    of = view("explore", "Map")
    assert 4 <= len(of.shipped) == len(MAPS) - 1
    assert all(item.path.stat().st_size < 750_000 for item in BEGUN)
    first = opened(of, {}).study
    assert first.subject.splits.train.name.startswith("planted-900")
    for param in MAPS[1:]:
        raw = param.values[0].raw
        study = opened(of, raw).study
        assert study.ended
        assert study.done == study.total == len(read_file(param.values[0])["found"])
        assert study is not first
        assert study.subject.over == _setup.plan(read(of.rows(raw), raw)).over
        # What does not change the models does not matter; another seed does.
        assert opened(of, raw | {"map_cell": "1"}).study is study
        assert opened(of, raw | {"seed": 1}) is None


def test_a_preset_after_any_other_opens_on_its_map():
    of = view("explore", "Map")
    presets, raw = of.scenarios(), {}
    for name in [*presets, *reversed(presets)]:
        raw |= presets[name]
        result = opened(of, raw)
        assert (result is not None) == (name in of.shipped)
        assert result is None or result.study is opened(of, presets[name]).study


@pytest.mark.parametrize("own", BEGUN, ids=lambda own: own.path.stem)
def test_an_example_is_a_study_that_has_ended(own):
    """Everything on it is there as after one's own: clicks, links, rankings, Python."""
    values = read(own.view.rows(own.raw), own.raw)
    result = opened(own.view, own.raw, own.page.name)
    study = own.view.work_for(values).study(values)
    study.recall(result.study.found, result.study.reason)
    there, after = result.show(values), own.view.show(values, study)
    assert there.facts == after.facts
    assert there.python == after.python
    assert there.files.keys() == after.files.keys()
    assert kinds(there) == kinds(after)
    if own.page.name == "explore":
        assert there.python
        assert Go in kinds(there)
    if own.view.name == "Map":
        assert Tiles in kinds(there)
        (table,) = (block for block in flat(there.blocks) if isinstance(block, Table))
        assert len(table.links) == len(table.rows) == study.total
        at = [study.subject.shape[0] - 1, *(0 for _ in study.subject.shape[1:])]
        (panel, *_) = there.panels()
        selected = panel.on_click("map", 0, *map(float, [*at, 0.5]))
        assert selected == {"map_cell": ",".join(map(str, at))}
        again = result.show(values | selected).panels()[0]
        assert isinstance(again.on_click("map", 0, *map(float, [*at, 0.5])), Go)


def test_the_example_of_training_is_the_run_that_play_would_make():
    """It opens beside its own settings only; everything on it works."""
    value = view("train", "Run")
    example = examples.example(page("train"), value, values(value))
    run = value.work.run(values(value), None)
    list(run)
    result = example.study.run
    assert (result.reason, len(result.history)) == (run.reason, len(run.history))
    # The example has ten digits.
    close = CLOSE if deviation() else 1e-9
    assert result.best.valid == pytest.approx(run.best.valid, rel=close)
    np.testing.assert_allclose(result.best.coef, run.best.coef, rtol=close)
    watched = Watched("1", "RSRank", "finished", {}, run)
    before, after = value.show(values(value), watched), example.show(values(value))
    assert kinds(before) == kinds(after)
    assert {Tiles, TakeModel, Ask} <= set(kinds(after))
    for old, new in zip(before.panels(), after.panels(), strict=True):
        assert new.picture.alt == old.picture.alt
    changed = values(value, algorithm="ListNet")
    assert examples.example(page("train"), value, changed) is None


def test_the_example_of_training_has_a_test_part_where_data_was_read_again(monkeypatch):
    result = view("train", "Run")
    now = values(result, part="test")
    before = pack(examples.example(page("train"), result, now).show(now))
    again = Splits(*map(dataclasses.replace, datasets.of(now)))
    monkeypatch.setattr(datasets, "_scaled", lambda *_: again)
    assert pack(examples.example(page("train"), result, now).show(now)) == before


OPENING = [
    pytest.param(page_of, of, id=f"{page_of.name}-{of.name}")
    for page_of in pages().values()
    for of in page_of.views.values()
    if opened(of, {}, page_of.name) is not None
]


def test_every_page_that_has_examples_opens_on_them():
    """All views of such a page but those that draw without a study."""
    assert len(OPENING) >= len({(item.page.name, item.view.name) for item in STORED})


@pytest.mark.parametrize("most", [3, soak(None)])
@pytest.mark.parametrize(("page_of", "of"), OPENING)
def test_an_example_stands_beside_its_own_data_and_settings_only(page_of, of, most):
    def studied(raw):
        now = opening(page_of.name, of, raw)
        return of.studied(now, now)

    def place(view, raw):
        return place_of(page_of, view, opening(page_of.name, view, raw))

    usual, here = opening(page_of.name, of, {}), place(of, {})
    beside = [one for one in STORED if one.page is page_of]
    items = [studied(one.raw) for one in beside if place(one.view, one.raw) == here]
    ends = {row.key: row.examples(usual) for row in of.rows(usual)}
    ends["data"] = tuple(datasets.infos())
    assert ends.keys() & studied({}).keys() >= {"data"}
    for key in ends.keys() & studied({}).keys():
        for raw in ({key: value} for value in spread(ends[key], most)):
            result = opened(of, raw, page_of.name)
            assert (result is not None) == (studied(raw) in items), raw


@pytest.mark.parametrize(("page_of", "of"), OPENING)
def test_presets_and_choices_that_need_no_training_change_an_example(page_of, of):
    def seen(now):
        return examples.example(page_of, of, now).show(now)

    usual = opening(page_of.name, of, {})
    first = seen(usual)
    items = [block for block in flat(first.blocks) if isinstance(block, Ask)]
    rows = [row for block in items for row in block.settings]
    if examples.example(page_of, of, usual).study is not None:
        rows += [row for row in of.rows({}) if not row.inline and row.matters(usual)]
    chosen = [
        {row.key: name}
        for row in rows
        if type(row) is Choice
        for name in row.labels(usual)
    ]
    for raw in [*of.scenarios().values(), *chosen]:
        now = opening(page_of.name, of, raw)
        same_models = of.studied(now, raw) == of.studied(usual, {})
        if same_models and any(now[key] != usual[key] for key in raw):
            assert pack(seen(now)) != pack(first), raw


def test_all_views_of_compare_open_on_one_study_with_all_that_it_gives_away():
    items = [opened(of, {}, "compare") for of in page("compare").views.values()]
    assert len({id(one.study) for one in items}) == 1
    for of, one in zip(page("compare").views.values(), items, strict=True):
        files = one.show(opening("compare", of, {})).files
        assert [*files] == ["comparison.tex", "comparison.md", "rankings-trec.zip"]
        assert all(make() for make in files.values())


def kinds(shown):
    return [type(block) for block in flat(shown.blocks)]


def test_each_preset_of_trade_offs_chooses_a_model_of_its_example():
    of = view("explore", "Trade-offs")
    usual = shown_of(of, {}).facts
    for name, raw in of.scenarios().items():
        few, number = shown_of(of, raw).facts, re.search(r"\d+ features", name)
        result = next(float(f.number) for f in few if f.meaning == "Features kept")
        assert 1 <= result <= (float(number[0].split()[0]) if number else 136), name
        assert any(fact.meaning.startswith("Test") for fact in few)
        assert {Ask, Go, TakeModel} <= set(kinds(shown_of(of, raw)))
    assert usual == shown_of(of, of.scenarios()["At most 1% loss"]).facts
    numbers = {fact.meaning: fact.number for fact in usual}
    chosen, best = (float(numbers[f"{which} nDCG@10"]) for which in ("Chosen", "Best"))
    # To three digits.
    assert 0.99 * best - 0.001 < chosen < best


def test_a_rule_that_no_model_keeps_chooses_none_and_says_so():
    of = view("explore", "Trade-offs")
    raw = {"map_rule": "features", "map_most": 4}
    result = shown_of(of, raw)
    items = [block.text for block in flat(result.blocks) if isinstance(block, Caption)]
    assert any(
        text.startswith(
            "None of the 81 models keeps at most 4 features. The smallest keeps 5:"
        )
        for text in items
    )
    assert [fact.meaning for fact in result.facts] == ["Best nDCG@10"]


def test_the_page_draws_the_controls_of_an_example(run_page):
    """Beside its models are those that a command has put in the store."""
    train, valid, _ = opened(view("explore", "Map"), {}).study.subject.splits
    with open_store() as store:
        few = Stop(max_iterations=1)
        list(sweep("ListNet", train, valid, {"l2": [0.5]}, stop=few, store=store))
    link = {"explore_view": "Trade-offs", "map_rule": "features"}
    app = run_page("explore", **page("explore").opening, **link)
    assert not app.exception
    assert any(" of stored studies" in caption.value for caption in app.caption)
    assert [item.label for item in app.number_input][-1] == "Maximum features"
    assert [item.label for item in app.button if item.key == "study_start"]


@pytest.mark.parametrize("own", MAPS)
def test_some_cells_of_a_stored_map_are_what_training_finds_now(own):
    plan = _setup.plan(read(own.view.rows(own.raw), own.raw))
    rows = opened(own.view, own.raw).study.found
    for before in (rows[0], rows[len(rows) // 2]):
        (row,) = sweep(
            plan.ranker, plan.data, None, {n: [v] for n, v in before.cell.settings},
            measures=(plan.measure,), rules=plan.rules,
            stop=Stop(max_iterations=plan.max_iterations),
            measured_every=plan.measured_every,
        )  # fmt: skip
        close = CLOSE if deviation() else 0.0
        np.testing.assert_allclose(row.coef, before.coef, rtol=close)
        assert row.valid == pytest.approx(before.valid, rel=close)
        assert row.nonzeros == before.nonzeros


def test_a_view_without_one_keeps_its_promise():
    page_of, view_of = page("approximation"), view("approximation", "Landscape")
    values = read(view_of.rows({}), {})
    assert examples.announced(page_of, view_of, view_of.work, values) is view_of.work


def test_a_difference_is_noticed():
    assert list(differences({"x": [1.0]}, {"x": [1.001]})) == [".x[0]: 1.0 and 1.001"]
    assert list(differences({"x": [1.0]}, {"x": [1.0], "y": "a"}))
    assert list(differences({"x": [1.0]}, {"x": [1.0 + 1e-15]}))


def test_facts_figures_and_tables_come_back_from_a_file():
    before = shown(view("cones", "Geometry"), cone_source="any data set", data="toy-2d")
    after = unpack(json.loads(json.dumps(pack(before))))
    assert list(after.facts) == [tuple(fact) for fact in before.facts]
    assert [p.title for p in after.panels()] == [p.title for p in before.panels()]
    for old, new in zip(before.panels(), after.panels(), strict=True):
        assert new.picture.alt == old.picture.alt
        assert new.on_drag is None
        assert new.picture.numbers() == plain(columns(old.picture.numbers()))


def test_rows_with_different_columns_become_columns():
    assert columns([{"a": 1}, {"b": 2}]) == {"a": [1, None], "b": [None, 2]}
    assert columns(None) == {}


def test_numbers_that_are_not_finite_become_none():
    assert plain([1 / 3, math.inf, math.nan, 2]) == [0.333333, None, None, 2]


def test_a_table_is_kept_with_its_rows():
    table = Table("t", "Title", "note", [{"a": 1.0}])
    assert unpack(pack(Shown([], [table]))).blocks[0].rows == {"a": [1.0]}


def test_the_page_opens_on_it_and_says_so(run_page, drawn):
    app = run_page("sparsity")
    assert not app.exception
    items = [caption.value for caption in app.caption]
    assert any(text.startswith("**Example**, computed on ") for text in items)
    assert drawn(app)

    app.selectbox(key="data#0").set_value("planted-900").run()
    assert not drawn(app)
    assert not any("Example" in caption.value for caption in app.caption)
    assert app.button(key="study_start").label == "Train 12 models"


def test_examples_are_made_by_name(monkeypatch, tmp_path):
    computed = []

    def compute(own):
        computed.append(own.path.stem)
        return {}

    name = next(examples.every()).path.stem
    monkeypatch.setattr(examples, "FOLDER", tmp_path)
    monkeypatch.setattr(examples.Example, "computed", compute)
    examples.make([name])
    assert computed == [name]
    assert [file.stem for file in tmp_path.iterdir()] == [name]
    with pytest.raises(ValueError, match="no example 'nobody'"):
        examples.make(["nobody"])
