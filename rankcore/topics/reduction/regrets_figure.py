"""Pictures of regrets: every order in the plane of both, and one order along p."""

from typing import Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.plot import style as draw
from rankcore.plot.numbers import significant
from rankcore.plot.palette import LIGHT, Palette, faded, mix
from rankcore.plot.style import Picture
from rankcore.topics.reduction.regrets import TOLERANCE, Regrets, failing_range

PLANE_HEIGHT = 400
ALONG_HEIGHT = 400
LABELLED = 8


def regret_plane_figure(
    regrets: Regrets, chosen: int, palette: Palette = LIGHT
) -> Picture:
    """Draw each order's regret in NDCG against that in pairs, with the claimed bound.

    Parameters
    ----------
    regrets : Regrets
        For one distribution.
    chosen : int
        Index of the selected candidate.
    """
    x, y, refutes = regrets.loss_regret, regrets.ndcg_regret, regrets.refutes
    furthest = max(float(x.max()), float(y.max()), 0.02) * 1.12
    cyclic = np.array([candidate.cyclic for candidate in regrets.candidates])
    hovers = [
        ("cycle " if candidate.cyclic else "order ") + candidate.name
        for candidate in regrets.candidates
    ]
    points = draw.marks(
        x,
        y,
        draw.outlined(
            np.where(cyclic, 13, 11),
            np.where(refutes, palette.runs[1], palette.secondary).tolist(),
            palette.background,
            symbol=np.where(cyclic, "diamond", "circle").tolist(),
        ),
        hover="%{text}<br>regret in NDCG %{y:.3g}, in pairs %{x:.3g}",
        name="candidates",
        text=hovers,
    )
    ring = draw.marks(
        x[[chosen]],
        y[[chosen]],
        draw.outlined(20, "rgba(0,0,0,0)", palette.primary, 2.5),
        name="chosen",
    )
    figure = draw.layout(
        palette, "regret in pairs", "regret in NDCG", height=PLANE_HEIGHT
    )
    figure["hovermode"] = "closest"
    reach = [-0.035 * furthest, furthest]
    figure["xaxis"] |= {"range": reach, "showgrid": True}
    figure["yaxis"] |= {"range": reach}
    end = (furthest, furthest)
    claimed = draw.segment((0, 0), end, palette.primary, layer="below")
    figure["shapes"] = [claimed, _outside(furthest, palette)]
    figure["annotations"] = [
        _note("Theorem 1: no point above the line", furthest, palette),
        *_names(regrets, furthest, chosen, palette),
    ]
    alt = (
        f"{int(refutes.sum())} of {len(x)} points lie above the line; "
        f"{regrets.candidates[chosen].title} has a regret of {y[chosen]:.3g} in NDCG "
        f"and of {x[chosen]:.3g} in pairs."
    )
    return Picture([ring, points], figure, alt, regrets.table)


def along_figure(
    p: Floats, regrets: Regrets, chosen: int, at: float, palette: Palette = LIGHT
) -> Picture:
    """Draw both regrets of one candidate against p; the point at p can be dragged.

    Parameters
    ----------
    p : (g,) float64
    regrets : Regrets
        For each p.
    at : float
        The selected p.
    """
    ndcg, loss = regrets.ndcg_regret[:, chosen], regrets.loss_regret[:, chosen]
    over = np.where(regrets.refutes[:, chosen], ndcg, loss)
    shade = {"fill": "tonexty", "fillcolor": faded(palette.runs[1], 0.18)}
    traces = [
        draw.lines(p, loss, palette.secondary, 0),
        draw.lines(p, over, palette.secondary, 0, **shade),
    ]
    both = {
        "in NDCG": (ndcg, palette.primary),
        "in pairs": (loss, palette.secondary),
    }
    for name, (values, colour) in both.items():
        hover = f"regret {name} %{{y:.3g}} at p = %{{x:.2f}}"
        traces.append(draw.lines(p, values, colour, hover=hover))
    handle = draw.marks(
        [at],
        [float(np.interp(at, p, ndcg))],
        draw.outlined(15, palette.primary, palette.background, 2),
        hover="drag to change p",
        name="p",
        meta={"drag": "x"},
        cliponaxis=False,
    )
    figure = draw.layout(
        palette, "probability p of the first labels", "regret", height=ALONG_HEIGHT
    )
    figure["margin"] |= {"r": 60}
    figure["xaxis"] |= {"range": [-0.01, 1.01]}
    figure["yaxis"] |= {"rangemode": "tozero"}
    figure["shapes"] = [draw.vline(at, palette.primary, 1)]
    figure["annotations"] = _ends(both, palette)
    fails = failing_range(p, regrets, chosen)
    between = "it fails between p = {:.2f} and {:.2f}"
    where = "it does not fail" if fails is None else between.format(*fails)
    alt = f"Of Theorem 1 for {regrets.candidates[chosen].title}: {where}."
    table = {"p": p, "regret in NDCG": ndcg, "regret in pairs": loss}
    return Picture([*traces, handle], figure, alt, table)


