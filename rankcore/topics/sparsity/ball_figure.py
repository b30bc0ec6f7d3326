"""Pictures of FenchelRank on two features: steps to corners, and the duality gap."""

from html import escape
from typing import Any

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import counted
from rankcore.mathematics.products import norm
from rankcore.plot import style as draw
from rankcore.plot.numbers import significant
from rankcore.plot.palette import LIGHT, Palette, faded, mix
from rankcore.plot.style import Picture
from rankcore.topics.sparsity.ball import MEASURE, BallRun

HEIGHT = 400
# Length of the steepest-descent arrow, as a share of the radius.
_ARROW = 0.3
# Number of contours from the smallest loss to the largest, at equal ratios.
_CONTOURS = 24
# Shares of the height: objectives above, the measure below.
_ABOVE, _BELOW = (0.38, 1.0), (0.0, 0.26)


def ball_figure(
    run: BallRun, at: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the ball over contours of the loss, with the steps so far and the next one.

    Parameters
    ----------
    at : int
        The selected iteration.
    colour : str
        Colour of the algorithm.
    """
    traces = [
        _contours(run, palette),
        _outside(run, palette),
        _border(run, palette),
        _minimum(run, palette),
        *_next(run, at, palette),
        *_steps(run, at, colour, palette),
    ]
    first, second = map(escape, run.names)
    figure = draw.layout(palette, first, second, HEIGHT)
    figure["margin"] |= {"l": 54, "t": 6, "b": 46}
    ends = [float(run.axis[0]), float(run.axis[-1])]
    for name in ("xaxis", "yaxis"):
        figure[name] |= {"range": ends, "constrain": "domain", "showgrid": False}
    figure["yaxis"] |= {"scaleanchor": "x"}
    figure |= {"hovermode": "closest", "transition": draw.GLIDE}
    figure["annotations"] = [
        _minimum_name(run, at, palette),
        *_next_names(run, at, palette),
    ]
    return Picture(traces, figure, _in_words(run, at), run.table)


def progress_figure(
    run: BallRun, at: int, colour: str, palette: Palette = LIGHT
) -> Picture:
    """Draw the loss and its lower bound against the iteration, and validation below;
    parameters as of `ball_figure`."""
    number = np.arange(len(run.points))
    traces = [
        draw.area_between(number, run.bound, run.primal, colour),
        draw.lines(
            number, run.bound, palette.secondary, 2, _hover("bound"), name="bound"
        ),
        draw.marks(
            number,
            run.dual,
            {"size": 5, "color": palette.secondary},
            _hover("dual"),
            name="dual",
        ),
        _curve(number, run.primal, at, colour, "primal"),
        draw.lines(
            [at, at], [run.dual[at], run.primal[at]], palette.ink, 2, name="gap"
        ),
        _curve(number, run.validation, at, colour, "validation")
        | {"yaxis": "y2", "line": {"color": colour, "width": 2, "dash": "dash"}},
        _ring([run.best], [run.validation[run.best]], palette) | {"yaxis": "y2"},
    ]
    figure = draw.layout(palette, "iteration", "", HEIGHT) | {"transition": draw.GLIDE}
    figure["margin"] |= {"r": 62}
    titles = ("objective", f"validation<br>{MEASURE}")
    draw.stacked_axes(figure, titles, (_ABOVE, _BELOW), palette)
    low, high = _window(run)
    figure["xaxis"] |= {"range": draw.padded_range(0.03, number)}
    figure["yaxis"] |= {"range": [low, high]}
    figure["yaxis2"] |= {"range": draw.padded_range(0.2, run.validation), "nticks": 4}
    figure["shapes"] = [draw.vline(at, palette.primary)]
    pixels = (_ABOVE[1] - _ABOVE[0]) * (HEIGHT - 68) / (high - low)
    ends = {
        "primal": (float(run.primal[-1]), colour),
        "dual": (max(float(run.bound[-1]), low), palette.secondary),
    }
    figure["annotations"] = [
        *draw.end_names(ends, palette, pixels, within=(low, high)),
        _gap_name(run, at, palette),
        _best_name(run, palette),
    ]
    return Picture(traces, figure, _progress_in_words(run), run.table)


def _contours(run: BallRun, palette: Palette) -> dict[str, Any]:
    """Return the loss as bands at equal ratios, the lowest in the strongest tint."""
    heights = np.log(np.maximum(run.loss, 1e-6))
    low, high = float(heights.min()), float(heights.max())
    tints = [mix(palette.background, palette.primary, part) for part in (0.4, 0.12, 0)]
    return {
        "type": "contour",
        "name": "loss",
        "x": run.axis,
        "y": run.axis,
        "z": heights.astype(np.float32),
        "colorscale": [[0.0, tints[0]], [0.5, tints[1]], [1.0, tints[2]]],
        "contours": {"start": low, "end": high, "size": (high - low) / _CONTOURS},
        "line": {"color": faded(palette.primary, 0.35), "width": 0.8},
        "showscale": False,
        "hoverinfo": "skip",
    }


def _outside(run: BallRun, palette: Palette) -> dict[str, Any]:
    """Return a veil over everything outside the ball."""
    r, far = run.radius, float(run.axis[-1])
    ring = [
        (0, -far), (far, -far), (far, far), (-far, far), (-far, -far), (0, -far),
        (0, -r), (-r, 0), (0, r), (r, 0), (0, -r), (0, -far),
    ]  # fmt: skip
    x, y = zip(*ring, strict=True)
    veil = draw.lines(x, y, palette.background, 0, name="outside")
    return veil | {"fill": "toself", "fillcolor": faded(palette.background, 0.62)}


def _border(run: BallRun, palette: Palette) -> dict[str, Any]:
    """Return the border of the ball, with marks at its corners."""
    r = run.radius
    square = {"symbol": "square", "size": 8, "color": palette.ink}
    return draw.lines(
        [r, 0, -r, 0, r],
        [0, r, 0, -r, 0],
        palette.ink,
        2,
        "corner (%{x:.3g}, %{y:.3g}): one feature",
        name="ball",
        mode="lines+markers",
        marker=square,
    )


def _minimum(run: BallRun, palette: Palette) -> dict[str, Any]:
    x, y = run.minimum
    star = draw.outlined(15, palette.background, palette.ink, 1.5, symbol="star")
    return draw.marks([x], [y], star, "minimum (%{x:.3g}, %{y:.3g})", name="minimum")


def _next(run: BallRun, at: int, palette: Palette) -> list[dict[str, Any]]:
    """Return the next step's segment, and where the line search stops."""
    if at >= run.last:
        return []
    (x, y), (far_x, far_y) = run.points[at], run.targets[at]
    next_x, next_y = run.points[at + 1]
    ring = draw.outlined(11, palette.background, palette.runs[1], 2, symbol="circle")
    square = {"symbol": "square", "size": 13, "color": palette.runs[1]}
    hover = "the line search stops at (%{x:.3g}, %{y:.3g})"
    return [
        draw.lines(
            [x, far_x], [y, far_y], palette.runs[1], 1.5, line={"dash": "dot"},
            name="way",
        ),
        draw.lines([x, next_x], [y, next_y], palette.runs[1], 3.5, name="next step"),
        draw.marks([far_x], [far_y], square, "end of the segment", name="target"),
        draw.marks([next_x], [next_y], ring, hover, name="next"),
    ]  # fmt: skip


def _steps(
    run: BallRun, at: int, colour: str, palette: Palette
) -> list[dict[str, Any]]:
    """Return the steps so far, the last one larger, and the validated model."""
    x, y = run.points[: at + 1].T
    sizes = np.where(np.arange(at + 1) == at, 14, 6)
    dots = draw.outlined(sizes, colour, palette.background, opacity=1)
    hover = "iteration %{pointNumber}: (%{x:.3g}, %{y:.3g})"
    path = draw.lines(x, y, colour, 2, hover, name="steps", cliponaxis=False)
    traces = [path | {"mode": "lines+markers", "marker": dots}]
    if run.best <= at:
        x, y = run.points[[run.best]].T
        traces.append(_ring(x, y, palette))
    return traces


def _ring(x: Any, y: Any, palette: Palette) -> dict[str, Any]:
    """Return the mark of the model chosen by validation."""
    ring = {"symbol": "circle-open", "size": 20, "color": palette.ink}
    hover = "best on validation"
    return draw.marks(x, y, ring | {"line": {"width": 2}}, hover, name="best")


def _minimum_name(run: BallRun, at: int, palette: Palette) -> dict[str, Any]:
    """Return the name of the minimum, outside the ball: to its right, lower if the
    descent arrow's name is there, or above it near a corner."""
    x, y = run.minimum
    place: dict[str, Any] = {"xanchor": "left", "xshift": 11, "yanchor": "bottom"}
    if at < run.last:
        right, up = (_tip(run, at) - run.minimum) / run.radius
        if -0.45 < right < 1.0 and -0.15 < up < 0.45:
            place["yanchor"] = "top"
    if x >= 0.85 * run.radius:
        place = {"xanchor": "right", "xshift": -9, "yanchor": "bottom", "yshift": 13}
    return draw.note("<b>min</b>", x, y, palette.ink, **place)


def _tip(run: BallRun, at: int) -> Floats:
    """Return the end of the steepest-descent arrow."""
    descent = run.descents[at]
    tip: Floats = run.points[at] + _ARROW * run.radius * descent / norm(descent)
    return tip


def _next_names(run: BallRun, at: int, palette: Palette) -> list[dict[str, Any]]:
    """Return the steepest-descent arrow, and the name of the corner that it selects."""
    if at >= run.last:
        return []
    (x, y), descent, target = run.points[at], run.descents[at], run.targets[at]
    tip = _tip(run, at)
    arrow = {
        "x": float(tip[0]), "y": float(tip[1]), "ax": float(x), "ay": float(y),
        "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1.1, "arrowwidth": 2,
        "arrowcolor": palette.ink,
    }  # fmt: skip
    ahead = descent[0] >= 0.0
    side, shift = ("left", 6) if ahead else ("right", -6)
    names = [
        arrow,
        draw.note(
            "<i>−∇P</i>",
            float(tip[0]),
            float(tip[1]),
            palette.ink,
            13,
            xanchor=side,
            xshift=shift,
            bgcolor=faded(palette.background, 0.8),
        ),
    ]
    if corner := run.corner(target):
        side = {1: "right", -1: "left", 0: "center"}[int(np.sign(target[0]))]
        above = target[1] > 0.0
        names.append(
            draw.note(
                f"<b>{escape(corner)}</b>",
                float(target[0]),
                float(target[1]),
                palette.readable(palette.runs[1]),
                xanchor=side,
                yanchor="bottom" if above else "top",
                yshift=10 if above else -10,
                bgcolor=faded(palette.background, 0.8),
            )
        )
    return names


def _curve(
    number: Integers, values: Floats, at: int, colour: str, name: str
) -> dict[str, Any]:
    """Return a line with one dot per iteration, larger at the selected one."""
    dots = {"color": colour, "size": np.where(number == at, 11, 4)}
    return draw.lines(number, values, colour, hover=_hover(name), name=name) | {
        "mode": "lines+markers",
        "marker": dots,
    }


def _hover(name: str) -> str:
    return f"iteration %{{x}}: {name} %{{y:.3g}}"


def _window(run: BallRun) -> tuple[float, float]:
    """Return the ends of the axis of objectives, without the first lower bounds, which
    can be far below."""
    lowest, highest = float(run.primal.min()), float(run.primal.max())
    room = highest - lowest
    low = max(float(run.dual.min()), lowest - 0.45 * room)
    return low - 0.06 * room, highest + 0.12 * room


def _gap_name(run: BallRun, at: int, palette: Palette) -> dict[str, Any]:
    """Return the name of the gap, above the loss, on the side with room."""
    side = "left" if at <= run.last / 2 else "right"
    text = f"<b>gap {significant(run.gaps[at])}</b>"
    return draw.note(
        text, at, run.primal[at], palette.ink, xanchor=side, yanchor="bottom", yshift=8
    )


def _best_name(run: BallRun, palette: Palette) -> dict[str, Any]:
    """Return the name of the iteration at which validation would stop."""
    side = "left" if run.best <= run.last / 2 else "right"
    shift = 14 if side == "left" else -14
    return draw.note(
        f"best, iteration {run.best}", run.best, run.validation[run.best], palette.ink,
        yref="y2", xanchor=side, xshift=shift, yanchor="top", yshift=-4,
    )  # fmt: skip


def _in_words(run: BallRun, at: int) -> str:
    def place(point: Floats) -> str:
        pairs = zip(run.names, point, strict=True)
        return ", ".join(f"{name} {significant(number)}" for name, number in pairs)

    words = (
        f"On the ℓ₁ ball of radius {significant(run.radius)} the coefficients after "
        f"{counted(at, 'steps')} are {place(run.points[at])}; the minimum is at "
        f"{place(run.minimum)}."
    )
    if at >= run.last:
        return words
    corner = run.corner(run.targets[at])
    way = f"towards the corner {corner}" if corner else "along the ball"
    return f"{words} The next step goes {way}."


def _progress_in_words(run: BallRun) -> str:
    return (
        f"In {counted(run.last, 'steps')} the loss falls from "
        f"{significant(run.primal[0])} to {significant(run.primal[-1])} and its lower "
        f"bound rises to {significant(run.bound[-1])}; the duality gap is then "
        f"{significant(run.gaps[-1])}. Validation {MEASURE} is best at iteration "
        f"{run.best}, {significant(run.validation[run.best])}."
    )
