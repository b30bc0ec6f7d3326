"""Any data: a cone along two or three features or principal directions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.cones import _cone
from rankcore import views
from rankcore.base.numbers import quoted
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones import trained as trained_cone
from rankcore.topics.cones.quality_figure import spectrum_figure
from rankcore.views import MORE, Changes, Choice, Number, Panel, Shown, Values, View


@dataclass(frozen=True)
class Features(views.Several):
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
        found, chosen = datasets.readable(values), super().fitted(value, values)
        if chosen or found is None:
            return chosen
        return tuple(str(j + 1) for j in cone_view.leading_features(found.train, 2))


def _names(values: Values) -> Mapping[str, str]:
    found = datasets.readable(values)
    names = [] if found is None else found.train.feature_names
    return {str(number): name for number, name in enumerate(names, start=1)}


def _other_axes(key: str) -> Callable[[Values, Any], Changes]:
    """Return the changes of a choice of axes: along others z is another pair."""
    return lambda values, chosen: {key: chosen, _cone.Z.key: ""}


GROUP = "Axes and sample"
ALONG = Choice(
    "cone_along",
    _cone.PRINCIPAL,
    "Axes",
    names=(_cone.PRINCIPAL, _cone.FEATURES),
    group=GROUP,
    writes=_other_axes("cone_along"),
)
FEATURES = Features(
    "cone_features",
    (),
    "Two or three features",
    names=_names,
    most=3,
    boxed=True,
    group=GROUP,
    shown_when=lambda values: values.cone_along == _cone.FEATURES,
    writes=_other_axes("cone_features"),
)
PAIRS = Number(
    "cone_pairs",
    200,
    "Maximum pairs",
    meaning="If there are more, a sample is drawn in which queries are equally likely.",
    low=100,
    high=1500,
    step=100,
    whole=True,
    group=GROUP,
)


def show(values: Values) -> Shown:
    """Return a cone, above the spectrum of all differences."""
    energy = trained_cone.difference_spectrum(datasets.of(values).train)
    spectrum = Panel(
        "spectrum",
        "Spectrum of all ordered differences",
        "eigenvalues of the second-moment matrix; below, cumulative energy; dotted: K",
        spectrum_figure(energy, values.palette, at=values.cone_k),
    )
    shown = _cone.show(values)
    return shown._replace(blocks=[*shown.blocks, spectrum])


def refuses(values: Values) -> str | None:
    """Why there is no cone to show."""
    if values.cone_along == _cone.FEATURES and len(values.cone_features) < 2:
        return "Choose two features for a plane, or three for space."
    if incomplete := (train := datasets.of(values).train).incomplete_reason:
        return incomplete
    if train.n_features < 2:
        return "These data have only one feature; choose data with two or more."
    if _cone.scene(values).n_pairs == 0:
        return (
            "All documents of each query have the same label, so there are no ordered "
            "pairs. Choose other data."
        )
    return None


VIEW = View(
    "Any data",
    "The cone of any data set, along two or three axes.",
    [
        shared.DATA,
        shared.NORMALISE,
        ALONG,
        _cone.SIZE,
        FEATURES,
        _cone.K,
        replace(_cone.ITERATION, group=MORE),
        PAIRS,
        *_cone.DETAILS,
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
    **_cone.PLAYED,
)
