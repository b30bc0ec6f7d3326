"""The Home page: the small ranking, and ways to the other pages."""

import pytest

from rankcore.insight.toy import DOCUMENTS, staircase
from rankcore.views import Table, Toy
from tests.viewing import shown, values, view

STAIRCASE = view("home", "Staircase")


def toy(**chosen):
    (block,) = (b for b in shown(STAIRCASE, **chosen).blocks if isinstance(b, Toy))
    return block.data


def stair(weight):
    """The number of the piece of the staircase at a weight."""
    return next(i for i, p in enumerate(staircase()) if p.start <= weight <= p.end)


def test_the_toy_begins_at_the_weight_of_the_link():
    assert toy(weight=0.25)["start"] == 0.25
    assert values(STAIRCASE, weight=2.0).weight == STAIRCASE.settings[0].default


def test_the_toy_names_every_document_with_its_label():
    names = [document["name"] for document in toy()["documents"]]
    assert names == [f"{document.name} · {document.label}" for document in DOCUMENTS]


def test_presets_are_what_they_say():
    weights = {name: p["weight"] for name, p in STAIRCASE.presets.items()}
    stairs = staircase()
    longest = max(stairs, key=lambda piece: piece.end - piece.start)

    assert weights["Words only"] == 0
    assert weights["Clicks only"] == 1
    assert stairs[stair(weights["The ideal order"])].ndcg == 1
    assert longest.end - longest.start > 0.1
    assert stair(weights["A long stair"]) == stairs.index(longest)
    before = stairs[stair(weights["Just before a jump"])]
    after = stairs[stair(weights["Just before a jump"] + 0.002)]
    assert before.ndcg != after.ndcg


def test_the_table_has_a_row_for_every_stair():
    fold = shown(STAIRCASE).blocks[-1]
    (table,) = fold.blocks()
    assert isinstance(table, Table)
    assert len(table.rows) == len(staircase())
    assert table.rows[0]["Weight of clicks from"] == "0.000"


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_home_draws_and_leads_to_other_pages(request, runner):
    page = request.getfixturevalue(runner)("home")

    assert not page.exception
    assert page.title[0].value == "Home"
    assert "nDCG" in page.markdown[0].value
    assert [code.value.split()[0] for code in page.code] == ["from", "class"]
