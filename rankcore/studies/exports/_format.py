"""Base class of model formats: descriptions, writing and reading."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rankcore.studies.exports._trees import additive_trees, compared, levels

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.trees.forests import Tree
    from rankcore.studies.exports._file import ModelFile

# Maximum levels of a tree in JSON, because programs limit its depth.
MOST_LEVELS = 300
_MIMES = {".json": "application/json", ".csv": "text/csv"}


class ExportFormat:
    """A text format of a model or its features.

    Readable formats override `recognises` and `read`.

    Attributes
    ----------
    name, title : str
        Names for the command line and for display.
    use : str
        How to use the file, as one sentence.
    ending : str
        The usual suffix of its files.
    mime : str, optional
        Its media type, by default that of the suffix.
    holds_scaling : bool
        Whether the file stores the scaling of features within queries.
    holds_trees : bool
        Whether the file can hold a tree model.
    holds_missing : bool
        Whether the file stores where trees send documents with a missing feature.
    most_levels : int or None
        Maximum number of comparisons before a leaf; None if unlimited.
    holds_model : bool
        Whether the file can score documents; False for a list of features.
    writes : bool
        Whether models can be written in this format; False if only read.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    use: ClassVar[str]
    ending: ClassVar[str] = ".json"
    mime: ClassVar[str]
    holds_scaling: ClassVar[bool] = False
    holds_trees: ClassVar[bool] = False
    holds_missing: ClassVar[bool] = False
    most_levels: ClassVar[int | None] = None
    holds_model: ClassVar[bool] = True
    writes: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        cls.mime = vars(cls).get("mime") or _MIMES.get(cls.ending, "text/plain")

    def recognises(self, file: "ModelFile") -> bool:
        """Return whether a file seems to have this format; False if write-only."""
        return False

    def read(self, file: "ModelFile") -> "Ranker":
        """Return the model of a recognised file.

        Raises
        ------
        DataError
            If it is incomplete or cannot be represented, with place and remedy.
        """
        raise NotImplementedError

    def write(self, model: "Ranker", name: str) -> str:
        """Return the text of the file; ``name`` is the model's name in it."""
        from rankcore.algorithms import LinearRanker

        if isinstance(model, LinearRanker):
            return self.write_linear(model, name)
        return self.write_trees(additive_trees(model), model, name)

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        """Return the text for a linear model."""
        raise NotImplementedError

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        """Return the text for a model whose score is the sum of trees."""
        raise NotImplementedError

    def scores(self, model: "Ranker", X: "np.ndarray") -> "np.ndarray":
        """Return the scores (n,) of documents (n, d) from the file; programs with
        single precision differ in the seventh digit.

        Parameters
        ----------
        model : Ranker
            Fitted.
        X : (n, d) float64
        """
        from rankcore.algorithms import ForestRanker, LinearRanker
        from rankcore.algorithms.parts.trees.forests import GrowingTotals

        if isinstance(model, LinearRanker):
            return LinearRanker.scores(model, X, model.coef_)
        if not isinstance(model, ForestRanker):
            return model.scores(X, model.parameters_)
        totals, _ = GrowingTotals(X)(model.additive(model.parameters_))
        return totals.sum(axis=1)

    def commands(self, name: str, file: str) -> str:
        """Return shell commands that use the file; empty if there are none.

        Parameters
        ----------
        name : str
            Name of the model in the other program.
        file : str
            Path of the file.
        """
        return ""

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the features in the file."""
        return tuple(names)

    def features(self, model: "Ranker") -> Sequence[int]:
        """Return the numbers (from 0) of the features that the file needs."""
        return used_features(model)

    def default_name(self, model: "Ranker") -> str:
        """Return a name made from the algorithm and the data it was trained on."""
        provenance = model.provenance_
        words = f"{type(model).__name__}-{provenance.data_name or 'model'}"
        return safe_names([words])[0]

    def check(self, model: "Ranker", scaled_input: bool = False) -> None:
        """Check that the file will give the same scores as the model.

        A feature scaled within each query is x' = (x - a_q) / b_q, and b_q differs from
        query to query: no fixed coefficient of the raw feature gives the same order. A
        format without scaling cannot hold such a model, unless the other program scales
        features itself. The coefficients of a model trained on standardised features
        refer to the raw ones.

        Raises
        ------
        ValueError
            If the model is not fitted, or neither linear nor (if the format holds
            trees) a sum of trees; or it uses missing values and the format does not; or
            its features are scaled and neither the format nor ``scaled_input`` covers
            that.
        """
        from rankcore.studies.model_file import fitted, fitted_linear

        scaling = (fitted if self.holds_trees else fitted_linear)(model).normalisation
        if self.holds_trees:
            self._check_levels(additive_trees(model))
        if keeps_missing(model) and not self.holds_missing:
            raise ValueError(
                "This model was trained on missing values, and "
                f"{self.title} has no reliable place for where its trees send them. "
                "Export it for Solr, which follows it from version 9.2 on, or train it "
                "on data with missing values filled in."
            )
        if scaling in (None, "standard") or scaled_input or self.holds_scaling:
            return
        raise ValueError(
            f"This model was trained on features scaled by {scaling} within each "
            "query. The factor differs from query to query, so it cannot be folded "
            f"into fixed coefficients or thresholds, and {self.title} has no place for "
            "it. Train on standardised features, or, if the features there will be "
            "scaled in the same way, say that the input is scaled and get the model as "
            "it is."
        )

    def _check_levels(self, trees: "Sequence[Tree]") -> None:
        deepest = max((max(levels(tree)) for tree in trees), default=0)
        if self.most_levels is not None and deepest > self.most_levels:
            raise ValueError(
                f"A tree of this model is {deepest} levels deep, and {self.title} "
                f"takes at most {self.most_levels}. Train it with a limit, such as "
                "max_depth=12."
            )


def terms(model: "LinearRanker") -> list[tuple[int, float]]:
    """Return the number (from 0) and coefficient of the features used.

    Features with coefficient zero are omitted, so that they need not be computed; an
    all-zero model keeps all, because no program accepts an empty one.
    """
    pairs = list(enumerate(model.coef_.tolist()))
    return [pair for pair in pairs if pair[1] != 0] or pairs


def used_features(model: "Ranker") -> list[int]:
    """Return the numbers (from 0) of the features that a linear model or trees need."""
    from rankcore.algorithms import LinearRanker

    if isinstance(model, LinearRanker):
        return [number for number, _ in terms(model)]
    return compared(additive_trees(model))


def keeps_missing(model: "Ranker") -> bool:
    """Return whether a fitted model's trees have learnt where missing values go."""
    from rankcore.algorithms import ForestRanker
    from rankcore.algorithms.parts.trees.forests import learnt_missing

    return (
        isinstance(model, ForestRanker)
        and bool(compared(additive_trees(model)))
        and learnt_missing(model.parameters_)
    )


def safe_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that never need quoting: letters, digits, ``_``, ``.`` and ``-``.

    Each run of other characters becomes one ``_`` (none at either end). If the name is
    then empty or already used, the feature's number, from 1, is added.

    Examples
    --------
    >>> safe_names(["BM25 of title", "idf", "BM25 (of) title", "日本"])
    ('BM25_of_title', 'idf', 'BM25_of_title_3', 'feature_4')
    """
    in_use: dict[str, None] = {}
    for number, name in enumerate(names, start=1):
        safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", name).strip("_") or "feature"
        while safe in in_use or safe == "feature":
            safe = f"{safe}_{number}"
        in_use[safe] = None
    return tuple(in_use)
