"""Cones: views, claims of the paper, what a link holds, and what the numbers say."""

import numpy as np
import pytest

from pages.ui.catalogue import setting
from rankcore.data.catalogue import load_dataset
from rankcore.views import flat
from tests.viewing import shown, values, view

GEOMETRY = view("cones", "Geometry")
ANY = {"cone_source": "any data set"}
CLAIMS = view("papers", "Claims")
FIGURES = ["cone_plane", "cone_weights", "cone_training"]


def panels(of, **chosen):
    """The figures of a view by their keys."""
    return {panel.key: panel for panel in shown(of, **chosen).panels()}


def trace(panel, name):
    """A trace of a figure by its name."""
    return next(one for one in panel.picture.data if one.get("name") == name)


def words(of, **chosen):
    """All Markdown between the figures of a view."""
    blocks = flat(shown(of, **chosen).blocks)
    return " ".join(block.text for block in blocks if hasattr(block, "text"))


@pytest.mark.parametrize("k", [3, 4])
def test_k_gives_the_weights_their_number(k):
    assert len(panels(GEOMETRY, cone_k=k)["cone_weights"].picture.data[0]["x"]) == k


def test_the_iteration_is_that_of_the_setting():
    begun, later = (panels(GEOMETRY, cone_pass=at) for at in (0, 3))
    ends = [trace(item["cone_plane"], "generators")["x"][1] for item in (begun, later)]
    assert ends[0] != ends[1]
    sizes = trace(later["cone_training"], "objective")["marker"]["size"]
    assert int(np.argmax(sizes)) == 3
    assert later["cone_training"].on_click("objective", 2, 2.0, 0.5) == {"cone_pass": 2}
    assert later["cone_training"].on_click("objective", 99, 0, 0) == {"cone_pass": 30}


def test_playing_ends_with_the_training():
    result = values(GEOMETRY, cone_k=1)
    assert GEOMETRY.plays == "cone_pass"
    last = GEOMETRY.plays_to(result)
    assert 0 < last < 30
    objective = trace(panels(GEOMETRY, cone_k=1)["cone_training"], "objective")["y"]
    assert len(objective) == last + 1


@pytest.mark.parametrize(("size", "at"), [("2-D", (0.5, -0.25)), ("3-D", (0.5, 1, -2))])
def test_z_is_held_by_the_link_and_dragged(size, at):
    held = ",".join(f"{n:g}" for n in at)
    result = panels(GEOMETRY, cone_size=size, cone_z=held)
    (figure,) = (result[key] for key in ("cone_plane", "cone_space") if key in result)
    z = trace(figure, "z")
    assert [float(z[axis][0]) for axis in "xyz"[: len(at)]] == list(at)
    assert figure.on_drag("z", 0, *at) == {"cone_z": held}
    assert figure.on_drag("z", 0, *(2000.0 for _ in at)) == {}
    assert figure.on_drag("generators", 0, *at) == {}


@pytest.mark.parametrize(
    ("size", "z", "other", "kept"),
    [
        ("2-D", "0.5,-0.25", "3-D", "0.5,-0.25,0"),
        ("3-D", "0.5,1,-2", "2-D", "0.5,1"),
        ("3-D", "0.5,1,-2", "3-D", "0.5,1,-2"),
        ("2-D", "", "3-D", ""),
    ],
)
def test_z_keeps_its_coordinates_in_other_dimensions(size, z, other, kept):
    changed = setting("cone_size").writes(
        values(GEOMETRY, cone_size=size, cone_z=z), other
    )
    assert changed == {"cone_size": other, "cone_z": kept}


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        ("cone_source", "a toy"),
        ("cone_along", "features"),
        ("cone_features", ("1", "2")),
    ],
)
def test_z_begins_anew_along_other_axes(key, chosen):
    changed = setting(key).writes(values(GEOMETRY, **ANY, cone_z="0.5,1"), chosen)
    assert changed == {key: chosen, "cone_z": ""}


def test_a_difference_that_is_clicked_is_explained():
    figure = panels(GEOMETRY)["cone_plane"]
    marks = trace(figure, "out of order")
    clicked = figure.on_click("out of order", 1, 0.0, 0.0)["cone_z"]
    expected = [marks["x"][1], marks["y"][1]]
    assert [float(n) for n in clicked.split(",")] == pytest.approx(expected, abs=5e-4)
    assert figure.on_click("out of order", 75, 0.0, 0.0) == {}
    assert figure.on_click("generators", 0, 0.0, 0.0) == {}


