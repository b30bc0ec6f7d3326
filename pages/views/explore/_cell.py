"""The selected cell: its training curve, weights, a ranking, and a link to train it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from pages.ui import shared
from pages.ui.data.inspecting import CELL, inspect, made_name
from pages.views.explore import _setup
from rankcore import views
from rankcore.base.hyperparameters import Value
from rankcore.data.dataset import RankingDataset
from rankcore.measures import parse
from rankcore.plot import Picture
from rankcore.studies.results import ModelResults, Result
from rankcore.topics.explore.cell_figure import curve_figure, weights_figure
from rankcore.topics.explore.curve_figure import line_figure
from rankcore.topics.explore.lines_figure import map_lines_figure
from rankcore.topics.explore.map_figure import map_figure
from rankcore.topics.explore.map_words import GROUP, place_text
from rankcore.topics.explore.maps import Map, MapPlan, report_of
from rankcore.topics.inspect.ranking import QueryRanking, query_ranking
from rankcore.topics.train.coefficients import Weighing

ROWS = 6


@dataclass(frozen=True)
class MapCell:
    """A cell of a map with the settings of the page."""

    values: views.Values
    heat_map: Map
    cell: ModelResults

    def picture(self) -> Picture:
        """Return the map with the cell marked."""
        heat_map, cell, palette = self.heat_map, self.cell, self.values.palette
        if not _setup.flat(heat_map.plan):
            return map_lines_figure(heat_map, cell, palette)
        if len(heat_map.plan.axes) > 1:
            return map_figure(heat_map, cell, palette)
        return line_figure(heat_map, self.values.colour, cell, palette)

    def panels(self) -> list[views.Block]:
        """Return the figures that follow the pointer."""
        heat_map, cell, palette = self.heat_map, self.cell, self.values.palette
        plan = heat_map.plan
        weighing = Weighing(plan.ranker, plan.splits.train, self.values.weighed_by)
        ask = [views.Ask([shared.WEIGHED])] if weighing.linear else []
        return [
            views.Panel(
                "map_curve",
                "Training",
                f"Cell under the pointer, otherwise at {place_text(heat_map, cell)}. "
                "Grey: best cell.",
                curve_figure(heat_map, cell, self.values.colour, palette),
            ),
            views.Panel(
                "map_weights",
                weighing.title,
                "Most important first, relative to the largest. Hollow: removed.",
                weights_figure(heat_map, cell, self.values.colour, weighing, palette),
            ),
            *ask,
            *self._ranking(),
            self.train(),
        ]

    def train(self, cell: ModelResults | None = None) -> views.Go:
        """Return the link that trains the best model of this or another cell."""
        heat_map, cell = self.heat_map, cell or self.cell
        iterations, seed = heat_map.plan.max_iterations, heat_map.seed(cell)
        at = heat_map.chosen(cell)[0]
        return go(self.values, cell.settings, iterations, seed, at)

    def _ranking(self) -> list[views.Block]:
        """Return one query's order by the model at the pointer, and the ideal."""
        heat_map, plan = self.heat_map, self.heat_map.plan
        if heat_map.best_row(self.cell) is None:
            return [views.Caption(report_of(self.cell))]
        # Each query is held out in exactly one fold.
        places = {
            name: (fold, number)
            for fold in plan.data
            for number, name in enumerate(_measured(plan, fold).query_names)
        }
        names = {name: name for name in places}
        chosen = self.values[_setup.QUERY.key]
        chosen = chosen if chosen in names else next(iter(names))
        fold, number = places[chosen]
        query = _measured(plan, fold).query(number)
        row = heat_map.best_row(self.cell, fold)
        if row is None:
            return []
        # A cell without a model shows the ranking of the selected cell.
        rows = [heat_map.best_row(one, fold) or row for one in heat_map.cells]
        rankings = [_ranked(plan, row, number) for row in rows]
        at = heat_map.places[self.cell.at]
        orders = rankings[at]
        labels = orders.first_labels(ROWS)
        split = shared.SPLITS[plan.split]
        return [
            views.Ask([replace(_setup.QUERY, names=names, default=next(iter(names)))]),
            views.Tiles(
                "map_ranking",
                query.title,
                f"{split} query by {plan.measure}: at the pointer → ideal.",
                orders,
                ROWS,
                f"Labels of the documents in the order of the model: {labels}.",
                heads=[("model", self.values.colour)],
                follows=views.Followed(GROUP, rankings, at),
            ),
            *([] if fold else [self._inspect(number)]),
        ]

    def _inspect(self, number: int) -> views.Go:
        """Return the link to a query in the Inspector with the cell's model."""
        plan = self.heat_map.plan
        run = made_name(CELL, ",".join(map(str, self.cell.at)), plan, self.values)
        return inspect(self.values, part=plan.split, query=number + 1, run=run)


def go(
    values: views.Values,
    settings: Mapping[str, Value],
    iterations: int,
    seed: int,
    at: str,
    algorithm: str = "",
) -> views.Go:
    """Return the link that trains a run with these hyperparameters, by default of the
    selected algorithm, and opens its model ``at`` an iteration."""
    name = algorithm or values.algorithm
    hyperparameters = {f"{name}.{key}": value for key, value in settings.items()}
    shown = (shared.DATA, shared.NORMALISE, *shared.EVALUATION)
    fixed = {key: value for key, value in values.items() if key.startswith(f"{name}.")}
    rows = {shared.ALGORITHM.key: name} | {row.key: values[row.key] for row in shown}
    limit = {f"{name}.max_iter": iterations}
    return views.Go(
        "Train with these settings",
        "train",
        rows
        | fixed
        | hyperparameters
        | limit
        | {shared.SEED.key: seed, shared.AT.key: at, views.CHANGES: ""},
        "Opens Train with the settings and the iteration of the selected model.",
        "play_arrow",
    )


def _measured(plan: MapPlan, fold: str) -> RankingDataset:
    """Return the data on which the models of a fold are measured."""
    train, valid, _ = plan.data[fold]
    return train if valid is None else valid


@lru_cache(maxsize=4096)
def _ranked(plan: MapPlan, row: Result, number: int) -> QueryRanking:
    """Return the documents of a query, ranked by a run's best model."""
    query = _measured(plan, row.cell.fold).query(number)
    scores = plan.ranker.scores(query.X, row.coef)
    return query_ranking(query, scores, parse(plan.measure), plan.rules.convention)
