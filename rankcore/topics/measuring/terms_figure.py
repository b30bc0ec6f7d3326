"""Pictures of one list's measure: terms of positions, and the effect of a score."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import Picture
from rankcore.topics.measuring.terms import FilledTerms, Floats, Rectangles, ScoreCurve

MAIN_HEIGHT, HEIGHT = 380, 280
# With more documents than this, names are smaller.
MOST_WIDE = 8
# The axis is slightly longer than the values.
PLOT_HEIGHT = (HEIGHT - 54) / 1.1


def terms_figure(
    terms: FilledTerms,
    labels: Sequence[int],
    names: Sequence[str],
    measure: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the contribution of each position as an area, in the colours of the labels.

    Products are rectangles, with outlines for the ideal order; other terms are bars of
    equal width.

    Parameters
    ----------
    labels : sequence of n int
    names : sequence of n str
        Names of the documents.
    measure : str
        Its name.
    """
    n, areas = len(labels), terms.rectangles
    heights = terms.terms if areas is None else areas.heights
    widths = np.ones(n) if areas is None else areas.widths
    y, x = f"adds to {measure}", "rank and document"
    if areas is not None:
        y, x = areas.height, f"{x}; width: {areas.width}"
    figure = draw.layout(palette, x, y, MAIN_HEIGHT)
    figure["margin"] |= {"t": 46, "b": 70}
    figure |= {"barmode": "overlay", "bargap": 0.0}
    shown, centres = widths > 0.0, np.cumsum(widths) - widths / 2.0
    documents = [f"{i}<br>{escape(name)}" for i, name in enumerate(names, 1)]
    figure["xaxis"] |= {
        "tickvals": centres[shown],
        "ticktext": np.array(documents)[shown].tolist(),
        "tickangle": 0,
        "tickfont": {"size": 12 if n <= MOST_WIDE else 10},
    }
    highest = max(0.0 if areas is None else areas.ideal_heights.max(), heights.max())
    figure["yaxis"]["range"] = [0, float(highest) * 1.12 or 0.1]
    figure["annotations"] = [draw.above(_areas_in_words(terms, measure), 60, palette)]
    traces = [_filled(terms, heights, widths, labels, documents, palette)]
    table = {"rank": np.arange(1, n + 1), "document": names, "label": labels}
    table |= terms.factors
    if areas is not None:
        traces.append(_outlines(areas, palette))
        table |= {"area": heights * widths}
        table |= {"ideal area": areas.ideal_heights * areas.ideal_widths}
    largest = int(np.argmax(terms.terms))
    most = f"; rank {largest + 1} adds most, {decimals(terms.terms[largest])}"
    alt = f"{measure} is {decimals(terms.value)}{most if terms.terms.any() else ''}."
    return Picture(traces, figure, alt, table | {"adds": terms.terms})


def terms_table(
    labels: Sequence[int], names: Sequence[str], terms: Mapping[str, FilledTerms]
) -> dict[str, list[str]]:
    """Return the columns of a table with every term of every measure, sums last.

    Parameters
    ----------
    labels, names : sequence of n int, sequence of n str
        Labels and names of the documents.
    terms : mapping of str to FilledTerms
        By the name of the measure.
    """
    documents = enumerate(zip(names, labels, strict=True), start=1)
    listed = [f"{rank}. {name} · {label}" for rank, (name, label) in documents]
    columns = {
        measure: [decimals(value) for value in (*each.terms, each.value)]
        for measure, each in terms.items()
    }
    return {"the list": [*listed, "sum"], **columns}


def _areas_in_words(terms: FilledTerms, measure: str) -> str:
    """Say how the areas give the value."""
    areas, value = terms.rectangles, f"<b>{measure} = {decimals(terms.value)}</b>"
    if areas is None:
        return value
    area, whole = decimals(areas.area), decimals(areas.whole)
    if areas.ideal_is_whole:
        ratio = f"{area} ÷ outlined {whole}"
    else:
        ratio = area if areas.whole == 1.0 else f"{area} ÷ {areas.whole:g}"
    return f"{value} = filled {ratio}<br>outlined: the ideal order"


