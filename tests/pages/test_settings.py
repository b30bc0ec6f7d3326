"""The table of settings says what the controls of all pages offer."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given, settings

from pages.ui import state
from pages.ui.lesson_files import PAGES
from pages.ui.state import SETTINGS
from rankcore.algorithms import get_algorithm
from rankcore.hyperparameters import hyperparameters
from tests.odd_texts import outcome, texts

# Links that bring every control of a page up.
VIEWS = [
    *(
        ("approximation", {"approx_view": view})
        for view in ("One list", "What is true")
    ),
    ("approximation", {"approx_view": "Along training", "data": "toy-2d"}),
    ("approximation", {"approx_view": "Landscape", "data": "toy-2d"}),
    (
        "approximation",
        {"approx_view": "Landscape", "land_shape": "Line", "data": "toy-2d"},
    ),
    (
        "approximation",
        {"approx_view": "Landscape", "land_shape": "Sphere", "data": "toy-3d"},
    ),
    ("cones", {}),
    ("cones", {"cone_view": "Any data", "data": "toy-3d"}),
    ("cones", {"cone_view": "Quality and K", "data": "toy-2d"}),
    *(
        ("cones", {"cone_view": "What is true", "cone_claim": claim})
        for claim in ("Clipping is a projection", "A cone of few vectors is proper")
    ),
    *(
        ("margins", {"margin_view": view, "data": "toy-2d"})
        for view in ("One query", "C and health", "Trained on × tested on")
    ),
    *(
        ("margins", {"margin_view": "What is true", "margin_claim": claim})
        for claim in (
            "SVMcombo bounds every loss",
            "The values of Δ_mrr",
            "A simple argmax for NDCG",
        )
    ),
    *(
        ("reduction", {"red_view": view, "red_source": "by hand"})
        for view in ("Losses", "Regrets")
    ),
    ("reduction", {"red_source": "a query of the data", "data": "toy-2d"}),
    ("measures", {}),
    ("sparsity", {"data": "toy-2d"}),
    ("train", {"data": "toy-2d"}),
    ("data", {"data": "toy-2d"}),
]
SLIDERS = ("slider", "number_input")
LISTS = ("selectbox", "select_slider", "radio", "segmented_control")
# What these offer depends on the data, or is more than a list.
FREE = {"part", "measure", "approx_alpha", "approx_beta"}


@pytest.mark.parametrize(
    ("name", "link"), VIEWS, ids=[f"{n}-{'-'.join(v.values())}" for n, v in VIEWS]
)
def test_ranges_and_choices_are_those_of_the_controls(run_page, name, link):
    page = run_page(name, **link)
    assert not page.exception
    for kind in (*SLIDERS, *LISTS):
        for widget in page.get(kind):
            row = SETTINGS.get(widget.key)
            if row is None or row.key in FREE:
                continue
            if kind in SLIDERS:
                assert (row.low, row.high) == (widget.min, widget.max), row.key
            else:
                offered = tuple(widget.options)
                assert tuple(map(str, row.choices)) == offered, row.key


@pytest.mark.parametrize("row", SETTINGS.values(), ids=lambda row: row.key)
def test_a_default_is_permitted(row):
    if row.kind in (int, float, str):
        assert row.parse(str(row.default)) == row.default


def test_values_that_no_control_offers_give_the_default():
    assert SETTINGS["alpha"].read("4.5") == SETTINGS["alpha"].default
    assert SETTINGS["cutoff"].read("0") == SETTINGS["cutoff"].default
    assert SETTINGS["approx_beta"].read("-5") == SETTINGS["approx_beta"].default
    assert SETTINGS["approx_alpha"].read("inf") == SETTINGS["approx_alpha"].default
    assert SETTINGS["query"].read("0") == SETTINGS["query"].default
    with pytest.raises(ValueError, match="cutoff must be from 1 to 12"):
        SETTINGS["cutoff"].parse("13")
    with pytest.raises(ValueError, match="axis must be one of log, linear"):
        SETTINGS["axis"].parse("cubic")


@pytest.mark.parametrize("row", SETTINGS.values(), ids=lambda row: row.key)
@given(text=texts)
@settings(max_examples=30)
def test_any_text_is_a_permitted_value_or_gives_the_default(row, text):
    value, sentence = outcome(row.parse, text)
    if sentence is None:
        assert row.read(text) == value
        assert row.kind not in (int, float) or math.isfinite(value)
    else:
        assert sentence.startswith(f"{row.key} must be ")
        assert row.read(text) == row.default


@pytest.mark.parametrize("text", ["9" * 400, "9" * 5000, "1e999", "nan", "٣", "1_0"])
def test_a_link_with_what_is_no_number_opens_the_page(run_page, text):
    names = ("seed", "RSRank.g", "RSRank.max_iter", "RSRank.learning_rate", "measure")
    page = run_page("train", data="toy-2d", **dict.fromkeys(names, text))
    assert not page.exception
    link = {"data": "toy-2d", "query": text, "margin_round": text, "margin_C": text}
    assert not run_page("margins", **link).exception


@pytest.fixture
def session(monkeypatch):
    """A visit whose link, clock and runs are set by hand."""
    found = SimpleNamespace(session_state={}, query_params={}, now=0.0, part=False)
    monkeypatch.setattr(state, "st", found)
    monkeypatch.setattr(state, "runs_a_part", lambda: found.part)
    monkeypatch.setattr(state, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


@pytest.mark.parametrize("part", [True, False])
def test_the_first_look_at_a_setting_takes_it_from_the_link(session, part):
    session.query_params["query"] = "3"
    session.part = part
    assert state.get("query") == 3


@pytest.mark.parametrize(
    ("part", "seconds", "expected"), [(True, 60, 7), (False, 1, 7), (False, 60, 3)]
)
def test_an_address_from_before_is_told_from_a_new_one(
    session, part, seconds, expected
):
    session.query_params["query"] = "3"
    state.get("query")
    state.put("query", 7)
    assert session.query_params["query"] == "7"

    session.query_params["query"] = "3"
    session.part = part
    session.now = seconds
    assert state.get("query") == expected


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_the_sharpness_begins_where_its_declaration_does(name):
    declared = hyperparameters(get_algorithm("ApproxNDCG"))[name]

    assert SETTINGS[f"approx_{name}"].low == declared.minimum


def test_the_navigation_has_every_page():
    from pathlib import Path

    app = (Path(__file__).parents[2] / "app.py").read_text()
    assert all(f'"pages/{name}.py"' in app for name in PAGES)
