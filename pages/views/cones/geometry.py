"""Geometry: the cone of a toy ranking, in the plane or in space."""

from pages.ui import shared
from pages.views.cones import _cone
from rankcore.views import Number, View

NOISE = Number(
    "cone_noise",
    0.0,
    "Noise",
    meaning="Added to every feature; 1 is a standard deviation of the feature.",
    low=0.0,
    high=2.0,
    step=0.05,
)

TRAINED = {"cone_pass": _cone.ITERATION.default, "cone_z": ""}
PRESETS = {
    "A cone in the plane": {"cone_size": "2-D", "cone_k": 2, "cone_noise": 0.0},
    "A cone in space": {"cone_size": "3-D", "cone_k": 3, "cone_noise": 0.0},
    "Six vectors in space": {"cone_size": "3-D", "cone_k": 6, "cone_noise": 0.0},
}

VIEW = View(
    "Geometry",
    "The cone that ConeRank learns from two or three features.",
    [
        _cone.SIZE,
        *_cone.CONE,
        NOISE,
        _cone.ITERATION,
        _cone.SHOW,
        *_cone.DETAILS,
        shared.SEED,
        _cone.Z,
    ],
    _cone.show,
    presets={title: TRAINED | changes for title, changes in PRESETS.items()},
    explain=_cone.explain,
    plays=_cone.ITERATION.key,
    plays_to=_cone.last_iteration,
)
