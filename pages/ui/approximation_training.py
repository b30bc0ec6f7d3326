"""Errors of a surrogate along training on the Approximation page, as a job."""

from typing import NamedTuple

import streamlit as st

from pages.ui import (
    approximation_panels,
    controls,
    datasets,
    frame,
    jobs,
    linked_job,
    state,
)
from pages.ui.approximation_panels import small
from pages.ui.theme import colours
from rankcore.algorithms._approximation import Approximation
from rankcore.charts.approximation_training import curves_figure, spread_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import approximate_list
from rankcore.insight.approximation_run import ErrorCurve, ErrorsRun
from rankcore.jobs import Job

POLL_SECONDS = 0.5
JOB = "approx_job"
MOVING = ("running", "queued")
SHARED = {"approx_view": "Along training", "approx_beta": 10.0}
PRESETS = {
    "Average precision, α = 100": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 100.0,
        "approx_optimiser": "lbfgs",
    },
    "nDCG, α = 100": SHARED
    | {
        "approx_measure": "nDCG",
        "approx_alpha": 100.0,
        "approx_optimiser": "lbfgs",
    },
    "The paper's Algorithm 1": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 100.0,
        "approx_optimiser": "stochastic",
    },
    "Softer: α = 10": SHARED
    | {
        "approx_measure": "AP",
        "approx_alpha": 10.0,
        "approx_optimiser": "lbfgs",
    },
    "Too sharp: α = 1000": SHARED
    | {
        "approx_measure": "nDCG",
        "approx_alpha": 1000.0,
        "approx_optimiser": "lbfgs",
    },
}


class Choice(NamedTuple):
    """What the settings say, and the same as keys and values."""

    data: str
    learner: Approximation
    passes: int
    settings: dict[str, object]


def settings() -> Choice:
    """Draw the controls of a measured run."""
    current()
    data = controls.dataset_picker()
    measure = approximation_panels.measure_picker()
    alpha, beta, cutoff = approximation_panels.sharpness()
    learner = approximate_list.surrogates(alpha, beta, cutoff)[measure]
    with st.expander("More settings", type="compact"):
        declared = hyperparameters(learner)
        optimiser = controls.hyperparameter(declared["optimiser"], "approx_optimiser")
        passes = st.slider(
            "Passes at most",
            10,
            300,
            state.default("approx_passes"),
            10,
            **state.widget("approx_passes"),
        )
        seed = controls.seed()
    learner.set_params(optimiser=optimiser, restart_passes=passes, random_state=seed)
    chosen = {
        "data": data,
        "normalise": state.get("normalise"),
        "approx_measure": state.get("approx_measure"),
        "approx_alpha": alpha,
        "approx_beta": beta,
        "approx_k": cutoff,
        "approx_optimiser": optimiser,
        "approx_passes": passes,
        "seed": seed,
    }
    return Choice(data, learner, passes, chosen)


def show(choice: Choice) -> None:
    """Draw the run in the link or the one before, as long as it grows."""
    splits = datasets.load_or_stop(choice.data)
    job = current()
    refusal = choice.learner.refuses(splits.train)
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        if job is not None and job.state in MOVING:
            st.button(
                "Stop",
                key="approx_stop",
                icon=":material/stop:",
                type="primary",
                on_click=job.stop,
            )
        else:
            st.button(
                "Train and measure",
                key="approx_train",
                icon=":material/play_arrow:",
                type="primary",
                disabled=refusal is not None,
                on_click=start,
                args=(choice,),
            )
        _say(choice, job, refusal)
    if job is None:
        st.info(
            "Nothing is measured yet. The picture will show how far the surrogate is "
            "from its measure after each pass of training, at several α and β.",
            icon=":material/show_chart:",
        )
        return
    every = POLL_SECONDS if job.state in MOVING else None
    st.fragment(_panel, run_every=every)(job, job.state)


def current() -> Job | None:
    """The measured run in the link, else the one this visitor looked at last."""
    return linked_job.current(JOB, ErrorsRun)


def rows() -> list[dict[str, object]]:
    """The errors found so far, a row a pass and sharpness; none without a run."""
    job = current()
    if job is None:
        return []
    curves = {(c.alpha, c.beta): c for c in [*job.run.by_alpha(), *job.run.by_beta()]}
    return [
        {
            "measure": job.settings["approx_measure"],
            "alpha": alpha,
            "beta": beta,
            "pass": int(iteration),
            "mean error": float(error),
            "queries without gradient": float(flat),
        }
        for (alpha, beta), curve in curves.items()
        for iteration, error, flat in zip(
            curve.iterations, curve.error, curve.flat, strict=True
        )
    ]


def start(choice: Choice) -> None:
    """Begin a run in place of the one before."""
    linked_job.begin(JOB, ErrorsRun, lambda: _submit(choice))


def _submit(choice: Choice) -> Job:
    train = datasets.load(choice.data, str(state.get("normalise"))).train
    return jobs.registry().submit(
        ErrorsRun(choice.learner, train, choice.passes),
        title=f"Errors of {type(choice.learner).title}",
        settings=choice.settings,
        play=True,
    )


