"""Models from the content of other programs' files.

A single-precision program rounds a feature before comparing it: thresholds here are
doubles that send every document the same way.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from rankcore.base.errors import warn_of_data
from rankcore.base.numbers import quoted
from rankcore.studies.exports._file import JsonPart, ModelFile, number_of

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker
    from rankcore.algorithms.parts.trees.forests import Tree
    from rankcore.algorithms.parts.trees.imported import Imported


MOST_TREES = 100_000


class Split(NamedTuple):
    """An inner node of a tree.

    Attributes
    ----------
    feature : int
        Counted from 0.
    threshold : float
        A document goes left if its feature is at most this value.
    left, right : object
        The children as in the file.
    missing : {-1, 0, 1}
        Where a document without the feature goes: left, unknown, right.
    """

    feature: int
    threshold: float
    left: Any
    right: Any
    missing: float = 0.0
    gain: float = 0.0


def grown(
    root: Any, look: Callable[[Any], float | Split], factor: float = 1.0
) -> "Tree":
    """Return a tree with nodes in the order of a traversal.

    Parameters
    ----------
    root : object
    look : callable
        Maps a node of the file to the value of a leaf, or to a split.
    factor : float
        Factor of the values of leaves.
    """
    import numpy as np

    from rankcore.algorithms.parts.trees.forests import Tree

    rows: list[list[float]] = []
    ahead: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while ahead:
        node, parent, side = ahead.pop()
        part = look(node)
        if parent >= 0:
            rows[parent][side] = len(rows)
        if isinstance(part, Split):
            ahead.append((part.right, len(rows), 3))
            ahead.append((part.left, len(rows), 2))
            place, missing = float(part.feature), part.missing
            rows.append([place, part.threshold, 0.0, 0.0, missing, part.gain])
        else:
            rows.append([-1.0, 0.0, 0.0, 0.0, factor * part, 0.0])
    return Tree(*np.array(rows).T)


def single(value: JsonPart) -> float:
    """Return a number rounded to single precision."""
    number = rounded(value.number)
    if number is None:
        raise value.fault(f"{value.number:g} is too large for single precision")
    return number


def rounded(number: float) -> float | None:
    """Return the nearest single-precision number; None if it is out of range."""
    import numpy as np

    with np.errstate(over="ignore"):
        near = float(np.float32(number))
    return near if np.isfinite(near) else None


def single_span(low: float, high: float) -> float:
    """Return the difference of two numbers in single precision, or inf on overflow."""
    import numpy as np

    with np.errstate(over="ignore"):
        return float(np.float32(high) - np.float32(low))


def below(limit: float) -> float:
    """Return the largest double that is below a number in single precision."""
    import numpy as np

    from rankcore.algorithms.xgboost import last_below

    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        below_limit = last_below(np.array(limit, np.float32))
        return float(np.clip(below_limit, -largest, largest))


def at_most(limit: float) -> float:
    """Return the largest double that is at most a number in single precision."""
    import numpy as np

    with np.errstate(over="ignore"):
        return below(float(np.nextafter(np.float32(limit), np.float32(np.inf))))


def settled(trees: "Sequence[Tree]") -> "list[Tree]":
    """Return trees with directions of missing values halved, which marks them as not
    learnt, if all lead to the right or follow the value 0."""
    import numpy as np

    splits = [tree.feature >= 0 for tree in trees]
    ways = [tree.value[at] for tree, at in zip(trees, splits, strict=True)]
    zero = [
        np.where(tree.threshold[at] >= 0.0, -1.0, 1.0)
        for tree, at in zip(trees, splits, strict=True)
    ]
    by_zero = all(map(np.array_equal, ways, zero))
    if not by_zero and not all((way == 1.0).all() for way in ways):
        return list(trees)
    return [
        tree._replace(value=np.where(at, 0.5 * tree.value, tree.value))
        for tree, at in zip(trees, splits, strict=True)
    ]


def numbered(numbers: Sequence[int]) -> tuple[str, ...]:
    """Return names for features that only have numbers, from 1."""
    return tuple(f"f{number}" for number in numbers)


def counted_from_0(names: Sequence[str], word: str) -> tuple[str, ...]:
    """Return names, or those of `numbered` if all are a word and a number from 0.

    LightGBM and XGBoost use such names by default.
    """
    matches = [re.fullmatch(rf"{word}(\d{{1,9}})", name) for name in names]
    if not all(matches):
        return tuple(names)
    return numbered([int(one[1]) + 1 for one in matches if one])


def linear_model(
    names: Sequence[str],
    weights: Sequence[float],
    file: ModelFile,
    constant: float = 0.0,
) -> "Ranker":
    """Return a linear model of named features.

    A constant is omitted with a warning, because it does not change the order.
    """
    import numpy as np

    from rankcore.algorithms.parts.trees.imported import ImportedLinear

    if not weights:
        raise file.fault("There are no weights")
    if constant:
        warn_of_data(
            f"{file.name}: the constant {constant:g} is omitted from the scores; it "
            "does not change the order.",
            3,
        )
    values = np.array(weights, dtype=np.float64)
    if not np.isfinite(values).all():
        raise file.fault("A weight is too large")
    return _model(ImportedLinear(), tuple(names), values, 0, file)


def single_linear_model(
    weights: Mapping[str, float],
    scales: Mapping[str, tuple[float, float]],
    file: ModelFile,
) -> "Ranker":
    """Return a linear model summed in single precision, in the order of its weights,
    over shifted and scaled features."""
    import numpy as np

    from rankcore.algorithms.parts.trees.imported import ImportedSingleLinear

    terms = [(*scales.get(name, (0.0, 1.0)), w) for name, w in weights.items()]
    if not terms:
        raise file.fault("There are no weights")
    with np.errstate(over="ignore"):
        columns = np.array(terms, np.float32).T.astype(np.float64)
    if not np.isfinite(columns).all():
        raise file.fault("A weight or a scale is too large for single precision")
    if not columns[1].all():
        raise file.fault("A scale is too small for single precision")
    parameters = np.column_stack([np.arange(len(terms)), *columns])
    return _model(ImportedSingleLinear(), tuple(weights), parameters, 0, file)


def tree_model(
    names: Sequence[str],
    trees: "Sequence[Tree]",
    file: ModelFile,
    constant: float = 0.0,
    single: bool = False,
) -> "Ranker":
    """Return a model that sums a constant and trees; ``single`` says that their program
    rounds each leaf and each sum to single precision."""
    import numpy as np

    from rankcore.algorithms.parts.trees.forests import leaf
    from rankcore.algorithms.parts.trees.imported import (
        ImportedSingleTrees,
        ImportedTrees,
    )

    if single:
        trees = [
            tree._replace(value=tree.value.astype(np.float32).astype(np.float64))
            for tree in trees
        ]
    first = [leaf(constant)] if constant else []
    model = ImportedSingleTrees() if single else ImportedTrees()
    return _forest(model, names, [trees], file, first)


def bagged_model(
    names: Sequence[str], bags: "Sequence[Sequence[Tree]]", file: ModelFile
) -> "Ranker":
    """Return a model that rounds each sum of a bag's trees to single precision, and
    averages several bags."""
    from rankcore.algorithms.parts.trees.imported import (
        ImportedBags,
        ImportedSingleTrees,
    )

    model = ImportedSingleTrees() if len(bags) == 1 else ImportedBags()
    return _forest(model, names, bags, file)


def _forest(
    model: "Imported",
    names: Sequence[str],
    bags: "Sequence[Sequence[Tree]]",
    file: ModelFile,
    first: "Sequence[Tree]" = (),
) -> "Ranker":
    """Return a model of trees with a separate output for each bag; trees before the
    valid ones are not counted."""
    from rankcore.algorithms.parts.trees.forests import GrowingForest, check_tree

    forest = GrowingForest()
    for tree in first:
        forest.add(tree)
    outputs = chain.from_iterable([bag] * len(trees) for bag, trees in enumerate(bags))
    trees = list(chain.from_iterable(bags))
    for number, (tree, output) in enumerate(zip(trees, outputs, strict=True)):
        try:
            check_tree(tree, len(names))
        except ValueError as error:
            raise file.fault(f"Tree {number} (from 0): {error}") from error
        forest.add(tree, output)
    if not names:
        raise file.fault("There are no features")
    return _model(model, tuple(names), forest.nodes(), len(trees), file)


def _model(
    model: "Imported",
    names: tuple[str, ...],
    parameters: Any,
    iteration: int,
    file: ModelFile,
) -> "Ranker":
    from rankcore.algorithms import Provenance
    from rankcore.measures import Rules

    features: set[str] = set()
    for name in names:
        if name in features:
            raise file.fault(f"There are two features {quoted(name)}")
        features.add(name)
    model.parameters_ = parameters
    model.n_features_in_ = len(names)
    model.n_iter_ = iteration
    model.provenance_ = Provenance(
        feature_names=names,
        normalisation=None,
        data_name="",
        data_fingerprint="",
        iteration=iteration,
        measures={},
        rules=Rules(),
    )
    return model


def weights_of(
    words: Sequence[str], file: ModelFile, line: int
) -> Iterator[tuple[int, float]]:
    """Yield the number, from 1, and weight of each ``feature:weight`` of a line."""
    for word in words:
        feature, _, text = word.partition(":")
        number, weight = feature_number(feature), number_of(text)
        if number is None or weight is None:
            problem = f"{quoted(word)} is not a pair feature:weight, such as 3:0.25"
            raise file.fault(problem, line)
        yield number, weight


def feature_number(text: str) -> int | None:
    """Return the feature number in a text; None for other texts."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if is_number else None
