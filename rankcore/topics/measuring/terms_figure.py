"""Pictures of a measure of one list: what each position adds, and what a score does."""

from collections.abc import Sequence
from html import escape

import numpy as np

from rankcore.base.numbers import counted
from rankcore.plot.numbers import decimals
from rankcore.plot.palette import LIGHT, Palette
from rankcore.plot.style import (
    Picture,
    bars,
    end_names,
    joined,
    layout,
    lines,
    span,
    vline,
)
from rankcore.topics.measuring.terms import FilledTerms, ScoreCurve

MAIN_HEIGHT, HEIGHT = 380, 280
# The axis is a little longer than the values reach.
PLOT_HEIGHT = (HEIGHT - 54) / 1.1


def terms_figure(
    terms: FilledTerms,
    labels: Sequence[int],
    names: Sequence[str],
    measure: str,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw what each position adds, in the colours of the labels.

    Parameters
    ----------
    terms : FilledTerms
    labels : sequence of n int
    names : sequence of n str
        Names of the documents.
    measure : str
        Its name.
    palette : Palette
    """
    columns = bars(
        [f"{i}<br>{escape(name)}" for i, name in enumerate(names, 1)],
        terms.terms,
        {
            "color": [palette.label(label) for label in labels],
            "line": {"color": palette.secondary, "width": 0.5},
        },
        hover="rank %{x}: %{y:.3g}",
        text=[f"{term:.3f}" if term else "0" for term in terms.terms],
        textposition="outside",
        textfont={"color": palette.secondary},
        cliponaxis=False,
    )
    figure = layout(palette, "rank and document", f"adds to {measure}", MAIN_HEIGHT)
    figure["margin"] |= {"b": 70}
    figure["xaxis"]["type"] = "category"
    figure["yaxis"]["range"] = [0, max(float(terms.terms.max()) * 1.2, 0.1)]
    table = {"rank": np.arange(1, len(labels) + 1), "document": names, "label": labels}
    table |= {**terms.factors, "adds": terms.terms}
    largest = int(np.argmax(terms.terms))
    alt = (
        f"{measure} is {decimals(terms.value)}; rank {largest + 1} adds most, "
        f"{decimals(terms.terms[largest])}."
    )
    return Picture([columns], figure, alt, table)


def score_figure(
    curve: ScoreCurve, name: str, measure: str, palette: Palette = LIGHT
) -> Picture:
    """Draw a measure over one document's score: its steps, and smooth ones over them.

    Parameters
    ----------
    curve : ScoreCurve
        With at least one sharpness.
    name, measure : str
        Of the document, and of the measure.
    palette : Palette
    """
    stairs = lines(
        joined(curve.starts, curve.ends),
        joined(curve.steps, curve.steps),
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
        lines(curve.scores, values, colour, 1.8, hover=f"{label}: %{{y:.3g}}")
        for label, (values, colour) in smooth.items()
    ]
    curves = {"exact": (curve.steps, palette.ink)} | smooth
    ends = {
        label: (np.nan_to_num(values[-1]), colour)
        for label, (values, colour) in curves.items()
    }
    pixels = PLOT_HEIGHT / span(*(trace["y"] for trace in traces))
    figure = layout(palette, f"score of {escape(name)}", measure, height=HEIGHT)
    figure["margin"] |= {"r": 70}
    figure["annotations"] = end_names(ends, palette, pixels, xshift=6)
    figure["shapes"] = [vline(curve.at, palette.secondary, 1)]
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
