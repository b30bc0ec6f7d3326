"""A card: a table, figure, theorem or claim of a paper, with its check."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rankcore.topics.papers import published
from rankcore.topics.papers.entry import LeaderboardEntry
from rankcore.topics.papers.published import Printed
from rankcore.topics.papers.rules import ABSENT, STAND_IN, Facts, Rule, Values
from rankcore.topics.papers.value import CardValue

if TYPE_CHECKING:
    from rankcore.topics.papers.bench import Bench

KINDS = ("table", "figure", "theorem", "claim")
# Data sets published in LETOR's folds.
DATA_SETS = ("OHSUMED", "MQ2007", "MQ2008", "TD2003", "TD2004")
# Remarks for outcomes without a ranking measure, and for numbers without a spread.
NO_MEASURE, ONE_RUN = "no ranking measure", "one run"
OVER_FOLDS = "one standard deviation over folds"
OVER_QUERIES = "95% bootstrap interval over queries"


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


class CardOutcome(NamedTuple):
    """The outcome of a card's experiment.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`: the result of the card's rule for ``values`` and ``facts``.
    why : str
        The reason, in a sentence or two.
    protocol : str
        Data and choice of models; empty if nothing was computed.
    convention : str
        The evaluation convention, or `NO_MEASURE`; empty if nothing was computed.
    spread : str
        The meaning of a value's interval, or `ONE_RUN`; empty likewise.
    seconds : float
        Seconds of training or, if unknown, of the whole experiment.
    made : str
        Date and version; empty if nothing was computed.
    facts : dict of str to float
        Further inputs of the rule, by name.
    """

    verdict: str
    why: str
    values: tuple[CardValue, ...]
    protocol: str = ""
    convention: str = NO_MEASURE
    spread: str = ONE_RUN
    seconds: float = 0.0
    made: str = ""
    facts: Facts = MappingProxyType({})


@dataclass(frozen=True)
class CardView:
    """A view of the app that shows a card's subject.

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
        A key of `rankcore.topics.papers.cards.PAPERS`.
    place : str
        "Table 4", "Theorem 1", "Section 5.2.2".
    kind : str
        One of `KINDS`.
    check : callable
        ``check(card, bench, *arguments)`` returns a `CardOutcome`.
    arguments : tuple
    printed : tuple of dict
        Its lines of ``published.csv``: any with the same ``dataset``, and with
        ``note``, ``algorithm`` and ``metric`` that begin with these texts.
    data : tuple of str
        Data sets of which at least one must be available; empty: none is needed. If
        none is in `DATA_SETS`, the card cannot be computed here.
    stand_in : str
        The one of ``data`` that the paper does not use: its results are shown, but
        decide nothing.
    measure_otherwise : str
        The measure of printed values if the paper does not specify its NDCG.
    by : {"measure", "algorithm"}
        The axis of a table; the other one distinguishes its series.
    entries : dict
        The `LeaderboardEntry` for each algorithm's name in the paper.
    binary : bool
        Whether the paper's labels are 0 or 1, so that entries are trained, chosen and
        tested on such labels.
    scene : CardView, optional
    curve : bool
        Whether its figure joins the values of a series.
    axis : (str, str)
        Titles of the figure's axes, with units.
    claimed : dict of str to float
        Printed numbers of a sentence that are missing from ``published.csv``, by their
        subject.
    remark : str
        Facts on the paper's experiment that help readers with printed values that are
        not reached, or undecided; no results from here.
    unobtainable : str
        Why none of its data can be available, as a sentence; empty if some can.
    rule : Rule
        The rule that gives the verdict.
    """

    key: str
    paper: str
    place: str
    kind: str
    title: str
    check: Callable[..., CardOutcome]
    arguments: tuple[Any, ...] = ()
    printed: tuple[Mapping[str, str], ...] = ()
    data: tuple[str, ...] = ()
    stand_in: str = ""
    measure_otherwise: str = ""
    by: str = "measure"
    entries: Mapping[str, LeaderboardEntry] = field(default_factory=dict)
    binary: bool = False
    scene: CardView | None = None
    curve: bool = False
    axis: tuple[str, str] = ("", "value")
    claimed: Mapping[str, float] = field(default_factory=dict)
    remark: str = ""
    unobtainable: str = ""
    rule: Rule = field(kw_only=True)

    @cached_property
    def rows(self) -> tuple[Printed, ...]:
        """The card's printed values."""
        return tuple(
            row
            for row in published.every()
            if row.paper == self.paper
            and any(_chosen(row, one) for one in self.printed)
        )

    def measure(self, row: Printed) -> str:
        """Return our name of a printed value's measure."""
        return row.measure or self.measure_otherwise

    def entry(self, name: str) -> LeaderboardEntry:
        """Return the entry for a name in the paper, on labels like the paper's."""
        printed = self.entries[name]
        return printed.of_binary_labels() if self.binary else printed

    def verdict(self, values: Values, facts: Facts) -> str:
        """Return the verdict of the rule on figures from the paper's data."""
        return ABSENT if facts.get(STAND_IN) else self.rule.judge(values, facts)

    def outcome(
        self,
        values: Values,
        why: str,
        protocol: str,
        convention: str = NO_MEASURE,
        spread: str = ONE_RUN,
        seconds: float = 0.0,
        facts: Facts = MappingProxyType({}),
    ) -> CardOutcome:
        """Return the outcome, with its verdict."""
        return CardOutcome(
            self.verdict(values, facts),
            why,
            tuple(values),
            protocol,
            convention,
            spread,
            seconds,
            facts=facts,
        )

    def dataset(self, bench: "Bench") -> str:
        """Return the first of its data sets that is available."""
        return next(name for name in self.data if name in bench.data)

    def on(self, dataset: str) -> tuple[Facts, str]:
        """Return the facts that a data set adds, and a sentence if it replaces the
        paper's data."""
        if dataset != self.stand_in:
            return {}, ""
        others = " and ".join(name for name in self.data if name != dataset)
        return {STAND_IN: 1.0}, (
            f" The paper's values are of {others}, which is not at hand: {dataset} "
            "decides nothing."
        )

    def at(self, row: Printed) -> tuple[str, str]:
        """Return the series of a printed value, and its place on the axis."""
        series, x = row.algorithm or row.dataset, self.measure(row) or row.metric
        return (x, series) if self.by == "algorithm" else (series, x)

    @cached_property
    def absent(self) -> CardOutcome:
        """Return the printed values alone, if nothing has been computed."""
        command = f"rankscope reproduce {self.paper}"
        missing = (
            f"{' or '.join(self.data)} is not at hand. With its folder, {command} "
            "--data FOLDER computes this card."
            if self.data
            else f"It has not been computed here: {command} does it."
        )
        return CardOutcome(
            ABSENT,
            self.unobtainable or missing,
            (
                *(CardValue.of(row, None, *self.at(row)) for row in self.rows),
                *(
                    CardValue(self.axis[0], name, value)
                    for name, value in self.claimed.items()
                ),
            ),
            convention="",
            spread="",
        )


def _chosen(row: Printed, by: Mapping[str, str]) -> bool:
    return row.dataset == by.get("dataset", row.dataset) and all(
        getattr(row, name).startswith(by.get(name, ""))
        for name in ("note", "algorithm", "metric")
    )
