"""Pictures of several paths together, and of a path's duality gaps."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankcore.plot import style as draw
from rankcore.plot.palette import MARKERS, Palette, lightness_steps
from rankcore.plot.style import Picture
from rankcore.topics.sparsity.paths import Certificate, SparsityCurves
from rankcore.topics.sparsity.trade_off_figure import Look, positions

HEIGHT = 400
GAP_HEIGHT = 230
# Approximate number of ticks of the axis of the duality gap.
TICKS = 7
# Sizes of marks of points, and of highlighted points.
SMALL, LARGE = 5, 15


def rules_figure(
    curves: Mapping[str, SparsityCurves],
    part: str,
    measure: str,
    look: Look,
    marked: Mapping[str, int] | None = None,
) -> Picture:
    """Draw a measure and, below, the features in use along several paths.

    Parameters
    ----------
    curves : dict of str to SparsityCurves
        Curves by the setting in which the paths differ; at most four.
    part : {"train", "valid", "test"}
        The split to draw.
    look : Look
        Appearance; each path has its own lightness.
    marked : dict of str to int, optional
        A highlighted point of each path.
    """
    traces: list[dict[str, Any]] = []
    ticks: dict[str, Any] = {}
    symbol, palette = look.symbol, look.palette
    steps = lightness_steps(look.colour, len(curves), palette)
    for (name, path), shade, marker in zip(
        curves.items(), steps, MARKERS, strict=False
    ):
        x, places = positions(path.values, look.log)
        # A path still under way has fewer ticks.
        ticks = max(ticks, places, key=lambda each: len(each.get("tickvals", ())))
        shared: dict[str, Any] = {
            "name": name,
            "mode": "lines+markers",
            "customdata": path.values,
            "marker": _marker(len(x), (marked or {}).get(name), marker, shade),
        }
        hover = f"{name}, {symbol} = %{{customdata:.3~r}}<br>"
        upper, below = f"{hover}{measure}: %{{y:.3f}}", f"{hover}%{{y:g}} features"
        stairs = {"color": shade, "width": 2, "shape": "hv"}
        traces += [
            draw.lines(x, path.measured[part], shade, hover=upper, **shared),
            draw.lines(
                x, path.nonzeros, shade, hover=below, yaxis="y2", **shared, line=stairs
            ),
        ]
    figure = draw.layout(palette, symbol, measure, HEIGHT)
    figure["margin"]["r"] = 156
    figure["hovermode"] = "closest"
    figure["xaxis"] |= ticks | {"anchor": "y2"}
    figure["yaxis"] |= {"domain": [0.5, 1.0], "tickformat": ".3f"}
    figure["yaxis2"] = draw.axis(palette, "features") | {
        "domain": [0.0, 0.44],
        "rangemode": "tozero",
    }
    figure["annotations"] = _ends(traces[::2], 0.5, palette) + _ends(
        traces[1::2], 0.44, palette
    )
    return Picture(traces, figure)


def gap_figure(
    certificate: Certificate, look: Look, tolerance: float | None = None
) -> Picture:
    """Draw the duality gap of each model, with the gap at which training may stop.

    Parameters
    ----------
    tolerance : float, optional
        The gap at which training may stop, drawn as a thin line.
    """
    colour, palette = look.colour, look.palette
    x, ticks = positions(certificate.values, look.log)
    # On the logarithmic axis, a gap of zero is drawn at the objective's rounding error.
    gaps = np.maximum(certificate.gaps, 1e-16)
    over = gaps > (np.inf if tolerance is None else tolerance)
    dots = draw.lines(
        x,
        gaps,
        colour,
        1.5,
        f"{look.symbol} = %{{customdata[0]:.3~r}}: at most %{{y:.2g}} above the "
        "minimum<br>objective %{customdata[1]:.3~r}",
        mode="lines+markers",
        customdata=np.stack([certificate.values, certificate.objectives], axis=1),
        marker=draw.outlined(
            8, np.where(over, palette.background, colour).tolist(), colour, 2
        ),
    )
    figure = draw.layout(palette, look.symbol, "duality gap", height=GAP_HEIGHT)
    figure["margin"]["r"] = 84
    figure["hovermode"] = "closest"
    figure["xaxis"] |= ticks
    decades = np.ptp(np.log10(gaps))
    powers = {"exponentformat": "power", "dtick": max(1, math.ceil(decades / TICKS))}
    figure["yaxis"] |= {"type": "log"} | powers
    figure["shapes"], figure["annotations"] = [], []
    if tolerance is not None:
        figure["shapes"].append(draw.hline(tolerance, palette.secondary))
        height, grey = np.log10(tolerance), palette.secondary
        figure["annotations"].append(
            draw.end_name("tolerance", 1, height, grey, 11, xref="paper")
        )
    figure["shapes"] += look.selected(x)
    return Picture([dots], figure)


def _marker(
    points: int, marked: int | None, symbol: str, colour: str
) -> dict[str, Any]:
    """Return small marks, and a large hollow one."""
    large = [i == marked for i in range(points)]
    return draw.outlined(
        [LARGE if each else SMALL for each in large],
        colour,
        colour,
        1.5,
        symbol=[f"{symbol}-open" if each else symbol for each in large],
        opacity=1,
    )


def _ends(
    traces: list[dict[str, Any]], share: float, palette: Palette
) -> list[dict[str, Any]]:
    """Return the paths' names beside the ends of their lines."""
    ends = {t["name"]: (t["y"][-1], t["line"]["color"]) for t in traces}
    pixels = HEIGHT * share * 0.8 / draw.span(*(trace["y"] for trace in traces))
    yref = traces[0].get("yaxis", "y") if traces else "y"
    return draw.end_names(ends, palette, pixels, size=11, yref=yref)
