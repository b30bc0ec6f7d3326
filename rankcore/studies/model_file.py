"""Fitted models as JSON that people and other programs can read.

The file is one object::

    {
      "format": "rankscope model", "version": 1,
      "algorithm": "RSRank",
      "hyperparameters": {"g": 10.0, ...},
      "feature_names": ["BM25 of title", ...],
      "coefficients": [0.13, ...],
      "normalisation": "minmax",       how features were scaled within a query, or null;
                                       "standard": coefficients are of raw features
      "data": {"name": "ohsumed/Fold1 train", "fingerprint": "…"}, "iteration": 96,
      the one after which the model was taken "chosen_by": "validation",       how it
      was chosen: validation, objective, last, hand; empty or missing: unknown
      "measures": {"valid nDCG@10": 0.451, ...},
      "convention": "standard", "empty": "zero",
      "changes": [{"iteration": 40, "name": "g", "old": 10.0, "new": 5.0}, ...],
                                       hyperparameters that changed in training
      "versions": {"rankcore": "0.1.0", "numpy": "2.4.6", ...}
    }

A document's score is the sum of coefficient times feature.

A model of decision trees has version 2 and, instead of the coefficients, ::

      "trees": [
        {"output": 0, "feature": [3, -1, -1], "threshold": [0.5, 0.0, 0.0],
         "left": [1, 0, 0], "right": [2, 0, 0], "value": [0.0, -0.1, 0.2],
         "gain": [7.5, 0.0, 0.0]},
        ...
      ]

with one entry per node in each list. A document starts at node 0. It goes to node
``left`` if its feature, counted from 0, is at most the threshold, otherwise to
``right``, until it reaches a leaf, which has the feature -1. In a model trained on
missing values, the ``value`` of an inner node says where a document with a missing
feature goes: -1 left, 1 right, or half of that if another program sends it there
without having learnt it; otherwise it is 0. The values of the leaves reached are summed
for each ``output``. The sum is the score; the algorithm describes how sums of several
outputs are combined. ``gain`` does not affect the score.

The model of another program, which `rankcore.studies.exports` reads, has the algorithm
``ImportedLinear``, ``ImportedTrees``, ``ImportedSingleTrees``, which rounds the sum to
single precision after each tree, or ``ImportedBags``, the mean of several such sums.
``ImportedSingleLinear`` has version 3 and, instead of the coefficients, ::

      "terms": [{"feature": 0, "shift": 2.0, "divisor": 4.0, "weight": 0.5}, ...]

each of which adds weight · (feature - shift) / divisor, rounded to single precision
after each operation.

Nothing in the file is ever executed, and scoring does not need the packages that
trained the trees.
"""

import json
import math
import os
from importlib import metadata
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    Field,
    FiniteFloat,
    TypeAdapter,
    ValidationError,
)

from rankcore.algorithms import (
    ForestRanker,
    LinearRanker,
    Provenance,
    Ranker,
    get_algorithm,
)
from rankcore.algorithms.parts.fitting import model_features
from rankcore.algorithms.parts.trees.forests import (
    GrowingForest,
    Tree,
    check_tree,
    trees_of,
)
from rankcore.algorithms.parts.trees.imported import IMPORTED, ImportedSingleLinear
from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import (
    LARGEST_WHOLE,
    check_all,
    hyperparameters,
    stored_settings,
)
from rankcore.base.json_limits import (
    ByName,
    JsonContent,
    Values,
    Whole,
    check_names,
    first_fault,
)
from rankcore.base.numbers import quoted
from rankcore.base.outputs import Output
from rankcore.base.version import __version__
from rankcore.data.dataset import (
    Normalisation,
    RankingDataset,
)
from rankcore.measures import Rules, parse
from rankcore.training.changes import Change
from rankcore.training.selection import By

_PARTS = ("train", "valid", "test")


class _ModelData(BaseModel):
    name: str
    fingerprint: str


class _ModelChange(JsonContent):
    iteration: Whole
    name: str
    old: float | int | str | None
    new: float | int | str | None


class _ModelFile(JsonContent):
    """The file's content."""

    format: Literal["rankscope model"]
    algorithm: str
    hyperparameters: dict[str, Any]
    feature_names: Values[str] = Field(min_length=1)
    normalisation: Normalisation | None
    data: _ModelData
    iteration: Whole
    chosen_by: By = ""
    measures: ByName[FiniteFloat]
    convention: str
    empty: str
    changes: Values[_ModelChange] = Field([])
    versions: ByName[str]


class _LinearFile(_ModelFile):
    version: Literal[1] = 1
    coefficients: Values[FiniteFloat]

    @classmethod
    def contents_of(cls, model: LinearRanker) -> dict[str, Any]:
        return {"coefficients": model.parameters_.tolist()}

    def parameters(self) -> np.ndarray:
        """Return the checked coefficients (d,)."""
        if len(self.coefficients) != len(self.feature_names):
            raise ValueError(
                f"{len(self.coefficients)} coefficients for "
                f"{len(self.feature_names)} features"
            )
        return np.array(self.coefficients, dtype=np.float64)


