"""Rankings as chips: the texts, places and colours that the app's figure draws."""

from typing import Any

from rankcore.charts.palette import Palette
from rankcore.insight.ranking import QueryRanking

LONGEST_NAME = 11


def chips(ranking: QueryRanking, rows: int, palette: Palette) -> dict[str, Any]:
    """Chips for the first documents of either order, and lines between them.

    A line leaves the picture at the bottom where the other place is further down.

    Parameters
    ----------
    ranking : QueryRanking
    rows : int
        Documents of either order that have a chip.
    palette : Palette

    Returns
    -------
    dict
        ``rows``, the number of chips in a column; ``hairline`` and ``note``, colours;
        ``documents``, a dictionary each: name, texts, label, its places from 0 in both
        orders, and its colours.
    """
    highest = max(int(ranking.labels.max()), 1)
    documents = [
        _chip(ranking, place, highest, palette)
        for place in range(len(ranking.documents))
        if place < rows or ranking.ideal[place] < rows
    ]
    return {
        "rows": min(rows, len(ranking.documents)),
        "hairline": palette.line,
        "note": palette.secondary,
        "documents": documents,
    }


def _chip(
    ranking: QueryRanking, place: int, highest: int, palette: Palette
) -> dict[str, Any]:
    name, label = ranking.documents[place], int(ranking.labels[place])
    colour = palette.label(label, highest)
    return {
        "id": name,
        "short": _shortened(name),
        "label": label,
        "title": f"{name}: label {label}, rank {place + 1}, "
        f"score {ranking.scores[place]:.3g}",
        "model": place,
        "ideal": int(ranking.ideal[place]),
        "colour": colour,
        "ink": palette.on(colour),
    }


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
