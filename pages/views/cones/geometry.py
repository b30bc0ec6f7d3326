"""Geometry: the cone of a toy ranking or any data, in two or three dimensions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.cones import _cone
from rankcore import views
from rankcore.base.numbers import quoted
from rankcore.topics.cones import documents_figure as charts
from rankcore.topics.cones import sight as cone_view
from rankcore.topics.cones.documents import compare_documents, first_query
from rankcore.topics.cones.spectrum_figure import spectrum_figure
from rankcore.topics.cones.trained import difference_spectrum
from rankcore.views import MORE, Changes, Choice, Number, Panel, Points, Shown, Values


def _other_axes(key: str) -> Callable[[Values, Any], Changes]:
    """Return the changes of a setting that makes z another pair."""
    return lambda values, chosen: {key: chosen, _cone.Z.key: ""}


TOY, ANY = "a toy", "any data set"
SOURCE = Choice(
    "cone_source",
    TOY,
    "Documents",
    names=(TOY, ANY),
    writes=_other_axes("cone_source"),
)
NOISE = Number(
    "cone_noise", 0.0, "Noise",
    meaning="Added to every feature; 1 is a standard deviation of the feature.",
    low=0.0, high=2.0, step=0.05, group=MORE,
)  # fmt: skip
NAMES = {str(number): f"x{number}" for number in range(1, 8)}
CENTRE = views.Listed("cone_centre", "1", "Cone drawn at", names=NAMES, inline=True)
PLACES = Points(
    "cone_places",
    "",
    "Document",
    start=lambda values: first_query(_cone.scene(values)).X,
    names=tuple(NAMES.values()),
    inline=True,
    shown_when=lambda values: values.cone_size == "2-D",
)
STAYS = " The cone is still that of training: documents moved since do not change it."


@dataclass(frozen=True)
class Features(views.Several):
    """Features by number, from 1; by default the two that differ most between better
    and worse documents."""

    def check(self, value: Any) -> Any:
        for number in super().check(value):
            if not (number.isdecimal() and number.isascii() and number != "0"):
                raise ValueError(
                    f"{self.key} must be numbers of features from 1, not "
                    f"{quoted(number)}; write 4,9"
                )
        return tuple(value)

    def fitted(self, value: Any, values: Values) -> Any:
        splits, chosen = datasets.readable(values), super().fitted(value, values)
        if chosen or splits is None:
            return chosen
        return tuple(str(j + 1) for j in cone_view.leading_features(splits.train, 2))


def _names(values: Values) -> Mapping[str, str]:
    splits = datasets.readable(values)
    names = [] if splits is None else splits.train.feature_names
    return {str(number): name for number, name in enumerate(names, start=1)}


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
    meaning="If there are more, pairs are sampled, each query with equal probability.",
    low=100,
    high=1500,
    step=100,
    whole=True,
    group=GROUP,
)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of data, axes and cone; a toy has noise instead of axes."""
    if raw.get(SOURCE.key) != ANY:
        rows = [_cone.SIZE, _cone.K, NOISE, _cone.ITERATION, *_cone.DETAILS]
        return [SOURCE, *rows, CENTRE, PLACES]
    axes = [ALONG, _cone.SIZE, FEATURES, _cone.K, replace(_cone.ITERATION, group=MORE)]
    return [SOURCE, shared.DATA, shared.NORMALISE, *axes, PAIRS, *_cone.DETAILS]


def show(values: Values) -> Shown:
    """Return the cone; for a toy in the plane also documents and differences, for other
    data the spectrum of all differences."""
    shown = _cone.show(values)
    if values.cone_source == ANY:
        return shown._replace(blocks=[*shown.blocks, _spectrum(values)])
    if values.cone_size != "2-D":
        return shown
    return shown._replace(blocks=[*shown.blocks, _documents(values)])


def _spectrum(values: Values) -> Panel:
    energy = difference_spectrum(datasets.of(values).train)
    return Panel(
        "spectrum",
        "Spectrum of all ordered differences",
        "eigenvalues of the second-moment matrix; below, cumulative energy; dotted: K",
        spectrum_figure(energy, values.palette, at=values.cone_k),
    )


def _documents(values: Values) -> views.Row:
    compared = compare_documents(
        _cone.scene(values),
        _cone.trained(values),
        values.cone_pass,
        PLACES.points(values),
        int(values.cone_centre) - 1,
    )
    documents = Panel(
        "query_documents",
        "Documents of one query",
        "drag a document, or click it to see its cone",
        charts.documents_figure(compared, PLACES.begins(values), values.palette),
        _cone.moves(values, documents=PLACES),
        lambda trace, place, *_: (
            {CENTRE.key: str(place + 1)} if trace == "documents" else {}
        ),
    )
    differences = Panel(
        "query_differences",
        "Their differences, better − worse",
        f"arrows: with {compared.names[compared.centre]}",
        charts.query_differences_figure(compared, values.palette),
    )
    caption = views.Caption(compared.in_words() + STAYS * bool(values.cone_places))
    return views.Row([[documents, caption, views.Ask([CENTRE, PLACES])], [differences]])


def refuses(values: Values) -> str | None:
    """Return the reason why no cone can be shown."""
    if values.cone_source != ANY:
        return None
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


def _scene(size: str, vectors: int) -> dict[str, object]:
    """Return the settings of a cone trained on a noiseless toy, z by default."""
    toy = {SOURCE.key: TOY, "cone_size": size, "cone_k": vectors, "cone_noise": 0.0}
    return toy | {"cone_pass": _cone.ITERATION.default, "cone_z": ""}


VIEW = views.View(
    "Geometry",
    "The cone that ConeRank learns, along two or three axes.",
    settings,
    show,
    refuses=refuses,
    presets={
        "A cone in the plane": _scene("2-D", 2),
        "A cone in space": _scene("3-D", 3),
        "Six vectors in space": _scene("3-D", 6),
        "Web search data, three principal directions": {
            SOURCE.key: ANY,
            "data": "mslr10k-sample",
            "cone_along": _cone.PRINCIPAL,
            "cone_size": "3-D",
            "cone_k": 3,
            "cone_z": "",
        },
    },
    **_cone.PLAYED,
)
