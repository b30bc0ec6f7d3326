"""How much features count in a model, in an order that a moving picture can keep."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.training import History

SAMPLES = 100


class Coefficients(NamedTuple):
    """Weights of features, those first that have been the largest at some time.

    Attributes
    ----------
    names : tuple of m str
        Features that have or had a weight; the others are left out.
    values : (m,) float64
        Their coefficients, or what counts instead in a model that is not linear (see
        `Ranker.feature_weights`); 0 for one that has been given up.
    unused : int
        Features whose weight has been zero throughout.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    unused: int

    @property
    def note(self) -> str:
        """Their order, and how many are zero, in words."""
        if not self.names:
            return f"all {self.unused} are zero at the start"
        zero = int((self.values == 0).sum())
        said = ["largest first"]
        if zero:
            said.append(f"{zero} hollow: zero here, used earlier")
        if self.unused:
            said.append(f"{self.unused} never used")
        return "; ".join(said)


def coefficients(
    history: History, position: int, feature_names: tuple[str, ...]
) -> Coefficients:
    """Return the weights of features after one record of a run.

    The order is that of the largest size so far, so a coefficient that becomes zero
    keeps its place. Sizes are looked up in at most 100 records before.

    Parameters
    ----------
    history : History
    position : int
        Which record, from 0.
    feature_names : tuple of d str

    Returns
    -------
    Coefficients
    """
    if not len(history):
        empty = np.empty(0, dtype=np.float64)
        return Coefficients((), empty, len(feature_names))
    seen = np.unique(np.linspace(0, position, SAMPLES).astype(np.int64))
    sizes = np.abs([history[i].weights for i in seen]).max(axis=0)
    used = np.flatnonzero(sizes)
    order = used[np.argsort(-sizes[used], kind="stable")]
    return Coefficients(
        names=tuple(feature_names[i] for i in order),
        values=history[position].weights[order],
        unused=len(sizes) - len(used),
    )
