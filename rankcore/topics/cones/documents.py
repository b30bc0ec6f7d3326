"""Documents of one query and their differences, compared by a cone."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore.base.arrays import Floats
from rankcore.data.dataset import RankingDataset
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones.cone import in_cone
from rankcore.topics.cones.sight import ConeScene, DifferencePoints, VisibleCone
from rankcore.topics.cones.trained import TrainedCone

Flags = NDArray[np.bool_]

# Half the width and height of the words on x + K, x − K and neither, in shares of the
# picture.
_HALVES = ((0.11, 0.07), (0.11, 0.07), (0.17, 0.07))


class ComparedDocuments(NamedTuple):
    """Documents of one query, compared with one of them by a cone K.

    Attributes
    ----------
    dataset : RankingDataset
        The query, with its documents at their present places.
    centre : int
        The document x that the others are compared with.
    points : DifferencePoints
        The normalised differences of its ordered pairs.
    view : VisibleCone
        The cone among these differences.
    better, worse : (n,) bool
        Documents in x + K, and in x − K; in neither, they are not comparable with x.
    """

    dataset: RankingDataset
    centre: int
    points: DifferencePoints
    view: VisibleCone
    better: Flags
    worse: Flags

    @property
    def names(self) -> list[str]:
        """The names of the documents in the picture, x1, x2, … ."""
        return [f"x{i}" for i in range(1, self.dataset.n_documents + 1)]

    @property
    def apart(self) -> Flags:
        """(n,) whether the cone cannot compare a document with x."""
        return ~(self.better | self.worse) & self.others

    @property
    def others(self) -> Flags:
        """(n,) whether a document differs from x."""
        return np.arange(self.dataset.n_documents) != self.centre

    @property
    def with_centre(self) -> Flags:
        """(m,) mask of the differences of pairs with x."""
        return (self.points.better == self.centre) | (self.points.worse == self.centre)

    def free_places(self, ends: Floats) -> list[Floats | None]:
        """Return places for text within x + K, within x − K, and outside both, each as
        far as possible from documents; None if there is no room.

        Parameters
        ----------
        ends : (2, 2) float64
            Both ends of each axis of the picture.
        """
        low, span, X = ends[:, 0], np.ptp(ends, axis=1), self.dataset.X
        chosen: list[Floats | None] = []
        for kind, half in enumerate(_HALVES):
            # Shares of the picture in which words are not cut off.
            grid = np.array(list(product(*(np.linspace(h, 1 - h, 21) for h in half))))
            corners = grid[:, None] + np.array(list(product((-1, 1), repeat=2))) * half
            within = self._regions(low + corners.reshape(-1, 2) * span)[kind]
            free = within.reshape(corners.shape[:2]).all(axis=1)
            gaps = (grid[free][:, None] - (X - low) / span) * (0.6, 1.0)
            room = (gaps**2).sum(axis=2).min(axis=1)
            place = low + grid[free][int(room.argmax())] * span if free.any() else None
            chosen.append(place)
        return chosen

    def _regions(self, places: Floats) -> tuple[Flags, ...]:
        """Return masks of places in x + K only, in x − K only, and in neither."""
        at = self.dataset.X[self.centre]
        better = in_cone(self.view.basis, places - at)
        worse = in_cone(self.view.basis, at - places)
        return better & ~worse, worse & ~better, ~(better | worse)

    def in_words(self) -> str:
        """Return sentences that list better, worse and incomparable documents."""
        kinds = {
            f"Better than {self.names[self.centre]}": self.better & ~self.worse,
            "Worse": self.worse & ~self.better,
            "Not comparable": self.apart,
        }
        if (both := self.better & self.worse).any():
            kinds["Better and worse at once"] = both
        listed = {
            kind: ", ".join(np.array(self.names)[flags]) or "none"
            for kind, flags in kinds.items()
        }
        return " ".join(f"{kind}: {names}." for kind, names in listed.items())


def first_query(scene: ConeScene) -> RankingDataset:
    """Return the documents of the first query of a scene."""
    return scene.dataset.subset([0])


def compare_documents(
    scene: ConeScene, cone: TrainedCone, at: int, places: ArrayLike, centre: int
) -> ComparedDocuments:
    """Compare documents of the first query with one of them.

    Parameters
    ----------
    cone : TrainedCone
        Trained on the scene; moving documents does not change it.
    at : int
        The iteration; the last one if it is larger.
    places : (n, d) float64
        Positions of the documents, in the axes of the scene.
    centre : int
        The document that the others are compared with.
    """
    query = first_query(scene)
    X = np.asarray(places, dtype=np.float64)
    shifted = RankingDataset.from_arrays(
        X, query.y, doc_ids=query.doc_ids, feature_names=list(query.feature_names)
    )
    one = cone.algorithm
    rho = None if one.rho == "auto" else float(one.rho)
    points = cone_view.points(shifted, one.alpha, rho)
    basis = cone.passes[min(at, len(cone.passes) - 1)].basis
    view = cone_view.look(basis, points.z, *cone.limits)
    others = np.arange(len(X)) != centre
    return ComparedDocuments(
        shifted,
        centre,
        points,
        view,
        in_cone(basis, X - X[centre]) & others,
        in_cone(basis, X[centre] - X) & others,
    )
