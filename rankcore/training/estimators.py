"""Input checks of `fit` and `predict`: shapes by scikit-learn, values here.

scikit-learn checks an estimator's conventions, such as the number and the names of its
features; `RankingDataset` reports the row and the column of an invalid value.
"""

import sys
import warnings
from collections.abc import Iterator
from enum import Enum
from types import FrameType
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn import config_context, get_config
from sklearn.utils.validation import column_or_1d, validate_data

from rankcore.base.arrays import Floats, Missing, as_features
from rankcore.base.errors import DataError, MissingQueryWarning
from rankcore.data.dataset import RankingDataset


class Absence(Enum):
    """The default of an argument for which None has a meaning."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT
Queries = np.ndarray | None | Literal[Absence.ABSENT]

# Modules of scikit-learn that select models, or features with models.
_CHOOSING = ("sklearn.model_selection.", "sklearn.feature_selection.")
# Functions that silently return nan where fit raises an error.
_CURVES = ("learning_curve", "validation_curve")
_WITHOUT = "Model selection calls fit without queries."
_UNSCORED = "Model selection passes queries to fit, but none to score."
_REMEDY = (
    "Pass the query of each row as qid=; within GridSearchCV, cross_val_score or a "
    "Pipeline, enable scikit-learn's metadata routing and call "
    "set_fit_request(qid=True).set_score_request(qid=True). qid=None says that all "
    "rows are one query."
)


def queries_of_fit(estimator: Any, qid: Queries) -> np.ndarray | None:
    """Return the queries passed to `fit`; None means one query of all documents.

    Warns
    -----
    MissingQueryWarning
        If the caller omitted them.

    Raises
    ------
    ValueError
        If scikit-learn's selection of models or features omitted them: it would split
        the documents of a query, and choose by one ranking of all documents. Its frame
        on the call stack reveals it, because it passes ``groups`` only to the splitter.
        Also if it passes them only to `fit` and chooses by `score`: it would turn the
        error of `score` into nan and choose the first model.
    """
    if qid is ABSENT and any(True for _ in _model_selection()):
        raise ValueError(f"{_WITHOUT} {_REMEDY}")
    if qid is not ABSENT and qid is not None and _scored_without_queries(estimator):
        raise ValueError(f"{_UNSCORED} {_REMEDY}")
    queries = _queries(qid, "fit")
    estimator._fitted_to_queries = queries is not None
    return queries


def queries_of_score(estimator: Any, qid: Queries) -> np.ndarray | None:
    """Return the queries passed to `score`, with the warning of `queries_of_fit`.

    Raises
    ------
    ValueError
        If the caller omitted them, but fitted the estimator to queries.
    """
    if qid is ABSENT and getattr(estimator, "_fitted_to_queries", False):
        raise ValueError(
            "The model was fitted to queries, but score was called without them. "
            f"{_REMEDY}"
        )
    return _queries(qid, "score")


class QueryScorer:
    """Adds scikit-learn's ``score`` to a ranking estimator."""

    takes_missing: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        _check_curves(self)
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of BaseEstimator
        tags.input_tags.allow_nan = self.takes_missing
        return tags

    def score(
        self,
        X: np.ndarray | RankingDataset,
        y: np.ndarray | None = None,
        qid: Queries = ABSENT,
        sample_weight: np.ndarray | None = None,
    ) -> float:
        """Return the mean nDCG@10 (standard convention, 0 for queries without relevant
        documents).

        Parameters
        ----------
        X : (n, d) array or RankingDataset
        y : (n,) array of int
            Labels; omitted, like ``qid``, with a data set, which contains both.
        qid : (n,) array or None
            The query of each document; None means that all belong to one query; so does
            omitting it, with a `MissingQueryWarning`.
        sample_weight : (n,) array, optional
            The weight of each document's query in the mean, above 0 and the same for
            all documents of a query.

        Raises
        ------
        ValueError
            If the model was fitted to queries, and ``qid`` is omitted.
        """
        from rankcore import measures

        if isinstance(X, RankingDataset):
            if sample_weight is not None:
                raise ValueError(
                    "A RankingDataset has the weights of its queries; leave "
                    "sample_weight out, or use with_query_weights."
                )
            return measures.means(X, self._scored(X), ("nDCG@10",))["nDCG@10"]
        if y is None:
            raise ValueError("score needs the labels y, or a RankingDataset.")
        queries = queries_of_score(self, qid)
        missing = _missing(self)
        dataset = RankingDataset.from_arrays(X, y, queries, missing=missing)
        dataset = _weighted(dataset, sample_weight)
        scores = self._predicted(X, queries)[dataset.rows]
        return measures.means(dataset, scores, ("nDCG@10",))["nDCG@10"]

    def _scored(self, dataset: RankingDataset) -> np.ndarray:
        return self._predicted(dataset.X, dataset.qid)

    def _predicted(self, X: np.ndarray, queries: np.ndarray | None) -> np.ndarray:
        raise NotImplementedError


