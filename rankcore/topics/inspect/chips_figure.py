"""Rankings as chips: texts, places and colours for the app's figure."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcore.base.numbers import label_text
from rankcore.plot.numbers import significant
from rankcore.plot.palette import Palette
from rankcore.plot.style import shortened
from rankcore.topics.inspect.ranking import QueryRanking

LONGEST_NAME = 11
LONGEST_HEAD = 22


def chips(
    rankings: Sequence[QueryRanking],
    rows: int,
    palette: Palette,
    heads: Sequence[tuple[str, str]] = (),
    ends: bool = True,
) -> dict[str, Any]:
    """Chips for the first ``rows`` documents of each order and of the first one's other
    order, and lines between neighbours.

    A line leaves the picture at the bottom if a place is further down.

    Parameters
    ----------
    rankings : sequence of QueryRanking
        Orders of the same documents.
    rows : int
        Number of documents of each order that have a chip.
    heads : sequence of (str, str)
        Name and colour of each ranking; empty: none.
    ends : bool
        Whether to add the first one's other order, as the last column.

    Returns
    -------
    dict
        ``rows`` and ``columns``, the number of chips in a column and of columns;
        ``heads``; ``hairline``, ``note`` and ``push``, colours; ``documents``, a
        dictionary each: name, texts, label, its places from 0 in each order and the
        other one, colours; where the first one has forces, ``force``, as a share of the
        largest.
    """
    first = rankings[0]
    highest = first.labels.max().item() or 1
    orders = [{name: at for at, name in enumerate(r.documents)} for r in rankings]
    documents = []
    for name, label, ideal in zip(
        first.documents, first.labels.tolist(), first.ideal.tolist(), strict=True
    ):
        places = [*(order[name] for order in orders), *([ideal] if ends else [])]
        if min(places) < rows:
            scores = [r.scores[at] for r, at in zip(rankings, places, strict=False)]
            titles = [
                f"{name}: label {label_text(label)}, rank {at + 1}"
                + ("" if math.isnan(score) else f", score {score:.3g}")
                for at, score in zip(places, scores, strict=False)
            ]
            chip = _chip(name, label, palette.label(label, highest), palette)
            if first.forces is not None:
                force = float(first.forces[places[0]])
                titles[0] += f", force {significant(force)}"
                chip["force"] = force / (float(np.abs(first.forces).max()) or 1.0)
            titles = [*titles, titles[0]][: len(places)]
            documents.append(chip | {"titles": titles, "places": places})
    return {
        "rows": min(rows, len(first.documents)),
        "columns": len(rankings) + ends,
        "heads": [
            {
                "name": shortened(name, LONGEST_HEAD),
                "value": f"{ranking.value:.3f}",
                "colour": palette.readable(colour),
            }
            for (name, colour), ranking in zip(heads, rankings, strict=bool(heads))
        ],
        "hairline": palette.line,
        "note": palette.secondary,
        "push": palette.primary,
        "documents": documents,
    }


def followed(
    rankings: Sequence[QueryRanking], rows: int, palette: Palette
) -> dict[str, Any]:
    """Chips for the first ``rows`` documents of one of several rankings, which the
    browser chooses, and of its other order.

    Parameters
    ----------
    rankings : sequence of QueryRanking
        Rankings of the same documents.

    Returns
    -------
    dict
        ``documents``, those that are among the first of any ranking: name, texts,
        label, colours; and of each ranking ``orders``, the numbers of those that are
        first and of those that are first in its other order, and ``values``.
    """
    first = rankings[0]
    highest = first.labels.max().item() or 1
    labels = dict(zip(first.documents, first.labels.tolist(), strict=True))
    pairs = [
        (
            r.documents[:rows],
            [r.documents[n] for n in np.argsort(r.ideal, kind="stable")[:rows]],
        )
        for r in rankings
    ]
    names = dict.fromkeys(name for pair in pairs for ids in pair for name in ids)
    numbers = {name: number for number, name in enumerate(names)}
    colours = {label: palette.label(label, highest) for label in labels.values()}
    return {
        "documents": [
            _chip(name, labels[name], colours[labels[name]], palette) for name in names
        ],
        "orders": [
            [[numbers[name] for name in names] for names in pair] for pair in pairs
        ],
        "values": [f"{ranking.value:.3f}" for ranking in rankings],
    }


def _chip(name: str, label: float, colour: str, palette: Palette) -> dict[str, Any]:
    return {
        "id": name,
        "short": _shortened(name),
        "label": int(label) if label == int(label) else float(f"{label:.3g}"),
        "colour": colour,
        "ink": palette.on(colour),
    }


def _shortened(name: str) -> str:
    """Ids differ in their ends, titles in their beginnings."""
    if " " in name:
        return shortened(name, LONGEST_NAME)
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
