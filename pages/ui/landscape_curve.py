"""A measure along a line or round a circle of models: ring, steps and one query."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.ui import frame, landscape_case, state
from pages.ui import landscape_numbers as numbers
from pages.ui.end_point_panels import marks
from pages.ui.landscape_numbers import CIRCLE, LINE, Choice, Scene, percent
from pages.ui.theme import colours
from rankcore.insight import model_curves
from rankcore.insight.landscape import EQUAL, Optima, Profile
from rankcore.insight.model_curves import SmoothCurve, beside_exact, slope

COMPARED = (1.0, 10.0, 100.0)


def show(chosen: Choice) -> None:
    """Line or circle: facts, where one looks, the ring, and the steps."""
    scene, alpha = chosen.scene, chosen.alpha
    facts = st.container()
    at = _place(scene)
    profile, curve = numbers.profile(scene), numbers.CURVES[scene.shape]
    smooth = {
        a: beside_exact(curve, profile, numbers.smooth(scene, a))
        for a in sorted({*COMPARED, alpha})
    }
    own = smooth[alpha]
    here = float(own.at(at))
    steepness = slope(curve, numbers.learner(scene, alpha), numbers.ground(scene), at)
    whole = "of this line" if scene.shape == LINE else "of all directions"
    with facts:
        frame.facts(
            [
                frame.Fact(
                    f"{scene.measure} here, exactly",
                    f"{float(profile.at(at)):.3f}",
                    f"smooth, α = {alpha:g}: {here:.3f}",
                ),
                frame.Fact(
                    "Slope of the smooth one",
                    _number(steepness),
                    "none: a plain" if abs(steepness) < 1e-6 else _per(scene),
                ),
                frame.Fact(
                    f"Best {scene.measure}",
                    f"{profile.best:.3f}",
                    f"on {percent(profile.share_of_best)} {whole}",
                ),
                frame.Fact("Mean", f"{profile.mean:.3f}", f"{whole}, exactly"),
                frame.Fact(
                    "Steps",
                    f"{len(profile.values):,}",
                    f"peaks at α = {alpha:g}: {own.peaks}",
                ),
            ]
        )
    wide, narrow = st.columns([9, 4], gap="medium")
    with wide:
        if scene.shape == CIRCLE:
            _ring(chosen, at, own.optima)
        else:
            _steps(chosen, at, smooth)
    with narrow:
        landscape_case.show(scene, at)
    if scene.shape == CIRCLE:
        _steps(chosen, at, smooth)


def _ring(chosen: Choice, at: float, tops: Optima) -> None:
    from rankcore.charts.ring import MOST_SECTORS, ring_figure

    scene = chosen.scene
    profile = numbers.profile(scene)
    few = len(profile.values) <= MOST_SECTORS
    frame.heading(
        "Every direction of two features",
        "each cell of equal value in its colour, exactly"
        if few
        else f"{MOST_SECTORS} sectors, each in the colour of its exact mean",
    )
    frame.figure(
        ring_figure(
            profile,
            chosen.names,
            scene.measure,
            at=at,
            marks=marks(scene, chosen.alpha),
            tops=tops,
            palette=colours(),
        ),
        key="ring",
        alt=f"Round the circle {scene.measure} takes {len(profile.values)} steps "
        f"between {profile.values.min():.3f} and {profile.best:.3f}; the best "
        f"value has {percent(profile.share_of_best)} of all directions.",
        table=lambda: _table(profile, "from degree", "to degree"),
    )
    _critical(scene)


def _critical(scene: Scene) -> None:
    """What bounds the cells, in numbers."""
    found = numbers.crossings(scene)
    changes = len(numbers.profile(scene).values) - 1
    st.caption(
        f"At {found:,} angles two documents of one query and with different labels "
        f"have equal scores; {scene.measure} changes at {changes:,} of them, nowhere "
        "else. Half a turn away every ranking is upside down."
    )


def _steps(chosen: Choice, at: float, smooth: Mapping[float, SmoothCurve]) -> None:
    from rankcore.charts.landscape import MOST_STEPS, profile_figure

    scene, alpha = chosen.scene, chosen.alpha
    profile, own = numbers.profile(scene), smooth[alpha]
    note = "steps: exact; coloured: smooth; drag the open circle"
    if len(profile.values) > MOST_STEPS:
        note = (
            f"steps: of {len(profile.values):,} exact steps the highest and lowest of "
            f"each stretch; coloured: smooth"
        )
    names = chosen.names
    if scene.shape == LINE:
        heading, title, ticks = f"From {names[0]} to {names[1]}", "t", None
    else:
        heading, title = "The circle unrolled", "direction"
        ticks = {
            0.0: names[0],
            90.0: names[1],
            180.0: f"−{names[0]}",
            270.0: f"−{names[1]}",
            360.0: "",
        }
    frame.heading(heading, note)
    frame.figure(
        profile_figure(
            profile,
            own.grid,
            {a: each.values for a, each in smooth.items()},
            x=title,
            measure=scene.measure,
            chosen=alpha,
            at=at,
            marks=marks(scene, alpha),
            tops=own.optima,
            ticks=ticks,
            palette=colours(),
        ),
        key="landscape",
        alt=f"{scene.measure} goes in {len(profile.values)} steps between "
        f"{profile.values.min():.3f} and {profile.best:.3f}. At α = {alpha:g} the "
        f"smooth one has {own.peaks} peaks and is {own.error:.3f} away on average.",
        table=lambda: (
            _table(profile, "from", "to")
            | {
                f"α = {a:g}, in the middle": each.within_steps(profile)
                for a, each in smooth.items()
            }
        ),
        on_drag=_dragged_t if scene.shape == LINE else _dragged_angle,
    )
    st.caption(_compared(chosen, own.optima))


def _compared(chosen: Choice, tops: Optima) -> str:
    """How far the best of the smooth measure is from the best there is."""
    scene, measure = chosen.scene, chosen.scene.measure
    smooth = (
        f"▼ best {measure}, exactly: {tops.best:.3f}. ◆ the smooth one at "
        f"α = {chosen.alpha:g} is best at {_where(scene, tops.smooth)}, "
    )
    if tops.loss < EQUAL:
        return f"{smooth}within the best step: nothing is lost."
    # As the two numbers beside it are shown.
    loss = round(tops.best, 3) - round(tops.worth, 3)
    lost = f"a loss of {loss:.3f}" if loss else "a loss of less than 0.001"
    return (
        f"{smooth}{_length(scene, tops.apart)} from the nearest best step; there the "
        f"exact {measure} (◇) is {tops.worth:.3f}, {lost}."
    )


def _place(scene: Scene) -> float:
    """Choose the model to look at: by this slider, or by dragging in the figure."""
    if scene.shape == LINE:
        return st.slider(
            "Look at &ensp;$t$",
            model_curves.LINE.low,
            model_curves.LINE.high,
            state.default("land_t"),
            0.01,
            **state.widget("land_t"),
        )
    return st.slider(
        "Look at direction, in degrees",
        0.0,
        360.0,
        state.default("land_angle"),
        0.5,
        **state.widget("land_angle"),
    )


def _dragged_angle(_trace: str, _point: int, x: float, _y: float) -> None:
    state.apply({"land_angle": model_curves.CIRCLE.nearest(x)})


def _dragged_t(_trace: str, _point: int, x: float, _y: float) -> None:
    state.apply({"land_t": model_curves.LINE.nearest(x)})


def _table(profile: Profile, begin: str, end: str) -> dict[str, np.ndarray]:
    return {
        begin: profile.edges[:-1],
        end: profile.edges[1:],
        "value": profile.values,
    }


def _where(scene: Scene, place: float) -> str:
    where = f"t = {place:.2f}" if scene.shape == LINE else f"{place:.1f}°"
    return where.replace("-", "−")


def _length(scene: Scene, apart: float) -> str:
    return f"{apart:.3f} in t" if scene.shape == LINE else f"{apart:.1f}°"


def _number(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")


def _per(scene: Scene) -> str:
    return "per unit of t" if scene.shape == LINE else "per degree"
