"""Arguments of `fit`, `predict` and `score` other than arrays: data sets, sizes of
queries, validation data, and callbacks."""

import logging
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.arrays import FILL_IN
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted, three_digits
from rankcore.data.dataset import RankingDataset, feature_differences, set_name
from rankcore.training.estimators import ABSENT, Queries, queries_of_fit, training_data

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankcore.training import Record, Run

_LOG = logging.getLogger("rankcore")
# It is called after each iteration; True ends training.
Callback = Callable[["Record"], object]


def fitted_data(
    estimator: Any,
    X: Any,
    y: Any,
    qid: Queries,
    group: "ArrayLike | None",
    sample_weight: "ArrayLike | None",
) -> RankingDataset:
    """Return the training data of `fit`, from a data set or arrays.

    Raises
    ------
    ValueError
        If a data set comes with separate labels, queries or weights, both queries and
        their sizes are given, or the sizes do not add up to the number of rows.
    """
    if isinstance(X, RankingDataset):
        beside = y, group, sample_weight
        if qid is not ABSENT or any(each is not None for each in beside):
            raise ValueError(
                "A RankingDataset has labels, queries and weights; give it alone, "
                "without y, qid, group and sample_weight."
            )
        estimator._fitted_to_queries = True
        return X
    if group is not None:
        if qid is not ABSENT:
            raise ValueError("Give the queries as qid or as group, not as both.")
        qid = queries_of_sizes(group, len(X))
    queries = queries_of_fit(estimator, qid)
    return training_data(estimator, X, y, queries, sample_weight)


def queries_of_sizes(group: "ArrayLike", rows: int) -> np.ndarray:
    """Return the query (n,) of each row, for consecutive queries of these sizes.

    Raises
    ------
    ValueError
        If they are not positive integers, or their sum is not the number of rows.
    """
    sizes = np.asarray(group)
    whole = sizes.ndim == 1 and np.issubdtype(sizes.dtype, np.integer)
    if not whole or (sizes < 1).any():
        raise ValueError(
            "group is the number of documents of each query, in the order of the rows: "
            "whole numbers from 1 upwards."
        )
    if sizes.sum() != rows:
        raise ValueError(
            f"The sizes in group add up to {sizes.sum()}, but there are "
            f"{counted(rows, 'rows')}; give the size of every query once."
        )
    return np.repeat(np.arange(len(sizes)), sizes)


def validation_data(
    train: RankingDataset, eval_set: Any, eval_qid: Any
) -> RankingDataset | None:
    """Return the validation data of `fit`.

    Parameters
    ----------
    eval_set : RankingDataset, (X, y), or list of one of them, optional
    eval_qid : (n,) array, or list of one, optional

    Raises
    ------
    ValueError
        If there are several data sets, or arrays come without their queries.
    """
    if eval_set is None:
        return None
    if isinstance(eval_set, list):
        if len(eval_set) != 1:
            raise ValueError(
                f"eval_set has {len(eval_set)} pairs; the iteration is chosen by one "
                "set of validation data, so give one."
            )
        eval_set = eval_set[0]
        eval_qid = eval_qid[0] if isinstance(eval_qid, list) else eval_qid
    if isinstance(eval_set, RankingDataset):
        return eval_set
    X, y = eval_set
    if eval_qid is None:
        raise ValueError("eval_set needs the query of each row as eval_qid.")
    return RankingDataset.from_arrays(
        X,
        y,
        eval_qid,
        feature_names=train.feature_names,
        missing=train.missing,
    )


def train_telling(
    run: "Run", callbacks: Iterable[Callback] = (), verbose: int = 0
) -> None:
    """Train to the end of a run, or until a callback returns True.

    Parameters
    ----------
    callbacks : iterable of callables
        Each is called with every record.
    verbose : int
        Interval in iterations at which a line is printed; 0: never.
    """
    listeners = tuple(callbacks)
    with closing(run):
        for record in run:
            if verbose and record.iteration % int(verbose) == 0:
                sys.stdout.write(f"{_line(run, record)}\n")
            if _LOG.isEnabledFor(logging.DEBUG):
                _LOG.debug("%s", _line(run, record))
            if any(tell(record) is True for tell in listeners):
                break
    _LOG.info("%s: %s", run.algorithm.title, run.reason or "Ended by a callback.")


def _line(run: "Run", record: "Record") -> str:
    parts = [f"objective {three_digits(record.objective)}"]
    for split, measured in (("train", record.train), ("valid", record.valid)):
        parts += [f"{split} {name} {value:.4f}" for name, value in measured.items()]
    return f"{run.algorithm.title} {record.iteration}: {', '.join(parts)}"


def model_features(model: Any, dataset: RankingDataset) -> RankingDataset:
    """Return a data set with the features that a fitted model scores, in its order,
    scaled within queries where it was trained so.

    Parameters
    ----------
    model : Ranker
    dataset : RankingDataset
        With the features of the model, in any order, and possibly others; it may lack
        the last ones, which count as 0. For data other than the model's, numbered
        features beyond its last one are an error.

    Raises
    ------
    ValueError
        If the features differ, or values are missing and the model was trained without.
    """
    origin = model.provenance_
    names: Sequence[str] = origin.feature_names
    lacking = [name for name in names if name not in dataset.feature_names]
    others = [name for name in dataset.feature_names if name not in names]
    last = max(map(_number, names))
    same = model.names_needed_only or (
        origin.data_name and set_name(origin.data_name) == set_name(dataset.name)
    )
    beyond = not same and any(_number(name) > last for name in others)
    if beyond or tuple(lacking) != names[dataset.n_features :]:
        raise ValueError(
            f"The data {dataset.name} does not have the features of the model: "
            f"{feature_differences(lacking, others)}. Give data with the same features"
            f"{'' if lacking else ', or leave these out with --ignore'}."
        )
    if origin.normalisation not in (None, "standard", dataset.normalisation):
        dataset = dataset.normalise(origin.normalisation)
    scored = dataset.with_features(names)
    if scored.has_missing and not model.scores_missing:
        problem = f"{scored.missing_text}, and the model was trained without any"
        raise DataError(problem, FILL_IN, scored.name)
    return scored


def _number(name: str) -> int:
    """Return the number of a feature that is named only by it, else 0."""
    match = re.fullmatch(r"f(\d{1,9})", name)
    return int(match[1]) if match else 0
