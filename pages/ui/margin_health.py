"""Optimisation health on the Margins page: training as C grows."""

import numpy as np
import streamlit as st

from pages.ui import (
    controls,
    frame,
    margin_choice,
    margin_jobs,
    state,
)
from pages.ui.margin_choice import Chosen
from pages.ui.margin_jobs import NO_WEIGHT
from pages.ui.margin_panels import Table
from pages.ui.theme import algorithm_style, colours
from rankcore.charts.margin_training import (
    health_figure,
)
from rankcore.insight import margin_training
from rankcore.insight.data import parts
from rankcore.insight.margin_models import scaled_weights
from rankcore.insight.margin_rounds import slack_weights, total_weight
from rankcore.jobs import Study

LOWEST_C, HIGHEST_C = 0.1, 1000.0


def health_settings() -> Chosen:
    """Controls of *C and health*."""
    chosen = margin_choice.settings()
    st.slider(
        "Values of C",
        4,
        16,
        state.default("margin_points"),
        help=f"Spread from {LOWEST_C:g} to {HIGHEST_C:g}; several C keep their ratio.",
        **state.widget("margin_points"),
    )
    return chosen


def show_health(chosen: Chosen) -> Table:
    """Train over C and draw the health as it comes; returns its numbers."""
    algorithm, total = chosen.algorithm, total_weight(chosen.algorithm)
    count = int(state.get("margin_points"))
    targets = np.geomspace(LOWEST_C, HIGHEST_C, count)
    part, judged = list(parts(chosen.splits).items())[-1]
    measure = controls.MeasureChoice(
        "nDCG@10", str(state.get("convention")), str(state.get("empty"))
    )
    weights = slack_weights(algorithm)
    settings = {**chosen.settings, "margin_points": count}
    if len(weights) == 1:
        settings.pop(state.hyperparameter_key(chosen.learner, *weights))

    def make() -> Study:
        factors = (targets / total).tolist()
        return margin_training.health_study(
            algorithm, chosen.splits.train, factors, judged, measure.name, measure.rules
        )

    plan = margin_jobs.StudyPlan(
        "health_job",
        f"{chosen.learner.title} over C",
        settings,
        make,
        chosen.refusal or (None if total else NO_WEIGHT),
    )
    job = margin_jobs.current(plan.kind)
    moving = margin_jobs.buttons(
        plan,
        job,
        "Train for each C",
        f"{count} models, from C = {LOWEST_C:g} to {HIGHEST_C:g}; points appear as "
        "they are ready.",
    )
    margin_jobs.watch(
        job,
        moving,
        lambda study: _health(study, chosen, measure.name, part),
        f"what each C takes away from the objective at w = 0, ‖w‖ and {measure.name}",
    )
    if job is None or not job.run.found:
        return {}
    return _health_table(margin_training.health(job.run.found), measure.name)


def _health(study: Study, chosen: Chosen, measure: str, part: str) -> None:
    if not study.found:
        return
    found = margin_training.health(study.found)
    total = total_weight(chosen.algorithm)
    near, best = found.nearest(total), found.best
    frame.facts(
        [
            frame.Fact("Sum of C", f"{found.C[near]:.4g}", "nearest to the setting"),
            frame.Fact("Taken away from w = 0", f"{found.gain[near]:.1%}"),
            frame.Fact("‖w‖", f"{found.norm[near]:.3g}"),
            frame.Fact("Rounds", str(int(found.rounds[near]))),
            frame.Fact(
                f"Best {part} {measure}",
                f"{found.values[best]:.4f}",
                f"at C = {found.C[best]:.4g}",
            ),
        ]
    )

    def pick(trace: str, point: int, x: float, y: float) -> None:
        taken = scaled_weights(chosen.algorithm, float(found.C[point]))
        for name, C in taken.items():
            key = state.hyperparameter_key(chosen.learner, name)
            st.session_state[key] = float(f"{C:.4g}")

    frame.heading(
        "Optimisation health", "click a point to take its C; dotted: the C that is set"
    )
    frame.figure(
        health_figure(
            found,
            f"{part} {measure}",
            algorithm_style(chosen.learner.__name__)[0],
            total,
            colours(),
        ),
        key="health",
        alt=f"From C = {found.C[0]:.3g} to {found.C[-1]:.3g} training takes away "
        f"{found.gain[0]:.0%} to {found.gain[-1]:.0%} of the objective at w = 0, and "
        f"‖w‖ grows from {found.norm[0]:.2g} to {found.norm[-1]:.2g}.",
        table=lambda: _health_table(found, measure),
        on_click=pick,
    )


def _health_table(found: margin_training.Health, measure: str) -> Table:
    return {
        "C": found.C,
        "objective": found.objective,
        "at w = 0": found.useless,
        "taken away": found.gain,
        "norm of w": found.norm,
        "rounds": found.rounds,
        measure: found.values,
    }
