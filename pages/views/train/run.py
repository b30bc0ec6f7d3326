"""One run: facts, training curve, coefficients, and one query's ranking."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.inspecting import inspect
from pages.views.train import _plan, _why
from rankcore.algorithms import Ranker, get_algorithm, list_algorithms
from rankcore.catalogue import Splits
from rankcore.charts.coefficients import coefficients_figure
from rankcore.charts.training import Drawn, run_figure
from rankcore.dataset import RankingDataset
from rankcore.insight.coefficients import coefficients
from rankcore.insight.curves import finding, run_curves
from rankcore.insight.data import parts
from rankcore.insight.entries import main_hyperparameter
from rankcore.insight.pace import pace
from rankcore.insight.ranking import QueryValue, query_ranking, worst_queries
from rankcore.measures import Measure, parse
from rankcore.training import History, Record
from rankcore.views import (
    CHANGES,
    Act,
    Ask,
    Block,
    Caption,
    Changes,
    Changing,
    Choice,
    Fact,
    Fold,
    Go,
    Listing,
    Number,
    Panel,
    Row,
    Runs,
    Setting,
    Shown,
    Table,
    TakeModel,
    Text,
    Tiles,
    Training,
    Values,
    View,
    Watched,
    declared,
)
from rankcore.views.pins import Pin, read_pins

ROWS = 16
STEADY_SECONDS = 0.3
# Iterations a second where nothing slows them, roughly.
FULL_SPEED = 300.0
LAST = 10**9
NONE_YET = "–"

REPLAY = Number(
    "replay",
    LAST,
    "Replay: iteration",
    meaning="Coefficients, facts and the ranking are shown as they were then.",
    low=0,
    whole=True,
    inline=True,
    studied=False,
)
CHANGED = Changing(CHANGES, "", "Changes while it runs", inline=True)
CURVE = Choice(
    "train_curve",
    "",
    "Curve",
    names=lambda values: {
        "": str(parse(values.measure)),
        **{name: name for name in _plan.measures(values)[1:]},
    },
    inline=True,
    bare=True,
    studied=False,
)
PINNED = Text("pin", "", "Pinned runs", inline=True, studied=False)


@dataclass(frozen=True)
class Seen:
    """A run at one of its records, or the plan of a run before it has one."""

    values: Values
    watched: Watched

    @property
    def active(self) -> bool:
        """Whether records are on their way."""
        return self.watched.state in ("running", "queued")

    @cached_property
    def algorithm(self) -> Ranker:
        run = self.watched.run
        return _plan.algorithm(self.values) if run is None else run.algorithm

    @cached_property
    def splits(self) -> Splits:
        """The data of the run, which may not be the data that is chosen now."""
        run, chosen = self.watched.run, datasets.readable(self.values)
        if run is None or (chosen is not None and run.train is chosen.train):
            return datasets.of(self.values)
        return Splits(run.train, run.valid)

    @cached_property
    def measure(self) -> Measure:
        run = self.watched.run
        return parse(self.values.measure) if run is None else run.measures[0]

    @property
    def convention(self) -> str:
        run = self.watched.run
        return self.values.convention if run is None else run.rules.convention

    @property
    def history(self) -> History:
        run = self.watched.run
        return History() if run is None else run.history

    @cached_property
    def position(self) -> int:
        """The record to show: the last one while the run is active."""
        last = max(len(self.history) - 1, 0)
        return last if self.active else min(self.values.replay, last)

    @property
    def steady(self) -> int:
        """The record that coefficients and ranking show: while the run is active, a
        new one about three times a second, so that the curve has time to move."""
        pace = shared.SPEEDS[self.values.speed] or FULL_SPEED
        every = max(1, round(pace * STEADY_SECONDS))
        return self.position - self.position % every if self.active else self.position

    @property
    def record(self) -> Record | None:
        return self.history[self.position] if len(self.history) else None

    @property
    def best(self) -> Record | None:
        run = self.watched.run
        return run.best if run is not None and len(self.history) else None

    @property
    def colour(self) -> str:
        return self.values.style(type(self.algorithm).__name__)[0]

    @cached_property
    def listed(self) -> list[Listing]:
        """The pinned runs as a list names and colours them."""
        known = {pin.id: pin for pin in read_pins(self.values[PINNED.key])}
        pins = [known.get(one.id, Pin(one.id)) for one in self.watched.pinned]
        colours = [one for one in self.values.palette.runs if one != self.colour]
        own = self.watched.settings
        return [
            Listing(
                one.id,
                pin.name or _plan.difference(one.title, one.settings, own),
                colour,
                "– not in memory" if one.run is None else "",
                pin.hidden,
            )
            for one, pin, colour in zip(
                self.watched.pinned, pins, colours, strict=False
            )
        ]

    @cached_property
    def query(self) -> tuple[RankingDataset, int]:
        """The split and the position of the query whose ranking is shown."""
        found = parts(self.splits).get(self.values.part, self.splits.train)
        return found, min(self.values["query"], found.n_queries) - 1

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of documents after the record; before the first all are equal."""
        if self.record is None:
            return np.zeros(len(X))
        return self.algorithm.scores(X, self.history[self.steady].coef)


