"""What the browser needs to draw a ranking as chips: texts, places, colours."""

from typing import Any

from rankcore.charts.palette import Palette
from rankcore.insight.ranking import QueryRanking

LONGEST_NAME = 11


def chips(ranking: QueryRanking, rows: int, palette: Palette) -> dict[str, Any]:
    """Chips for the first ``rows`` documents of either order, and lines between them.

    A line leaves the picture at the bottom where the other place is further down.
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
