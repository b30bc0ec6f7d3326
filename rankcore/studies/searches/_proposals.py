"""Proposals of the next models to train, by each search method.

A method is a generator: it yields generations of models to train, and receives their
results in the same order, so it does not depend on the order in which they end.
"""

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.hyperparameters import Value
from rankcore.studies.cells import Bar
from rankcore.studies.results import ModelResults, Result
from rankcore.studies.searches.space import Dimension, settings_at
from rankcore.studies.sweeps import coarse_to_fine

# In successive halving, one in this many models of a rung advances to the next.
ETA = 3


class Proposal(NamedTuple):
    """A model to train.

    Attributes
    ----------
    settings : dict of str to value
    most : int or None
        Maximum number of iterations; None for the search's own limit.
    bar : Bar or None
        Training ends early below this bar.
    rows : tuple of Result
        Its results, if already known.
    """

    settings: Mapping[str, Value]
    most: int | None = None
    bar: Bar | None = None
    rows: tuple[Result, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """The request to a method.

    Attributes
    ----------
    space : tuple of Dimension
    models : int
    iterations : int
        Maximum number of iterations per model.
    seed : int
    generation : int
        Number of models proposed together, for methods that learn from results.
    prune : bool
    measure : str
        Measure as in the history of a run, such as ``"valid nDCG@10"``.
    study : Path or None
        The file of an Optuna study.
    identity : dict
        Values that a stored study must share with this one, as JSON.
    """

    space: tuple[Dimension, ...]
    models: int
    iterations: int
    seed: int
    generation: int
    prune: bool
    measure: str
    study: Path | None
    identity: Mapping[str, Any]


Generations = Generator[list[Proposal], Sequence[ModelResults], None]


class Method(NamedTuple):
    """A search method.

    Attributes
    ----------
    propose : callable
        Returns a generator of proposals.
    total : callable
        Returns the total number of models to train for a request.
    """

    propose: Callable[[Wanted], Generations]
    total: Callable[[Wanted], int] = lambda wanted: wanted.models


def every_combination(wanted: Wanted) -> Generations:
    """Yield a grid of at most ``models`` models, coarse to fine.

    Raises
    ------
    ValueError
        If even the coarsest grid has more models.
    """
    axes = _axes(wanted)
    shape = [len(axis) for axis in axes]
    names = [dimension.name for dimension in wanted.space]
    places = [np.unravel_index(n, shape) for n in coarse_to_fine(shape)]
    yield [
        Proposal(
            {n: axis[i] for n, axis, i in zip(names, axes, at, strict=True)}
        )
        for at in places
    ]  # fmt: skip


def combinations(wanted: Wanted) -> int:
    """Return the models of the grid; errors are those of `every_combination`."""
    return math.prod(len(axis) for axis in _axes(wanted))


def _axes(wanted: Wanted) -> list[tuple[Value, ...]]:
    """Return the values of each dimension on the grid."""
    listed = [len(dimension.values) for dimension in wanted.space if dimension.values]
    ranges = len(wanted.space) - len(listed)
    rest = wanted.models / math.prod(listed)
    # A cube root of 8 may be slightly below 2.
    count = int(rest ** (1.0 / ranges) + 1e-9) if ranges else 1
    axes = [dimension.grid(max(count, 2)) for dimension in wanted.space]
    total = math.prod(len(axis) for axis in axes)
    if total > wanted.models:
        raise ValueError(
            f"The coarsest grid has {total} models: allow that many, or search fewer "
            "hyperparameters."
        )
    return axes


def random_values(wanted: Wanted) -> Generations:
    """Yield independent random values, uniform on the scale of each dimension."""
    yield [Proposal(settings) for settings in _random(wanted)]


def halving(wanted: Wanted) -> Generations:
    """Run successive halving: the best third of briefly trained random models advances.

    Each is retrained with three times the iterations, up to the search's maximum. K.
    Jamieson, A. Talwalkar, "Non-stochastic best arm identification and hyperparameter
    optimization", AISTATS 2016.
    """
    sizes = rungs(wanted.models)
    left = _random(wanted)
    for rung in range(len(sizes)):
        most = max(round(wanted.iterations / ETA ** (len(sizes) - 1 - rung)), 1)
        reached = yield [Proposal(settings, most) for settings in left]
        # The first wins ties; models that could not be trained come last.
        values = np.nan_to_num([one.value for one in reached], nan=-np.inf)
        best = np.argsort(-values, kind="stable")[: len(left) // ETA]
        left = [left[number] for number in sorted(best)]


def rungs(models: int) -> list[int]:
    """Return the number of models on each rung of successive halving.

    Examples
    --------
    >>> rungs(30)
    [30, 10, 3, 1]
    """
    counts = [models]
    while counts[-1] >= ETA:
        counts.append(counts[-1] // ETA)
    return counts


def _random(wanted: Wanted) -> list[dict[str, Value]]:
    rng = np.random.default_rng(wanted.seed)
    shares = rng.random((wanted.models, len(wanted.space)))
    return [settings_at(wanted.space, point) for point in shares]
