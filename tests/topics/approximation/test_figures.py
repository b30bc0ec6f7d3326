"""Pictures of the Approximation page: valid, and drawn from the numbers."""

import numpy as np
import pytest

from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.base.numbers import three_digits
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.approximation.approximate_list import (
    list_values,
    one_list,
    sigmoid_sum,
    surrogates,
    sweep,
)
from rankcore.topics.approximation.bounds import position_errors
from rankcore.topics.approximation.errors_figure import (
    sweep_figure,
)
from rankcore.topics.approximation.list_figure import (
    list_figure,
    score_range,
    values_figure,
)
from rankcore.topics.approximation.position_figure import position_figure
from rankcore.topics.approximation.training import sharpness_study
from rankcore.topics.approximation.training_figure import curves_figure, spread_figure
from tests.plot.sight import distance

SCORES = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])
LABELS = [0, 0, 2, 0, 1]


def traces(picture):
    """The traces by name, once Plotly has checked the picture."""
    picture.figure()
    return {trace["name"]: trace for trace in picture.data}


def drawn_list(alpha, place=2, palette=LIGHT):
    values = list_values(SCORES, LABELS, alpha, 10.0, 2)
    positions = position_errors(one_list(SCORES, LABELS), SCORES, alpha)
    value = values[place]
    picture = list_figure(
        SCORES, LABELS, positions, value, alpha, value.largest, palette
    )
    return traces(picture), positions


@pytest.mark.parametrize("place", range(6))
def test_arrows_are_the_finite_differences_of_the_surrogate(place):
    alpha, h = 5.0, 1e-5
    drawn, _ = drawn_list(alpha, place)
    slopes = np.empty(5)
    for j in range(5):
        moved = np.tile(SCORES, (2, 1))
        moved[:, j] += [h, -h]
        up, down = (list_values(s, LABELS, alpha, 10.0, 2)[place].smooth for s in moved)
        slopes[j] = (up - down) / (2 * h)
    ways = ("up", "down")
    arrows = np.concatenate([drawn[f"arrows {way}"]["x"] for way in ways])
    starts, heads = arrows.reshape(-1, 3)[:, :2].T
    documents = np.concatenate([drawn[f"forces {way}"]["y"] for way in ways])
    documents = np.floor(documents).astype(int)
    assert (slopes[np.floor(drawn["forces up"]["y"]).astype(int)] > 0).all()
    np.testing.assert_array_equal(starts, SCORES[documents])
    np.testing.assert_array_equal(np.sign(heads - starts), np.sign(slopes[documents]))
    squares = (heads - starts) ** 2
    np.testing.assert_allclose(
        squares / squares.max(),
        np.abs(slopes[documents]) / np.abs(slopes).max(),
        rtol=1e-4,
        atol=1e-7,
    )
    gone = np.floor(drawn["vanished"]["y"]).astype(int)
    assert sorted([*documents, *gone]) == list(range(5))
    assert (np.abs(slopes[gone]) < 1e-3 * alpha).all()


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_directions_of_forces_are_told_apart_by_shape_line_and_colour(palette):
    drawn, _ = drawn_list(10.0, palette=palette)
    up, down = drawn["arrows up"]["line"], drawn["arrows down"]["line"]
    assert up["dash"] != down["dash"]
    heads = [drawn[f"forces {way}"]["marker"]["symbol"] for way in ("up", "down")]
    assert heads == ["triangle-right", "triangle-left-open"]
    ring = drawn["vanished"]["marker"]["color"]
    used = [up["color"], down["color"], ring, palette.background]
    for place, colour in enumerate(used):
        for other in used[:place]:
            # 2.3 is a difference just noticeable; these are seen at a glance.
            assert distance(colour, other, "deuteranopia") > 25

    values = list_values(SCORES, LABELS, 10.0, 10.0, 2)
    grid = traces(values_figure(values, 2, 10.0, LABELS, palette))["forces"]["marker"]
    by_shape = set(zip(grid["symbol"], grid["color"], strict=True))
    assert by_shape == {
        ("triangle-up", up["color"]),
        ("triangle-down-open", down["color"]),
    }


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("place", range(5))
def test_the_sigmoids_of_other_documents_are_stacked_beside_the_true_stair(
    place, palette
):
    positions = position_errors(one_list(SCORES, LABELS), SCORES, 10.0)
    result = sigmoid_sum(SCORES, place, 10.0, score_range(SCORES))
    picture = position_figure(result, positions, LABELS, palette)
    drawn = traces(picture)

    others = [f"x{'₁₂₃₄₅'[i]}" for i in result.others]
    stack = [drawn[name]["y"] for name in ("itself", *others)]
    np.testing.assert_allclose(np.sum(stack, axis=0), drawn["approximated"]["y"])
    assert {drawn[name]["stackgroup"] for name in ("itself", *others)} == {"position"}
    fills = [drawn[name]["fillcolor"] for name in others]
    assert fills == [palette.label(LABELS[i]) for i in result.others]
    assert drawn["true position"]["y"] == [positions.exact[place]]
    assert drawn["approximated position"]["y"] == [positions.soft[place]]
    assert drawn["score"]["x"] == [SCORES[place]]
    assert drawn["score"]["meta"] == {"drag": "x"}
    heading = picture.layout["annotations"][0]["text"]
    terms = heading.partition(": ")[2].partition(" = ")[0].split(" + ")
    assert sum(map(float, terms)) == pytest.approx(positions.soft[place], abs=0.03)
    assert f"● true: {positions.exact[place]:g}" in heading
    assert f"of x{place + 1} is {positions.exact[place]:g};" in picture.alt
    assert len(picture.numbers()) == 3 + 4


