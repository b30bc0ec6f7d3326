"""Geometry: the cone of a toy ranking, in the plane or in space."""

from pages.views.cones import _cone
from rankcore.views import MORE, Number, View

NOISE = Number(
    "cone_noise",
    0.0,
    "Noise",
    meaning="Added to every feature; 1 is a standard deviation of the feature.",
    low=0.0,
    high=2.0,
    step=0.05,
    group=MORE,
)


def _scene(size: str, vectors: int) -> dict[str, object]:
    """Return a trained cone on a toy as it is, z where it begins."""
    own = {"cone_size": size, "cone_k": vectors, "cone_noise": 0.0}
    return own | {"cone_pass": _cone.ITERATION.default, "cone_z": ""}


VIEW = View(
    "Geometry",
    "The cone that ConeRank learns from two or three features.",
    [_cone.SIZE, _cone.K, NOISE, _cone.ITERATION, *_cone.DETAILS],
    _cone.show,
    presets={
        "A cone in the plane": _scene("2-D", 2),
        "A cone in space": _scene("3-D", 3),
        "Six vectors in space": _scene("3-D", 6),
    },
    **_cone.PLAYED,
)
