"""Base of the rankers whose models are forests."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankcore.algorithms.parts.ranker import Ranker
from rankcore.algorithms.parts.trees.forests import GrowingTotals, takes_missing
from rankcore.base.forest_columns import FEATURE, GAIN


@dataclass(eq=False, repr=False, kw_only=True)
class ForestRanker(Ranker):
    """Base of the algorithms whose score comes from a sum of decision trees.

    The coefficients of its steps are (m, 8) arrays; see
    `rankcore._kernels.models.forest`.
    """

    weights_title = "Gain of splits"
    nonzeros_title = "Features used"
    # The floating-point type in which trees are summed, in their order.
    precision: ClassVar[type[np.floating]] = np.float64

    def scores(self, X: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Scores (n,) of documents under a forest."""
        return self.scorer(X)(coef)

    def scorer(self, X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Return a `scores` function that evaluates only new trees."""
        totals = GrowingTotals(X, self.precision)
        return lambda coef: self.combined(*totals(coef))

    @property
    def scores_missing(self) -> bool:
        """Whether every split of the model has a branch for missing values."""
        return takes_missing(self.parameters_)

    def combined(self, totals: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Scores (n,) from the sums (n, k) of the trees for each of ``outputs`` (k,).

        The default is the sum of the single output; 0 before the first tree.
        """
        return totals.sum(axis=1, dtype=np.float64)

    def additive(self, coef: np.ndarray) -> np.ndarray:
        """Return a forest (m, 8) whose sum orders documents as `scores` does, for
        programs that only sum trees; by default the forest itself.

        Raises
        ------
        ValueError
            If there is none.
        """
        return coef

    def feature_weights(self, coef: np.ndarray, n_features: int) -> np.ndarray:
        """Return the total gain of the splits on each feature."""
        splits = coef[coef[:, FEATURE] >= 0.0]
        return np.bincount(
            splits[:, FEATURE].astype(np.int64),
            weights=splits[:, GAIN],
            minlength=n_features,
        )

    def reject_start(self, start: np.ndarray | None) -> None:
        """Raise ValueError for a starting model, from which trees cannot be grown."""
        if start is not None:
            raise ValueError(
                f"{type(self).__name__} grows its own trees and cannot start from "
                "another model."
            )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle only the longest forest, of which the others are prefixes."""
        state = dict(super().__getstate__())
        records = state.pop("history_", ())
        if records:
            state["_longest"] = max((record.coef for record in records), key=len)
            state["_records"] = [
                replace(record, coef=np.array(len(record.coef))) for record in records
            ]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        from rankcore.training import History

        records, longest = state.pop("_records", ()), state.pop("_longest", None)
        super().__setstate__(state)
        if records:
            self.history_ = History()
            self.history_.records = [
                replace(record, coef=longest[: int(record.coef)]) for record in records
            ]
