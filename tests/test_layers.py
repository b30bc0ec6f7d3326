"""Arrows point one way: pages, then what pages share, then the computation."""

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "rankcore").rglob("*.py"))
CHARTS = [
    *sorted((ROOT / "rankcore" / "plot").glob("[!_]*.py")),
    *sorted((ROOT / "rankcore" / "topics").rglob("*_figure.py")),
]
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
    drawing = path in CHARTS or path.parent.name == "plot"
    assert drawing or "plotly" not in packages(path)


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=str)
def test_pages_leave_drawing_to_the_charts(path):
    assert not {name for name in imported(path) if name.startswith(DRAWING)}


def recipes() -> dict[str, str]:
    """The Python of the README, by its place there."""
    found = re.finditer(
        r"^```python\n(.*?)^```",
        (ROOT / "README.md").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    return {f"README.md, block {n}": block[1] for n, block in enumerate(found, start=1)}


def product() -> dict[str, str]:
    """The source of all code but the tests, by its path."""
    folders = ("rankcore", "pages", "benchmarks")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for path in sorted([*files, ROOT / "app.py", ROOT / "server.py"])
    }


def private_imports(source: str, package: tuple[str, ...]) -> set[str]:
    """The names that ``source``, of a module in ``package``, imports although they are
    private to another package of this project."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else ()
            base = [*parents, *(node.module or "").split(".")]
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        found |= {name for name in names if not may_import(name.split("."), package)}
    return found


def may_import(name: list[str], package: tuple[str, ...]) -> bool:
    """Whether each private part of a dotted name belongs to a package around
    ``package``, or to none of this project."""
    return name[0] not in ("rankcore", "pages", "benchmarks") or all(
        tuple(name[:place]) == package[:place]
        for place, part in enumerate(name)
        if part.startswith("_") and not part.startswith("__")
    )


@pytest.mark.parametrize(("place", "source"), product().items(), ids=product())
def test_private_names_stay_within_their_package(place, source):
    assert private_imports(source, Path(place).parts[:-1]) == set()


@pytest.mark.parametrize(("place", "source"), recipes().items(), ids=recipes())
def test_recipes_of_the_readme_need_public_names_only(place, source):
    assert private_imports(source, ()) == set()


@pytest.mark.parametrize(
    ("line", "package", "private"),
    [
        ("from rankcore._kernels import rows", "rankcore/data/readers", False),
        ("from rankcore._kernels import rows", "pages/ui", True),
        ("import rankcore._kernels.rows", "benchmarks", True),
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


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("rankcore", {"numba", "pandas", "plotly", "scipy", "sklearn", "streamlit"}),
        ("rankcore.plot.palette", {"numba", "pandas", "plotly", "sklearn"}),
        ("rankcore.topics.home.toy", {"numba", "pandas", "plotly", "sklearn"}),
        ("rankcore.topics.explore.search", {"optuna", "plotly", "streamlit"}),
        ("pages.views.explore.search", {"optuna", "plotly"}),
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


def calls_of(path: Path) -> set[str]:
    """The names of the functions that a module calls."""
    calls = [n.func for n in ast.walk(ast.parse(path.read_text("utf-8")))
             if isinstance(n, ast.Call)]  # fmt: skip
    return {getattr(call, "attr", getattr(call, "id", "")) for call in calls}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_discount_of_ndcg_is_defined_once(path):
    """Kernels have it in compiled form, and the toy of the home page loads nothing;
    charts use logarithms for axes, the digest of arithmetic is of any number, and the
    sum of exponentials is fitted to it."""
    here = path.relative_to(ROOT / "rankcore").as_posix()
    apart = (
        *("_kernels/", "mathematics/arithmetic.py", "topics/home/toy.py"),
        *("measures/cumulated_gain.py", "mathematics/discount_terms.py"),
    )

    apart_or_drawn = here.startswith(apart) or path in CHARTS
    assert apart_or_drawn or "log2" not in calls_of(path)


def test_naming_measures_does_not_import_its_own_package():
    for path in (ROOT / "rankcore" / "measures").glob("_*.py"):
        names = imported(path) if path.name != "__init__.py" else set()
        own = {name for name in names if name.startswith("rankcore.measures")}

        assert all(name.startswith("rankcore.measures._") for name in own)


PLAIN = ("plot", "topics", "measures", "formats", "readers", "exports", "cli")


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if set(path.parts) & set(PLAIN)],
    ids=lambda path: path.stem,
)
def test_docstrings_name_the_thing(path):
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, documented)
    ]

    assert not [text for text in docstrings if text.startswith("What ")]


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
        found = {".".join(name.split(".")[:2]) for name in imported(path)}
        assert not found & above, path


def test_contributing_says_what_each_room_is():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(ROOMS)


def test_no_modules_import_each_other_in_a_circle():
    files = [*(ROOT / "rankcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    graph = {path: {module(name) for name in imported(path)} for path in files}
    for path, found in graph.items():
        # A package offers the names of its modules, which use one another.
        found -= {None, path, path.with_name("__init__.py")}
    assert list(graphlib.TopologicalSorter(graph).static_order())


MOST_LINES_OF_BODY = 50
# Lists and tables, and what stays to be split.
LONG_FUNCTIONS = {
    "pages/views/explore/trade_offs.py show",
    "pages/views/sparsity/compare_rules.py show",
    "rankcore/_kernels/approximation.py _visit_rows",
    "rankcore/_kernels/tiles.py add_tile",
    "rankcore/data/formats/parts/columns.py not_finite",
    "rankcore/data/formats/parts/refusals.py _reason",
    "rankcore/studies/paths.py path",
    "rankcore/studies/searches/__init__.py search",
    "rankcore/studies/store/migrations/versions/0001_runs.py upgrade",
    "rankcore/topics/explore/trade_offs_figure.py trade_off_figure",
}


def lines_of_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[ast.get_docstring(function) is not None :]
    return function.end_lineno - body[0].lineno + 1 if body else 0


def test_a_function_can_be_read_at_once():
    long = {
        f"{path.relative_to(ROOT)} {node.name}"
        for path in [*MODULES, *sorted((ROOT / "pages").rglob("*.py"))]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and lines_of_body(node) > MOST_LINES_OF_BODY
    }
    assert long == LONG_FUNCTIONS
