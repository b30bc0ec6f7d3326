"""The claim that clipping and dividing by the sum is a projection."""

import numpy as np
import streamlit as st

from pages.ui import cone_points, frame, state
from pages.ui.cone_claim_parts import Tables, vector, vector_names, verdict
from pages.ui.theme import colours
from rankcore.charts import cone_folding as charts
from rankcore.charts.cone import vector_name
from rankcore.insight import cone_claims as insight

RATES = (0.001, 0.01, 0.1)
DIAGONAL = np.array([[2.0, 0.0], [0.0, 1.0]])
TARGET = np.array([[1.0, 0.2]])


def settings() -> None:
    """The step length, the difference and the vectors."""
    st.select_slider(
        "Step length &ensp;$\\mu$",
        RATES,
        state.default("cone_rate"),
        help="Of both gradient rules.",
        **state.widget("cone_rate"),
    )
    cone_points.fields("cone_target", TARGET, ["z"], "Difference $z$")
    cone_points.fields("cone_vectors", DIAGONAL, vector_names(2), "Vector")


def show() -> Tables:
    """Where each rule of folding-in ends, and how far above the best."""
    z = cone_points.read("cone_target", TARGET)[0]
    basis = cone_points.read("cone_vectors", DIAGONAL).T
    rate = float(state.get("cone_rate"))
    paths = insight.folding_paths(basis, z, rate if rate in RATES else 0.01)
    exact, printed = paths["exact"], paths["sg"]
    excess = float(printed.values[-1] - exact.values[-1])
    verdict(
        "Steps 1a to 1c of Algorithm 1 take a gradient step, clip at zero and divide "
        "by the sum, to stay on the simplex.",
        "That is no projection. Where it comes to rest the slopes of the weights in "
        "use differ, so the weights are not the best, whatever μ is. Exponentiated "
        "gradient rests only where they are equal.",
        holds=False,
    )
    st.latex(
        rf"\|z - U w_\mathrm{{sg}}\|^2 = {printed.values[-1]:.6f} \;"
        rf"{'>' if excess > 1e-9 else '='}\; {exact.values[-1]:.6f} = "
        rf"\|z - U w^*\|^2, \qquad w_\mathrm{{sg}} = {vector(printed.weights[-1])},"
        rf"\; w^* = {vector(exact.weights[-1], 4)}"
    )
    rules = [_row(rule, path) for rule, path in paths.items()]
    steps = {
        "steps": printed.steps,
        **{
            f"{charts.RULE_NAMES[rule]} − exact": paths[rule].values - exact.values[-1]
            for rule in ("eg", "sg")
        },
    }
    left, right = st.columns(2, gap="medium")
    with left:
        frame.heading("Squared distance along the weights", "near where the rules end")
        frame.figure(
            charts.segment_figure(insight.along_segment(basis, z), paths, colours()),
            key="cone_segment",
            alt=f"Clipping and rescaling ends {excess:.6f} above the best.",
            table=rules,
        )
    with right:
        frame.heading("Above the best, step after step", f"μ = {rate:g}")
        frame.figure(
            charts.excess_figure(paths, colours()),
            key="cone_excess",
            alt=f"EG goes down to the best; SG stays {excess:.6f} above it.",
            table=steps,
        )
    st.dataframe(rules, hide_index=True, key="cone_rules")
    return {"Rules": rules, "Steps": steps}


def _row(rule: str, path: insight.FoldingPath) -> dict[str, object]:
    return {
        "rule": charts.RULE_NAMES[rule],
        "steps": "until solved" if rule == "exact" else f"{path.steps[-1]:,}",
        **{
            f"w{vector_name(k)[1:]}": f"{w:.6f}" for k, w in enumerate(path.weights[-1])
        },
        "squared distance": f"{path.values[-1]:.6f}",
        "slopes": vector(path.slopes, 4),
    }
