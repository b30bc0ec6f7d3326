"""What can be taken away from the Reduction page: the pairs of a list."""

from collections.abc import Sequence
from typing import Any

from pages.ui.reduction_list import RankedList


def pairs(ranked: RankedList) -> dict[str, Sequence[Any]]:
    """Every pair of a list."""
    found = ranked.pairs
    names = {int(rank): name for rank, name in enumerate(ranked.names, start=1)}
    return {
        "better": [names[int(found.ranks[i])] for i in found.better],
        "worse": [names[int(found.ranks[i])] for i in found.worse],
        "rank of the better": found.ranks[found.better].tolist(),
        "rank of the worse": found.ranks[found.worse].tolist(),
        "weight": found.weight.tolist(),
        "wrong": found.wrong.tolist(),
        "margin": found.margin.tolist(),
    }
