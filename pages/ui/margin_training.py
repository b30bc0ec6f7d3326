"""Training on the Margins page: rounds, health over C, trained on × tested on."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import controls, datasets, frame, margin_choice, margin_jobs, state
from pages.ui.jobs import SPEEDS
from pages.ui.margin_choice import Chosen
from pages.ui.margin_panels import FEATURE_MAP, Table
from pages.ui.theme import algorithm_style, colours
from rankcore.algorithms._structured import StructuredRanker
from rankcore.catalogue import Splits
from rankcore.charts.margin_training import (
    health_picture,
    matrix_picture,
    planes_picture,
    rounds_picture,
)
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margin_rounds, margin_training
from rankcore.insight.data import parts
from rankcore.insight.margin_rounds import (
    Study,
    slack_weights,
    structured_algorithms,
    total_weight,
)
from rankcore.training import Stop, drive

LOWEST_C, HIGHEST_C = 0.1, 1000.0
C_STOPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
NO_WEIGHT = "All C are 0, so nothing is asked of the model. Raise one of them."


class MatrixChoice(NamedTuple):
    """What the controls of the matrix say."""

    data: str
    splits: Splits
    algorithms: Mapping[str, StructuredRanker]
    settings: Mapping[str, Any]


def rounds_settings() -> Chosen:
    """Controls of *Rounds*."""
    chosen = margin_choice.settings()
    st.selectbox(
        "Speed",
        list(SPEEDS),
        index=list(SPEEDS).index(state.default("speed")),
        help="So that one can watch; it does not count as training time.",
        **state.widget("speed"),
    )
    return chosen


def show_rounds(chosen: Chosen) -> Table:
    """Train, and draw the rounds as they come; returns their numbers."""
    algorithm = chosen.algorithm

    def make() -> Study:
        stop = Stop(max_iterations=algorithm.max_iter)
        run = drive(algorithm, chosen.splits.train, stop=stop, measures=())
        return Study(margin_rounds.training_rounds(run), 1)

    plan = margin_jobs.StudyPlan(
        "rounds_job",
        chosen.learner.title,
        chosen.settings,
        make,
        chosen.refusal or (None if total_weight(algorithm) else NO_WEIGHT),
        SPEEDS[str(state.get("speed"))] if state.get("speed") in SPEEDS else None,
    )
    job = margin_jobs.current(plan.kind)
    margin_jobs.buttons(
        plan,
        job,
        "Train",
        "Each round finds the most violating order of every query and adds what is "
        "violated. Press the button, or the key P.",
    )
    style = algorithm_style(chosen.learner.__name__)[0]
    moving = job is not None and job.state in margin_jobs.MOVING
    margin_jobs.watch(
        job, lambda study: _rounds(study, algorithm, style, moving), "studies"
    )
    if job is None or not job.run.records:
        return {}
    return _round_table(margin_rounds.rounds(algorithm, job.run.records))


def _rounds(
    study: Study, algorithm: StructuredRanker, colour: str, moving: bool
) -> None:
    found = margin_rounds.rounds(algorithm, study.records)
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
            rounds_picture(found, colour, position, colours()),
            key="rounds",
            alt=f"After {len(study.records) - 1} rounds the gap is {found.gap[-1]:.3g} "
            f"and ‖w‖ is {found.norm[-1]:.3g}, with {found.constraints[-1]} "
            "constraints.",
            table=lambda: _round_table(found),
            on_click=pick,
        )
    with right:
        _planes(study, position, colour)


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
    known = planes.models[min(position, len(planes.models) - 1)]
    apart = float((planes.objective - known).max())
    frame.figure(
        planes_picture(planes, position, colour, colours()),
        key="planes",
        alt=f"The planes of rounds 0 to {position} are nowhere above the objective and "
        f"at most {apart:.3g} below it.",
        table=lambda: {
            "share of the model": planes.scale,
            "objective": planes.objective,
            "planes": known,
        },
    )
    st.caption(
        "Every plane is a promise: whatever the coefficients, the objective is no "
        "lower. Training ends when the promises meet what is reached. In *One query*, "
        "choose *The round chosen in Rounds* as the model to see what it violates."
    )


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
        coming = margin_training.health_study(
            algorithm, chosen.splits.train, factors, judged, *measure
        )
        return Study(coming, count)

    plan = margin_jobs.StudyPlan(
        "health_job",
        f"{chosen.learner.title} over C",
        settings,
        make,
        chosen.refusal or (None if total else NO_WEIGHT),
    )
    job = margin_jobs.current(plan.kind)
    margin_jobs.buttons(
        plan,
        job,
        "Train for each C",
        f"{count} models, from C = {LOWEST_C:g} to {HIGHEST_C:g}; points appear as "
        "they are ready.",
    )
    margin_jobs.watch(
        job, lambda study: _health(study, chosen, measure.name, part), "values of C"
    )
    if job is None or not job.run.found:
        return {}
    return _health_table(margin_training.health(job.run.found), measure.name)


def _health(study: Study, chosen: Chosen, measure: str, part: str) -> None:
    if not study.found:
        return
    found = margin_training.health(study.found)
    total = total_weight(chosen.algorithm)
    near = int(np.argmin(np.abs(np.log(found.C) - np.log(max(total, 1e-9)))))
    best = int(np.nanargmax(found.values))
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
        for name, value in slack_weights(chosen.algorithm).items():
            key = state.hyperparameter_key(chosen.learner, name)
            scaled = value * float(found.C[point]) / total
            st.session_state[key] = float(f"{scaled:.4g}")

    frame.heading(
        "Optimisation health", "click a point to take its C; dotted: the C that is set"
    )
    frame.figure(
        health_picture(
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


def matrix_settings() -> MatrixChoice:
    """Controls of *Trained on × tested on*."""
    data = controls.dataset_picker()
    splits = datasets.load_or_stop(data)
    C = st.select_slider(
        "Sum of all C &ensp;$C$",
        C_STOPS,
        state.default("margin_C"),
        help="The same for every learner.",
        **state.widget("margin_C"),
    )
    relevant = st.slider(
        "Relevant from label",
        1,
        4,
        state.default("margin_relevant"),
        help="For learners that know relevant documents from irrelevant ones only.",
        **state.widget("margin_relevant"),
    )
    convention = controls.convention_picker()
    settings = {
        "data": data,
        "normalise": state.get("normalise"),
        "margin_C": C,
        "margin_relevant": relevant,
        "convention": convention,
        "empty": state.get("empty"),
    }
    if not structured_algorithms():
        st.info(margin_choice.NOT_THERE, icon=":material/hourglass_empty:")
        st.stop()
    return MatrixChoice(data, splits, _learners(C, relevant), settings)


def show_matrix(what: MatrixChoice) -> Table:
    """Train every learner and draw the matrix as it grows; returns its numbers."""
    train = what.splits.train
    part, judged = list(parts(what.splits).items())[-1]
    able = {
        name: algorithm
        for name, algorithm in what.algorithms.items()
        if algorithm.refuses(train) is None
    }
    convention, empty = str(what.settings["convention"]), str(what.settings["empty"])

    def make() -> Study:
        coming = margin_training.mismatch_study(
            able, train, judged, convention=convention, empty=empty
        )
        return Study(coming, len(able))

    plan = margin_jobs.StudyPlan(
        "matrix_job", "Trained on × tested on", what.settings, make
    )
    job = margin_jobs.current(plan.kind)
    margin_jobs.buttons(
        plan,
        job,
        "Train all",
        f"{len(able)} learners, each tested on the {part} data by "
        f"{len(margin_training.MEASURES)} measures.",
    )
    margin_jobs.watch(job, lambda study: _matrix(study, able, part, judged), "learners")
    if job is None or not job.run.found:
        return {}
    return _matrix_table(margin_training.matrix(job.run.found))


def _matrix(
    study: Study, able: Mapping[str, StructuredRanker], part: str, judged: Any
) -> None:
    if not study.found:
        return
    found = margin_training.matrix(study.found)
    probe = judged.subset([0])
    everyone = dict(zip(able, margin_training.aimed(able, probe), strict=True))
    frame.heading(
        "Trained on × tested on",
        f"{judged.n_queries} {part} queries, ± standard error over them; bold: best of "
        "the column; framed: trained for it",
    )
    best = [
        f"{measure}: {found.trained[winner]}"
        for measure, winner in zip(found.tested, found.best, strict=True)
    ]
    frame.figure(
        matrix_picture(
            found, np.array([everyone[name] for name in found.trained]), colours()
        ),
        key="matrix",
        alt="Best by " + ", by ".join(best) + ".",
        table=lambda: _matrix_table(found),
    )
    st.caption(_verdict(found, everyone))


def _verdict(
    found: margin_training.Mismatch, everyone: Mapping[str, np.ndarray]
) -> str:
    """Whether those trained for a measure win by it, and by how much of an error."""
    words = []
    for j, measure in enumerate(found.tested):
        own = [i for i, name in enumerate(found.trained) if everyone[name][j]]
        if not own:
            continue
        lead = found.values[found.best[j], j] - found.values[own, j].max()
        error = found.errors[found.best[j], j]
        if lead <= 0.0:
            words.append(f"by {measure} one that was trained for it is best")
        elif lead < error:
            words.append(
                f"by {measure} another one is ahead by {lead:.3f}, less than one "
                "standard error"
            )
        else:
            words.append(f"by {measure} another one is ahead by {lead:.3f}")
    return ("; ".join(words)[:1].upper() + "; ".join(words)[1:] + ".") if words else ""


def _matrix_table(found: margin_training.Mismatch) -> Table:
    return {"trained": list(found.trained)} | {
        column: values
        for j, name in enumerate(found.tested)
        for column, values in (
            (name, found.values[:, j]),
            (f"± {name}", found.errors[:, j]),
        )
    }


def _learners(C: float, relevant: int) -> dict[str, StructuredRanker]:
    """Every structured learner with C in all, those with one loss by each map."""
    found = {}
    for cls in structured_algorithms().values():
        declared = hyperparameters(cls)
        weights = slack_weights(cls())
        total = sum(weights.values())
        values = {name: value * C / total for name, value in weights.items()}
        if "relevant_from" in declared:
            values["relevant_from"] = relevant
        if FEATURE_MAP in declared and len(weights) == 1:
            for option in declared[FEATURE_MAP].choices:
                name = f"{cls.title}, {option}"
                found[name] = cls(**values, **{FEATURE_MAP: option})
        else:
            found[cls.title] = cls(**values)
    return found
