"""A cone among the differences it was trained on: settings, figures and texts."""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from pages.ui import texts
from pages.ui.data import datasets
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.catalogue import load_dataset
from rankcore.charts.cone import PARTS, Probe, colours, difference_at
from rankcore.charts.cone_plane import plane_figure
from rankcore.charts.cone_space import space_figure
from rankcore.charts.cone_training import training_figure, weights_figure
from rankcore.charts.numbers import decimals
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import cone_view as insight
from rankcore.insight import trained_cone
from rankcore.views import (
    MORE,
    Ask,
    Block,
    Caption,
    Changes,
    Choice,
    Fact,
    Number,
    OnPoint,
    Panel,
    Points,
    Row,
    Several,
    Shown,
    Values,
    declared,
)

SIZES = {"2-D": 2, "3-D": 3}
TOYS = {"2-D": "toy-2d", "3-D": "toy-3d"}
PRINCIPAL, FEATURES = "principal directions", "features"

READING = """
A disc is the difference of an ordered pair: the better document's features minus the
worse one's. Its length is normalised: α shortens it, and it stays below ρ. The cone
contains every sum of its vectors (squares) with non-negative weights.

- **Green** marks the reconstructions: sums whose weights add up to λ, between λₗ and
  λᵤ. A thin line joins each difference to its reconstruction. The objective is the mean
  of the squared lengths of these lines, so with λᵤ = 1 even differences inside the cone
  keep a residual.
- **a** is the direction that scores documents. The shaded half-space counts as better;
  pairs on the other side are diamonds.
- **z** can be dragged; in space it moves within the plane of the screen. Its weights
  are the bars beside the figure.

**Try.** Take three vectors in the plane: the objective falls to zero. What happens to
the cone, and to the share of pairs ranked correctly? Then press *Six vectors in space*.
"""
SOURCES = """
T. T. Tran, D.-S. Pham: *ConeRANK: Ranking as learning generalized inequalities*,
arXiv:1206.4110, 2012. Equation (18) is the training objective, Algorithm 2 the ranking
of documents, Fig. 3 quality against K, Fig. 4 the spectrum.

T. Joachims: *Optimizing search engines using clickthrough data*, KDD 2002, for RankSVM.
"""
KEY = (
    "Discs are ordered pairs, bluer for a larger difference of labels. Orange diamonds "
    "are pairs that a ranks incorrectly."
)

_K = hyperparameters(ConeRank)["n_basis"]

SIZE = Choice(
    "cone_size",
    "2-D",
    "Dimensions",
    names=tuple(SIZES),
    shown_when=lambda values: values.get("cone_along") != FEATURES,
)
ITERATION = Number(
    "cone_pass",
    insight.MOST_PASSES,
    "Iteration of training",
    meaning="0 is the start. Training often ends before the last iteration; later "
    "ones are then the same.",
    low=0,
    high=insight.MOST_PASSES,
    whole=True,
)
SHOW = Several("cone_show", PARTS[:3], "Show", names=PARTS)
Z = Points(
    "cone_z",
    "",
    "Pair z",
    start=lambda values: _outlier(trained(values).points),
    names=("z",),
    inline=True,
)
CONE = (
    Number("cone_k", 2, _K.title, _K.symbol, _K.meaning, low=1, high=8, whole=True),
    *declared(ConeRank, "lambda_low", "lambda_high"),
)
_MORE = ("alpha", "rho", "folding", "basis_update", "init")
DETAILS = declared(ConeRank, *_MORE, group=MORE)


class Seen(NamedTuple):
    """A cone after an iteration, what is seen of it, and the pair that is explained."""

    scene: insight.Scene
    cone: trained_cone.TrainedCone
    at: int
    view: insight.View
    probe: Probe
    svm: np.ndarray | None


def show(values: Values) -> Shown:
    """A cone among its differences, beside the weights of one of them."""
    cone = trained(values)
    at = min(values.cone_pass, len(cone.passes) - 1)
    z = Z.points(values)[0]
    svm = _svm(scene(values).dataset) if "RankSVM" in values.cone_show else None
    probe = Probe(z, cone.fold(z, at))
    seen = Seen(scene(values), cone, at, cone.view(at), probe, svm)
    said = [KEY] if svm is None else [KEY, _beside_svm(seen, svm)]
    left: list[Block] = [_geometry(values, seen), *map(Caption, said)]
    right = [*_weights(values, seen), _training(values, seen)]
    return Shown(
        _facts(seen),
        [Row([left, right], widths=(9, 4))],
        records={"Cone": partial(trained_cone.record, scene(values), cone, at)},
    )


def explain(values: Values) -> Mapping[str, str]:
    """The tabs of the *Explain* panel of all views."""
    return {
        "The cone": texts.algorithm(ConeRank, _chosen(values)),
        "How to read this": READING,
        "Sources": SOURCES,
        "Background": texts.background(ConeRank),
    }


def last_iteration(values: Values) -> int:
    """The iteration with which the training ends."""
    return len(trained(values).passes) - 1


def scene(values: Values) -> insight.Scene:
    """The documents in the axes of the picture."""
    if "data" not in values:
        documents = load_dataset(TOYS[values.cone_size]).train
        return toy(documents, values.cone_noise, values.seed)
    train, sample = datasets.of(values).train, (values.cone_pairs, values.seed)
    if values.cone_along == FEATURES:
        columns = tuple(int(number) - 1 for number in values.cone_features)
        return _along_features(train, columns, *sample)
    return _along_principal(
        train, min(SIZES[values.cone_size], train.n_features), *sample
    )


