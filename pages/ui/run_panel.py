"""What a run looks like: facts, curves, coefficients, and one query's ranking."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages.ui import frame, jobs, live, query_panel, rerun, run_view, theme
from pages.ui.run_facts import facts
from pages.ui.run_view import RunView
from rankcore.charts.coefficients import coefficients_figure
from rankcore.charts.training import Drawn, run_figure
from rankcore.insight.coefficients import Coefficients, coefficients
from rankcore.insight.curves import finding, run_curves
from rankcore.jobs import Job

POLL_SECONDS = {"running": 0.09, "queued": 0.5, "paused": 1.0}


def show(plan: jobs.Plan, view: RunView) -> None:
    """Draw a run, and keep drawing as long as it may move.

    ``view`` is what the page has been drawn by so far.
    """
    poll = POLL_SECONDS.get(view.state)
    frame.part(partial(_panel, plan, view.job, view.stage), poll)


def _panel(plan: jobs.Plan, job: Job | None, drawn_in: tuple[str, bool]) -> None:
    if job is not None:
        jobs.find(job.id)
    view = run_view.of(plan, job)
    # The buttons, and the line that says what is going on, are drawn with the page.
    if view.stage != drawn_in:
        rerun.whole_page()
    # Every part has a place of its own, so that none is drawn anew when another one
    # comes or goes.
    strip = st.container()
    left, right = st.columns([9, 4], gap="medium")
    curves, slider, bars = (left.container() for _ in range(3))
    with slider:
        view = replace(view, position=_look_back(view))
    with strip:
        frame.facts(facts(view))
    with curves:
        _curves(view)
    with bars:
        _coefficients(view)
    with right:
        query_panel.show(view)


def _look_back(view: RunView) -> int:
    """The record to look at: the last one, or while nothing moves any one before."""
    if view.moving or view.position == 0:
        return view.position
    return st.slider(
        "Look back at pass",
        0,
        view.position,
        view.position,
        key=f"look_back_{view.name}_{view.position}",
        format="%d",
        help="Coefficients, facts and the ranking are shown as they were then.",
    )


def _curves(view: RunView) -> None:
    measure, palette = str(view.measure), theme.colours()
    note = "solid: training, dashed: validation, ring: best so far"
    _caption_row(view, "curves", measure, note, view.history.to_frame)
    numbers = run_curves(view.history, measure, view.best)
    drawn = Drawn(numbers, _colour(view))
    others = [colour for colour in palette.runs if colour != drawn.colour]
    pinned = [
        Drawn(
            run_curves(job.history, measure, job.best),
            colour,
            jobs.difference(job, view.job),
        )
        for job, colour in zip(jobs.pinned(view.job), others, strict=False)
    ]
    looks_back = not view.moving and view.position < len(view.history) - 1
    back = view.record if looks_back else None
    live.figure(
        run_figure(drawn, pinned, palette, back and back.iteration),
        key="curves",
        view=view.name,
        alt=finding(numbers, view.state),
    )


def _coefficients(view: RunView) -> None:
    names = view.splits.train.feature_names
    numbers = coefficients(view.history, view.position, names)
    title = view.algorithm.weights_title
    rows = {"feature": numbers.names, title.lower(): numbers.values}
    note = _coefficients_note(numbers)
    _caption_row(view, "bars", title, note, lambda: rows)
    live.figure(
        coefficients_figure(numbers, _colour(view), theme.colours()),
        key="coefficients",
        view=view.name,
        alt=f"{title}: {note}.",
    )


def _coefficients_note(numbers: Coefficients) -> str:
    if not numbers.names:
        return f"all {numbers.unused} are zero at the start"
    given_up = int((numbers.values == 0).sum())
    parts = ["largest first"]
    if given_up:
        parts.append(f"{given_up} hollow: zero now, not always")
    if numbers.unused:
        parts.append(f"{numbers.unused} never used")
    return "; ".join(parts)


def _colour(view: RunView) -> str:
    return theme.algorithm_style(type(view.algorithm).__name__)[0]


def _caption_row(
    view: RunView, figure: str, name: str, note: str, rows: Callable[[], Any]
) -> None:
    """The caption above a figure, and the table behind the figure."""
    with st.container(horizontal=True, vertical_alignment="center"):
        frame.heading(name, note)
        with st.popover(
            "Table",
            key=f"{figure}_table",
            type="tertiary",
            on_change="rerun",
            disabled=view.job is None,
        ) as popover:
            if not popover.open:
                return
            if view.moving:
                st.caption("Pause to see the numbers.")
            else:
                st.dataframe(rows(), hide_index=True)