def test_of_many_documents_the_terms_and_names_are_left_out():
    scores, labels = np.linspace(1.0, 0.0, 40), [0] * 40
    positions = position_errors(one_list(scores, labels), scores, 100.0)
    result = sigmoid_sum(scores, 3, 100.0, score_range(scores))
    picture = position_figure(result, positions, labels)
    picture.figure()

    assert "1 + 39 sigmoids" in picture.layout["annotations"][0]["text"]
    assert len(picture.layout["annotations"]) == 3


@pytest.mark.parametrize("n", [2, 5, 14, 40])
def test_a_list_of_any_length_is_high_enough_and_fits_the_screen(n):
    scores, labels = np.linspace(1.0, 0.0, n), [i % 3 for i in range(n)]
    values = list_values(scores, labels, 10.0, 10.0, 2)
    positions = position_errors(one_list(scores, labels), scores, 10.0)
    picture = list_figure(scores, labels, positions, values[0], 10.0, 1.0)
    assert 380 <= picture.layout["height"] <= 450
    drawn = traces(picture)
    row = picture.layout["height"] / n
    for name in ("documents", "scores", "true position"):
        assert drawn[name]["marker"]["size"] <= row
    assert drawn["documents"]["hovertext"][-1].endswith(f" · {labels[-1]}")
    assert any(drawn["documents"]["text"])


def test_forces_that_have_vanished_are_hollow():
    drawn, _ = drawn_list(1000.0)

    assert len(drawn["forces up"]["x"]) == len(drawn["forces down"]["x"]) == 0
    assert drawn["vanished"]["marker"]["symbol"] == "circle-open"
    np.testing.assert_array_equal(drawn["vanished"]["x"], SCORES)


def test_the_axis_of_scores_holds_all_arrows():
    for scores in (SCORES, np.zeros(3), np.array([-1e5, 1e5]), np.array([7.0, 7.001])):
        low, high = score_range(scores)
        assert low < scores.min() <= scores.max() < high


def test_a_list_without_relevant_documents_draws():
    values = list_values(SCORES, [0] * 5, 10.0, 10.0, 2)
    values_figure(values, 0, 10.0, [0] * 5).figure()
    learner = surrogates(10.0, 10.0, 2)[0]
    sweep_figure(sweep(learner, SCORES, [0] * 5, [1.0, 10.0]), 10.0).figure()


def test_dots_are_errors_and_lines_are_bounds():
    learner = surrogates(10.0, 10.0, 2)[2]
    result = sweep(learner, SCORES, LABELS, np.geomspace(1.0, 100.0, 9))
    drawn = traces(sweep_figure(result, 10.0))

    np.testing.assert_array_equal(drawn["error of AP"]["y"], result.error)
    bound = drawn["bound of AP"]["y"]
    finite = np.isfinite(result.bound)
    np.testing.assert_array_equal(bound[finite], result.bound[finite])
    assert np.isnan(bound[~finite]).all()
    assert drawn["error of position"]["mode"] == "markers"
    assert drawn["bound of position"]["mode"] == "lines"


def test_a_run_that_ended_early_has_its_name_at_the_side(small):
    study = sharpness_study(ApproxAP(alpha=100.0), small, 4)
    for _ in study:
        pass
    whole, *rest = study.subject.by_alpha()
    begun = whole._replace(
        iterations=whole.iterations[:2], error=whole.error[:2], flat=whole.flat[:2]
    )
    picture = curves_figure([begun, *rest], "alpha", study.subject.chosen, 9)
    picture.figure()

    assert {name["x"] for name in picture.layout["annotations"]} == {9}
    leaders = picture.layout["shapes"]
    assert len(leaders) == 1 + len(rest)
    assert (leaders[0]["x0"], leaders[0]["x1"]) == (begun.iterations[-1], 9)
    assert leaders[0]["y0"] == leaders[0]["y1"] == begun.error[-1]
    ended = curves_figure(
        [whole], "alpha", study.subject.chosen, int(whole.iterations[-1])
    )
    assert ended.layout["shapes"] == []


def test_pictures_of_runs_say_and_tabulate_what_they_draw(small):
    study = sharpness_study(ApproxAP(alpha=100.0), small, 4, alphas=(10.0,), betas=())
    curves = study.subject.by_alpha()
    assert (
        curves_figure(curves, "alpha", study.subject.chosen, 4).alt
        == "No measurements yet."
    )
    for _ in study:
        pass
    curves = study.subject.by_alpha()
    error, flat = (
        curves_figure(curves, "alpha", study.subject.chosen, 4, of)
        for of in ("error", "flat")
    )
    values = [f"{three_digits(curve.error[-1])}" for curve in curves]
    assert error.alt == (
        f"At the end: with α = 10, the mean error is {values[0]}; "
        f"with α = 100, the mean error is {values[1]}."
    )
    assert f"{curves[1].flat[-1]:.0%} of the queries have no gradient." in flat.alt
    rows = error.numbers()
    assert len(rows) == sum(len(curve.iterations) for curve in curves)
    assert rows[-1]["mean error"] == curves[-1].error[-1]
    spread = study.subject.runs[study.subject.chosen].spread()
    picture = spread_figure(spread)
    assert picture.numbers()["queries"] is spread.counts
    assert three_digits(spread.largest) in picture.alt
