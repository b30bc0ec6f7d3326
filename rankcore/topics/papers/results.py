"""The results of the experiments: computed, stored as JSON, and reported."""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Self

from rankcore.algorithms import list_algorithms
from rankcore.base import bundle
from rankcore.base.version import __version__
from rankcore.topics.papers import cards, published
from rankcore.topics.papers.bench import Bench
from rankcore.topics.papers.boards import Board, Boards, boards, convention_of
from rankcore.topics.papers.card import Card, CardOutcome
from rankcore.topics.papers.entry import LeaderboardEntry
from rankcore.topics.papers.published import Printed
from rankcore.topics.papers.rules import ABSENT, MISSED
from rankcore.topics.papers.value import CardValue

FILE = "results.json"
SHIPPED = bundle.folder() / "pages" / "examples" / "papers" / FILE
# File name of the results computed by a user.
VARIABLE = "RANKSCOPE_PAPERS"


class Results(NamedTuple):
    """The outcomes of all cards, and comparisons of entries.

    Attributes
    ----------
    outcomes : dict of str to CardOutcome
        By the key of the card.
    boards : dict of str to Board
        By data set.
    """

    outcomes: dict[str, CardOutcome]
    boards: Boards

    @classmethod
    def empty(cls) -> Self:
        """Return empty results."""
        return cls({}, {})

    @classmethod
    def shipped(cls) -> Self:
        """Return the results of all papers that come with the package."""
        return cls.read(SHIPPED)

    @classmethod
    def read(cls, file: Path) -> Self:
        """Return the results in a file; empty if there is no file.

        Raises
        ------
        ValueError
            If the file is of another kind.
        """
        if not file.is_file():
            return cls.empty()
        try:
            raw = json.loads(file.read_text("utf-8"))
            return cls(
                {key: _outcome(one) for key, one in raw["found"].items()},
                {name: Board.read(one) for name, one in raw["boards"].items()},
            )
        # Other content can raise errors of many types.
        except Exception as error:
            raise ValueError(
                f"{file.name} holds no results of papers: make it again with rankscope "
                "reproduce all --data FOLDER."
            ) from error

    def write(self, file: Path) -> None:
        """Store the results as JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        plain = {
            "found": {
                key: {**one._asdict(), "values": [_plain(v) for v in one.values]}
                for key, one in self.outcomes.items()
            },
            "boards": {name: one.plain() for name, one in self.boards.items()},
        }
        text = json.dumps(_rounded(plain), ensure_ascii=False, indent=0)
        file.write_text(text + "\n", "utf-8")

    def joined(self, newer: "Results") -> "Results":
        """Return these results, with newer ones replacing the same cards and
        entries."""
        boards = {
            name: self.boards[name].joined(board) if name in self.boards else board
            for name, board in newer.boards.items()
        }
        # A card without its data does not replace a card that had it.
        outcomes = {
            key: one
            for key, one in newer.outcomes.items()
            if one.made or key not in self.outcomes
        }
        return Results(self.outcomes | outcomes, self.boards | boards)

    @property
    def made(self) -> str:
        """Dates and versions of the results."""
        dates = {one.made for one in self.outcomes.values() if one.made}
        return ", ".join(sorted(dates))

    def of(self, card: Card) -> CardOutcome:
        """Return the outcome of a card; only its printed values if there is none."""
        outcome = self.outcomes.get(card.key)
        return card.absent if outcome is None or not outcome.made else outcome

    def printed_values(self, chosen: Sequence[Card]) -> list[dict[str, Any]]:
        """Return every printed value of selected cards with ours, one row each."""
        printed = {row.number: row for row in published.every()}
        return [
            {
                "paper": cards.PAPERS[card.paper].title,
                "place": card.place,
                "data": row.dataset,
                "algorithm": row.algorithm,
                "measure": row.metric,
                "printed": row.value,
                "limit": row.relation,
                "here": value.ours,
                "from": value.low,
                "to": value.high,
                "protocol": outcome.protocol,
                "convention": outcome.convention,
                "spread": outcome.spread,
                "seconds": outcome.seconds if outcome.made else None,
                "computed": outcome.made,
                "verdict": outcome.verdict,
                "source": row.source,
            }
            for card in chosen
            for outcome in [self.of(card)]
            for value in outcome.values
            if value.number is not None
            for row in [printed[value.number]]
        ]


def folder() -> Path:
    """Folder of a user's results: ``RANKSCOPE_PAPERS``, or the user's data."""
    import platformdirs

    chosen = os.environ.get(VARIABLE)
    return Path(chosen or platformdirs.user_data_path("rankscope") / "papers")


def compute(
    bench: Bench,
    paper: str = "all",
    others: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Results:
    """Check every card of a paper, or of all.

    Parameters
    ----------
    bench : Bench
        With the available data; cards that need other data have only printed values.
    paper : str
        A key of `rankcore.topics.papers.cards.PAPERS`, or ``"all"``.
    others : bool
        Whether every other algorithm is also trained, for the leaderboard.
    say : callable
        Called with a line for each card.
    """
    chosen = cards.of_paper(paper)
    bench.train(
        (dataset, entry)
        for card in chosen
        for dataset in card.data
        for entry in card.entries.values()
    )
    if others:
        learners = [LeaderboardEntry(name, name) for name in list_algorithms()]
        bench.train((dataset, each) for dataset in bench.data for each in learners)
    outcomes = {}
    for card in chosen:
        started = time.perf_counter()
        outcomes[card.key] = check(card, bench)
        say(
            f"{card.key}: {outcomes[card.key].verdict}, "
            f"{time.perf_counter() - started:.1f} s"
        )
    return Results(outcomes, boards(bench, _today()))


def _today() -> str:
    return f"{date.today().isoformat()}, RankScope {__version__}"


def check(card: Card, bench: Bench) -> CardOutcome:
    """Return the outcome of a card's experiment; only printed values without its
    data."""
    at_hand = not card.data or any(name in bench.data for name in card.data)
    if not at_hand:
        return card.absent
    started = time.perf_counter()
    outcome = card.check(card, bench, *card.arguments)
    if not outcome.protocol:
        return outcome
    outcome = outcome._replace(made=_today())
    if not outcome.seconds:
        outcome = outcome._replace(seconds=time.perf_counter() - started)
    if outcome.verdict in (MISSED, ABSENT) and card.remark:
        return outcome._replace(why=f"{outcome.why} {card.remark}")
    return outcome


def _outcome(raw: Mapping[str, Any]) -> CardOutcome:
    values = tuple(CardValue(**value) for value in raw["values"])
    return CardOutcome(**{**raw, "values": values})


def _plain(value: CardValue) -> dict[str, Any]:
    """Return a value for JSON; few have a tolerance."""
    plain = value._asdict()
    if value.tolerance is None:
        del plain["tolerance"]
    return plain


def _rounded(value: Any) -> Any:
    """Numbers with six significant digits; None if not finite."""
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def printed_beside(dataset: str, measure: str) -> dict[str, list[Printed]]:
    """Return printed test figures of a data set, by entry, without those for binary
    labels, which cannot be compared with graded ones.

    Parameters
    ----------
    dataset : str
        Such as "OHSUMED".
    measure : str
        Our name of the measure.
    """
    by_card: dict[str, list[Printed]] = {}
    for card in cards.CARDS:
        for row in card.rows:
            entry = card.entries.get(row.algorithm)
            if entry is None or card.binary:
                continue
            if (row.dataset, row.measure) == (dataset, measure):
                by_card.setdefault(entry.name, []).append(row)
    return by_card


def other_rules_text(
    printed: Mapping[str, Mapping[str, Sequence[Printed]]], convention: str
) -> str:
    """Rules of printed values, if not all are measured by ``convention``.

    Parameters
    ----------
    printed : dict of str to dict of str to sequence of Printed
        By data set and entry.

    Returns
    -------
    str
        A sentence; empty if all follow the same rules.
    """
    rules = {name: convention_of(name) for name, entries in printed.items() if entries}
    if set(rules.values()) <= {convention}:
        return ""
    texts = ", ".join(f"{rule} on {name}" for name, rule in rules.items())
    return (
        f"The printed values follow other rules than these ({convention}): {texts}. "
        "Where rules differ, only the table has the printed values: they are on "
        "another scale."
    )
