"""The cone that the controls of the Cones page ask for, trained and remembered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import datasets, rerun
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.catalogue import load_dataset
from rankcore.insight import cone_view as insight
from rankcore.insight.cone import CapturedEnergy, energy_spectrum
from rankcore.mathematics.cones import Differences

Floats = NDArray[np.float64]

TOYS = {"2-D": "toy-2d", "3-D": "toy-3d"}
SIZES = {"2-D": 2, "3-D": 3}
PRINCIPAL, FEATURES = "principal directions", "features"


@dataclass(frozen=True)
class Wanted:
    """What the controls ask for; small values only, so that it can be looked up.

    Attributes
    ----------
    data : str
        A data set, or a toy.
    along : str
        `PRINCIPAL`, `FEATURES`, or empty for a toy's own features.
    axes : tuple of int
        The features; how many directions as one number.
    noise : float
    pairs : int
    seed : int
    normalise : str
    """

    data: str
    along: str = ""
    axes: tuple[int, ...] = ()
    noise: float = 0.0
    pairs: int = 400
    seed: int = 0
    normalise: str = datasets.AS_GIVEN


@st.cache_resource(max_entries=32, show_spinner="Looking at the differences …")
def scene(wanted: Wanted) -> insight.Scene:
    """The documents in the axes of the picture."""
    if not wanted.along:
        toy = load_dataset(wanted.data).train
        return insight.toy_scene(toy, wanted.noise, wanted.seed)
    dataset = datasets.load(wanted.data, wanted.normalise).train
    if wanted.along == FEATURES:
        axes = insight.feature_axes(dataset, wanted.axes)
        names = [dataset.feature_names[j] for j in wanted.axes]
    else:
        size = wanted.axes[0]
        energy = spectrum(wanted.data, wanted.normalise)
        axes = insight.principal_axes(dataset, energy, size)
        names = [f"direction {i}" for i in range(1, size + 1)]
    return insight.scene(dataset, axes, names, wanted.pairs, wanted.seed)


@st.cache_resource(max_entries=16, show_spinner="Adding up all differences …")
def spectrum(data: str, normalise: str) -> CapturedEnergy:
    """The spectrum of all differences of a data set."""
    return energy_spectrum(Differences(datasets.load(data, normalise).train))


@st.cache_resource(max_entries=64, show_spinner="Training the cone …")
def passes(wanted: Wanted, values: tuple[tuple[str, Any], ...]) -> list[insight.Pass]:
    """Every pass of the training with these hyperparameters."""
    cone = ConeRank(**dict(values), standardise="no", random_state=wanted.seed)
    return insight.train(scene(wanted).dataset, cone)


@st.cache_resource(max_entries=64, show_spinner="Training RankSVM …")
def svm(wanted: Wanted) -> Floats:
    """RankSVM's direction on the same documents."""
    return insight.svm_direction(scene(wanted).dataset)


@st.cache_resource(max_entries=64, show_spinner=False)
def right(wanted: Wanted, values: tuple[tuple[str, Any], ...]) -> Floats:
    """The share of pairs that each pass puts in order."""
    found = points(wanted, dict(values))
    directions = [insight.half_space(one.basis)[0] for one in passes(wanted, values)]
    return np.mean(found.z @ np.array(directions).T > 0.0, axis=0)


def points(wanted: Wanted, values: Mapping[str, Any]) -> insight.Points:
    """The normalised differences."""
    rho = None if values["rho"] == "auto" else float(values["rho"])
    return insight.points(scene(wanted).dataset, values["alpha"], rho)


def play() -> None:
    """Show the passes one after the other, from the start."""
    st.session_state["cone_pass"] = 0
    # Counted here, as a slow browser may yet send the slider's place from before.
    st.session_state["cone_played"] = 0
    st.session_state["cone_playing"] = True


def pause() -> None:
    """Stay at the pass that is shown."""
    st.session_state["cone_playing"] = False


def playing() -> bool:
    """Whether the passes are being shown."""
    return bool(st.session_state.get("cone_playing", False))


def ends_at(last: int) -> None:
    """Note the last pass there is to show."""
    st.session_state["cone_last"] = last


def advance() -> None:
    """Go on to the next pass while playing; end at the last one, and show that."""
    at = st.session_state.get("cone_played")
    if at is None:
        return
    if not playing():
        st.session_state["cone_pass"] = st.session_state.pop("cone_played")
    elif at < st.session_state.get("cone_last", insight.MOST_PASSES):
        st.session_state["cone_pass"] = st.session_state["cone_played"] = at + 1
    else:
        pause()
        rerun.whole_page()
