"""Measures: what is shown of a list, and the list that is taken from the data."""

import pytest

from pages.ui import shared
from pages.ui.data.take_query import take_query
from rankcore.data.catalogue import load_dataset
from rankcore.topics.measuring import hand_list
from rankcore.topics.measuring.terms import by_rule, measures_with_terms
from rankcore.views import Act, Notice, Popover, Table, flat
from tests.viewing import shown, values, view

MEASURES = view("measures", "One list")


def table(key, **chosen):
    """The rows of a table in sight."""
    blocks = flat(shown(MEASURES, **chosen).blocks)
    (result,) = (b for b in blocks if isinstance(b, Table) and b.key == key)
    return result


def panel(key, **chosen):
    """A figure."""
    (result,) = (p for p in shown(MEASURES, **chosen).panels() if p.key == key)
    return result


def test_the_rectangles_are_the_documents_of_the_list():
    picture = panel("terms", ranking="B4-A0-C1", terms_of="RR").picture

    assert picture.layout["xaxis"]["ticktext"] == ["1<br>B", "2<br>A", "3<br>C"]


def test_documents_are_added_at_the_end_and_taken_away_there():
    result = values(MEASURES, ranking="B4-A0-C1")

    assert result.documents == 3
    assert shared.DOCUMENTS.writes(result, 4) == {"ranking": "B4-A0-C1-D0"}
    assert shared.DOCUMENTS.writes(result, 2) == {"ranking": "B4-A0"}


def test_a_ranking_reads_back():
    documents = [hand_list.Ranked("C", 2), hand_list.Ranked("A", 0)]

    assert hand_list.read(hand_list.write(documents)) == documents


def test_every_term_of_every_measure_is_shown():
    """Worked by hand: labels 0, 2, 1 in this order, k = 2."""
    rows = table("every_term", ranking="A0-B2-C1", cutoff=2).rows

    assert rows["the list"] == ["1. A · 0", "2. B · 2", "3. C · 1", "sum"]
    assert rows["nDCG@2"] == ["0.000", "0.521", "0.000", "0.521"]
    assert rows["AP"] == ["0.000", "0.250", "0.333", "0.583"]
    assert rows["RR"] == ["0.000", "0.500", "0.000", "0.500"]
    assert rows["ERR"] == ["0.000", "0.094", "0.017", "0.111"]
    assert rows["P@2"] == ["0.000", "0.500", "0.000", "0.500"]


def test_the_terms_of_every_measure_are_exported():
    exports = shown(MEASURES, ranking="A0-B2-C1", cutoff=2).exports()
    rows = exports["Terms of each measure"]

    assert len(rows) == 5 * 3
    assert sum(row["adds"] for row in rows if row["measure"] == "AP") == pytest.approx(
        (1 / 2 + 2 / 3) / 2
    )


@pytest.mark.parametrize("convention", ["standard", "letor3"])
def test_rules_for_ties_follow_the_convention(convention):
    preset = MEASURES.presets["Tied documents at the top"]
    result = table("rules", convention=convention, **preset)

    assert f"the first 4 tied, under {convention}" in result.note
    rows = {row["measure"]: row for row in result.rows}
    assert len(rows) == len(measures_with_terms(5))
    for measure in measures_with_terms(5):
        rules = by_rule([0, 0, 2, 1, 0], 4, measure, convention)
        expected = {rule: f"{value:.3f}" for rule, value in rules.items()}
        assert rows[str(measure)] == {"measure": str(measure)} | expected


def test_where_a_measure_is_undefined_it_is_said():
    result = shown(MEASURES, **MEASURES.presets["No relevant document"])

    assert [fact.number for fact in result.facts] == ["undefined"] * 5


@pytest.mark.parametrize(("chosen", "moved"), [("C", "C"), ("Z", "B"), ("A", "B")])
def test_a_document_of_the_list_moves(chosen, moved):
    result = panel("moving", ranking="B4-C1", moved_document=chosen)

    assert f"the score of {moved}" in result.picture.alt


def test_the_definition_follows_the_measure_and_the_convention():
    chosen = values(MEASURES, terms_of="AP", convention="letor3")

    assert "LETOR 3.0 convention" in MEASURES.explained(chosen)["The measure"]


def popover(**chosen):
    """What is in the popover that takes a query."""
    query = take_query(shared.RANKING, values(MEASURES, **chosen))
    assert isinstance(query, Popover)
    return list(query.blocks())


def taken(**chosen):
    """The labels of the list that is taken."""
    (act,) = (block for block in popover(**chosen) if isinstance(block, Act))
    result = hand_list.read(act.changes()["ranking"])
    return [document.label for document in result]


@pytest.mark.parametrize("data", ["toy-2d", "planted", "mslr10k-sample"])
def test_the_first_documents_of_a_query_become_the_list(data):
    result = load_dataset(data).train.query(1).y[: hand_list.MOST]

    assert taken(data=data, query=2) == result.clip(max=hand_list.HIGHEST).tolist()


def test_data_that_is_not_here_is_said_where_a_query_is_taken():
    blocks = popover(data="upload-00000000")

    assert "not here" in blocks[-1].text
    assert not any(isinstance(block, Notice) for block in popover(data="toy-2d"))


def test_a_query_of_one_document_gets_another_that_is_irrelevant():
    assert hand_list.labelled([7]) == "A4-B0"


def test_a_query_is_taken_on_the_page(run_page):
    page = run_page("measures", data="planted", query="2")
    page.session_state["take_into_ranking"] = True
    page.run()
    page.button(key="take_ranking").click().run()
    page.run()

    assert not page.exception
    result = load_dataset("planted").train.query(1).y[: hand_list.MOST]
    assert page.number_input(key="documents#1").value == len(result)
    assert page.query_params["ranking"] == hand_list.labelled(result)
