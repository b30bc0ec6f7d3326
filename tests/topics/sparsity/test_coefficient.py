"""One coefficient in training: its pulls, the next step, and its pictures."""

from html import unescape

import numpy as np
import pytest

from rankcore import RankingDataset, RSRank
from rankcore.algorithms.parts.ranker import NOTHING_TO_LEARN
from rankcore.algorithms.rsrank import soft_threshold
from rankcore.data.catalogue import load_dataset
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.sparsity.coefficient import ITERATIONS, coefficient_run
from rankcore.topics.sparsity.coefficient_figure import (
    MOST_COEFFICIENTS,
    life_figure,
    pulls_figure,
)
from tests.viewing import trace

COLOUR = "#0072b2"


@pytest.fixture(scope="module", params=[("minmax", 0.0), ("standard", 50.0)], ids=str)
def run(request):
    how, g = request.param
    return coefficient_run(load_dataset("planted").train.normalise(how), g)


@pytest.fixture(scope="module")
def sparse():
    return coefficient_run(load_dataset("planted").train, 50.0)


def test_each_step_is_the_pull_and_then_the_penalty(run):
    for beta, pull, after in zip(run.coef, run.pulls, run.coef[1:], strict=False):
        moved = beta + run.rates * pull
        np.testing.assert_array_equal(soft_threshold(moved, run.rates * run.g), after)


def test_the_pulls_of_data_and_penalty_add_up_to_each_step(run):
    features = range(len(run.names))
    for at in range(run.last):
        penalty = np.array([run.shrinkage(at, j) for j in features])
        after = run.coef[at] + run.rates * (run.pulls[at] + penalty)
        np.testing.assert_allclose(after, run.coef[at + 1], rtol=1e-9, atol=1e-12)


def test_a_pull_is_minus_the_derivative_of_the_loss(small):
    run, loss = coefficient_run(small, 1.0), RSRank().loss(small)
    beta, h = run.coef[3], 1e-6
    for j, unit in enumerate(np.eye(small.n_features)):
        # The weights stay the same where no documents change places.
        difference = loss(beta + h * unit)[0] - loss(beta - h * unit)[0]
        assert run.pulls[3, j] == pytest.approx(-difference / (2 * h), rel=1e-4)


def test_in_the_end_pulls_are_at_the_border_of_the_dead_zone_or_inside(sparse):
    used = sparse.coef[-1] != 0.0
    pull, side = sparse.pulls[-1], np.sign(sparse.coef[-1])
    assert sparse.last == ITERATIONS
    assert sparse.features_in_use(sparse.last) == used.sum() == 8
    np.testing.assert_allclose((side * pull)[used], sparse.g, rtol=0.05)
    assert np.abs(pull[~used]).max() < sparse.g


def test_captions_say_what_the_next_step_does(run):
    size = np.abs(run.coef)
    texts = {
        "stays at zero": (size[:-1] == 0.0) & (size[1:] == 0.0),
        "leaves zero": (size[:-1] == 0.0) & (size[1:] > 0.0),
        "removes the feature": (size[:-1] > 0.0) & (size[1:] == 0.0),
        "grows": (size[:-1] > 0.0) & (size[1:] > size[:-1]),
        "shrinks": (size[:-1] > 0.0) & (size[1:] < size[:-1]) & (size[1:] > 0.0),
    }
    crossing = np.argwhere(run.coef[:-1] * run.coef[1:] < 0.0)
    assert len(crossing)
    assert all("past zero" in run.caption(*place) for place in crossing)
    checked = 0
    for words, holds in texts.items():
        for at, j in np.argwhere(holds):
            # A step beyond zero or against the pull has a sentence of its own.
            if run.coef[at, j] * run.pulls[at, j] > 0.0 or not run.coef[at, j]:
                assert words in run.caption(at, j)
                checked += 1
    assert checked > 500
    assert "in use" in run.caption(run.last, int(size[-1].argmax()))


def test_the_penalty_holds_a_coefficient_at_zero_or_moves_it_by_g(sparse):
    at, j = np.argwhere((sparse.coef == 0.0) & (np.abs(sparse.pulls) < sparse.g))[0]
    assert sparse.shrinkage(at, j) == -sparse.pulls[at, j]
    at, j = np.argwhere((sparse.coef == 0.0) & (sparse.pulls > sparse.g))[0]
    assert sparse.shrinkage(at, j) == -sparse.g
    at, j = np.argwhere((sparse.coef[:-1] < 0.0) & (sparse.coef[1:] < 0.0))[0]
    assert sparse.shrinkage(at, j) == sparse.g
    at, j = np.argwhere((sparse.coef[:-1] < 0.0) & (sparse.coef[1:] > 0.0))[0]
    assert sparse.shrinkage(at, j) == -sparse.g


def test_without_a_penalty_no_sentence_has_it():
    dense = coefficient_run(load_dataset("planted").train, 0.0)
    places = np.ndindex(dense.last + 1, len(dense.names))
    captions = {dense.caption(at, j) for at, j in places}
    assert "The data move the coefficient towards zero." in captions
    assert not [one for one in captions if "and penalty" in one or "removed" in one]