class _Term(JsonContent):
    feature: Whole
    shift: FiniteFloat
    divisor: FiniteFloat
    weight: FiniteFloat


class _SingleLinearFile(_ModelFile):
    version: Literal[3] = 3
    terms: Values[_Term] = Field(min_length=1)

    @classmethod
    def contents_of(cls, model: ImportedSingleLinear) -> dict[str, Any]:
        names = list(_Term.model_fields)
        rows = [(int(row[0]), *row[1:]) for row in model.parameters_.tolist()]
        return {"terms": [dict(zip(names, row, strict=True)) for row in rows]}

    def parameters(self) -> np.ndarray:
        """Return the checked terms (k, 4)."""
        features = {term.feature for term in self.terms}
        if len(features) < len(self.terms) or max(features) >= len(self.feature_names):
            raise ValueError(
                "terms: each must have a different one of the "
                f"{len(self.feature_names)} features, counted from 0"
            )
        parameters = np.array([list(dict(term).values()) for term in self.terms])
        with np.errstate(over="ignore"):
            single = parameters.astype(np.float32)
        if not np.isfinite(single).all() or not single[:, 2].all():
            raise ValueError(
                "terms: a number is too large for single precision, or a divisor is 0"
            )
        return parameters


_Number = Annotated[int, Field(ge=-1, le=LARGEST_WHOLE)]


class _Tree(JsonContent):
    output: Whole
    feature: Values[_Number]
    threshold: Values[FiniteFloat]
    left: Values[_Number]
    right: Values[_Number]
    value: Values[FiniteFloat]
    gain: Values[FiniteFloat]


_WHOLE = ("feature", "left", "right")


class _ForestFile(_ModelFile):
    version: Literal[2] = 2
    trees: Values[_Tree]

    @classmethod
    def contents_of(cls, model: ForestRanker) -> dict[str, Any]:
        trees = []
        for output, tree in trees_of(model.parameters_):
            columns = {
                name: (column.astype(np.int64) if name in _WHOLE else column).tolist()
                for name, column in tree._asdict().items()
            }
            trees.append(_Tree(output=output, **columns))
        return {"trees": trees}

    def parameters(self) -> np.ndarray:
        """Return the forest (m, 8) of checked trees."""
        forest = GrowingForest()
        for number, each in enumerate(self.trees):
            tree = Tree(*(np.array(getattr(each, name)) for name in Tree._fields))
            try:
                check_tree(tree, len(self.feature_names))
            except ValueError as error:
                raise ValueError(f"trees.{number}: {error}") from error
            forest.add(tree, each.output)
        return forest.nodes()


_File = _LinearFile | _ForestFile | _SingleLinearFile
_AnyFile: TypeAdapter[_File] = TypeAdapter(
    Annotated[_File, Field(discriminator="version")]
)


def _file_for(model: Ranker) -> Any:
    """Return the kind of file for a model; None if there is none."""
    if isinstance(model, ImportedSingleLinear):
        return _SingleLinearFile
    if isinstance(model, LinearRanker):
        return _LinearFile
    return _ForestFile if isinstance(model, ForestRanker) else None


def fitted(model: Ranker) -> Provenance:
    """Return the provenance of a fitted model that a file can hold.

    Raises
    ------
    ValueError
        If the model is not fitted, or neither linear nor made of trees.
    """
    provenance: Provenance | None = getattr(model, "provenance_", None)
    if provenance is None or _file_for(model) is None:
        raise ValueError(
            "Only a fitted linear or tree model can be written; this "
            f"{type(model).__name__} is not one."
        )
    return provenance


def fitted_linear(model: Ranker) -> Provenance:
    """Return the provenance of a fitted linear model.

    Raises
    ------
    ValueError
        If the model is not fitted, or not linear.
    """
    provenance: Provenance | None = getattr(model, "provenance_", None)
    if provenance is None or not isinstance(model, LinearRanker):
        raise ValueError(
            f"Only a fitted linear model can be written; this {type(model).__name__} "
            "is not one."
        )
    return provenance


def model_to_json(model: Ranker) -> str:
    """Return the text that `save_model` writes.

    Raises
    ------
    ValueError
        As for `fitted`.
    """
    provenance, file = fitted(model), _file_for(model)
    versions = {name: metadata.version(name) for name in ("numpy", "scipy", "numba")}
    content = file(
        format="rankscope model",
        algorithm=type(model).__name__,
        hyperparameters=stored_settings(model),
        feature_names=list(provenance.feature_names),
        normalisation=provenance.normalisation,
        data=_ModelData(
            name=provenance.data_name, fingerprint=provenance.data_fingerprint
        ),
        iteration=provenance.iteration,
        chosen_by=provenance.chosen_by,
        measures={n: v for n, v in provenance.measures.items() if math.isfinite(v)},
        convention=provenance.rules.convention,
        empty=provenance.rules.empty,
        changes=[_ModelChange(**change._asdict()) for change in provenance.changes],
        versions={"rankcore": __version__, **versions},
        **file.contents_of(model),
    )
    plain = content.model_dump()
    return _text({name: plain[name] for name in ("format", "version")} | plain)