@pytest.mark.parametrize("other", ["1", "1,2,3", "1,2;3,4"])
def test_points_of_another_number_or_size_begin_where_they_begin(other):
    plain, odd = (panels(GEOMETRY, cone_z=at)["cone_plane"] for at in ("", other))
    assert trace(odd, "z")["x"] == trace(plain, "z")["x"]


def test_documents_of_the_plane_are_dragged_beside_their_differences():
    result = panels(GEOMETRY)
    assert list(result) == [*FIGURES, "query_documents", "query_differences"]
    assert "query_documents" not in panels(GEOMETRY, cone_size="3-D")
    documents = result["query_documents"]
    changed = documents.on_drag("documents", 2, 0.5, 2.0)
    assert documents.on_drag("cone", 2, 0.5, 2.0) == {}
    assert documents.on_click("documents", 2, 0.5, 2.0) == {"cone_centre": "3"}
    assert documents.on_click("cone", 2, 0.5, 2.0) == {}

    moved = panels(GEOMETRY, **changed, cone_centre="3")
    marks = trace(moved["query_documents"], "documents")
    assert (marks["x"][2], marks["y"][2]) == (0.5, 2.0)
    before, after = (
        figures["query_differences"].picture.numbers() for figures in (result, moved)
    )
    assert before["difference"] == after["difference"]
    column = list(before)[1]
    # To the digits that links have.
    still = np.isclose(before[column], after[column], atol=2e-3)
    assert still.tolist() == ["x3" not in one for one in before["difference"]]
    sentence = "The cone is still that of training"
    assert sentence in words(GEOMETRY, **changed)
    assert sentence not in words(GEOMETRY)


def test_rank_svm_s_half_space_is_drawn_when_asked_for():
    chosen = {"cone_show": ("RankSVM",)}
    notes = panels(GEOMETRY, **chosen)["cone_plane"].picture.layout["annotations"]
    assert any("RankSVM" in note["text"] for note in notes)
    assert "RankSVM learns a half-space" in words(GEOMETRY, **chosen)
    assert "RankSVM learns" not in words(GEOMETRY)


def test_any_data_is_seen_along_directions_or_features():
    result = panels(GEOMETRY, **ANY, data="planted", cone_size="3-D")
    assert list(result) == ["cone_space", *FIGURES[1:], "spectrum"]
    chosen = {"data": "planted", "cone_along": "features"}
    result = panels(GEOMETRY, **ANY, **chosen, cone_features=("4", "9"))
    names = load_dataset("planted").train.feature_names
    layout = result["cone_plane"].picture.layout
    assert layout["xaxis"]["title"]["text"] == names[3]
    assert layout["yaxis"]["title"]["text"] == names[8]
    assert len(trace(result["spectrum"], "eigenvalues")["y"]) == 45
    three = panels(GEOMETRY, **ANY, **chosen, cone_features=("4", "9", "1"))
    assert "cone_space" in three


def test_the_link_holds_the_numbers_of_features():
    row = setting("cone_features")
    assert row.parse("4,9") == ("4", "9")
    assert row.format(("4", "9")) == "4,9"
    chosen = {"data": "planted", "cone_along": "features"}
    leading = values(GEOMETRY, **ANY, **chosen).cone_features
    assert len(leading) == 2
    assert (
        values(GEOMETRY, **ANY, **chosen, cone_features=("x", "999")).cone_features
        == leading
    )
    assert values(
        GEOMETRY, **ANY, **chosen, cone_features=("3", "999")
    ).cone_features == ("3",)


def test_one_feature_is_too_few():
    chosen = {"data": "toy-3d", "cone_along": "features", "cone_features": ("2",)}
    assert "two features" in GEOMETRY.refusal(values(GEOMETRY, **ANY, **chosen))


def test_the_claims_have_the_reference_s_digits():
    formula = words(CLAIMS, papers_experiment="Clipping is a projection")
    assert r"0.0733 \;>\; 0.0720" in formula
    assert "(0.576, 0.424)" in formula
    chosen = {"papers_experiment": "The negative projects to zero"}
    assert "P(z) = (-0.500, 0.500)" in words(CLAIMS, **chosen)
    votes = shown(CLAIMS, papers_experiment="Votes and the linear score")
    facts = {fact.meaning: fact.number for fact in votes.facts}
    assert facts["These two orders"] == "the same"
    assert facts["Random cones and lists"] == "200 of 200 agree"


