"""Documents compared by a cone, and the pictures of them and their differences."""

import numpy as np
import pytest

from rankcore import ConeRank
from rankcore.data.catalogue import load_dataset
from rankcore.plot.palette import DARK, LIGHT
from rankcore.topics.cones.documents import compare_documents, first_query
from rankcore.topics.cones.documents_figure import (
    documents_figure,
    query_differences_figure,
)
from rankcore.topics.cones.sight import toy_scene
from rankcore.topics.cones.trained import train_cone
from tests.viewing import trace

SCENE = toy_scene(load_dataset("toy-2d").train)
CONE = train_cone(SCENE.dataset, ConeRank(n_basis=2, standardise="no"))
PLACES = first_query(SCENE).X


def compared(places=PLACES, centre=0, cone=CONE):
    return compare_documents(SCENE, cone, 30, places, centre)


@pytest.mark.parametrize("centre", range(7))
def test_better_documents_are_those_in_the_cone_drawn_at_one(centre):
    result = compared(centre=centre)
    weights = np.linalg.solve(CONE.last, (PLACES - PLACES[centre]).T)
    others = np.arange(7) != centre

    assert (result.better == ((weights >= 0.0).all(axis=0) & others)).all()
    assert (result.worse == ((weights <= 0.0).all(axis=0) & others)).all()
    # Every other document is in one of the three kinds.
    kinds = result.better.astype(int) + result.worse + result.apart
    assert kinds.tolist() == others.astype(int).tolist()


def test_a_moved_document_moves_its_differences_and_not_the_cone():
    moved = PLACES.copy()
    moved[3] += 0.5, -0.25
    before, after = compared(), compared(moved)
    with_it = (before.points.better == 3) | (before.points.worse == 3)
    changed = (before.points.z != after.points.z).any(axis=1)

    assert changed.tolist() == with_it.tolist()
    assert 0 < with_it.sum() < len(with_it)
    assert (before.view.basis == after.view.basis).all()


def test_kinds_are_named_in_sentences():
    words = compared(centre=5).in_words()
    better = ", ".join(f"x{i + 1}" for i in np.flatnonzero(compared(centre=5).better))
    assert words.startswith(f"Better than x6: {better}. Worse: ")
    assert words.endswith(".")


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_cone_is_drawn_at_the_document_and_arrows_are_its_differences(palette):
    result = compared(centre=4)
    documents = documents_figure(result, PLACES, palette)
    differences = query_differences_figure(result, palette)
    marks, arrows, rays = (
        trace(documents, "documents"),
        trace(documents, "pairs with x"),
        trace(differences, "differences with x"),
    )

    assert marks["meta"] == {"drag": "xy"}
    assert [marks["x"], marks["y"]] == PLACES.T.tolist()
    corner = trace(documents, "cone")
    assert (corner["x"][0], corner["y"][0]) == pytest.approx(tuple(PLACES[4]))
    ends = np.array([arrows["x"], arrows["y"]]).T.reshape(-1, 3, 2)
    tips = np.array([rays["x"], rays["y"]]).T.reshape(-1, 3, 2)[:, 1]
    ways = ends[:, 1] - ends[:, 0]
    # Differences on the right are shorter, and point as the arrows on the left do.
    assert ways[:, 0] * tips[:, 1] == pytest.approx(ways[:, 1] * tips[:, 0])
    assert ((ways * tips).sum(axis=1) > 0.0).all()
    notes = [note["text"] for note in documents.layout["annotations"]]
    assert "<b>x5 + K:<br>better</b>" in notes
    assert "<b>not<br>comparable</b>" in notes
    assert "in the cone" in differences.numbers()
    for picture in (documents, differences):
        picture.figure()


def test_words_stand_whole_in_their_regions_and_away_from_documents():
    ends = np.array([[-1.0, 5.0], [-1.0, 5.0]])
    half = np.array([[x, y] for x in (-0.6, 0.6) for y in (-0.4, 0.4)])
    named = [0, 0, 0]
    for centre in range(7):
        places = compared(centre=centre).free_places(ends)
        for kind, place in enumerate(places):
            if place is None:
                continue
            named[kind] += 1
            corners = place + half
            assert corners.min() >= -1.0
            assert corners.max() <= 5.0
            weights = np.linalg.solve(CONE.last, (corners - PLACES[centre]).T)
            signs = np.sign(weights).sum(axis=0)
            assert signs.tolist() == [(2, -2, 0)[kind]] * 4
            assert np.abs(PLACES - place).max(axis=1).min() > 0.1
    # Beside both there is room at each document, in either cone at most of them.
    assert named[2] == 7
    assert min(named) >= 4


def test_a_cone_of_the_whole_plane_compares_nothing():
    whole = train_cone(SCENE.dataset, ConeRank(n_basis=4, standardise="no"))
    result = compared(cone=whole)
    assert result.view.opening == 2.0
    assert documents_figure(result, PLACES).layout["annotations"] == []
    assert "Better and worse at once: x2, x3, x4, x5, x6, x7." in result.in_words()