def _say(choice: Choice, job: Job | None, refusal: str | None) -> None:
    if refusal is not None:
        st.warning(refusal, icon=":material/block:")
    elif job is None:
        st.caption(
            f"At most {choice.passes} passes over the training queries, each measured "
            "at the paper's α and β; curves grow as it trains."
        )
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif job.settings != choice.settings:
        st.caption("The settings have changed; what you see is the run before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; what was measured stays.")


def _panel(job: Job, drawn_in: str) -> None:
    job.touch()
    if job.state != drawn_in:
        st.rerun()
    run: ErrorsRun = job.run
    by_alpha, by_beta = run.by_alpha(), run.by_beta()
    done = len(by_alpha[0].iterations)
    if job.state in MOVING:
        share = min(done / (run.passes + 1), 1.0)
        st.progress(share, f"{done} models are measured")
    if not done:
        return
    own = next(curve for curve in by_alpha if curve.alpha == run.own[0])
    name = str(job.settings["approx_measure"])
    _facts(name, own, run)
    _flatness(job, own)
    left, right = st.columns(2, gap="medium")
    with left:
        _curves(name, by_alpha, run, "alpha")
        _spread(name, run)
    with right:
        _curves(name, by_beta, run, "beta")
        _flat(by_alpha, run)


def _facts(name: str, own: ErrorCurve, run: ErrorsRun) -> None:
    alpha, beta = run.own
    found = run.spread()
    frame.facts(
        [
            frame.Fact(
                f"Mean error ρ of {name}",
                small(float(own.error[-1])),
                f"α = {alpha:g}, β = {beta:g}",
            ),
            frame.Fact("At the start", small(float(own.error[0]))),
            frame.Fact("Median over queries", small(found.median)),
            frame.Fact("Largest of a query", small(found.largest)),
            frame.Fact("Queries without gradient", f"{own.flat[-1]:.0%}"),
        ]
    )


def _flatness(job: Job, own: ErrorCurve) -> None:
    """What it means that the run stands still."""
    flat = float(own.flat[-1])
    if not job.ended:
        return
    if flat > 0.5:
        st.warning(
            f"At α = {own.alpha:g} the gradient has vanished in {flat:.0%} of the "
            "queries. That training stopped may mean flat: the surrogate has no slope "
            "here, which need not be a maximum.",
            icon=":material/trending_flat:",
        )
    else:
        st.caption(
            f"At α = {own.alpha:g} the gradient has vanished in {flat:.0%} of the "
            "queries; the more there are, the more stopped may mean flat, not done."
        )


def _curves(name: str, curves: list[ErrorCurve], run: ErrorsRun, over: str) -> None:
    alpha, beta = run.own
    symbol, held = (
        ("α", f"β = {beta:g}") if over == "alpha" else ("β", f"α = {alpha:g}")
    )
    frame.heading(
        f"Error for several {symbol}", f"{held}; the trained {symbol} is bold"
    )
    last = [float(curve.error[-1]) for curve in curves]
    same = max(last) - min(last) < 1e-12
    sentence = (
        f"β plays no part in {name}: all its curves coincide."
        if over == "beta" and same
        else f"The error of {name} is {small(last[0])} at {symbol} = "
        f"{getattr(curves[0], over):g} and {small(last[-1])} at {symbol} = "
        f"{getattr(curves[-1], over):g}."
    )
    frame.figure(
        curves_figure(
            curves,
            over,  # type: ignore[arg-type]
            alpha if over == "alpha" else beta,
            _end(run),
            palette=colours(),
        ),
        key=f"approx_by_{over}",
        alt=sentence,
        table=lambda: {
            "pass": curves[0].iterations,
            **{f"{symbol} = {getattr(c, over):g}": c.error for c in curves},
        },
    )
    if over == "beta" and same:
        st.caption(sentence)


def _spread(name: str, run: ErrorsRun) -> None:
    found = run.spread()
    alpha, beta = run.own
    frame.heading(
        "Errors of the queries", f"the last model, α = {alpha:g}, β = {beta:g}"
    )
    frame.figure(
        spread_figure(found, colours()),
        key="approx_spread",
        alt=f"Half of the queries have an error of {name} below "
        f"{small(found.median)}; the largest is {small(found.largest)}.",
        table={
            "from": found.edges[:-1],
            "to": found.edges[1:],
            "queries": found.counts,
        },
    )


def _flat(curves: list[ErrorCurve], run: ErrorsRun) -> None:
    frame.heading("Vanished gradients", "share of queries; sharper means flatter")
    frame.figure(
        curves_figure(
            curves, "alpha", run.own[0], _end(run), "flat", palette=colours()
        ),
        key="approx_flat",
        alt=f"At α = {curves[-1].alpha:g} the gradient has vanished in "
        f"{curves[-1].flat[-1]:.0%} of the queries, at α = {curves[0].alpha:g} in "
        f"{curves[0].flat[-1]:.0%}.",
        table=lambda: {
            "pass": curves[0].iterations,
            **{f"α = {c.alpha:g}": c.flat for c in curves},
        },
    )


def _end(run: ErrorsRun) -> int:
    """Where the axis of passes ends: where the run did, once it has."""
    done = run.by_alpha()[0].iterations
    return run.passes if run.reason is None else int(done[-1])
