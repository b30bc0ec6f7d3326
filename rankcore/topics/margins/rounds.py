"""Cutting planes by round: the figures that training reports, and the planes."""

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats, Integers
from rankcore.data.dataset import RankingDataset
from rankcore.training import Record

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


def structured_algorithms() -> "dict[str, type[StructuredRanker]]":
    """Return the algorithms that train with margins between orders, by name."""
    from rankcore.algorithms import StructuredRanker, get_algorithm, list_algorithms

    algorithms = {name: get_algorithm(name) for name in list_algorithms()}
    return {
        name: cls
        for name, cls in algorithms.items()
        if issubclass(cls, StructuredRanker)
    }


class Rounds(NamedTuple):
    """Training by round.

    Attributes
    ----------
    primal, best, dual, gap : (r,) float64
        The objective at each round's coefficients, its minimum so far, the optimum over
        the present constraints, and best minus dual.
    violation : (r,) float64
        Violation of the most violated constraint that is not included yet.
    constraints : (r,) int64
    norm : (r,) float64
        Norm of the coefficients, with features in units of their range.
    allowed : float
        The gap at which training may end.
    """

    primal: Floats
    best: Floats
    dual: Floats
    gap: Floats
    violation: Floats
    constraints: Integers
    norm: Floats
    allowed: float


def rounds(algorithm: "StructuredRanker", records: Sequence[Record]) -> Rounds:
    """Return the figures that cutting planes report in a run's records."""

    def column(name: str) -> Floats:
        return np.array([record.diagnostics.get(name, 0.0) for record in records])

    primal = np.array([record.objective for record in records])
    return Rounds(
        primal=primal,
        best=np.minimum.accumulate(primal),
        dual=column("dual"),
        gap=column("gap"),
        violation=column("violation"),
        constraints=column("constraints").astype(np.int64),
        norm=column("norm of w"),
        allowed=algorithm.epsilon * total_weight(algorithm),
    )


def slack_weights(algorithm: "StructuredRanker") -> dict[str, float]:
    """Return the C of each loss, by the name of the hyperparameter."""
    settings = algorithm.get_params()
    return {name: settings[name] for name in settings if name.split("_")[0] == "C"}


def total_weight(algorithm: "StructuredRanker") -> float:
    """Return the sum of C over all losses."""
    return float(sum(slack_weights(algorithm).values()))


class Planes(NamedTuple):
    """The objective from the zero model to beyond the optimum, and planes below it.

    Attributes
    ----------
    scale : (t,) float64
        Multiples of the final coefficients: 0 is the zero model, 1 the final one.
    objective : (t,) float64
    models : (r, t) float64
        Lower bounds from the constraints up to each round: they never exceed the
        objective, and never fall from round to round.
    """

    scale: Floats
    objective: Floats
    models: Floats

    def after(self, position: int) -> Floats:
        """(t,) the lower bound after a round; after the last one, that of the last."""
        return self.models[min(position, len(self.models) - 1)]

    def distance(self, position: int) -> float:
        """Return an upper bound on (objective − cutting-plane model) after a round."""
        return float((self.objective - self.after(position)).max())


def planes_along(
    algorithm: "StructuredRanker",
    dataset: RankingDataset,
    records: Sequence[Record],
    scale: Sequence[float] = tuple(np.linspace(0.0, 1.5, 31)),
) -> Generator[Planes | None]:
    """Compute every round's planes on a line; yields None, then `Planes`.

    Parameters
    ----------
    dataset : RankingDataset
        The training data of the records.
    records : sequence of Record
        At least one.
    scale : sequence of float
        Positions on the line.
    """
    best = min(records, key=lambda record: record.objective)
    t, starts = np.asarray(scale, dtype=np.float64), dataset.offsets[:-1]
    losses = [item for item in algorithm.losses(dataset) if item.C > 0.0]
    end = linear_scores(dataset.X, best.coef)
    square = (t * best.diagnostics.get("norm of w", 0.0)) ** 2
    one_slack = algorithm.slacks == "one"

    def lines(scores: Floats) -> Iterator[Floats]:
        """(q or 1, t) planes of each loss's worst orders at ``scores``."""
        for item in losses:
            lost, forces = item.loss.separation_oracle(scores)
            line = lost[:, None] - np.add.reduceat(forces * end, starts)[:, None] * t
            yield line.sum(axis=0, keepdims=True) if one_slack else line

    def price(slack: Sequence[Floats]) -> Floats:
        each = zip(losses, slack, strict=True)
        sums = [
            item.C * np.maximum(violations, 0.0).sum(axis=0)
            for item, violations in each
        ]
        return square + np.sum(sums, axis=0) / dataset.n_queries

    planes: list[Floats] = [np.zeros((1, len(t))) for _ in losses]
    models = []
    for record in records:
        violations = lines(linear_scores(dataset.X, record.coef))
        planes = [np.maximum(*pair) for pair in zip(planes, violations, strict=True)]
        models.append(price(planes))
        yield None
    objective = np.empty(len(t))
    for i, share in enumerate(t):
        objective[i] = price(list(lines(share * end)))[i]
        yield None
    yield Planes(t, objective, np.array(models))
