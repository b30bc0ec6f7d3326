"""Names of classes, arguments and local variables: one thing each, and said plainly."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
# How a value came about is not what it is.
PARTICIPLES = {
    "found", "given", "here", "kept", "known", "mine", "news", "own", "said", "told",
}  # fmt: skip
# Local variables, arguments, functions, classes and private attributes too.
LOCALS = {
    "asked", "begun", "drawn", "found", "given", "kept", "known", "made", "mine",
    "moved", "named", "own", "said", "seen", "taken", "told", "used", "written",
}  # fmt: skip
# Names in the documentation.
PUBLIC = {"Drawn"}
# Names that still stand for several things; new classes take a name of their own.
SEVERAL = {"Query"}
# Attributes that are still to be named; one is in the output of `rankscope path`.
VAGUE_ATTRIBUTES = {
    "rankcore/topics/sparsity/paths.py Smallest.left",
    "rankcore/studies/study.py Study.found",
}


def definitions():
    """Each class and function of the project, and the path of its module."""
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node


def test_a_class_stands_for_one_thing_and_attributes_and_arguments_say_what_they_are():
    places, vague, vague_arguments = defaultdict(list), set(), []
    for path, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name].append(path)
            vague |= {f"{path} {node.name}.{name}" for name in banned(attributes(node))}
        else:
            arguments = {
                one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)
            }
            vague_arguments += [
                f"{path}:{node.lineno} {name}" for name in banned(arguments)
            ]
    shared = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert set(shared) == SEVERAL, shared
    assert vague <= VAGUE_ATTRIBUTES
    assert not vague_arguments


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """The path and the tree of each module of the project."""
    return [
        (str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8")))
        for package in ("rankcore", "pages")
        for path in sorted((ROOT / package).rglob("*.py"))
    ]


def test_local_variables_and_functions_say_what_they_are():
    vague = [
        f"{path}:{node.lineno}"
        for path, tree in modules()
        for node in names(tree)
        if name_of(node).strip("_").lower() in LOCALS and name_of(node) not in PUBLIC
    ]
    assert vague == []


def names(tree: ast.Module) -> list[ast.AST]:
    """The nodes of a tree but for fields of classes."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    fields = {target for class_ in classes for target in targets(class_)}
    return [node for node in ast.walk(tree) if node not in fields]


def name_of(node: ast.AST) -> str:
    """The name of a variable, an argument, a private attribute or of what a module or a
    function defines, or ``""``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    methods = isinstance(node, ast.FunctionDef) and node.args.args[:1]
    name = getattr(node, "attr", None) or getattr(node, "name", None) or ""
    public = isinstance(node, ast.Attribute) or (methods and methods[0].arg == "self")
    return name if name.startswith("_") or not public else ""


def test_texts_have_no_space_before_a_percent_sign():
    spaced = [
        f"{path}:{node.lineno}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant | ast.JoinedStr)
        and re.search(r"[\d}]\s%(?![\w({%])", literal(node))
    ]
    assert spaced == []


def literal(node: ast.Constant | ast.JoinedStr) -> str:
    """The text of a literal, with ``{}`` for each value in it."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts
    )


def banned(names: set[str]) -> set[str]:
    """Those that do not say what a value is; a side beside the other one does."""
    return names & (PARTICIPLES | ({"left"} if "right" not in names else set()))


def attributes(class_: ast.ClassDef) -> set[str]:
    """The fields of a class, its properties, and what it assigns to itself."""
    stored = {
        node.attr
        for node in ast.walk(class_)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    fields = {ast.unparse(target) for target in targets(class_)}
    properties = {
        node.name
        for node in class_.body
        if isinstance(node, ast.FunctionDef)
        and any("property" in ast.unparse(one) for one in node.decorator_list)
    }
    return stored | fields | properties


def targets(class_: ast.ClassDef) -> list[ast.expr]:
    """What the body of a class assigns to."""
    return [
        target
        for node in class_.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in getattr(node, "targets", [getattr(node, "target", None)])
    ]
