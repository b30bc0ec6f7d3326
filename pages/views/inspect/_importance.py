"""Importance of the inspected models' features over all queries of the split."""

from pages.ui import texts
from pages.views.inspect import _settings
from pages.views.inspect._subject import Subject
from rankcore import views
from rankcore.measures import Rules
from rankcore.studies import Study
from rankcore.topics.inspect.importance import (
    importance_study,
    importance_text,
    refusal,
)
from rankcore.topics.inspect.importance_figure import importance_figure
from rankcore.topics.inspect.inspected import NoModelError

BY = _settings.IMPORTANCE.key


def study(values: views.Values) -> Study:
    """Return the study that measures the losses of the model and of a second model."""
    subject, rules = Subject(values), Rules(values.convention)
    measured = subject.train, subject.dataset, values[BY], str(subject.measure), rules
    return importance_study(subject.models, *measured)


def refuses(values: views.Values) -> str | None:
    """Return the reason why the losses cannot be measured."""
    subject = Subject(values)
    try:
        models = subject.models
    except NoModelError as missing:
        return str(missing)
    return refusal(models, subject.train, subject.dataset, values[BY])


def blocks(values: views.Values, study: Study | None) -> list[views.Block]:
    """Return the losses measured so far."""
    if study is None or not study.found:
        return []
    losses, subject = list(study.found), study.subject
    picture = importance_figure(losses, subject, values.palette)
    note = "95% interval over queries; hollow: correlated within queries, |r| ≥ 0.8"
    title = f"Loss of {subject.measure} without each feature"
    caption = views.Caption(texts.literal(importance_text(losses, subject)))
    return [views.Panel("inspect_importance", title, note, picture), caption]


WORK = views.Work(
    study,
    "Measure importance",
    "Loss of the measure over all queries without each of the 16 top features.",
    settings=[row.key for row in _settings.FIRST if row not in _settings.OF_QUERY],
    refuses=refuses,
    optional=True,
    only_current=True,
    only=(BY,),
)