def show(values: Values, watched: Watched) -> Shown:
    """Facts, curves, coefficients, and one query's ranking."""
    seen = Seen(values, watched)
    last = len(seen.history) - 1
    replay: list[Block] = []
    if not seen.active and last > 0:
        replay = [Ask([replace(REPLAY, high=last)])]
    looks = Ask([CURVE, _plan.AXIS])
    left = [_curves(seen), *replay, looks, _coefficients(seen), *_reason(seen)]
    exported: dict[str, Any] = {}
    models: list[Block] = []
    if len(seen.history):
        exported["Training curve"] = seen.history.to_frame
        models = [
            TakeModel(
                "Export best model",
                "export_model",
                "Export best model as",
                lambda: _best_model(seen),
                _plan.stem(watched.settings or values),
            )
        ]
    return Shown(
        _facts(seen),
        [Row([left, [*_runs(seen), *_ranking(seen), *models]], widths=(9, 5))],
        tables=exported,
        command=_plan.command(values, watched.run),
    )


def _best_model(seen: Seen) -> Ranker:
    """The best model of a run so far."""
    return clone(seen.algorithm).load_run(seen.watched.run)


def _facts(seen: Seen) -> list[Fact]:
    record, measure = seen.record, str(seen.measure)
    limit = f"of {seen.algorithm.max_iter}"
    used = NONE_YET if record is None else str(record.nonzeros)
    size = Fact(
        seen.algorithm.nonzeros_title, used, f"of {seen.splits.train.n_features}"
    )
    if record is None:
        return [
            Fact("Iteration", "0", limit),
            Fact(f"Training {measure}", NONE_YET),
            Fact(f"Validation {measure}", NONE_YET),
            size,
            Fact("Training time", NONE_YET),
        ]
    best = seen.best
    known = best is not None and measure in best.valid
    return [
        Fact("Iteration", str(record.iteration), limit),
        Fact(f"Training {measure}", _three(record.train.get(measure))),
        Fact(
            f"Validation {measure}",
            _three(record.valid.get(measure)),
            f"best {best.valid[measure]:.3f} at {best.iteration}"
            if best is not None and known
            else "",
        ),
        size,
        Fact("Training time", _seconds(record.seconds), _pace(seen)),
    ]


def _pace(seen: Seen) -> str:
    """Time of an iteration, or while the run is active its speed and the time left."""
    found = pace(seen.watched.run)
    if seen.watched.state != "running":
        return found.step
    return ", ".join(filter(None, (found.speed, found.left)))


def _three(value: float | None) -> str:
    return NONE_YET if value is None or math.isnan(value) else f"{value:.3f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"


def _curves(seen: Seen) -> Panel:
    palette, over = seen.values.palette, seen.values[_plan.AXIS.key]
    measure, chosen = str(seen.measure), seen.values[CURVE.key]
    if seen.record is not None and chosen in seen.record.train:
        measure = chosen
    drawn = Drawn(run_curves(seen.history, measure, seen.best, over), seen.colour)
    pinned = [
        Drawn(
            run_curves(other.run.history, measure, other.run.best, over),
            row.colour,
            row.name,
        )
        for other, row in zip(seen.watched.pinned, seen.listed, strict=True)
        if other.run is not None and len(other.run.history) and not row.hidden
    ]
    replayed = not seen.active and seen.position < len(seen.history) - 1
    at = seen.record.figure(over) if replayed and seen.record is not None else None
    picture = run_figure(drawn, pinned, palette, at).described(
        finding(drawn.curves, seen.watched.state),
        None if seen.active else seen.history.to_frame,
    )
    note = "solid: training, dashed: validation, ring: best so far"
    return Panel("curves", measure, note, picture, zoom=seen.watched.id)


def _runs(seen: Seen) -> list[Block]:
    """The run and those pinned, where there are any."""
    if not seen.listed:
        return []
    own = Listing(
        "", seen.watched.title or seen.algorithm.title, seen.colour, "this run"
    )
    return [Runs("Runs", "in the curve", [own, *seen.listed], PINNED.key)]


def _coefficients(seen: Seen) -> Panel:
    names = seen.splits.train.feature_names
    found = coefficients(seen.history, seen.steady, names)
    title = seen.algorithm.weights_title
    note = found.note
    picture = coefficients_figure(found, seen.colour, seen.values.palette).described(
        f"{title}: {note}.",
        None if seen.active else {"feature": found.names, title.lower(): found.values},
    )
    return Panel("coefficients", title, note, picture, zoom=seen.watched.id)