def test_without_pairs_nothing_is_learnt_and_the_pictures_are_of_the_start():
    data = RankingDataset.from_arrays(np.eye(3)[:, :1], [1, 1, 1], [1, 1, 1])
    run = coefficient_run(data, 50.0)
    assert run.last == 0
    assert run.caption(0, run.default_feature) == NOTHING_TO_LEARN
    assert "in size: 1, 1 of them" in pulls_figure(run, 0, 0, COLOUR).alt
    for figure in (life_figure, pulls_figure):
        picture = figure(run, 0, run.default_feature, COLOUR)
        notes = picture.layout["annotations"]
        assert not [one for one in notes if one["showarrow"] and not one["text"]]


def test_the_first_feature_is_the_largest_that_is_removed(sparse):
    removed = np.flatnonzero(sparse.coef[-1] == 0.0)
    sizes = np.abs(sparse.coef).max(axis=0)
    assert sparse.default_feature == removed[sizes[removed].argmax()]
    dense = coefficient_run(load_dataset("toy-2d").train, 0.0)
    assert dense.default_feature == np.abs(dense.coef[-1]).argmax()


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda each: each.kind)
def test_the_arrows_are_the_pulls_and_add_up_to_the_step(sparse, palette):
    at, j = 30, sparse.default_feature
    picture = life_figure(sparse, at, j, COLOUR, palette)
    data, penalty = [a for a in picture.layout["annotations"] if a["showarrow"]]
    assert data["ay"] == 0.0
    assert penalty["ay"] == data["y"] == pytest.approx(sparse.pulls[at, j])
    moved = sparse.rates[j] * penalty["y"]
    assert sparse.coef[at, j] + moved == pytest.approx(sparse.coef[at + 1, j])
    band = picture.layout["shapes"][0]
    assert (band["y0"], band["y1"]) == (-sparse.g, sparse.g)
    heights = trace(picture, "coefficient")["y"]
    assert (heights == sparse.coef[:, j]).all()
    others = trace(picture, "others")["y"]
    assert np.isfinite(others).sum() == sparse.coef.size


def test_of_many_coefficients_the_largest_are_drawn(sparse):
    d = MOST_COEFFICIENTS + 100
    sizes = 1.0 + np.random.default_rng(0).permutation(d)
    wide = sparse._replace(
        names=tuple(f"f{j}" for j in range(d)),
        coef=np.stack([0.0 * sizes, -sizes, 0.5 * sizes]),
        pulls=np.zeros((3, d)),
        rates=np.ones(d),
    )
    picture = life_figure(wide, 0, 0, COLOUR)
    lines = np.array(trace(picture, "others")["y"]).reshape(-1, 3 + 1)
    assert sorted(np.abs(lines[:, :3]).max(axis=1)) == [*range(101, d + 1)]
    words = f"Of {d} coefficients, the {MOST_COEFFICIENTS} largest during the run"
    assert words in picture.alt
    assert "largest during the run" not in life_figure(sparse, 0, 0, COLOUR).alt


def test_a_long_name_without_spaces_stays_in_its_corner(sparse):
    name = "sum_of_stream_length_normalised_term_frequency<title>"
    long = sparse._replace(names=(name, *sparse.names[1:]))
    (note,) = pulls_figure(long, 0, 0, COLOUR).layout["annotations"]
    lines = unescape(note["text"].removeprefix("<b>").removesuffix("</b>"))
    assert "".join(lines.split("<br>")) == name
    assert all(len(line) <= 18 for line in lines.split("<br>"))


def test_all_pulls_are_drawn_in_one_order_and_cut_at_the_ends(sparse):
    first, last = (
        trace(pulls_figure(sparse, at, 0, COLOUR), "features")
        for at in (0, sparse.last)
    )
    assert (np.diff([row[1] for row in last["customdata"]]) >= 0.0).all()
    assert [row[0] for row in first["customdata"]] == [
        row[0] for row in last["customdata"]
    ]
    pulls = np.array([row[1] for row in first["customdata"]])
    assert (first["y"] == np.clip(pulls, -3 * sparse.g, 3 * sparse.g)).all()
    beyond = np.abs(pulls) > 3 * sparse.g
    assert beyond.any()
    symbols = np.array(first["marker"]["symbol"])
    assert ((symbols != "circle") == beyond).all()


def test_without_a_penalty_the_axis_ends_where_pulls_are_after_a_quarter_of_the_run():
    dense = coefficient_run(load_dataset("planted").train, 0.0)
    later = np.abs(dense.pulls[ITERATIONS // 4 :])
    assert dense.limit == later[0].max()
    assert (later > dense.limit).mean() < 0.01
    # At the end of the run all pulls are small.
    assert later[-1].max() < 0.5 * dense.limit


def test_long_names_are_cut_before_their_signs_are_written_for_html(sparse):
    named = sparse._replace(names=tuple("<" * 61 for _ in sparse.names))
    label = pulls_figure(named, 0, 0, COLOUR).layout["annotations"][0]["text"]
    assert label.replace("<br>", "") == f"<b>{59 * '&lt;'}…</b>"


@pytest.mark.parametrize(("g", "words"), [(0.0, []), (1.0, ["dead zone"])])
def test_a_dead_zone_is_named_where_there_is_one(sparse, g, words):
    notes = life_figure(sparse._replace(g=g), 0, 0, COLOUR).layout["annotations"]
    texts = [note["text"] for note in notes if not note["showarrow"]]
    assert [word for word in words if word in texts[0]] == words
    assert len(texts) == len(words)
