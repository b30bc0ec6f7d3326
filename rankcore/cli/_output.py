"""Output of commands: tables for people, one JSON object for scripts."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from rankcore.base.numbers import RANKS_NOTHING, listed
from rankcore.cli._failures import misuse

if TYPE_CHECKING:
    import numpy as np

    from rankcore.data.dataset import RankingDataset
    from rankcore.measures import Rules

Progress = TypeVar("Progress")


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object; a number that is not finite becomes null."""
    typer.echo(json.dumps(_plain(content), indent=2, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def progress(
    quiet: bool, words: Callable[[Progress], str]
) -> Iterator[Callable[[Progress], None]]:
    """Show the progress of a command, in words, on standard error."""
    from rich.console import Console

    console = Console(stderr=True, quiet=quiet)
    with console.status("Reading") as status:
        yield lambda count: status.update(words(count))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print aligned columns, with numbers right-aligned to four decimals."""
    rows = [list(row) for row in rows]
    cells = [list(heads), *([text(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = [
        bool(rows) and all(_is_number(cell) for cell in column)
        for column in zip(*rows, strict=True)
    ] or [False] * len(widths)
    for line in cells:
        aligned = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(line, widths, right, strict=True)
        )
        typer.echo("  ".join(aligned).rstrip())


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) or cell in (None, RANKS_NOTHING)


def text(cell: Any) -> str:
    """Return the text of a table cell; floats have four decimals."""
    if cell is None:
        return "–"
    return f"{cell:z.4f}" if isinstance(cell, float) else str(cell)


def rules_of(names: Sequence[str], convention: str, empty: str = "zero") -> "Rules":
    """Return the rules of evaluation, checked against the measures before a long
    training. Raises Misused for an unknown measure, convention or rule."""
    from rankcore import measures

    rules = measures.Rules(convention, empty)
    with misuse():
        for name in names:
            measures.parse(name).describe(*rules)
    return rules


def means(
    dataset: "RankingDataset",
    scores: "np.ndarray",
    names: Sequence[str],
    rules: "Rules",
    ties: str | None = None,
) -> dict[str, float | None]:
    """Return the mean of each measure, or None where the scores (n,) rank nothing."""
    from rankcore import measures

    if measures.ranks_nothing(scores, dataset.offsets):
        return dict.fromkeys(names)
    return {**measures.means(dataset, scores, names, *rules, ties)}


def print_measures(
    parts: Mapping[str, Mapping[str, float | None]],
    rules: "Rules",
    ties: str | None = None,
) -> None:
    """Print mean measures, one row per split, and their definitions.

    A model that ranks nothing has a remark in place of the means.
    """
    from rankcore import measures

    names = list(next(iter(parts.values())))
    rows = [
        [part, *(listed(of[name], of[name] is not None) for name in names)]
        for part, of in parts.items()
    ]
    print_table(["", *names], rows)
    definitions: dict[str, list[str]] = {}
    for name in names:
        whole = measures.parse(name).describe(*rules, ties)
        _, definition = whole.split(", ", 1)
        definitions.setdefault(definition, []).append(name)
    for definition, alike in definitions.items():
        typer.echo(f"{', '.join(alike)}: {definition}.")


def weights_of(parts: "Mapping[str, RankingDataset | None]") -> dict[str, Any]:
    """Return the weights for a report: the effective number of queries of each split
    whose weights differ, and the use of document weights; empty without weights."""
    present = {name: part for name, part in parts.items() if part is not None}
    effective = {
        name: part.effective_queries
        for name, part in present.items()
        if part.is_weighted
    }
    report: dict[str, Any] = {"effective queries": effective} if effective else {}
    if any(part.has_document_weights for part in present.values()):
        report["document weights"] = "in training alone"
    return report


def print_weights(report: Mapping[str, Any]) -> None:
    """Print the entries that `weights_of` adds to a report."""
    if numbers := report.get("effective queries"):
        each = ", ".join(f"{name} {number:.1f}" for name, number in numbers.items())
        typer.echo(f"\nMeans are weighted; effective numbers of queries: {each}.")
    if "document weights" in report:
        typer.echo(
            "\nWeights of documents count in training alone; measures count all "
            "documents alike."
        )
