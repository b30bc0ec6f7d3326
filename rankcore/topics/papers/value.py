"""A value of a card: printed, computed here, or both."""

from typing import NamedTuple

from rankcore.topics.papers.published import Printed


class CardValue(NamedTuple):
    """A printed value, the value computed here, or both.

    Attributes
    ----------
    series, x : str
        Its series, and its place on the axis. If both are equal, it is a number beside
        the figure, such as one of the whole curve.
    low, high : float or None
        The ends of the spread that `CardOutcome.spread` names.
    number : int or None
        The printed value's line in ``published.csv``.
    relation : str
        As in `Printed`.
    tolerance : float or None
        Largest deviation from the printed value that the card's rule allows; None if
        the rule has none.
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
        """Return a printed value with ours."""
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
