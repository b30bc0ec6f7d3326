"""Regularisation C: how much training improves on w = 0 as C grows."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _learner
from rankcore.base.numbers import counted, rounded
from rankcore.mathematics.elementary import geomspace
from rankcore.studies import Study
from rankcore.topics.margins import training as margin_training
from rankcore.topics.margins.matrix import health_of
from rankcore.topics.margins.models import scaled_weights
from rankcore.topics.margins.rounds import total_weight
from rankcore.topics.margins.training_figure import health_figure
from rankcore.views import Fact, Number, Panel, Setting, Shown, Values, View, Work

LOWEST_C, HIGHEST_C = 0.1, 1000.0
MEASURE = "nDCG@10"
POINTS = Number(
    "margin_points",
    9,
    "Values of C",
    meaning=f"From {LOWEST_C:g} to {HIGHEST_C:g}; several C keep their ratio.",
    low=4,
    high=16,
    whole=True,
)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Return data, learner, values of C, and how models are evaluated."""
    return [
        *_learner.DATA,
        _learner.LEARNER,
        # The values of C replace a single one; of several, only the ratio counts.
        *_learner.tuned(_learner.learner_of(raw), studied=False),
        POINTS,
        shared.CONVENTION,
        shared.EMPTY,
    ]


def study(values: Values) -> Study:
    """Train with every C."""
    totals = geomspace(LOWEST_C, HIGHEST_C, values.margin_points).tolist()
    chosen, splits = _learner.algorithm(values), datasets.of(values)
    return health_of(chosen, splits, totals, MEASURE, shared.rules(values))


def show(values: Values, study: Study | None) -> Shown:
    """Objective, gain, length and measure of each model, against C."""
    if study is None or not study.found:
        return Shown()
    found = margin_training.health(list(study.found))
    trained = study.subject.algorithm
    name = type(trained).__name__
    same = values.margin_learner == name
    total = total_weight(_learner.algorithm(values) if same else trained)
    near, best = found.nearest(total), found.best
    measure = study.subject.measured

    def pick(trace: str, point: int, x: float, y: float) -> dict[str, object]:
        weights = scaled_weights(trained, float(found.C[point]))
        taken = {f"{name}.{each}": float(f"{C:.4g}") for each, C in weights.items()}
        return {"margin_learner": name, **taken}

    at_best = f"at C = {rounded(found.C[best])}"
    colour = values.style(name)[0]
    picture = health_figure(found, measure, colour, total, values.palette)
    note = "click a point to use its C; dotted: the C that is set"
    return Shown(
        [
            Fact("Sum of C", rounded(found.C[near]), "nearest to the setting"),
            Fact("Reduction from w = 0", f"{found.gain[near]:.1%}"),
            Fact("‖w‖", f"{found.norm[near]:.3g}"),
            Fact("Rounds", str(int(found.rounds[near]))),
            Fact(f"Best {measure}", f"{found.values[best]:.3f}", at_best),
        ],
        [Panel("health", "Optimisation health", note, picture, on_click=pick)],
    )


VIEW = View(
    "Regularisation C",
    "How large C must be for training to improve on w = 0.",
    settings,
    show,
    work=Work(
        study,
        button=lambda values: f"Train {counted(values.margin_points, 'models')}",
        promise=lambda values: (
            f"Models with C from {LOWEST_C:g} to {HIGHEST_C:g}: how much each reduces "
            f"the objective at w = 0, ‖w‖ and {MEASURE}, shown as each finishes."
        ),
    ),
    refuses=_learner.unable,
    presets={"Choosing C": {"margin_learner": "SVMMAP", "data": "toy-2d"}},
    explain=_learner.explain,
)
