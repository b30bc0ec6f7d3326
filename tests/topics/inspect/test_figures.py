"""The Inspector's figure: places, forces, swaps, ghosts."""

import numpy as np
import pytest

from rankcore import measures
from rankcore.algorithms import get_algorithm
from rankcore.data.dataset import RankingDataset
from rankcore.plot.palette import DARK, LIGHT
from rankcore.plot.style import LINE_HEIGHT
from rankcore.topics.inspect import edits, inspection, ranking
from rankcore.topics.inspect.edits import DocumentEdit
from rankcore.topics.inspect.inspection import Inspection, Side
from rankcore.topics.inspect.inspection_figure import TRACES, orders_figure
from tests.viewing import trace

SCORES = np.array([0.9, 0.5, 0.4, 0.1])
LABELS = [0, 1, 2, 0]
MEASURE = measures.parse("nDCG")


def inspected(changes=(), second=None, forces=True):
    data = RankingDataset.from_arrays(
        SCORES[:, None], LABELS, doc_ids=list("abcd"), doc_texts=["x < y", "", "", ""]
    )
    query = edits.applied(data.query(0), changes)
    scores = query.X[:, 0]
    model = ranking.order_by(scores, query.y, MEASURE)
    sides = [
        Side("RSRank", model, scores),
        Side("Ideal", ranking.ideal_order(model, query.y, MEASURE)),
    ]
    if second is not None:
        sides.append(Side("Other", ranking.order_by(second, query.y, MEASURE), second))
    pushed = inspection.forces(get_algorithm("RSRank")(), query, scores)
    return Inspection(
        query,
        sides,
        "nDCG",
        ranking.order_by(SCORES, LABELS, MEASURE).places,
        inspection.swap_effects(model, query.y, MEASURE),
        pushed if forces else None,
        "RSRank",
        sorted({edit.row for edit in changes}),
    )


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_each_column_has_its_documents_from_the_top_down(palette):
    result = inspected(second=-SCORES)
    picture = orders_figure(result, 2, palette)
    texts = [[word[0] for word in trace(picture, name)["text"]] for name in TRACES]
    # The first document has a title.
    assert texts == [list("xbcd"), list("cbxd"), list("dcbx")]
    framed = trace(picture, "model")["marker"]["line"]["width"]
    assert np.flatnonzero(framed).tolist() == [2]
    assert "x &lt; y" in trace(picture, "model")["customdata"][0]
    picture.figure()


def test_names_of_columns_stand_above_the_first_row_in_type_of_any_size():
    drawn = orders_figure(inspected(), 0, rows=20).layout
    (last, top), names = drawn["yaxis"]["range"], drawn["annotations"]
    assert last > 0 > top
    for name in names:
        assert (name["y"], name["yanchor"]) == (top, "bottom"), name["text"]
        rows = 1 + name["text"].count("<br>")
        assert LINE_HEIGHT * rows + name.get("yshift", 0) <= drawn["margin"]["t"]


def test_arrows_point_where_the_surrogate_improves():
    result = inspected()
    marker = trace(orders_figure(result, 0), "forces")["marker"]
    up = ["triangle-up" if force > 0.0 else "triangle-down" for force in result.forces]
    assert marker["symbol"].tolist() == up
    bare = orders_figure(inspected(forces=False), 0)
    assert "forces" not in [t.get("name") for t in bare.data]


def test_effects_stand_between_the_documents_that_would_swap():
    result = inspected()
    figure = orders_figure(result, 0)
    drawn = trace(figure, "effects")
    notes = dict(zip(drawn["y"].tolist(), drawn["text"], strict=True))
    # The label 1 above the label 0, then 2 above 1; the last two would lose.
    assert notes[0.5].startswith("<b>+")
    assert notes[1.5].startswith("<b>+")
    assert notes[2.5].startswith("−")
    assert "raises it most" in figure.alt


def test_a_changed_document_leaves_a_ghost():
    still = orders_figure(inspected([DocumentEdit(3, 0, 0.2)]), 3)
    assert "before" not in [t.get("name") for t in still.data]
    moved = orders_figure(inspected([DocumentEdit(3, 0, 0.95)]), 3)
    assert np.nanmean(trace(moved, "before")["y"][1:5]) == pytest.approx(3.0)
    rows = moved.numbers()
    assert [row["document"] for row in rows] == ["d", "x < y", "b", "c"]


def test_long_lists_are_cut_and_their_lines_leave_at_the_bottom():
    picture = orders_figure(inspected(), 0, rows=2)
    assert len(trace(picture, "model")["y"]) == 2
    ends = [t["y"] for t in picture.data if t.get("mode") == "lines" and len(t["y"])]
    assert max(np.nanmax(y) for y in ends) < 2.0


def test_a_query_without_relevant_documents_is_drawn():
    data = RankingDataset.from_arrays([[0.1], [0.2]], [0, 0])
    query, scores = data.query(0), data.X[:, 0]
    order = ranking.order_by(scores, query.y, MEASURE)
    effects = inspection.swap_effects(order, query.y, MEASURE)
    sides = [Side("A", order, scores), Side("Ideal", order)]
    forces = np.zeros(2)
    result = Inspection(query, sides, "nDCG", order.places, effects, forces, "RSRank")
    picture = orders_figure(result, 0)
    assert set(trace(picture, "forces")["marker"]["symbol"]) == {"circle-open"}
    assert "No swap of neighbours raises it." in picture.alt
    picture.figure()
