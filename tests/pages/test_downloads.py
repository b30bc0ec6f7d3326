"""What the pages without a table of their own let one take away."""

import pytest

from pages.ui.away import links, reports
from pages.ui.lessons import store as lesson_store


def taken(page, **chosen):
    """The labels of what the open export menu offers."""
    page.session_state["downloads"] = True
    for key, value in chosen.items():
        page.session_state[key] = value
    page.run()
    assert not page.exception
    return [button.label for button in page.get("download_button")]


def test_lessons_are_given_as_steps_and_as_their_files(run_page):
    page = run_page("lessons")
    offered = taken(page)

    assert {"Steps as CSV", "Download report"} < set(offered)
    assert "Steps as LaTeX" in taken(page, table_format="LaTeX")
    for name, path in lesson_store.files().items():
        assert {path.name, f"{name}.html"} < set(offered)


@pytest.mark.parametrize("name", ["lessons", "data", "measures", "train"])
def test_a_file_is_made_only_when_it_is_taken(run_page, name):
    """A file at an address would be fetched, and be gone when its page is left."""
    page = run_page(name, data="toy-2d")
    page.session_state["downloads"] = True
    page.run()

    buttons = [button.proto for button in page.get("download_button")]
    assert buttons
    assert all(button.deferred_file_id and not button.url for button in buttons)


@pytest.mark.parametrize("name", ["measures", "train", "cones"])
def test_a_view_offers_a_report_and_ways_to_the_same(run_page, name):
    page = run_page(name, data="toy-2d")
    before = taken(page)
    copied = {block.value.splitlines()[0] for block in page.code}

    assert before[0] == "Download report"
    assert any(line.startswith(f"http://127.0.0.1:8501/{name}") for line in copied)
    assert any(line.startswith("rankscope ") for line in copied)
    assert any(line.startswith("from rankcore") for line in copied)


def test_nothing_of_another_view_is_offered_where_a_view_has_nothing_to_show(run_page):
    page = run_page("cones", data="toy-2d")
    assert taken(page)
    refused = {
        "cone_source": "any data set",
        "cone_along": "features",
        "cone_features": ("1",),
    }
    assert taken(page, **refused) == []


def test_the_report_of_a_page_is_what_it_shows(run_page):
    page = run_page("measures")
    taken(page)
    button = page.get("download_button")[0].proto
    content = page.session_state["what the stage shows"]
    html = reports.of_stage(links.opened("measures"), content.now.values, content.study)

    assert button.deferred_file_id
    for panel in content.shown.panels():
        assert panel.picture.alt.split("'")[0] in html


def popovers(page):
    """The labels of the buttons that open something, by their keys."""
    blocks = [block.proto for block in page.get("popover")]
    return {block.id.rsplit("-", 1)[-1]: block.popover.label for block in blocks}


def test_each_figure_has_a_button_that_says_whose_data_it_opens(run_page):
    labels = popovers(run_page("measures"))

    assert labels["data_of_terms"] == "Data:gray[ of Terms of nDCG@5]"
    assert {"data_of_terms", "data_of_moving"} < set(labels)


def test_data_are_made_when_they_are_asked_for(run_page):
    page = run_page("measures")
    before = len(page.dataframe)
    assert not page.get("download_button")

    page.session_state["data_of_terms"] = True
    page.run()

    assert len(page.dataframe) == before + 1
    table = next(t.value for t in page.dataframe if "document" in t.value)
    assert table["document"].tolist() == ["A", "B", "C", "D", "E"]
    taken = [button.proto for button in page.get("download_button")]
    assert [button.label for button in taken] == ["CSV"]
    assert taken[0].deferred_file_id


def test_a_figure_is_one_element_and_its_button_another(run_page):
    page = run_page("data", data="toy-2d")
    figures = [
        list(block.children.values())
        for block in page.get("flex_container")
        if {"popover", "bidi_component"} <= {c.type for c in block.children.values()}
    ]

    assert len(figures) >= 3
    assert {len(children) for children in figures} == {2}
