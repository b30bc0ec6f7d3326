"""Every cache has a limit: a server runs for months."""

import ast
import gc
import re
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rankcore.algorithms.parts import scales
from rankcore.data import catalogue

ROOT = Path(__file__).parents[1]
CODE = [
    *(ROOT / name for name in ("app.py", "server.py")),
    *(path for name in ("pages", "rankcore") for path in (ROOT / name).rglob("*.py")),
]
# Containers of modules that functions fill, and what limits them.
FILLED = {
    "pages/ui/registry.py _PLACES": "jobs, which their registry limits",
    "pages/ui/serving/frames.py _NEXT": "pages, which their sessions hold",
    "pages/ui/serving/frames.py _VIEWERS": "jobs, which their registry limits",
    "pages/ui/serving/frames.py _DRAWING": "browsers that draw, for PATIENCE_SECONDS",
    "rankcore/compute/mapped_arrays.py _MAPS": "files that are in use",
    "rankcore/compute/calls.py _contexts": "MOST_CONTEXTS",
    "rankcore/compute/offloading.py _PLACES": "processes that live",
    "rankcore/data/catalogue.py _IN_USE": "data sets in use",
    "rankcore/data/catalogue.py _FOLDERS": "data sets of the papers",
    "rankcore/base/discovery.py _registered": "what a program registers",
    "rankcore/base/discovery.py _forgetting": "functions of modules",
    "rankcore/cli/_signals.py _received": "signals until the first ends the command",
    "rankcore/data/dataset.py _SCALED": "data sets in use, and the ways to scale them",
    "rankcore/compute/executors.py _DEFAULT": "numbers of threads up to the cores",
    "rankcore/algorithms/parts/scales.py _VALUES": "data sets in use, _MOST of each",
    "rankcore/measures/_measure.py MEASURES": "classes",
    "rankcore/topics/train/bands.py _INTERVALS": "runs in use, and their measures",
}
GROWS = ("add", "append", "appendleft", "extend", "insert", "setdefault", "update")
# What may grow, as text: most modules need not be parsed.
GROWING = re.compile(rf"\b(\w+)(?:\[|\.(?:{'|'.join(GROWS)})\()")


def unlimited(source: str) -> Iterator[str]:
    """Yield the caches of functions that have no limit."""
    tree = ast.parse(source)
    decorated = {
        id(decorator): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
    }
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        function = decorated.get(id(node))
        name = _name(node.func if isinstance(node, ast.Call) else node)
        words = {k.arg: k.value for k in getattr(node, "keywords", [])}
        if name == "cache" and isinstance(getattr(node, "ctx", None), ast.Load):
            has_limit = function is not None and not _parameters(function)
        elif name == "lru_cache" and isinstance(node, ast.Call):
            most = words.get("maxsize", node.args[0] if node.args else ast.Constant(1))
            has_limit = not (isinstance(most, ast.Constant) and most.value is None)
        elif name in ("cache_data", "cache_resource") and id(node) not in called:
            session = ast.unparse(words.get("scope", ast.Constant(""))) == "'session'"
            has_limit = session or bool(words.keys() & {"max_entries", "ttl"})
        else:
            continue
        if not has_limit:
            yield f"{node.lineno}: {ast.unparse(node)}"


def filled(source: str) -> set[str]:
    """Return the containers of a module that its functions put things into."""
    named = set(re.findall(r"^(\w+)\s*[:=]", source, re.MULTILINE))
    if named.isdisjoint(GROWING.findall(source)):
        return set()
    tree = ast.parse(source)
    containers = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in getattr(node, "targets", [getattr(node, "target", None)])
        if isinstance(target, ast.Name)
    }
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    return {
        owner.id
        for function in functions
        for node in ast.walk(function)
        for owner in _changed(node)
        if isinstance(owner, ast.Name) and owner.id in containers
    }


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        yield node.value
    elif isinstance(node, ast.Call) and _name(node.func) in GROWS:
        yield getattr(node.func, "value", node.func)


def _name(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _parameters(function: ast.FunctionDef) -> bool:
    args = function.args
    return bool(args.posonlyargs + args.args + args.kwonlyargs) or bool(
        args.vararg or args.kwarg
    )


@pytest.mark.unit
def test_every_cache_has_a_limit():
    values = {
        f"{path.relative_to(ROOT)}:{cache}"
        for path in CODE
        if "cache" in (text := path.read_text("utf-8"))
        for cache in unlimited(text)
    }
    assert values == set(), (
        "@cache is for functions without parameters: write @lru_cache(maxsize=…)"
    )


@pytest.mark.unit
def test_no_container_of_a_module_grows_without_a_limit():
    values = {
        f"{path.relative_to(ROOT)} {name}"
        for path in CODE
        for name in filled(path.read_text("utf-8"))
    }
    assert values == FILLED.keys()


@pytest.mark.unit
@pytest.mark.parametrize(
    ("source", "caches"),
    [
        ("@cache\ndef f(): ...", 0),
        ("@cache\ndef f(a): ...", 1),
        ("@functools.cache\ndef f(*, a=1): ...", 1),
        ("f = cache(g)", 1),
        ("@lru_cache(maxsize=8)\ndef f(a): ...", 0),
        ("@lru_cache(maxsize=None)\ndef f(a): ...", 1),
        ("f = functools.lru_cache(None)(g)", 1),
        ("@st.cache_data\ndef f(a): ...", 1),
        ("@st.cache_resource(show_spinner=False)\ndef f(a): ...", 1),
        ("@st.cache_data(max_entries=8)\ndef f(a): ...", 0),
        ("@st.cache_resource(scope='session')\ndef f(): ...", 0),
    ],
)
def test_caches_without_a_limit_are_told(source, caches):
    assert len(list(unlimited(source))) == caches


@pytest.mark.unit
def test_containers_that_grow_are_told():
    source = "A = {}\nB: dict = {}\nC = []\nD = {}\ndef f(k):\n  A[k] = B.setdefault(k)"
    assert filled(f"{source}\n  C.append(k)\n  E = D[k]\n  E[k] = 1") == {"A", "B", "C"}


@pytest.mark.unit
def test_ranges_of_few_parts_of_a_data_set_are_kept(small):
    for number in range(1, 2 * scales._MOST):
        queries = np.array([number >> bit & 1 for bit in range(12)], dtype=np.bool_)
        scales.widest_ranges(small, queries)
    assert len(scales._VALUES[small]) == scales._MOST
    last = scales.widest_ranges(small, queries)
    assert scales.widest_ranges(small, queries) is last


@pytest.mark.unit
def test_what_is_scaled_or_read_again_is_the_same_as_long_as_it_is_in_use(small):
    copy = small.normalise("minmax")
    assert small.normalise("minmax") is copy
    assert small.normalise("zscore") is not copy
    assert small.normalise("zscore").normalisation == "zscore"
    held = catalogue.load_dataset("toy-2d").train
    catalogue._load.cache_clear()
    assert catalogue.load_dataset("toy-2d").train is held


@pytest.mark.unit
def test_a_scaled_copy_that_nobody_uses_is_freed(small):
    copy = weakref.ref(small.normalise("minmax"))
    gc.collect()
    assert copy() is None