@pytest.mark.parametrize(("k", "verdict"), [(2, "It does not hold."), (3, "It holds.")])
def test_a_cone_is_proper_from_as_many_vectors_as_features(k, verdict):
    chosen = {"papers_experiment": "A cone of few vectors is proper", "cone_flat": k}
    assert verdict in words(CLAIMS, **chosen)


def test_another_claim_begins_with_its_own_points():
    chosen = values(
        CLAIMS, papers_experiment="Clipping is a projection", cone_vectors="3,0;0,3"
    )
    (claim,) = (row for row in CLAIMS.rows(chosen) if row.key == "papers_experiment")
    assert claim.writes(chosen, "The negative projects to zero") == {
        "papers_paper": "all",
        "papers_experiment": "The negative projects to zero",
        "cone_vectors": "",
        "cone_target": "",
    }


@pytest.mark.parametrize(
    ("claim", "trace", "place", "key", "text"),
    [
        ("Votes and the linear score", "documents", 2, "cone_documents", "0.5,2"),
        ("Votes and the linear score", "u", 1, "cone_vectors", "1,0.2;0.5,2"),
        ("The negative projects to zero", "z", 0, "cone_target", "0.5,2"),
        ("The negative projects to zero", "u", 0, "cone_vectors", "0.5,2;-1,1"),
    ],
)
def test_what_is_dragged_is_written(claim, trace, place, key, text):
    figure = next(iter(panels(CLAIMS, papers_experiment=claim).values()))
    changed = figure.on_drag(trace, place, 0.5, 2.0)
    assert list(changed) == [key]
    assert text in changed[key]
    assert figure.on_drag("feet", 0, 0.5, 2.0) == {}


def test_a_cone_can_be_taken_away():
    result = shown(GEOMETRY, cone_pass=0, cone_k=3)
    record = result.records["Cone"]()
    assert record["iteration"] == 0
    assert record["settings"]["n_basis"] == 3
    assert np.shape(record["vectors"]) == (3, 2)
    table = result.panels()[0].picture.numbers()
    assert {"better", "worse", "gap", "w: u3", "aᵀz"} < set(table)
    assert len(table["better"]) == 75


def test_number_fields_show_where_z_is(run_page, drawn):
    page = run_page("cones", cone_z="0.5,-0.25")

    def fields():
        return [box for box in page.number_input if box.label.startswith("Pair z")]

    assert [box.value for box in fields()] == [0.5, -0.25]
    fields()[1].set_value(0.75).run()
    page.run()
    assert page.query_params["cone_z"] == "0.5,0.75"
    assert trace_of(drawn(page)["cone_plane"], "z")["y"] == [0.75]
    page.radio(key="preset#0").set_value("A cone in the plane").run()
    page.run()
    z = trace_of(drawn(page)["cone_plane"], "z")
    assert "cone_z" not in page.query_params
    assert [box.value for box in fields()] == pytest.approx([*z["x"], *z["y"]])


def test_the_button_plays_from_the_start_to_the_end_of_the_training(run_page):
    page = run_page("cones", cone_k="1", cone_pass="1")
    page.button(key="play").click().run()
    page.run()
    assert page.session_state["cone_pass"] == 0
    assert page.button(key="pause").label == "Pause"
    page.session_state["cone_pass"] = GEOMETRY.plays_to(values(GEOMETRY, cone_k=1))
    page.run()
    assert page.button(key="play").label == "Play"


def trace_of(chart, name):
    """A trace of a figure as the browser has it."""
    return next(one for one in chart["data"] if one.get("name") == name)


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("source", [{}, ANY], ids=["toy", "any"])
def test_auto_stands_among_the_numbers(source):
    chosen = values(GEOMETRY, **source)
    row = next(row for row in GEOMETRY.rows(source) if row.key == "ConeRank.rho")
    labels = [*row.labels(chosen)]
    at, automatic = labels.index("auto"), row.derived(chosen).automatic
    assert automatic == np.sqrt(2)  # the features of a scene in the plane
    assert labels[at - 1] <= automatic <= labels[at + 1]