def verdict(regrets: Regrets, at: int) -> tuple[str, str, str]:
    """Return sentences on what is proved, true and false, with the numbers.

    Parameters
    ----------
    regrets : Regrets
        For one distribution.
    at : int
        Index of the selected candidate.

    Returns
    -------
    tuple of 3 str
        In Markdown.
    """
    expected = 1.0 - regrets.ndcg[at], regrets.loss[at]
    lost, loss = map(significant, expected)
    ndcg, pairs = map(significant, (regrets.ndcg_regret[at], regrets.loss_regret[at]))
    proved = (
        "**Proved:** $1 - \\mathrm{NDCG} \\le L$ for every order and any labels, and "
        "so on average over labels. That needs an order: a scoring function with ties "
        "broken."
    )
    true = (
        f"**True:** here $\\mathrm{{E}}[1 - \\mathrm{{NDCG}}] = {lost} \\le "
        f"\\mathrm{{E}}[L] = {loss}$."
    )
    if regrets.candidates[at].cyclic and expected[1] < expected[0] - TOLERANCE:
        true = (
            "**True** of a cycle: nothing. Documents share positions, the weights of "
            f"their pairs vanish, and $L = {loss}$ whatever order follows. The worst "
            f"one loses $1 - \\mathrm{{NDCG}} = {lost}$."
        )
    if regrets.refutes[at]:
        false = (
            "**False:** by Theorem 1 the regret in NDCG is less than that in pairs. "
            f"Here ${ndcg} > {pairs}$."
        ) + (" It is optimal for pairs." if pairs == "0" else "")
    else:
        false = (
            "**False** in general: Theorem 1, regret against regret. Here it holds: "
            f"${ndcg} \\le {pairs}$."
        ) + (" Equality already breaks “less than”." if ndcg == pairs else "")
    return proved, true, false


def _outside(furthest: float, palette: Palette) -> dict[str, Any]:
    """Return the half of the plane that the theorem excludes."""
    return {
        "type": "path",
        "path": f"M 0 0 L {furthest} {furthest} L 0 {furthest} Z",
        "layer": "below",
        "fillcolor": mix(palette.background, palette.runs[1], 0.06),
        "line": {"width": 0},
    }


def _note(text: str, furthest: float, palette: Palette) -> dict[str, Any]:
    ink = palette.readable(palette.primary)
    return draw.end_name(text, 0.0, furthest, ink, yanchor="top", yshift=-4)


def _names(
    regrets: Regrets, furthest: float, chosen: int, palette: Palette
) -> list[dict[str, Any]]:
    """Names beside the points; coinciding points share one."""
    places: dict[tuple[int, int], list[int]] = {}
    for i, (x, y) in enumerate(
        zip(regrets.loss_regret, regrets.ndcg_regret, strict=True)
    ):
        places.setdefault((round(x * 1e6), round(y * 1e6)), []).append(i)
    few = len(regrets.candidates) <= LABELLED
    labels = [who for who in places.values() if few or chosen in who]
    notes = []
    for who in labels:
        text = ", ".join(regrets.candidates[i].name for i in who[:4])
        right = regrets.loss_regret[who[0]] < 0.7 * furthest
        strong = chosen in who
        notes.append(
            draw.note(
                f"<b>{text}</b>" if strong else text,
                regrets.loss_regret[who[0]],
                regrets.ndcg_regret[who[0]],
                palette.ink,
                xanchor="left" if right else "right",
                xshift=14 if right else -14,
            )
        )
    return notes


def _ends(
    both: dict[str, tuple[Floats, str]], palette: Palette
) -> list[dict[str, Any]]:
    most = max(float(values.max()) for values, _ in both.values()) or 1.0
    ends = {name: (values[-1], colour) for name, (values, colour) in both.items()}
    pixels = (ALONG_HEIGHT - 60) / most
    return draw.end_names(ends, palette, pixels, xref="x", xshift=12)