def _filled(
    terms: FilledTerms,
    heights: Floats,
    widths: Floats,
    labels: Sequence[int],
    documents: Sequence[str],
    palette: Palette,
) -> dict[str, Any]:
    """Return the areas of the list in its order, with their contributions."""
    shown = widths > 0.0
    colours = np.array([palette.label(label) for label in labels])
    return draw.bars(
        (np.cumsum(widths) - widths / 2.0)[shown],
        heights[shown],
        {
            "color": colours[shown].tolist(),
            "line": {"color": palette.background, "width": 1},
        },
        hover="%{customdata}<br>%{y:.3g} high, %{width:.3g} wide; adds %{text}",
        name="list",
        customdata=np.array(documents)[shown].tolist(),
        width=widths[shown],
        text=[f"{term:.3f}" if term else "" for term in terms.terms[shown]],
        textposition="outside",
        textangle=0,
        textfont={"color": palette.ink, "size": 13},
        cliponaxis=False,
    )


def _outlines(areas: Rectangles, palette: Palette) -> dict[str, Any]:
    """Return the ideal order's areas, above the filled ones so that none is hidden."""
    widths, shown = areas.ideal_widths, areas.ideal_widths > 0.0
    return draw.bars(
        (np.cumsum(widths) - widths / 2.0)[shown],
        areas.ideal_heights[shown],
        {"color": "rgba(0,0,0,0)", "line": {"color": palette.ink, "width": 1.8}},
        name="ideal order",
        width=widths[shown],
    )


def score_figure(
    curve: ScoreCurve, name: str, measure: str, palette: Palette = LIGHT
) -> Picture:
    """Draw a measure over one document's score: its steps, and smooth ones over them.

    Parameters
    ----------
    curve : ScoreCurve
        With at least one sharpness.
    name, measure : str
        Names of the document and of the measure.
    """
    stairs = draw.lines(
        draw.joined(curve.starts, curve.ends),
        draw.joined(curve.steps, curve.steps),
        palette.ink,
        2.5,
        hover="exact: %{y:.3g}",
    )
    smooth = {
        f"α = {alpha:g}": (values, colour)
        for (alpha, values), colour in zip(
            curve.smooth.items(), palette.runs, strict=False
        )
    }
    traces = [stairs] + [
        draw.lines(curve.scores, values, colour, 1.8, hover=f"{label}: %{{y:.3g}}")
        for label, (values, colour) in smooth.items()
    ]
    curves = {"exact": (curve.steps, palette.ink)} | smooth
    ends = {
        label: (np.nan_to_num(values[-1]), colour)
        for label, (values, colour) in curves.items()
    }
    pixels = PLOT_HEIGHT / draw.span(*(trace["y"] for trace in traces))
    figure = draw.layout(palette, f"score of {escape(name)}", measure, height=HEIGHT)
    figure["margin"] |= {"r": 70}
    figure["annotations"] = draw.end_names(ends, palette, pixels, xshift=6)
    figure["shapes"] = [draw.vline(curve.at, palette.secondary, 1)]
    table = {"score": curve.scores, "exact": curve.exact}
    table |= {label: values for label, (values, _) in smooth.items()}
    low, high = np.nan_to_num(curve.steps).min(), np.nan_to_num(curve.steps).max()
    errors = [f"{curve.error(alpha):.3f} with α = {alpha:g}" for alpha in curve.smooth]
    alt = (
        f"As the score of {name} rises, {measure} goes in "
        f"{counted(len(curve.steps), 'steps')} "
        f"between {low:.3f} and {high:.3f}; the surrogate differs by at most "
        f"{', '.join(errors)}."
    )
    return Picture(traces, figure, alt, table)
