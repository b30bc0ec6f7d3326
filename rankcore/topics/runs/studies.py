"""Stored comparisons and sweeps, one row each."""

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rankcore.algorithms import get_algorithm
from rankcore.base.numbers import shortlist

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMES = 4


class StoredStudy(NamedTuple):
    """Sweeps that were started together, such as the algorithms of a comparison.

    Attributes
    ----------
    sweeps : tuple of str
        Their ids.
    measure : str
        The measure that chose the best model.
    best, low, high : float
        Its highest value, and the 95% interval over queries; NaN where unknown.
    best_of : str
        The algorithm with that value.
    created : datetime
        UTC.
    """

    key: str
    title: str
    data: str
    sweeps: tuple[str, ...]
    measure: str
    best: float
    low: float
    high: float
    best_of: str
    ended: int
    runs: int
    created: datetime

    @classmethod
    def of(cls, table: "pd.DataFrame") -> Self:
        """Return the study of some rows of `rankcore.studies.store.Store.sweeps`."""
        ordered = table.sort_values("created", kind="stable")
        scored = ordered[ordered["best"].notna()]
        first = ordered.iloc[0]
        best = scored.loc[scored["best"].idxmax()] if len(scored) else first
        names = [_titled(name) for name in dict.fromkeys(ordered["algorithm"])]
        several = len(ordered) > 1
        title = f"Comparison of {shortlist(names, MOST_NAMES)}"
        return cls(
            str(first["study"]),
            title if several else str(first["title"]),
            str(first["data"]),
            tuple(map(str, ordered.index)),
            str(first["measure"]),
            float(best["best"]),
            float(best["low"]),
            float(best["high"]),
            _titled(best["algorithm"]),
            int(ordered["ended"].sum()),
            int(ordered["cells"].sum()),
            first["created"],
        )

    def row(self) -> dict[str, Any]:
        """Return the study as a row of a displayed table."""
        has_value = not math.isnan(self.best)
        value = f"{self.best:.3f} {self.measure}" if has_value else "–"
        winner = f", {self.best_of}" if has_value and len(self.sweeps) > 1 else ""
        bounded = not math.isnan(self.low)
        interval = f"{self.low:.3f} to {self.high:.3f}" if bounded else "–"
        return {
            "Title": self.title,
            "Data": self.data,
            "Best": f"{value}{winner}",
            "95% interval": interval,
            "Completed": f"{self.ended} of {self.runs}",
            "Started (UTC)": f"{self.created:%Y-%m-%d %H:%M}",
        }


def studies_of(table: "pd.DataFrame") -> Sequence[StoredStudy]:
    """Return the studies of `rankcore.studies.store.Store.sweeps`, newest first."""
    return [StoredStudy.of(rows) for _, rows in table.groupby("study", sort=False)]


def _titled(algorithm: str) -> str:
    """Return the title of an algorithm; its name where it is not installed."""
    try:
        return get_algorithm(algorithm, installed=False).title
    except ValueError:
        return algorithm
