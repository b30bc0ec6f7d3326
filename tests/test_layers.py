"""Arrows point one way: pages, then what pages share, then the computation."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "rankcore").rglob("*.py"))
CHARTS = sorted((ROOT / "rankcore" / "charts").glob("[!_]*.py"))
DRAWING = ("plotly.graph_objs", "plotly.express", "plotly.subplots")


def imported(path: Path) -> set[str]:
    """What a module imports anywhere, also inside its functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_computation_knows_nothing_of_the_app(path):
    assert not packages(path) & {"streamlit", "pages", "app"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_only_charts_import_plotly(path):
    drawing = path.is_relative_to(ROOT / "rankcore" / "charts")
    assert drawing or "plotly" not in packages(path)


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=str)
def test_pages_leave_drawing_to_the_charts(path):
    assert not {name for name in imported(path) if name.startswith(DRAWING)}


def test_app_holds_page_configuration_and_navigation_only():
    lines = (ROOT / "app.py").read_text("utf-8").splitlines()

    assert len(lines) < 30
    assert packages(ROOT / "app.py") == {"streamlit"}


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("rankcore", {"numba", "pandas", "plotly", "scipy", "sklearn", "streamlit"}),
        ("rankcore.charts.palette", {"numba", "pandas", "plotly", "sklearn"}),
        ("rankcore.insight.toy", {"numba", "pandas", "plotly", "sklearn"}),
        (
            "rankcore.algorithms; rankcore.algorithms.list_algorithms()",
            {"numba", "lightgbm", "xgboost", "sklearn.ensemble", "plotly", "streamlit"},
        ),
    ],
)
def test_importing_loads_nothing_heavy(module, heavy):
    program = f"import sys, {module}; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )

    assert not heavy & set(answer.stdout.split())


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path.stem)
def test_functions_that_draw_a_picture_are_named_figures(path):
    functions = [
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    drawing = {f.name for f in functions if ast.unparse(f.returns) == "Picture"}

    assert drawing == {f.name for f in functions if f.name.endswith("_figure")}
