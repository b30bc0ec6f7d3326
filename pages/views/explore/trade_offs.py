"""Trade-offs: the measure against features kept or seconds, and the model to take."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.explore import _cell, _setup
from rankcore.algorithms import Ranker
from rankcore.charts.map_words import map_table
from rankcore.charts.trade_offs import cost_of, trade_off_figure
from rankcore.insight import trade_offs as insight
from rankcore.insight.maps import Map, MapCell
from rankcore.studies import Study
from rankcore.views import (
    Ask,
    Block,
    Caption,
    Choice,
    Fact,
    Listed,
    Number,
    Panel,
    Row,
    Setting,
    Shown,
    Table,
    TakeModel,
    Text,
    Values,
    View,
)

LOOK: dict[str, Any] = {"inline": True, "studied": False}
COST = Choice(
    "map_cost", "features", "Cost",
    names={"features": "Features kept", "seconds": "Seconds"}, **LOOK,
)  # fmt: skip
RULE = Listed(
    "map_rule", "loss", "Choose",
    names={
        "loss": "Smallest within a loss",
        "features": "Best with few features",
        "selected": "A selected model",
    },
    **LOOK,
)  # fmt: skip
LOSS = Number(
    "map_loss", 1.0, "Loss, % at most",
    meaning="Of the best value; among the models within, the one with the fewest "
    "features is chosen.",
    low=0.0, high=20.0, step=0.5, **LOOK,
)  # fmt: skip
MOST = Number(
    "map_most", 8, "Features at most",
    meaning="Among the models that keep no more, the best one is chosen.",
    low=1, high=1000, whole=True, box=True, **LOOK,
)  # fmt: skip


TAKEN = Text("map_taken", "", "Selected model", **LOOK)


def settings(raw: Mapping[str, Any]) -> list[Setting]:
    """Those of a map, and how a model is chosen."""
    return [*_setup.settings(raw), COST, RULE, LOSS, MOST, TAKEN]


def show(values: Values, study: Study | None) -> Shown:
    """Every model over its cost, and the one that the rule chooses."""
    known = _setup.found(study)
    if study is None or known is None or known.best is None:
        return Shown()
    chosen, limits = _chosen(values, known)
    cells = insight.usable(known)
    front = insight.front_cells(known, [cost_of(c, values.map_cost) for c in cells])
    colour = values.style(values.algorithm)[0]
    split = shared.SPLITS[known.plan.split].lower()
    panel = Panel(
        "trade_offs",
        f"{known.plan.measure} against {COST.labels(values)[values.map_cost].lower()}",
        f"{split} data decide; line: no model is better for less; ring: chosen",
        trade_off_figure(
            known, values.map_cost, chosen, colour, values.map_loss / 100.0,
            values.palette,
        ),
        on_click=lambda trace, point, *at: _select(
            (front if trace == "front" else cells)[point]
        ),
    )  # fmt: skip
    test, found = datasets.of(values).test, None
    able = study.ended and chosen is not None and values.map_rule != "selected"
    if able and chosen is not None and test is not None and test.n_queries > 1:
        found = _tested(known, chosen, test)
    none = "No model keeps so few features: allow more, or widen the range."
    side = [
        *([Caption(none)] if chosen is None else _taking(values, known, chosen)),
        *([Caption(f"Test: {found.change.method}.")] if found else []),
    ]
    return Shown(
        _facts(known, chosen, found),
        [
            panel,
            Ask([COST, RULE, *limits]),
            Row([side, [_table(known, front)]], (5, 8)),
        ],
        python=_setup.python(values),
    )


def _chosen(values: Values, known: Map) -> tuple[MapCell | None, list[Setting]]:
    """The model that the rule chooses, and the rule's limit."""
    if values.map_rule == "loss":
        return insight.smallest_within(known, values.map_loss / 100.0), [LOSS]
    if values.map_rule == "features":
        return insight.best_within(known, values.map_most), [MOST]
    own = {_at(cell): cell for cell in insight.usable(known)}
    return own.get(values.map_taken, known.best), []


def _at(cell: MapCell) -> str:
    return ",".join(map(str, cell.at))


def _select(cell: MapCell) -> dict[str, str]:
    return {RULE.key: "selected", TAKEN.key: _at(cell)}


def _taking(values: Values, known: Map, chosen: MapCell) -> list[Block]:
    """A link that trains the chosen model, and the model as a file."""
    place = _cell.place(known, chosen)
    stem = "-".join([values.algorithm, *map(str, chosen.at)])
    return [
        _cell.train(values, known, chosen),
        TakeModel(
            "Export model",
            "map_model",
            f"Export the model at {place} as",
            lambda: _trained(known, chosen),
            stem,
        ),
    ]


def _table(known: Map, front: list[MapCell]) -> Table:
    every = map_table(known)
    rows = [every[known.places[cell.at]] for cell in front]
    return Table(
        "map_front",
        "Models on the front",
        "choose a row to select it",
        rows,
        dict.fromkeys(rows[0], "%.4g") | dict.fromkeys(("state", "reason"), "%s"),
        on_choose=lambda number: _select(front[number]),
    )


@lru_cache(maxsize=4)
def _trained(known: Map, cell: MapCell) -> Ranker:
    return insight.trained(known, cell)


@lru_cache(maxsize=16)
def _tested(known: Map, cell: MapCell, test: Any) -> insight.Tested:
    return insight.tested(known, cell, test)


def _facts(
    known: Map, chosen: MapCell | None, test: insight.Tested | None
) -> list[Fact]:
    best, measure = known.best, known.plan.measure
    assert best is not None
    features = known.plan.splits.train.n_features
    facts = [
        Fact(
            f"Best {measure}",
            f"{best.value:.3f}",
            f"{best.kept:.4g} of {features} features, {_cell.place(known, best)}",
        )
    ]
    if chosen is not None:
        place = _cell.place(known, chosen)
        facts += [
            Fact(f"Chosen {measure}", f"{chosen.value:.3f}", place),
            Fact("Features kept", f"{chosen.kept:.4g}", f"of {features}, chosen model"),
        ]
    if test is None:
        return facts
    low, high = test.reached.low, test.reached.high
    between = f"{100 * test.reached.level:g} % interval {low:.3f} to {high:.3f}"
    facts.append(Fact(f"Test {measure}", f"{test.reached.estimate:.3f}", between))
    if chosen is not best:
        against = f"the best has {test.change.before:.3f}"
        facts.append(Fact("Test, against the best", test.change.text, against))
    return facts


VIEW = View(
    "Trade-offs",
    "The fewest features, or the least time, that a good model needs.",
    settings,
    show,
    work=_setup.WORK,
    refuses=_setup.refusal,
    presets={
        "At most 1 % loss": {RULE.key: "loss", LOSS.key: 1.0},
        "At most 8 features": {RULE.key: "features", MOST.key: 8},
    },
    explain=_setup.explain,
)
