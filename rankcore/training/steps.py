"""The interface between the training loop and algorithms: steps, and their makers.

`rankcore.training` drives whatever is a `Trainable`; `rankcore.algorithms.Ranker` is
its base in this package.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset


@dataclass(frozen=True)
class Step:
    """The state of an algorithm after one iteration.

    Attributes
    ----------
    iteration : int
        Iterations done; 0 is the starting point.
    coef : (d,) float64
        Coefficients; for a model that is not linear its parameters, in the shape that
        the algorithm's `Ranker.scores` takes. Never changed afterwards.
    objective : float
        Training objective at ``coef``, to be maximised if `Ranker.maximises`.
    diagnostics : dict of str to float
        Named figures of the algorithm, such as duality gap, restart or gradient norm.
    state : dict of str to array
        Arrays that describe the model further, for charts, such as the vectors that
        span a cone. Never changed afterwards; scores do not depend on them.
    """

    iteration: int
    coef: np.ndarray
    objective: float
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    state: Mapping[str, np.ndarray] = field(default_factory=dict)


Steps = Generator[Step, None, str | None]
# The parameters of the model that training starts from; None: its own start.
Start = np.ndarray | None


class Trainable(Protocol):
    """An algorithm as the training loop sees it; the terms are those of `Ranker`."""

    title: ClassVar[str]
    maximises: ClassVar[bool]
    anytime: ClassVar[bool]
    resumes: ClassVar[bool]
    warm_starts: ClassVar[bool]
    iteration_cost: ClassVar[int]
    max_iter: int
    random_state: int | None

    @property
    def splits(self) -> bool: ...

    def check(self, dataset: "RankingDataset") -> None: ...

    def training_steps(
        self, dataset: "RankingDataset", rng: np.random.Generator, start: Start = None
    ) -> Steps: ...

    def scorer(self, X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]: ...

    def feature_weights(self, coef: np.ndarray, n_features: int) -> np.ndarray: ...

    def ending_note(self, best: Any) -> str | None: ...
