"""Mean ranks over data sets, with the critical difference (Demšar 2006)."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.mathematics.differences import MeanRanks
from rankcore.plot.palette import LIGHT, Palette, run_styles
from rankcore.plot.style import Picture, layout, lines, marks, note

LINE = 26


def ranks_figure(
    mean_ranks: MeanRanks,
    names: Sequence[str],
    algorithms: Sequence[str],
    palette: Palette = LIGHT,
) -> Picture:
    """Draw mean ranks; a bar joins those that do not differ significantly.

    Parameters
    ----------
    names, algorithms : sequence of k str
        Labels of the marks, and the algorithms that give their colours.
    """
    order, k = np.argsort(mean_ranks.ranks, kind="stable"), len(names)
    colours = [style.colour for style in run_styles(list(algorithms), palette)]
    bars = mean_ranks.groups
    deep = -0.5 * len(bars) - 0.4
    traces: list[dict[str, Any]] = [
        lines([1, k], [0, 0], palette.secondary, 1.5),
        lines([1, 1 + mean_ranks.critical_difference], [1.4, 1.4], palette.ink, 1.5),
    ]
    notes = [
        note(
            f"critical difference {mean_ranks.critical_difference:.2f}",
            1 + mean_ranks.critical_difference, 1.4, palette.ink, 12,
            xanchor="left", xshift=6,
        )
    ]  # fmt: skip
    for depth, group in enumerate(bars):
        ends = mean_ranks.ranks[[group[0], group[-1]]] + np.array([-0.04, 0.04])
        traces.append(lines(ends, [-0.5 * depth - 0.4] * 2, palette.ink, 5))
    for place, i in enumerate(order):
        rank, below = float(mean_ranks.ranks[i]), deep - 0.9 * (place + 1)
        traces.append(lines([rank, rank], [0, below], colours[i], 1.5))
        traces.append(
            marks(
                [rank], [0], {"size": 9, "color": colours[i]},
                hover=f"{escape(names[i])}: mean rank {rank:.2f}",
            )
        )  # fmt: skip
        right = rank > (1 + k) / 2
        notes.append(
            note(
                f"<b>{escape(names[i])}</b> {rank:.2f}", rank, below,
                palette.readable(colours[i]), 12,
                xanchor="right" if right else "left", xshift=-4 if right else 4,
            )
        )  # fmt: skip
    figure = _axis_above(k, deep - 0.9 * k - 0.6, palette)
    figure["annotations"] = notes
    ranks = ", ".join(f"{names[i]} {mean_ranks.ranks[i]:.2f}" for i in order)
    return Picture(traces, figure).described(
        f"Mean ranks on {mean_ranks.data_sets} data sets: {ranks}; critical difference "
        f"{mean_ranks.critical_difference:.2f}.",
        lambda: {
            "model": [names[i] for i in order],
            "mean rank": mean_ranks.ranks[order],
            "critical difference": [mean_ranks.critical_difference] * k,
        },
    )


def _axis_above(k: int, lowest: float, palette: Palette) -> dict[str, Any]:
    """Return the layout: an axis of k ranks, and room for names down to ``lowest``."""
    figure = layout(palette, "", "", int(LINE * (2.6 - lowest)))
    figure["xaxis"] |= {
        "range": [0.8, k + 0.2], "side": "top", "dtick": 1, "anchor": "free",
        "position": 1.0, "title": {"text": "mean rank, 1 = best", "standoff": 6},
    }  # fmt: skip
    figure["yaxis"] |= {
        "range": [lowest, 2.2], "showgrid": False, "showticklabels": False,
    }  # fmt: skip
    figure["margin"] = {"l": 16, "r": 16, "t": 40, "b": 8}
    return figure
