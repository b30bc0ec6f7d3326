"""The landscape of models: a measure and its surrogate, and where training ends."""

from collections.abc import Callable, Mapping

from pages.ui import shared, texts
from pages.views.approximation import _curve, _restarts, _scene, _sphere
from pages.views.approximation._surrogate import ALPHA
from rankcore.studies import Study
from rankcore.topics.approximation.scenes import CIRCLE, LINE, SPHERE
from rankcore.topics.approximation.table_five import published_texts
from rankcore.views import Caption, Changes, Shown, Values, View

TWO_FEATURES = {"data": "toy-2d", "land_shape": CIRCLE}
PRESETS: Mapping[str, Changes] = {
    "Two features, all directions": TWO_FEATURES | {"approx_alpha": 10.0},
    "Sharp: many peaks and plateaus": TWO_FEATURES | {"approx_alpha": 300.0},
    "Three features: the globe": {
        "data": "toy-3d",
        "land_shape": SPHERE,
        "approx_alpha": 10.0,
    },
    "From least squares to RSRank": {
        "data": "mslr10k-sample",
        "land_shape": LINE,
        "land_from": "LeastSquares",
        "land_to": "RSRank",
        "land_measure": "nDCG@5",
    },
    "Table 5: gain from restarts": {
        "data": "planted",
        "land_shape": CIRCLE,
        "land_measure": "nDCG",
        "approx_alpha": 100.0,
        "land_restarts": 20,
        "land_restarts_in": _restarts.ALL_FEATURES,
    },
}

SHAPES: Mapping[str, Callable[[Values, Study | None], Shown]] = {
    LINE: _curve.line,
    CIRCLE: _curve.circle,
    SPHERE: _sphere.show,
}


def show(values: Values, study: Study | None) -> Shown:
    """Return the measure over the models, and the results of restarts."""
    if _scene.refusal(values) is not None:
        return Shown()
    shape = SHAPES[values.land_shape](values, study)
    below = [Caption(_scene.queries_shown(values)), *_restarts.results(values, study)]
    settings = dict(values.only(*_scene.KEYS)) | {"axes": _scene.names(values)}
    return shape._replace(
        blocks=[*shape.blocks, *below], records={"Settings": settings}
    )


def _explained() -> dict[str, str]:
    tabs, restarts = texts.tabs(__file__), "Why a sharp surrogate needs restarts"
    return tabs | {restarts: tabs[restarts].format(**published_texts())}


VIEW = View(
    "Landscape",
    "The exact measure and its surrogate over all models, and where training ends.",
    [
        _scene.SHAPE,
        ALPHA,
        shared.DATA,
        shared.NORMALISE,
        _restarts.WHERE,
        *_scene.AXES,
        _restarts.COUNT,
        _scene.MEASURE,
        _scene.QUERIES,
        shared.SEED,
        *_curve.PLACES.values(),
        _curve.UNROLLED,
        _scene.QUERY,
        _sphere.COLOUR,
    ],
    show,
    work=lambda values: _restarts.WORKS[values.land_restarts_in],
    refuses=_scene.refusal,
    presets=PRESETS,
    explain=_explained(),
)
