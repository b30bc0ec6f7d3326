"""Any data: a cone along two or three features or principal directions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.cones import _cone
from rankcore.charts.cone import colours
from rankcore.charts.cone_quality import spectrum_figure
from rankcore.dataset import RankingDataset
from rankcore.insight import cone_view as insight
from rankcore.numbers import quoted
from rankcore.views import Choice, Number, Panel, Several, Shown, Values, View


@dataclass(frozen=True)
class Features(Several):
    """Features by their numbers from 1; without any, the two that differ most between
    better and worse documents."""

    def check(self, value: Any) -> Any:
        for number in super().check(value):
            if not (number.isdecimal() and number.isascii() and number != "0"):
                raise ValueError(
                    f"{self.key} must be numbers of features from 1, not "
                    f"{quoted(number)}; write 4,9"
                )
        return tuple(value)

    def fitted(self, value: Any, values: Values) -> Any:
        found = datasets.readable(values)
        chosen = super().fitted(value, values)
        return chosen if chosen or found is None else _leading(found.train)


@lru_cache(maxsize=16)
def _leading(dataset: RankingDataset) -> tuple[str, ...]:
    return tuple(str(j + 1) for j in insight.leading_features(dataset, 2))


def _names(values: Values) -> Mapping[str, str]:
    found = datasets.readable(values)
    names = [] if found is None else found.train.feature_names
    return {str(number): name for number, name in enumerate(names, start=1)}


_AXES = (_cone.PRINCIPAL, _cone.FEATURES)
ALONG = Choice("cone_along", _cone.PRINCIPAL, "Axes", names=_AXES)
FEATURES = Features(
    "cone_features",
    (),
    "Two or three features",
    names=_names,
    most=3,
    boxed=True,
    shown_when=lambda values: values.cone_along == _cone.FEATURES,
)
PAIRS = Number(
    "cone_pairs",
    400,
    "Maximum pairs",
    meaning="If there are more, a sample is drawn in which queries are equally likely.",
    low=100,
    high=1500,
    step=100,
    whole=True,
    group="Sample",
)


def show(values: Values) -> Shown:
    """A cone, above the spectrum of all differences."""
    shown = _cone.show(values)
    return shown._replace(blocks=[*shown.blocks, _spectrum(values)])


def refuses(values: Values) -> str | None:
    """Why there is no cone to show."""
    train = datasets.of(values).train
    if values.cone_along == _cone.FEATURES and len(values.cone_features) < 2:
        return "Choose two features for a plane, or three for space."
    if train.n_features < 2:
        return "These data have only one feature; choose data with two or more."
    if _cone.scene(values).n_pairs == 0:
        return (
            "All documents of each query have the same label, so there are no ordered "
            "pairs. Choose other data."
        )
    return None


def _spectrum(values: Values) -> Panel:
    energy = _cone.spectrum(datasets.of(values).train)
    colour = colours(values.palette).cone
    return Panel(
        "spectrum",
        "Spectrum of all ordered differences",
        "eigenvalues of the second-moment matrix; below, cumulative energy; dotted: K",
        spectrum_figure(energy, colour, values.palette, at=values.cone_k),
    )


VIEW = View(
    "Any data",
    "The cone of any data set, along two or three axes.",
    [
        shared.DATA,
        shared.NORMALISE,
        ALONG,
        _cone.SIZE,
        FEATURES,
        *_cone.CONE,
        _cone.ITERATION,
        _cone.SHOW,
        *_cone.DETAILS,
        shared.SEED,
        PAIRS,
        _cone.Z,
    ],
    show,
    refuses=refuses,
    presets={
        "Web search data, three principal directions": {
            "data": "mslr10k-sample",
            "cone_along": _cone.PRINCIPAL,
            "cone_size": "3-D",
            "cone_k": 3,
            "cone_z": "",
        }
    },
    explain=_cone.explain,
    plays=_cone.ITERATION.key,
    plays_to=_cone.last_iteration,
)
