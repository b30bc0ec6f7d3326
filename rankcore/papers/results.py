"""What the experiments found: computed, kept as JSON, and written as a report."""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from rankcore import __version__, statistics
from rankcore.algorithms import list_algorithms
from rankcore.papers import cards
from rankcore.papers.bench import CONVENTIONS, MEASURES, Bench, Tested
from rankcore.papers.card import ABSENT, MISSED, Card, Found, Value
from rankcore.papers.entry import Entry
from rankcore.papers.published import Printed

FILE = "results.json"
REPORT = "report.md"
BEGIN, END = "<!-- papers -->", "<!-- end of papers -->"
RESAMPLES = 2000
# Where results are kept that a user computed.
VARIABLE = "RANKSCOPE_PAPERS"
Boards = dict[str, dict[str, "Standing"]]


class Place(NamedTuple):
    """An entry's value of a measure in a convention.

    Attributes
    ----------
    mean, low, high : float
        Mean of the folds' means, and its 95 % bootstrap interval over queries.
    p : float
        Of the paired test against the best entry, adjusted by Holm's method.
    """

    mean: float
    low: float
    high: float
    p: float


class Standing(NamedTuple):
    """An entry on a data set, by the protocol.

    Attributes
    ----------
    algorithm : str
    nonzeros, seconds : float
        Features kept, the mean over folds; training time of all candidates.
    places : dict of str to Place
        By convention and measure, as "letor3 nDCG@10".
    """

    algorithm: str
    nonzeros: float
    seconds: float
    places: Mapping[str, Place]


class Results(NamedTuple):
    """What was found for each card, and how entries compare.

    Attributes
    ----------
    made : str
        Date and version.
    found : dict of str to Found
        By the key of the card.
    boards : dict of str to dict of str to Standing
        By data set and entry.
    """

    made: str
    found: dict[str, Found]
    boards: Boards

    @classmethod
    def empty(cls) -> Self:
        """Without anything computed."""
        return cls("", {}, {})

    @classmethod
    def read(cls, file: Path) -> Self:
        """The results in a file; empty where there is none.

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
                raw["made"],
                {key: _found(one) for key, one in raw["found"].items()},
                {
                    dataset: {name: _standing(one) for name, one in rows.items()}
                    for dataset, rows in raw["boards"].items()
                },
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{file} holds no results of papers: make it again with rankscope "
                "reproduce all --data FOLDER."
            ) from error

    def write(self, file: Path) -> None:
        """Keep the results as JSON."""
        file.parent.mkdir(parents=True, exist_ok=True)
        plain = {
            "made": self.made,
            "found": {
                key: {**one._asdict(), "values": [v._asdict() for v in one.values]}
                for key, one in self.found.items()
            },
            "boards": {
                dataset: {
                    name: {
                        **one._asdict(),
                        "places": {k: list(p) for k, p in one.places.items()},
                    }
                    for name, one in rows.items()
                }
                for dataset, rows in self.boards.items()
            },
        }
        text = json.dumps(_rounded(plain), ensure_ascii=False, indent=0)
        file.write_text(text + "\n", "utf-8")

    def joined(self, newer: "Results") -> "Results":
        """These results with newer ones in place of the same cards and entries."""
        boards: Boards = {name: dict(rows) for name, rows in self.boards.items()}
        for name, rows in newer.boards.items():
            boards.setdefault(name, {}).update(rows)
        # A card that lacked its data does not replace one that had it.
        kept = {
            key: one
            for key, one in newer.found.items()
            if one.verdict != ABSENT or key not in self.found
        }
        return Results(newer.made, self.found | kept, boards)

    def of(self, card: Card) -> Found:
        """What was found for a card; its printed values alone where nothing was."""
        found = self.found.get(card.key)
        return card.absent() if found is None or found.verdict == ABSENT else found


def folder() -> Path:
    """Where a user's results are kept: ``RANKSCOPE_PAPERS``, or the user's data."""
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
        With the data at hand; cards that need other data keep their printed values.
    paper : str
        A key of `rankcore.papers.cards.PAPERS`, or ``"all"``.
    others : bool
        Whether every other algorithm is trained, too, for the leaderboard.
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
        learners = [Entry(name, name) for name in list_algorithms()]
        bench.train((dataset, each) for dataset in bench.data for each in learners)
    found = {}
    for card in chosen:
        started = time.perf_counter()
        found[card.key] = check(card, bench)
        say(
            f"{card.key}: {found[card.key].verdict}, "
            f"{time.perf_counter() - started:.1f} s"
        )
    made = f"{date.today().isoformat()}, RankScope {__version__}"
    return Results(made, found, boards(bench))


def check(card: Card, bench: Bench) -> Found:
    """What a card's experiment gives; printed values alone without its data."""
    at_hand = not card.data or any(name in bench.data for name in card.data)
    if not at_hand:
        return card.absent()
    started = time.perf_counter()
    found = card.check(card, bench)
    if not found.seconds:
        found = found._replace(seconds=time.perf_counter() - started)
    if found.verdict == MISSED and card.remark:
        return found._replace(why=f"{found.why} {card.remark}")
    return found


