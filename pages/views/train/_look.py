"""A run as shown on the page: at one of its records, with the pinned runs."""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pages.ui import shared
from pages.ui.away.links import checked_pins
from pages.ui.data import datasets
from pages.views.train import _plan
from rankcore.algorithms import Ranker
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.measures import Measure, parse
from rankcore.plot.palette import RunStyle, run_styles, shapes
from rankcore.topics.datasets.description import parts
from rankcore.topics.inspect.ranking import worst_position
from rankcore.topics.train.run_names import difference
from rankcore.training import History, Record, selection
from rankcore.training.selection import Selection, select
from rankcore.views import Choice, Listing, Number, Text, Values, Watched
from rankcore.views.pins import Pin, read_pins
from rankcore.views.settings import RefusedValue

STEADY_SECONDS = 0.3
# Approximate iterations per second at full speed.
FULL_SPEED = 300.0


WORST, CHOSEN = "worst", "chosen"
REPLAY = Number(
    "replay",
    0,
    "Replay: iteration",
    meaning="Shows coefficients, facts and the ranking after this iteration.",
    low=0,
    whole=True,
    inline=True,
    studied=False,
    computed=lambda values: 0,
    writes=lambda values, iteration: {shared.AT.key: str(iteration)},
)
# By default, the list shows the worst validation query, until a split or a query is
# chosen.
LISTED = Choice(
    "train_list",
    WORST,
    "Query shown",
    names={WORST: "Worst validation query", CHOSEN: "Chosen query"},
    inline=True,
    studied=False,
)
PINNED = Text(
    "pin",
    "",
    "Pinned runs",
    read=checked_pins,
    rule="Write ids of runs, separated by commas.",
    inline=True,
    studied=False,
)


