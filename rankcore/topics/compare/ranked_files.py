"""Runs of any ranker as contenders of a comparison, as trained models are."""

from collections.abc import Mapping
from dataclasses import dataclass

from rankcore.measures import RunValues
from rankcore.topics.compare.comparison import Comparison, Contender, compare
from rankcore.topics.compare.wins import Wins, wins


@dataclass(frozen=True, eq=False)
class RankedFile(Contender):
    """A run whose rankings have been measured.

    Attributes
    ----------
    measured : RunValues
    """

    measured: RunValues

    @property
    def ranks(self) -> bool:
        return self.measured.ranks

    def per_query(self, measure: str) -> dict[str, float]:
        return self.measured.per_query(measure)


def compare_files(
    runs: Mapping[str, RunValues], measure: str, baseline: str | None = None
) -> Comparison:
    """Compare runs, by name, on the queries that all of them have, as `compare`
    does."""
    files = [RankedFile(name, (), run) for name, run in runs.items()]
    return compare(files, measure, baseline)


def wins_of(comparison: Comparison, first: int, second: int) -> Wins:
    """Return the wins, ties and losses of one contender against another."""
    values = comparison.values
    return wins(comparison.ids, values[first], values[second])
