"""What a run looks like: facts, curves, coefficients, and one query's ranking."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from pages.ui import controls, frame, jobs, live, theme
from rankcore.algorithms._ranker import Ranker
from rankcore.catalogue import Splits
from rankcore.charts.training import Drawn, coefficients_picture, run_picture
from rankcore.dataset import RankingDataset
from rankcore.insight import data as insight
from rankcore.insight.coefficients import Coefficients, coefficients
from rankcore.insight.curves import RunCurves, finding, run_curves
from rankcore.insight.ranking import QueryRanking, query_ranking, weakest_query
from rankcore.jobs import Job
from rankcore.measures import Measure, parse
from rankcore.training import History, Record

ROWS = 16
POLL_SECONDS = {"running": 0.1, "queued": 0.5, "paused": 1.0}
NONE_YET = "–"


def show(plan: jobs.Plan, job: Job | None) -> None:
    """Draw a run, and keep drawing as long as it may move."""
    drawn_in = None if job is None else job.state
    pulse = POLL_SECONDS.get(str(drawn_in))
    st.fragment(_panel, run_every=pulse)(plan, job, drawn_in)


def _panel(plan: jobs.Plan, job: Job | None, drawn_in: str | None) -> None:
    if job is not None:
        job.touch()
    if _state(job) != drawn_in:
        st.rerun()
    # Every part has a place of its own, so that none is drawn anew when another one
    # comes or goes.
    strip = st.container()
    left, right = st.columns([9, 4], gap="medium")
    curves, slider, bars = (left.container() for _ in range(3))
    with slider:
        position = _scrubber(job)
    with strip:
        frame.facts(_facts(plan, job, position))
    with curves:
        _curves(plan, job, position)
    with bars:
        _coefficients(plan, job, position)
    with right:
        _ranking(plan, job, position)


def _state(job: Job | None) -> str | None:
    return None if job is None else job.state


def _scrubber(job: Job | None) -> int:
    """The record to look at: the last one, or while nothing moves any one before."""
    last = 0 if job is None else max(len(job.history) - 1, 0)
    if job is None or job.state in ("running", "queued") or last == 0:
        return last
    return st.slider(
        "Look back at pass",
        0,
        last,
        last,
        key=f"look_back_{job.id}_{last}",
        format="%d",
        help="Coefficients, facts and the ranking are shown as they were then.",
    )


def _facts(plan: jobs.Plan, job: Job | None, position: int) -> list[frame.Fact]:
    algorithm = plan.algorithm if job is None else job.algorithm
    limit = f"of at most {algorithm.max_iter}"
    measure = _measure(plan, job)
    features = plan.splits.train.n_features if job is None else job.run.train.n_features
    if job is None or not len(job.history):
        empty = [f"Training {measure}", f"Validation {measure}"]
        return [
            frame.Fact("Iteration", "0", limit),
            *(frame.Fact(meaning, NONE_YET) for meaning in empty),
            frame.Fact("Non-zero coefficients", NONE_YET, f"of {features}"),
            frame.Fact("Training time", NONE_YET),
        ]
    record, best = job.history[position], job.best
    return [
        frame.Fact("Iteration", str(record.iteration), limit),
        frame.Fact(f"Training {measure}", _three(record.train.get(measure))),
        frame.Fact(
            f"Validation {measure}",
            _three(record.valid.get(measure)),
            _best_note(best, measure),
        ),
        frame.Fact("Non-zero coefficients", str(record.nonzeros), f"of {features}"),
        frame.Fact("Training time", _seconds(record.seconds), _pace(job, record)),
    ]


def _curves(plan: jobs.Plan, job: Job | None, position: int) -> None:
    measure = _measure(plan, job)
    palette = theme.colours()
    numbers = _run_curves(job, measure)
    drawn = Drawn(numbers, _colour(plan, job))
    others = [colour for colour in palette.runs if colour != drawn.colour]
    pinned = [
        Drawn(_run_curves(other, measure), colour, jobs.difference(other, job))
        for other, colour in zip(jobs.pinned(job), others, strict=False)
    ]
    back = job is not None and position < len(job.history) - 1
    _caption_row(
        "curves_table",
        measure,
        "solid: training, dashed: validation, ring: best so far",
        job,
        None if job is None else job.history.to_frame,
    )
    live.figure(
        run_picture(
            drawn, pinned, palette, job.history[position].iteration if back else None
        ),
        key="curves",
        view="none" if job is None else job.id,
        alt=finding(numbers, _state(job) or "not begun"),
    )


def _run_curves(job: Job | None, measure: str) -> RunCurves:
    if job is None:
        return run_curves(History(), measure)
    return run_curves(job.history, measure, job.best)


def _coefficients(plan: jobs.Plan, job: Job | None, position: int) -> None:
    names = (plan.splits if job is None else job.run).train.feature_names
    history = History() if job is None else job.history
    numbers = coefficients(history, position, names)
    rows = {"feature": numbers.names, "coefficient": numbers.values}
    note = _coefficients_note(numbers)
    _caption_row("coefficients_table", "Coefficients", note, job, lambda: rows)
    live.figure(
        coefficients_picture(numbers, _colour(plan, job), theme.colours()),
        key="coefficients",
        view="none" if job is None else job.id,
        alt=f"Coefficients: {note}.",
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


def _ranking(plan: jobs.Plan, job: Job | None, position: int) -> None:
    parts = insight.parts(_splits(plan, job))
    heading = st.container()
    dataset = parts[controls.part_picker(list(parts))]
    record = job.history[position] if job is not None and len(job.history) else None
    algorithm = plan.algorithm if job is None else job.algorithm
    measure, convention = _measured(plan, job)

    def show_weakest() -> None:
        everywhere = _scores(algorithm, record, dataset.X)
        weakest = weakest_query(dataset, everywhere, measure, convention)
        st.session_state["query"] = weakest + 1

    with st.container(horizontal=True, key="which_query"):
        _keep_query_within(dataset)
        number = controls.query_picker(dataset.n_queries, "collapsed")
        st.button(
            "Weakest",
            key="weakest",
            help="The query on which the model loses most.",
            on_click=show_weakest,
        )
    query = dataset.query(number - 1)
    scores = _scores(algorithm, record, query.X)
    numbers = query_ranking(query, scores, measure, convention)
    with heading:
        frame.heading(f"Query {query.id}", "model → ideal")
    live.ranking(
        numbers,
        key="ranking",
        rows=ROWS,
        palette=theme.colours(),
        alt=_sentence(numbers),
    )
    st.caption(_caption(numbers, str(measure)))


def _splits(plan: jobs.Plan, job: Job | None) -> Splits:
    """The data of the run, which may not be the data that is chosen now."""
    if job is None or job.run.train is plan.splits.train:
        return plan.splits
    return Splits(job.run.train, job.run.valid)


def _keep_query_within(dataset: RankingDataset) -> None:
    if st.session_state.get("query", 1) > dataset.n_queries:
        st.session_state["query"] = 1


def _scores(algorithm: Ranker, record: Record | None, X: np.ndarray) -> np.ndarray:
    """Scores after a record; before the first all are equal."""
    return np.zeros(len(X)) if record is None else algorithm.scores(X, record.coef)


def _sentence(numbers: QueryRanking) -> str:
    labels = ", ".join(str(label) for label in numbers.labels[:ROWS])
    return f"Labels of the documents in the order of the model: {labels}."


def _caption(numbers: QueryRanking, measure: str) -> str:
    if math.isnan(numbers.value):
        return f"{measure} is undefined: this query has no relevant document."
    hidden = len(numbers.documents) - ROWS
    more = f" {hidden} more documents are further down." if hidden > 0 else ""
    return (
        f"{measure} of this query: {numbers.value:.3f}. Lines that are steep near the "
        f"top cost the most.{more}"
    )


def _measure(plan: jobs.Plan, job: Job | None) -> str:
    return str(_measured(plan, job)[0])


def _measured(plan: jobs.Plan, job: Job | None) -> tuple[Measure, str]:
    if job is None:
        return parse(plan.measure.name), plan.measure.convention
    return job.run.measures[0], job.run.convention


def _colour(plan: jobs.Plan, job: Job | None) -> str:
    algorithm = plan.algorithm if job is None else job.algorithm
    return theme.algorithm_style(type(algorithm).__name__)[0]


def _caption_row(
    key: str, name: str, note: str, job: Job | None, rows: Callable[[], Any] | None
) -> None:
    """The caption above a figure, and the table behind the figure."""
    with st.container(horizontal=True, vertical_alignment="center"):
        frame.heading(name, note)
        with st.popover(
            "Table", key=key, type="tertiary", on_change="rerun", disabled=job is None
        ) as popover:
            if not popover.open or job is None or rows is None:
                return
            if job.state in ("running", "queued"):
                st.caption("Pause to see the numbers.")
            else:
                st.dataframe(rows(), hide_index=True)


def _three(value: float | None) -> str:
    return NONE_YET if value is None or math.isnan(value) else f"{value:.3f}"


def _best_note(best: Record | None, measure: str) -> str:
    if best is None or measure not in best.valid:
        return ""
    return f"best {best.valid[measure]:.3f} at {best.iteration}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"


def _pace(job: Job, record: Record) -> str:
    if not record.iteration:
        return ""
    step = record.seconds / record.iteration
    if job.state != "running":
        return f"{1000 * step:.3g} ms a step"
    seconds = max(step, 1 / job.speed if job.speed else 0.0)
    left = seconds * (job.algorithm.max_iter - record.iteration)
    return f"at most {left:.0f} s to go"
