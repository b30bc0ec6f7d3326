"""What classes are called: a name stands for one thing."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "rankcore"
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
