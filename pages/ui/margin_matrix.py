"""Trained on × tested on, on the Margins page."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.ui import controls, datasets, frame, margin_jobs, state
from pages.ui.choice import segments
from pages.ui.margin_matrix_study import (
    MatrixChoice,
    learners,
    matrix_of,
    note,
    spread,
    study_of,
    zero_models,
)
from pages.ui.margin_panels import Table
from pages.ui.theme import colours
from rankcore.catalogue import folds_of
from rankcore.charts.margin_training import matrix_figure
from rankcore.insight import margin_training
from rankcore.insight.data import parts
from rankcore.jobs import Study

C_STOPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)


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
        "margin_spread": _spread_picker(data),
        "convention": convention,
        "empty": state.get("empty"),
    }
    return MatrixChoice(data, splits, learners(C, relevant), settings)


def _spread_picker(data: str) -> str:
    """Choose what ± is over, where there is a choice."""
    count = len(folds_of(data))
    if count < 2:
        st.caption("± is over queries: these data are not one of several folds.")
        return "queries"
    return str(
        segments(
            "± over",
            "margin_spread",
            ("queries", "folds"),
            help="The standard error over the queries of this fold, or the standard "
            f"deviation over {count} folds, each trained and tested by itself.",
        )
    )


def show_matrix(what: MatrixChoice) -> Table:
    """Train every learner and draw the matrix as it grows; returns its numbers."""
    train = what.splits.train
    able = {
        name: algorithm
        for name, algorithm in what.algorithms.items()
        if algorithm.unsupported_reason(train) is None
    }
    part, judged = list(parts(what.splits).items())[-1]
    by_folds = what.settings["margin_spread"] == "folds"
    folds = folds_of(what.data) if by_folds else []
    plan = margin_jobs.StudyPlan(
        "matrix_job",
        "Trained on × tested on",
        what.settings,
        lambda: study_of(what, able, folds),
    )
    job = margin_jobs.current(plan.kind)
    where = (
        f"trained and tested in each of {len(folds)} folds"
        if folds
        else f"each tested on the {judged.n_queries} queries of the {part} data"
    )
    moving = margin_jobs.buttons(
        plan,
        job,
        "Train all",
        f"{len(able)} learners, {where}, by {len(margin_training.MEASURES)} measures.",
    )
    margin_jobs.watch(
        job,
        moving,
        _matrix,
        "each learner by each measure, with what it was trained for framed",
    )
    if job is None or not job.run.found:
        return {}
    return _matrix_table(matrix_of(job.run))


def _matrix(study: Study) -> None:
    if not study.found:
        return
    found, tested = matrix_of(study), study.subject
    everyone = dict(
        zip(
            tested.algorithms,
            margin_training.aimed(tested.algorithms, tested.probe),
            strict=True,
        )
    )
    frame.heading(
        "Trained on × tested on",
        f"{note(tested)}; bold: best of the column; framed: trained for it",
    )
    best = [
        f"{measure}: {found.trained[winner]}"
        for measure, winner in zip(found.tested, found.best, strict=True)
    ]
    frame.figure(
        matrix_figure(
            found, np.array([everyone[name] for name in found.trained]), colours()
        ),
        key="matrix",
        alt="Best by " + ", by ".join(best) + ".",
        table=lambda: _matrix_table(found),
    )
    st.caption(_verdict(found, everyone, spread(tested)))
    even = zero_models(study)
    if even:
        st.caption(
            f"{'; '.join(even)}: whatever the coefficients, margins cost more than "
            "they save, so the zero model is the minimum, and the order is that of the "
            "data."
        )


def _verdict(
    found: margin_training.Mismatch, everyone: Mapping[str, np.ndarray], spread: str
) -> str:
    """Whether those trained for a measure win by it, and by how much of the spread."""
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
                f"by {measure} another one is ahead by {lead:.3f}, less than {spread}"
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
