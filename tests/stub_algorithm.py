"""An algorithm whose steps are given beforehand, to test those who drive it."""

import time
from dataclasses import dataclass

import numpy as np

from rankcore.algorithms import LinearRanker, Step, Steps
from rankcore.base.cancellation import cancel_point
from rankcore.data.dataset import RankingDataset
from rankcore.training.steps import Start


@dataclass(eq=False, repr=False, kw_only=True)
class Given(LinearRanker):
    """Yields ``coefs`` in turn, with ``objectives``; then ends or, with ``loop``, does
    not. A pass has so many ``parts``, of so many ``seconds`` each. ``closed`` tells
    whether the generator was closed, ``why`` is what it says at its end."""

    title = "Given"
    family = "none"

    coefs: tuple = ((0.0,),)
    objectives: tuple = (0.0,)
    seconds: float = 0.0
    parts: int = 1
    loop: bool = False
    fails_at: int | None = None
    why: str | None = None

    def steps(
        self, dataset: RankingDataset, rng: np.random.Generator, start: Start = None
    ) -> Steps:
        self.closed = False
        try:
            iteration = 0
            while iteration < len(self.coefs) or self.loop:
                at = iteration % len(self.coefs)
                if iteration == self.fails_at:
                    raise RuntimeError("the step went wrong")
                coef = np.array(self.coefs[at], dtype=float)
                yield Step(iteration, coef, self.objectives[at], {"draw": rng.random()})
                iteration += 1
                for _ in range(self.parts):
                    cancel_point()
                    time.sleep(self.seconds)
            return self.why
        finally:
            self.closed = True


def line(labels: tuple[int, ...] = (0, 1, 2)) -> RankingDataset:
    """One query whose single feature is the label: coefficient 1 ranks it perfectly,
    0 leaves the order of the rows, -1 reverses it."""
    y = np.array(labels)
    return RankingDataset.from_arrays(y[:, None].astype(float), y)
