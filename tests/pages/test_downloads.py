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
