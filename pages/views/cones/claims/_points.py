"""Points that several claims share, and the notation of vectors."""

import numpy as np

from rankcore.topics.cones.cone_figure import vector_name
from rankcore.views import MORE, Points

Places = tuple[tuple[float, float], ...]


def vectors(start: Places) -> Points:
    """Return the setting of a cone's vectors in the plane."""
    names = tuple(vector_name(k) for k in range(len(start)))
    return Points("cone_vectors", "", "Vector", start=start, names=names, group=MORE)


def difference(start: tuple[float, float]) -> Points:
    """Return the setting of a difference in the plane."""
    return Points(
        "cone_target", "", "Difference", "z", start=(start,), names=("z",), group=MORE
    )


def vector(numbers: np.ndarray) -> str:
    """Return a vector in brackets."""
    return "({})".format(", ".join(f"{n + 0.0:.3f}" for n in numbers))
