"""The text of a RankLib model: Coordinate Ascent for weights, LambdaMART for trees.

RankLib reads the kind of model from the first line, skips further lines that begin with
``##``, and reads one line of ``feature:weight`` in ASCII, or the joined lines of an XML
ensemble. Features have the numbers of a LETOR file, from 1, and a document goes left if
its feature, a 32-bit number, is at most the threshold. The plugins of Elasticsearch and
OpenSearch read the same text as ``model/ranklib``.

RankLib's other models: AdaRank and linear regression are also weights (the weight of
feature 0 is a constant), RankBoost has ``feature:threshold:weight`` for values above a
threshold, MART is an ensemble, and random forests are the mean of several. The sum of
an ensemble is rounded to 32 bits after each tree, the mean is not.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankcore.studies.exports._file import ModelFile, number_of
from rankcore.studies.exports._format import ExportFormat, terms
from rankcore.studies.exports._reading import (
    MOST_TREES,
    Split,
    at_most,
    bagged_model,
    feature_number,
    grown,
    linear_model,
    rounded,
    tree_model,
    weights_of,
)
from rankcore.studies.exports._trees import compared, last_left, nested, single

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

_LINEAR = ("coordinate ascent", "linear regression", "adarank")
_ENSEMBLES = ("mart", "lambdamart", "random forests")
_NEURAL = ("ranknet", "lambdarank", "listnet")
_MOST_TAGS = 2_000_000


class RankLib(ExportFormat):
    """``## Coordinate Ascent`` or ``## LambdaMART``, comments with feature names, and
    weights or trees."""

    name = "ranklib"
    title = "RankLib"
    use = (
        "Score with `java -jar RankLib.jar -load FILE -rank DATA -score SCORES`; with "
        "minmax-scaled input and features that are not negative, `-norm linear` there "
        "scales alike."
    )
    ending = ".txt"
    holds_trees = True

    def recognises(self, file: ModelFile) -> bool:
        return _kind(file) in (*_LINEAR, "rankboost", *_ENSEMBLES, *_NEURAL)

    def read(self, file: ModelFile) -> "Ranker":
        return model_of(file, {})

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        pairs = terms(model)
        weights = " ".join(f"{i + 1}:{weight!r}" for i, weight in pairs)
        comments = _comments(model, name, [i for i, _ in pairs])
        return f"## Coordinate Ascent\n{comments}{weights}\n"

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        rooted = "".join(
            f'<tree id="{number}" weight="1.0">\n{_rooted(tree)}</tree>\n'
            for number, tree in enumerate(trees, start=1)
        )
        comments = _comments(model, name, compared(trees))
        return f"## LambdaMART\n{comments}<ensemble>\n{rooted}</ensemble>\n"

    def commands(self, name: str, file: str) -> str:
        return f"java -jar RankLib.jar -load {file} -rank DATA -score SCORES\n"


def _comments(model: "Ranker", name: str, numbers: Sequence[int]) -> str:
    names = model.provenance_.feature_names
    comments = [f"## {i + 1} is {_one_line(names[i])}\n" for i in numbers]
    return f"## Model = {_one_line(name)}\n{''.join(comments)}"


def _rooted(tree: "Tree") -> str:
    """Return a tree; lines are not indented, because spaces would become part of the
    XML."""

    def side(text: str, where: str) -> str:
        return text.replace("<split>", f'<split pos="{where}">', 1)

    return nested(
        tree,
        lambda node: (
            f"<split>\n<output> {single(tree.value[node])!r} </output>\n</split>\n"
        ),
        lambda node, left, right: (
            f"<split>\n<feature> {int(tree.feature[node]) + 1} </feature>\n"
            f"<threshold> {single(last_left(tree.threshold[node]))!r} </threshold>\n"
            f"{side(left, 'left')}{side(right, 'right')}</split>\n"
        ),
    )


def _one_line(text: str) -> str:
    """Return printable ASCII without line breaks."""
    return " ".join(text.split()).encode("ascii", "backslashreplace").decode()


def _kind(file: ModelFile) -> str:
    """Return the kind of model named in the first line."""
    head, _, kind = file.first.partition(" ")
    return kind.strip().lower() if head == "##" else ""


def model_of(file: ModelFile, names: Mapping[int, str]) -> "Ranker":
    """Return the model in a RankLib text.

    Parameters
    ----------
    names : dict of int to str
        Names of features by number, from 1. Comments such as ``## 3 is bm25`` name
        them, too, unless names repeat; others are named f and their number.
    """
    comments = [re.fullmatch(r"## (\d{1,9}) is (.+)", line) for line in file.lines]
    names = {int(one[1]): one[2] for one in comments if one} | dict(names)
    if len(set(names.values())) < len(names):
        names = {}
    kind = _kind(file)
    if kind in _NEURAL:
        title = file.first.partition(" ")[2].strip()
        raise file.refusal(f"{title} is a neural network", 1)
    if kind in _ENSEMBLES:
        return _forest(file, names)
    number, words = next(
        (
            (number, line.split())
            for number, line in enumerate(file.lines, start=1)
            if line.strip() and not line.startswith("##")
        ),
        (len(file.lines), []),
    )
    if kind == "rankboost":
        return _stumps(words, file, number, names)
    totals: dict[int, float] = {}
    for feature, weight in weights_of(words, file, number):
        totals[feature] = totals.get(feature, 0.0) + weight
    constant = totals.pop(0, 0.0)
    numbers = sorted(totals)
    weights = [totals[number] for number in numbers]
    return linear_model(_feature_names(numbers, names), weights, file, constant)


def _stumps(
    words: Sequence[str], file: ModelFile, line: int, names: Mapping[int, str]
) -> "Ranker":
    """Return the model of ``feature:threshold:weight``."""
    from rankcore.algorithms.parts.trees.forests import stump

    rows: list[tuple[int, float, float]] = []
    if len(words) > MOST_TREES:
        raise file.fault(f"There are more than {MOST_TREES} weak rankers", line)
    for word in words:
        head, _, weight_text = word.rpartition(":")
        ((number, threshold),) = weights_of([head], file, line)
        if (weight := number_of(weight_text)) is None:
            raise file.fault(f"{weight_text!r:.40} is not a weight", line)
        # Features are 32-bit numbers, but thresholds are not.
        rows.append((number, at_most(float(last_left(threshold))), weight))
    used_numbers = sorted({number for number, _, _ in rows})
    trees = [
        stump(used_numbers.index(number), threshold, 0.0, weight, 0.0)
        for number, threshold, weight in rows
    ]
    return tree_model(_feature_names(used_numbers, names), trees, file)


def _feature_names(numbers: Sequence[int], names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(names.get(number, f"f{number}") for number in numbers)


def _forest(file: ModelFile, names: Mapping[int, str]) -> "Ranker":
    """Return the model of one ensemble, or of the mean of several."""
    from xml.etree import ElementTree as ET

    lines = ["" if line.startswith("#") else line for line in file.lines]
    text = "\n".join(lines)
    if text.count("<") > _MOST_TAGS or "<!" in text:
        raise file.fault("These are not trees of RankLib")
    try:
        ensembles = list(ET.fromstring(f"<all>{text}</all>"))
    except ET.ParseError as error:
        problem = str(error).partition(":")[0].capitalize()
        raise file.fault(problem, error.position[0]) from error
    if len(ensembles) != 1 and _kind(file) != "random forests":
        raise file.fault(f"There are {len(ensembles)} ensembles, not one")
    reader = _Ensembles(file)
    bags = [
        [reader.tree(tree, number) for number, tree in enumerate(ensemble, start=1)]
        for ensemble in ensembles
    ]
    if not all(bags) or not bags:
        raise file.fault("An ensemble has no trees" if bags else "There is no ensemble")
    numbers = list(reader.numbers) or [min(names, default=1)]
    return bagged_model(_feature_names(numbers, names), bags, file)


class _Ensembles:
    """Reader of trees, which numbers features in the order of reading."""

    def __init__(self, file: ModelFile) -> None:
        self.file = file
        self.numbers: dict[int, int] = {}

    def tree(self, tree: "Element", place: int) -> "Tree":
        """Return the ``place``-th tree of an ensemble, from 1."""

        def value(text: str | None, what: str) -> float:
            number = number_of((text or "").strip())
            number = None if number is None else rounded(number)
            if number is None:
                problem = f"Tree {place} (from 1): {what} is not a number"
                raise self.file.fault(problem)
            return number

        def look(node: "Element") -> float | Split:
            output = node.find("output")
            if output is not None:
                return value(output.text, "an <output>")
            sides = {child.get("pos"): child for child in node.findall("split")}
            if set(sides) != {"left", "right"}:
                problem = f"Tree {place} (from 1): a <split> does not have two sides"
                raise self.file.fault(problem)
            text = (node.findtext("feature") or "").strip()
            number = feature_number(text)
            if not number:
                problem = f"Tree {place} (from 1): a <feature> is not a number from 1"
                raise self.file.fault(problem)
            return Split(
                self.numbers.setdefault(number, len(self.numbers)),
                at_most(value(node.findtext("threshold"), "a <threshold>")),
                sides["left"],
                sides["right"],
            )

        roots = tree.findall("split")
        if tree.tag != "tree" or len(roots) != 1:
            raise self.file.fault(
                f"Tree {place} (from 1) does not have one <split> at its root"
            )
        weight = value(tree.get("weight", "1"), "the weight")
        return grown(roots[0], look, weight)
