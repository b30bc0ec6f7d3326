"""Pictures of cutting planes: rounds, and the planes below the objective."""

from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted
from rankcore.plot import style as draw
from rankcore.plot.palette import LIGHT, Palette, faded, mix
from rankcore.plot.style import Picture
from rankcore.topics.margins.order_figure import colour_key
from rankcore.topics.margins.rounds import Planes, Rounds
from rankcore.topics.margins.training_figure import line

HEIGHT = 460
PLANES_HEIGHT = 250
SHOWN_PLANES = 6
DOMAINS = ([0.62, 1.0], [0.34, 0.56], [0.17, 0.28], [0.0, 0.11])


def rounds_figure(
    rounds: Rounds, colour: str, chosen: int | None = None, palette: Palette = LIGHT
) -> Picture:
    """Draw bounds, gap, constraints and norm of w against the rounds.

    Parameters
    ----------
    rounds : Rounds
        At least one round.
    colour : str
        Colour of the algorithm.
    chosen : int, optional
        The selected round.
    """
    allowed, floor = max(rounds.allowed, 1e-12), rounds.allowed / 30.0
    decades = draw.padded_range(
        0.1,
        *(np.log10(np.maximum(of, floor)) for of in (rounds.gap, rounds.violation)),
        np.log10(allowed),
    )
    figure = _four_axes(len(rounds.primal), palette)
    figure["yaxis2"]["range"] = decades
    figure["annotations"] = _names_at_ends(rounds, figure, colour, palette)
    figure["shapes"] = [draw.hline(allowed, palette.secondary) | {"yref": "y2"}]
    if chosen is not None:
        figure["shapes"].append(draw.vline(float(chosen), palette.primary))
    alt = (
        f"After {counted(len(rounds.primal) - 1, 'rounds')} the gap is "
        f"{rounds.gap[-1]:.3g} and ‖w‖ is {rounds.norm[-1]:.3g}, with "
        f"{rounds.constraints[-1]} constraints."
    )
    table = {
        "round": np.arange(len(rounds.primal)),
        "objective": rounds.primal,
        "lower bound": rounds.dual,
        "gap": rounds.gap,
        "violation": rounds.violation,
        "constraints": rounds.constraints,
        "norm of w": rounds.norm,
    }
    return Picture(_curves(rounds, floor, colour, palette), figure, alt, table)


def _curves(
    rounds: Rounds, floor: float, colour: str, palette: Palette
) -> list[dict[str, Any]]:
    x, grey = np.arange(len(rounds.primal), dtype=np.float64), palette.secondary
    return [
        line(x, rounds.best, colour, "best objective so far"),
        line(x, rounds.dual, grey, "proved: not below")
        | {"fill": "tonexty", "fillcolor": faded(colour, 0.15)},
        line(x, rounds.primal, colour, "objective")
        | {"mode": "markers", "marker": {"size": 6, "color": colour}},
        _log_line(x, rounds.gap, floor, colour, "gap", "y2"),
        _log_line(x, rounds.violation, floor, palette.ink, "violation", "y2"),
        line(x, rounds.norm, palette.ink, "‖w‖", "y3"),
        line(x, rounds.constraints.astype(np.float64), grey, "constraints", "y4"),
    ]


def _four_axes(n_rounds: int, palette: Palette) -> dict[str, Any]:
    """Return a layout of four stacked axes over the rounds."""
    figure = draw.layout(palette, "round", "", HEIGHT)
    figure["margin"] |= {"r": 96, "l": 60}
    figure["xaxis"] |= {"range": [-0.3, max(n_rounds - 0.7, 1.0)]}
    titles = ("objective", "gap, log", "‖w‖", "constraints")
    draw.stacked_axes(figure, titles, DOMAINS, palette)
    figure["yaxis2"] |= {"type": "log", "nticks": 4, "tickformat": "~g"}
    for name in ("yaxis3", "yaxis4"):
        figure[name] |= {"nticks": 3, "rangemode": "tozero"}
    return figure


def _names_at_ends(
    rounds: Rounds, figure: dict[str, Any], colour: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return the names of the two upper axes' lines, for a layout with its ranges."""
    grey, decades = palette.secondary, figure["yaxis2"]["range"]
    allowed, floor = max(rounds.allowed, 1e-12), rounds.allowed / 30.0
    bounds = {
        "objective": (rounds.best[-1], colour),
        "lower bound": (rounds.dual[-1], grey),
    }
    logs = {
        "gap": (np.log10(max(rounds.gap[-1], floor)), colour),
        "violation": (np.log10(max(rounds.violation[-1], floor)), palette.ink),
        "tolerance": (np.log10(allowed), grey),
    }
    length = draw.span(rounds.best, rounds.dual, rounds.primal)
    plot = HEIGHT - figure["margin"]["t"] - figure["margin"]["b"]
    upper_pixels, lower_pixels = (
        plot * (high - low) / size
        for (low, high), size in zip(DOMAINS, (length, np.ptp(decades)), strict=False)
    )
    last = float(len(rounds.primal) - 1)
    return [
        *draw.end_names(bounds, palette, upper_pixels, last, xref="x"),
        *draw.end_names(logs, palette, lower_pixels, last, xref="x", yref="y2"),
    ]


def planes_figure(
    planes: Planes, upto: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the objective on a line, and the lower bounds of the planes so far.

    Parameters
    ----------
    upto : int
        The last round whose planes are included.
    colour : str
        Colour of the algorithm.
    """
    upto = min(upto, len(planes.models) - 1)
    before = np.unique(np.linspace(0, upto, SHOWN_PLANES).astype(int))[:-1]
    traces = [
        line(planes.scale, planes.models[r], palette.line, f"after round {r}")
        | {"line": {"color": mix(colour, palette.background, 0.7), "width": 1.2}}
        for r in before.tolist()
    ]
    traces += [
        line(planes.scale, planes.objective, palette.ink, "objective"),
        line(planes.scale, planes.models[upto], colour, f"after round {upto}"),
    ]
    figure = draw.layout(
        palette, "multiple of the final coefficients", "objective", PLANES_HEIGHT
    )
    figure["margin"] |= {"t": 30}
    top = float(planes.objective.max()) * 1.05
    figure["xaxis"] |= {"range": [0.0, float(planes.scale[-1])]}
    figure["yaxis"] |= {"range": [0.0, top or 1.0]}
    figure["shapes"] = [draw.vline(1.0, palette.primary)]
    figure["annotations"] = [
        colour_key(
            {"objective": palette.ink, f"planes of rounds 0–{upto}": colour}, palette
        )
    ]
    alt = (
        f"The planes of rounds 0 to {upto} are nowhere above the objective and at most "
        f"{planes.distance(upto):.3g} below it."
    )
    table = {
        "multiple of the final coefficients": planes.scale,
        "objective": planes.objective,
        "planes": planes.after(upto),
    }
    return Picture(traces, figure, alt, table)


def _log_line(
    x: Floats, y: Floats, floor: float, colour: str, name: str, yaxis: str
) -> dict[str, Any]:
    """Return a line on a log axis, with zeros as hollow marks at its bottom."""
    positive = y > floor
    return line(x, np.maximum(y, floor or 1e-12), colour, name, yaxis) | {
        "mode": "lines+markers",
        "marker": draw.outlined(
            6, np.where(positive, colour, "rgba(0,0,0,0)").tolist(), colour, 1.5
        ),
        "customdata": y,
        "hovertemplate": f"{name}: %{{customdata:.3~r}}<extra></extra>",
    }
