"""The selection in the Inspector: model, query, document and feature."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from pages.ui import shared
from pages.ui.data import datasets, models
from pages.views.inspect import _models, _settings
from rankcore.algorithms import Ranker
from rankcore.base.errors import DataError
from rankcore.data.dataset import Query, RankingDataset
from rankcore.measures import Measure, Rules, parse
from rankcore.topics.compare.ranked_files import match_text
from rankcore.topics.inspect import edits, inspection, ranking
from rankcore.topics.inspect.edits import DocumentEdit
from rankcore.topics.inspect.inspected import InspectedModel, NoModelError
from rankcore.topics.inspect.inspection import Inspection, Side
from rankcore.topics.inspect.ranking import QueryValue
from rankcore.views import Block, Number, Values, unjudged

# More rows would need scrolling.
MOST_QUERIES = 100
MOST_MEASURED = 40_000


@dataclass
class Subject:
    """The inspected query, document and models."""

    values: Values

    @cached_property
    def dataset(self) -> RankingDataset:
        return shared.split(self.values)

    @cached_property
    def measure(self) -> Measure:
        return parse(self.values.measure)

    @property
    def convention(self) -> str:
        return str(self.values.convention)

    @cached_property
    def model(self) -> InspectedModel:
        return self._model("run", "at")

    @property
    def train(self) -> RankingDataset:
        return datasets.of(self.values).train

    def _model(self, name: str, at: str) -> InspectedModel:
        return _models.find(self.values[name], self.values[at], self.values, self.train)

    @cached_property
    def other(self) -> InspectedModel | str | None:
        """The second order: a model, the name of a feature or of rankings, or `FILE`;
        None without one. Raises `NoModelError` as `_models.find` does."""
        name = self.values.beside
        if name == _settings.IDEAL:
            return None
        if name == _settings.FILE or models.RANKINGS.get(name) is not None:
            return cast(str, name)
        if name.startswith(_settings.FEATURE_PREFIX):
            feature = name.removeprefix(_settings.FEATURE_PREFIX)
            if feature not in self.dataset.feature_names:
                raise NoModelError(
                    f"The data has no feature {feature!r:.60} for the second order. "
                    "Choose another one.",
                    {"beside": _settings.BESIDE.default},
                )
            return cast(str, name)
        try:
            return self._model("beside", "beside_at")
        except NoModelError as missing:
            again = {"beside": _settings.IDEAL}
            raise NoModelError(f"Second order: {missing}", again) from None

    @property
    def models(self) -> dict[str, tuple[Ranker, np.ndarray]]:
        """The model, and the second order if it is a different model."""
        offered = {self.model.title: self.model}
        if isinstance(self.other, InspectedModel) and self.other != self.model:
            offered[self.other_title] = self.other
        return {name: (one.algorithm, one.coef) for name, one in offered.items()}

    @cached_property
    def place(self) -> str:
        """The key of the query in the text of the changes."""
        now = self.values
        return f"{now.data}/{now.normalise}/{now.without}/{now.part}/{now['query']}"

    @cached_property
    def original(self) -> Query:
        """The query without changes."""
        return shared.query(self.values)

    @cached_property
    def edits(self) -> tuple[DocumentEdit, ...]:
        return edits.read(self.values.edits, self.place)

    @cached_property
    def query(self) -> Query:
        """The query with the changes."""
        return edits.applied(self.original, self.edits)

    @cached_property
    def scores(self) -> np.ndarray:
        return self.model.scores(self.query.X)

    @cached_property
    def order(self) -> ranking.Order:
        """The model's order of the documents."""
        return self._ordered(self.scores)

    @cached_property
    def effects(self) -> np.ndarray:
        # Each swap needs the measure of a whole list.
        most = max(self.values.inspect_rows, MOST_MEASURED // len(self.query))
        rules = self.measure, self.convention
        return inspection.swap_effects(self.order, self.query.y, *rules, most)

    @cached_property
    def row(self) -> int:
        """The selected document; by default the one whose swap raises the measure most,
        or else the second."""
        names = self.query.doc_ids
        if self.values.inspect_document in names:
            return names.index(self.values.inspect_document)
        effects = np.nan_to_num(self.effects)
        best = int(np.argmax(effects))
        place = best if effects[best] > 0.0 else min(1, len(names) - 1)
        return int(self.order.rows[place])

    @cached_property
    def parts(self) -> dict[str, list[Any]]:
        """The features of the selected document, the most important first."""
        model, features = self.model, self.query.X[self.row]
        return inspection.parts(model.algorithm, model.coef, features, self.train)

    @cached_property
    def feature(self) -> int:
        """The feature to change; by default the most important one."""
        names, chosen = self.dataset.feature_names, self.values.inspect_feature
        return names.index(chosen if chosen in names else self.parts["feature"][0])

    @cached_property
    def before(self) -> ranking.Order:
        """The model's order without the changes."""
        labels = self.original.y
        scores = self.model.scores(self.original.X)
        return ranking.order_by(scores, labels, self.measure, self.convention)

    @cached_property
    def pusher(self) -> Ranker | None:
        """The algorithm whose surrogate exerts the forces."""
        chosen, ranker = self.values.surrogate, self.model.algorithm
        if chosen in ("", type(ranker).__name__):
            return ranker if type(ranker).__name__ in inspection.surrogates() else None
        return inspection.surrogates()[chosen](random_state=self.values.seed)

    def inspection(self) -> Inspection:
        """Return the query in its orders."""
        query, rules = self.query, (self.measure, self.convention)
        ideal = ranking.ideal_order(self.order, query.y, *rules)
        sides = [Side(self.model.title, self.order, self.scores), Side("Ideal", ideal)]
        if self.other is not None:
            scores = _scores(self.other, query, self.dataset)
            shown = None if self.other == _settings.FILE else scores
            sides.append(Side(self.other_title, self._ordered(scores), shown))
        pusher = self.pusher
        return Inspection(
            query,
            sides,
            str(self.measure),
            self.before.places,
            self.effects,
            inspection.forces(pusher, query, self.scores),
            "" if pusher is None else pusher.title,
            sorted({edit.row for edit in self.edits}),
            self.model.algorithm.trains,
        )

    @property
    def other_title(self) -> str:
        other = self.other
        if isinstance(other, InspectedModel):
            same = other.title == self.model.title
            return f"{other.title} (second)" if same else other.title
        if other is None or other == _settings.FILE:
            return "File"
        if (ranked := models.RANKINGS.get(other)) is not None:
            return ranked.title
        return other.removeprefix(_settings.FEATURE_PREFIX)

    @property
    def matched(self) -> list[str]:
        """Sentences on the documents that the file of the second order ranks."""
        files = filter(None, [models.RANKINGS.get(str(self.other))])
        data = self.dataset, self.values.part
        return [match_text(title, content, *data) for _, title, content in files]

    def queries(self) -> tuple[list[QueryValue], np.ndarray | None]:
        """Return all queries, worst first, and their similarity to the second order."""
        rules = str(self.measure), self.convention
        return _queries(self.model, self.other, self.dataset, *rules)

    def unjudged(self) -> list[Block]:
        """Return notices on the reliability of the measure over the split's queries."""
        names = self.model.title, self.other_title
        rules = str(self.measure), self.convention
        data = self.dataset, self.values.part
        return _unjudged(self.model, self.other, names, *data, *rules)

    def changed(self, column: int | None, value: float) -> Mapping[str, Any]:
        """Return the settings with another value of the selected document."""
        text, edit = self.values.edits, DocumentEdit(self.row, column, float(value))
        edited = edits.with_edit(text, self.place, self.original, edit)
        return {"edits": edited, **self.staying}

    @property
    def staying(self) -> Mapping[str, Any]:
        """The settings that keep the document and its feature selected."""
        feature = self.dataset.feature_names[self.feature]
        document = self.query.doc_ids[self.row]
        return {"inspect_document": document, "inspect_feature": feature}

    def _ordered(self, scores: np.ndarray) -> ranking.Order:
        return ranking.order_by(scores, self.query.y, self.measure, self.convention)


def readable(values: Values) -> Subject | None:
    """Return the inspected subject for controls; None if it cannot be read."""
    subject = Subject(values)
    try:
        return subject if len(subject.scores) else None
    except (DataError, NoModelError):
        return None


def _scores(
    other: InspectedModel | str,
    documents: Query | RankingDataset,
    dataset: RankingDataset,
) -> np.ndarray:
    """Return the scores of documents in the second order."""
    if isinstance(other, InspectedModel):
        return other.scores(documents.X)
    if other == _settings.FILE:
        return -np.arange(len(documents.y), dtype=np.float64)
    if (ranked := models.RANKINGS.get(other)) is not None:
        return ranked.content.scores_of(documents)
    feature = dataset.feature_names.index(other.removeprefix(_settings.FEATURE_PREFIX))
    return np.ascontiguousarray(documents.X[:, feature])


@lru_cache(maxsize=8)
def _queries(
    model: InspectedModel,
    other: InspectedModel | str | None,
    dataset: RankingDataset,
    measure: str,
    convention: str,
) -> tuple[list[QueryValue], np.ndarray | None]:
    scores = model.scores(dataset.X)
    rows = ranking.worst_queries(dataset, scores, parse(measure), convention)
    if other is None:
        return rows, None
    others = _scores(other, dataset, dataset)
    return rows, ranking.rank_correlations(dataset, scores, others)


@lru_cache(maxsize=8)
def _unjudged(
    model: InspectedModel,
    other: InspectedModel | str | None,
    names: tuple[str, str],
    dataset: RankingDataset,
    split: str,
    measure: str,
    convention: str,
) -> list[Block]:
    rankings = {names[0]: model.scores(dataset.X)}
    if other is not None:
        rankings[names[1]] = _scores(other, dataset, dataset)
    return unjudged.blocks(dataset, split, rankings, [measure], Rules(convention))


def _value(now: Values) -> float:
    subject = readable(now)
    value = 0.0 if subject is None else subject.query.X[subject.row, subject.feature]
    return 0.0 if value != value else float(value)


def _label(now: Values) -> int:
    subject = readable(now)
    return 0 if subject is None else int(subject.query.y[subject.row])


def _reach(now: Values) -> tuple[float, float]:
    """Return the range of the feature in the data, and its current value."""
    subject = readable(now)
    if subject is None:
        return 0.0, 1.0
    low, high = (float(end[subject.feature]) for end in subject.dataset.limits)
    at = _value(now)
    return min(low, at), max(high, at)


def _labels(now: Values) -> tuple[int, int]:
    subject = readable(now)
    highest = 0 if subject is None else int(subject.dataset.y.max())
    return 0, max(1, highest, _label(now))


def _changed(now: Values, column: bool, value: float) -> Mapping[str, Any]:
    subject = readable(now)
    if subject is None:
        return {}
    return subject.changed(subject.feature if column else None, value)


VALUE = Number(
    "inspect_value",
    0.0,
    "Value",
    meaning="Over the feature’s range in the data.",
    limits=_reach,
    inline=True,
    computed=_value,
    writes=lambda now, value: _changed(now, True, value),
)
LABEL = Number(
    "inspect_label",
    0,
    "Label",
    whole=True,
    step=1,
    limits=_labels,
    inline=True,
    computed=_label,
    writes=lambda now, value: _changed(now, False, value),
)
