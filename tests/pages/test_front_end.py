"""Names of Streamlit's front end that styles and scripts of the app are written for."""

import re
from pathlib import Path

import pytest
import streamlit

ROOT = Path(__file__).parents[2]
FRONT_END = Path(streamlit.__file__).parent / "static" / "static" / "js"
TEST_ID = re.compile(r"""data-testid[~^*$|]?=\\?["']?([\w-]+)""")


@pytest.mark.unit
def test_each_test_id_of_styles_and_scripts_is_one_of_streamlit():
    used = {
        name: path.name
        for ending in ("css", "html", "js", "py")
        for path in (ROOT / "pages").rglob(f"*.{ending}")
        for name in TEST_ID.findall(path.read_text("utf-8"))
    }
    assert "stMain" in used
    written = set()
    for path in FRONT_END.glob("*.js"):
        written |= set(re.findall(r"""["'`](st[A-Z][\w-]*)""", path.read_text("utf-8")))
    assert {name: place for name, place in used.items() if name not in written} == {}
