"""What classes and arguments are called: a name stands for one thing, and says it."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
# How a value came about is not what it is.
PARTICIPLES = {
    "found", "given", "here", "kept", "known", "mine", "news", "own", "said", "told",
}  # fmt: skip
# Names that still stand for several things; new classes take a name of their own.
SEVERAL = {"Query", "_Block", "_Reader"}


def modules():
    for package in ("rankcore", "pages"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def test_a_class_name_stands_for_one_thing():
    places = defaultdict(list)
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)

    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert set(shared) == SEVERAL, shared


def test_an_argument_says_what_it_is():
    vague = []
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = {
                    one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)
                }
                # A side, beside the other one, is what a value is.
                banned = PARTICIPLES | ({"left"} if "right" not in arguments else set())
                vague += [f"{path}:{node.lineno} {name}" for name in arguments & banned]
    assert not vague
