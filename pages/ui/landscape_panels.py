"""The landscape of models on the Approximation page: its settings and explanation."""

from collections.abc import Iterable, Mapping

import streamlit as st

from pages.ui import (
    choice,
    controls,
    datasets,
    end_point_panels,
    explain,
    landscape_curve,
    landscape_export,
    landscape_jobs,
    landscape_sphere,
    state,
)
from pages.ui import landscape_numbers as numbers
from pages.ui.choice import segments
from pages.ui.landscape_numbers import CIRCLE, LINE, SPHERE, Choice, Scene
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import table_five

PICKED = ("land_first", "land_second", "land_third")
ORDINALS = ("First", "Second", "Third")

PRESETS = {
    "Two features, every direction": {
        "approx_view": "Landscape",
        "data": "toy-2d",
        "land_shape": CIRCLE,
        "approx_alpha": 10.0,
    },
    "Sharp: hills and plains": {
        "approx_view": "Landscape",
        "data": "toy-2d",
        "land_shape": CIRCLE,
        "approx_alpha": 300.0,
    },
    "Three features: the globe": {
        "approx_view": "Landscape",
        "data": "toy-3d",
        "land_shape": SPHERE,
        "approx_alpha": 10.0,
    },
    "From least squares to RSRank": {
        "approx_view": "Landscape",
        "data": "mslr10k-sample",
        "land_shape": LINE,
        "land_from": "LeastSquares",
        "land_to": "RSRank",
        "land_measure": "nDCG@5",
    },
    "Table 5: what restarts buy": {
        "approx_view": "Landscape",
        "data": "planted",
        "land_shape": CIRCLE,
        "land_measure": "nDCG",
        "approx_alpha": 100.0,
        "land_restarts": 20,
        "land_restarts_in": landscape_jobs.AllFeatures.where,
    },
}

EQUATIONS = r"""
Scores are linear in the model. On the line $w(t) = (1 - t)\,w_0 + t\,w_1$ two documents
of a query change places at one $t$ only,

$$t_{ij} = \frac{w_0^\top (x_i - x_j)}{(w_0 - w_1)^\top (x_i - x_j)},$$

and no measure of ranks changes anywhere else. Only the direction of $w$ matters to the
ranking: in two features that is an angle, in three a point of a sphere, and documents
change places where $w^\top (x_i - x_j) = 0$.

The smooth measure has soft positions
$\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha\, w^\top (x_j - x_i)\big)$. Only the
product $\alpha w$ enters, so here $w$ has length one, in units in which each feature
(or model) spreads by at most one within a query.

T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct optimization of
information retrieval measures*, Information Retrieval 13:375-397, 2010.
"""

READING = """
- **Steps**: the measure, exactly. They are found from where scores cross, not
  from samples; a step one cannot see is still there. **Coloured lines**: the smooth
  measure at several α, sampled every half degree (721 places on a line).
- **Ring and globe**: the same by colour. A sector or a cell is a set of directions that
  rank all documents alike as far as the measure can tell. On the sphere the measure is
  exact along every meridian and in the middle of every patch; cells smaller than a
  patch fall between. The thin lines are great circles on which two scores are equal:
  they are exact, and every cell is bounded by some of them.
- **▼ and ◆** on ring and line: where the measure is best and where the smooth one is;
  ◇, on a thread below it, is what the measure is there.
- **Orange**: where restarts ended; hollow, where they began.

**Try.** Move α from 1 to 300 and watch how many peaks the smooth line has. Then run
the restarts: at α = 1 nearly all of them end on the one hill there is, at α = 300 most
end on the hill they began on, or on a plain without slope.
"""

TABLE_5 = """
In the paper's Table 5 (training nDCG@5 on OHSUMED, fold 1) one start gives {one} at
α = {alphas}, and the best of a hundred starts {hundred}. The paper reads it so: the
sharpest surrogate is the closest to the measure, and it is the one that needs the
restarts. Single starts vary by far more than these figures differ, so their order is
chance, and so may be that of a hundred: with another seed another α can come first.
*Restarts in: all features* runs the experiment and shows the spread.

A smooth measure with small α has few hills, but its best point is not the measure's.
With large α its best point is, and a climb hardly ever gets there: the gradient
vanishes wherever no two documents are within about 1/α of each other. That a climb has
stopped may mean that it is on top, or that it is on a plain.
"""


def _why_restarts() -> None:
    rows = table_five.PUBLISHED
    st.markdown(
        TABLE_5.format(
            alphas=_listed(f"{row.alpha:g}" for row in rows),
            one=_listed(f"{row.one:.4f}" for row in rows),
            hundred=_listed(f"{row.hundred:.4f}" for row in rows),
        )
    )


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}"


