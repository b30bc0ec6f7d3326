"""Along training: the error of a surrogate while models are trained."""

from functools import partial
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.approximation import _surrogate
from rankcore import views
from rankcore.algorithms import Approximation
from rankcore.base.numbers import percent, read_number, three_digits
from rankcore.studies import Study
from rankcore.topics.approximation import training as insight
from rankcore.topics.approximation import training_figure as charts
from rankcore.topics.approximation.training import (
    ErrorMeter,
    SharpnessSubject,
    sharpness_name,
)

ITERATIONS = views.Number(
    "approx_passes",
    60,
    "Maximum iterations",
    meaning="Limit of each run.",
    group=views.MORE,
    low=10,
    high=300,
    step=10,
    whole=True,
)


def _pair(text: str) -> tuple[float, float] | None:
    """Return α and β of a run written as ``100/50``; None for any other text."""
    try:
        alpha, beta = map(read_number, text.split("/"))
    except ValueError:
        return None
    return alpha, beta


RUN = views.Text(
    "approx_run",
    "",
    "Run shown",
    read=_pair,
    rule="Write its α and β as 100/50.",
    inline=True,
    studied=False,
)


def _preset(measure: str, alpha: float, optimiser: str = "lbfgs") -> dict[str, Any]:
    sharpness = {"approx_alpha": alpha, "approx_beta": 10.0}
    return sharpness | {"approx_measure": measure, "approx_optimiser": optimiser}


PRESETS = {
    "AP, α = 100": _preset("AP", 100.0),
    "nDCG, α = 100": _preset("nDCG", 100.0),
    "The paper's Algorithm 1": _preset("AP", 100.0, "stochastic"),
    "Softer: α = 10": _preset("AP", 10.0),
    "Too sharp: α = 1000": _preset("nDCG", 1000.0),
}


def _learner(values: views.Values) -> Approximation:
    return _surrogate.learner(values).set_params(
        optimiser=values.approx_optimiser,
        restart_passes=values.approx_passes,
        random_state=values.seed,
    )


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the errors of all runs, and the errors of one run in detail."""
    if study is None:
        return views.Shown()
    subject: SharpnessSubject = study.subject
    runs, chosen = subject.runs, subject.chosen
    run = runs.get(_pair(values.approx_run) or chosen, runs[chosen])
    if not run.iterations:
        return views.Shown()

    over_alpha, over_beta = subject.by_alpha(), subject.by_beta()
    shown, last, palette = (run.alpha, run.beta), subject.last, values.palette
    by_alpha = partial(charts.curves_figure, over_alpha, "alpha", shown, last)
    by_beta = partial(charts.curves_figure, over_beta, "beta", shown, last)
    vanished = subject.vanished_text(run)
    notice = views.Notice(vanished, "trending_flat", run.vanished_share > 0.5)
    left: list[views.Block] = [
        views.Panel(
            "approx_by_alpha",
            "Error for several α",
            f"one run each, β = {chosen[1]:g}; bold: the run shown",
            by_alpha(palette=palette),
        ),
        *([notice] if vanished else []),
        views.Ask([_runs(values, subject)]),
        views.Panel(
            "approx_spread",
            "Errors of the queries",
            f"the last model at {sharpness_name(*shown)}",
            charts.spread_figure(run.spread(), palette),
        ),
    ]
    no_beta = f"β does not affect {subject.measure}: one run covers all values."
    right: list[views.Block] = [
        views.Panel(
            "approx_by_beta",
            "Error for several β",
            f"one run each, α = {chosen[0]:g}; bold: the run shown",
            by_beta(palette=palette, height=charts.LOW),
        ),
        *([views.Caption(no_beta)] if len(over_beta) == 1 else []),
        views.Panel(
            "approx_flat",
            "Vanished gradients",
            "share of queries; sharper means flatter",
            by_alpha(figure_of="flat", palette=palette, height=charts.LOW),
        ),
    ]
    errors = {"Errors": subject.rows}
    return views.Shown(
        _facts(subject, run), [views.Row([left, right], widths=(5, 3))], errors
    )


def _runs(values: views.Values, subject: SharpnessSubject) -> views.Listed:
    """Return the control that selects a run; the default is the current α and β."""
    names, pair = subject.names(), _pair(values.approx_run)
    if pair is not None:
        note = "" if pair in subject.runs else " (not in this study)"
        names.setdefault(values.approx_run, sharpness_name(*pair) + note)
    return views.Listed(RUN.key, "", RUN.label, names=names, studied=False)


def _facts(subject: SharpnessSubject, run: ErrorMeter) -> list[views.Fact]:
    curve, spread = run.curve(), run.spread()
    trained = f"trained at {sharpness_name(run.alpha, run.beta)}"
    name = f"Mean error ρ of {subject.measure}"
    return [
        views.Fact(name, three_digits(curve.error[-1]), trained),
        views.Fact("At the start", three_digits(curve.error[0])),
        views.Fact("Median over queries", three_digits(spread.median)),
        views.Fact("Largest of a query", three_digits(spread.largest)),
        views.Fact("Queries without gradient", percent(run.vanished_share)),
    ]


VIEW = views.View(
    "Along training",
    "The error of a surrogate while models are trained on it, for several α and β.",
    [
        shared.DATA,
        _surrogate.MEASURE,
        *_surrogate.SHARPNESS,
        _surrogate.OPTIMISER,
        ITERATIONS,
        shared.NORMALISE,
        shared.SEED,
        RUN,
    ],
    show,
    views.Work(
        lambda values: insight.sharpness_study(
            _learner(values), datasets.of(values).train, values.approx_passes
        ),
        "Train and measure models",
        lambda values: insight.promise_text(values.approx_passes),
    ),
    lambda values: _learner(values).unsupported_reason(datasets.of(values).train),
    PRESETS,
    _surrogate.EXPLAIN,
)
