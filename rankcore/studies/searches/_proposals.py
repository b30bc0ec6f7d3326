"""Proposals: which models to train next, by each method.

A method is a generator: it yields models to train, in generations, and is sent what
they reached, in the same order. So it does not depend on the order in which they end.
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

# One in so many models of a rung advances to the next in successive halving.
ETA = 3


class Proposal(NamedTuple):
    """A model to train.

    Attributes
    ----------
    settings : dict of str to value
    most : int or None
        Iterations at most; None: the search's own limit.
    bar : Bar or None
        Below it, training ends early.
    rows : tuple of Result
        What it reached, where that is known already.
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
        Of each model at most.
    seed : int
    generation : int
        Models that are proposed together, where the next ones depend on them.
    prune : bool
    measure : str
        As in the history of a run, such as ``"valid nDCG@10"``.
    study : Path or None
        The file that keeps an Optuna study.
    identity : dict
        What a kept study must have in common with this one, as JSON.
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
    """A way to search.

    Attributes
    ----------
    propose : callable
        Begins to propose models.
    total : callable
        How many models it trains in all, from what is wanted.
    """

    propose: Callable[[Wanted], Generations]
    total: Callable[[Wanted], int] = lambda wanted: wanted.models


def every_combination(wanted: Wanted) -> Generations:
    """Yield a grid of at most ``models`` models, coarse to fine.

    Raises
    ------
    ValueError
        If even the coarsest grid has more.
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
    """Return the models of the grid; errors as of `every_combination`."""
    return math.prod(len(axis) for axis in _axes(wanted))


def _axes(wanted: Wanted) -> list[tuple[Value, ...]]:
    """Return the values of each dimension on the grid."""
    listed = [len(dimension.values) for dimension in wanted.space if dimension.values]
    ranges = len(wanted.space) - len(listed)
    rest = wanted.models / math.prod(listed)
    # A cube root of 8 may be a little below 2.
    count = int(rest ** (1.0 / ranges) + 1e-9) if ranges else 1
    axes = [dimension.grid(max(count, 2)) for dimension in wanted.space]
    total = math.prod(len(axis) for axis in axes)
    if total > wanted.models:
        raise ValueError(
            f"The coarsest grid has {total} models: allow as many, or search fewer "
            "hyperparameters."
        )
    return axes


def random_values(wanted: Wanted) -> Generations:
    """Random values, independent of each other, uniform on the scale of each
    dimension."""
    yield [Proposal(settings) for settings in _random(wanted)]


def halving(wanted: Wanted) -> Generations:
    """Successive halving: of random models trained briefly, the best third goes on.

    Each is trained anew with three times the iterations, up to those of the search.
    K. Jamieson, A. Talwalkar, "Non-stochastic best arm identification and
    hyperparameter optimization", AISTATS 2016.
    """
    sizes = rungs(wanted.models)
    left = _random(wanted)
    for rung in range(len(sizes)):
        most = max(round(wanted.iterations / ETA ** (len(sizes) - 1 - rung)), 1)
        reached = yield [Proposal(settings, most) for settings in left]
        # Ties go to the first; models that could not be trained come last.
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
