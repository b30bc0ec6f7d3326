"""What the pages without a table of their own let one take away."""

import pytest

from pages.ui.lessons import store as lesson_store


def taken(page):
    """The labels of what the open export menu offers."""
    page.session_state["downloads"] = True
    page.run()
    assert not page.exception
    return [button.label for button in page.get("download_button")]


def test_lessons_are_given_as_steps_and_as_their_files(run_page):
    offered = taken(run_page("lessons"))

    assert {"Steps as CSV", "Steps as JSON"} < set(offered)
    assert {path.name for path in lesson_store.files().values()} < set(offered)


@pytest.mark.parametrize("name", ["lessons", "data", "measures", "home", "train"])
def test_a_file_is_made_only_when_it_is_taken(run_page, name):
    """A file at an address would be fetched, and be gone when its page is left."""
    page = run_page(name, data="toy-2d")
    page.session_state["downloads"] = True
    page.run()

    buttons = [button.proto for button in page.get("download_button")]
    assert buttons
    assert all(button.deferred_file_id and not button.url for button in buttons)


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
        if any(child.type == "popover" for child in block.children.values())
        and block.children[0].type == "bidi_component"
    ]

    assert len(figures) >= 3
    assert all(len(children) == 2 for children in figures)
