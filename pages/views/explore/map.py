"""Map: a measure over one to three hyperparameters, filled coarse to fine."""

from functools import partial
from typing import Any

from pages.ui import shared
from pages.views.explore import _cell, _setup
from rankcore import views
from rankcore.base.hyperparameters import column_titles
from rankcore.base.numbers import rounded
from rankcore.studies import Study
from rankcore.studies.results import ModelResults
from rankcore.topics.explore.lines_figure import lines_of
from rankcore.topics.explore.map_figure import LOSSES
from rankcore.topics.explore.map_words import map_table, place_text
from rankcore.topics.explore.maps import Map, MapStudy, report_of, state_of
from rankcore.topics.explore.reduction import ends_text

RATE = "learning_rate"
TABLE_HEIGHT = 260


def _of(algorithm: str, across: str, up: str = _setup.NONE) -> dict[str, Any]:
    """Return the settings of an algorithm's map on the planted data, with defaults
    elsewhere."""
    return {
        **{row.key: row.default for row in _setup.ROWS},
        shared.DATA.key: "planted",
        shared.NORMALISE.key: shared.NORMALISE.default,
        shared.ALGORITHM.key: algorithm,
        _setup.ACROSS.key: across,
        _setup.UP.key: up,
    }


_K = _of("ConeRank", "n_basis") | {
    "map_x_to": "10", _setup.COUNT.key: 33, _setup.LIMIT.key: 40,
}  # fmt: skip
PRESETS = {
    "RSRank g × η": _of("RSRank", "g", RATE),
    "g × η, 256 long runs": _of("RSRank", "g", RATE)
    | {_setup.COUNT.key: 16, _setup.LIMIT.key: 500},
    "RSRank g × truncation": _of("RSRank", "g", "truncation_interval"),
    "Three settings": _of("RSRank", "g", RATE)
    | {_setup.THIRD.key: "truncation_interval", _setup.COUNT.key: 5},
    "ApproxNDCG α": _of("ApproxNDCG", "alpha"),
    "FenchelRank radius": _of("FenchelRank", "radius")
    | {shared.DATA.key: "mslr10k-sample-raw", shared.NORMALISE.key: "minmax"},
    "ConeRank K × weights": _of("ConeRank", "n_basis", "pair_weights")
    | {shared.DATA.key: "toy-3d"},
    "RankSVM λ": _of("RankSVM", "l2") | {shared.DATA.key: "toy-2d"},
    "SVMNDCG C": _of("SVMNDCG", "C"),
    "ConeRank K: more vectors, worse ranking": _K | {shared.DATA.key: "mslr10k-sample"},
    "ConeRank K, planted data": _K,
    "SVMMAP C: how much training reduces": _of("SVMMAP", "C")
    | {"map_x_from": "0.1", _setup.LIMIT.key: 500},
}
# The other presets take too long or too much space to ship.
SHIPPED = (
    "RSRank g × η",
    "ApproxNDCG α",
    "FenchelRank radius",
    "ConeRank K × weights",
    "RankSVM λ",
    "SVMNDCG C",
    "ConeRank K: more vectors, worse ranking",
    "ConeRank K, planted data",
    "SVMMAP C: how much training reduces",
)


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the map and the selected cell, and below them all cells."""
    heat_map = _setup.map_of(study)
    if study is None or heat_map is None:
        return views.Shown()
    if not any(cell.values for cell in heat_map.cells):
        return views.Shown([], [views.Caption(report_of(heat_map.cells[0]))])
    plan, cell = heat_map.plan, _setup.selected(values, heat_map)
    shown = _cell.MapCell(values, heat_map, cell)
    panel = views.Panel(
        "map",
        f"{plan.measure}, {shared.SPLITS[plan.split].lower()}",
        _note(heat_map),
        shown.picture(),
        on_click=partial(_clicked, shown),
        zoom=" and ".join(axis.name for axis in plan.axes),
        on_hover=None if study.ended else partial(_pointed, study),
    )
    words = [views.Words(text)] if (text := ends_text(heat_map)) else []
    every = [_every(shown)] if study.ended else []
    main: list[views.Block] = [panel, *words, *every]
    return views.Shown(
        _facts(heat_map, cell),
        [views.Row([main, shown.panels()], (13, 8))],
        tables={"map": map_table(heat_map)},
        python=_setup.python(values, plan),
    )


def _every(shown: _cell.MapCell) -> views.Table:
    """Return the table of all cells, with links that train them."""
    heat_map = shown.heat_map
    return views.Table(
        "map_cells",
        "All cells",
        "Select a row to select its cell. Links open cells in Train.",
        map_table(heat_map),
        {f"Validation {heat_map.plan.measure}": "%.3f"},
        on_choose=lambda number: _select(heat_map.cells[number]),
        height=TABLE_HEIGHT,
        links=[shown.train(one) for one in heat_map.cells],
        heads=column_titles(heat_map.plan.ranker),
    )


def _note(heat_map: Map) -> str:
    if not _setup.flat(heat_map.plan):
        return (
            "Click a line to select it, again to open it in Train. Drag along an axis "
            "to filter."
        )
    one = len(heat_map.plan.axes) == 1
    place = "point" if one else "cell"
    instruction = f"Click a {place} to select it, and again to open it in Train."
    if one:
        return f"Band: 95% interval over queries; dotted: training. {instruction}"
    if len(heat_map.cells) < heat_map.values.size:
        return f"{instruction} Pale: nearest model so far."
    losses = ", ".join(f"{100 * loss:.0f}" for loss in LOSSES)
    return f"{instruction} Contours: {losses}% below the best cell."


def _pointed(study: Study, trace: str, point: int, *at: float) -> views.Changes:
    """Continue training near an empty cell; no setting changes."""
    if isinstance(study, MapStudy):
        axes = len(study.subject.axes)
        study.pointer.at = tuple(round(float(n)) for n in at[:axes])
    return {}


def _clicked(
    shown: _cell.MapCell, trace: str, point: int, *at: float
) -> views.Changes | views.Go:
    """Select the cell at a point, the nearest cell with a model, or the cell of a line;
    train it if it was already selected."""
    heat_map = shown.heat_map
    place = tuple(round(float(n)) for n in at[: len(heat_map.plan.axes)])
    if not _setup.flat(heat_map.plan):
        place = lines_of(heat_map)[point].at
    inside = zip(place, heat_map.plan.shape, strict=True)
    if not all(0 <= n < count for n, count in inside):
        return {}
    cell = heat_map.cells[int(heat_map.nearest[place])]
    selected = _select(cell)
    again = selected[_setup.CELL.key] == shown.values[_setup.CELL.key]
    return shown.train(cell) if again and cell.at == place else selected


def _select(cell: ModelResults) -> dict[str, str]:
    return {_setup.CELL.key: ",".join(map(str, cell.at))}


def _facts(heat_map: Map, cell: ModelResults) -> list[views.Fact]:
    plan, best = heat_map.plan, heat_map.best
    features = plan.splits.train.n_features
    facts = []
    if best is not None:
        where = place_text(heat_map, best)
        facts.append(views.Fact(f"Best {plan.measure}", f"{best.value:.3f}", where))
    reported = sum(state_of(one) != "trained" for one in heat_map.cells)
    where = "hatched" if _setup.flat(plan) else "see the axis of reports"
    verb = "reports" if reported == 1 else "report"
    note = f"{reported} {verb} a problem, {where}" if reported else "no failed cells"
    chosen = heat_map.chosen(cell)[1] if cell.values else ""
    here = "the best cell" if cell is best else place_text(heat_map, cell)
    value = f"{cell.mean:.3f}" if cell.values else "none"
    return [
        *facts,
        views.Fact(f"Selected {plan.measure}", value, here),
        views.Fact(
            "Features kept", rounded(cell.nonzeros), f"of {features}, selected cell"
        ),
        views.Fact(
            "Iterations", str(cell.iterations), f"model: {chosen}" if chosen else ""
        ),
        views.Fact("Cells", f"{len(heat_map.cells)} of {heat_map.values.size}", note),
    ]


VIEW = views.View(
    "Map",
    "The measure over one to three settings of an algorithm, a model for each cell.",
    _setup.settings,
    show,
    work=_setup.WORK,
    refuses=_setup.refusal,
    presets=PRESETS,
    shipped=SHIPPED,
    explain=_setup.explain,
)
