"""Fitted models as JSON that people and other programs can read.

The file is one object::

    {
      "format": "rankscope model", "version": 1,
      "algorithm": "RSRank",
      "hyperparameters": {"g": 10.0, ...},
      "feature_names": ["BM25 of title", ...],
      "coefficients": [0.13, ...],
      "normalisation": "minmax",       how features were scaled within a query, or null
      "data": {"name": "ohsumed/Fold1 train", "fingerprint": "…"},
      "iteration": 96,                 the pass after which the model was taken
      "measures": {"valid nDCG@10": 0.451, ...},
      "convention": "standard", "empty": "zero",
      "versions": {"rankcore": "0.1.0", "numpy": "2.4.6", ...}
    }

A document's score is the sum of coefficient times feature. Nothing in the file is ever
executed.
"""

import json
import os
import secrets
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

import rankcore
from rankcore.algorithms import get_algorithm
from rankcore.algorithms._ranker import LinearRanker, Provenance, Ranker
from rankcore.errors import DataError
from rankcore.hyperparameters import check_all, hyperparameters


class _Data(BaseModel):
    name: str
    fingerprint: str


class _ModelFile(BaseModel):
    """The file's content; what it does not know, such as a later addition, it skips."""

    model_config = ConfigDict(strict=True)

    format: Literal["rankscope model"]
    version: Literal[1]
    algorithm: str
    hyperparameters: dict[str, Any]
    feature_names: list[str] = Field(min_length=1)
    coefficients: list[FiniteFloat]
    normalisation: Literal["minmax", "zscore"] | None
    data: _Data
    iteration: int
    measures: dict[str, FiniteFloat]
    convention: str
    empty: str
    versions: dict[str, str]


def fitted_linear(model: Ranker) -> Provenance:
    """Where a fitted linear model comes from.

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
    """The text `save_model` writes.

    Raises
    ------
    ValueError
        If the model is not fitted, or not linear.
    """
    provenance = fitted_linear(model)
    versions = {name: metadata.version(name) for name in ("numpy", "scipy", "numba")}
    content = _ModelFile(
        format="rankscope model",
        version=1,
        algorithm=type(model).__name__,
        hyperparameters={name: getattr(model, name) for name in hyperparameters(model)},
        feature_names=list(provenance.feature_names),
        coefficients=model.parameters_.tolist(),
        normalisation=provenance.normalisation,
        data=_Data(name=provenance.data_name, fingerprint=provenance.data_fingerprint),
        iteration=provenance.iteration,
        measures=dict(provenance.measures),
        convention=provenance.convention,
        empty=provenance.empty,
        versions={"rankcore": rankcore.__version__, **versions},
    )
    return json.dumps(content.model_dump(), indent=2, ensure_ascii=False) + "\n"


def save_model(model: Ranker, path: str | os.PathLike[str]) -> None:
    """Write a fitted linear model as JSON; a file is either whole or not there.

    Parameters
    ----------
    model : Ranker
        A fitted linear model.
    path : path

    Raises
    ------
    ValueError
        As `model_to_json`.
    OSError
        If the file cannot be written.
    """
    text = model_to_json(model)
    path = Path(path)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with partial.open("x", encoding="utf-8") as file:
            file.write(text)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load_model(path: str | os.PathLike[str]) -> LinearRanker:
    """Read a model written by `save_model`; it predicts at once.

    Raises
    ------
    DataError
        If the file is not such a model; the sentence says where it departs.
    OSError
        If the file cannot be read.
    """
    try:
        return _fitted(_ModelFile.model_validate_json(Path(path).read_bytes()))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = f"{place}: {first['msg']}" if place else first["msg"]
    except ValueError as error:
        problem = str(error).removesuffix(".")
    raise DataError(
        f"This is not a RankScope model ({problem})",
        "Use a file written by `rankscope train --out` or by save_model",
        file=os.fspath(path),
    )


def _fitted(content: _ModelFile) -> LinearRanker:
    if len(content.coefficients) != len(content.feature_names):
        raise ValueError(
            f"{len(content.coefficients)} coefficients for "
            f"{len(content.feature_names)} features"
        )
    algorithm = get_algorithm(content.algorithm)
    unknown = sorted(set(content.hyperparameters) - set(hyperparameters(algorithm)))
    if unknown:
        raise ValueError(f"{content.algorithm} has no hyperparameter {unknown[0]}")
    model = algorithm(**content.hyperparameters)
    check_all(model)
    if not isinstance(model, LinearRanker):
        raise ValueError(f"{content.algorithm} is not linear")  # noqa: TRY004
    model.parameters_ = np.array(content.coefficients, dtype=np.float64)
    model.n_features_in_ = len(content.coefficients)
    model.n_iter_ = content.iteration
    model.provenance_ = Provenance(
        feature_names=tuple(content.feature_names),
        normalisation=content.normalisation,
        data_name=content.data.name,
        data_fingerprint=content.data.fingerprint,
        iteration=content.iteration,
        measures=content.measures,
        convention=content.convention,
        empty=content.empty,
    )
    return model
