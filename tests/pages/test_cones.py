"""The Cones page: four views, what a link holds, and what the numbers say."""

from types import SimpleNamespace

import numpy as np
import pytest

from pages.ui import cone_jobs, cone_points, cone_training, jobs
from rankcore.catalogue import load_dataset
from rankcore.dataset import RankingDataset
from rankcore.insight.cone_view import points, toy_scene
from rankcore.readers.folds import Splits

GEOMETRY = ["cone_plane", "cone_weights", "cone_training"]
CLAIMS = {
    "Votes and the linear score": ["cone_documents_plane", "cone_orders"],
    "Clipping is a projection": ["cone_segment", "cone_excess"],
    "A cone of few vectors is proper": ["cone_flat_space", "cone_inside"],
    "The negative projects to zero": ["cone_negative"],
}


def trace(chart, name):
    return next(one for one in chart["data"] if one.get("name") == name)


def text(page):
    blocks = [*page.markdown, *page.get("html"), *page.latex, *page.caption]
    return " ".join(str(getattr(b, "value", "") or b.proto.body) for b in blocks)


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_cones_draws_its_figures(request, runner, drawn):
    page = request.getfixturevalue(runner)("cones")

    assert not page.exception
    assert page.title[0].value == "Cones"
    charts = drawn(page)
    assert list(charts) == GEOMETRY
    assert all(chart["alt"] for chart in charts.values())


def test_the_plane_shows_every_pair_of_the_toy(run_page, drawn):
    plane = drawn(run_page("cones"))["cone_plane"]
    expected = points(toy_scene(load_dataset("toy-2d").train).dataset).z
    drawn_points = sorted(trace(plane, "differences")["x"])
    assert drawn_points == pytest.approx(sorted(expected[:, 0]), abs=1e-6)


@pytest.mark.parametrize("preset", range(6))
def test_every_preset_runs(run_page, drawn, preset):
    page = run_page("cones")
    pills = page.pills(key="preset")
    pills.set_value(pills.options[preset]).run()

    assert not page.exception
    assert pills.options[preset] == page.session_state["preset"]
    assert drawn(page) or page.info


def test_k_gives_the_weights_their_number(run_page, drawn):
    page = run_page("cones", cone_k="4")
    assert len(drawn(page)["cone_weights"]["data"][0]["x"]) == 4
    page.slider(key="cone_k").set_value(3).run()
    assert len(drawn(page)["cone_weights"]["data"][0]["x"]) == 3


def test_the_pass_is_that_of_the_slider(run_page, drawn):
    page = run_page("cones", cone_pass="0")
    begun = trace(drawn(page)["cone_plane"], "generators")
    page.slider(key="cone_pass").set_value(3).run()
    later = trace(drawn(page)["cone_plane"], "generators")
    assert begun["x"][1] != later["x"][1]
    sizes = trace(drawn(page)["cone_training"], "objective")["marker"]["size"]
    assert int(np.argmax(sizes)) == 3


def test_playing_shows_one_pass_after_the_other_and_ends(run_page):
    page = run_page("cones", cone_k="1")
    page.button(key="cone_play").click().run()
    assert not page.exception
    for _ in range(12):
        page.run()
        if not page.session_state["cone_playing"]:
            break
    assert not page.session_state["cone_playing"]
    assert page.session_state["cone_pass"] == page.session_state["cone_last"]


def test_z_is_held_by_the_link_and_moved_by_fields(run_page, drawn):
    page = run_page("cones", cone_z="0.5,-0.25")
    z = trace(drawn(page)["cone_plane"], "z")
    assert (z["x"], z["y"]) == ([0.5], [-0.25])
    page.number_input(key="cone_z_field_1").set_value(0.75).run()
    assert page.query_params["cone_z"] == "0.5,0.75"
    assert trace(drawn(page)["cone_plane"], "z")["y"] == [0.75]


@pytest.mark.parametrize("nonsense", ["a,b", "1", "1,2,3", "nan,1", "1e9,0", "1,2;3,4"])
def test_nonsense_for_z_gives_a_difference(run_page, nonsense):
    page = run_page("cones", cone_z=nonsense)
    assert not page.exception
    assert "1e" not in str(page.number_input(key="cone_z_field_0").value)


@pytest.mark.parametrize(
    "link",
    [
        {"cone_view": "None"},
        {"cone_k": "77"},
        {"cone_size": "4-D"},
        {"cone_show": "nothing"},
        {"cone_claim": "?", "cone_view": "What is true"},
        {"cone_view": "Any data", "cone_along": "features", "cone_features": "x,999"},
        {"cone_view": "What is true", "cone_vectors": "1,2", "cone_documents": ";;"},
        {"cone_view": "Quality and K", "cones": "unknown", "cone_most": "-3"},
    ],
)
def test_nonsense_in_a_link_gives_the_default(run_page, link):
    assert not run_page("cones", **link).exception


def test_rank_svm_s_half_space_is_drawn_when_asked_for(run_page, drawn):
    page = run_page("cones", cone_show="RankSVM")
    assert not page.exception
    notes = drawn(page)["cone_plane"]["layout"]["annotations"]
    assert any("RankSVM" in note["text"] for note in notes)
    assert "half-space" in text(page)


