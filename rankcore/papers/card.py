"""A card: a table, figure, theorem or claim of a paper, and how it is checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from rankcore.papers import published
from rankcore.papers.entry import Entry
from rankcore.papers.published import Printed

if TYPE_CHECKING:
    from rankcore.papers.bench import Bench

REACHED, EXCEEDED, MISSED = "reached", "exceeded", "not reached"
FALSE, ABSENT = "false as printed", "needs data"
VERDICTS = (REACHED, EXCEEDED, MISSED, FALSE, ABSENT)
KINDS = ("table", "figure", "theorem", "claim")
# Those that come in LETOR's folds.
DATA_SETS = ("OHSUMED", "MQ2007", "MQ2008", "TD2003", "TD2004")
# What a `Found` says where it computes no ranking measure, and of a number without a
# spread.
NO_MEASURE, ONE_RUN = "no ranking measure", "one run"
OVER_FOLDS = "one standard deviation over folds"
OVER_QUERIES = "95 % bootstrap interval over queries"


class Paper(NamedTuple):
    """A paper.

    Attributes
    ----------
    title : str
        Short, such as "Approx 2010".
    reference : str
        Authors, title, venue and year.
    """

    title: str
    reference: str


class Value(NamedTuple):
    """A printed value, the value found here, or both.

    Attributes
    ----------
    series, x : str
        What it is of, and where it stands on the axis. Where both are the same, it is
        a number beside the figure, as of the whole curve.
    printed : float or None
    ours : float or None
    low, high : float or None
        The ends of the spread that `Found.spread` names.
    number : int or None
        The printed value's line in ``published.csv``.
    relation : str
        As of `Printed`.
    """

    series: str
    x: str
    printed: float | None = None
    ours: float | None = None
    low: float | None = None
    high: float | None = None
    number: int | None = None
    relation: str = ""

    @classmethod
    def of(
        cls,
        row: Printed,
        ours: float | None = None,
        series: str = "",
        x: str = "",
        ends: tuple[float, float] | None = None,
    ) -> "Value":
        """A printed value with ours beside it."""
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


class Found(NamedTuple):
    """What the experiment of a card gives.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    why : str
        In a sentence or two.
    values : tuple of Value
    protocol : str
        How it was computed: data and choice; empty where nothing was computed.
    convention : str
        How measures are computed, or `NO_MEASURE`; empty where nothing was computed.
    spread : str
        What lies between the ends of a value, or `ONE_RUN`; empty likewise.
    seconds : float
        Of training, or of the whole experiment where it gives none.
    made : str
        Date and version; empty where nothing was computed.
    """

    verdict: str
    why: str
    values: tuple[Value, ...]
    protocol: str = ""
    convention: str = NO_MEASURE
    spread: str = ONE_RUN
    seconds: float = 0.0
    made: str = ""


@dataclass(frozen=True)
class Scene:
    """A view of the app that shows what a card is about.

    Attributes
    ----------
    page : str
        Its name in the address.
    settings : dict
        Key → value.
    """

    page: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """A table, figure, theorem or claim of a paper.

    Attributes
    ----------
    key : str
        Its name in links and files.
    paper : str
        A key of `rankcore.papers.cards.PAPERS`.
    place : str
        "Table 4", "Theorem 1", "Section 5.2.2".
    kind : str
        One of `KINDS`.
    title : str
    check : callable
        ``check(card, bench)`` returns a `Found`.
    printed : callable, optional
        Which lines of ``published.csv`` it is about.
    data : tuple of str
        Data sets of which at least one must be at hand; empty: none is needed. Where
        none is of `DATA_SETS`, the card cannot be computed here.
    measure : callable
        The measure here of a printed value.
    by : {"measure", "algorithm"}
        What stands on the axis of a table; the other tells its series apart.
    entries : dict
        The paper's name of an algorithm → the `Entry` that stands for it.
    scene : Scene, optional
    live : bool
        Whether it needs no data and takes at most a few seconds.
    curve : bool
        Whether its figure joins the values of a series.
    axis : (str, str)
        Titles of the figure's axes, with units.
    claimed : dict of str to float
        Printed numbers of a sentence that are no line of ``published.csv``, by what
        they are of.
    remark : str
        What is known of the paper's experiment that a reader of printed values that
        are not reached needs; nothing that is found here.
    unobtainable : str
        Why none of its data can be at hand, as a sentence; empty where some can.
    """

    key: str
    paper: str
    place: str
    kind: str
    title: str
    check: Callable[["Card", "Bench"], Found]
    printed: Callable[[Printed], bool] | None = None
    data: tuple[str, ...] = ()
    measure: Callable[[Printed], str] = attrgetter("measure")
    by: str = "measure"
    entries: Mapping[str, Entry] = field(default_factory=dict)
    scene: Scene | None = None
    live: bool = False
    curve: bool = False
    axis: tuple[str, str] = ("", "value")
    claimed: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    unobtainable: str = ""

    @property
    def rows(self) -> list[Printed]:
        """The printed values that it is about."""
        return [] if self.printed is None else list(_rows(self.printed))

    def at(self, row: Printed) -> tuple[str, str]:
        """The series of a printed value, and where it stands on the axis."""
        series, x = row.algorithm or row.dataset, self.measure(row) or row.metric
        return (x, series) if self.by == "algorithm" else (series, x)

    def absent(self) -> Found:
        """The printed values alone, where nothing has been computed."""
        command = f"rankscope reproduce {self.paper}"
        missing = (
            f"{' or '.join(self.data)} is not at hand. With its folder, {command} "
            "--data FOLDER computes this card."
            if self.data
            else f"It has not been computed here: {command} does it."
        )
        return Found(
            ABSENT,
            self.unobtainable or missing,
            (
                *(Value.of(row, None, *self.at(row)) for row in self.rows),
                *(Value(self.axis[0], name, own) for name, own in self.claimed.items()),
            ),
            convention="",
            spread="",
        )


@cache
def _rows(chosen: Callable[[Printed], bool]) -> tuple[Printed, ...]:
    """Return the printed values that are chosen; a page asks for them many times."""
    return tuple(filter(chosen, published.every()))
