"""What classes and arguments are called: a name stands for one thing, and says it."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rankcore"
# How a value came about is not what it is.
PARTICIPLES = {
    "found", "given", "here", "kept", "known", "mine", "news", "own", "said", "told",
}  # fmt: skip
# Names that still stand for several things; new classes take a name of their own.
SEVERAL = {
    "Cell",
    "Column",
    "Fold",
    "Query",
    "Value",
    "_Block",
    "_Part",
    "_Reader",
}


def test_a_class_name_stands_for_one_thing():
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))

    shared = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert set(shared) == SEVERAL, shared


def test_an_argument_says_what_it_is():
    vague = []
    for path in sorted(
        path for name in ("rankcore", "pages") for path in (ROOT / name).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = {
                    one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)
                }
                # A side, beside the other one, is what a value is.
                banned = PARTICIPLES | ({"left"} if "right" not in arguments else set())
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                vague += [f"{place} {name}" for name in arguments & banned]
    assert not vague
