"""Arrows point one way: pages, then what pages share, then the computation."""

import ast
import graphlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.documents import blocks

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "rankcore").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
CHARTS = [
    *sorted((ROOT / "rankcore" / "plot").glob("[!_]*.py")),
    *sorted((ROOT / "rankcore" / "topics").rglob("*_figure.py")),
]
DRAWING = ("plotly.graph_objs", "plotly.express", "plotly.subplots")


class Source(NamedTuple):
    """What is in a module: the names it imports anywhere, also inside its functions,
    those private to others among them, the functions it calls, its docstrings, and the
    functions that are too long."""

    imported: set[str]
    private: set[str]
    calls: set[str]
    docstrings: list[str]
    long: set[str]


@cache
def source(path: Path) -> Source:
    """Read a module once in a process."""
    package = path.relative_to(ROOT).parts[:-1]
    here = Source(set(), set(), set(), [], set())
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        here.private.update(private_names(node, package))
        if isinstance(node, ast.Import):
            here.imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            here.imported.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            call = node.func
            here.calls.add(getattr(call, "attr", getattr(call, "id", "")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            here.docstrings.append(ast.get_docstring(node) or "")
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if function and lines_of_body(node) > MOST_LINES_OF_BODY:
            here.long.add(f"{path.relative_to(ROOT)} {node.name}")
    return here


def packages(path: Path) -> set[str]:
    return {name.split(".")[0] for name in source(path).imported}


def test_computation_knows_nothing_of_the_app():
    app = {"streamlit", "pages", "app"}
    assert not [path for path in MODULES if packages(path) & app]


def test_only_charts_import_plotly():
    plain = {path for path in MODULES if path.parent.name != "plot"} - set(CHARTS)
    assert not [path for path in plain if "plotly" in packages(path)]


def test_pages_leave_drawing_to_the_charts():
    for path in PAGES:
        names = source(path).imported
        assert not {name for name in names if name.startswith(DRAWING)}, path


def recipes() -> dict[str, str]:
    """The Python of the documents, by its place there."""
    return dict([*blocks("python"), *blocks("py")])


def private_imports(text: str, package: tuple[str, ...]) -> set[str]:
    """The names that code of a module in ``package`` imports although they are private
    to another package of this project."""
    nodes = ast.walk(ast.parse(text))
    return {name for node in nodes for name in private_names(node, package)}


def private_names(node: ast.AST, package: tuple[str, ...]) -> set[str]:
    """Those that one statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        parents = package[: len(package) - node.level + 1] if node.level else ()
        base = [*parents, *(node.module or "").split(".")]
        names = [".".join([*base, alias.name]) for alias in node.names]
    else:
        return set()
    return {name for name in names if not may_import(name.split("."), package)}


def may_import(name: list[str], package: tuple[str, ...]) -> bool:
    """Whether each private part of a dotted name belongs to a package around
    ``package``, or to none of this project."""
    return name[0] not in ("rankcore", "pages", "benchmarks") or all(
        tuple(name[:place]) == package[:place]
        for place, part in enumerate(name)
        if part.startswith("_") and not part.startswith("__")
    )


def test_private_names_stay_within_their_package():
    others = [*(ROOT / "benchmarks").rglob("*.py"), ROOT / "app.py", ROOT / "server.py"]
    for path in [*MODULES, *PAGES, *others]:
        assert not source(path).private, path


@pytest.mark.parametrize("text", recipes().values(), ids=recipes())
def test_recipes_of_the_readme_need_public_names_only(text):
    assert private_imports(text, ()) == set()


@pytest.mark.parametrize(
    ("line", "package", "private"),
    [
        ("from rankcore._kernels.text import letor", "rankcore/data/readers", False),
        ("from rankcore._kernels.text import letor", "pages/ui", True),
        ("import rankcore._kernels.arithmetic.rows", "benchmarks", True),
        ("from rankcore.measures._measure import Lists", "rankcore/measures", False),
        ("from rankcore.measures._measure import Lists", "rankcore", True),
        ("from rankcore.measures import _measure", "rankcore/insight", True),
        ("from ._measure import Lists", "rankcore/measures", False),
        ("from ..measures._measure import Lists", "rankcore/insight", True),
        ("from rankcore import __version__", "pages", False),
        ("from os import _exit", "pages", False),
    ],
)
def test_private_imports_are_found(line, package, private):
    assert bool(private_imports(line, tuple(package.split("/")))) == private


def test_app_holds_page_configuration_and_navigation_only():
    lines = (ROOT / "app.py").read_text("utf-8").splitlines()

    assert len(lines) < 40
    assert packages(ROOT / "app.py") == {"streamlit"}


# Each with what it must not load; what those before it may load stays loaded.
LIGHT = [
    ("import rankcore", {"numba", "pandas", "plotly", "scipy", "sklearn", "streamlit"}),
    ("import rankcore.plot.palette", {"numba", "pandas", "plotly", "sklearn"}),
    ("import rankcore.topics.home.toy", {"numba", "pandas", "plotly", "sklearn"}),
    (
        "import rankcore.algorithms; rankcore.algorithms.list_algorithms()",
        {"numba", "lightgbm", "xgboost", "sklearn.ensemble", "plotly", "streamlit"},
    ),
    ("import rankcore.topics.explore.search", {"optuna", "plotly", "streamlit"}),
    ("import pages.views.explore.search", {"optuna", "plotly"}),
]


def test_importing_loads_nothing_heavy():
    lines = (f"{line}; print(*sys.modules)" for line, _ in LIGHT)
    answer = subprocess.run(
        [sys.executable, "-c", "\n".join(["import sys", *lines])],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = answer.stdout.splitlines()
    for (line, heavy), names in zip(LIGHT, loaded, strict=True):
        assert not heavy & set(names.split()), line


def test_functions_that_draw_a_picture_are_named_figures():
    for path in CHARTS:
        functions = [
            node
            for node in ast.parse(path.read_text("utf-8")).body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        ]
        drawing = {f.name for f in functions if ast.unparse(f.returns) == "Picture"}
        named = {f.name for f in functions if f.name.endswith("_figure")}
        assert drawing == named, path


def test_no_helper_of_the_charts_is_written_twice():
    homes: dict[str, list[str]] = {}
    for path in [*CHARTS, ROOT / "rankcore" / "plot" / "__init__.py"]:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                skips = ast.get_docstring(node) is not None
                body = [ast.dump(line) for line in node.body[skips:]]
                names = [argument.arg for argument in node.args.args]
                key = f"{names} {body}"
                homes.setdefault(key, []).append(f"{path.stem}.{node.name}")

    assert not [twice for twice in homes.values() if len(twice) > 1]


def test_the_discount_of_ndcg_is_defined_once():
    """Kernels have it in compiled form, and the toy of the home page loads nothing;
    charts use logarithms for axes, the digest of arithmetic is of any number, and the
    sum of exponentials is fitted to it."""
    apart = (
        *("_kernels/", "mathematics/arithmetic.py", "topics/home/toy.py"),
        *("measures/cumulated_gain.py", "mathematics/discount_terms.py"),
    )
    for path in set(MODULES) - set(CHARTS):
        here = path.relative_to(ROOT / "rankcore").as_posix()
        assert here.startswith(apart) or "log2" not in source(path).calls, path


def test_naming_measures_does_not_import_its_own_package():
    for path in (ROOT / "rankcore" / "measures").glob("_*.py"):
        names = source(path).imported if path.name != "__init__.py" else set()
        values = {name for name in names if name.startswith("rankcore.measures")}

        assert all(name.startswith("rankcore.measures._") for name in values)


def test_docstrings_name_the_thing():
    for path in [*MODULES, *PAGES]:
        texts = source(path).docstrings
        assert not [text for text in texts if text.startswith("What ")], path


@cache
def module(name: str) -> Path | None:
    """The file of a module or package of this project, or of one that has the name."""
    for words in (name.split("."), name.split(".")[:-1]):
        whole = ROOT.joinpath(*words)
        for path in (whole.with_suffix(".py"), whole / "__init__.py"):
            if path.exists():
                return path
    return None


# From the lowest; CONTRIBUTING says what each is.
ROOMS = (
    "base", "_kernels", "compute", "mathematics", "data", "measures", "training",
    "algorithms", "studies", "plot", "topics", "views", "reports", "cli",
)  # fmt: skip


def test_the_rooms_of_the_package_are_these():
    there = {path.stem for path in (ROOT / "rankcore").iterdir()} - {"__pycache__"}
    assert there - {"py"} == {*ROOMS, "__init__", "_old_paths"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_from_those_below(room):
    above = {f"rankcore.{name}" for name in ROOMS[ROOMS.index(room) + 1 :]}
    for path in (ROOT / "rankcore" / room).rglob("*.py"):
        values = {".".join(name.split(".")[:2]) for name in source(path).imported}
        assert not values & above, path


def test_contributing_says_what_each_room_is():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(ROOMS)


def test_no_modules_import_each_other_in_a_circle():
    graph = {
        path: {module(name) for name in source(path).imported}
        for path in [*MODULES, *PAGES]
    }
    for path, result in graph.items():
        # A package offers the names of its modules, which use one another.
        result -= {None, path, path.with_name("__init__.py")}
    assert list(graphlib.TopologicalSorter(graph).static_order())


MOST_LINES_OF_BODY = 50
# Lists and tables, and what stays to be split.
LONG_FUNCTIONS = {
    "pages/views/explore/trade_offs.py show",
    "pages/views/sparsity/compare_rules.py show",
    "rankcore/_kernels/losses/approximation.py _visit_rows",
    "rankcore/_kernels/arithmetic/tiles.py add_tile",
    "rankcore/data/formats/parts/columns.py not_finite",
    "rankcore/data/formats/parts/refusals.py _reason",
    "rankcore/studies/paths.py path",
    "rankcore/studies/store/migrations/versions/0001_runs.py upgrade",
    "rankcore/topics/explore/trade_offs_figure.py trade_off_figure",
}


def lines_of_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[ast.get_docstring(function) is not None :]
    return function.end_lineno - body[0].lineno + 1 if body else 0


def test_a_function_can_be_read_at_once():
    long = [source(path).long for path in [*MODULES, *PAGES]]
    assert set().union(*long) == LONG_FUNCTIONS
