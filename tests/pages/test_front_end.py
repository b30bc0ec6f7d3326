"""What styles and scripts read of Streamlit's front end and of Plotly."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import plotly
import pytest
import streamlit
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
FRONT_END = Path(streamlit.__file__).parent / "static" / "static" / "js"
LIVE = ROOT / "live_figure" / "assets"
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


@pytest.mark.unit
def test_one_script_alone_reads_what_plotly_keeps_to_itself():
    scripts = {path.name: path.read_text("utf-8") for path in LIVE.glob("*.js")}
    inner = {name for name, text in scripts.items() if re.search(r"\w\??\._\w", text)}
    assert inner == {"plotly_compat.js"}


@pytest.mark.unit
def test_both_bundles_of_plotly_have_one_major_version():
    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    plane = LIVE / "plotly" / "plotly-cartesian.min.js"
    versions = {
        re.search(r"plotly\.js.* v(\d+)\.", path.read_text("utf-8")[:200])[1]
        for path in (whole, plane)
    }
    assert len(versions) == 1


@pytest.mark.unit
def test_the_live_figure_imports_nothing_of_the_project():
    """It could be published by itself, with what its ``pyproject.toml`` names."""
    folder = LIVE.parent
    values = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                values |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                values.add((node.module or "").split(".")[0])
    assert values - set(sys.stdlib_module_names) == {"streamlit", folder.name}
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    items = {"plotly", "streamlit"}
    assert {
        Requirement(one).name for one in project["project"]["dependencies"]
    } == items
    app = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["project"]["dependencies"]) <= set(
        app["optional-dependencies"]["app"]
    )
    packed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    names = {path.name for path in folder.iterdir() if path.suffix in ("", ".py")}
    assert set(packed) == names - {"__pycache__"}


@pytest.mark.unit
def test_scripts_of_figures_import_nothing_from_elsewhere():
    """Their folder and Plotly are all that they need, so it can be taken by itself."""
    for path in LIVE.glob("*.js"):
        taken = re.findall(r"""(?:from|URL\()\s*"([^"]+)\"""", path.read_text("utf-8"))
        folder = {f"./{one.name}" for one in LIVE.iterdir()} | {"live.js"}
        folder |= {"./plotly/plotly-cartesian.min.js"}
        assert set(taken) <= folder | {"../live_figure.plotly/plotly.min.js"}, path
