"""What restarts of all features came to, as the paper's Table 5 puts it."""

from collections.abc import Sequence

import streamlit as st

from pages.ui import datasets, frame
from rankcore.insight import table_five
from rankcore.insight.end_points import Outcome, RestartSubject
from rankcore.jobs import Job

# The best of a few can be told to vary from as many restarts as that.
FEW, ENOUGH = 5, 20
WIDE = st.column_config.TextColumn(width=112)


def show(job: Job, found: Sequence[Outcome]) -> None:
    """A row a sharpness; beside it the published one, where it is about the same."""
    study: RestartSubject = job.run.subject
    comparable = job.settings["normalise"] == datasets.AS_GIVEN and (
        table_five.is_published(
            str(job.settings["data"]),
            study.dataset,
            study.learner.measure(study.dataset),
        )
    )
    frame.heading(
        "Table 5",
        f"{study.measure} on all {study.dataset.n_queries:,} training queries, as "
        "LETOR 3.0's script counts it",
    )
    st.dataframe(
        rows(found, comparable),
        hide_index=True,
        # While restarts end, figures grow wider than the first ones.
        column_config={"one start": WIDE, f"best of {FEW}": WIDE},
        key="table5_rows",
    )
    st.caption(words(found, comparable))


def rows(found: Sequence[Outcome], comparable: bool) -> list[dict[str, str]]:
    """The table, as text."""
    table = []
    for outcome in found:
        row = {
            "α": f"{outcome.alpha:g}",
            "one start": _one(outcome),
            f"best of {FEW}": _few(outcome),
            "best of all": f"{outcome.best:.3f}",
        }
        known = table_five.published(outcome.alpha) if comparable else None
        if known is not None:
            row |= {
                "published, one start": f"{known.one:.4f}",
                "published, best of 100": f"{known.hundred:.4f}",
            }
        table.append(row | {"restarts": f"{outcome.restarts}"})
    return table


def words(found: Sequence[Outcome], comparable: bool) -> str:
    """What the figures are, and what their differences are worth."""
    meaning = (
        "The best is the one of the largest training surrogate. After ± stands a "
        "standard deviation; the best of all has none, for there is one such draw. "
    )
    if min(outcome.restarts for outcome in found) < ENOUGH:
        return meaning
    means = [outcome.mean for outcome in found]
    widest = max(outcome.deviation for outcome in found)
    if not comparable:
        return meaning + (
            f"On average one start is worth up to {max(means) - min(means):.3f} more "
            f"at one α than at another; a single one varies by up to ± {widest:.3f}."
        )
    apart = table_five.published_apart()
    verdict = ": their order is restart noise" if widest > apart.one else ""
    return meaning + (
        f"The published figures of one start are at most {apart.one:.4f} apart; a "
        f"single start varies by up to ± {widest:.3f} here{verdict}. Those of a "
        f"hundred are up to {apart.hundred:.4f} apart: by how much these vary, another "
        "seed shows."
    )


def _one(outcome: Outcome) -> str:
    known = "" if outcome.restarts < 2 else f" ± {outcome.deviation:.3f}"
    return f"{outcome.mean:.3f}{known}"


def _few(outcome: Outcome) -> str:
    if outcome.restarts < ENOUGH:
        return "–"
    return f"{outcome.expected[FEW - 1]:.3f} ± {outcome.varies[FEW - 1]:.3f}"