def test_any_data_is_seen_along_directions_or_features(run_page, drawn):
    page = run_page("cones", cone_view="Any data", data="planted", cone_size="3-D")
    assert list(drawn(page)) == ["cone_space", *GEOMETRY[1:], "spectrum"]
    page = run_page(
        "cones",
        cone_view="Any data",
        data="planted",
        cone_along="features",
        cone_features="4,9",
    )
    charts = drawn(page)
    names = load_dataset("planted").train.feature_names
    assert charts["cone_plane"]["layout"]["xaxis"]["title"]["text"] == names[3]
    assert len(trace(charts["spectrum"], "eigenvalues")["y"]) == 45


def test_one_feature_is_too_few(run_page):
    page = run_page(
        "cones",
        cone_view="Any data",
        data="toy-3d",
        cone_along="features",
        cone_features="2",
    )
    assert not page.exception
    assert "two features" in page.info[0].value


@pytest.mark.parametrize(("claim", "charts"), CLAIMS.items())
def test_every_claim_has_its_figures(run_page, drawn, claim, charts):
    page = run_page("cones", cone_view="What is true", cone_claim=claim)
    assert not page.exception
    assert list(drawn(page)) == charts


def test_the_claims_have_the_reference_s_digits(run_page):
    link = {"cone_view": "What is true"}
    page = run_page("cones", **link, cone_claim="Clipping is a projection")
    formula = page.latex[0].value
    assert "0.073292" in formula
    assert "0.072000" in formula
    assert "(0.576073, 0.423927)" in formula
    page = run_page("cones", **link, cone_claim="The negative projects to zero")
    assert "P(z) = (-0.500, 0.500)" in page.latex[0].value


def test_another_claim_begins_with_its_own_points(run_page):
    page = run_page(
        "cones",
        cone_view="What is true",
        cone_claim="Clipping is a projection",
        cone_vectors="3,0;0,3",
    )
    page.radio(key="cone_claim").set_value("The negative projects to zero").run()
    assert "P(z) = (-0.500, 0.500)" in page.latex[0].value


def test_quality_against_k_is_a_job(run_page, drawn):
    page = run_page(
        "cones", cone_view="Quality and K", data="toy-3d", cone_most="3", measure="AP"
    )
    assert "Nothing is trained yet" in page.info[0].value
    page.button(key="cone_start").click().run()
    job = jobs.registry().get(page.query_params[cone_jobs.ID])
    assert job.wait(90)
    page.run()

    assert not page.exception
    charts = drawn(page)
    assert list(charts) == ["cone_quality", "cone_energy"]
    drawn_k = trace(charts["cone_quality"], "objective")["x"]
    assert drawn_k == pytest.approx(np.log2([1, 2, 3]))
    found = [point.objective for point in job.run.found]
    assert trace(charts["cone_quality"], "objective")["y"] == pytest.approx(found)
    energy = charts["cone_energy"]
    below = trace(energy, "subspace")["y"]
    assert all(c <= s + 1e-9 for c, s in zip(trace(energy, "cones")["y"], below))  # noqa: B905
    again = run_page("cones", cone_view="Quality and K", cones=job.id)
    assert again.session_state["cone_most"] == 3


def test_points_keep_to_what_a_hand_would_write(monkeypatch):
    held = {}
    monkeypatch.setattr(cone_points.state, "get", lambda key: held.get(key, ""))
    monkeypatch.setattr(cone_points.state, "put", held.__setitem__)
    default = np.array([[1.0, 2.0], [3.0, 4.0]])
    cone_points.move("points", default, 1, (0.12345, -0.0))
    assert held["points"] == "1,2;0.123,0"
    cone_points.move("points", default, 5, (0.0, 0.0))
    cone_points.move("points", default, 0, (1e9, 0.0))
    assert held["points"] == "1,2;0.123,0"
    assert cone_points.read("points", default).tolist() == [[1.0, 2.0], [0.123, 0.0]]


def test_the_play_ends_at_its_last_pass_whatever_a_slow_browser_sends(monkeypatch):
    held = {"cone_playing": True, "cone_played": 2, "cone_last": 2, "cone_pass": 1}
    reruns = []
    monkeypatch.setattr(cone_training, "st", SimpleNamespace(session_state=held))
    again = SimpleNamespace(whole_page=lambda: reruns.append(dict(held)))
    monkeypatch.setattr(cone_training, "rerun", again)

    cone_training.advance()
    assert len(reruns) == 1
    assert not held["cone_playing"]
    # The slider's place from before comes with the request for the whole page.
    held["cone_pass"] = 1
    cone_training.advance()
    assert held["cone_pass"] == 2

    # From now on it is where it is put.
    held["cone_pass"] = 1
    cone_training.advance()
    assert held["cone_pass"] == 1
    assert len(reruns) == 1


def test_the_largest_number_of_vectors_decides_whether_data_are_too_large():
    """Two halves of 20,000 documents have a hundred million pairs."""
    long = RankingDataset.from_arrays(np.zeros((20_000, 1)), np.repeat([0, 1], 10_000))
    plans = [cone_jobs.Plan(Splits(long), most, None, {}, {}) for most in (5, 6)]
    assert plans[0].refusal is None
    assert "100,000,000 pairs over 6 vectors" in plans[1].refusal