@dataclass(frozen=True)
class ShownRun:
    """A run at one of its records, or the plan of a run before it has one."""

    values: Values
    watched: Watched

    @property
    def active(self) -> bool:
        """Whether more records are expected."""
        return self.watched.state in ("running", "queued")

    @cached_property
    def algorithm(self) -> Ranker:
        run = self.watched.run
        return _plan.algorithm(self.values) if run is None else run.algorithm

    @property
    def in_force(self) -> Ranker:
        """The algorithm with the hyperparameters in force after the record."""
        run, record = self.watched.run, self.record
        return self.algorithm if record is None else run.algorithm_after(record)

    @cached_property
    def splits(self) -> Splits:
        """The data of the run, which may differ from the selected data."""
        run, chosen = self.watched.run, datasets.readable(self.values)
        if run is None:
            return datasets.of(self.values)
        # The same data, read again, also has the test split.
        if chosen is not None and run.train.fingerprint == chosen.train.fingerprint:
            return chosen
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
    def selection(self) -> Selection | None:
        """The model to show: the last one while the run is active, or else the one
        named by `shared.AT`, or the nearest earlier one."""
        at = "" if self.active else self.values[shared.AT.key]
        has_records = len(self.history) > 0
        return self.watched.selection(at) if has_records else None

    @property
    def refused(self) -> RefusedValue | None:
        """The requested iteration, if the run ended before it."""
        at, records = self.values[shared.AT.key], self.history.records
        goes_on = self.active or self.watched.state == "paused"
        if goes_on or not records or not at.isdecimal():
            return None
        beyond = int(at) > records[-1].iteration
        return RefusedValue(shared.AT.key, at, self.missing) if beyond else None

    @property
    def missing(self) -> str:
        """Reason why the requested model cannot be shown; empty if it can."""
        at, run = self.values[shared.AT.key], self.watched.run
        if self.active or not at or self.selection is None:
            return ""
        try:
            select(run, at)
        except ValueError as error:
            return str(error)
        return ""

    @cached_property
    def position(self) -> int:
        """The position of that model among the records."""
        if self.selection is None:
            return 0
        at = self.selection.record.iteration
        records = self.history.records
        return bisect_left(records, at, key=lambda record: record.iteration)

    @property
    def steady(self) -> int:
        """The record for coefficients and ranking: while the run is active, updated
        about three times a second, so that the curve keeps its frame rate."""
        pace = shared.SPEEDS[self.values.speed] or FULL_SPEED
        every = max(1, round(pace * STEADY_SECONDS))
        return self.position - self.position % every if self.active else self.position

    @property
    def record(self) -> Record | None:
        return None if self.selection is None else self.selection.record

    @property
    def best(self) -> Record | None:
        run = self.watched.run
        return run.best if run is not None and len(self.history) else None

    @property
    def models(self) -> dict[str, str]:
        """The models available for export: name in links → description. A model named
        in the link comes first."""
        choices = selection.offered(self.watched.run, str(self.measure))
        at = self.values[shared.AT.key]
        if self.active or self.selection is None or not at:
            return choices
        record = self.selection.record
        name = at if at in choices else str(record.iteration)
        text = selection.model_text(self.selection, str(self.measure))
        return {name: text} | choices

    @cached_property
    def _styles(self) -> list[RunStyle]:
        """Styles of the run and the pinned runs."""
        name = type(self.algorithm).__name__
        pinned = [one.settings or {} for one in self.watched.pinned]
        names = [name, *(settings.get("algorithm", name) for settings in pinned)]
        return run_styles(names, self.values.palette)

    @property
    def colour(self) -> str:
        return self._styles[0].colour

    @property
    def markers(self) -> list[str]:
        """Marker shapes of the pinned runs' curves."""
        return shapes(self._styles)[1:]

    @cached_property
    def listed(self) -> list[Listing]:
        """Names and colours of the pinned runs in the list."""
        by_id = {pin.id: pin for pin in read_pins(self.values[PINNED.key])}
        pins = [by_id.get(one.id, Pin(one.id)) for one in self.watched.pinned]
        settings = self.watched.settings
        return [
            Listing(
                one.id,
                pin.name or difference(one.title, one.settings, settings),
                style.colour,
                "– not in memory" if one.run is None else "",
                pin.hidden,
            )
            for one, pin, style in zip(
                self.watched.pinned, pins, self._styles[1:], strict=True
            )
        ]

    @property
    def opens_on_worst(self) -> bool:
        """Whether the list shows the worst validation query."""
        chosen = (self.values[row.key] != row.default for row in shared.WHICH_QUERY)
        validated = self.splits.valid is not None
        return self.values[LISTED.key] == WORST and validated and not any(chosen)

    @property
    def split(self) -> str:
        """The split of the shown query."""
        chosen = "valid" if self.opens_on_worst else self.values.part
        return chosen if chosen in parts(self.splits) else "train"

    @cached_property
    def query(self) -> tuple[RankingDataset, int]:
        """The queries of that split, and the position of the shown query."""
        dataset = parts(self.splits)[self.split]
        if not self.opens_on_worst:
            return dataset, min(self.values["query"], dataset.n_queries) - 1
        # While the run is active, the list shows the same query.
        first = next(iter(self.history.records), None)
        model = first if self.active else self.best or first
        return dataset, self.worst_in(self.split, model)

    def worst_in(self, split: str, model: Record | None) -> int:
        """Return the position of the query that a model ranks worst in a split."""
        if model is None:
            return 0
        run, terms = self.watched.run, (str(self.measure), self.convention)
        return worst_position(run, parts(self.splits)[split], model.iteration, *terms)

    @property
    def worst_of(self) -> str:
        """The split whose worst query is shown; empty for any other query."""
        worst = self.opens_on_worst or (
            not self.active and self.query[1] == self.worst_in(self.split, self.record)
        )
        return shared.SPLITS[self.split].lower() if worst and self.record else ""

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return document scores after the record; all equal before the first."""
        if self.record is None:
            return np.zeros(len(X))
        return self.algorithm.scores(X, self.history[self.steady].coef)
