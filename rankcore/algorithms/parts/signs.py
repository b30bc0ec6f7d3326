"""Signs of features: prior knowledge of the direction of their effect."""

import csv
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankcore.algorithms.parts.ranker import LinearRanker
from rankcore.base.hyperparameters import choice
from rankcore.base.numbers import counted, quoted, shortlist
from rankcore.data.dataset import RankingDataset

_log = logging.getLogger(__name__)

ANY, NOT_NEGATIVE = "any", "not_negative"
_BOUNDS = {"+": (0.0, np.inf), "-": (-np.inf, 0.0), "0": (0.0, 0.0)}


class Bounds(NamedTuple):
    """Bounds of the coefficient of each feature.

    Attributes
    ----------
    low : (d,) float64
        0 or minus infinity.
    high : (d,) float64
        0 or infinity.
    """

    low: np.ndarray
    high: np.ndarray

    @classmethod
    def none(cls, d: int) -> "Bounds":
        """Return the bounds of ``d`` features without signs."""
        return cls(np.full(d, -np.inf), np.full(d, np.inf))

    @property
    def fixed(self) -> np.ndarray:
        """(d,) bool, whether a coefficient is fixed at 0."""
        return self.low == self.high

    @property
    def directions(self) -> np.ndarray:
        """(d,) int64, 1 where scores may not fall as the feature rises, -1 where they
        may not rise, 0 where either is permitted."""
        return (self.low == 0.0).astype(np.int64) - (self.high == 0.0)

    def nearest(self, w: np.ndarray) -> np.ndarray:
        """Return the permitted coefficients nearest to ``w`` (d,); after soft
        thresholding this completes the proximal step of the l1 norm."""
        # Unlike np.clip, this gives a zero of the same sign on every processor.
        return np.where(w < self.low, self.low, np.where(w > self.high, self.high, w))


def feature_signs(what: str) -> Any:
    """Declare the signs of features; ``what`` is the subject of the sentence."""
    return choice(
        ANY,
        (ANY, NOT_NEGATIVE),
        words=True,
        label="Signs of features",
        meaning=f"{what}: any, not negative for all features, or by feature, such as "
        "price=-, stars=+; other features are free.",
        advanced=True,
        unwritten=True,
    )


def bounds_of(signs: str, names: Sequence[str]) -> Bounds | None:
    """Return the bounds for signs, or None if there are none.

    Parameters
    ----------
    signs : str
        ``any``, ``not_negative``, or features with a sign each, such as
        ``price=-, stars=+, age=0``; a name with a comma stands in quotation marks, as
        in CSV: ``"price, net"=-``.
    names : sequence of d str
        The names of the features.

    Raises
    ------
    ValueError
        For a feature that is unknown or named twice, and for an invalid sign.

    Examples
    --------
    >>> bounds_of("price=-,age=0", ["stars", "price", "age"])
    Bounds(low=array([-inf, -inf,   0.]), high=array([inf,  0.,  0.]))
    """
    if signs == ANY:
        return None
    if signs == NOT_NEGATIVE:
        return Bounds(np.zeros(len(names)), np.full(len(names), np.inf))
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    place, earlier = {name: j for j, name in enumerate(names)}, set[str]()
    for item in _items(signs):
        name, sign = _parts(item)
        if not name or sign not in _BOUNDS:
            raise ValueError(
                f"{quoted(item)} in signs is not a feature with a sign: write any, "
                "not_negative, or a list such as price=-, stars=+, age=0, with names "
                'that have a comma in quotation marks, such as "price, net"=-.'
            )
        if name not in place or name in earlier:
            problem = "names a feature twice" if name in earlier else "has a feature"
            rest = "" if name in earlier else " that the data lacks"
            raise ValueError(
                f"signs {problem}{rest}, {quoted(name)}; the features are "
                f"{shortlist(names)}."
            )
        earlier.add(name)
        low[place[name]], high[place[name]] = _BOUNDS[sign]
    return Bounds(low, high)


def signs_among(signs: str, names: Sequence[str]) -> str:
    """Return the signs of the features that are among ``names``.

    Examples
    --------
    >>> signs_among("price=-, age=0", ["stars", "price"])
    'price=-'
    >>> signs_among('"price, net"=-, age=0', ["price, net"])
    '"price, net"=-'
    """
    if signs in (ANY, NOT_NEGATIVE):
        return signs
    parts = map(_parts, _items(signs))
    among = [f"{_quoted(name)}={sign}" for name, sign in parts if name in names]
    return ", ".join(among) or ANY


def _items(signs: str) -> list[str]:
    """Return the items of a list with CSV quoting."""
    try:
        rows = list(csv.reader([signs], skipinitialspace=True))
    except csv.Error:  # such as a line end
        return [signs]
    return [item.strip() for row in rows for item in row] or [signs]


def _parts(item: str) -> tuple[str, str]:
    """Return the name of a feature and its sign."""
    name, _, sign = item.rpartition("=")
    return name.strip(), sign.strip().replace("−", "-")


def _quoted(name: str) -> str:
    """Return the name of a feature, quoted as in lists of signs."""
    if "," in name or name.startswith('"'):
        return '"' + name.replace('"', '""') + '"'
    return name


def refusal(signs: str, dataset: RankingDataset) -> str | None:
    """Return why signs cannot apply to a data set, as a sentence, or None."""
    try:
        bounds_of(signs, dataset.feature_names)
    except ValueError as error:
        return str(error)
    return None


@dataclass(eq=False, repr=False, kw_only=True)
class SignedRanker(LinearRanker):
    """Base of the linear rankers that support signs of coefficients."""

    signs: str = feature_signs("The sign of each coefficient")

    def bounds(self, dataset: RankingDataset) -> Bounds:
        """Return the bounds of the coefficients; infinite where there are no signs."""
        names = dataset.feature_names
        return bounds_of(self.signs, names) or Bounds.none(len(names))

    def unsupported_reason(self, dataset: RankingDataset) -> str | None:
        """Return the reason if the signs do not match the features, or that of the base
        class."""
        return refusal(self.signs, dataset) or super().unsupported_reason(dataset)

    def checked_start(self, start: np.ndarray, dataset: RankingDataset) -> np.ndarray:
        """Return the permitted coefficients nearest to the start."""
        w = super().checked_start(start, dataset)
        nearest = self.bounds(dataset).nearest(w)
        if changed := int((nearest != w).sum()):
            _log.warning(
                "The starting model violates the signs of %s; training starts at the "
                "nearest permitted coefficients.",
                counted(changed, "features"),
            )
        return nearest
