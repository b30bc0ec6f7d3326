"""The landscape on the Approximation page: exact steps, smooth curves, restarts."""

import pytest

from pages.ui import jobs, landscape_jobs, landscape_numbers, state
from rankcore import measures, training
from rankcore.insight import directions

CIRCLE = {"approx_view": "Landscape", "data": "toy-2d"}
SPHERE = {"approx_view": "Landscape", "data": "toy-3d", "land_shape": "Sphere"}
LINE = CIRCLE | {
    "land_shape": "Line",
    "land_from": "LeastSquares",
    "land_to": "SingleFeature",
}


def scene(page, shape="Circle", axes=("0", "1"), data="toy-2d"):
    return landscape_numbers.Scene(data, "as given", shape, axes, 6, "nDCG", 0)


def trace(figure, name):
    return next(t for t in figure["data"] if t["name"] == name)


@pytest.mark.parametrize("link", [CIRCLE, SPHERE, LINE])
def test_every_shape_draws_and_says_what_it_found(run_page, drawn, link):
    page = run_page("approximation", **link)

    assert not page.exception
    figures = drawn(page)
    wanted = {
        "Circle": {"ring", "landscape"},
        "Sphere": {"globe", "exact_map", "smooth_map"},
        "Line": {"landscape"},
    }[link.get("land_shape", "Circle")]
    assert wanted <= set(figures)
    assert all("nDCG" in figures[key]["alt"] for key in wanted)
    assert any("6 of 6 training queries" in c.value for c in page.caption)


def test_the_drawn_steps_are_the_exact_measure(run_page, drawn):
    page = run_page("approximation", **CIRCLE)
    exact = trace(drawn(page)["landscape"], "exact")
    data = landscape_numbers.ground(scene(page))

    middle = (exact["x"][40] + exact["x"][41]) / 2
    model = directions.on_circle(middle)
    expected = measures.means(data, data.X @ model, "nDCG")["nDCG"]
    assert exact["y"][40] == pytest.approx(expected)


@pytest.mark.parametrize("link", [CIRCLE, LINE])
def test_the_table_of_the_steps_is_the_exact_profile(run_page, link):
    page = run_page("approximation", **link)
    page.session_state["landscape_numbers"] = True
    page.run()

    assert not page.exception
    shape = link.get("land_shape", "Circle")
    axes = ("LeastSquares", "SingleFeature") if shape == "Line" else ("0", "1")
    profile = landscape_numbers.profile(scene(page, shape, axes))
    tables = [each.value for each in page.dataframe]
    table = next(each for each in tables if {"from", "value"} <= set(each.columns))
    assert table["from"].tolist() == profile.edges[:-1].tolist()
    assert table["to"].tolist() == profile.edges[1:].tolist()
    assert table["value"].tolist() == profile.values.tolist()
    smooth = table["α = 10, in the middle"]
    assert smooth.between(0.0, 1.0).all()


def test_the_sharpness_moves_the_smooth_curve_and_not_the_steps(run_page, drawn):
    page = run_page("approximation", **CIRCLE)
    before = drawn(page)["landscape"]
    page.select_slider(key="approx_alpha").set_value(300.0).run()
    after = drawn(page)["landscape"]

    assert not page.exception
    assert trace(after, "α = 300")["y"] != trace(before, "α = 10")["y"]
    assert trace(after, "exact") == trace(before, "exact")


def test_looking_elsewhere_ranks_the_query_anew(run_page, drawn):
    page = run_page("approximation", **CIRCLE)
    before = trace(drawn(page)["landscape"], "model")
    page.slider(key="land_angle").set_value(200.0).run()
    after = trace(drawn(page)["landscape"], "model")

    assert before["x"] == [30.0]
    assert after["x"] == [200.0]
    assert after["y"][0] < before["y"][0]


