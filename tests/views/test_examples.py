"""Examples that ship with the app: every empty view has one, and it is current."""

import json
import math
from datetime import date

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.catalogue import pages
from pages.views.explore import _setup
from rankcore.sweeps import sweep
from rankcore.training import Stop
from rankcore.views import Shown, Table, read
from rankcore.views.stored import columns, pack, plain, said, unpack
from tests.viewing import page, shown, view

# A view whose study takes seconds is computed again by `make soak` only.
SLOW = (
    "Race", "Along training", "Quality and K", "Compare rules", "One path",
    "Curves and differences", "Each query", "Slices", "Models", "Cost", "Map",
    "Trade-offs", "Search", "Sensitivity",
)  # fmt: skip
STORED = [
    own
    for page in pages().values()
    for view in page.views.values()
    for own in (examples.Example(page, view, name) for name in ("", *view.shipped))
    if own.path.is_file()
]
EACH = [pytest.param(own, id=own.path.stem) for own in STORED]
MAPS = [param for param in EACH if param.values[0].view.name == "Map"]
CASES = [
    pytest.param(
        own,
        id=own.path.stem,
        marks=[pytest.mark.soak] if own.view.name in SLOW else [],
    )
    for own in STORED
]


def read_file(own):
    return json.loads(own.path.read_text("utf-8"))


def differences(made, stored, where=""):
    """Places where two JSON values differ by more than the last digits."""
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
        if not math.isclose(made, stored, rel_tol=1e-4, abs_tol=1e-9):
            yield f"{where}: {made} and {stored}"
    elif made != stored:
        yield f"{where}: {made!r} and {stored!r}"


def test_every_view_that_is_empty_before_its_study_has_one():
    paths = [own.path for own in examples.every()]
    wanted = set(paths)
    assert len(wanted) == len(paths) >= 7
    assert set(examples.FOLDER.glob("*.json")) == wanted


@pytest.mark.parametrize("own", CASES)
def test_it_is_what_the_study_finds_now(own):
    made = json.loads(json.dumps(own.computed()))
    assert list(differences(made, read_file(own)))[:5] == [], "run make examples"


@pytest.mark.parametrize("own", EACH)
def test_it_is_stored_with_the_settings_of_now(own):
    assert read_file(own)["settings"] == said(own.view, own.raw)


@pytest.mark.parametrize("own", EACH)
def test_the_status_line_says_that_it_is_one(own):
    values = read(own.view.rows(own.raw), own.raw)
    work = own.view.work_for(values)
    promise = examples.announced(own.page, own.view, work, values).promise
    stored = read_file(own)
    when = "beforehand"
    if "date" in stored:
        day = date.fromisoformat(stored["date"])
        assert date(2026, 1, 1) <= day
        when = f"on {day.day} {day:%B} {day.year}"
    assert promise == f"**Example**, computed {when}. {said(own.view, own.raw)}"


def test_the_examples_of_explore_are_dated():
    for own in page("explore").views.values():
        stored = read_file(examples.Example(page("explore"), own))
        assert date.fromisoformat(stored["date"])


def test_the_settings_of_a_shipped_preset_open_on_its_map():
    explore, of = page("explore"), view("explore", "Map")
    assert 4 <= len(of.shipped) == len(MAPS) - 1
    sizes = [param.values[0].path.stat().st_size for param in MAPS[1:]]
    assert sum(sizes) < 500_000
    first = examples.example(explore, of, "light", read(of.rows({}), {}))
    assert first.facts == examples.example(explore, of, "light").facts
    for param in MAPS[1:]:
        own = param.values[0]
        values = read(of.rows(own.raw), own.raw)
        found = examples.example(explore, of, "light", values)
        assert found.facts == unpack(read_file(own)["light"]).facts != first.facts
        # What does not change the models does not matter; another seed does.
        looked = values | {"map_cell": "1"}
        assert examples.example(explore, of, "light", looked).facts == found.facts
        other = values | {"seed": 1}
        assert examples.example(explore, of, "light", other).facts == first.facts


def test_a_preset_after_any_other_opens_on_its_map():
    explore, of = page("explore"), view("explore", "Map")
    presets, raw = of.scenarios(), {}
    for name in [*presets, *reversed(presets)]:
        raw |= presets[name]
        found = examples.example(explore, of, "light", read(of.rows(raw), raw))
        own = examples.Example(explore, of, name if name in of.shipped else "")
        assert found.facts == unpack(read_file(own)["light"]).facts


def test_the_page_opens_on_the_map_of_a_preset(run_page):
    own = MAPS[-1].values[0]
    app = run_page("explore", **own.raw)
    assert not app.exception
    said = [caption.value for caption in app.caption]
    assert any(
        text.startswith("**Example**, computed on ") and "Algorithm: Structured" in text
        for text in said
    )


@pytest.mark.parametrize("own", MAPS)
def test_some_cells_of_a_stored_map_are_what_training_finds_now(own):
    of = own.view
    rows = unpack(read_file(own)["light"]).panels()[0].picture.numbers()
    plan = _setup.plan(read(of.rows(own.raw), own.raw))
    names = [own.name for own in plan.axes]
    (measure,) = [name for name in rows if name.endswith(plan.measure)]
    count = len(rows[measure])
    best = int(np.nanargmax(np.array(rows[measure], float)))
    for number in (0, count // 2, best):
        # Stored with six digits, so that the value of the axis is the nearest one.
        settings = {
            axis.name: nearest(axis.values, rows[axis.name][number])
            for axis in plan.axes
        }
        (row,) = sweep(
            plan.ranker, plan.data, None, {n: [settings[n]] for n in names},
            measures=(plan.measure,), rules=plan.rules,
            stop=Stop(max_iterations=plan.max_iterations),
            measured_every=plan.measured_every,
        )  # fmt: skip
        reached = (row.train if plan.split == "train" else row.valid)[plan.measure]
        assert reached == pytest.approx(rows[measure][number], rel=1e-5)
        assert row.nonzeros == rows["features kept"][number]


def nearest(values, stored):
    if isinstance(stored, str):
        return stored
    return min(values, key=lambda value: abs(value - stored))


def test_a_view_without_one_keeps_its_promise():
    page_of, view_of = page("approximation"), view("approximation", "Landscape")
    assert examples.announced(page_of, view_of, view_of.work) is view_of.work


def test_a_difference_is_noticed():
    assert list(differences({"x": [1.0]}, {"x": [1.001]})) == [".x[0]: 1.0 and 1.001"]
    assert list(differences({"x": [1.0]}, {"x": [1.0], "y": "a"}))
    assert not list(differences({"x": [1.0]}, {"x": [1.0 + 1e-9]}))


def test_facts_figures_and_tables_come_back_from_a_file():
    before = shown(view("cones", "Any data"), data="toy-2d")
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


def test_the_page_opens_on_it_and_says_so(run_page):
    app = run_page("sparsity")
    assert not app.exception
    said = [caption.value for caption in app.caption]
    assert any(text.startswith("**Example**, computed on ") for text in said)
