"""Trained on × tested on: algorithms for one measure, tested on every measure."""

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _learner
from rankcore.data.catalogue import folds_of
from rankcore.studies import Study
from rankcore.topics.margins import matrix as insight
from rankcore.topics.margins.matrix import MatrixPlan
from rankcore.topics.margins.order_figure import MAIN_HEIGHT
from rankcore.topics.margins.training_figure import matrix_figure
from rankcore.views import Caption, Choice, Number, Panel, Shown, Values, View, Work

C = Number(
    "margin_C",
    20.0,
    "Sum of all C",
    "C",
    "The same for every algorithm.",
    stops=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0),
)
RELEVANT = Number(
    "margin_relevant",
    1,
    "Relevant if label ≥",
    meaning="For algorithms that distinguish only relevant and irrelevant documents.",
    low=1,
    high=4,
    whole=True,
)


def _over(values: Values) -> tuple[str, ...]:
    return ("queries", "folds") if len(folds_of(values.data)) > 1 else ("queries",)


SPREAD = Choice(
    "margin_spread",
    "queries",
    "± over",
    meaning="The standard error over the queries of this fold, or the standard "
    "deviation over all folds, with separate models per fold.",
    names=_over,
    every=("queries", "folds"),
    shown_when=lambda values: len(_over(values)) > 1,
)


def plan(values: Values) -> MatrixPlan:
    """Return the algorithms and the data on which they are trained and tested."""
    folds = folds_of(values.data) if values.margin_spread == "folds" else ()
    return MatrixPlan(
        insight.learners(values.margin_C, values.margin_relevant),
        datasets.of(values),
        tuple(folds),
        datasets.scaling(values.normalise),
        shared.rules(values),
    )


def refuses(values: Values) -> str | None:
    """Return the reason why no algorithm can be trained."""
    able = plan(values).able
    return None if able else "No structured SVM can be trained on these data."


def show(values: Values, study: Study | None) -> Shown:
    """Return the matrix of the models trained so far."""
    if study is None or not study.found:
        return Shown()
    rows, tested = list(study.found), study.subject
    matrix = tested.matrix(rows)
    aimed = tested.aimed(matrix)
    picture = matrix_figure(matrix, aimed, values.palette, MAIN_HEIGHT)
    title = "Does training for a measure win on it?"
    note = f"{tested.tested_on}; bold: best or tied; framed: trained for this measure"
    words = (insight.verdict(insight.leads(matrix, aimed)), insight.zero_sentence(rows))
    captions = map(Caption, filter(None, words))
    return Shown(blocks=[Panel("matrix", title, note, picture), *captions])


VIEW = View(
    "Trained on × tested on",
    "Whether an algorithm trained for a measure is best on it.",
    [*_learner.DATA, C, RELEVANT, SPREAD, shared.CONVENTION, shared.EMPTY],
    show,
    work=Work(
        lambda values: plan(values).study(),
        button=lambda values: f"Train {len(plan(values).able)} models",
        promise=lambda values: plan(values).description,
    ),
    refuses=refuses,
    presets={"Train and test": {"data": "toy-2d"}},
    explain=_learner.explain,
)
