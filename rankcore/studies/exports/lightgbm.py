"""LightGBM's text models from `Booster.save_model`; read-only.

Trees are blocks of ``key=value`` lines. A document goes left if its feature is at most
the threshold, in double precision. Bits of ``decision_type`` tell whether the split is
on categories (1), where a missing value goes (2: left), and which values are missing
(4: zero, 8: NaN). Scores are LightGBM's raw ones, before any transformation of the
objective, and the mean over the trees of a random forest. See ``NumericalDecision`` of
``tree.h`` in https://github.com/microsoft/LightGBM.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from rankcore.base.errors import DataError
from rankcore.studies.exports._file import ModelFile, number_of
from rankcore.studies.exports._format import ExportFormat
from rankcore.studies.exports._reading import MOST_TREES, counted_from_0, tree_model

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import Ranker
    from rankcore.algorithms.parts.trees.forests import Tree

_CATEGORIES, _LEFT, _ZERO, _NAN = 1, 2, 4, 8
_SPLITS = (
    *("split_feature", "split_gain", "threshold", "decision_type"),
    *("left_child", "right_child"),
)


class LightGBMText(ExportFormat):
    """The text of ``Booster.save_model`` and ``model_to_string``."""

    name = "lightgbm"
    title = "LightGBM"
    use = "Write it with `booster.save_model`."
    ending = ".txt"
    writes = False

    def recognises(self, file: ModelFile) -> bool:
        is_dump = file.json is not None and file.json.get("tree_info") is not None
        return file.first == "tree" or is_dump

    def read(self, file: ModelFile) -> "Ranker":
        if file.first != "tree":
            remedy = "Write the model with `booster.save_model`"
            raise DataError("This is a dump of LightGBM", remedy, file.name)
        begins = [n for n, text in enumerate(file.lines) if text.startswith("Tree=")]
        ends = [n for n, text in enumerate(file.lines) if text == "end of trees"]
        if len(begins) > MOST_TREES:
            raise file.fault(f"There are more than {MOST_TREES} trees")
        if not ends:
            raise file.fault("The trees do not end: a line 'end of trees' is missing")
        head = _Lines(file, 0, min([*begins, *ends]))
        for name, only in {"num_class": "1", "num_tree_per_iteration": "1"}.items():
            if head.texts.get(name, (only, 0))[0] != only:
                what = f"This model has several scores per document ({name})"
                raise file.refusal(what, head.line(name))
        names = head.text("feature_names").split()
        bounds = [*begins, ends[0]]
        blocks = [_Lines(file, begin, end) for begin, end in pairwise(bounds)]
        missing = any(block.tells_nan for block in blocks)
        trees = [block.tree(missing) for block in blocks]
        if trees and "average_output" in head.texts:
            share = 1.0 / len(trees)
            trees = [_times(tree, share) for tree in trees]
        return tree_model(counted_from_0(names, "Column_"), trees, file)


class _Lines:
    """Lines ``key=value`` of a file.

    Parameters
    ----------
    begin, end : int
        The first line, from 0, and the line after the last.
    """

    def __init__(self, file: ModelFile, begin: int, end: int) -> None:
        self.file, self.begin = file, begin
        self.texts: Mapping[str, tuple[str, int]] = {
            key: (value, number)
            for number, text in enumerate(file.lines[begin:end], start=begin + 1)
            for key, _, value in [text.partition("=")]
        }

    def line(self, name: str) -> int:
        """Return the number of the line of a key, or of the first line."""
        return self.texts.get(name, ("", self.begin + 1))[1]

    def text(self, name: str) -> str:
        """Return the value of a key, which must exist."""
        if name not in self.texts:
            raise self.file.fault(f"There is no line {name}=", self.begin + 1)
        return self.texts[name][0]

    def column(self, name: str) -> "np.ndarray":
        """Return the numbers of a line, finite unless they are thresholds."""
        import numpy as np

        numbers = []
        for word in self.text(name).split():
            infinite = {"inf": np.inf, "-inf": -np.inf} if name == "threshold" else {}
            number = infinite.get(word, number_of(word))
            if number is None:
                problem = f"{name} has a value that is not a number"
                raise self.file.fault(problem, self.line(name))
            numbers.append(number)
        return np.array(numbers, dtype=np.float64)

    @property
    def tells_nan(self) -> bool:
        """Return whether a split specifies where a missing value goes."""
        return any(int(kind) & _NAN for kind in self.kinds)

    @property
    def kinds(self) -> "np.ndarray":
        """Return the decision types; none for a tree without splits."""
        import numpy as np

        if "decision_type" not in self.texts:
            return np.zeros(0)
        kinds = self.column("decision_type")
        if ((kinds < 0) | (kinds > _LEFT + _NAN + _ZERO + 1) | (kinds % 1 != 0)).any():
            line = self.line("decision_type")
            raise self.file.fault("decision_type is not from 0 to 15", line)
        return kinds.astype(np.int64)

    def tree(self, missing: bool) -> "Tree":
        """Return the tree; ``missing`` says whether splits have directions for NaN."""
        from rankcore.algorithms.parts.trees.forests import lightgbm_tree

        leaves = len(self.column("leaf_value"))
        if leaves == 0:
            raise self.file.fault("leaf_value is empty", self.line("leaf_value"))
        if self.texts.get("is_linear", ("0", 0))[0].strip() != "0":
            what = "This tree has linear models in its leaves"
            raise self.file.refusal(what, self.line("is_linear"))
        for name in _SPLITS if leaves > 1 else ():
            if (count := len(self.column(name))) != leaves - 1:
                problem = f"{name} has {count} values, and {leaves} leaves ask for "
                raise self.file.fault(f"{problem}{leaves - 1}", self.line(name))
        self._check_kinds(leaves)
        return lightgbm_tree(self.column, missing)

    def _check_kinds(self, leaves: int) -> None:
        """Refuse splits with other comparisons than "at most a threshold"."""
        line = self.line("decision_type")
        if leaves == 1:
            return
        kinds, at_zero = self.kinds, self.column("threshold") >= 0.0
        if (kinds & _CATEGORIES).any():
            what = "This tree splits by categories, not by numbers"
            raise self.file.refusal(what, line)
        zero = (kinds & (_ZERO + _NAN)) == _ZERO
        if (zero & (((kinds & _LEFT) > 0) != at_zero)).any():
            what = "This tree was trained with zero_as_missing, and sends 0 its own way"
            raise self.file.refusal(what, line)


def _times(tree: "Tree", factor: float) -> "Tree":
    """Return a tree with leaves multiplied by a factor."""
    import numpy as np

    return tree._replace(
        value=np.where(tree.feature < 0, factor * tree.value, tree.value)
    )
