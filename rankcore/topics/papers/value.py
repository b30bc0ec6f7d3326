"""A value of a card: printed, found here, or both."""

from typing import NamedTuple

from rankcore.topics.papers.published import Printed


class CardValue(NamedTuple):
    """A printed value, the value found here, or both.

    Attributes
    ----------
    series, x : str
        What it is of, and where it stands on the axis. Where both are the same, it is
        a number beside the figure, as of the whole curve.
    low, high : float or None
        The ends of the spread that `CardOutcome.spread` names.
    number : int or None
        The printed value's line in ``published.csv``.
    relation : str
        As of `Printed`.
    tolerance : float or None
        How far ours may be from the printed value by the rule of the card; None where
        the rule asks for none.
    """

    series: str
    x: str
    printed: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    number: int | None = None
    relation: str = ""
    tolerance: float | None = None

    @classmethod
    def of(
        cls,
        row: Printed,
        ours: float | None = None,
        series: str = "",
        x: str = "",
        ends: tuple[float, float] | None = None,
    ) -> "CardValue":
        """Return a printed value with ours beside it."""
        low, high = ends or (None, None)
        return cls(
            series or row.algorithm or row.dataset,
            x or row.measure or row.metric,
            row.value,
            ours,
            low,
            high,
            row.number,
            row.relation,
        )
