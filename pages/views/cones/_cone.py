"""A cone among its training differences: settings, figures and texts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.derived import with_derived
from rankcore import views
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import percent, three_digits
from rankcore.data.catalogue import Splits, load_dataset
from rankcore.plot.numbers import decimals
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones import trained as trained_cone
from rankcore.topics.cones.cone_figure import PARTS, difference_at
from rankcore.topics.cones.sight_figure import cone_figure, svm_in_words
from rankcore.topics.cones.trained import ConeState
from rankcore.topics.cones.training_figure import training_figure, weights_figure
from rankcore.views import Changes, Fact, Number, Panel, Points, Values

TOYS = {"2-D": "toy-2d", "3-D": "toy-3d"}
PRINCIPAL, FEATURES = "principal directions", "features"

KEY = (
    "Discs are ordered pairs, bluer for a larger difference of labels. Orange diamonds "
    "are pairs that a ranks incorrectly."
)


def _resized(values: Values, size: str) -> Changes:
    """Return the changes for another number of dimensions; z keeps its coordinates."""
    z = np.append(Z.points(values)[0], 0.0)[: int(size[0])]
    return {SIZE.key: size, Z.key: Z.written(z[None]) if values.cone_z else ""}


SIZE = views.Choice(
    "cone_size",
    "2-D",
    "Dimensions",
    names=tuple(TOYS),
    shown_when=lambda values: values.get("cone_along") != FEATURES,
    writes=_resized,
)
ITERATION = Number(
    "cone_pass",
    cone_view.MOST_PASSES,
    "Iteration of training",
    meaning="0 is the start. Training often ends before the last iteration; later ones "
    "are then identical.",
    low=0,
    high=cone_view.MOST_PASSES,
    whole=True,
)
Z = Points(
    "cone_z",
    "",
    "Pair z",
    start=lambda values: trained(values).outlier.round(Points.DIGITS)[None],
    names=("z",),
    inline=True,
)
_K = hyperparameters(ConeRank)["n_basis"]
K = Number("cone_k", 2, _K.title, _K.symbol, _K.meaning, low=1, high=8, whole=True)
_MORE = ("lambda_low", "lambda_high", "alpha", "rho", "folding", "basis_update", "init")


def show(values: Values) -> views.Shown:
    """Return a cone among its differences, and the weights of one difference."""
    case = scene(values)
    svm = (
        cone_view.svm_direction(case.dataset) if "RankSVM" in values.cone_show else None
    )
    z = Z.points(values)[0]
    state = trained_cone.look(case, trained(values), values.cone_pass, z, svm)
    key = views.Caption(f"{KEY} {svm_in_words(state)}")
    left: list[views.Block] = [_geometry(values, state), key]
    row = views.Row([left, _explained(values, state)], widths=(9, 4))
    return views.Shown(_facts(state), [row], records={"Cone": state.record})


def explain(values: Values) -> Mapping[str, str]:
    """Return the tabs of the *Explain* panel of all views."""
    cone = texts.algorithm(ConeRank, _chosen(values))
    background = texts.background(ConeRank)
    return {"The cone": cone, **texts.tabs(__file__), "Background": background}


def scene(values: Values) -> cone_view.ConeScene:
    """Return the documents in the axes of the figure."""
    if "data" not in values:
        data = load_dataset(TOYS[values.cone_size]).train
        return cone_view.toy_scene(data, values.cone_noise, values.seed)
    train, sample = datasets.of(values).train, (values.cone_pairs, values.seed)
    if values.cone_along == FEATURES:
        columns = tuple(int(number) - 1 for number in values.cone_features)
        return trained_cone.feature_scene(train, columns, *sample)
    size = min(int(values.cone_size[0]), train.n_features)
    return trained_cone.principal_scene(train, size, *sample)


def _splits(values: Values) -> Splits | None:
    """Return the training documents of the cone; None if there are none."""
    try:
        return Splits(scene(values).dataset)
    except ValueError:
        return None


def trained(values: Values) -> trained_cone.TrainedCone:
    """Return the cone of the settings, with every iteration of its training."""
    return trained_cone.train(
        scene(values), random_state=values.seed, **_chosen(values)
    )


def _chosen(values: Values) -> dict[str, Any]:
    """Return ConeRank's hyperparameters that are settings here, by name."""
    count = {"n_basis": values.cone_k} if "cone_k" in values else {}
    return count | values.of(ConeRank)


DETAILS = (
    views.Several("cone_show", PARTS[:3], "Show", names=PARTS, group="Parts drawn"),
    *with_derived(
        views.declared(ConeRank, *_MORE, group=views.MORE),
        lambda values: ConeRank(**_chosen(values)),
        _splits,
    ),
    shared.SEED,
    Z,
)


# Settings of views whose training can be played.
PLAYED: dict[str, Any] = {
    "explain": explain,
    "plays": ITERATION.key,
    "plays_to": lambda values: len(trained(values).passes) - 1,
}


def moves(values: Values, **points: Points) -> views.OnPoint:
    """Return the handler that moves points of traces with these names."""

    def drag(trace: str, place: int, *at: float) -> Changes:
        return points[trace].moved(values, place, at) if trace in points else {}

    return drag


def _facts(state: ConeState) -> list[Fact]:
    view, pairs = state.view, state.pairs_in_words
    if state.svm_in_order is not None:
        pairs = f"RankSVM {percent(state.svm_in_order, 1)}"
    captured = f"{percent(state.one.captured, 1)} of the energy"
    inside = percent(view.inside.mean(), 1)
    (distance,), total = state.folds.distances, state.folds.weights.sum()
    return [
        Fact("Pairs ranked correctly", percent(view.right.mean(), 1), pairs),
        Fact("Pairs inside the cone", inside, "unconstrained weights"),
        Fact("Objective", three_digits(state.one.objective), captured),
        Fact("Opening of the cone", f"{view.opening:.2f}", view.opening_in_words),
        Fact("Distance of z", decimals(distance), f"sum of weights {total:.2f}"),
    ]


def _geometry(values: Values, state: ConeState) -> Panel:
    space = len(state.z) == 3

    def clicked(trace: str, place: int, *at: float) -> Changes:
        row = difference_at(state.view, trace, place)
        return {} if row is None else {Z.key: Z.written(state.cone.points.z[[row]])}

    return Panel(
        "cone_space" if space else "cone_plane",
        "Differences and their cone",
        "drag z, or click a difference" + ("; drag elsewhere to rotate" * space),
        cone_figure(state, values.cone_show, values.palette),
        moves(values, z=Z),
        clicked,
    )


def _explained(values: Values, state: ConeState) -> list[views.Block]:
    """Return the weights of z, and below them the training curve."""
    cone, vote = state.cone, float(state.free.sum())
    winner = "first" if vote > 0.0 else "second"
    weights = weights_figure(state.folds.weights[0], state.free, values.palette)
    training = training_figure(cone.passes, cone.in_order, state.at, values.palette)

    def iterate(trace: str, place: int, *at: float) -> Changes:
        return {ITERATION.key: min(max(place, 0), cone_view.MOST_PASSES)}

    reading = f"1ᵀU⁺z = aᵀz = {decimals(vote)}: the vote goes to the {winner} document"
    return [
        Panel("cone_weights", "Weights of z", "lines: without constraints", weights),
        views.Caption(f"{reading} of the pair."),
        views.Ask([Z]),
        Panel(
            "cone_training", "Training", "click an iteration", training, None, iterate
        ),
    ]
