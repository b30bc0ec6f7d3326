"""Pictures of structured training: health over C, and the mismatch matrix."""

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcore.base.numbers import RANKS_NOTHING
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import (
    Picture,
    cells,
    end_names,
    layout,
    lines,
    stacked_axes,
    vline,
)
from rankcore.topics.margins.training import Health, Mismatch

Floats = NDArray[np.float64]

HEALTH_HEIGHT = 460
# A model that reaches no more of the best one's measure has the palest colour.
LOWEST_SHARE = 0.85
HEALTH_DOMAINS = ([0.7, 1.0], [0.49, 0.64], [0.28, 0.43], [0.0, 0.22])


def health_figure(
    health: Health,
    measure: str,
    colour: str,
    at: float | None = None,
    palette: Palette = LIGHT,
) -> Picture:
    """Draw the objective against w = 0, its reduction, ‖w‖ and a measure over C.

    Objectives are divided by the sum of C, so that w = 0 has nearly one height.

    Parameters
    ----------
    health : Health
        At least one C; those of 0 are left out, for the axis is logarithmic.
    measure : str
        Name of the measure.
    colour : str
        Of the algorithm.
    at : float, optional
        The C that is chosen now.
    palette : Palette
    """
    some = health.C > 0.0
    C, grey = health.C[some], palette.secondary
    useless, objective = health.useless[some] / C, health.objective[some] / C
    gain, norm, values = health.gain[some], health.norm[some], health.values[some]
    traces = [
        _points(C, useless, grey, "no model (w = 0)", "y"),
        _points(C, objective, colour, "objective", "y"),
        _points(C, gain, colour, "reduction", "y2", "%{y:.1%}"),
        _points(C, norm, palette.ink, "‖w‖", "y3"),
        _points(C, values, palette.primary, measure, "y4"),
    ]
    traces[1] |= {"fill": "tonexty", "fillcolor": faded(colour, 0.15)}
    drawn = layout(palette, "sum of all C", "", height=HEALTH_HEIGHT)
    drawn["margin"] |= {"r": 96, "l": 60}
    drawn["xaxis"] |= {"type": "log", "exponentformat": "none"}
    titles = ("objective / C", "reduction", "‖w‖", escape(measure))
    stacked_axes(drawn, titles, HEALTH_DOMAINS, palette)
    drawn["yaxis"] |= {"rangemode": "tozero", "nticks": 4}
    drawn["yaxis2"] |= {"range": [0, 1.04], "tickformat": ".0%", "nticks": 4}
    drawn["yaxis3"] |= {"rangemode": "tozero", "nticks": 4}
    drawn["yaxis4"] |= {"nticks": 4}
    if len(C):
        ends = {"w = 0": (useless[-1], grey), "objective": (objective[-1], colour)}
        pixels = HEALTH_HEIGHT * 0.3 / (float(useless.max()) or 1.0)
        last = float(np.log10(C[-1]))
        drawn["annotations"] = end_names(ends, palette, pixels, last, xref="x")
    if at:
        drawn["shapes"] = [vline(float(at), palette.primary)]
    alt = (
        f"From C = {health.C[0]:.3g} to {health.C[-1]:.3g} training reduces the "
        f"objective at w = 0 by {health.gain[0]:.0%} to {health.gain[-1]:.0%}, and ‖w‖ "
        f"grows from {health.norm[0]:.2g} to {health.norm[-1]:.2g}."
    )
    table = {
        "C": health.C,
        "objective": health.objective,
        "at w = 0": health.useless,
        "reduction": health.gain,
        "norm of w": health.norm,
        "rounds": health.rounds,
        measure: health.values,
    }
    return Picture(traces, drawn, alt, table)