def test_dragging_sets_the_model_looked_at(run_page):
    page = run_page("approximation", **CIRCLE)
    assert page.session_state["land_angle"] == 30.0
    for x, kept in ((45.3, 45.5), (-7.0, 0.0), (999.0, 360.0)):
        assert landscape_numbers.nearest_place("Circle", x) == kept
    assert landscape_numbers.nearest_place("Line", 0.123) == 0.12
    assert landscape_numbers.nearest_place("Line", 9.0) == 1.25


def test_restarts_run_as_a_job_and_are_drawn(run_page, drawn):
    page = run_page("approximation", **CIRCLE, land_restarts="3")
    page.button(key="run_restarts").click().run()
    job = jobs.registry().get(page.query_params[landscape_jobs.InCoordinates.key])
    assert job.wait(60)
    page.run()

    assert not page.exception
    figures = drawn(page)
    assert {"spread", "buying"} <= set(figures)
    points = landscape_jobs.points(job)
    assert len(points) == 3 * len(landscape_jobs.InCoordinates.alphas)
    ends = trace(figures["landscape"], "end points")
    assert sorted(ends["y"]) == sorted(p.exact for p in points if p.alpha == 10.0)
    assert any("All 15 restarts have ended" in c.value for c in page.caption)

    link = {"approx_view": "Landscape", landscape_jobs.InCoordinates.key: job.id}
    again = run_page("approximation", **link)
    assert not again.exception
    assert again.session_state["land_restarts"] == 3
    assert {"spread", "ring"} <= set(drawn(again))


def test_restarts_can_be_stopped_and_changed_settings_are_said(run_page):
    page = run_page("approximation", **CIRCLE, land_restarts="100")
    page.button(key="run_restarts").click().run()
    page.button(key="stop_restarts").click().run()
    job = jobs.registry().get(page.query_params[landscape_jobs.InCoordinates.key])
    assert job.wait(60)
    page.run()
    assert job.state == "stopped"

    page.slider(key="land_restarts").set_value(7).run()
    assert any("settings have changed" in c.value for c in page.caption)


def test_a_sphere_of_two_features_is_refused_in_a_sentence(run_page):
    page = run_page("approximation", **SPHERE | {"data": "toy-2d"})

    assert not page.exception
    assert "too few" in page.info[0].value


def test_a_query_too_long_to_follow_is_refused_in_a_sentence(run_page, monkeypatch):
    monkeypatch.setitem(landscape_numbers.MOST_DOCUMENTS, "Circle", 2)
    page = run_page("approximation", **CIRCLE, land_queries="3")

    assert not page.exception
    assert "The first query alone has" in page.info[0].value


def test_links_with_nonsense_fall_back(run_page):
    page = run_page(
        "approximation",
        **CIRCLE,
        land_shape="Torus",
        land_measure="nDCG@many",
        land_first="99",
        land_queries="-3",
        land_angle="north",
        approx_alpha="sharp",
        ends="gone",
    )

    assert not page.exception
    assert page.session_state["land_shape"] == "Circle"
    assert page.session_state["land_measure"] == "nDCG"


def test_any_data_can_be_looked_at(run_page, drawn):
    page = run_page("approximation", **CIRCLE | {"data": "planted"}, land_queries="20")

    assert not page.exception
    assert {"ring", "landscape"} <= set(drawn(page))
    assert any("documents together" in c.value for c in page.caption)


def test_presets_choose_settings_that_exist(run_page):
    run_page("approximation", **CIRCLE)
    from pages.ui import landscape_panels

    for values in landscape_panels.PRESETS.values():
        assert set(values) <= set(state.SETTINGS)


def test_both_ends_of_a_line_train_in_less_than_two_seconds(monkeypatch):
    stops = []

    def watched(*args, stop, **details):
        stops.append(stop)
        return training.drive(*args, stop=stop, **details)

    monkeypatch.setattr(landscape_numbers, "drive", watched)
    landscape_numbers.model.clear()
    line = landscape_numbers.Scene(
        "toy-2d", "as given", "Line", ("LeastSquares", "RSRank"), 6, "nDCG", 5
    )
    landscape_numbers.ground(line)

    assert len(stops) == 2
    assert sum(stop.max_seconds for stop in stops) < 2.0
