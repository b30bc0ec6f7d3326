"""The report: cards and leaderboards as Markdown."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankcore.base.numbers import signed, three_digits
from rankcore.topics.papers import cards
from rankcore.topics.papers.bench import CHOOSE_BY, ends
from rankcore.topics.papers.boards import Board, convention_of
from rankcore.topics.papers.card import CardOutcome
from rankcore.topics.papers.results import Results
from rankcore.topics.papers.value import CardValue

FILE = "report.md"
BEGIN, END = "<!-- papers -->", "<!-- end of papers -->"
MEASURES = (CHOOSE_BY, "AP")
LISTED = ("nDCG@1", "nDCG@3", "nDCG@5", CHOOSE_BY, "AP", "RR@10")


def report(results: Results) -> str:
    """Return the cards of results as Markdown, one table per paper, and
    leaderboards."""
    origin = f" ({results.made})" if results.made else ""
    lines = [f"Computed by `rankscope reproduce`{origin}."]
    for key, paper in cards.PAPERS.items():
        of_paper = [
            card for card in cards.of_paper(key) if card.key in results.outcomes
        ]
        if not of_paper:
            continue
        lines += [
            "",
            f"### {paper.title}",
            "",
            paper.reference,
            "",
            "| claim | printed | here (spread) | how | verdict, *and its rule* |",
            "|---|---|---|---|---|",
        ]
        protocols: list[str] = []
        for card in of_paper:
            outcome = results.of(card)
            printed, ours = _listed(outcome)
            lines.append(
                f"| {card.place}: {card.title} | {printed} | {ours} | "
                f"{_how(outcome, protocols)} | **{outcome.verdict}.** {outcome.why} "
                f"*{card.rule.text}* |"
            )
        lines += [
            "",
            *(f"{number}. {text}." for number, text in enumerate(protocols, 1)),
        ]
    for dataset, board in results.boards.items():
        lines += _leaderboard(dataset, board)
    return "\n".join(lines) + "\n"


def _leaderboard(dataset: str, board: Board) -> list[str]:
    """Return a data set's leaderboard, and the paired tests against its best entry."""
    convention = convention_of(dataset)
    places = [board.places(measure, convention) for measure in MEASURES]
    order = sorted(places[0], key=lambda name: -places[0][name].mean)
    heads = " | ".join(f"{measure} | 95%" for measure in MEASURES)
    what = (
        f"Means of the test folds, {convention}, with 95% bootstrap intervals over "
        f"queries; seconds of all candidates in all folds ({board.made})."
    )
    lines = [
        "",
        f"### Leaderboard of {dataset}",
        "",
        what,
        "",
        f"| algorithm | {heads} | features kept | seconds |",
        "|---|" + "---|" * (2 * len(MEASURES) + 2),
    ]
    for name in order:
        one, numbers = board.standings[name], [by_name[name] for by_name in places]
        cells = [f"{p.mean:.4f} | {p.low:.3f} to {p.high:.3f}" for p in numbers]
        lines.append(
            f"| {name} | {' | '.join(cells)} | {one.nonzeros:.1f} | {one.seconds:.1f} |"
        )
    best = [max(by_name, key=lambda name: by_name[name].mean) for by_name in places]
    heads = " | ".join(
        f"{measure} less that of {name} | p"
        for measure, name in zip(MEASURES, best, strict=True)
    )
    lines += [
        "",
        f"Paired randomisation tests on {dataset} against the best, adjusted by Holm:",
        "",
        f"| algorithm | {heads} |",
        "|---|" + "---|" * (2 * len(MEASURES)),
    ]
    for name in order:
        cells = [
            "– | –"
            if name == top
            else f"{signed(of[name].mean - of[top].mean, 4)} | {of[name].p:.2g}"
            for of, top in zip(places, best, strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines + _means(dataset, board, convention, order)


def _means(
    dataset: str, board: Board, convention: str, names: Sequence[str]
) -> list[str]:
    """Every entry by more measures: mean and deviation over folds."""
    lines = [
        "",
        f"Mean ± standard deviation over the test folds of {dataset}, {convention}:",
        "",
        f"| algorithm | {' | '.join(LISTED)} |",
        "|---|" + "---|" * len(LISTED),
    ]
    for name in names if board.folds else ():
        cells = over_folds(board, name, LISTED, convention)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def over_folds(
    board: Board, name: str, measures: Sequence[str], convention: str
) -> list[str]:
    """Return an entry's mean ± standard deviation over folds, by each measure."""
    cells = []
    for measure in measures:
        values = board.of_folds(name, measure, convention)
        means = np.array([value.mean() for value in values])
        low, high = ends(means)
        cells.append(f"{means.mean():.3f} ± {(high - low) / 2.0:.3f}")
    return cells


def put(text: str, into: Path) -> None:
    """Replace the text between the marks in a file, or append it without marks.

    Parameters
    ----------
    text : str
        Markdown.
    """
    part = f"{BEGIN}\n\n{text}\n{END}\n"
    old = into.read_text("utf-8") if into.is_file() else ""
    before, mark, rest = old.partition(BEGIN)
    after = rest.partition(END)[2].removeprefix("\n")
    head = before if mark else f"{old}\n## Claim by claim\n\n"
    into.write_text(f"{head}{part}{after}", "utf-8")


def _listed(outcome: CardOutcome, most: int = 4) -> tuple[str, str]:
    """Return printed values and ours, the first few, as cells of a table."""
    rows = [v for v in outcome.values if v.number is not None]
    cells = [
        " / ".join(texts[:most]) + (" …" if len(texts) > most else "")
        for texts in ([_number(v.printed) for v in rows], [_spread(v) for v in rows])
    ]
    return cells[0] or "–", cells[1] or "–"


def _number(value: float | None) -> str:
    """Four digits; numbers below 0.001 with a power of ten."""
    if value is None:
        return "–"
    if abs(value) >= 1000.0:
        return f"{value:,.0f}"
    return three_digits(value) if 0.0 < abs(value) < 1e-3 else f"{value:.4g}"


def _spread(value: CardValue) -> str:
    """Our value with its interval."""
    if value.low is None or value.high is None:
        return _number(value.ours)
    return f"{_number(value.ours)} ({_number(value.low)} to {_number(value.high)})"


def _how(outcome: CardOutcome, protocols: list[str]) -> str:
    """Return the number of its protocol, and the seconds; adds new protocols."""
    if not outcome.made:
        return "–"
    protocol = how(outcome)
    if protocol not in protocols:
        protocols.append(protocol)
    return f"({1 + protocols.index(protocol)}), {three_digits(outcome.seconds)} s"


def how(outcome: CardOutcome) -> str:
    """Protocol, convention and spread."""
    return f"{outcome.protocol}; {outcome.convention}; spread: {outcome.spread}"
