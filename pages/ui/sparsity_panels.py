"""The panels of the Sparsity page: the trade-off, the paths, the chosen model."""

import numpy as np
import streamlit as st

from pages.ui import frame, path_jobs, state
from pages.ui.path_jobs import PathPlan
from pages.ui.theme import algorithm_style, colours
from rankcore.charts.sparsity import paths_figure, ratios_figure, trade_off_figure
from rankcore.exports import get_format
from rankcore.hyperparameters import Hyperparameter, hyperparameters
from rankcore.insight import sparsity as insight
from rankcore.jobs import Job
from rankcore.paths import CUTOFFS, Path, PathPoint

POLL_SECONDS = 0.5
SHOWN_QUERIES = 50
MOVING = ("running", "queued")


def values_picker() -> int:
    """Choose how many values the path has."""
    return st.slider(
        "Values on the path",
        4,
        40,
        state.default("values"),
        help="Spread over the whole range of the hyperparameter; each starts from the "
        "model before.",
        **state.widget("values"),
    )


def axis_picker() -> bool:
    """Choose a logarithmic or a linear axis; whether it is logarithmic."""
    chosen = st.segmented_control(
        "Axis",
        ("log", "linear"),
        default=state.default("axis"),
        required=True,
        **state.widget("axis"),
    )
    return chosen == "log"


def tolerance_picker() -> float:
    """Choose the loss that is tolerated; returns it as a share."""
    percent = st.slider(
        "Tolerated loss, %",
        0.0,
        10.0,
        state.default("tolerance"),
        0.5,
        help="Mean relative loss of nDCG@1 to nDCG@10 against the model with the most "
        "features.",
        **state.widget("tolerance"),
    )
    return percent / 100.0


def buttons(plan: PathPlan, job: Job | None) -> None:
    """Begin or end a path, and say what is going on."""
    moving = job is not None and job.state in MOVING and path_jobs.matches(job, plan)
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        if moving:
            st.button(
                "Stop",
                key="stop_path",
                icon=":material/stop:",
                type="primary",
                shortcut="P",
                on_click=path_jobs.stop,
            )
        else:
            st.button(
                "Train the path",
                key="train_path",
                icon=":material/play_arrow:",
                type="primary",
                shortcut="P",
                disabled=plan.refusal is not None,
                on_click=path_jobs.start,
                args=(plan,),
            )
        _say(plan, job)


def _say(plan: PathPlan, job: Job | None) -> None:
    declared = _declared(plan)
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
    elif job is None:
        st.caption(
            f"{plan.count} models, from {declared.low:g} to {declared.high:g}. "
            "Press the button, or the key P; points appear as they are ready."
        )
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not path_jobs.matches(job, plan):
        st.caption("The settings have changed; what you see is the path before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; the points that were ready stay.")


def show(plan: PathPlan, job: Job | None, log: bool, tolerance: float) -> None:
    """Draw a path, and keep drawing as long as it grows."""
    if job is None:
        st.info(
            "Nothing is trained yet. The picture will show the measure and the number "
            f"of features at {plan.count} values of {_symbol(plan)}.",
            icon=":material/show_chart:",
        )
        return
    every = POLL_SECONDS if job.state in MOVING else None
    st.fragment(_panel, run_every=every)(plan, job, log, tolerance, job.state)


def _panel(
    plan: PathPlan, job: Job, log: bool, tolerance: float, drawn_in: str
) -> None:
    job.touch()
    if job.state != drawn_in:
        st.rerun()
    path = path_jobs.of(job)
    ready = len(path.points)
    if job.state in MOVING:
        st.progress(
            ready / len(path.values), f"{ready} of {len(path.values)} models are ready"
        )
    if not ready:
        return
    chosen = _chosen(plan, path, tolerance, growing=job.state in MOVING)
    _facts(plan, path, chosen, tolerance)
    _trade_off(plan, path, log, chosen)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _paths(plan, path, log, chosen)
    with right:
        _ratios(plan, path, chosen)
    if job.state not in MOVING:
        _model(plan, path, chosen)


def _chosen(plan: PathPlan, path: Path, tolerance: float, growing: bool) -> int:
    """The point to look at: the sparsest that is tolerated, until one is chosen."""
    values = [point.value for point in path.points]
    sparsest = _sparsest(path, tolerance).value
    key = "path_point"
    if growing or len(values) == 1:
        return values.index(sparsest)
    if st.session_state.get(key) not in values:
        st.session_state[key] = sparsest
    picked = st.select_slider(
        f"Look at {_symbol(plan)} =",
        values,
        key=key,
        format_func=lambda value: f"{value:.4g}",
    )
    return values.index(picked)


def _facts(plan: PathPlan, path: Path, chosen: int, tolerance: float) -> None:
    point, measure = path.points[chosen], plan.measure.name
    part = _judge(point)
    left = _sparsest(path, tolerance)
    value = point.measures[part][measure]
    frame.facts(
        [
            frame.Fact(_symbol(plan), f"{point.value:.4g}", "what you look at"),
            frame.Fact(
                "Features left", str(point.nonzeros), f"of {len(path.feature_names)}"
            ),
            frame.Fact(f"{_part(part)} {measure}", f"{value:.4f}", _data(plan)),
            frame.Fact(
                f"Fewest features at {100 * tolerance:g} % loss",
                str(left.left),
                f"{_symbol(plan)} = {left.value:.4g}, {left.change:+.1%}",
            ),
        ]
    )


def _sparsest(path: Path, tolerance: float) -> insight.Tolerated:
    part, reference = _judge(path.points[0]), insight.densest(path)
    return insight.features_left(path, tolerance, part=part, reference=reference)