def _queries(qid: Queries, method: str) -> np.ndarray | None:
    if isinstance(qid, Absence):
        warnings.warn(
            f"{method} was called without qid, so all rows count as one query. "
            f"{_REMEDY}",
            MissingQueryWarning,
            stacklevel=4,
        )
        return None
    return qid


def _model_selection() -> Iterator[FrameType]:
    """Yield the frames of scikit-learn's model selection on the call stack."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(_CHOOSING):
            yield frame
        frame = frame.f_back


def _is_own(estimator: Any, method: str) -> bool:
    """Whether it is not from a subclass, which may pass the queries itself."""
    module: str = getattr(type(estimator), method).__module__
    return module.startswith("rankcore.")


def _check_curves(estimator: Any) -> None:
    """Reject a curve of scikit-learn in which `fit` or `score` would lack queries.

    It would silently turn the error of `queries_of_fit` into nan. It reads the tags of
    the estimator, or of the steps of its pipeline, before it begins; a pipeline catches
    a ValueError there, so this is a RuntimeError.
    """
    for frame in _model_selection():
        if frame.f_code.co_name not in _CURVES:
            continue
        variables, outer = frame.f_locals, frame.f_locals.get("estimator")
        # A scorer that passes queries itself is not one of scikit-learn's.
        if outer is not estimator and not type(outer).__module__.startswith("sklearn."):
            return
        if not _is_own(estimator, "fit"):
            return
        # Before scikit-learn 1.8 the argument is called fit_params.
        names = {
            **(variables.get("params") or {}),
            **(variables.get("fit_params") or {}),
        }
        if not any(name.rpartition("__")[2] == "qid" for name in names):
            raise RuntimeError(f"{_WITHOUT} {_REMEDY}")
        routed = get_config()["enable_metadata_routing"]
        if variables.get("scoring") is None and not routed:
            raise RuntimeError(f"{_UNSCORED} {_REMEDY}")


def _scored_without_queries(estimator: Any) -> bool:
    """Whether the present fit is scored by the estimator's `score` without ``qid``."""
    if not _is_own(estimator, "score"):
        return False
    for frame in _model_selection():
        if frame.f_code.co_name == "_fit_and_score":
            scorer = frame.f_locals.get("scorer")
            scorers = getattr(scorer, "_scorers", {"score": scorer}).values()
            passes_through = any(
                type(one).__name__ == "_PassthroughScorer" for one in scorers
            )
            return passes_through and "qid" not in (
                frame.f_locals.get("score_params") or {}
            )
    return False


def training_data(
    estimator: Any, X: Any, y: Any, qid: Any = None, sample_weight: Any = None
) -> RankingDataset:
    """Return the training documents of an estimator, given in any order.

    Raises
    ------
    ValueError
        For invalid shapes and types, with scikit-learn's message.
    DataError
        For invalid values, labels or identifiers, with their position.
    """
    with config_context(assume_finite=True):
        X, y = validate_data(
            estimator, X, y, dtype=np.float64, order="C", y_numeric=True
        )
        y = column_or_1d(y)
    names = getattr(estimator, "feature_names_in_", None)
    dataset = RankingDataset.from_arrays(
        X,
        y,
        qid,
        feature_names=None if names is None else tuple(names),
        missing=_missing(estimator),
    )
    return _weighted(dataset, sample_weight)


def _weighted(dataset: RankingDataset, sample_weight: Any) -> RankingDataset:
    """Return the data with weights of their documents, in the given order."""
    if sample_weight is None:
        return dataset
    weights = np.asarray(sample_weight)
    if weights.shape != (dataset.n_documents,):
        raise DataError(
            f"sample_weight has the shape {weights.shape} for "
            f"{dataset.n_documents} documents",
            "Give each document the weight of its query",
        )
    by_document = weights[dataset.rows]
    by_query = by_document[dataset.offsets[:-1]]
    other = by_document != np.repeat(by_query, dataset.lengths)
    if other.any():
        at = int(np.searchsorted(dataset.offsets, other.argmax(), side="right")) - 1
        raise DataError(
            f"Documents of the query {dataset.query_ids[at]!r} have different weights",
            "Give all documents of a query the weight of the query",
        )
    return dataset.with_query_weights(by_query)


def _missing(estimator: Any) -> Missing | None:
    """Return the option of `RankingDataset` for missing values."""
    return "keep" if estimator.takes_missing else None


def documents(estimator: Any, X: Any) -> Floats:
    """Return the features (n, d) of documents for a fitted estimator to score.

    Raises
    ------
    ValueError, DataError
        As in `training_data`.
    """
    with config_context(assume_finite=True):
        X = validate_data(estimator, X, dtype=np.float64, order="C", reset=False)
    names = getattr(estimator, "feature_names_in_", None)
    return as_features(X, names, missing=_missing(estimator))
