"""Formats of models: a description, a function from a model to text, and back."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rankcore.studies.exports._trees import additive_trees, compared, levels

if TYPE_CHECKING:
    import numpy as np

    from rankcore.algorithms import LinearRanker, Ranker
    from rankcore.algorithms.parts.trees.forests import Tree
    from rankcore.studies.exports._file import ModelFile

# Levels of a tree in JSON, which programs read to some depth only.
MOST_LEVELS = 300
_MIMES = {".json": "application/json", ".csv": "text/csv"}


class ExportFormat:
    """A text format that holds a model, or its features.

    One that also reads overrides `recognises` and `read`.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    use : str
        How to use the file, as one sentence.
    ending : str
        The usual ending of a file's name.
    mime : str, optional
        Its media type, by default that of such an ending.
    holds_scaling : bool
        Whether the file says how features are scaled within a query.
    holds_trees : bool
        Whether the file can hold a model that is made of trees.
    holds_missing : bool
        Whether the file says where trees send a document whose feature is missing.
    most_levels : int or None
        How many comparisons may lead to a leaf; None if any number may.
    holds_model : bool
        Whether the file can score documents; False for a list of features.
    writes : bool
        Whether models are written in this format; False if they are only read.
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
        """Whether a file seems to be of this format; False if it is only written."""
        return False

    def read(self, file: "ModelFile") -> "Ranker":
        """Return the model of a file that is recognised.

        Raises
        ------
        DataError
            If it is not whole or cannot be represented: what, where and what to do.
        """
        raise NotImplementedError

    def write(self, model: "Ranker", name: str) -> str:
        """Return the text of the file; ``name`` is what the model is called there."""
        from rankcore.algorithms import LinearRanker

        if isinstance(model, LinearRanker):
            return self.write_linear(model, name)
        return self.write_trees(additive_trees(model), model, name)

    def write_linear(self, model: "LinearRanker", name: str) -> str:
        """Return the text for a linear model."""
        raise NotImplementedError

    def write_trees(self, trees: "Sequence[Tree]", model: "Ranker", name: str) -> str:
        """Return the text for a model whose score is the sum of its trees."""
        raise NotImplementedError

    def scores(self, model: "Ranker", X: "np.ndarray") -> "np.ndarray":
        """Return the scores (n,) that the file gives documents (n, d); programs that
        compute in single precision differ in the seventh digit.

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
        """Lines for a shell that put the file to use; empty where there are none.

        Parameters
        ----------
        name : str
            What the model is called there.
        file : str
            Where the text was written.
        """
        return ""

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of the features in the file."""
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
        """Make sure that the file will score documents as the model does.

        A feature scaled within each query is x' = (x - a_q) / b_q, and b_q differs from
        query to query: no fixed coefficient of the raw feature gives the same order. A
        format that has no place for this cannot hold such a model, unless the other
        program does the scaling itself. The coefficients of a model that has learnt
        standardised features are those of the raw ones.

        Raises
        ------
        ValueError
            If the model is not fitted, or neither linear nor, where the format holds
            trees, a sum of trees; or it takes missing values and the format does not;
            or its features are scaled and neither the format nor ``scaled_input`` says
            so.
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
    """Return number (from 0) and coefficient of the features that count.

    Features with coefficient zero are left out, so that they need not be computed; a
    model of zeros only keeps them all, as no program accepts an empty one.
    """
    pairs = list(enumerate(model.coef_.tolist()))
    return [pair for pair in pairs if pair[1] != 0] or pairs


def used_features(model: "Ranker") -> list[int]:
    """Numbers (from 0) of the features that a linear model or trees need."""
    from rankcore.algorithms import LinearRanker

    if isinstance(model, LinearRanker):
        return [number for number, _ in terms(model)]
    return compared(additive_trees(model))


def keeps_missing(model: "Ranker") -> bool:
    """Whether the trees of a fitted model have learnt where missing values go."""
    from rankcore.algorithms import ForestRanker
    from rankcore.algorithms.parts.trees.forests import learnt_missing

    return (
        isinstance(model, ForestRanker)
        and bool(compared(additive_trees(model)))
        and learnt_missing(model.parameters_)
    )


def safe_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names that need no quoting anywhere: letters, digits, ``_``, ``.`` and ``-``.

    Each run of other characters becomes one ``_`` (none at either end). A name that is
    then empty, or taken by an earlier feature, gets its feature's number, from 1.

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
