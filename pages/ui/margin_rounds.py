"""Cutting planes on the Margins page: a run round by round, and its planes."""

import numpy as np
import streamlit as st

from pages.ui import frame, margin_choice, margin_jobs, margin_panels, state
from pages.ui.jobs import SPEEDS
from pages.ui.margin_choice import Chosen
from pages.ui.margin_jobs import NO_WEIGHT
from pages.ui.margin_panels import Table
from pages.ui.theme import algorithm_style, colours
from rankcore.charts.margin_rounds import planes_figure, rounds_figure
from rankcore.insight import margin_rounds
from rankcore.insight import margins as insight
from rankcore.insight.margin_rounds import total_weight
from rankcore.jobs import Study

FEW_ROWS = 8


def rounds_settings() -> Chosen:
    """Controls of *Rounds*."""
    chosen = margin_choice.settings()
    st.selectbox(
        "Speed",
        list(SPEEDS),
        index=list(SPEEDS).index(state.default("speed")),
        help="So that one can watch; it does not count as training time.",
        on_change=_set_speed,
        **state.widget("speed"),
    )
    return chosen


def _set_speed() -> None:
    """Give the run under way the speed that has just been chosen."""
    job = margin_jobs.current("rounds_job")
    if job is not None:
        job.speed = SPEEDS[st.session_state["speed"]]


def show_rounds(chosen: Chosen) -> Table:
    """Train, and draw the rounds as they come; returns their numbers."""
    algorithm = chosen.algorithm

    speed = SPEEDS[str(state.get("speed"))] if state.get("speed") in SPEEDS else None

    def make() -> Study:
        return margin_rounds.rounds_study(algorithm, chosen.splits.train, speed)

    plan = margin_jobs.StudyPlan(
        "rounds_job",
        chosen.learner.title,
        chosen.settings,
        make,
        chosen.refusal or (None if total_weight(algorithm) else NO_WEIGHT),
    )
    job = margin_jobs.current(plan.kind)
    moving = margin_jobs.buttons(
        plan,
        job,
        "Train",
        "Each round finds the most violating order of every query and adds what is "
        "violated. Press the button, or the key P.",
    )
    style = algorithm_style(chosen.learner.__name__)[0]
    known = chosen if job is not None and margin_jobs.matches(job, plan) else None
    margin_jobs.watch(
        job,
        moving,
        lambda study: _rounds(study, style, moving, known),
        "the objective closing in on its minimum round by round, and the planes added",
    )
    if job is None or not job.run.records:
        return {}
    return _round_table(
        margin_rounds.rounds(job.run.subject.algorithm, job.run.records)
    )


def _rounds(
    study: Study,
    colour: str,
    moving: bool,
    chosen: Chosen | None,
) -> None:
    found = margin_rounds.rounds(study.subject.algorithm, study.records)
    position = len(study.records) - 1 if moving else _round_picker(len(study.records))
    frame.facts(
        [
            frame.Fact("Round", str(position), f"of {len(study.records) - 1}"),
            frame.Fact("Objective", f"{found.primal[position]:.4g}"),
            frame.Fact(
                "Gap", f"{found.gap[position]:.3g}", f"{found.allowed:.2g} is allowed"
            ),
            frame.Fact("Largest violation", f"{found.violation[position]:.3g}"),
            frame.Fact(
                "‖w‖",
                f"{found.norm[position]:.3g}",
                f"{found.constraints[position]:,} constraints",
            ),
        ]
    )

    def pick(trace: str, point: int, x: float, y: float) -> None:
        if not moving:
            state.put("margin_round", point)

    left, right = st.columns([6, 5], gap="medium")
    with left:
        frame.heading(
            "Rounds", "dots: the objective; between the lines lies the minimum"
        )
        frame.figure(
            rounds_figure(found, colour, position, colours()),
            key="rounds",
            alt=f"After {len(study.records) - 1} rounds the gap is {found.gap[-1]:.3g} "
            f"and ‖w‖ is {found.norm[-1]:.3g}, with {found.constraints[-1]} "
            "constraints.",
            table=lambda: _round_table(found),
            on_click=pick,
        )
    with right:
        _planes(study, position, colour)
        if chosen is not None and not moving:
            _query(chosen, study.records[position].coef, position)


def _planes(study: Study, position: int, colour: str) -> None:
    frame.heading(
        "Cutting planes", "on the line from no model (0) to the model found (1)"
    )
    if not study.found:
        st.caption(
            "When training is done, this shows the objective along a line, and how the "
            "planes of each round come up under it."
        )
        return
    (planes,) = study.found
    frame.figure(
        planes_figure(planes, position, colour, colours()),
        key="planes",
        alt=f"The planes of rounds 0 to {position} are nowhere above the objective and "
        f"at most {planes.distance(position):.3g} below it.",
        table=lambda: {
            "share of the model": planes.scale,
            "objective": planes.objective,
            "planes": planes.after(position),
        },
    )


def _query(chosen: Chosen, coef: np.ndarray, position: int) -> None:
    """One training query under the model of a round."""
    train = chosen.splits.train
    number = min(max(int(state.get("query")), 1), train.n_queries)
    found = insight.worst_order(chosen.algorithm, train, number - 1, coef, chosen.loss)
    heading = f"Training query {number} at round {position}", "its own constraint"
    margin_panels.orders(found, "round_orders", FEW_ROWS, heading)


def _round_picker(count: int) -> int:
    """Choose a round of a run that has ended."""
    if count < 2:
        return count - 1
    st.session_state["choose_round"] = margin_choice.chosen_round(count)
    return st.slider(
        "Round",
        0,
        count - 1,
        key="choose_round",
        help="The same as a click in the figure.",
        on_change=lambda: state.put("margin_round", st.session_state["choose_round"]),
    )


def _round_table(found: margin_rounds.Rounds) -> Table:
    return {
        "round": np.arange(len(found.primal)),
        "objective": found.primal,
        "lower bound": found.dual,
        "gap": found.gap,
        "violation": found.violation,
        "constraints": found.constraints,
        "norm of w": found.norm,
    }
