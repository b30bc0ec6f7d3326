"""The smallest model of a path that is close enough to the best, and its one test."""

import math

import streamlit as st

from pages.ui import frame
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import best_one, signed, symbol
from rankcore.dataset import RankingDataset
from rankcore.insight import sparsity as insight
from rankcore.insight.bootstrap import RelativeChange
from rankcore.measures import Rules
from rankcore.paths import Path


def smallest(plan: PathPlan, path: Path, tolerance: float) -> insight.Smallest:
    """The model that the page chooses, by the measure that it draws."""
    return insight.smallest(path, plan.measure.name, tolerance)


def tested(
    plan: PathPlan, asked: str, path: Path, found: insight.Smallest
) -> RelativeChange | None:
    """The chosen model against the full one on test data; None where there are none.

    ``asked`` is the path's own name among all that were ever trained.
    """
    if plan.splits.test is None:
        return None
    measure = plan.measure
    counted = (measure.name, measure.convention, measure.empty)
    return _tested((asked, found.at, *counted), path, plan.splits.test)


def facts(
    plan: PathPlan, path: Path, found: insight.Smallest, change: RelativeChange | None
) -> None:
    """The rule, the model that it chooses, and what the test data say of it."""
    at = symbol(plan)
    rows = [
        frame.Fact(
            f"Smallest model within {100 * found.tolerance:g} % of {best_one(found)}",
            kept(found),
            f"{at} = {found.value:.4g} with {found.measured:.3f}; the best is "
            f"{found.best:.3f}, at {at} = {path.points[found.best_at].value:.4g}",
        )
    ]
    if change is not None:
        full = path.points[insight.densest(path)]
        rows.append(
            frame.Fact(
                f"Test {found.measure} {change.after:.3f} against {change.before:.3f} "
                "for the full model",
                said(change),
                f"Full: {full.nonzeros} features, {at} = {full.value:.4g}. "
                f"{interval(change)}",
            )
        )
    frame.facts(rows)


def kept(found: insight.Smallest) -> str:
    """The features of the chosen model."""
    return f"{found.left} of {found.features} features"


def said(change: RelativeChange) -> str:
    """A relative change with its interval, such as −3.8 % [−6.1, −1.2]; breaks once."""
    if math.isnan(change.change):
        return "no relative change"
    ends = (
        "no interval"
        if math.isnan(change.low)
        else f"{signed(change.low)}, {signed(change.high)}"
    )
    return " ".join(
        part.replace(" ", "\N{NO-BREAK SPACE}")
        for part in (f"{signed(change.change)} %", f"[{ends}]")
    )


def interval(change: RelativeChange) -> str:
    """How the intervals in brackets were found."""
    return (
        f"In brackets: {change.confidence:.0%} interval, paired bootstrap over "
        f"{change.queries} queries, {change.resamples} resamples, seed {change.seed}."
    ).replace("%", " %")


@st.cache_data(max_entries=64, show_spinner=False)
def _tested(
    asked: tuple[str, int, str, str, str], _path: Path, _dataset: RankingDataset
) -> RelativeChange:
    _, at, measure, *rules = asked
    return insight.against_full(_path, at, _dataset, measure, Rules(*rules))
