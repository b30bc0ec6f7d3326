"""Trained on × tested on, on the Margins page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import controls, datasets, frame, margin_jobs, state
from pages.ui.margin_maps import FEATURE_MAP, short_name
from pages.ui.margin_panels import Table
from pages.ui.theme import colours
from rankcore.algorithms._structured import StructuredRanker
from rankcore.catalogue import Splits, folds_of, load_dataset
from rankcore.charts.margin_training import matrix_picture
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margin_training
from rankcore.insight.data import parts
from rankcore.insight.margin_rounds import (
    Study,
    slack_weights,
    structured_algorithms,
)

C_STOPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)


class Tested(NamedTuple):
    """What a study of the matrix is about.

    Attributes
    ----------
    algorithms : dict
    probe : RankingDataset
        A query of it, which tells losses apart.
    folds : bool
        Whether rows are of single folds.
    note : str
        What the values are of, and what is behind ±.
    spread : str
        What is behind ±, in short.
    """

    algorithms: Mapping[str, StructuredRanker]
    probe: RankingDataset
    folds: bool
    note: str
    spread: str


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
    return MatrixChoice(data, splits, _learners(C, relevant), settings)


def _spread_picker(data: str) -> str:
    """Choose what ± is over, where there is a choice."""
    count = len(folds_of(data))
    if count < 2:
        st.caption("± is over queries: these data are not one of several folds.")
        return "queries"
    return str(
        st.segmented_control(
            "± over",
            ("queries", "folds"),
            default=state.default("margin_spread"),
            required=True,
            help="The standard error over the queries of this fold, or the standard "
            f"deviation over {count} folds, each trained and tested by itself.",
            **state.widget("margin_spread"),
        )
    )


def show_matrix(what: MatrixChoice) -> Table:
    """Train every learner and draw the matrix as it grows; returns its numbers."""
    train = what.splits.train
    able = {
        name: algorithm
        for name, algorithm in what.algorithms.items()
        if algorithm.refuses(train) is None
    }
    part, judged = list(parts(what.splits).items())[-1]
    by_folds = what.settings["margin_spread"] == "folds"
    folds = folds_of(what.data) if by_folds else []
    plan = margin_jobs.StudyPlan(
        "matrix_job",
        "Trained on × tested on",
        what.settings,
        lambda: _study(what, able, folds),
    )
    job = margin_jobs.current(plan.kind)
    where = (
        f"trained and tested in each of {len(folds)} folds"
        if folds
        else f"each tested on the {judged.n_queries} queries of the {part} data"
    )
    margin_jobs.buttons(
        plan,
        job,
        "Train all",
        f"{len(able)} learners, {where}, by {len(margin_training.MEASURES)} measures.",
    )
    margin_jobs.watch(job, _matrix, "trained models")
    if job is None or not job.run.found:
        return {}
    return _matrix_table(_found(job.run))


def _study(
    what: MatrixChoice, able: Mapping[str, StructuredRanker], folds: Sequence[str]
) -> Study:
    part, judged = list(parts(what.splits).items())[-1]
    convention, empty = str(what.settings["convention"]), str(what.settings["empty"])
    asked = {"convention": convention, "empty": empty}
    probe = judged.subset([0])
    if not folds:
        note = f"{judged.n_queries} {part} queries, ± standard error over them"
        tested = Tested(able, probe, False, note, "one standard error")
        coming = margin_training.mismatch_study(
            able, what.splits.train, judged, **asked
        )
        return Study(coming, len(able), tested)
    note = f"mean of {len(folds)} folds, {part} data, ± standard deviation over them"
    tested = Tested(able, probe, True, note, "the standard deviation over folds")
    normalise = str(what.settings["normalise"])
    loads = [partial(_ends, name, normalise) for name in folds]
    coming = margin_training.mismatch_over_folds(able, loads, **asked)
    return Study(coming, len(able) * len(folds), tested)


def _ends(name: str, normalise: str) -> tuple[RankingDataset, RankingDataset]:
    """The first and the last part of a data set: what is trained on, and tested.

    It is asked for in the job's own thread, where Streamlit keeps nothing.
    """
    every = list(parts(datasets.scaled(load_dataset(name), normalise)).values())
    return every[0], every[-1]


def _found(study: Study) -> margin_training.Mismatch:
    rows = study.found
    return margin_training.matrix(
        margin_training.over_folds(rows) if study.subject.folds else rows
    )


def _matrix(study: Study) -> None:
    if not study.found:
        return
    found, tested = _found(study), study.subject
    everyone = dict(
        zip(
            tested.algorithms,
            margin_training.aimed(tested.algorithms, tested.probe),
            strict=True,
        )
    )
    frame.heading(
        "Trained on × tested on",
        f"{tested.note}; bold: best of the column; framed: trained for it",
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
    st.caption(_verdict(found, everyone, tested.spread))
    even = dict.fromkeys(row.trained for row in study.found if row.even)
    if even:
        st.caption(
            f"{', '.join(even)}: whatever the coefficients, margins cost more than "
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
                name = f"{cls.title}, {short_name(option)}"
                found[name] = cls(**values, **{FEATURE_MAP: option})
        else:
            found[cls.title] = cls(**values)
    return found