def _trade_off(plan: PathPlan, path: Path, log: bool, chosen: int) -> None:
    measure = plan.measure.name
    found = insight.curves(path, measure)
    frame.heading(
        f"{measure} and features against {_symbol(plan)}",
        "solid: training, dashed: validation, dotted: test; below: features in use",
    )
    lowest, highest = int(found.nonzeros.min()), int(found.nonzeros.max())
    part = _judge(path.points[0])
    values = found.measured[part]
    frame.figure(
        trade_off_figure(
            found,
            measure,
            _symbol(plan),
            algorithm_style(type(plan.algorithm).__name__)[0],
            log=log,
            chosen=chosen,
            palette=colours(),
        ),
        key="trade_off",
        alt=f"From {highest} features to {lowest}, {_part(part).lower()} {measure} "
        f"lies between {values.min():.3f} and {values.max():.3f}.",
        table=path.to_frame(),
    )


def _paths(plan: PathPlan, path: Path, log: bool, chosen: int) -> None:
    frame.heading("Coefficients along the path", "the largest have names")
    drawn = path.coefficients
    survivor = path.feature_names[int(np.argmax(np.abs(drawn).max(axis=0)))]
    frame.figure(
        paths_figure(
            np.array([point.value for point in path.points]),
            drawn,
            path.feature_names,
            _symbol(plan),
            log=log,
            chosen=chosen,
            palette=colours(),
        ),
        key="coefficient_paths",
        alt=f"The largest coefficient is that of {survivor}.",
        table=path.coefficients_to_frame().reset_index(),
    )


def _ratios(plan: PathPlan, path: Path, chosen: int) -> None:
    part = _judge(path.points[0])
    reference = insight.densest(path)
    kept = insight.ratios(path, part, CUTOFFS, reference)
    frame.heading(
        "What is kept at each cutoff",
        f"{_part(part).lower()} nDCG@k over that of the model with the most features",
    )
    worst = float(np.nanmin(kept[chosen]))
    frame.figure(
        ratios_figure(
            np.array([point.value for point in path.points]),
            kept,
            CUTOFFS,
            _symbol(plan),
            chosen,
            algorithm_style(type(plan.algorithm).__name__)[0],
            colours(),
        ),
        key="ratios",
        alt=f"The chosen model keeps at least {worst:.1%} at every cutoff.",
        table={
            _symbol(plan): [point.value for point in path.points],
            **dict(zip(CUTOFFS, kept.T, strict=True)),
        },
    )


def _model(plan: PathPlan, path: Path, chosen: int) -> None:
    """The features and rankings of the chosen model, and where to take it."""
    point, dense = path.points[chosen], path.points[insight.densest(path)]
    left, right = st.columns(2, gap="medium")
    with left:
        frame.heading("Features that survive", "largest coefficient first")
        order = np.argsort(-np.abs(point.coef), kind="stable")[: point.nonzeros]
        st.dataframe(
            {
                "feature": [path.feature_names[j] for j in order],
                "coefficient": point.coef[order],
                "with all": dense.coef[order],
            },
            hide_index=True,
            height=260,
            column_config={
                "feature": st.column_config.TextColumn(width=220),
                "with all": st.column_config.NumberColumn(
                    help="The coefficient in the model with the most features.",
                    format="%.3g",
                ),
                "coefficient": st.column_config.NumberColumn(format="%.3g"),
            },
        )
    with right:
        _rankings(plan, point, dense)
    _take(plan, point)


def _rankings(plan: PathPlan, point: PathPoint, dense: PathPoint) -> None:
    part = _judge(point)
    dataset = getattr(plan.splits, part)
    measure = plan.measure
    found = insight.changed(
        dataset, dense.coef, point.coef, measure.name, measure.convention
    )
    differing = int((np.nan_to_num(found.before - found.after) != 0.0).sum())
    frame.heading(
        "Rankings that change",
        f"{differing} of {dataset.n_queries} {_part(part).lower()} queries differ in "
        f"{measure.name}",
    )
    st.dataframe(
        {
            "query": found.query_ids[:SHOWN_QUERIES],
            "most features": found.before[:SHOWN_QUERIES],
            "here": found.after[:SHOWN_QUERIES],
            "new in the top 10": found.moved[:SHOWN_QUERIES],
        },
        hide_index=True,
        height=260,
    )


def _take(plan: PathPlan, point: PathPoint) -> None:
    algorithm = type(plan.algorithm)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(
            "Take these settings to Train live",
            key="take",
            icon=":material/arrow_forward:",
        ):
            values = {
                name: getattr(plan.algorithm, name)
                for name in hyperparameters(algorithm)
                if name != "random_state"
            }
            state.apply(state.scenario(algorithm, {**values, plan.over: point.value}))
            st.switch_page("pages/train.py")
        st.download_button(
            "This model as JSON",
            lambda: get_format("json").write(point.model, "model"),
            file_name=f"{algorithm.__name__}-{plan.over}-{point.value:.4g}.json",
            mime="application/json",
            on_click="ignore",
            key="path_model",
        )


def _declared(plan: PathPlan) -> Hyperparameter:
    return hyperparameters(plan.algorithm)[plan.over]


def _symbol(plan: PathPlan) -> str:
    """The hyperparameter's symbol in plain letters, else its name."""
    symbol = _declared(plan).symbol
    return symbol if symbol and symbol.isalpha() else plan.over.replace("_", " ")


def _data(plan: PathPlan) -> str:
    return f"{plan.settings['data']}, {plan.measure.convention}"


def _judge(point: PathPoint) -> str:
    """The part that judges: test where there is one."""
    return next(part for part in ("test", "valid", "train") if part in point.measures)


def _part(part: str) -> str:
    return {"train": "Training", "valid": "Validation", "test": "Test"}[part]
