"""A measure over the sphere of directions of three features: a globe and two maps."""

import numpy as np
import streamlit as st

from pages.ui import frame
from pages.ui import landscape_numbers as numbers
from pages.ui.choice import segments
from pages.ui.end_point_panels import models
from pages.ui.landscape_numbers import Choice, percent
from pages.ui.theme import colours
from rankcore.insight import directions

# More great circles than this hide the cells they bound.
MOST_CIRCLES = 150


def show(chosen: Choice) -> None:
    """Facts, the globe, and two maps of equal area."""
    from rankcore.charts.sphere import map_latitudes, patch_latitudes

    scene, alpha = chosen.scene, chosen.alpha
    ball, circles = numbers.sphere(scene), numbers.circles(scene)
    exact = ball.values(map_latitudes(numbers.BANDS))
    smooth = numbers.smooth_sphere(scene, alpha, equal_area=True)
    apart = float(np.abs(smooth - exact).mean())
    frame.facts(
        [
            frame.Fact(
                f"Best {scene.measure}",
                f"{ball.best:.3f}",
                f"on {percent(ball.share_of_best)} of all directions",
            ),
            frame.Fact("Mean", f"{ball.mean:.3f}", "exact along each meridian"),
            frame.Fact(
                "Smooth is off by",
                f"{apart:.3f}",
                f"on average, at α = {alpha:g}",
            ),
            frame.Fact("Great circles", f"{len(circles):,}", "where two scores cross"),
            frame.Fact(
                "Cells, at most",
                f"{directions.most_cells(len(circles)):,}",
                "what so many circles can bound",
            ),
        ]
    )
    few = circles if len(circles) <= MOST_CIRCLES else None
    spots = models(scene, alpha)
    span = (float(exact.min()), float(exact.max()))
    st.caption(
        "Thin lines are exact: great circles on which two scores are equal. They "
        "bound the cells; colours are exact along each meridian, and cells smaller "
        "than a patch fall between."
        if few is not None
        else f"The {len(circles):,} great circles on which two scores are equal would "
        "hide the picture and are left out. Colours are exact in the middle of each "
        "patch; cells smaller than a patch fall between."
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        drawn = ball.values(patch_latitudes(numbers.BANDS))
        _globe(chosen, drawn, few, spots, span)
    with right:
        _map("Exactly", "exact_map", chosen, exact, few, spots, span)
        _map(f"Smooth, α = {alpha:g}", "smooth_map", chosen, smooth, None, spots, span)


def _globe(chosen, exact, circles, spots, span) -> None:  # type: ignore[no-untyped-def]
    from rankcore.charts.sphere import globe_figure

    scene = chosen.scene
    with st.container(horizontal=True, vertical_alignment="center"):
        frame.heading(
            "Every direction of three features",
            "turn it; each patch has the value of its middle, exactly",
        )
        shown = segments(
            "Colour",
            "land_colour",
            ("exact", "smooth"),
            label_visibility="collapsed",
        )
    values = (
        exact
        if shown == "exact"
        else numbers.smooth_sphere(scene, chosen.alpha, equal_area=False)
    )
    frame.figure(
        globe_figure(
            values,
            chosen.names,
            scene.measure,
            span=span,
            circles=circles,
            ends=spots,
            palette=colours(),
        ),
        key="globe",
        alt=f"Over all directions of {', '.join(chosen.names)} the {shown} "
        f"{scene.measure} lies between {values.min():.3f} and {values.max():.3f}.",
        table=lambda: {
            f"meridian {i}": values[:, i] for i in range(0, numbers.MERIDIANS, 10)
        },
    )


def _map(name, key, chosen, values, circles, spots, span) -> None:  # type: ignore[no-untyped-def]
    from rankcore.charts.sphere import map_figure

    frame.heading(name, "equal areas are equal shares of all directions")
    row, column = np.unravel_index(values.argmax(), values.shape)
    frame.figure(
        map_figure(
            values,
            chosen.names,
            chosen.scene.measure,
            span=span,
            circles=circles,
            ends=spots,
            palette=colours(),
        ),
        key=key,
        alt=f"{name}: the highest {chosen.scene.measure} on the map is "
        f"{values[row, column]:.3f}, at longitude {column * 360 // values.shape[1]}°.",
        table=lambda: {
            f"{360 * i // values.shape[1]}°": values[:, i]
            for i in range(0, values.shape[1], 10)
        },
    )
