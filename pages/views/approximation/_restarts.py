"""Restarts on the landscape: where they end, and the gain from more of them."""

from pages.ui.data import datasets
from pages.views.approximation import _scene
from rankcore import views
from rankcore.base.numbers import counted
from rankcore.studies import Study
from rankcore.topics.approximation import end_points, scenes, table_five
from rankcore.topics.approximation.end_points import RestartSubject
from rankcore.topics.approximation.scenes_figure import (
    restart_gain_figure,
    restart_values_figure,
)
from rankcore.topics.approximation.table_five import TableFiveSubject

ALPHAS = (1.0, 10.0, 50.0, 100.0, 300.0)
HERE, ALL_FEATURES = "these coordinates", "all features"

WHERE = views.Choice(
    "land_restarts_in",
    HERE,
    "Restarts in",
    meaning="The models and queries of the figures; or all features and all training "
    "queries, as in Table 5 of the paper.",
    names=(HERE, ALL_FEATURES),
)
COUNT = views.Number(
    "land_restarts",
    20,
    "Restarts at each α",
    meaning="Each run starts at random coefficients. Training keeps the model with "
    "the largest surrogate.",
    low=2,
    high=100,
    whole=True,
    group=views.MORE,
)
KEYS = (COUNT.key, WHERE.key)


def _restart_study(values: views.Values) -> Study:
    scene, count = _scene.scene(values), values.land_restarts
    return end_points.restart_study(scene.learner, scene.ground, ALPHAS, count)


def _reported(values: views.Values) -> str:
    """Return the measure of Table 5."""
    return table_five.reported(values.land_measure, scenes.learners())


def _table_five(values: views.Values) -> Study:
    train, measure = datasets.of(values).train, values.land_measure
    published = (
        table_five.is_published(values.data, train, measure)
        and values.normalise == datasets.AS_GIVEN
    )
    learner, count = _scene.scene(values).learner, values.land_restarts
    return table_five.study(learner, train, _reported(values), count, published)


def _table_five_promise(values: views.Values) -> str:
    train, measures = (
        datasets.of(values).train,
        (values.land_measure, _reported(values)),
    )
    return table_five.promise_text(train, *measures, values.land_restarts)


WORKS = {
    HERE: views.Work(
        _restart_study,
        lambda values: f"Run {counted(values.land_restarts * len(ALPHAS), 'restarts')}",
        lambda values: end_points.promise_text(ALPHAS, values.land_restarts),
        name=HERE,
        settings=(*_scene.KEYS, *KEYS),
        optional=True,
        only=KEYS,
    ),
    ALL_FEATURES: views.Work(
        _table_five,
        "Run Table 5",
        _table_five_promise,
        name=ALL_FEATURES,
        settings=(*_scene.DATA, *KEYS),
        refuses=lambda values: _scene.scene(values).learner.unsupported_reason(
            datasets.of(values).train
        ),
        optional=True,
        only=KEYS,
    ),
}


def results(values: views.Values, study: Study | None) -> list[views.Block]:
    """Return the results of the restarts so far."""
    if study is None or not study.found:
        return []
    subject: RestartSubject = study.subject
    points, measure = list(study.found), subject.measure
    outcomes = end_points.outcomes(points)
    spread = restart_values_figure(points, measure, values.palette)
    gain = restart_gain_figure(points, measure, values.approx_alpha, values.palette)
    key = "bar: median; ring: the restart that training keeps"
    each = views.Panel("spread", f"{measure} of each restart", key, spread)
    expected = "expected value when training keeps the largest surrogate"
    more = views.Panel("buying", "Gain from more restarts", expected, gain)
    figures = views.Row([[each], [more]])
    if isinstance(subject, TableFiveSubject):
        note = (
            f"{measure} on all {subject.dataset.n_queries:,} training queries, as "
            "computed by the script of LETOR 3.0"
        )
        rows = table_five.table(outcomes, subject.comparable)
        text = table_five.reading(outcomes, subject.comparable)
        return [
            views.Table("table5_rows", "Table 5", note, rows),
            views.Caption(text),
            figures,
        ]
    note = "starts in [−1, 1] at random; training keeps the largest surrogate"
    rows = end_points.outcome_table(outcomes, measure)
    return [
        figures,
        views.Table("outcomes", "Optima found from random starts", note, rows),
    ]
