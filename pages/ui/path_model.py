"""The model at one point of a path: its features, its rankings, where to take it."""

import numpy as np
import streamlit as st

from pages.ui import frame, model_export, path_jobs, state
from pages.ui.choice import box
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import judge, part_name, symbol
from rankcore.dataset import RankingDataset
from rankcore.insight import sparsity as insight
from rankcore.paths import Path, PathPoint

SHOWN_QUERIES = 50
ROWS = 10


def show(plan: PathPlan, job: str, path: Path, chosen: int) -> None:
    """Draw the features and rankings of the chosen model."""
    point, dense = path.points[chosen], path.points[insight.densest(path)]
    left, right = st.columns(2, gap="medium")
    with left:
        _take(plan, point)
        _features(insight.kept_features(path, chosen))
    with right:
        _rankings(plan, job, point, dense)


def _features(found: insight.KeptFeatures) -> None:
    frame.heading("Features that survive", "largest coefficient first")
    st.dataframe(
        {
            "feature": list(found.names),
            "coefficient": found.coef,
            "with all": found.dense,
        },
        hide_index=True,
        height=300,
        column_config={
            "feature": st.column_config.TextColumn(width=220),
            "with all": st.column_config.NumberColumn(
                help="The coefficient in the model with the most features.",
                format="%.3g",
            ),
            "coefficient": st.column_config.NumberColumn(format="%.3g"),
        },
    )


def _rankings(plan: PathPlan, job: str, point: PathPoint, dense: PathPoint) -> None:
    part = judge(point)
    dataset = getattr(plan.splits, part)
    name, convention = plan.measure.name, plan.measure.convention
    found = _changed(
        (job, point.value, part, name, convention), dataset, dense.coef, point.coef
    )
    frame.heading(
        "Rankings that change",
        f"{found.differing} of {dataset.n_queries} {part_name(part).lower()} queries "
        f"differ in {name}",
    )
    at = _query_picker(found)
    query = dataset.query(int(found.positions[at]))
    moved = insight.moved_ranking(query, dense.coef, point.coef, name, convention)
    st.caption(
        f"Left: {dense.nonzeros} features, {name} {_three(found.before[at])}. Right: "
        f"{symbol(plan)} = {point.value:.4g}, {point.nonzeros} features, "
        f"{_three(found.after[at])}."
    )
    frame.chips(
        moved,
        key="path_ranking",
        rows=ROWS,
        alt=f"{found.moved[at]} documents are new in the top 10 of query {query.id}.",
        beside=f"rank at {symbol(plan)} = {point.value:.4g}",
    )
    with st.expander("All queries", key="all_changed", on_change="rerun") as queries:
        if queries.open:
            st.dataframe(
                {
                    "query": found.query_ids,
                    "most features": found.before,
                    "here": found.after,
                    "new in the top 10": found.moved,
                },
                hide_index=True,
            )


def _query_picker(found: insight.Changed) -> int:
    """Choose a query, the one that changes most first; its place in ``found``."""
    shown = found.query_ids[:SHOWN_QUERIES]
    wanted = str(state.get("path_query"))
    chosen = wanted if wanted in shown else shown[0]
    labels = {
        name: f"query {name}: {_three(before)} → {_three(after)}"
        for name, before, after in zip(shown, found.before, found.after, strict=False)
    }
    box("Query", "path_query", labels, chosen, label_visibility="collapsed")
    return shown.index(chosen)


@st.cache_data(max_entries=64, show_spinner=False)
def _changed(
    asked: tuple[str, float, str, str, str],
    _dataset: RankingDataset,
    _before: np.ndarray,
    _after: np.ndarray,
) -> insight.Changed:
    return insight.changed(_dataset, _before, _after, *asked[3:])


def _take(plan: PathPlan, point: PathPoint) -> None:
    algorithm = type(plan.algorithm)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Take this model to Train live",
            key="take",
            icon=":material/arrow_forward:",
            help="A run there that begins at this model, with its data and settings.",
        ):
            _train_from(plan, point)
        with st.popover(
            "Export this model", key="export_model", on_change="rerun"
        ) as popover:
            if popover.open:
                model_export.show(
                    f"The model at {symbol(plan)} = {point.value:.4g}, for",
                    lambda: point.model,
                    f"{algorithm.__name__}-{plan.over}-{point.value:.4g}",
                )


def _train_from(plan: PathPlan, point: PathPoint) -> None:
    """Go to Train live, where a run waits that begins at a point."""
    try:
        job = path_jobs.train_from(plan, point)
    except ValueError as error:
        st.toast(str(error), icon=":material/block:", duration="long")
        return
    st.switch_page("pages/train.py", query_params={"job": job.id})


def _three(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"