PARTS: Mapping[str, explain.Part] = {
    "What is drawn": EQUATIONS,
    "How to read this": READING,
    "Why sharp needs restarts": _why_restarts,
}


def settings() -> Choice:
    """Draw the landscape's controls."""
    from rankcore.algorithms.approx_ndcg import ApproxNDCG

    # Restarts that a link names bring their settings, before controls show them.
    landscape_jobs.follow_link()
    shape = segments(
        "Models",
        "land_shape",
        (LINE, CIRCLE, SPHERE),
        help="Between two models, all directions of two features, or of three.",
    )
    alpha = controls.hyperparameter(
        hyperparameters(ApproxNDCG)["alpha"], "approx_alpha"
    )
    data = controls.dataset_picker()
    # The rest needs the data; a sentence takes its place where that cannot be read.
    train = datasets.load_or_stop(data).train
    normalise = str(state.get("normalise"))
    axes, names = _ends(data) if shape == LINE else _features(data, train, shape)
    with st.expander("More settings", type="compact"):
        offered = list(numbers.learners(data, normalise))
        measure = st.selectbox(
            "Measure",
            offered,
            offered.index(state.default("land_measure")),
            help="Those that have a smooth version and can be followed exactly.",
            **state.widget("land_measure"),
        )
        queries = st.slider(
            "Queries",
            1,
            20,
            state.default("land_queries"),
            help="The first ones of the training data; fewer where lists are long.",
            **state.widget("land_queries"),
        )
        seed = controls.seed()
    scene = Scene(data, normalise, shape, axes, queries, measure, seed)
    return Choice(scene, alpha, names)


def show(chosen: Choice) -> None:
    """Draw the landscape, and the restarts on it."""
    scene = chosen.scene
    refusal = _refusal(scene)
    if refusal:
        st.info(refusal, icon=":material/info:")
        return
    if scene.shape == SPHERE:
        landscape_sphere.show(chosen)
    else:
        landscape_curve.show(chosen)
    _caption(scene)
    end_point_panels.show(scene, chosen.alpha)


def export(chosen: Choice) -> None:
    """Take the exact steps away, or on the sphere the values on a map."""
    if not _refusal(chosen.scene):
        landscape_export.menu(chosen)


def _features(
    data: str, train: RankingDataset, shape: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the features; offered by how much they tell about labels."""
    order = numbers.strongest(data, str(state.get("normalise")))
    labels = {str(j): train.feature_names[j] for j in order}
    picked: list[str] = []
    for key, ordinal in zip(PICKED, ORDINALS, strict=True):
        left = {j: name for j, name in labels.items() if j not in picked}
        if len(picked) == (3 if shape == SPHERE else 2) or not left:
            break
        picked.append(choice.select(f"{ordinal} feature", key, left))
    return tuple(picked), tuple(labels[j] for j in picked)


def _ends(data: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose the two models at the ends of the line."""
    offered = numbers.linear_algorithms(data)
    axes = (
        choice.select("From, at t = 0", "land_from", offered),
        choice.select("To, at t = 1", "land_to", offered),
    )
    return axes, tuple(offered[name] for name in axes)


def _refusal(scene: Scene) -> str | None:
    """Why there is nothing to draw, as a sentence."""
    if len(scene.axes) < (3 if scene.shape == SPHERE else 2):
        return (
            "This data has too few features for the directions of the "
            f"{scene.shape.lower()}. Choose other data, or the line."
        )
    data = numbers.ground(scene)
    # A single query may be longer than all that are drawn at once otherwise.
    if data.n_documents > 1.5 * numbers.MOST_DOCUMENTS[scene.shape]:
        return (
            f"The first query alone has {data.n_documents:,} documents, too many to "
            "follow every pair of them at once. Choose data with shorter lists."
        )
    if not (data.y > 0).any():
        return (
            "None of these queries has a relevant document, so every model is as good "
            "as every other. Look at more queries, or at other data."
        )
    return None


def _caption(scene: Scene) -> None:
    """Which queries the pictures are about."""
    data = numbers.ground(scene)
    of = datasets.load(scene.data, scene.normalise).train.n_queries
    capped = data.n_queries < min(scene.queries, of)
    why = (
        f", no more than {numbers.MOST_DOCUMENTS[scene.shape]} documents together"
        if capped
        else ""
    )
    st.caption(
        f"Means over the queries with relevant documents among the first "
        f"{data.n_queries} of {of} training queries ({data.n_documents} documents)"
        f"{why}."
    )
