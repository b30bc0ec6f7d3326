"""The landscape of models: a measure and its surrogate, and where training ends."""

from collections.abc import Callable, Mapping

from pages.ui import shared
from pages.views.approximation import _curve, _restarts, _scene, _sphere
from pages.views.approximation._surrogate import ALPHA
from rankcore.insight.scenes import CIRCLE, LINE, SPHERE
from rankcore.insight.table_five import PUBLISHED
from rankcore.studies import Study
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

EQUATIONS = r"""
Scores are linear in the model. On the line $w(t) = (1 - t)\,w_0 + t\,w_1$ two documents
of a query change places at a single $t$,

$$t_{ij} = \frac{w_0^\top (x_i - x_j)}{(w_0 - w_1)^\top (x_i - x_j)},$$

and no measure of ranks changes anywhere else. Only the direction of $w$ matters to the
ranking. With two features it is an angle, with three a point on a sphere, and documents
change places where $w^\top (x_i - x_j) = 0$.

The surrogate replaces ranks by soft positions
$\hat\pi_i = 1 + \sum_{j \ne i} \sigma\big(\alpha\, w^\top (x_j - x_i)\big)$. Only the
product $\alpha w$ matters. Here $w$ has length one, in units in which each feature (or
model) has a range of at most one within a query.

T. Qin, T.-Y. Liu, H. Li, *A general approximation framework for direct optimization of
information retrieval measures*, Information Retrieval 13:375-397, 2010.
"""

READING = """
- **Steps** (black): the exact measure. They are computed from the places where scores
  are equal, not sampled, so no step is missed. **Coloured lines**: the surrogate at
  several α, sampled every half degree (721 places on a line).
- **Ring and globe**: the same values as colours. A sector or a cell is a set of
  directions with one value of the measure. On the sphere the measure is exact along
  each meridian and in the middle of each patch; cells smaller than a patch are not
  visible. The thin lines are the exact great circles on which two scores are equal;
  some of them bound each cell.
- **▼ and ◆** on ring and line: the maximum of the measure and that of the surrogate.
  ◇ below ◆ is the exact measure at the maximum of the surrogate.
- **Orange**: where restarts ended; hollow: where they began.

**Try.** Move α from 1 to 300 and watch how many peaks the surrogate has. Then run the
restarts: at α = 1 nearly all of them end at the single maximum. At α = 300 most of them
end at the peak where they began, or on a plateau without a gradient.
"""

RESTARTS = """
The paper's Table 5 (training nDCG@5 on OHSUMED, fold 1) is for α = {alphas}. One start
gives {one}, and the best of a hundred starts {hundred}.
The paper concludes that the sharpest surrogate is closest to the measure and needs the
restarts. Single starts vary much more than these values differ, so their order is
random, and that of a hundred starts may be random, too: another seed can put another α
first. *Restarts in: all features* runs the experiment and shows the spread.

A surrogate with a small α has few local maxima, but its maximum is not that of the
measure. With a large α the two agree, but training rarely finds them: the gradient
vanishes wherever no two scores are within about 1/α of each other. A run that has
stopped may be at a maximum or on a plateau.
"""

SHAPES: Mapping[str, Callable[[Values, Study | None], Shown]] = {
    LINE: _curve.line,
    CIRCLE: _curve.circle,
    SPHERE: _sphere.show,
}


def show(values: Values, study: Study | None) -> Shown:
    """The measure over the models, and what restarts have found."""
    if _scene.refusal(values) is not None:
        return Shown()
    found = SHAPES[values.land_shape](values, study)
    below = [Caption(_scene.queries_shown(values)), *_restarts.results(values, study)]
    settings = dict(values.only(*_scene.KEYS)) | {"axes": _scene.names(values)}
    return found._replace(
        blocks=[*found.blocks, *below], records={"Settings": settings}
    )


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
        _scene.QUERY,
        _sphere.COLOUR,
    ],
    show,
    work=lambda values: _restarts.WORKS[values.land_restarts_in],
    refuses=_scene.refusal,
    presets=PRESETS,
    explain={
        "What is drawn": EQUATIONS,
        "How to read this": READING,
        "Why a sharp surrogate needs restarts": RESTARTS.format(
            alphas=", ".join(f"{row.alpha:g}" for row in PUBLISHED),
            one=", ".join(f"{row.one:.4f}" for row in PUBLISHED),
            hundred=", ".join(f"{row.hundred:.4f}" for row in PUBLISHED),
        ),
    },
)
