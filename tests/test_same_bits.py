"""No model, measure or figure is left to code that is chosen by the processor.

Only additions, multiplications, divisions and square roots in one order give the same
bits everywhere. BLAS adds in another order on each processor; NumPy and the C library
have other exponentials and logarithms on each, and sort equal keys differently. Even
the square and the root of a single number are the C library's powers: ``x**2`` is for
arrays and whole numbers.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "rankcore"
# Charts place on the screen what others compute.
FILES = [
    file
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.parent.name != "plot" and not file.stem.endswith("_figure")
]

ELEMENTARY = {
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "logaddexp2",
    "geomspace", "logspace", "polyfit",
    "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan",
    "arctan2", "asin", "acos", "atan", "atan2", "power", "float_power", "pow", "cbrt",
    "hypot", "gamma", "lgamma", "erf", "erfc",
}  # fmt: skip
PRODUCTS = {
    "dot", "inner", "vdot", "matmul", "einsum", "tensordot", "convolve", "correlate",
    "cov", "corrcoef",
}  # fmt: skip
BEGINNINGS = ("numpy.linalg.", "scipy.")
DRAWS = {
    "normal", "standard_normal", "multivariate_normal", "lognormal", "exponential",
    "gamma", "beta", "binomial", "multinomial", "negative_binomial", "poisson",
    "geometric", "hypergeometric", "multivariate_hypergeometric", "zipf",
}  # fmt: skip
# Where such code decides nothing that has to be the same, by file and function.
WHOLE = "a power of whole numbers"
ROOM = "compared or rounded with room for the last digits"
QHULL = "Qhull's C code, compiled for no processor in particular, for a figure"
ROUNDED = "SciPy's distributions, rounded to ten digits"
PERMITTED: dict[tuple[str, str], str] = {
    ("base/draws.py", "standard_normal"): "rounds what differs",
    ("mathematics/angles.py", ""): WHOLE,
    ("algorithms/lightgbm.py", "LightGBM.rounds"): WHOLE,
    ("_kernels/text/letor.py", "column_marks"): WHOLE,
    ("_kernels/text/numerals.py", ""): WHOLE,
    ("mathematics/statistics.py", "flipped_sums"): WHOLE,
    ("topics/datasets/description.py", "_round_up"): WHOLE,
    ("studies/searches/_proposals.py", "halving"): WHOLE,
    ("studies/store/_recorder.py", ""): WHOLE,
    ("base/grids.py", "grid"): WHOLE,
    ("base/grids.py", "_linear"): ROOM,
    ("topics/papers/_approx.py", "_agrees"): ROOM,
    ("studies/searches/_proposals.py", "_axes"): ROOM,
    ("topics/cones/sight.py", "_solid"): QHULL,
    ("topics/explore/search.py", "contour"): QHULL,
    ("compute/dask.py", "versions"): "SciPy's version",
    ("mathematics/statistics.py", "detectable_effect"): ROUNDED,
    ("mathematics/statistics.py", "_power"): ROUNDED,
    ("mathematics/differences.py", "mean_ranks"): ROUNDED,
    ("mathematics/differences.py", "_t_test"): ROUNDED,
}


def faults(text: str, compiled: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the function around each fault, and what it is.

    ``compiled``: the text is of kernels. Numba sorts by code of its own, which is the
    same everywhere.
    """
    tree = ast.parse(text)
    names = dict(_imports(tree))
    for scope, node in _inside(tree, ""):
        if isinstance(node, ast.BinOp | ast.AugAssign):
            if isinstance(node.op, ast.MatMult):
                yield scope, "@"
            elif isinstance(node.op, ast.Pow) and not _exact_power(node):
                yield scope, "**"
        elif isinstance(node, ast.Attribute | ast.Name):
            dotted = _dotted(node, names)
            module, _, name = dotted.rpartition(".")
            elementary = module in ("numpy", "math") and name in ELEMENTARY
            product = module == "numpy" and name in PRODUCTS
            if elementary or product or dotted.startswith(BEGINNINGS):
                yield scope, dotted
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            module = _dotted(node.func.value, names)
            if name == "dot" and module != "numpy":
                if "products" not in module:
                    yield scope, ".dot()"
            elif name in DRAWS and module not in ("math", "draws", "numpy"):
                yield scope, f".{name}()"
            elif name in ("argpartition", "partition") and module == "numpy":
                yield scope, name
            elif name == "argsort" and not (compiled or _stable(node)):
                yield scope, "argsort()"


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield names that imports make, and what they stand for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (
                    alias.asname or alias.name.partition(".")[0],
                    (alias.name if alias.asname else alias.name.partition(".")[0]),
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _inside(node: ast.AST, scope: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield all nodes below one, with the names of the functions around them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            continue
        within = scope
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            within = f"{scope}.{child.name}".strip(".")
        yield scope, child
        yield from _inside(child, within)


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    if isinstance(node, ast.Name):
        return names.get(node.id, "")
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, names)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _exact_power(node: ast.BinOp | ast.AugAssign) -> bool:
    """Return whether an array may be meant, which NumPy squares, or a constant."""
    base, power = (
        (node.left, node.right)
        if isinstance(node, ast.BinOp)
        else (node.target, node.value)
    )
    try:
        value = ast.literal_eval(power)
    except ValueError:
        return False
    return isinstance(base, ast.Constant) or value == 2


def _stable(call: ast.Call) -> bool:
    return any(
        word.arg == "kind" and ast.unparse(word.value) in ("'stable'", "'mergesort'")
        for word in call.keywords
    )


def test_only_what_is_permitted_is_left_to_code_chosen_by_the_processor():
    places = {
        (file.relative_to(PACKAGE).as_posix(), scope): fault
        for file in FILES
        for scope, fault in faults(file.read_text("utf-8"), "_kernels" in file.parts)
    }
    assert {
        place: fault for place, fault in places.items() if place not in PERMITTED
    } == {}
    assert PERMITTED.keys() - places.keys() == set()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a @ b", "@"),
        ("import numpy as np\nnp.dot(a, b)", "numpy.dot"),
        ("a.dot(b)", ".dot()"),
        ("import numpy as np\nnp.linalg.norm(a)", "numpy.linalg.norm"),
        ("from scipy import linalg\nlinalg.solve(a, b)", "scipy.linalg.solve"),
        ("from scipy.optimize import minimize\nminimize(f)", "scipy.optimize.minimize"),
        ("import numpy as np\nf = np.log2", "numpy.log2"),
        ("from math import exp\nexp(1.0)", "math.exp"),
        ("x ** y", "**"),
        ("x **= 3", "**"),
        ("x**0.5", "**"),
        ("x**-1", "**"),
        ("rng.standard_normal(3)", ".standard_normal()"),
        ("x.argsort()", "argsort()"),
        ("import numpy as np\nnp.argsort(x)", "argsort()"),
    ],
)
def test_a_fault_is_found(text, fault):
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    assert ("of", fault) in faults(f"def of():\n{indented}")


def test_what_is_exact_is_no_fault():
    text = (
        "import numpy as np\nfrom rankcore.mathematics import products\n"
        "np.sqrt(x) + x**2 + 5.0**0.5 + 2.0**-20 + np.outer(a, b)\n"
        "products.dot(a, b)\nnp.argsort(x, kind='stable')"
    )
    assert list(faults(text)) == []
