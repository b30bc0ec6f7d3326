"""One path: a model at each value of the penalty, and the smallest sufficient model."""

from dataclasses import replace

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.sparsity import _model, _path
from pages.views.sparsity._model import Selected
from pages.views.sparsity._path import RSRANK
from rankcore import views
from rankcore.base.numbers import counted, labelled, rounded
from rankcore.studies import Study
from rankcore.studies.paths import path_study
from rankcore.studies.results import Result
from rankcore.topics.sparsity import paths as insight
from rankcore.topics.sparsity import views_figure as charts
from rankcore.topics.sparsity.changes import RelativeChange
from rankcore.topics.train.coefficients import Weighing, scale

PRESETS = {
    "Truncated gradient": RSRANK | {"RSRank.truncation_interval": 1},
    "Shrink every 10 iterations, as in the paper": RSRANK
    | {"RSRank.truncation_interval": 10, "RSRank.shrinkage": "paper"},
    "Shrink every 10 iterations, Langford’s rule": RSRANK
    | {"RSRank.truncation_interval": 10, "RSRank.shrinkage": "langford"},
    "Compare with an ℓ₁ constraint": RSRANK | {"sparse": "FenchelRank"},
}


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the path, the smallest sufficient model, and the selected model."""
    path = next(iter(_path.paths(study).values()), None)
    if study is None or path is None:
        return views.Shown()
    smallest = insight.smallest(path, values.measure, values.tolerance / 100.0)
    pick = Selected(values, path, smallest, study.subject)
    change = _path.tested(values, study, "", smallest.at)
    method = f"In brackets: {change.method}. {change.caution}" if change else ""
    path_values = [one.cell.value for one in path.points]
    point = replace(
        _path.POINT,
        label=f"Selected {pick.symbol}",
        names={f"{g:.6g}": text for g, text in labelled(path_values).items()},
        default=pick.stops[pick.at],
    )
    trade_off, coefficients, ratios, *gaps = _panels(pick)
    return views.Shown(
        [*_choice(pick, change), *_selected(pick)],
        [
            trade_off,
            *([views.Caption(method.rstrip())] if change else []),
            *([views.Ask([point, shared.WEIGHED])] if study.ended else []),
            views.Row([[coefficients], [ratios]], (3, 2)),
            *gaps,
            *([_model.row(pick)] if study.ended else []),
        ],
        python=_path.python(values),
    )


def _choice(pick: Selected, change: RelativeChange | None) -> list[views.Fact]:
    """Return the rule, the model that it chooses, and the model's test result."""
    smallest, full, g = pick.smallest, pick.full, pick.symbol
    at = f"{g} = {rounded(smallest.value)}"
    if pick.at != smallest.at:
        at += f" with {smallest.measured:.3f}"
    best = pick.path.points[smallest.best_at]
    chosen = views.Fact(
        f"Smallest model {smallest.rule}",
        f"{smallest.left} of {counted(smallest.features, 'features')}",
        f"{at}; the best is {smallest.best:.3f}, at {g} = {rounded(best.cell.value)}",
    )
    if change is None:
        return [chosen]
    numbers = f"{change.after:.3f} against {change.before:.3f} for the full model"
    size, value = counted(full.nonzeros, "features"), rounded(full.cell.value)
    against = f"full: {size}, {g} = {value}"
    return [
        chosen,
        views.Fact(f"Test {smallest.measure} {numbers}", change.text, against),
    ]


def _selected(pick: Selected) -> list[views.Fact]:
    """Return the facts of the selected model, measured on the selection data."""
    values, point, split = pick.values, pick.point, insight.choice_part(pick.path)
    features = counted(len(pick.path.feature_names), "features")
    note = f"{point.nonzeros} of {features} kept"
    if pick.at == pick.smallest.at:
        note = "the smallest model"
    if values.without:
        note += f", {len(values.without)} switched off"
    measured = f"{getattr(point, split)[values.measure]:.3f}"
    value, scaled = rounded(point.cell.value), scale(datasets.of(values).train)
    where = f"{values.data}, features {scaled}, {values.convention}"
    rows = [
        views.Fact(f"Selected {pick.symbol}", value, f"{note}, {pick.chosen}"),
        views.Fact(f"{shared.SPLITS[split]} {values.measure}", measured, where),
    ]
    if "best gap" in point.diagnostics:
        gap = f"{point.diagnostics['best gap']:.2g}"
        rows.append(views.Fact("Duality gap", gap, "bound on the suboptimality"))
    return rows


def _panels(pick: Selected) -> list[views.Panel]:
    """Return the trade-off, the coefficients, the kept features, and gaps if any."""
    path, values, look = pick.path, pick.values, _path.look(pick.values, pick.at)
    g, measure, split = look.symbol, values.measure, shared.SPLITS[pick.split].lower()
    train = datasets.of(values).train
    weighing = Weighing(pick.point.model, train, values.weighed_by)
    panels = [
        views.Panel(
            "trade_off",
            f"{measure} and features kept against {g}",
            f"band: {pick.smallest.rule}; click a point",
            charts.path_trade_off_figure(path, measure, pick.smallest, look),
        ),
        views.Panel(
            "coefficient_paths",
            f"{weighing.title} along the path",
            weighing.unit,
            charts.path_coefficients_figure(path, weighing, look),
        ),
        views.Panel(
            "ratios",
            "Share kept at each cutoff",
            f"Figure 3 of the paper, not for selection: {split} nDCG@k divided by that "
            "of the full model.",
            charts.path_ratios_figure(path, pick.split, look),
        ),
    ]
    tolerance = values.get(f"{values.sparse}.gap_tolerance")
    if (gaps := charts.path_gaps(path, tolerance, look)) is not None:
        note = "bound on the suboptimality; hollow: stopped before the tolerance"
        panels.append(
            views.Panel("duality_gap", f"Duality gap against {g}", note, gaps)
        )
    return [panel._replace(on_click=pick.select) for panel in panels]


VIEW = views.View(
    "One path",
    "The cost of fewer features, and how few suffice.",
    _path.settings,
    show,
    work=views.Work(
        lambda values: path_study(_path.untrained(values)),
        lambda values: f"Train {counted(values['values'], 'models')}",
        lambda values: _path.promise(
            f"{_path.symbol(values)} from {_path.over(values).low:g} to "
            f"{_path.over(values).high:g}",
            values,
        ),
        keeps_settings=True,
        finding=Result,
    ),
    refuses=_path.refusal,
    presets=PRESETS,
    shipped=("Truncated gradient", "Compare with an ℓ₁ constraint"),
    explain=_path.explain,
)
