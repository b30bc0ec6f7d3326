"""The Measures page, and the rankings it holds in its link."""

import pytest

from pages.ui import sortable
from pages.ui.sortable import Ranked


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
