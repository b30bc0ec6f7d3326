"""``rankscope reproduce PAPER --data FOLDER``."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rankcore.cli import _output
from rankcore.cli._failures import misuse

if TYPE_CHECKING:
    from rankcore.compute.executors import Executor
    from rankcore.data.readers import Splits
    from rankcore.topics.papers.results import Results

ALL = "all"


def asked_for(words: Sequence[Path], data: Sequence[str] | None) -> bool:
    """Return whether the arguments name papers rather than folders."""
    from rankcore.topics.papers.cards import PAPERS

    names = {*PAPERS, ALL}
    return data is not None or (str(words[0]) in names and not words[0].is_dir())


def reproduce(
    words: Sequence[Path],
    data: Sequence[str],
    to: Path | None,
    into: Path | None,
    others: bool,
    where: "Executor",
    as_json: bool,
) -> None:
    """Compute the cards of the named papers, and write the results."""
    from rankcore.topics.papers import report, results
    from rankcore.topics.papers.bench import Bench

    started = time.perf_counter()
    with misuse():
        papers, folders = _sorted_out([str(word) for word in words])
        data_sets = dict(_data_set(text) for text in (*data, *folders))
        bench = Bench(data_sets, where, _tell)
        folder = to or results.folder()
        outcomes = results.Results.read(folder / results.FILE)
        for paper in papers:
            outcomes = outcomes.joined(results.compute(bench, paper, others, _tell))
    outcomes.write(folder / results.FILE)
    beside = folder / report.FILE
    beside.write_text(report.report(outcomes), "utf-8")
    if into is not None:
        every = results.Results.shipped().joined(outcomes)
        report.put(report.report(every), into)
    _tell(f"Computed in {time.perf_counter() - started:.0f} s.")
    if as_json:
        _output.print_json(_plain(outcomes))
        return
    _print(outcomes, papers)
    also = f" and in {into}" if into is not None else ""
    typer.echo(
        f"\nThe Papers page's data is in {folder}, the report in {beside}{also}."
    )


def _sorted_out(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the papers among the words, and the folders after ``--data FOLDER``."""
    from rankcore.topics.papers.cards import PAPERS

    papers = [word for word in words if word in (*PAPERS, ALL)]
    folders = [word for word in words if word not in papers]
    remedy = f"name one of {', '.join(PAPERS)}, or all."
    for word in folders:
        if "=" not in word and not Path(word).is_dir():
            raise ValueError(f"There is no paper and no folder {word!r}: {remedy}")
    if not papers:
        raise ValueError(f"--data requires a paper: {remedy}")
    return papers, folders


def _data_set(text: str) -> "tuple[str, dict[str, Splits]]":
    """Return a data set and its folds, from ``FOLDER`` or ``NAME=FOLDER``."""
    from rankcore.data.readers import load_folds
    from rankcore.topics.papers.card import DATA_SETS

    name, mark, rest = text.partition("=")
    folder = Path(rest if mark else text)
    wanted = (name if mark else folder.resolve().name).upper()
    if wanted not in DATA_SETS:
        raise ValueError(
            f"{text} names no data set of the papers: call the folder one of "
            f"{', '.join(DATA_SETS)}, or write for example OHSUMED={folder}."
        )
    return wanted, load_folds(folder)


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _print(results: "Results", papers: Sequence[str]) -> None:
    from rankcore.topics.papers.cards import of_paper

    rows = [
        (card.paper, card.place, card.title, results.of(card).verdict)
        for paper in papers
        for card in of_paper(paper)
    ]
    _output.print_table(("paper", "place", "claim", "verdict"), rows)


def _plain(results: "Results") -> dict[str, object]:
    return {
        key: {**one._asdict(), "values": [value._asdict() for value in one.values]}
        for key, one in results.outcomes.items()
    }
