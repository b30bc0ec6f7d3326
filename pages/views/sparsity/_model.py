"""The selected model of a path: its features, rankings and uses."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.ui.data.inspecting import POINT, inspect, made_name
from pages.views.sparsity import _path
from rankcore import views
from rankcore.base.numbers import rounded
from rankcore.data.dataset import RankingDataset
from rankcore.studies.paths import Path
from rankcore.studies.results import Result
from rankcore.topics.sparsity import paths as insight
from rankcore.training import Run, drive

SHOWN_QUERIES = 50
ROWS = 10


@dataclass(frozen=True)
class Selected:
    """The selected model on the path of a study with a subject."""

    values: views.Values
    path: Path
    smallest: insight.Smallest
    subject: Any

    @property
    def stops(self) -> list[str]:
        """The values of the path as in links."""
        return [f"{point.cell.value:.6g}" for point in self.path.points]

    @property
    def at(self) -> int:
        """The selected point, by default the smallest model."""
        exists = self.values.path_at in self.stops
        return self.stops.index(self.values.path_at) if exists else self.smallest.at

    @property
    def point(self) -> Result:
        return self.path.points[self.at]

    @property
    def name(self) -> str:
        """The model's name in links to the Inspector."""
        return made_name(POINT, self.stops[self.at], self.subject, self.values)

    @property
    def chosen(self) -> str:
        """The model's iteration and how it was selected."""
        return self.point.model.provenance_.text

    @property
    def full(self) -> Result:
        """The model with the most features."""
        return self.path.points[insight.densest(self.path)]

    @property
    def symbol(self) -> str:
        return _path.symbol(self.values)

    @property
    def split(self) -> str:
        """The split on which the model is shown: test if available."""
        return next(s for s in ("test", "valid", "train") if getattr(self.point, s))

    def select(self, trace: str, point: int, *at: float) -> dict[str, str]:
        """Return the changes after a click on a point or on the line of a model."""
        point = int(trace) if trace.isdecimal() else point
        exists = 0 <= point < len(self.stops)
        return {_path.POINT.key: self.stops[point]} if exists else {}


def row(pick: Selected) -> views.Row:
    """Return the model's features, rankings, export, and a run that starts from it."""
    begin = views.Begin(
        "Train this model",
        "take",
        "train",
        lambda: _run(pick),
        _run_settings(pick),
        "Opens Train with a run that starts from this model.",
        at="0",
    )
    export = views.TakeModel(
        "Export model",
        "export_model",
        f"Export the model at {pick.symbol} = {rounded(pick.point.cell.value)} as",
        lambda: pick.point.model,
        f"{pick.values.sparse}-{pick.path.name}-{pick.point.cell.value:.4g}",
        lambda: _held_out(pick),
    )
    train = datasets.of(pick.values).train
    features = views.Table(
        "kept_features",
        "Features kept",
        "most important first; full model: the coefficient there",
        insight.kept_features(pick.path, pick.at, train).columns(),
    )
    return views.Row([[views.Row([[begin], [export]]), features], _rankings(pick)])


def _held_out(pick: Selected) -> views.HeldOut:
    values, rules = pick.values, shared.rules(pick.values)
    return views.HeldOut.of(datasets.of(values), values.measure, rules)


def _rankings(pick: Selected) -> list[views.Block]:
    """Return the queries whose ranking changes most, and the selected one."""
    values, full, point = pick.values, pick.full, pick.point
    counted = (values.measure, values.convention)
    dataset = getattr(datasets.of(values), pick.split)
    changed = _changed(dataset, full, point, *counted)
    names = changed.names(SHOWN_QUERIES)
    here = f"{pick.symbol} = {rounded(point.cell.value)}"
    place = list(names).index(values.path_query) if values.path_query in names else 0
    query = dataset.query(int(changed.positions[place]))
    tiles = views.Tiles(
        "path_ranking",
        "Rankings that change",
        f"{changed.differing} of {dataset.n_queries} "
        f"{shared.SPLITS[pick.split].lower()} queries differ in {values.measure}",
        insight.moved_ranking(query, full.coef, point.coef, *counted),
        ROWS,
        f"{changed.moved[place]} documents are new in the top 10 of {query.name}.",
        f"rank at {here}",
    )
    every = views.Table("queries", "", "", changed.columns())
    text = changed.text(place, full.nonzeros, here, point.nonzeros, values.measure)
    return [
        views.Ask([replace(_path.QUERY, names=names, default=next(iter(names)))]),
        tiles,
        views.Caption(text),
        inspect(
            values,
            part=pick.split,
            query=int(changed.positions[place]) + 1,
            run=pick.name,
        ),
        views.Popover("All queries", "all_changed", lambda: [every]),
    ]


@lru_cache(maxsize=16)
def _changed(
    dataset: RankingDataset, full: Result, point: Result, *counted: Any
) -> insight.Changed:
    return insight.changed(dataset, full.coef, point.coef, *counted)


def _run(pick: Selected) -> Run:
    """Return a run that starts from the model."""
    values, splits = pick.values, datasets.of(pick.values)
    learner = _path.learner(values, **{pick.path.name: pick.point.cell.value})
    return drive(
        learner,
        splits.train,
        splits.valid,
        measures=(values.measure,),
        rules=shared.rules(values),
        start=pick.point.coef,
    )


def _run_settings(pick: Selected) -> dict[str, Any]:
    """Return that run as training settings."""
    values, hidden = pick.values, (_path.SPARSE, _path.COUNT)
    rows = [row for row in _path.settings(values) if row.studied and row not in hidden]
    return {row.key: values[row.key] for row in rows} | {
        shared.ALGORITHM.key: values.sparse,
        f"{values.sparse}.{pick.path.name}": pick.point.cell.value,
        views.CHANGES: "",
    }
