"""Two feature maps on the Margins page: one query and the quality under each."""

import streamlit as st

from pages.ui import frame, margin_choice, margin_panels, state
from pages.ui.margin_choice import Chosen, Model
from pages.ui.margin_panels import QueryChoice, Table, three
from pages.ui.theme import colours
from rankcore.charts.margin_training import matrix_figure
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margins as insight
from rankcore.insight.data import parts
from rankcore.insight.margin_matrix import compare_models, map_symbol
from rankcore.insight.margin_models import FEATURE_MAP
from rankcore.insight.margin_training import MEASURES, aimed
from rankcore.measures import Rules

FEW_ROWS = 10
MOST_MAPS = 2
MAPS = {
    "pairs": "all pairs of a relevant and an irrelevant document",
    "first": "the first relevant document, and what is above it",
}


def maps_settings() -> QueryChoice:
    """Controls of *Two feature maps*."""
    chosen = margin_choice.settings(
        FEATURE_MAP, *margin_choice.PATIENCE, having=FEATURE_MAP
    )
    model = margin_choice.fit_model(chosen)
    return QueryChoice(chosen, model, *margin_choice.part_and_query(chosen, model))


def show_maps(what: QueryChoice) -> Table:
    """Draw one query under each feature map, and what training with each leads to."""
    chosen, _, dataset, query = what
    declared = hyperparameters(chosen.learner)[FEATURE_MAP]
    loss = chosen.loss
    each = {}
    strip = st.container()
    facts = []
    for place, name in zip(
        st.columns(len(declared.choices), gap="medium"), declared.choices, strict=True
    ):
        own = chosen.with_value(FEATURE_MAP, name)
        model = margin_choice.fit_model(own)
        each[name] = own, model
        found = insight.worst_order(own.algorithm, dataset, query, model.coef, loss)
        with place:
            heading = map_symbol(name), MAPS.get(name, "")
            margin_panels.orders(found, f"orders_{name}", FEW_ROWS, heading)
            st.caption(model.note)
        short = map_symbol(name)
        reason = f"Δ {three(found.loss)}, margin {three(found.margin)}"
        facts += [
            frame.Fact(f"Slack ξ with {short}", three(found.slack), reason),
            frame.Fact(f"Δ, predicted with {short}", three(found.predicted_loss)),
        ]
    with strip:
        frame.facts(facts[: 2 * MOST_MAPS])
    return _quality(chosen, each)


def _quality(chosen: Chosen, each: dict[str, tuple[Chosen, Model]]) -> Table:
    part, judged = list(parts(chosen.splits).items())[-1]
    rules = Rules(str(state.get("convention")), str(state.get("empty")))
    models = {map_symbol(name): model.coef for name, (_, model) in each.items()}
    found = compare_models(models, judged, MEASURES, rules)
    frame.heading(
        "What each map leads to",
        f"{part} data, bold: the best by this measure; ± standard error over queries; "
        "framed: trained for it",
    )
    algorithms = {name: own.algorithm for name, (own, _) in each.items()}
    best = found.trained[int(found.best[0])]
    table = {
        "trained with": list(found.trained),
        **{name: found.values[:, j].tolist() for j, name in enumerate(found.tested)},
    }
    frame.figure(
        matrix_figure(found, aimed(algorithms, chosen.splits.train), colours()),
        key="maps_quality",
        alt=f"By {found.tested[0]} the map “{best}” is better: "
        + " against ".join(three(value) for value in found.values[:, 0])
        + ".",
        table=table,
    )
    return table
