"""Pictures of ranking data: labels, list lengths and the spread of features."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import percent, rounded
from rankcore.plot.numbers import minus
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture, bars, joined, layout, lines, marks, outlined
from rankcore.topics.datasets.description import (
    FeatureSpread,
    Histogram,
    LabelCounts,
    PartSize,
)

WIDE_SCALE = 100.0
FEW = 12


def labels_figure(labels: LabelCounts, palette: Palette = LIGHT) -> Picture:
    """Draw the number of documents by label, in the colours of relevance."""
    names, levels, counts = labels
    columns = bars(
        list(names),
        counts,
        {
            "color": [palette.label(y, levels[-1]) for y in levels.tolist()],
            "line": {"color": palette.secondary, "width": 0.5},
        },
        hover="label %{x}: %{y:,} documents",
        text=[percent(share, 1) for share in counts / counts.sum()],
        textposition="outside",
        textfont={"color": palette.secondary},
        cliponaxis=False,
    )
    figure = layout(palette, "label", "documents")
    figure["xaxis"]["type"] = "category"
    figure["yaxis"]["range"] = [0, counts.max() * 1.15]
    alt = f"{percent(counts[0] / counts.sum())} of the documents have label 0."
    table = {"label": list(names), "documents": counts}
    return Picture([columns], figure, alt, table)


def lengths_figure(
    histogram: Histogram, size: PartSize, palette: Palette = LIGHT
) -> Picture:
    """Draw the number of queries by list length.

    Parameters
    ----------
    size : PartSize
        Size of the same data.
    """
    counts, edges = histogram
    starts, ends = edges[:-1], edges[1:]
    columns = bars(
        (starts + ends - 1) / 2,
        counts,
        {"color": palette.runs[0]},
        hover="%{customdata[0]} to %{customdata[1]} documents: %{y} queries",
        width=(ends - starts) * 0.9,
        customdata=np.stack([starts, ends - 1], axis=1),
    )
    figure = layout(palette, "documents per query", "queries")
    if ends[-1] - starts[0] <= FEW:
        figure["xaxis"]["dtick"] = 1
    alt = (
        f"Queries have {size.shortest} to {size.longest} documents; the median is "
        f"{rounded(size.median_length)}."
    )
    table = {"from": starts, "to": ends - 1, "queries": counts}
    return Picture([columns], figure, alt, table)


def spread_figure(spread: FeatureSpread, palette: Palette = LIGHT) -> Picture:
    """Draw each feature as a line from its lowest to its highest value.

    The thick part holds the middle half of the documents, the dot is the median, and a
    hollow mark is a feature that is constant within each query. If scales differ much,
    the axis is logarithmic on both sides of zero.
    """
    extremes = np.abs(np.concatenate([spread.low, spread.high]))
    wide = bool(extremes.max() > WIDE_SCALE)
    scale = _signed_log if wide else np.asarray
    low, quarter, median, three_quarters, high = (
        scale(values)
        for values in (
            spread.low,
            spread.quarter,
            spread.median,
            spread.three_quarters,
            spread.high,
        )
    )
    colour = palette.runs[0]
    traces = [
        _segments(low, high, colour, 1),
        _segments(quarter, three_quarters, colour, 5),
        _medians(spread, median, colour, palette),
    ]
    figure = layout(palette, "feature, in the order of the file", "value", height=380)
    if len(median) <= FEW:
        figure["xaxis"] |= {
            "title": {"text": "feature"},
            "tickvals": list(range(1, len(median) + 1)),
            "ticktext": [escape(name) for name in spread.names],
        }
    figure["yaxis"] |= _log_ticks(extremes.max(), float(low.min())) if wide else {}
    alt = (
        f"{len(spread.names)} features range from {spread.low.min():.3g} to "
        f"{spread.high.max():.3g}; {int(spread.useless.sum())} of them cannot affect "
        "the ranking."
    )
    table = {
        "feature": spread.names,
        "lowest": spread.low,
        "median": spread.median,
        "highest": spread.high,
        "share of zeros": spread.zeros,
        **({"share missing": spread.missing} if spread.missing.any() else {}),
        "constant": spread.constant,
        "cannot affect the ranking": spread.useless,
    }
    return Picture(traces, figure, alt, table)


def _segments(start: Floats, end: Floats, colour: str, width: float) -> dict[str, Any]:
    """Vertical segments as one trace, with gaps between them."""
    number = np.arange(1.0, len(start) + 1)
    x, y = joined(number, number), joined(start, end)
    return lines(x, y, colour, width, opacity=0.6)


def _medians(
    spread: FeatureSpread, median: Floats, colour: str, palette: Palette
) -> dict[str, Any]:
    return marks(
        np.arange(1, len(median) + 1),
        median,
        outlined(
            7,
            [palette.background if u else colour for u in spread.useless],
            colour,
            1.5,
        ),
        hover="%{customdata[0]}<br>%{customdata[1]} to %{customdata[3]}, "
        "median %{customdata[2]}",
        customdata=[
            [escape(name), f"{low:.3g}", f"{middle:.3g}", f"{high:.3g}"]
            for name, low, middle, high in zip(
                spread.names, spread.low, spread.median, spread.high, strict=True
            )
        ],
    )


def _signed_log(values: Floats) -> Floats:
    return np.sign(values) * np.log10(1 + np.abs(values))


def _log_ticks(largest: float, lowest: float) -> dict[str, Any]:
    last = int(np.ceil(np.log10(1 + largest)))
    step = max(1, last // 4)
    powers = np.array([0.0, *(10.0**p for p in range(step, last + 1, step))])
    negative = -powers[:0:-1] if lowest < 0 else powers[:0]
    ticks = np.concatenate([negative, powers])
    return {
        "tickmode": "array",
        "tickvals": _signed_log(ticks),
        "ticktext": [minus(f"{tick:,.0f}") for tick in ticks],
    }
