"""Hyperparameter values derived from data: ``"auto"`` and stability limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pages.ui.data import datasets
from rankcore.algorithms import Derived, Ranker
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import Splits
from rankcore.data.uploads import Newest
from rankcore.topics.warmup import BACKGROUND
from rankcore.views import Declared, Values

_VALUES = Newest[Mapping[str, Derived]](each=64, most=64)


def derived(algorithm: Ranker, splits: Splits | None) -> Mapping[str, Derived]:
    """Hyperparameter values derived from the training data, where available.

    Empty while the server prepares: deriving them would compile and load kernels here.
    """
    if splits is None or BACKGROUND.at_work:
        return {}
    rows = hyperparameters(algorithm)
    fixed = {
        n: getattr(algorithm, n) for n, row in rows.items() if not row.while_running
    }
    key = f"{type(algorithm).__name__} {fixed} {splits.train.fingerprint}"
    entry = _VALUES.get(key)
    if entry is not None:
        return entry
    usable = algorithm.unsupported_reason(splits.train) is None
    values = algorithm.derived_values(splits.train) if usable else {}
    return _VALUES.keep(key, values, visitor="")


def with_derived(
    rows: Sequence[Declared],
    algorithm: Callable[[Values], Ranker],
    splits: Callable[[Values], Splits | None] = datasets.readable,
) -> list[Declared]:
    """Return the hyperparameters of an unfitted algorithm, with controls adapted to the
    training data: the slider marks the value of ``"auto"``."""

    def derive(row: Declared, values: Values) -> Derived | None:
        limits = derived(algorithm(values), splits(values))
        return limits.get(row.declared.name)

    return [
        replace(row, derived=partial(derive, row), note=partial(_noted, row, derive))
        for row in rows
    ]


def _noted(
    row: Declared,
    derived: Callable[[Declared, Values], Derived | None],
    values: Values,
) -> str:
    """Return the line below a hyperparameter: its range, and its value on the data."""
    limits = derived(row, values)
    parts = [row.note(values) if row.note else "", limits.text if limits else ""]
    return "; ".join(filter(None, parts))
