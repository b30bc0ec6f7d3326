"""Trained on × tested on: learners for one measure, tested by every measure."""

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _learner
from pages.views.margins._explain import explain
from rankcore.catalogue import folds_of
from rankcore.charts.margin_training import matrix_figure
from rankcore.charts.margins import MAIN_HEIGHT
from rankcore.insight import margin_matrix as insight
from rankcore.insight.data import parts
from rankcore.insight.margin_matrix import MatrixPlan
from rankcore.insight.margin_training import MEASURES
from rankcore.studies import Study
from rankcore.views import Caption, Choice, Number, Panel, Shown, Values, View, Work

C = Number(
    "margin_C",
    20.0,
    "Sum of all C",
    "C",
    "The same for every learner.",
    stops=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0),
)
RELEVANT = Number(
    "margin_relevant",
    1,
    "Relevant if label ≥",
    meaning="For learners that distinguish only relevant and irrelevant documents.",
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
    "deviation over all folds, each with models of its own.",
    names=_over,
    every=("queries", "folds"),
    note=lambda values: (
        "" if len(_over(values)) > 1 else "± is the standard error over queries."
    ),
)


def plan(values: Values) -> MatrixPlan:
    """The learners and the data that they are trained and tested on."""
    over_folds = values.margin_spread == "folds"
    return MatrixPlan(
        insight.learners(values.margin_C, values.margin_relevant),
        datasets.of(values),
        tuple(folds_of(values.data)) if over_folds else (),
        datasets.scaling(values.normalise),
        shared.rules(values),
    )


def refuses(values: Values) -> str | None:
    """Why no learner can be trained."""
    if plan(values).able:
        return None
    return "No structured learner can be trained on these data."


def promise(values: Values) -> str:
    """What will be trained and tested."""
    planned = plan(values)
    part, judged = list(parts(planned.splits).items())[-1]
    where = f"each tested on {judged.n_queries} {shared.SPLITS[part].lower()} queries"
    if planned.folds:
        where = f"trained and tested in each of {len(planned.folds)} folds"
    return (
        f"{len(planned.able)} learners, {where}, by {len(MEASURES)} measures. The "
        "figure shows every learner by every measure."
    )


def show(values: Values, study: Study | None) -> Shown:
    """The matrix as far as it is trained."""
    if study is None or not study.found:
        return Shown()
    rows, tested = list(study.found), study.subject
    found = tested.matrix(rows)
    aimed = tested.aimed(found)
    part = shared.SPLITS[tested.part].lower()
    over = f"{tested.n_queries} {part} queries, ± standard error over them"
    if tested.n_folds:
        over = (
            f"mean of {tested.n_folds} folds, {part} data, ± standard deviation over "
            "them"
        )
    note = f"{over}; bold: best of the column; framed: trained for it"
    picture = matrix_figure(found, aimed, values.palette, MAIN_HEIGHT)
    title = "Does training for a measure win on it?"
    said = [Caption(insight.verdict(insight.leads(found, aimed)))]
    even = [
        name if count == of else f"{name} in {count} of {of} folds"
        for name, (count, of) in insight.zero_models(rows).items()
    ]
    if even:
        zero = (
            "every model tried costs more than it gains, so w = 0 is the minimum and "
            "documents stay in the order of the data."
        )
        said.append(Caption(f"{'; '.join(even)}: {zero}"))
    return Shown(blocks=[Panel("matrix", title, note, picture), *said])


VIEW = View(
    "Trained on × tested on",
    "Whether a learner trained for a measure is best on it.",
    [*_learner.DATA, C, RELEVANT, SPREAD, shared.CONVENTION, shared.EMPTY],
    show,
    work=Work(
        lambda values: plan(values).study(),
        button=lambda values: f"Train {len(plan(values).able)} learners",
        promise=promise,
    ),
    refuses=refuses,
    presets={"Train and test": {"data": "toy-2d"}},
    explain=explain,
)
