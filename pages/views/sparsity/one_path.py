"""One path: a model at each value of the penalty, and the smallest that is enough."""

from dataclasses import replace

import numpy as np

from pages.ui import shared
from pages.views.sparsity import _model, _path
from pages.views.sparsity._model import Selected
from pages.views.sparsity._path import RSRANK
from rankcore.charts.path_rules import gap_figure
from rankcore.charts.sparsity import paths_figure, ratios_figure, trade_off_figure
from rankcore.insight import sparsity as insight
from rankcore.insight.bootstrap import RelativeChange
from rankcore.paths import CUTOFFS, path_study
from rankcore.studies import Study
from rankcore.views import Ask, Caption, Fact, Panel, Row, Shown, Values, View, Work

PRESETS = {
    "Truncated gradient": RSRANK | {"RSRank.truncation_interval": 1},
    "Shrink every 10 iterations, as in the paper": RSRANK
    | {"RSRank.truncation_interval": 10, "RSRank.shrinkage": "paper"},
    "Shrink every 10 iterations, Langford’s rule": RSRANK
    | {"RSRank.truncation_interval": 10, "RSRank.shrinkage": "langford"},
    "Compare with an ℓ₁ constraint": RSRANK | {"sparse": "FenchelRank"},
}


def show(values: Values, study: Study | None) -> Shown:
    """The path, the smallest model that is enough, and the model that is selected."""
    found = next(iter(_path.paths(study).values()), None)
    if study is None or found is None:
        return Shown()
    smallest = insight.smallest(found, values.measure, values.tolerance / 100.0)
    seen = Selected(values, study, found, smallest)
    change = _path.tested(values, study, found.name, smallest.at)
    point = replace(
        _path.POINT,
        label=f"Selected {seen.symbol}",
        names={stop: f"{float(stop):.4g}" for stop in seen.stops},
        default=seen.stops[seen.at],
    )
    return Shown(
        [*_choice(seen, change), *_selected(seen)],
        [
            *([Caption(f"In brackets: {change.method}.")] if change else []),
            *([Ask([point])] if study.ended else []),
            _trade_off(seen),
            Row([[_coefficients(seen)], [_ratios(seen)]], (3, 2)),
            *_certificate(seen),
            *([_model.row(seen)] if study.ended else []),
        ],
    )


def _choice(seen: Selected, change: RelativeChange | None) -> list[Fact]:
    """The rule, the model that it chooses, and what the test data say of it."""
    smallest, full, g = seen.smallest, seen.full, seen.symbol
    best = seen.path.points[smallest.best_at]
    rows = [
        Fact(
            f"Smallest model {smallest.rule}",
            f"{smallest.left} of {smallest.features} features",
            f"{g} = {smallest.value:.4g} with {smallest.measured:.3f}; the best is "
            f"{smallest.best:.3f}, at {g} = {best.value:.4g}",
        )
    ]
    if change is not None:
        rows.append(
            Fact(
                f"Test {smallest.measure} {change.after:.3f} against "
                f"{change.before:.3f} for the full model",
                change.text,
                f"full: {full.nonzeros} features, {g} = {full.value:.4g}",
            )
        )
    return rows


def _selected(seen: Selected) -> list[Fact]:
    """The model that is selected, by the data that choose."""
    values, point, split = seen.values, seen.point, insight.choice_part(seen.path)
    rows = [
        Fact(
            f"Selected {seen.symbol}",
            f"{point.value:.4g}",
            f"{point.nonzeros} of {len(seen.path.feature_names)} features kept",
        ),
        Fact(
            f"{shared.SPLITS[split]} {values.measure}",
            f"{point.measures[split][values.measure]:.4f}",
            f"{values.data}, {values.convention}",
        ),
    ]
    if "best gap" in point.diagnostics:
        gap = f"{point.diagnostics['best gap']:.2g}"
        rows.append(Fact("Duality gap", gap, "above the minimum"))
    return rows


