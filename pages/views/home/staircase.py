"""Staircase: nDCG of a small ranking against one weight."""

from typing import Any

from pages.ui import texts
from rankcore.topics.home import first_sight
from rankcore.topics.home.toy import CUTOFF, DOCUMENTS, ideal_order, staircase
from rankcore.views import Number, Popover, Shown, Table, Toy, Values, View, Words

EXPLAIN = texts.tabs(__file__)
ABOUT = EXPLAIN.pop("About")

WEIGHT = Number("weight", 0.3, "Weight of clicks", low=0.0, high=1.0, inline=True)

PRESETS = {
    "Words only": {"weight": 0.0},
    "A long stair": {"weight": 0.15},
    "Just before a jump": {"weight": 0.395},
    "The ideal order": {"weight": 0.51},
    "Clicks only": {"weight": 1.0},
}


def show(values: Values) -> Shown:
    """Return the ranking, its ideal order, and nDCG over the weight."""
    return Shown(
        blocks=[
            Toy("toy", _toy(values)),
            Words(ABOUT),
            Popover("Show as a table", "stairs", lambda: [_stairs()]),
        ],
        tables={"Staircase": lambda: _stairs().rows, "Stored runs": first_sight.table},
    )


def _toy(values: Values) -> dict[str, Any]:
    palette = values.palette
    fills = [palette.label(document.label, highest=2) for document in DOCUMENTS]
    return {
        "documents": [
            {
                "name": f"{document.name} · {document.label}",
                "relevant": document.label > 0,
                "fill": fill,
                "ink": palette.on(fill),
            }
            for document, fill in zip(DOCUMENTS, fills, strict=True)
        ],
        "pieces": [
            {"start": p.start, "end": p.end, "order": p.order, "ndcg": p.ndcg}
            for p in staircase()
        ],
        "ideal": ideal_order(),
        "measure": f"nDCG@{CUTOFF}",
        "start": values.weight,
    }


def _stairs() -> Table:
    rows = [piece.row() for piece in staircase()]
    return Table("stairs_table", "Staircase", "nDCG between two jumps", rows)


VIEW = View(
    "Staircase",
    "How nDCG changes with one weight.",
    [WEIGHT],
    show,
    presets=PRESETS,
    explain={
        "The measure": texts.measure(f"nDCG@{CUTOFF}"),
        "All algorithms": texts.all_algorithms(),
        **EXPLAIN,
    },
)
