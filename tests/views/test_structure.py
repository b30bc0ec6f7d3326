"""The app's layer: who may import what, and how much of it there is."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
APP = [ROOT / "app.py", ROOT / "server.py", *sorted(PAGES.rglob("*.py"))]
CODE = [*APP, *sorted((ROOT / "rankcore").rglob("*.py"))]
COMPAT = ROOT / "pages" / "ui" / "streamlit_compat.py"
# Streamlit's documented packages; everything else of it may change with any version.
PUBLIC = {"streamlit", "streamlit.errors", "streamlit.starlette"}
MOST_LINES = 22_367
# An algorithm is a file.
MOST_ENTRIES = {Path("rankcore/algorithms"): 30}


@cache
def imported(path):
    """(module, names, lazy) of every import in a file; lazy: inside a function."""
    tree = ast.parse(path.read_text("utf-8"))
    guarded = {
        id(inner)
        for node in tree.body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    top = {id(node) for node in tree.body}
    imports = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in guarded:
            names = [alias.name for alias in node.names]
            lazy = id(node) not in top
            if isinstance(node, ast.Import):
                imports += [(name, [], lazy) for name in names]
            elif node.module:
                imports.append((node.module, names, lazy))
    return imports


def test_only_one_module_reaches_below_streamlit_s_public_interface():
    private = re.compile(r"\bst\._\w+")
    for path in set(APP) - {COMPAT}:
        for module, names, _ in imported(path):
            if module.partition(".")[0] == "streamlit":
                shape = ("streamlit.delta_generator", ["DeltaGenerator"])
                assert module in PUBLIC or (module, names) == shape, (path, module)
        assert not private.findall(path.read_text("utf-8")), path


def test_no_module_imports_itself_through_others():
    names = {module_name(path): path for path in CODE}
    arrows = {
        name: {
            target
            for module, parts, lazy in imported(path)
            if not lazy
            for target in (module, *(f"{module}.{part}" for part in parts))
            if target in names and target != name
        }
        for name, path in names.items()
    }
    # Importing a module imports its package; that is no dependency of its own.
    done, path = set(), []

    def visit(name):
        if name in path:
            inner = path[path.index(name) :]
            parents = {one for one in inner if names[one].name == "__init__.py"}
            assert parents, " → ".join([*inner, name])
            return
        if name in done:
            return
        path.append(name)
        for target in sorted(arrows[name]):
            visit(target)
        path.pop()
        done.add(name)

    for name in sorted(arrows):
        visit(name)


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_cache_of_all_visitors_reads_who_looks():
    """What depends on the visitor is an argument, so that it is kept apart."""
    for path in APP:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            values = [ast.unparse(one).partition("(")[0] for one in node.decorator_list]
            if {"cache", "lru_cache"} & set(values):
                names = {ast.unparse(inner) for inner in ast.walk(node)}
                read = names & {"session", "visitor", "st.session_state", "st.context"}
                assert not read, (path, node.name)


def test_pages_steer_jobs_by_one_function_that_asks_who_looks():
    steer = re.compile(r"\.steer\(")
    values = {path.name for path in APP if steer.search(path.read_text("utf-8"))}
    assert values == {"registry.py"}


def test_no_folder_is_crowded():
    paths = [*CODE, *(ROOT / "tests").rglob("*.py")]
    entries = {parent for path in paths for parent in (path, *path.parents)}
    inner = [path.relative_to(ROOT) for path in entries if path.is_relative_to(ROOT)]
    for folder, size in Counter(path.parent for path in inner).items():
        most = 45 if folder.parts[:1] == ("tests",) else MOST_ENTRIES.get(folder, 25)
        assert size <= most, folder


def test_the_app_stays_small():
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in APP[2:])
    assert lines <= MOST_LINES, lines


def test_the_frame_knows_no_page():
    for path in (ROOT / "pages" / "ui").rglob("*.py"):
        for module, names, _ in imported(path):
            values = [name for name in names if module == "pages" and name != "ui"]
            assert not module.startswith("pages.views."), path
            assert not values, path


def test_errors_are_shown_as_text():
    """Their words may be those of a file, which is no Markdown."""
    shown = re.compile(r"st\.(warning|error|info|caption|markdown|toast)\(\s*str\(")
    assert not [path for path in APP if shown.search(path.read_text("utf-8"))]


def test_buttons_of_components_wait_for_their_script():
    """What is clicked before the script has come would do nothing."""
    files = [path for end in ("py", "html") for path in PAGES.rglob(f"*.{end}")]
    # Those of keys are reached by Tab as soon as the page is there.
    files.remove(PAGES / "ui" / "assets" / "keys.html")
    text = "".join(path.read_text("utf-8") for path in files)
    buttons = re.findall('<button type="button"[^>]*>', text)
    assert len(buttons) >= 4
    assert [button for button in buttons if " disabled" not in button] == []


def test_views_are_few():
    """A question has one view; what only sets another's settings is its preset."""
    from pages.ui.catalogue import pages

    assert sum(len(page.views) for page in pages().values()) == 34