def _trade_off(seen: Selected) -> Panel:
    """The measure and the features in use over the hyperparameter."""
    g, measure, smallest = seen.symbol, seen.values.measure, seen.smallest
    curves = insight.curves(seen.path, measure)
    picture = trade_off_figure(
        curves, measure, g, seen.colour, smallest=smallest, **seen.drawing
    )
    measured = curves.measured[smallest.part]
    return Panel(
        "trade_off",
        f"{measure} and features kept against {g}",
        f"band: {smallest.rule}; click a point to select it",
        picture.described(
            f"From {curves.nonzeros.max():g} features to {curves.nonzeros.min():g}, "
            f"{shared.SPLITS[smallest.part].lower()} {measure} lies between "
            f"{measured.min():.3f} and {measured.max():.3f}. The smallest model "
            f"has {smallest.left} features, at {g} = {smallest.value:.4g}.",
            seen.path.to_frame,
        ),
        on_click=seen.select,
    )


def _coefficients(seen: Selected) -> Panel:
    drawn, names = seen.path.coefficients, seen.path.feature_names
    values = insight.curves(seen.path).values
    picture = paths_figure(values, drawn, names, seen.symbol, **seen.drawing)
    return Panel(
        "coefficient_paths",
        "Coefficients along the path",
        "the largest have names",
        picture.described(
            "The largest coefficient is that of "
            f"{names[int(np.argmax(np.abs(drawn).max(axis=0)))]}.",
            lambda: seen.path.coefficients_to_frame().reset_index(),
        ),
        on_click=seen.select,
    )


def _ratios(seen: Selected) -> Panel:
    values, part = insight.curves(seen.path).values, seen.split
    kept = insight.ratios(seen.path, part, CUTOFFS, insight.densest(seen.path))
    own, palette = kept[seen.at], seen.values.palette
    picture = ratios_figure(
        values, kept, CUTOFFS, seen.symbol, seen.at, seen.colour, palette
    )
    share = "no share" if np.isnan(own).all() else f"at least {np.nanmin(own):.1%}"
    return Panel(
        "ratios",
        "What is kept at each cutoff",
        f"figure 3 of the paper, not for choosing: {shared.SPLITS[part].lower()} "
        "nDCG@k divided by that of the full model",
        picture.described(
            f"The selected model keeps {share} of nDCG@k at every cutoff.",
            lambda: {seen.symbol: values, **dict(zip(CUTOFFS, kept.T, strict=True))},
        ),
        on_click=lambda trace, *at: seen.select(trace, int(trace)),
    )


def _certificate(seen: Selected) -> list[Panel]:
    """The duality gap over the hyperparameter, for algorithms that have one."""
    found, g = insight.certificate(seen.path), seen.symbol
    if found is None:
        return []
    tolerance = seen.values.get(f"{seen.values.sparse}.gap_tolerance")
    picture = gap_figure(found, g, seen.colour, tolerance=tolerance, **seen.drawing)
    return [
        Panel(
            "duality_gap",
            f"Duality gap against {g}",
            "the objective is at most this far above the smallest possible; hollow: "
            "training ended before the tolerance",
            picture.described(
                f"The duality gap is at most {found.gaps.max():.2g} along the path.",
                found._asdict,
            ),
            on_click=seen.select,
        )
    ]


VIEW = View(
    "One path",
    "What removing features costs, and the smallest model that is good enough.",
    _path.settings,
    show,
    work=Work(
        lambda values: path_study(_path.untrained(values)),
        lambda values: f"Train {values['values']} models",
        lambda values: (
            f"{_path.symbol(values)} from {_path.over(values).low:g} to "
            f"{_path.over(values).high:g}; results appear as they finish."
        ),
        keeps_settings=True,
    ),
    refuses=_path.refusal,
    presets=PRESETS,
    explain=_path.explain,
)
