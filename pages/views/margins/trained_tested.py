"""Trained on × tested on: learners for one measure, tested by every measure."""

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _learner
from pages.views.margins._explain import explain
from rankcore.catalogue import folds_of
from rankcore.charts.margin_training import matrix_figure
from rankcore.insight import margin_matrix as insight
from rankcore.insight.data import parts
from rankcore.insight.margin_matrix import MatrixPlan
from rankcore.insight.margin_training import MEASURES, MismatchSubject
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
    where = (
        f"trained and tested in each of {len(planned.folds)} folds"
        if planned.folds
        else f"each tested on {judged.n_queries} {shared.SPLITS[part].lower()} queries"
    )
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
    picture = matrix_figure(found, aimed, values.palette)
    note = f"{_values_of(tested)}; bold: best of the column; framed: trained for it"
    even = [
        name if count == of else f"{name} in {count} of {of} folds"
        for name, (count, of) in insight.zero_models(rows).items()
    ]
    said = [Caption(_verdict(insight.leads(found, aimed)))]
    if even:
        said.append(
            Caption(
                f"{'; '.join(even)}: every model tried costs more than it gains, so "
                "w = 0 is the minimum and documents stay in the order of the data."
            )
        )
    title = "Does training for a measure win on it?"
    return Shown(blocks=[Panel("matrix", title, note, picture), *said])


def _values_of(tested: MismatchSubject) -> str:
    part, n = shared.SPLITS[tested.part].lower(), tested.n_folds
    if n:
        return f"mean of {n} folds, {part} data, ± standard deviation over them"
    return f"{tested.n_queries} {part} queries, ± standard error over them"


def _verdict(leads: list[insight.Lead]) -> str:
    """Whether models trained for a measure win on it, and by how much if not."""
    said = []
    for measure, lead, error in leads:
        if lead <= 0.0:
            said.append(f"on {measure} a model trained for it is best")
        else:
            within = ", less than its ±" if lead < error else ""
            said.append(f"on {measure} another model leads by {lead:.3f}{within}")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


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
    presets={"Does training for a measure win on it?": {"data": "toy-2d"}},
    explain=explain,
)
