"""Pictures of a measure of one list: what each position adds, and what a score does."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from rankcore.charts._style import Picture, end_name, layout, spread
from rankcore.charts.palette import LIGHT, Palette
from rankcore.insight.measure_terms import ScoreCurve, Terms

HEIGHT = 260
# The axis is a little longer than the values reach.
PLOT_HEIGHT = (HEIGHT - 54) / 1.1


def terms_figure(
    terms: Terms, labels: Sequence[int], names: Sequence[str], palette: Palette = LIGHT
) -> Picture:
    """Draw what each position adds, in the colours of the labels.

    Parameters
    ----------
    terms : Terms
    labels : sequence of n int
    names : sequence of n str
        What the documents are called.
    palette : Palette
    """
    bars = {
        "type": "bar",
        "x": [f"{i}<br>{escape(name)}" for i, name in enumerate(names, 1)],
        "y": terms.terms,
        "text": [f"{term:.3f}" if term else "0" for term in terms.terms],
        "textposition": "outside",
        "textfont": {"color": palette.secondary},
        "cliponaxis": False,
        "marker": {
            "color": [palette.label(label) for label in labels],
            "line": {"color": palette.secondary, "width": 0.5},
        },
        "hovertemplate": "rank %{x}: %{y:.4f}<extra></extra>",
    }
    figure = layout(palette, "rank and document", "adds", height=220)
    figure["xaxis"]["type"] = "category"
    figure["yaxis"]["range"] = [0, max(float(terms.terms.max()) * 1.2, 0.1)]
    return Picture([bars], figure)


def score_figure(curve: ScoreCurve, palette: Palette = LIGHT) -> Picture:
    """Draw a measure over one document's score: its steps, and smooth ones over them.

    Parameters
    ----------
    curve : ScoreCurve
    palette : Palette
    """
    gap = np.full(len(curve.steps), np.nan)
    stairs: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "x": np.stack([curve.starts, curve.ends, gap], axis=1).ravel(),
        "y": np.stack([curve.steps, curve.steps, gap], axis=1).ravel(),
        "line": {"color": palette.ink, "width": 2.5},
        "hovertemplate": "exact: %{y:.4f}<extra></extra>",
    }
    traces, notes = [stairs], [_end("exact", curve.ends, curve.steps, palette.ink)]
    for (alpha, values), colour in zip(
        curve.smooth.items(), palette.runs, strict=False
    ):
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": curve.scores,
                "y": values,
                "line": {"color": colour, "width": 1.8},
                "hovertemplate": f"α = {alpha:g}: %{{y:.4f}}<extra></extra>",
            }
        )
        ink = palette.readable(colour)
        notes.append(_end(f"α = {alpha:g}", curve.scores, values, ink))
    figure = layout(palette, "score of the document", "", height=HEIGHT)
    figure["margin"] |= {"r": 70}
    figure["annotations"] = spread(notes, PLOT_HEIGHT / (_spread(traces) or 1.0))
    figure["shapes"] = [_upright(curve.at, palette)]
    return Picture(traces, figure)


def _end(name: str, x: np.ndarray, y: np.ndarray, colour: str) -> dict[str, Any]:
    return end_name(f"<b>{name}</b>", x[-1], np.nan_to_num(y[-1]), colour, xshift=6)


def _spread(traces: list[dict[str, Any]]) -> float:
    values = np.concatenate([np.nan_to_num(trace["y"]) for trace in traces[1:]])
    steps = traces[0]["y"][np.isfinite(traces[0]["y"])]
    everything = np.concatenate([values, steps])
    return float(np.ptp(everything)) if everything.size else 0.0


def _upright(at: float, palette: Palette) -> dict[str, Any]:
    line = {"color": palette.secondary, "width": 1, "dash": "dot"}
    ends = {"x0": at, "x1": at, "y0": 0, "y1": 1}
    return {"type": "line", "xref": "x", "yref": "paper", **ends, "line": line}
