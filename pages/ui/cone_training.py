"""The cone that the controls of the Cones page ask for, trained and remembered."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.ui import datasets, rerun
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.catalogue import load_dataset
from rankcore.insight import trained_cone
from rankcore.insight.cone import CapturedEnergy
from rankcore.insight.cone_view import MOST_PASSES, Scene, svm_direction, toy_scene
from rankcore.insight.trained_cone import TrainedCone

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
def scene(wanted: Wanted) -> Scene:
    """The documents in the axes of the picture."""
    if not wanted.along:
        toy = load_dataset(wanted.data).train
        return toy_scene(toy, wanted.noise, wanted.seed)
    dataset = datasets.load(wanted.data, wanted.normalise).train
    sample = wanted.pairs, wanted.seed
    if wanted.along == FEATURES:
        return trained_cone.feature_scene(dataset, wanted.axes, *sample)
    energy = spectrum(wanted.data, wanted.normalise)
    return trained_cone.principal_scene(dataset, wanted.axes[0], *sample, energy)


@st.cache_resource(max_entries=16, show_spinner="Adding up all differences …")
def spectrum(data: str, normalise: str) -> CapturedEnergy:
    """The spectrum of all differences of a data set."""
    return trained_cone.difference_spectrum(datasets.load(data, normalise).train)


@st.cache_resource(max_entries=64, show_spinner="Training the cone …")
def trained(wanted: Wanted, values: tuple[tuple[str, Any], ...]) -> TrainedCone:
    """Every pass of the training with these hyperparameters."""
    cone = ConeRank(**dict(values), standardise="no", random_state=wanted.seed)
    return trained_cone.train_cone(scene(wanted).dataset, cone)


@st.cache_resource(max_entries=64, show_spinner="Training RankSVM …")
def svm(wanted: Wanted) -> Floats:
    """RankSVM's direction on the same documents."""
    return svm_direction(scene(wanted).dataset)


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
    elif at < st.session_state.get("cone_last", MOST_PASSES):
        st.session_state["cone_pass"] = st.session_state["cone_played"] = at + 1
    else:
        pause()
        rerun.whole_page()