def _text(plain: dict[str, Any]) -> str:
    """Return JSON with one line per field and one per tree."""
    trees = plain.pop("trees", None)
    text = json.dumps(plain, indent=2, ensure_ascii=False)
    if trees is not None:
        lines = ",\n    ".join(json.dumps(tree) for tree in trees)
        text = f'{text[:-2]},\n  "trees": [\n    {lines}\n  ]\n}}'
    return text + "\n"


def save_model(model: Ranker, path: str | os.PathLike[str]) -> None:
    """Write a fitted model as JSON; the file is either written completely or unchanged.

    Links are followed, and an existing file keeps its mode; streams, devices and named
    pipes are written to directly.

    Parameters
    ----------
    model : Ranker
        A fitted model, linear or made of trees.
    path : path

    Raises
    ------
    ValueError
        As `model_to_json`.
    OSError
        If the file cannot be written.
    """
    text = model_to_json(model)
    Output(path).write(text)


def read_own(content: bytes, name: str, remedy: str) -> Ranker:
    """Return the model in the content of a file of `save_model`, called ``name``.

    Parameters
    ----------
    name, remedy : str
        Name of the file and remedy, for errors.

    Raises
    ------
    DataError
        If it is not such a model; the message says where.
    """
    try:
        check_names(content, {1: _LinearFile, 2: _ForestFile, 3: _SingleLinearFile})
        return _fitted(_AnyFile.validate_json(content), name)
    except DataError:
        raise
    except ValidationError as error:
        parts, fault = first_fault(error)
        # The first part is the version.
        place = ".".join(map(str, parts[1:]))
        problem = f"{place}: {fault}" if place else fault
        if error.errors()[0]["type"] == "union_tag_not_found":
            problem = "it has no version"
    except ValueError as error:
        problem = str(error).removesuffix(".")
    raise DataError(f"This is not a RankScope model ({problem})", remedy, file=name)


def document_scores(model: Ranker, dataset: RankingDataset) -> np.ndarray:
    """Return the scores of documents whose features are scaled as in training.

    Parameters
    ----------
    model : Ranker
        Fitted.
    dataset : RankingDataset
        Data with the features of the model, in any order, and possibly others; the last
        ones may be missing and count as 0. In data other than the model's, numbered
        features beyond its last one are an error.

    Returns
    -------
    (n,) float64

    Raises
    ------
    ValueError
        If the features differ, or values are missing that the model cannot handle.
    """
    fitted(model)
    scored = model_features(model, dataset)
    return model.scores(scored.X, model.parameters_)


def _checked_rules(content: _ModelFile) -> Rules:
    """Return the evaluation rules. Raises ValueError for unknown rules or measures."""
    rules = Rules(content.convention, content.empty).checked()
    for key in content.measures:
        part, _, measure = key.partition(" ")
        if part not in _PARTS:
            raise ValueError(
                f"measures: {quoted(key)} does not begin with {' or '.join(_PARTS)}"
            )
        parse(measure)
    return rules


def _algorithm(content: _ModelFile, name: str) -> type[Ranker]:
    """Return the class of a model's algorithm. Raises DataError if it is unknown."""
    if content.algorithm in IMPORTED:
        return IMPORTED[content.algorithm]
    try:
        return get_algorithm(content.algorithm, installed=False)
    except ValueError as error:
        title = quoted(content.algorithm)
        problem = f"The model's algorithm {title} is unknown here"
        remedy = (
            "Import the module that defines its class, or install the package that "
            "adds it"
        )
        raise DataError(problem, remedy, file=name) from error


def _fitted(content: _File, name: str) -> Ranker:
    parameters = content.parameters()
    rules = _checked_rules(content)
    algorithm = _algorithm(content, name)
    unknown = sorted(set(content.hyperparameters) - set(hyperparameters(algorithm)))
    if unknown:
        raise ValueError(
            f"{content.algorithm} has no hyperparameter {quoted(unknown[0])}"
        )
    model = algorithm(**content.hyperparameters)
    check_all(model)
    if _file_for(model) is not type(content):
        raise ValueError(
            f"{content.algorithm} has no models of version {content.version}"
        )
    model.parameters_ = parameters
    model.n_features_in_ = len(content.feature_names)
    model.n_iter_ = content.iteration
    model.provenance_ = Provenance(
        feature_names=tuple(content.feature_names),
        normalisation=content.normalisation,
        data_name=content.data.name,
        data_fingerprint=content.data.fingerprint,
        iteration=content.iteration,
        chosen_by=content.chosen_by,
        measures=content.measures,
        rules=rules,
        changes=tuple(Change(**change.model_dump()) for change in content.changes),
    )
    return model
