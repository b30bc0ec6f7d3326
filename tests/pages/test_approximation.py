"""The Approximation page as the frame draws it: controls, presets, link and study."""

from pages.ui.registry import registry
from rankcore.base.numbers import three_digits


def facts(page):
    """What the strip of facts says."""
    return " ".join(html.proto.body for html in page.get("html"))


def box(page, kind, key):
    """A control of a setting."""
    return next(each for each in page.get(kind) if each.key.startswith(f"{key}#"))


def test_a_link_holds_the_list_and_typing_changes_it(run_page):
    page = run_page("approximation", approx_list="3:1, 1:0", approx_alpha="100")
    assert box(page, "text_area", "approx_list").value == "3:1, 1:0"
    assert box(page, "select_slider", "approx_alpha").value == 100.0
    assert page.radio(key="preset#0").value is None

    box(page, "text_area", "approx_list").set_value("2:1 1:0\n0:0").run()
    page.run()
    assert page.query_params["approx_list"] == "2:1, 1:0, 0:0"
    box(page, "text_area", "approx_list").set_value("2:1 nothing").run()
    page.run()
    assert not page.exception
    assert "Write 2 to 40 documents" in page.warning[0].value
    assert page.query_params["approx_list"] == "2:1, 1:0, 0:0"


def test_a_claim_is_one_click_away(run_page):
    page = run_page("papers")
    page.radio(key="preset#0").set_value("Ties break the formula").run()
    page.run()
    assert not page.exception
    assert "1.23" in facts(page)


def test_runs_are_trained_shown_and_found_again_by_their_link(run_page):
    page = run_page(
        "approximation",
        approx_view="Along training",
        data="toy-2d",
        approx_passes="10",
        approx_alpha="100",
    )
    # The example is of other data.
    assert not any(each.value.startswith("**Example**") for each in page.caption)
    page.button(key="study_start").click().run()
    page.run()
    job = registry().get(page.query_params["job"])
    assert job.wait(60)
    page.run()
    assert not page.exception
    assert "trained at α = 100, β = 10" in facts(page)
    box(page, "selectbox", "approx_run").set_value("100/50").run()
    page.run()
    run = job.run.subject.runs[100.0, 50.0]
    assert "trained at α = 100, β = 50" in facts(page)
    assert three_digits(run.spread().median) in facts(page)
    assert page.query_params["approx_run"] == "100/50"
    box(page, "slider", "approx_passes").set_value(20).run()
    page.run()
    assert any("Settings changed" in caption.value for caption in page.caption)

    again = run_page("approximation", approx_job=job.id, approx_view="Along training")
    assert not again.exception
    assert box(again, "select_slider", "approx_alpha").value == 100.0
    assert "trained at α = 100, β = 10" in facts(again)
