"""The Measures page, and the rankings it holds in its link."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import measure_panels, sortable
from pages.ui.sortable import Ranked
from rankcore.catalogue import load_dataset
from rankcore.insight.measure_terms import tied_values


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_measures_draws_its_figures(request, runner, drawn):
    page = request.getfixturevalue(runner)("measures")

    assert not page.exception
    assert page.title[0].value == "Measures"
    charts = drawn(page)
    assert list(charts) == ["terms", "moving"]
    assert all(chart["alt"] for chart in charts.values())


def test_a_link_holds_the_ranking(run_page, drawn):
    page = run_page("measures", ranking="B4-A0-C1", taken_apart="AP")

    assert not page.exception
    bars = drawn(page)["terms"]["data"][0]
    assert bars["x"] == ["1<br>B", "2<br>A", "3<br>C"]
    assert page.number_input(key="documents").value == 3


@pytest.mark.parametrize("nonsense", ["", "A9-B0", "A1-A2", "A1", "x", "A1--B2"])
def test_nonsense_in_a_link_gives_the_default(run_page, nonsense):
    page = run_page("measures", ranking=nonsense)

    assert not page.exception
    assert page.number_input(key="documents").value == 5


def test_documents_can_be_added_and_taken_away(run_page):
    page = run_page("measures", ranking="B4-A0-C1")
    page.number_input(key="documents").set_value(4).run()
    assert page.query_params["ranking"] == "B4-A0-C1-D0"
    page.number_input(key="documents").set_value(2).run()
    assert page.query_params["ranking"] == "B4-A0"


@pytest.mark.parametrize("preset", range(5))
def test_presets_draw(run_page, preset):
    page = run_page("measures")
    page.pills(key="preset").set_value(page.pills(key="preset").options[preset])
    page.run()

    assert not page.exception


def test_a_ranking_reads_back():
    documents = [Ranked("C", 2), Ranked("A", 0)]

    assert sortable.read(sortable.write(documents)) == documents


def test_every_term_of_every_measure_is_shown(run_page):
    """Worked by hand: labels 0, 2, 1 in this order, k = 2."""
    page = run_page("measures", ranking="A0-B2-C1", cutoff="2")
    shown = page.dataframe[0].value.set_index("the list")

    assert shown.index.tolist() == ["1. A · 0", "2. B · 2", "3. C · 1", "sum"]
    assert shown["nDCG@2"].tolist() == ["0.000", "0.521", "0.000", "0.521"]
    assert shown["AP"].tolist() == ["0.000", "0.250", "0.333", "0.583"]
    assert shown["RR"].tolist() == ["0.000", "0.500", "0.000", "0.500"]
    assert shown["ERR"].tolist() == ["0.000", "0.094", "0.017", "0.111"]
    assert shown["P@2"].tolist() == ["0.000", "0.500", "0.000", "0.500"]


@pytest.mark.parametrize("convention", ["standard", "letor3"])
def test_rules_for_ties_follow_the_convention_of_the_page(run_page, convention):
    page = run_page("measures", convention=convention)
    page.pills(key="preset").set_value("Equal scores at the top").run()
    shown = page.dataframe[1].value.set_index("measure")

    for measure in measure_panels.measures(5):
        rules = tied_values([0, 0, 2, 1, 0], 1, 4, measure, convention)
        for rule in ("mean", "best", "worst", "middle rank"):
            assert shown.loc[str(measure), rule] == f"{rules[rule]:.3f}"
    headings = " ".join(html.proto.body for html in page.get("html"))
    assert f"the first 4 tied, under {convention}" in headings


def test_a_link_says_which_document_moves_and_reset_takes_it_back(run_page, drawn):
    page = run_page("measures", mover="C")
    assert page.selectbox(key="choose_mover").value == "C"
    assert "the score of C" in drawn(page)["moving"]["alt"]
    page.selectbox(key="choose_mover").select("D").run()
    assert page.query_params["mover"] == "D"
    page.button(key="reset").click().run()

    assert page.selectbox(key="choose_mover").value == "A"
    assert "mover" not in page.query_params


def test_a_document_that_is_not_in_the_list_does_not_move(run_page):
    page = run_page("measures", mover="Z", ranking="B4-C1")

    assert not page.exception
    assert page.selectbox(key="choose_mover").value == "B"


def take(page, **chosen):
    """Open the popover, choose in it and press its button."""
    page.session_state["ranking_take"] = True
    page.run()
    for key, value in chosen.items():
        page.session_state[key] = value
        page.run()
    page.button(key="ranking_take_it").click().run()
    assert not page.exception
    return [document.label for document in sortable.read(page.query_params["ranking"])]


@pytest.mark.parametrize("data", ["toy-2d", "planted", "mslr10k-sample"])
def test_the_first_documents_of_a_query_become_the_list(run_page, data):
    page = run_page("measures", data=data)
    shown = take(page, query=2)

    own = load_dataset(data).train.query(1).y[: sortable.MOST]
    assert shown == own.clip(max=sortable.HIGHEST).tolist()
    assert page.number_input(key="documents").value == len(own)


def test_a_query_can_be_taken_in_the_order_of_a_feature(run_page):
    train = load_dataset("planted").train
    name = train.feature_names[1]
    shown = take(run_page("measures", data="planted"), ranking_order=name)

    own = train.query(0)
    best = own.y[(-own.X[:, 1]).argsort(kind="stable")][: sortable.MOST]
    assert shown == best.tolist()
    assert shown != own.y[: sortable.MOST].tolist()


def test_data_that_is_not_here_is_said_where_a_query_is_taken(run_page):
    page = run_page("measures", data="upload-00000000")
    page.session_state["ranking_take"] = True
    page.run()

    assert not page.exception
    assert "not here" in page.warning[0].value


def test_a_query_of_one_document_gets_another_that_is_irrelevant():
    page = AppTest.from_function(lone).run()

    assert not page.exception
    assert page.query_params["ranking"] == "A4-B0"


def lone():
    from pages.ui import sortable

    sortable.fill("ranking", [7])
