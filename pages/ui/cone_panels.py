"""The panels of the Cones page that show a cone among its differences."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui import cone_points, cone_training, downloads, frame
from pages.ui.cone_settings import Values
from pages.ui.cone_training import FEATURES, PRINCIPAL, Wanted
from pages.ui.theme import algorithm_style, colours
from rankcore.charts.cone import Colours, Probe, vector_name
from rankcore.charts.cone_plane import drawn_order, plane_figure
from rankcore.charts.cone_quality import spectrum_figure
from rankcore.charts.cone_space import space_figure
from rankcore.charts.cone_training import training_figure, weights_figure
from rankcore.insight import cone_view as insight
from rankcore.insight.trained_cone import TrainedCone, unconstrained_weights


class Seen(NamedTuple):
    """A cone, what is seen of it, and the difference one looks at."""

    scene: insight.Scene
    cone: TrainedCone
    at: int
    view: insight.View
    probe: Probe
    svm: np.ndarray | None


def show(values: Values) -> None:
    """A cone among its differences, beside the weights of one of them."""
    size = _refused(values.wanted)
    if size is not None:
        st.info(size, icon=":material/info:")
        return
    seen = _see(values)
    _facts(seen)
    left, right = st.columns([9, 4], gap="medium")
    with left:
        _geometry(values, seen)
    with right:
        _weights(seen)
        _training(seen)


def show_data(values: Values) -> None:
    """The same for any data set, above the spectrum of all its differences."""
    show(values)
    wanted = values.wanted
    energy = cone_training.spectrum(wanted.data, wanted.normalise)
    k = int(values.named["n_basis"])
    half = int(np.searchsorted(energy.subspace, 0.9)) + 1
    frame.heading(
        "Spectrum of all ordered differences",
        "eigenvalues of their second moments, and the energy the first of them add "
        "up to; dotted: K",
    )
    frame.figure(
        spectrum_figure(energy, both_colours().cone, colours(), at=k),
        key="spectrum",
        alt=f"{half} of {len(energy.eigenvalues)} directions hold nine tenths of the "
        f"energy of the differences; the first holds {energy.subspace[0]:.0%}.",
        table={
            "direction": energy.n_vectors,
            "eigenvalue": energy.eigenvalues,
            "share up to it": energy.subspace,
        },
    )


def export(values: Values) -> None:
    """What can be taken away: the differences and the cone."""
    if _refused(values.wanted) is not None:
        return
    downloads.menu(
        {"Differences": lambda: _table(_see(values))},
        {"Cone": lambda: _record(values, _see(values))},
    )


def _refused(wanted: Wanted) -> str | None:
    """Why there is nothing to draw, as a sentence."""
    if wanted.along == FEATURES and len(wanted.axes) < 2:
        return "Choose two features for a plane, or three for space."
    if wanted.along == PRINCIPAL and wanted.axes[0] < 2:
        return "This data has one feature only; a cone needs two to be seen."
    found = cone_training.scene(wanted)
    if found.n_pairs == 0:
        return (
            "All documents of each query have the same label here, so that there are "
            "no ordered pairs. Choose other data."
        )
    return None


def _see(values: Values) -> Seen:
    scene = cone_training.scene(values.wanted)
    cone = cone_training.trained(values.wanted, values.cone)
    cone_training.ends_at(len(cone.passes) - 1)
    at = min(values.at, len(cone.passes) - 1)
    z = cone_points.read("cone_z", _outlier(cone.points))[0]
    svm = cone_training.svm(values.wanted) if "RankSVM" in values.shown else None
    return Seen(scene, cone, at, cone.view(at), Probe(z, cone.fold(z, at)), svm)


def both_colours() -> Colours:
    """ConeRank's and RankSVM's, or another where both have the same one."""
    cone, svm = (algorithm_style(name)[0] for name in ("ConeRank", "RankSVM"))
    return Colours(cone, svm if svm != cone else colours().runs[3])


def _facts(seen: Seen) -> None:
    view, one = seen.view, seen.cone.passes[seen.at]
    in_order = f"{len(view.right)} pairs"
    if seen.scene.sampled:
        in_order = f"{len(view.right)} of {seen.scene.n_pairs:,} pairs"
    if seen.svm is not None:
        other = float((seen.cone.points.z @ seen.svm > 0.0).mean())
        in_order = f"RankSVM {other:.1%}"
    sides = "1 is a half-space" if view.opening else "flat: it has no inside"
    if view.opening > 1.99:
        sides = "it is everything"
    frame.facts(
        [
            frame.Fact(
                "Pairs that a puts in order", f"{view.right.mean():.1%}", in_order
            ),
            frame.Fact(
                "Pairs inside the cone",
                f"{view.inside.mean():.1%}",
                "whatever their sum of weights",
            ),
            frame.Fact(
                "Objective",
                f"{one.objective:.3g}",
                f"{one.captured:.1%} of the energy captured",
            ),
            frame.Fact("Opening of the cone", f"{view.opening:.2f}", sides),
            frame.Fact(
                "Distance of z",
                f"{seen.probe.folds.distances[0]:.3f}",
                f"sum of weights {seen.probe.folds.weights.sum():.2f}",
            ),
        ]
    )


def _geometry(values: Values, seen: Seen) -> None:
    names = seen.scene.dataset.feature_names
    low, high = seen.cone.limits
    size = len(names)
    frame.heading(
        "Differences and their cone",
        "discs: better minus worse document, bluer for a larger gap; diamonds: pairs "
        "that a gets wrong; drag z, or click a difference"
        + ("; drag elsewhere to orbit" if size == 3 else ""),
    )
    draw = plane_figure if size == 2 else space_figure
    picture = draw(
        seen.cone.points,
        seen.view,
        seen.probe,
        names,
        both_colours(),
        low=low,
        high=high,
        svm=seen.svm,
        parts=values.shown,
        palette=colours(),
    )
    frame.figure(
        picture,
        key="cone_plane" if size == 2 else "cone_space",
        alt=f"A cone of {seen.view.basis.shape[1]} vectors, after pass {seen.at}, "
        f"holds {seen.view.inside.mean():.0%} of the differences; its direction puts "
        f"{seen.view.right.mean():.0%} of the pairs in order.",
        table=partial(_table, seen),
        on_drag=partial(_dragged, seen),
        on_click=partial(_clicked, seen),
    )
    if seen.svm is not None:
        apart = insight.angle(seen.svm, seen.view.direction)
        st.caption(
            "RankSVM learns a half-space: the widest cone whose order is no "
            "contradiction, and so the limit of what a cone can open to. Its border "
            f"and that of a are {apart:.0f}° apart; this cone fills "
            f"{min(seen.view.opening, 1.0):.0%} of a half-space."
        )


def _outlier(points: insight.Points) -> np.ndarray:
    """(1, d) where z is until somebody moves it."""
    return np.round(insight.outlier(points.z), cone_points.DIGITS)[None]


def _dragged(seen: Seen, trace: str, place: int, *at: float) -> None:
    if trace == "z":
        cone_points.move("cone_z", _outlier(seen.cone.points), 0, at)


def _clicked(seen: Seen, trace: str, place: int, x: float, y: float) -> None:
    rows = {
        "differences": drawn_order(seen.view),
        "in order": np.flatnonzero(seen.view.right),
        "out of order": np.flatnonzero(~seen.view.right),
    }
    chosen = rows.get(trace, ())
    if 0 <= place < len(chosen):
        cone_points.write("cone_z", seen.cone.points.z[chosen[place]][None])


def _weights(seen: Seen) -> None:
    frame.heading(
        "Folding in z", "bars: its weights; lines: without constraints, their sum votes"
    )
    folds, z = seen.probe.folds, seen.probe.z
    free = unconstrained_weights(seen.view.basis, z)
    vote = float(free.sum())
    frame.figure(
        weights_figure(folds.weights[0], free, both_colours().cone, colours()),
        key="cone_weights",
        alt=f"z takes {int((folds.weights[0] > 1e-12).sum())} of {len(free)} vectors "
        f"and stays {folds.distances[0]:.3f} away.",
        table={
            "vector": [vector_name(k) for k in range(len(free))],
            "weight": folds.weights[0],
            "without constraints": free,
        },
    )
    first = "the first document of the pair" if vote > 0.0 else "the second document"
    st.caption(f"1ᵀU⁺z = aᵀz = {vote:.3f}: the vote goes to {first}.".replace("-", "−"))
    cone_points.fields("cone_z", _outlier(seen.cone.points), ["z"], "z")


def _training(seen: Seen) -> None:
    right, passes = seen.cone.in_order, seen.cone.passes
    frame.heading("Training", "click a pass")
    frame.figure(
        training_figure(passes, right, seen.at, both_colours().cone, colours()),
        key="cone_training",
        alt=f"In {len(passes) - 1} passes the objective falls from "
        f"{passes[0].objective:.3g} to {passes[-1].objective:.3g}, and the "
        f"share of pairs in order goes from {right[0]:.0%} to {right[-1]:.0%}.",
        table={
            "pass": np.arange(len(right)),
            "objective": [one.objective for one in passes],
            "energy captured": [one.captured for one in passes],
            "in order": right,
        },
        on_click=_to_pass,
    )


def _to_pass(trace: str, place: int, x: float, y: float) -> None:
    st.session_state["cone_pass"] = int(np.clip(place, 0, insight.MOST_PASSES))


def _table(seen: Seen) -> Mapping[str, Any]:
    dataset, view = seen.scene.dataset, seen.view
    folds = view.folds
    return {
        "better": [dataset.doc_ids[i] for i in seen.cone.points.better],
        "worse": [dataset.doc_ids[i] for i in seen.cone.points.worse],
        "gap": seen.cone.points.gaps,
        **{
            f"z: {n}": c
            for n, c in zip(dataset.feature_names, seen.cone.points.z.T, strict=True)
        },
        **{f"w: {vector_name(k)}": w for k, w in enumerate(folds.weights.T)},
        "distance": folds.distances,
        "in the cone": view.inside,
        "aᵀz": seen.cone.points.z @ view.direction,
    }


def _record(values: Values, seen: Seen) -> dict[str, Any]:
    return {
        "axes": list(seen.scene.dataset.feature_names),
        "data": values.wanted.data,
        "settings": values.named,
        "seed": values.wanted.seed,
        "pass": seen.at,
        "vectors": seen.view.basis.T.tolist(),
        "direction": seen.view.direction.tolist(),
        "objective": seen.cone.passes[seen.at].objective,
    }
