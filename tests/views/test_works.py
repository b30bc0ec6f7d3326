"""A view with several works, one of them chosen by a setting."""

from types import MappingProxyType

import pytest

from pages.ui.catalogue import place
from rankcore.studies import Study
from rankcore.views import Choice, Number, Page, Shown, View, Work, read
from rankcore.views import page as views

KIND = Choice("kind", "short", "Kind", names=("short", "long"))
COUNT = Number("count", 3, "Count", low=1, high=9, whole=True)
SHADE = Number("shade", 0, "Shade", low=0, high=9, whole=True, studied=False)
ROWS = [KIND, COUNT, SHADE]


def made(values):
    return Study((n for n in range(values["count"])), values["count"], "numbers")


SHORT = Work(made, "Count", "It counts.", name="short")
LONG = Work(
    made,
    "Count all",
    "It counts for longer.",
    name="long",
    settings=("kind", "shade"),
    refuses=lambda values: "Too dark." if values.shade > 5 else None,
)
WORKS = {work.name: work for work in (SHORT, LONG)}
SEVERAL = View(
    "Several", "", ROWS, lambda v, s: Shown(), work=lambda values: WORKS[values.kind]
)
ONE = View("One", "", ROWS, lambda v, s: Shown(), work=SHORT)
NONE = View("None", "", ROWS, lambda v: Shown())
FULL = View("Full", "", ROWS, lambda v: Shown(), refuses=lambda values: "No.")


@pytest.fixture
def place_of(monkeypatch):
    """The place of a view that is alone on its page."""

    def of(view, **raw):
        only = MappingProxyType({view.name: view})
        monkeypatch.setattr(views, "_views", lambda package, order: only)
        return place(Page("pages.views.counts", "Counts", ""), raw)

    return of


def test_a_setting_chooses_the_work():
    assert SEVERAL.work_for(read(ROWS, {})) is SHORT
    assert SEVERAL.work_for(read(ROWS, {"kind": "long"})) is LONG
    assert ONE.work_for(read(ROWS, {"kind": "long"})) is SHORT
    assert NONE.work_for(read(ROWS, {})) is None


def test_each_work_has_a_place_of_its_own(place_of):
    assert place_of(SEVERAL) == "counts/Several/short"
    assert place_of(SEVERAL, kind="long") == "counts/Several/long"
    assert place_of(NONE) == "counts/None"


def test_a_study_depends_on_the_settings_that_its_work_names():
    raw = {"kind": "long", "count": 5, "shade": 2}
    values = read(ROWS, raw)
    assert SEVERAL.studied(values, raw) == {"kind": "long", "shade": 2}
    assert ONE.studied(values, raw) == {"kind": "long", "count": 5}


def test_a_work_may_refuse_where_its_view_does_not():
    dark = read(ROWS, {"kind": "long", "shade": 7})
    assert SEVERAL.refusal(dark) is None
    assert SEVERAL.no_study(dark) == "Too dark."
    assert SEVERAL.no_study(dark | {"kind": "short"}) is None
    assert SEVERAL.no_study(read(ROWS, {"kind": "long"})) is None
    assert FULL.no_study(dark) == "No."


def test_the_names_that_a_choice_may_give_can_be_a_function():
    row = Choice("x", "a", "X", names=lambda values: ["a"], every=lambda: ("a", "b"))
    assert row.check("b") == "b"
    with pytest.raises(ValueError, match="one of a, b, not 'c'"):
        row.check("c")
