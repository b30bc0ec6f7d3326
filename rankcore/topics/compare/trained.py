"""Results for a comparison, from a sweep or from the store.

The terms of a result state its data and evaluation rules, so that only runs on equal
terms are compared. They also state training conditions beyond hyperparameters, so that
only runs that differ solely in seed and fold are averaged.
"""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankcore import measures as _measures
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.hyperparameters import Value, hyperparameters, stored_settings
from rankcore.data.dataset import set_name
from rankcore.data.readers import Splits
from rankcore.studies.results import Cell, Course, Result, SharedTerms
from rankcore.training import Stop

if TYPE_CHECKING:
    from rankcore.studies.store import StoredRun

# Fingerprints of training and validation data; None if missing or unknown.
Content = tuple[str | None, str | None]


def from_sweep(
    row: Result,
    ranker: Ranker,
    splits: Splits,
    rules: _measures.Rules = _measures.STANDARD,
    stop: Stop | None = None,
    division: str = "",
) -> Result:
    """Return a result of a sweep with its terms.

    Parameters
    ----------
    ranker : Ranker
        The algorithm of the sweep, with the values of its other hyperparameters.
    splits : Splits
        The data of the result's fold.
    rules, stop
        As in the sweep.
    division : str
        As in `rankcore.studies.results.SharedTerms`.
    """
    train, valid, _ = splits
    split, dataset = ("train", train) if valid is None else ("valid", valid)
    settings = {**stored_settings(ranker), **dict(row.cell.settings)}
    del settings["random_state"]
    limits = row.cell.limits(stop) or Stop(max_iterations=settings["max_iter"])
    data, fold = _data_and_fold(set_name(train.name))
    fold = ", ".join(filter(None, (fold, row.cell.fold)))
    terms = SharedTerms(
        algorithm=type(ranker).__name__,
        data=data,
        normalisation=dataset.normalisation,
        division=division,
        content=content_of(splits),
        rules=rules,
        course=Course(
            chosen=_chosen(row.queries),
            limit=_limit(limits.max_iterations, limits.max_seconds),
        ),
    ).of_queries(dataset, split)
    cell = Cell(_limited(settings, limits.max_iterations), fold, row.cell.seed)
    names = "iteration", "seconds", *(f"{split} {name}" for name in row.queries)
    history = {name: row.history[name] for name in names}
    return replace(row, cell=cell, history=history, terms=terms)


def from_store(stored: "StoredRun") -> Result:
    """Return the result of a stored run, with its terms.

    Raises
    ------
    ValueError
        If it has no measures of its queries or no best model, or cannot be read here.
    """
    table, figures = stored.queries(), stored.figures()
    measured = len(table) and len(figures)
    if not (measured and stored.best and "best" in stored.models()):
        what = "best model" if measured else "measures of its queries"
        raise ValueError(
            f"Run {stored.title} keeps no {what} (it is {stored.status}), so it cannot "
            "be compared."
        )
    settings = dict(stored.hyperparameters)
    settings.pop("random_state", None)
    columns = [n for n in figures if n.startswith(("train ", "valid "))]
    data, fold = _data_and_fold(stored.data_set)
    division = stored.division
    fold = fold or ("" if division is None else division.title)
    return Result(
        Cell(_limited(settings, stored.max_iterations), fold, stored.seed or 0),
        reason=stored.reason,
        iterations=stored.iterations,
        iteration=int(stored.best["iteration"]),
        seconds=stored.seconds,
        nonzeros=int(stored.best["nonzeros"]),
        queries={str(name): column.to_numpy() for name, column in table.items()},
        coef=stored.coef(),
        history={n: figures[n].to_numpy() for n in ("iteration", "seconds", *columns)},
        ranks=stored.best["nonzeros"] > 0,
        terms=SharedTerms(
            algorithm=stored.algorithm,
            data=data,
            split=table.attrs["split"],
            ids=tuple(table.index),
            normalisation=stored.normalisation,
            division="" if division is None else division.words,
            content=(stored.fingerprint or None, stored.valid_fingerprint),
            rules=_measures.Rules(stored.convention, stored.empty),
            course=_course(stored),
            key=stored.id,
            weights=tuple(table.attrs["weights"]),
            weighted_by=table.attrs["weighted by"],
        ),
    )


def content_of(splits: Splits) -> Content:
    """Return the fingerprints of training and validation data, which can be slow."""
    train, valid, _ = splits
    return train.fingerprint, None if valid is None else valid.fingerprint


def _course(stored: "StoredRun") -> Course:
    declared = hyperparameters(get_algorithm(stored.algorithm))
    changes = [
        # Written in full, as this distinguishes runs.
        f"{row.brief} = {row.short(one.new)} after iteration {one.iteration}"
        for one in stored.changes
        for row in [declared[one.name]]
    ]
    start = stored.start
    return Course(
        chosen=_chosen(stored.measures),
        limit=_limit(stored.max_iterations, stored.max_seconds),
        changes=", ".join(changes),
        start="" if start is None else f"from model {_digest(start)}",
        ended=""
        if stored.status == "finished"
        else f"{stored.status} after iteration {stored.iterations}",
    )


def _limited(
    settings: dict[str, Any], most: int | None
) -> tuple[tuple[str, Value], ...]:
    """Return the settings with the limit that applied."""
    limit = {} if most is None else {"max_iter": most}
    return tuple((settings | limit).items())


def _chosen(measures: Iterable[str]) -> str:
    return "".join(f"best by {name}" for name in itertools.islice(measures, 1))


def _limit(iterations: int | None, seconds: float | None) -> str:
    parts = ["any number of iterations"] if iterations is None else []
    parts += [] if seconds is None else [f"at most {seconds:g} s"]
    return ", ".join(parts)


def _digest(start: NDArray[Any]) -> str:
    """Return a few digits that distinguish models."""
    return blake2b(np.ascontiguousarray(start).tobytes(), digest_size=3).hexdigest()


def _data_and_fold(name: str) -> tuple[str, str]:
    """Return a data set's name and its fold; ``mq2008/Fold1`` is fold 1 of
    ``mq2008``."""
    data, _, fold = name.partition("/")
    return data, fold