def _reason(seen: Seen) -> list[Block]:
    """Why the document that was clicked is where it is."""
    if seen.record is None or not seen.values[_why.DOCUMENT.key]:
        return []
    dataset, number = seen.query
    coef = seen.history[seen.steady].coef
    return _why.blocks(seen.values, seen.algorithm, coef, dataset, number)


def _ranking(seen: Seen) -> list[Block]:
    """One query's ranking under the run, its ideal order beside it."""
    dataset, number = seen.query
    query = dataset.query(number)
    found = query_ranking(query, seen.scores(query.X), seen.measure, seen.convention)

    def worst() -> list[QueryValue]:
        scores = seen.scores(dataset.X)
        return worst_queries(dataset, scores, seen.measure, seen.convention)

    def table() -> list[Block]:
        rows = worst()
        return [
            Table(
                "worst_queries",
                "Queries, worst first",
                "choose a row to see its ranking",
                [row.row(str(seen.measure)) for row in rows],
                {str(seen.measure): "%.3f"},
                on_choose=lambda chosen: {"query": rows[chosen].position + 1},
            )
        ]

    labels = ", ".join(str(label) for label in found.labels[:ROWS])
    hidden = len(found.documents) - ROWS
    more = f" {hidden} more documents are further down." if hidden > 0 else ""
    said = (
        f"{seen.measure} is undefined: this query has no relevant document."
        if math.isnan(found.value)
        else f"{seen.measure} of this query: {found.value:.3f}. Steep lines near the "
        f"top are the most costly mistakes.{more}"
    )
    return [
        Ask([shared.PART.beside().silent()]),
        Row(
            [
                [Ask([shared.QUERY.beside().silent()])],
                [
                    Act(
                        "Worst query",
                        "weakest",
                        lambda: {"query": worst()[0].position + 1},
                        "The query with the lowest value.",
                    ),
                    Fold("All queries", "worst_list", table),
                ],
            ],
            key="which_query",
        ),
        Tiles(
            "ranking",
            f"Query {query.id}",
            "model → ideal; click to explain",
            found,
            ROWS,
            f"Labels of the documents in the order of the model: {labels}.",
            on_click=lambda document, order: {_why.DOCUMENT.key: document},
        ),
        Caption(said),
        _inspect(seen),
    ]


def _inspect(seen: Seen) -> Go:
    """The link to this query and run in the Inspector."""
    values, known = seen.values, seen.watched.settings or {}
    _, number = seen.query
    if seen.record is None:
        return inspect(values, query=number + 1)
    last = seen.active or seen.position == len(seen.history) - 1
    at = "last" if last else str(seen.history[seen.steady].iteration)
    return inspect(values | known, query=number + 1, run=seen.watched.id, iteration=at)


def _settings(raw: Mapping[str, Any]) -> list[Setting]:
    """The settings of the chosen algorithm among the others."""
    known = raw.get("algorithm") in list_algorithms()
    chosen = get_algorithm(raw["algorithm"] if known else shared.ALGORITHM.default)
    names = lambda values: datasets.feature_names(values.data)  # noqa: E731
    first = (main_hyperparameter(chosen), "learning_rate")
    rows = [
        row
        if row.group or row.declared.name in first
        else replace(row, group="Hyperparameters")
        for row in declared(chosen, features=names)
    ]
    return [
        shared.DATA,
        shared.ALGORITHM,
        *rows,
        *(replace(row, group=shared.RULES) for row in shared.EVALUATION),
        shared.SEED,
        shared.NORMALISE,
        shared.PART.beside(),
        shared.QUERY.beside(),
        shared.SPEED.beside(),
        REPLAY,
        PINNED,
        CHANGED,
        _plan.AXIS,
        CURVE,
        _why.DOCUMENT,
    ]


def _explain(values: Values) -> dict[str, str]:
    chosen = get_algorithm(values.algorithm)
    return {
        "What it optimises": texts.algorithm(chosen, values.of(chosen)),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        **texts.tabs(__file__),
        "Background": texts.background(chosen),
        "All algorithms": texts.all_algorithms(),
    }


def _presets(raw: Mapping[str, Any]) -> dict[str, Changes]:
    """The instructive settings of the chosen algorithm, all others by default."""
    known = raw.get("algorithm") in list_algorithms()
    chosen = get_algorithm(raw["algorithm"] if known else shared.ALGORITHM.default)
    rows = declared(chosen)
    defaults = {row.key: row.default for row in rows}
    return {
        title: {"algorithm": chosen.__name__, CHANGES: ""}
        | defaults
        | {f"{chosen.__name__}.{name}": value for name, value in own.items()}
        for title, own in chosen.presets.items()
    }


VIEW = View(
    "Run",
    "The measure, the coefficients and one ranking, live.",
    _settings,
    show,
    work=Training(_plan.run, _plan.start, _plan.refusal, _plan.caution),
    presets=_presets,
    explain=_explain,
)
