"""Every page as Streamlit's own test runner draws it, with nothing patched."""

import subprocess
import sys
from pathlib import Path

import pytest

from pages.ui.catalogue import pages
from tests.soaking import soak

ROOT = Path(__file__).parents[2]
LOOK = """
import logging, sys
logging.disable(logging.CRITICAL)
from pages.ui.catalogue import pages
from streamlit.testing.v1 import AppTest

test = AppTest.from_file("app.py", default_timeout=100)
for page in map(pages().get, sys.argv[1:]):
    for view in page.views:
        if page.name == "home":
            test = AppTest.from_file("app.py", default_timeout=100)
        else:
            test.switch_page(f"pages/{page.name}.py")
        test.query_params.clear()
        test.query_params.update({page.key: view, "data": "toy-2d"})
        test.run()
        assert not test.exception, (page.name, view, test.exception[0].message)
        assert test.title[0].value == page.title, (page.name, view)
print("all")
"""


# Other tests draw pages on their own.
@pytest.mark.parametrize("runner", [soak("run_page"), "run_app"])
@pytest.mark.parametrize("name", pages())
def test_a_page_opens_with_nothing_set(request, runner, name, drawn):
    """On its own, and by the navigation of the app."""
    page = request.getfixturevalue(runner)(name)

    assert not page.exception
    assert page.title[0].value == pages()[name].title
    assert all(chart["alt"] for chart in drawn(page).values())


@pytest.mark.soak
def test_every_view_of_a_page_is_drawn_by_an_unpatched_runner():
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *pages()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all\n", done.stderr[-2000:]
