"""The Margins page in the frame: its studies, their links, and old ones."""

import pytest

from pages.ui import registry

TOY = {"data": "toy-2d"}


def facts(page):
    """The strip of facts as text."""
    bodies = [part.proto.body for part in page.get("html")]
    return next(body for body in bodies if '"rs-facts"' in body)


@pytest.fixture
def study(run_page):
    """A view whose study has been started and waited for."""

    def run(view, **link):
        page = run_page("margins", margin_view=view, speed="unlimited", **link)
        page.button(key="study_start").click().run()
        job = registry.registry().get(page.query_params["job"])
        assert job.wait(60)
        return page.run(), job

    return run


def test_rounds_are_drawn_and_lend_their_model(study, drawn):
    page, _ = study("Rounds", **TOY)
    assert not page.exception
    assert {"rounds", "planes"} <= set(drawn(page))

    rounds = next(s for s in page.slider if s.key.startswith("choose_round#"))
    rounds.set_value(0).run()
    page.run()
    assert page.query_params["margin_round"] == "0"
    assert ">0</span>" in facts(page)
    page.segmented_control(key="margin_view#0").set_value("One list").run()
    page.run()
    page.selectbox(key="margin_model#0").set_value("round").run()
    page.run()
    assert not page.exception
    assert any("round 0" in caption.value for caption in page.caption)


def test_a_link_to_a_study_brings_its_settings(study, run_page, drawn):
    _, job = study("Rounds", margin_learner="SVMAUC", **TOY)
    page = run_page("margins", margin_view="Rounds", job=job.id)

    assert not page.exception
    assert page.session_state["margin_learner"] == "SVMAUC"
    assert "rounds" in drawn(page)


def test_the_speed_of_a_study_under_way_is_changed(run_page):
    page = run_page("margins", margin_view="Rounds", speed="2 iterations/s", **TOY)
    page.button(key="study_start").click().run()
    job = registry.registry().get(page.query_params["job"])
    assert job.speed == 2.0
    page.run()
    page.selectbox(key="speed#0").set_value("unlimited").run()
    page.run()

    assert job.speed is None
    assert job.wait(60)
