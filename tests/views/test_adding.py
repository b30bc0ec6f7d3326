"""Adding a setting is a row, a view a file, a page a script, a folder and a line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VIEW = '''
"""A view that somebody adds."""

from rankcore.views import Fact, Number, Panel, Shown, Values, View
from rankcore.plot import Picture

SIZE = Number("added_size", 3, "Size", low=1, high=9, whole=True)


def show(values: Values) -> Shown:
    numbers = list(range(values.added_size))
    trace = {"type": "bar", "x": numbers, "y": numbers}
    picture = Picture([trace], {}).described("Bars rise.", {"number": numbers})
    facts = [Fact("Added", str(values.added_size))]
    return Shown(facts, [Panel("added", "Added", "bars", picture)])


VIEW = View("Added view", "What is added.", [SIZE], show)
'''
PAGE = '''
"""A page that somebody adds."""

from rankcore.views import Page

PAGE = Page(__name__, "Added page", "What is added?")
'''
SCRIPT = """
from pages.ui import frame
from pages.views import added

frame.show(added.PAGE)
"""
# Opens a page, moves the control of the added setting, and says what there is.
LOOK = """
import logging, sys
logging.disable(logging.CRITICAL)
from streamlit.testing.v1 import AppTest
page, key, value = sys.argv[1:]
test = AppTest.from_file("app.py", default_timeout=120)
test.switch_page(f"pages/{page}.py")
test.query_params[key] = value
test.run()
assert not test.exception, test.exception
print(test.title[0].value)
print([w.label for kind in ("slider", "number_input") for w in test.get(kind)])
facts = [html.proto.body for html in test.get("html")]
print(next(body for body in facts if "rs-facts" in body))
print([c.options for c in test.get("segmented_control")])
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the app, whose package rankcore is the one installed."""
    shutil.copytree(ROOT / "pages", tmp_path / "pages")
    shutil.copy(ROOT / "app.py", tmp_path)
    return tmp_path


def look(copy, page, key, value):
    """What is on a page of the copy, as text."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK, page, key, value],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.soak
def test_a_view_is_one_file(copy):
    (copy / "pages" / "views" / "measures" / "added.py").write_text(VIEW)
    init = copy / "pages" / "views" / "measures" / "__init__.py"
    assert "added" not in init.read_text()

    result = look(copy, "measures", "added_size", "5")

    assert "Added view" in result


@pytest.mark.soak
def test_a_setting_is_one_row(copy):
    view = copy / "pages" / "views" / "measures" / "one_list.py"
    row = 'EXTRA = Number("extra", 4, "Extra setting", low=1, high=9, whole=True)\n'
    text = view.read_text().replace("PRESETS = {", f"{row}\nPRESETS = {{", 1)
    view.write_text(
        text.replace("        CUTOFF,\n", "        CUTOFF,\n        EXTRA,\n")
    )

    assert "Extra setting" in look(copy, "measures", "extra", "7")


def test_a_page_is_a_script_a_folder_and_a_line(copy):
    folder = copy / "pages" / "views" / "added"
    folder.mkdir()
    (folder / "__init__.py").write_text(PAGE)
    (folder / "one.py").write_text(VIEW)
    (copy / "pages" / "added.py").write_text(SCRIPT)
    app = copy / "app.py"
    line = '            st.Page("pages/data.py", title="Data"),\n'
    added = '            st.Page("pages/added.py", title="Added"),\n'
    app.write_text(app.read_text().replace(line, line + added))

    result = look(copy, "added", "added_size", "5")

    assert "Added page" in result
    assert "Size" in result
    assert ">5<" in result
