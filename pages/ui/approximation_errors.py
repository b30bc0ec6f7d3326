"""The errors of a surrogate on the Approximation page, a training run a sharpness."""

from typing import Literal

import streamlit as st

from pages.ui import frame
from pages.ui.approximation_panels import small
from pages.ui.theme import colours
from rankcore.charts.approximation_training import curves_figure, spread_figure
from rankcore.insight.approximation_run import (
    ErrorCurve,
    ErrorMeter,
    SharpnessSubject,
)

SYMBOLS = {"alpha": "α", "beta": "β"}


def show(name: str, study: SharpnessSubject, run: ErrorMeter) -> None:
    """Draw all runs, and what one of them has come to.

    Parameters
    ----------
    name : str
        Of the measure.
    study : SharpnessSubject
    run : ErrorMeter
        The one looked at, measured at least once.
    """
    by_alpha = _begun(study.by_alpha())
    _facts(name, run)
    _flatness(run)
    left, right = st.columns(2, gap="medium")
    with left:
        _errors(name, by_alpha, study, run, "alpha")
        _spread(name, run)
    with right:
        _errors(name, _begun(study.by_beta()), study, run, "beta")
        _flat(by_alpha, study, run)


def rows(curve: ErrorCurve) -> list[dict[str, object]]:
    """The numbers of a run, a row a pass, for tables and files."""
    return [
        {
            "alpha": curve.alpha,
            "beta": curve.beta,
            "pass": int(iteration),
            "mean error": float(error),
            "queries without gradient": float(flat),
        }
        for iteration, error, flat in zip(
            curve.iterations, curve.error, curve.flat, strict=True
        )
    ]


def _begun(curves: list[ErrorCurve]) -> list[ErrorCurve]:
    return [curve for curve in curves if len(curve.iterations)]


def _facts(name: str, run: ErrorMeter) -> None:
    curve, found = run.curve(), run.spread()
    frame.facts(
        [
            frame.Fact(
                f"Mean error ρ of {name}",
                small(float(curve.error[-1])),
                f"trained at {_sharpness(run)}",
            ),
            frame.Fact("At the start", small(float(curve.error[0]))),
            frame.Fact("Median over queries", small(found.median)),
            frame.Fact("Largest of a query", small(found.largest)),
            frame.Fact("Queries without gradient", f"{curve.flat[-1]:.0%}"),
        ]
    )


def _flatness(run: ErrorMeter) -> None:
    """What it means that a run stands still."""
    flat = float(run.curve().flat[-1])
    if run.reason is None:
        return
    if flat > 0.5:
        st.warning(
            f"At α = {run.alpha:g} the gradient has vanished in {flat:.0%} of the "
            "queries. That training stopped may mean flat: the surrogate has no slope "
            "here, which need not be a maximum.",
            icon=":material/trending_flat:",
        )
    else:
        st.caption(
            f"At α = {run.alpha:g} the gradient has vanished in {flat:.0%} of the "
            "queries; the more there are, the more stopped may mean flat, not done."
        )


def _errors(
    name: str,
    curves: list[ErrorCurve],
    study: SharpnessSubject,
    run: ErrorMeter,
    over: Literal["alpha", "beta"],
) -> None:
    symbol, held = SYMBOLS[over], "beta" if over == "alpha" else "alpha"
    frame.heading(
        f"Error for several {symbol}",
        f"a run each, {SYMBOLS[held]} = {study.own[held == 'beta']:g}; "
        "the one looked at is bold",
    )
    if not curves:
        return
    first, last = curves[0], curves[-1]
    alone = over == "beta" and len(study.by_beta()) == 1
    sentence = (
        f"β plays no part in {name}: one run stands for all."
        if alone
        else f"Trained at {symbol} = {getattr(first, over):g} the error of {name} is "
        f"{small(float(first.error[-1]))}, at {symbol} = {getattr(last, over):g} "
        f"{small(float(last.error[-1]))}."
    )
    frame.figure(
        curves_figure(
            curves, over, _bold(run, study, over), _end(study), palette=colours()
        ),
        key=f"approx_by_{over}",
        alt=sentence,
        table=lambda: [row for curve in curves for row in rows(curve)],
    )
    if alone:
        st.caption(sentence)


def _spread(name: str, run: ErrorMeter) -> None:
    found = run.spread()
    frame.heading("Errors of the queries", f"the last model at {_sharpness(run)}")
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


def _flat(curves: list[ErrorCurve], study: SharpnessSubject, run: ErrorMeter) -> None:
    frame.heading("Vanished gradients", "share of queries; sharper means flatter")
    if not curves:
        return
    frame.figure(
        curves_figure(
            curves,
            "alpha",
            _bold(run, study, "alpha"),
            _end(study),
            "flat",
            palette=colours(),
        ),
        key="approx_flat",
        alt=f"Trained at α = {curves[-1].alpha:g} the gradient has vanished in "
        f"{curves[-1].flat[-1]:.0%} of the queries, at α = {curves[0].alpha:g} in "
        f"{curves[0].flat[-1]:.0%}.",
        table=lambda: [row for curve in curves for row in rows(curve)],
    )


def _sharpness(run: ErrorMeter) -> str:
    return f"α = {run.alpha:g}, β = {run.beta:g}"


def _bold(
    run: ErrorMeter, study: SharpnessSubject, over: Literal["alpha", "beta"]
) -> float | None:
    """The sharpness of the run looked at, where it is among those of a picture."""
    own_alpha, own_beta = study.own
    if over == "alpha":
        return run.alpha if run.beta == own_beta else None
    return run.beta if run.alpha == own_alpha else None


def _end(study: SharpnessSubject) -> int:
    """Where the axis of passes ends: where the longest run did, once all have."""
    if any(run.reason is None for run in study.runs.values()):
        return study.passes
    return max(int(run.curve().iterations[-1]) for run in study.runs.values())
