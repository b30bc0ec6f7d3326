"""Ridge regression by gradient descent, as an example of an algorithm."""

from dataclasses import dataclass

import numpy as np

from rankcore import LinearRanker, RankingDataset, Step, Steps
from rankcore.base.hyperparameters import real


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeDescent(LinearRanker):
    """Gradient descent on the squared error of the labels."""

    title = "Ridge descent"
    family = "regression"
    summary = "Fits the labels by least squares, a step an iteration."
    equation = r"\tfrac1n\|Xw - y\|^2 + \lambda\|w\|^2"
    paper = "Hoerl and Kennard, Technometrics 12, 1970"

    ridge: float = real(
        0.01,
        low=0.0,
        high=10.0,
        scale="log",
        symbol=r"\lambda",
        meaning="Weight of the squared norm; more shrinks the coefficients.",
        sweep=(0.0, 0.01, 0.1),
    )

    def steps(
        self,
        dataset: RankingDataset,
        rng: np.random.Generator,
        start: np.ndarray | None = None,
    ) -> Steps:
        X, y = dataset.X, dataset.y - dataset.y.mean()
        d = dataset.n_features
        w = np.zeros(d) if start is None else self.checked_start(start, dataset)
        step = 1.0 / (np.linalg.norm(X, 2) ** 2 / len(y) + self.ridge)
        iteration = 0
        while True:
            error = X @ w - y
            yield Step(iteration, w.copy(), error @ error / len(y) + self.ridge * w @ w)
            w -= step * (X.T @ error / len(y) + self.ridge * w)
            iteration += 1
