"""Trained on × tested on, on the Margins page."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from pages.ui import controls, datasets, frame, margin_jobs, state
from pages.ui.choice import segments
from pages.ui.margin_panels import Table
from pages.ui.theme import colours
from rankcore.algorithms import StructuredRanker
from rankcore.catalogue import Splits, folds_of
from rankcore.charts.margin_training import matrix_figure
from rankcore.insight import margin_matrix as insight
from rankcore.insight.data import parts
from rankcore.insight.margin_matrix import MatrixPlan
from rankcore.insight.margin_training import MEASURES, Mismatch, MismatchSubject
from rankcore.jobs import Study
from rankcore.measures import Rules

C_STOPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)


class MatrixChoice(NamedTuple):
    """What the controls of the matrix say."""

    data: str
    splits: Splits
    algorithms: Mapping[str, StructuredRanker]
    settings: Mapping[str, Any]


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
    return MatrixChoice(data, splits, insight.learners(C, relevant), settings)


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
    by_folds = what.settings["margin_spread"] == "folds"
    matrix = MatrixPlan(
        what.algorithms,
        what.splits,
        tuple(folds_of(what.data)) if by_folds else (),
        datasets.scaling(str(what.settings["normalise"])),
        Rules(str(what.settings["convention"]), str(what.settings["empty"])),
    )
    plan = margin_jobs.StudyPlan(
        "matrix_job",
        "Trained on × tested on",
        what.settings,
        matrix.study,
    )
    job = margin_jobs.current(plan.kind)
    part, judged = list(parts(what.splits).items())[-1]
    where = (
        f"trained and tested in each of {len(matrix.folds)} folds"
        if matrix.folds
        else f"each tested on the {judged.n_queries} queries of the {part} data"
    )
    moving = margin_jobs.buttons(
        plan,
        job,
        "Train all",
        f"{len(matrix.able)} learners, {where}, by {len(MEASURES)} measures.",
    )
    margin_jobs.watch(
        job,
        moving,
        _matrix,
        "each learner by each measure, with what it was trained for framed",
    )
    if job is None or not job.run.found:
        return {}
    return _matrix_table(job.run.subject.matrix(job.run.found))


def _matrix(study: Study) -> None:
    if not study.found:
        return
    tested: MismatchSubject = study.subject
    found = tested.matrix(study.found)
    aimed = tested.aimed(found)
    frame.heading(
        "Trained on × tested on",
        f"{_values_of(tested)}; bold: best of the column; framed: trained for it",
    )
    best = [
        f"{measure}: {found.trained[winner]}"
        for measure, winner in zip(found.tested, found.best, strict=True)
    ]
    frame.figure(
        matrix_figure(found, aimed, colours()),
        key="matrix",
        alt="Best by " + ", by ".join(best) + ".",
        table=lambda: _matrix_table(found),
    )
    spread = (
        "the standard deviation over folds" if tested.n_folds else "one standard error"
    )
    st.caption(_verdict(insight.leads(found, aimed), spread))
    even = _zero_models(study)
    if even:
        st.caption(
            f"{'; '.join(even)}: whatever the coefficients, margins cost more than "
            "they save, so the zero model is the minimum, and the order is that of the "
            "data."
        )


def _values_of(tested: MismatchSubject) -> str:
    """What the values are of, and what is behind ±."""
    if tested.n_folds:
        return (
            f"mean of {tested.n_folds} folds, {tested.part} data, ± standard deviation "
            "over them"
        )
    return f"{tested.n_queries} {tested.part} queries, ± standard error over them"


def _zero_models(study: Study) -> list[str]:
    """The models that are zero, and in how many folds if not in all of them."""
    return [
        name if count == of else f"{name} in {count} of {of} folds"
        for name, (count, of) in insight.zero_models(study.found).items()
    ]


def _verdict(leads: list[insight.Lead], spread: str) -> str:
    """Whether those trained for a measure win by it, and by how much of the spread."""
    words = []
    for measure, lead, error in leads:
        if lead <= 0.0:
            words.append(f"by {measure} one that was trained for it is best")
        elif lead < error:
            words.append(
                f"by {measure} another one is ahead by {lead:.3f}, less than {spread}"
            )
        else:
            words.append(f"by {measure} another one is ahead by {lead:.3f}")
    return ("; ".join(words)[:1].upper() + "; ".join(words)[1:] + ".") if words else ""


def _matrix_table(found: Mismatch) -> Table:
    return {"trained": list(found.trained)} | {
        column: values
        for j, name in enumerate(found.tested)
        for column, values in (
            (name, found.values[:, j]),
            (f"± {name}", found.errors[:, j]),
        )
    }
