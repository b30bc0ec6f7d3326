"""Scores of a linear model."""

from typing import NamedTuple

import numpy as np

from rankcore.base.arrays import read_only
from rankcore.base.blocks import row_blocks
from rankcore.compute.executors import place


class _ScoreBlock(NamedTuple):
    X: np.ndarray

    def scores(self, w: np.ndarray) -> np.ndarray:
        from rankcore._kernels.arithmetic.rows import score_all

        return score_all(self.X, read_only(w, np.float64))


def linear_scores(X: np.ndarray, w: np.ndarray) -> np.ndarray:
    """X @ w, (n,) float64: equal rows have bitwise equal scores at any position.

    Parameters
    ----------
    X : (n, d) float64 or float32, read-only
    w : (d,) float64
    """
    parts = [_ScoreBlock(X[rows]) for rows in row_blocks(*X.shape)]
    scores = place(parts, local=True).call("scores", w)
    return scores[0] if len(scores) == 1 else np.concatenate(scores)