def matrix_figure(
    mismatch: Mismatch,
    aimed: NDArray[np.bool_],
    palette: Palette = LIGHT,
    height: int = 0,
) -> Picture:
    """Draw the matrix "trained for" by "tested by", each column over its best.

    Parameters
    ----------
    mismatch : Mismatch
    aimed : (m, k) bool
        Which measures each model was trained for; these cells have a frame.
    palette : Palette
    height : int
        In pixels, at least.
    """
    best = mismatch.values.max(axis=0)
    share = mismatch.values / np.where(best > 0.0, best, 1.0)
    matrix = cells(
        share.astype(np.float32),
        (LOWEST_SHARE, 1.0),
        palette.relevance,
        palette,
        _cell_texts(mismatch),
        textfont={"size": 13},
        xgap=3,
        ygap=3,
        hovertemplate="%{z:.1%} of the best in this column<extra></extra>",
    )
    winners = [
        f"{measure}: {_listed(mismatch, j)}"
        for j, measure in enumerate(mismatch.tested)
    ]
    table: dict[str, Any] = {"trained": list(mismatch.trained)}
    for j, name in enumerate(mismatch.tested):
        table |= {name: mismatch.values[:, j], f"± {name}": mismatch.errors[:, j]}
    drawn = _matrix_layout(mismatch, height, palette)
    drawn["shapes"] = [
        {
            "type": "rect",
            "x0": j - 0.46,
            "x1": j + 0.46,
            "y0": i - 0.44,
            "y1": i + 0.44,
            "line": {"color": palette.runs[1], "width": 2.5},
        }
        for i, j in np.argwhere(aimed).tolist()
    ]
    return Picture([matrix], drawn, f"Best by {', by '.join(winners)}.", table)


def _matrix_layout(mismatch: Mismatch, height: int, palette: Palette) -> dict[str, Any]:
    m, k = mismatch.values.shape
    drawn = layout(palette, "tested by", "trained", height=max(90 + 46 * m, height))
    drawn["margin"] |= {"t": 44, "b": 10, "l": 106}
    drawn["xaxis"] |= {
        "side": "top",
        "tickvals": list(range(k)),
        "ticktext": [f"<b>{escape(name)}</b>" for name in mismatch.tested],
        "ticks": "",
        "range": [-0.5, k - 0.5],
    }
    drawn["yaxis"] |= {
        "tickvals": list(range(m)),
        "ticktext": [escape(name) for name in mismatch.trained],
        "range": [m - 0.5, -0.5],
        "showgrid": False,
        "ticks": "",
        "nticks": m,
    }
    return drawn


def _cell_texts(mismatch: Mismatch) -> list[list[str]]:
    """Return the values with their errors, those tied with a column's best in bold."""
    return [
        [
            RANKS_NOTHING.replace(" ", "<br>")
            if any(mismatch.even[i : i + 1])
            else _cell(value, error, bold=bool(mismatch.ties[i, j]))
            for j, (value, error) in enumerate(zip(row, errors, strict=True))
        ]
        for i, (row, errors) in enumerate(
            zip(mismatch.values, mismatch.errors, strict=True)
        )
    ]


def _listed(mismatch: Mismatch, j: int) -> str:
    """Return the best model by a measure, and how many are tied with it."""
    others = int(mismatch.ties[:, j].sum()) - 1
    name = mismatch.trained[mismatch.best[j]]
    return f"{name}, tied with {others} others" if others > 0 else name


def _cell(value: float, error: float, bold: bool) -> str:
    number = f"<b>{value:.3f}</b>" if bold else f"{value:.3f}"
    return number if np.isnan(error) else f"{number}<br>±{error:.3f}"


def line(
    x: Floats, y: Floats, colour: str, name: str, yaxis: str = "y"
) -> dict[str, Any]:
    """Return a line whose hover text has its name and value."""
    return lines(x, y, colour, hover=f"{name}: %{{y:.3~r}}", yaxis=yaxis)


def _points(
    x: Floats, y: Floats, colour: str, name: str, yaxis: str, shown: str = "%{y:.3~r}"
) -> dict[str, Any]:
    return line(x, y, colour, name, yaxis) | {
        "mode": "lines+markers",
        "cliponaxis": False,
        "marker": {"size": 8, "color": colour},
        "hovertemplate": f"C = %{{x:.3~r}}, {escape(name)}: {shown}<extra></extra>",
    }
