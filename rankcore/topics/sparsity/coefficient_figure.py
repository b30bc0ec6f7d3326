"""Pictures of one coefficient in training: the pulls on it, and on all others."""

from html import escape
from textwrap import wrap
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import rounded
from rankcore.plot import style as draw
from rankcore.plot.numbers import significant
from rankcore.plot.palette import LIGHT, Palette, faded
from rankcore.plot.style import Picture
from rankcore.topics.sparsity.coefficient import CoefficientRun

HEIGHT = 380
# Largest number of coefficients drawn below the pull; the largest ones are chosen.
MOST_COEFFICIENTS = 200
# Shares of the height: the pull above, coefficients below.
_ABOVE, _BELOW = (0.42, 1.0), (0.0, 0.34)
_DEAD_ZONE = "dead zone, |pull| ≤ g"


def life_figure(
    run: CoefficientRun, at: int, j: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the pull of the data on a coefficient at each iteration, and below it the
    coefficient among the largest others.

    Parameters
    ----------
    at : int
        The iteration looked at.
    j : int
        The feature.
    colour : str
        Colour of the algorithm.
    """
    number, pull, coef = np.arange(run.last + 1), run.pulls[:, j], run.coef[:, j]
    hover = "iteration %{x}: %{y:.3g}"
    bold = {"mode": "lines+markers", "marker": _large_mark_at(number, at, colour)}
    traces = [
        draw.lines(number, _clipped(run, pull), colour, 2, hover, name="pull") | bold,
        _others(run, palette),
        draw.lines(number, coef, colour, 2.5, hover, name="coefficient", yaxis="y2")
        | bold,
    ]
    figure = draw.layout(palette, "iteration", "", HEIGHT) | {"transition": draw.GLIDE}
    titles = ("pull of the data", "coefficient β")
    draw.stacked_axes(figure, titles, (_ABOVE, _BELOW), palette)
    figure["xaxis"] |= {"range": draw.padded_range(0.03, number)}
    figure["yaxis"] |= {"range": _range(run)}
    # Coefficients differ in size, so the axis below fits the selected one.
    figure["yaxis2"] |= {"range": draw.padded_range(0.15, coef, [0.0]), "nticks": 4}
    figure["shapes"] = [
        *_dead_zone(run, palette),
        draw.vline(at, palette.secondary),
        draw.hline(0.0, palette.ink, 1, "solid") | {"yref": "y2"},
    ]
    zone = draw.note(
        f"<b>{_DEAD_ZONE}</b>", 1.0, -run.g, palette.secondary, 11,
        xref="paper", xanchor="right", yanchor="bottom", yshift=2,
    )  # fmt: skip
    arrows = _arrows(run, at, j, colour, palette)
    figure["annotations"] = [zone, *arrows] if run.g else arrows
    words = (
        f"The pull on the coefficient of {run.names[j]} goes from "
        f"{significant(pull[0])} to {significant(pull[-1])} in {run.last} iterations, "
        f"the coefficient from {significant(coef[0])} to {significant(coef[-1])}; "
        f"at iteration {at} it is {significant(coef[at])}."
    )
    if len(run.names) > MOST_COEFFICIENTS:
        words += (
            f" Of {len(run.names)} coefficients, the {MOST_COEFFICIENTS} largest "
            "during the run are drawn below it."
        )
    table = {"iteration": number, "pull of the data": pull, "coefficient": coef}
    return Picture(traces, figure, words, table)


def pulls_figure(
    run: CoefficientRun, at: int, j: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the pull of the data on every coefficient after an iteration; parameters as
    of `life_figure`."""
    place, pull = np.arange(len(run.names)), run.pulls[at, run.order]
    active = run.coef[at, run.order] != 0.0
    clipped, inside = _clipped(run, pull), np.abs(pull) <= run.g
    names = [escape(run.names[each]) for each in run.order]
    hover = "%{customdata[0]}: pull %{customdata[1]:.3g}, β = %{customdata[2]:.3g}"
    rows = list(zip(names, pull, run.coef[at, run.order], strict=True))
    chosen = int(np.flatnonzero(run.order == j)[0])
    ring = {"symbol": "circle-open", "size": 17, "color": palette.ink}
    traces = [
        draw.lines(
            draw.joined(place, place), draw.joined(np.zeros(len(place)), clipped),
            faded(palette.secondary, 0.5), 1, name="stems",
        ),
        draw.marks(
            place, clipped, _dots(run, pull, active, colour, palette), hover,
            name="features", customdata=rows,
        ),
        draw.marks(
            [chosen], [clipped[chosen]], ring | {"line": {"width": 2}}, name="chosen"
        ),
    ]  # fmt: skip
    figure = draw.layout(palette, "features, by their pull at the end", "", HEIGHT)
    figure |= {"hovermode": "closest", "transition": draw.GLIDE}
    across = {"range": draw.padded_range(0.04, place), "showticklabels": False}
    figure["xaxis"] |= across
    figure["yaxis"] |= {"range": _range(run)}
    figure["shapes"] = _dead_zone(run, palette)
    # Pulls rise from left to right, so two corners are free.
    rises = clipped[chosen] >= 0.0
    side, end = ("left", place[0]) if rises else ("right", place[-1])
    name = draw.note(
        f"<b>{_in_corner(run.names[j])}</b>",
        chosen, clipped[chosen], palette.ink, 11, align=side,
        xanchor=side, yanchor="top" if rises else "bottom",
    )  # fmt: skip
    figure["annotations"] = [
        name | {
            "showarrow": True, "arrowhead": 0, "arrowwidth": 1, "standoff": 9,
            "arrowcolor": palette.secondary, "axref": "x", "ayref": "y",
            "ax": float(end), "ay": (1.0 if rises else -1.0) * run.limit,
        }
    ]  # fmt: skip
    words = (
        f"Features in use after iteration {at}: {run.features_in_use(at)} of "
        f"{len(run.names)}. Pulls of at most g = {rounded(run.g)} in size: "
        f"{int(inside.sum())}, {int((inside & ~active).sum())} of them on coefficients "
        "that are zero."
    )
    return Picture(traces, figure, words, lambda: run.table(at))


def _dots(
    run: CoefficientRun, pull: Floats, active: Any, colour: str, palette: Palette
) -> dict[str, Any]:
    """Return the marks of the features: filled if in use, pointed beyond the axis."""
    beyond = np.where(pull > 0.0, "triangle-up", "triangle-down")
    fill = np.where(active, colour, palette.background).tolist()
    edge = np.where(active, colour, palette.secondary).tolist()
    return draw.outlined(
        np.where(active, 9, 7),
        fill,
        edge,
        1.5,
        opacity=1,
        symbol=np.where(np.abs(pull) > run.limit, beyond, "circle").tolist(),
    )


def _in_corner(name: str) -> str:
    """Return a name as HTML in short lines; names without spaces are also broken."""
    return "<br>".join(map(escape, wrap(draw.shortened(name, 60), 18)))


def _clipped(run: CoefficientRun, pull: Floats) -> Floats:
    return np.clip(pull, -run.limit, run.limit)


def _range(run: CoefficientRun) -> list[float]:
    return [-1.08 * run.limit, 1.08 * run.limit]


def _large_mark_at(number: Integers, at: int, colour: str) -> dict[str, Any]:
    size = np.where(number == at, 11, 2)
    return {"color": colour, "opacity": 1, "size": size, "line": {"width": 0}}


def _others(run: CoefficientRun, palette: Palette) -> dict[str, Any]:
    """Return the largest coefficients as one faint trace, with a gap after each."""
    sizes = np.abs(run.coef).max(axis=0)
    largest = np.argsort(-sizes, kind="stable")[:MOST_COEFFICIENTS]
    gap = np.full((1, len(largest)), np.nan)
    number = np.append(np.arange(run.last + 1.0), np.nan)
    heights = np.concatenate([run.coef[:, largest], gap]).T.ravel().astype(np.float32)
    faint = faded(palette.secondary, 0.3)
    x = np.tile(number, len(largest)).astype(np.float32)
    return draw.lines(x, heights, faint, 1, name="others", yaxis="y2")


def _dead_zone(run: CoefficientRun, palette: Palette) -> list[dict[str, Any]]:
    """Return the band in which a pull does not move a coefficient from zero."""
    band = draw.hband(-run.g, run.g, faded(palette.primary, 0.14))
    return [band, draw.hline(0.0, palette.secondary, 1, "solid")]


def _arrows(
    run: CoefficientRun, at: int, j: int, colour: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return the pull of the data as an arrow from 0, and the penalty's pull from its
    tip."""
    pull = float(_clipped(run, run.pulls[at, [j]])[0])
    shift = 0.014 * run.last
    ends = [(0.0, pull, colour), (pull, pull + run.shrinkage(at, j), palette.primary)]
    return [
        {
            "x": at + place, "y": end, "ax": at + place, "ay": begin, "text": "",
            "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "showarrow": True,
            "arrowhead": 2, "arrowsize": 0.7, "arrowwidth": 3, "arrowcolor": hue,
        }
        for (begin, end, hue), place in zip(ends, (-shift, shift), strict=True)
        if abs(end - begin) > 0.01 * run.limit
    ]  # fmt: skip
