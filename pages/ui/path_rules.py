"""Several rules of one algorithm compared: a path for each, in one picture."""

from functools import partial

import numpy as np
import streamlit as st

from pages.ui import frame, linked_job, path_choice, path_jobs
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import best_one, part_name, symbol
from pages.ui.theme import colours
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import sparsity as insight
from rankcore.insight.bootstrap import RelativeChange
from rankcore.insight.shrinkage import STEP, settled_rules, shrunk_once
from rankcore.jobs import Job, Study
from rankcore.paths import Path

ONCE = np.array([0.3, -0.1, 0.05])


def _buttons(plan: PathPlan, job: Job | None, moving: bool) -> None:
    """Begin or end the paths, and say what is going on."""
    same = job is not None and path_jobs.matches(job, plan)
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        if same and moving:
            st.button(
                "Stop",
                key="stop_rules",
                icon=":material/stop:",
                type="primary",
                on_click=path_jobs.stop,
                args=("rules",),
            )
        else:
            st.button(
                f"Train {len(plan.algorithm.comparisons)} paths",
                key="train_rules",
                icon=":material/play_arrow:",
                type="primary",
                disabled=plan.refusal is not None,
                on_click=path_jobs.start_rules,
                args=(plan,),
            )
        _say(plan, job, same)


def settled(algorithm: type) -> None:
    """Where the rules of shrinking come to rest on four documents."""
    if "shrinkage" not in hyperparameters(algorithm):
        return
    found = settled_rules()
    printed, divided, langford, plain = found
    frame.heading(
        "Where each rule comes to rest",
        f"four documents, three features, g = {plain.g:g}, η = {STEP:g}",
    )
    st.dataframe(
        [{"rule": rule.name, "β": _vector(rule.coef)} for rule in found],
        hide_index=True,
        key="settled_rules",
    )
    st.markdown(
        f"The printed rule stops at {_vector(printed.coef)}, beside that of K = 1 with "
        f"g / {printed.interval}, {_vector(divided.coef)}; it is a weaker penalty than "
        f"g says. Only Langford’s rule, at {_vector(langford.coef)}, is beside K = 1 "
        "with g itself and drops as many features. One shrinkage by ηg = 0.1 takes "
        f"{_vector(ONCE, 2)} to {_vector(shrunk_once(ONCE, 0.1), 1)}."
    )


def _vector(numbers: np.ndarray, digits: int = 4) -> str:
    return "({})".format(", ".join(f"{n:.{digits}f}" for n in numbers)).replace(
        "-", "−"
    )


def rows() -> list[dict[str, object]]:
    """The points of all rules so far, a row each; none without paths."""
    job = path_jobs.current("rules")
    paths = {} if job is None else path_jobs.rules_of(job)
    return [
        {"rule": name, **row}
        for name, path in paths.items()
        for row in path_jobs.rows(path)
    ]


def _say(plan: PathPlan, job: Job | None, same: bool) -> None:
    names = list(plan.algorithm.comparisons)
    if plan.refusal is not None:
        st.warning(plan.refusal, icon=":material/block:")
    elif job is None:
        st.caption(
            f"{', '.join(names[:-1])} and {names[-1]}: {plan.count} models each, drawn "
            "as they are ready."
        )
    elif job.error is not None:
        st.error(job.error, icon=":material/error:")
    elif not same:
        st.caption("The settings have changed; what you see are the paths before.")
    elif job.ended:
        st.caption(job.run.reason or "Stopped; the points that were ready stay.")
    else:
        st.caption("Points appear as they are ready.")


def show(plan: PathPlan, job: Job | None, log: bool, tolerance: float) -> None:
    """Draw the buttons and the paths, and keep drawing as long as they grow."""
    moving = linked_job.moves(job)
    _buttons(plan, job, moving)
    if job is None:
        st.info(
            "Nothing is trained yet. The picture will show the measure and the number "
            f"of features against {symbol(plan)} for each rule.",
            icon=":material/show_chart:",
        )
        return
    begun = path_jobs.plan_of(job, plan)
    panel = partial(_panel, begun, job, log, tolerance, moving)
    linked_job.watch(job, moving, panel)


def _panel(plan: PathPlan, job: Job, log: bool, tolerance: float, moving: bool) -> None:
    paths = path_jobs.rules_of(job)
    if moving:
        study: Study = job.run
        st.progress(study.share, f"{study.done} of {study.total} models are ready")
    begun = {name: path for name, path in paths.items() if path.points}
    if begun:
        found = {
            name: path_choice.smallest(plan, path, tolerance)
            for name, path in begun.items()
        }
        changes = {
            name: None
            if moving
            else path_choice.tested(plan, f"{job.id} {name}", path, found[name])
            for name, path in begun.items()
        }
        _facts(plan, found, changes)
        _picture(plan, begun, found, log)


def _facts(
    plan: PathPlan,
    found: dict[str, insight.Smallest],
    changes: dict[str, RelativeChange | None],
) -> None:
    first = next(iter(found.values()))
    near = f"within {100 * first.tolerance:g} % of"
    frame.heading(f"Smallest model {near} {best_one(first)}", "the best of each rule")
    frame.facts(
        [
            frame.Fact(
                f"{name}, {near} its best",
                path_choice.kept(left),
                f"{symbol(plan)} = {left.value:.4g}"
                + ("" if change is None else f", test {path_choice.said(change)}"),
            )
            for (name, left), change in zip(
                found.items(), changes.values(), strict=True
            )
        ]
    )
    tested = next((change for change in changes.values() if change is not None), None)
    if tested is not None:
        st.caption(
            f"Test: {first.measure} against that of the rule’s full model, the one "
            f"with the most features. {path_choice.interval(tested)}"
        )


def _picture(
    plan: PathPlan,
    paths: dict[str, Path],
    smallest: dict[str, insight.Smallest],
    log: bool,
) -> None:
    from rankcore.charts.path_rules import rules_figure

    measure = plan.measure.name
    part = insight.choice_part(next(iter(paths.values())))
    found = {name: insight.curves(path, measure) for name, path in paths.items()}
    frame.heading(
        f"{part_name(part)} {measure} and features against {symbol(plan)}",
        "large mark: the smallest model of a rule",
    )
    frame.figure(
        rules_figure(
            found,
            part,
            measure,
            symbol(plan),
            log=log,
            marked={name: left.at for name, left in smallest.items()},
            palette=colours(),
        ),
        key="rules_compared",
        alt="At the last value "
        + ", ".join(
            f"{name} keeps {curve.nonzeros[-1]:g} features"
            for name, curve in found.items()
        )
        + ".",
        table=lambda: [
            {
                "rule": name,
                symbol(plan): value,
                "features": nonzeros,
                f"{part_name(part)} {measure}": measured,
            }
            for name, curve in found.items()
            for value, nonzeros, measured in zip(
                curve.values, curve.nonzeros, curve.measured[part], strict=True
            )
        ],
    )
