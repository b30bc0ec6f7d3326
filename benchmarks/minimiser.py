"""Where the own L-BFGS ends beside SciPy's L-BFGS-B: objective, nDCG@10, evaluations.

Both take the same path until rounding parts them, which on these objectives it does:
what counts is the mean over starts. ``RANKSCOPE_FOLDS`` adds folders with folds.
"""

import os
from collections.abc import Iterator

import numpy as np

from rankcore import RankingDataset, get_algorithm, load_dataset, load_folds
from rankcore.algorithms import Approximation
from rankcore.data.catalogue import Splits
from rankcore.mathematics.lbfgs import minimise
from rankcore.measures import evaluate

STARTS = 10
LEARNERS = ("ApproxNDCG", "ApproxAP", "ApproxPrecision", "ApproxRR", "ApproxERR")
BUNDLED = ("mslr10k-sample", "planted")
# Of the mean objective relative to SciPy's, in per cent, over all sets and on one set.
LEAST, LEAST_ON_ONE = -0.2, -1.0


class Climb:
    """The objective of a learner to be minimised, from a random start."""

    def __init__(self, learner: Approximation, data: RankingDataset) -> None:
        self._surrogate = learner.surrogate(data)
        scales = self._surrogate.coefficient_scales()
        rng = np.random.default_rng(learner.random_state)
        self._start = scales * rng.uniform(-1.0, 1.0, len(scales))
        self._units = scales / learner.alpha
        self.zero = np.zeros(len(scales))
        self.evaluations = 0

    def coefficients(self, u: np.ndarray) -> np.ndarray:
        return self._start + self._units * u

    def __call__(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        self.evaluations += 1
        point = self._surrogate.evaluate(self.coefficients(u))
        return -point.value, -self._units * point.gradient


def rows() -> Iterator[str]:
    """One line per learner and data set, then one per learner."""
    sets = {name: load_dataset(name) for name in BUNDLED}
    for folder in os.environ.get("RANKSCOPE_FOLDS", "").split():
        folds = load_folds(folder).items()
        sets |= {f"{os.path.basename(folder)} {name}": fold for name, fold in folds}
    for name in LEARNERS:
        ends = {place: _ends(name, splits) for place, splits in sets.items()}
        for place, (relative, quality, evaluations) in ends.items():
            verdict = _verdict(relative.mean() + 2.0 * _error(relative), LEAST_ON_ONE)
            yield (
                f"{name:16} {place:16} objective {relative.mean():+.3f} ± "
                f"{_error(relative):.3f} %, nDCG@10 {quality.mean():+.4f} ± "
                f"{_error(quality):.4f}, evaluations {evaluations:.2f}x   {verdict}"
            )
        mean = float(np.mean([relative.mean() for relative, _, _ in ends.values()]))
        yield f"{name:16} {'all':16} objective {mean:+.3f} %   {_verdict(mean, LEAST)}"


def _verdict(mean: float, least: float) -> str:
    return f"target {least:+g} % {'met' if mean >= least else 'MISSED'}"


def _error(values: np.ndarray) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _ends(name: str, splits: Splits) -> tuple[np.ndarray, np.ndarray, float]:
    """Per start, the difference of the objectives in per cent and of nDCG@10 on
    validation data; and the ratio of all evaluations."""
    relative, quality, evaluations = [], [], np.zeros(2)
    for seed in range(STARTS):
        learner = get_algorithm(name)(random_state=seed)
        values, scores = [], []
        for side, minimiser in enumerate((_own, _scipys)):
            climb = Climb(learner, splits.train)
            u = minimiser(climb, learner)
            evaluations[side] += climb.evaluations
            values.append(-climb(u)[0])
            ranked = splits.valid.X @ climb.coefficients(u)
            scores.append(evaluate(splits.valid, ranked, ["nDCG@10"])["nDCG@10"].mean())
        relative.append(100.0 * (values[0] / values[1] - 1.0))
        quality.append(scores[0] - scores[1])
    return np.array(relative), np.array(quality), float(evaluations[0] / evaluations[1])


def _own(climb: Climb, learner: Approximation) -> np.ndarray:
    tolerance, passes = learner.gradient_tolerance, learner.restart_passes
    iterates = minimise(climb, climb.zero, tolerance, max_iterations=passes)
    return [climb.zero, *iterates][-1]


def _scipys(climb: Climb, learner: Approximation) -> np.ndarray:
    from scipy.optimize import minimize

    limits = {
        "gtol": learner.gradient_tolerance,
        "ftol": 0.0,
        "maxiter": learner.restart_passes,
    }
    return minimize(climb, climb.zero, jac=True, method="L-BFGS-B", options=limits).x


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
