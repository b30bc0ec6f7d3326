"""The frame of every page with views: what it keeps of settings, and what it draws."""

import json

from pages.ui import stage
from rankcore.reports.formats import as_json


def asked(page) -> dict[str, str]:
    """What the link says."""
    settings = dict(page.query_params)
    return {k: v if isinstance(v, str) else ",".join(v) for k, v in settings.items()}


def test_a_control_works_on_what_other_controls_have_changed_since(run_page):
    """The list is dragged; the number of documents was drawn before."""
    page = run_page("measures")
    page.session_state["ranking"] = "B2-A0-C1-D0-E1"
    page.number_input(key="documents#0").set_value(6).run()

    assert page.session_state["ranking"] == "B2-A0-C1-D0-E1-F0"


def test_a_preset_is_marked_as_long_as_its_settings_are_chosen(run_page):
    page = run_page("measures")
    assert examples(page).label == "Example: Five documents"
    assert page.radio(key="preset#0").value == "Five documents"
    page.radio(key="preset#0").set_value("Tied documents at the top").run()
    assert asked(page) == {"ranking": "A0-B0-C2-D1-E0", "n_tied": "4"}
    assert examples(page).label == "Example: Tied documents at the top"
    page.slider(key="n_tied#1").set_value(5).run()

    assert examples(page).label == "Examples"
    assert page.radio(key="preset#1").value is None


def examples(page):
    """The button that opens the examples of a page."""
    return next(
        box for box in page.get("popover") if "xample" in box.proto.popover.label
    ).proto.popover


def test_reset_gives_every_setting_its_default(run_page):
    page = run_page("measures", ranking="B4-A0-C1", cutoff="2", moved_document="C")
    page.button(key="reset").click().run()
    page.run()

    assert asked(page) == {}
    assert page.slider(key="cutoff#1").value == 5


def test_a_group_is_open_where_something_in_it_is_chosen(run_page):
    def rules(page) -> bool:
        values = [e for e in page.expander if e.label == "Evaluation rules"]
        return values[0].proto.expanded

    assert not rules(run_page("measures"))
    assert rules(run_page("measures", convention="letor3"))


def test_a_box_that_says_what_it_does_not_offer_changes_nothing(run_page, monkeypatch):
    """A browser may report the label of an order that there was before."""
    page = run_page("reduction", red_view="Regrets")
    box = page.selectbox(key="red_order#0").set_value("231")
    state = box._widget_state
    state.string_value = "the order 1 3 2 4"
    monkeypatch.setattr(type(box), "_widget_state", state)
    page.run()
    monkeypatch.undo()
    page.run()

    assert not page.exception
    assert [warning.value for warning in page.warning] == []
    assert "red_order" not in page.session_state


def test_presets_follow_the_algorithm_where_none_is_on(run_page):
    page = run_page("train", data="toy-2d", **{"RSRank.g": "7"})
    assert examples(page).label == "Examples"
    before = page.radio(key="preset#0").options
    page.session_state["LambdaRank.max_iter"] = 7
    page.selectbox(key="algorithm#0").set_value("LambdaRank").run()

    assert examples(page).label == "Examples"
    assert page.radio(key="preset#0").options != before


def test_controls_follow_the_choice_of_an_algorithm_at_once(run_page):
    page = run_page("train", data="toy-2d")
    page.selectbox(key="algorithm#0").set_value("FenchelRank").run()

    keys = [control.key for control in page.get("select_slider")]
    assert any(key.startswith("FenchelRank.") for key in keys)


def test_a_figure_passes_on_what_a_dragged_point_changes():
    changed = []
    drag = stage._pointing(lambda *point: {"point": point}, changed.append)
    drag("z", 1, 0.5)

    assert changed == [{"point": ("z", 1, 0.5)}]


def test_missing_and_infinite_numbers_are_null_in_json():
    rows = [{"a": float("nan"), "b": float("inf"), "c": 1.5}]
    assert json.loads(as_json(rows)) == [{"a": None, "b": None, "c": 1.5}]


def test_a_control_of_a_view_that_is_no_longer_shown_changes_its_setting(run_page):
    """A browser reports the two controls at once, the view first."""
    page = run_page("margins")
    page.button_group(key="margin_view#0").set_value("Trained on × tested on")
    page.button_group(key="margin_source#0").set_value("a query of the data").run()

    assert not page.exception
    assert asked(page) == {"margin_view": "Trained on × tested on"}
    assert page.session_state["margin_source"] == "a query of the data"
