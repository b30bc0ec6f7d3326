"""The interface between the training loop and algorithms: steps, and their producers.

`rankcore.training` drives any `Trainable`; in this package,
`rankcore.algorithms.Ranker` is its base class.
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
        Number of completed iterations; 0 is the starting point.
    coef : (d,) float64
        Coefficients, or the parameters of a nonlinear model in the shape that
        `Ranker.scores` takes. Never modified afterwards.
    objective : float
        Training objective at ``coef``, to be maximised if `Ranker.maximises`.
    diagnostics : dict of str to float
        Named quantities of the algorithm, such as a duality gap or gradient norm.
    state : dict of str to array
        Additional arrays for charts, such as the vectors that span a cone. Never
        modified afterwards; scores do not depend on them.
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
    """The algorithm interface of the training loop; see `Ranker` for the terms."""

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
