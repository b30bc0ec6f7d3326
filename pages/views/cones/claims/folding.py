"""The claim that clipping and dividing by the sum is a projection."""

from pages.views.cones.claims._points import difference, vector, vectors
from rankcore.plot.numbers import decimals
from rankcore.topics.cones import claims as insight
from rankcore.topics.cones import folding_figure as charts
from rankcore.views import Claim, Number, Panel, Row, Shown, Table, Values, Words

RATE = Number(
    "cone_rate",
    0.01,
    "Step length",
    r"\mu",
    "Step length of both gradient rules.",
    stops=(0.001, 0.01, 0.1),
)
TARGET = difference((1.0, 0.2))
VECTORS = vectors(((2.0, 0.0), (0.0, 1.0)))


def show(values: Values) -> Shown:
    """Return where each folding-in rule ends, and its excess over the optimum."""
    z, basis = TARGET.points(values)[0], VECTORS.points(values).T
    paths = insight.folding_paths(basis, z, values.cone_rate)
    exact, printed = paths["exact"], paths["sg"]
    excess = float(printed.values[-1] - exact.values[-1])
    formula = (
        rf"\|z - U w_\mathrm{{sg}}\|^2 = {decimals(printed.values[-1], 4)} \;"
        rf"{'>' if excess > 1e-9 else '='}\; {decimals(exact.values[-1], 4)} = "
        rf"\|z - U w^*\|^2, \qquad w_\mathrm{{sg}} = {vector(printed.weights[-1])},"
        rf"\; w^* = {vector(exact.weights[-1])}"
    )
    left = Panel(
        "cone_segment",
        "Squared distance along the weights",
        "near the ends of the rules",
        charts.segment_figure(insight.along_segment(basis, z), paths, values.palette),
    )
    right = Panel(
        "cone_excess",
        "Excess over the optimum by step",
        f"μ = {values.cone_rate:g}",
        charts.excess_figure(paths, values.palette),
    )
    row = Row([[left], [right]], widths=(9, 5))
    rules = Table("cone_rules", "Rules", "where each ends", charts.rules_table(paths))
    return Shown(blocks=[row, Words(f"$$\n{formula}\n$$"), rules])


CLAIM = Claim(
    "Clipping is a projection",
    "Steps 1a to 1c of Algorithm 1 take a gradient step, clip negative weights to "
    "zero, and divide by the sum to stay on the simplex.",
    "It does not hold: this is not a projection. At its fixed point the slopes of the "
    "weights in use differ, so the weights are not optimal, whatever μ is. "
    "Exponentiated gradient stops only where these slopes are equal.",
    [RATE, TARGET, VECTORS],
    show,
)