def boards(bench: Bench) -> Boards:
    """How the entries that were trained compare on each data set."""
    by_dataset: dict[str, list[Tested]] = {}
    for (dataset, _), tested in bench.all_tested().items():
        by_dataset.setdefault(dataset, []).append(tested)
    return {name: _board(tested) for name, tested in by_dataset.items()}


def _board(tested: Sequence[Tested]) -> dict[str, Standing]:
    places: list[dict[str, Place]] = [{} for _ in tested]
    sampling = statistics.Resampling(
        len(tested[0].values(MEASURES[0], CONVENTIONS[0])), RESAMPLES
    )
    for convention in CONVENTIONS:
        for measure in MEASURES:
            table = np.stack([t.values(measure, convention) for t in tested], axis=1)
            means = table.mean(axis=0)
            low, high = sampling.interval(table)
            p = _against_best(table)
            for i, own in enumerate(places):
                own[f"{convention} {measure}"] = Place(
                    float(means[i]), float(low[i]), float(high[i]), float(p[i])
                )
    return {
        each.entry.name: Standing(
            each.entry.algorithm, each.nonzeros, each.seconds, own
        )
        for each, own in zip(tested, places, strict=True)
    }


def _against_best(table: np.ndarray) -> np.ndarray:
    """(m,) adjusted p-values of the paired tests of m entries against the best."""
    best = int(table.mean(axis=0).argmax())
    differences = (table - table[:, [best]]).T
    sums, exact = statistics.flipped_sums(differences, RESAMPLES)
    slack = statistics.ROUNDING * np.abs(differences).sum(axis=1)
    observed = np.abs(differences.sum(axis=1)) - slack
    beyond = (np.abs(sums) >= observed[:, None]).sum(axis=1)
    count = sums.shape[1]
    p = beyond / count if exact else (beyond + 1.0) / (count + 1.0)
    others = np.arange(len(p)) != best
    p[others] = statistics.holm(np.minimum(p[others], 1.0))
    p[best] = 1.0
    return p


def report(results: Results) -> str:
    """All cards as Markdown, a table a paper."""
    lines = [f"Computed by `rankscope reproduce` ({results.made})."]
    for key, paper in cards.PAPERS.items():
        lines += [
            "",
            f"### {paper.title}",
            "",
            paper.reference,
            "",
            "| claim | printed | here | verdict |",
            "|---|---|---|---|",
        ]
        for card in cards.of_paper(key):
            found = results.of(card)
            printed, ours = _listed(found)
            lines.append(
                f"| {card.place}: {card.title} | {printed} | {ours} | "
                f"**{found.verdict}.** {found.why} |"
            )
    return "\n".join(lines) + "\n"


def put(text: str, into: Path) -> None:
    """Replace what stands between the marks in a file; append it where none do.

    Parameters
    ----------
    text : str
        Markdown.
    into : Path
    """
    part = f"{BEGIN}\n\n{text}\n{END}\n"
    old = into.read_text("utf-8") if into.is_file() else ""
    before, mark, rest = old.partition(BEGIN)
    after = rest.partition(END)[2].removeprefix("\n")
    head = before if mark else f"{old}\n## Claim by claim\n\n"
    into.write_text(f"{head}{part}{after}", "utf-8")


def _listed(found: Found, most: int = 4) -> tuple[str, str]:
    """Printed values and ours, the first few, as cells of a table."""
    rows = [v for v in found.values if v.number is not None]
    cells = [
        " / ".join(_number(number) for number in numbers[:most])
        + (" …" if len(numbers) > most else "")
        for numbers in ([v.printed for v in rows], [v.ours for v in rows])
    ]
    return cells[0] or "–", cells[1] or "–"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _found(raw: Mapping[str, Any]) -> Found:
    values = tuple(Value(**value) for value in raw["values"])
    return Found(**{**raw, "values": values})


def _standing(raw: Mapping[str, Any]) -> Standing:
    places = {key: Place(*place) for key, place in raw["places"].items()}
    return Standing(**{**raw, "places": places})


def _rounded(value: Any) -> Any:
    """Numbers with six significant digits; what is not finite as None."""
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def printed_beside(dataset: str, measure: str) -> dict[str, list[Printed]]:
    """Printed test figures of a data set, by the entry that stands for each.

    Parameters
    ----------
    dataset : str
        Such as "OHSUMED".
    measure : str
        As it is named here.
    """
    found: dict[str, list[Printed]] = {}
    for card in cards.CARDS:
        for row in card.rows:
            entry = card.entries.get(row.algorithm)
            if (row.dataset, row.measure) == (dataset, measure) and entry is not None:
                found.setdefault(entry.name, []).append(row)
    return found