def trained(values: Values) -> trained_cone.TrainedCone:
    """The cone of the settings, and every iteration of its training."""
    return train(scene(values), random_state=values.seed, **_chosen(values))


def _chosen(values: Values) -> dict[str, Any]:
    """ConeRank's hyperparameters that are settings here, by name."""
    count = {"n_basis": values.cone_k} if "cone_k" in values else {}
    return count | values.of(ConeRank)


toy = lru_cache(maxsize=32)(insight.toy_scene)
spectrum = lru_cache(maxsize=8)(trained_cone.difference_spectrum)
_along_features = lru_cache(maxsize=16)(trained_cone.feature_scene)
_svm = lru_cache(maxsize=64)(insight.svm_direction)


@lru_cache(maxsize=16)
def _along_principal(
    dataset: RankingDataset, size: int, pairs: int, seed: int
) -> insight.Scene:
    energy = spectrum(dataset)
    return trained_cone.principal_scene(dataset, size, pairs, seed, energy)


@lru_cache(maxsize=64)
def train(documents: insight.Scene, **chosen: Any) -> trained_cone.TrainedCone:
    """Every iteration of the training with these hyperparameters."""
    cone = ConeRank(**chosen, standardise="no")
    return trained_cone.train_cone(documents.dataset, cone)


def moves(values: Values, **points: Points) -> OnPoint:
    """What moves points whose traces have these names."""

    def moved(trace: str, place: int, *at: float) -> Changes:
        return points[trace].moved(values, place, at) if trace in points else {}

    return moved


def _outlier(points: insight.Points) -> np.ndarray:
    """(1, d) where z is until it is moved."""
    return np.round(insight.outlier(points.z), Points.DIGITS)[None]


def _facts(seen: Seen) -> list[Fact]:
    view, one = seen.view, seen.cone.passes[seen.at]
    pairs = f"{len(view.right)} pairs"
    if seen.scene.sampled:
        pairs = f"{len(view.right)} of {seen.scene.n_pairs:,} pairs"
    if seen.svm is not None:
        pairs = f"RankSVM {(seen.cone.points.z @ seen.svm > 0.0).mean():.1%}"
    opening = "1 is a half-space" if view.opening else "flat: it has no interior"
    if view.opening > 1.99:
        opening = f"covers the whole {'plane' if len(view.basis) == 2 else 'space'}"
    inside, captured = f"{view.inside.mean():.1%}", f"{one.captured:.1%}"
    (distance,), total = seen.probe.folds.distances, seen.probe.folds.weights.sum()
    return [
        Fact("Pairs ranked correctly", f"{view.right.mean():.1%}", pairs),
        Fact("Pairs inside the cone", inside, "ignoring the weight constraint"),
        Fact("Objective", f"{one.objective:.3g}", f"{captured} of the energy captured"),
        Fact("Opening of the cone", f"{view.opening:.2f}", opening),
        Fact("Distance of z", f"{distance:.3f}", f"sum of weights {total:.2f}"),
    ]


def _geometry(values: Values, seen: Seen) -> Panel:
    names = seen.scene.dataset.feature_names
    low, high = seen.cone.limits
    space = len(names) == 3
    draw = space_figure if space else plane_figure
    picture = draw(
        seen.cone.points,
        seen.view,
        seen.probe,
        names,
        colours(values.palette),
        low=low,
        high=high,
        svm=seen.svm,
        parts=values.cone_show,
        palette=values.palette,
    )
    shown = seen.scene.dataset, seen.cone.points, seen.view
    table = partial(trained_cone.difference_table, *shown)
    return Panel(
        "cone_space" if space else "cone_plane",
        "Differences and their cone",
        "drag z, or click a difference" + ("; drag elsewhere to rotate" * space),
        picture.described(picture.alt, table),
        moves(values, z=Z),
        partial(_clicked, seen),
    )


def _clicked(seen: Seen, trace: str, place: int, *at: float) -> Changes:
    row = difference_at(seen.view, trace, place)
    return {} if row is None else {Z.key: Z.written(seen.cone.points.z[[row]])}


def _beside_svm(seen: Seen, svm: np.ndarray) -> str:
    apart = insight.angle(svm, seen.view.direction)
    return (
        "RankSVM learns a half-space, the widest cone that never ranks a pair both "
        f"ways. Its border and that of a are {apart:.0f}° apart; this cone fills "
        f"{min(seen.view.opening, 1.0):.0%} of a half-space."
    )


def _weights(values: Values, seen: Seen) -> list[Block]:
    folds, z = seen.probe.folds, seen.probe.z
    free = trained_cone.unconstrained_weights(seen.view.basis, z)
    vote, colour = float(free.sum()), colours(values.palette).cone
    winner = "first" if vote > 0.0 else "second"
    said = f"1ᵀU⁺z = aᵀz = {decimals(vote)}"
    return [
        Panel(
            "cone_weights",
            "Explaining a new pair z",
            "bars: its weights; lines: weights without constraints",
            weights_figure(folds.weights[0], free, colour, values.palette),
        ),
        Caption(f"{said}: the vote goes to the {winner} document of the pair."),
        Ask([Z]),
    ]


def _training(values: Values, seen: Seen) -> Panel:
    cone, colour = seen.cone, colours(values.palette).cone
    return Panel(
        "cone_training",
        "Training",
        "click an iteration",
        training_figure(cone.passes, cone.in_order, seen.at, colour, values.palette),
        on_click=lambda trace, place, *at: {
            ITERATION.key: min(max(place, 0), insight.MOST_PASSES)
        },
    )
