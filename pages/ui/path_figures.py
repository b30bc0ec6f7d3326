"""The figures of a path; a click on a point of them looks at it."""

import numpy as np

from pages.ui import frame, state
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import data, judge, part_name, symbol
from pages.ui.theme import algorithm_style, colours
from rankcore.insight import sparsity as insight
from rankcore.paths import CUTOFFS, Path


def look_at(path: Path, number: int) -> None:
    """Look at a point of a path from now on; the link says so."""
    if 0 <= number < len(path.points):
        state.put("path_at", written(path.points[number].value))


def written(value: float) -> str:
    """A value as links hold it."""
    return f"{value:.6g}"


def sparsest(path: Path, tolerance: float) -> insight.Tolerated:
    """The fewest features at a tolerated loss."""
    part, reference = judge(path.points[0]), insight.densest(path)
    return insight.features_left(path, tolerance, part=part, reference=reference)


def facts(plan: PathPlan, path: Path, chosen: int, tolerance: float) -> None:
    """The point that is looked at, and the sparsest that is tolerated."""
    point, measure = path.points[chosen], plan.measure.name
    part = judge(point)
    left = sparsest(path, tolerance)
    value = point.measures[part][measure]
    share = left.left / left.features
    rows = [
        frame.Fact(symbol(plan), f"{point.value:.4g}", "what you look at"),
        frame.Fact(
            "Features left", str(point.nonzeros), f"of {len(path.feature_names)}"
        ),
        frame.Fact(f"{part_name(part)} {measure}", f"{value:.4f}", data(plan)),
        frame.Fact(
            f"Fewest features at {100 * tolerance:g} % loss",
            f"{left.left} ({share:.0%})",
            f"{symbol(plan)} = {left.value:.4g}, {left.change:+.1%}".replace("-", "−"),
        ),
    ]
    if "best gap" in point.diagnostics:
        gap = point.diagnostics["best gap"]
        rows.append(frame.Fact("Duality gap", f"{gap:.2g}", "above the minimum"))
    frame.facts(rows)


def trade_off(
    plan: PathPlan, path: Path, log: bool, chosen: int, tolerance: float
) -> None:
    """The measure and the features in use over the hyperparameter."""
    from rankcore.charts.sparsity import trade_off_figure

    measure = plan.measure.name
    found = insight.curves(path, measure)
    frame.heading(
        f"{measure} and features against {symbol(plan)}",
        "solid: training, dashed: validation, dotted: test; click a point to look at "
        "it",
    )
    lowest, highest = int(found.nonzeros.min()), int(found.nonzeros.max())
    part = judge(path.points[0])
    values = found.measured[part]
    left = sparsest(path, tolerance).value
    words = f"{100 * tolerance:g} % loss: {symbol(plan)} = {left:.4g}"
    frame.figure(
        trade_off_figure(
            found,
            measure,
            symbol(plan),
            _colour(plan),
            log=log,
            chosen=chosen,
            tolerated=(int(np.flatnonzero(found.values == left)[0]), words),
            palette=colours(),
        ),
        key="trade_off",
        alt=f"From {highest} features to {lowest}, {part_name(part).lower()} {measure} "
        f"lies between {values.min():.3f} and {values.max():.3f}. "
        f"Fewest features at {words}.",
        table=path.to_frame,
        on_click=lambda trace, point, x, y: look_at(path, point),
    )


def coefficients(plan: PathPlan, path: Path, log: bool, chosen: int) -> None:
    """Every coefficient along the path."""
    from rankcore.charts.sparsity import paths_figure

    frame.heading("Coefficients along the path", "the largest have names")
    drawn = path.coefficients
    survivor = path.feature_names[int(np.argmax(np.abs(drawn).max(axis=0)))]
    frame.figure(
        paths_figure(
            _values(path),
            drawn,
            path.feature_names,
            symbol(plan),
            log=log,
            chosen=chosen,
            palette=colours(),
        ),
        key="coefficient_paths",
        alt=f"The largest coefficient is that of {survivor}.",
        table=lambda: path.coefficients_to_frame().reset_index(),
        on_click=lambda trace, point, x, y: look_at(path, point),
    )


def ratios(plan: PathPlan, path: Path, chosen: int) -> None:
    """What is kept of the measure at each cutoff."""
    from rankcore.charts.sparsity import ratios_figure

    part = judge(path.points[0])
    kept = insight.ratios(path, part, CUTOFFS, insight.densest(path))
    frame.heading(
        "What is kept at each cutoff",
        f"{part_name(part).lower()} nDCG@k over that of the model with the most "
        "features",
    )
    worst = float(np.nanmin(kept[chosen]))
    frame.figure(
        ratios_figure(
            _values(path),
            kept,
            CUTOFFS,
            symbol(plan),
            chosen,
            _colour(plan),
            colours(),
        ),
        key="ratios",
        alt=f"The chosen model keeps at least {worst:.1%} at every cutoff.",
        table=lambda: {
            symbol(plan): _values(path),
            **dict(zip(CUTOFFS, kept.T, strict=True)),
        },
        on_click=lambda trace, point, x, y: look_at(path, int(trace)),
    )


def certificate(plan: PathPlan, path: Path, log: bool, chosen: int) -> None:
    """The duality gap over the hyperparameter, for algorithms that have one."""
    from rankcore.charts.path_rules import gap_picture

    found = insight.certificate(path)
    if found is None:
        return
    tolerance = getattr(plan.algorithm, "gap_tolerance", None)
    frame.heading(
        f"Duality gap against {symbol(plan)}",
        "the objective is at most this far above the smallest possible; hollow: "
        "training ended before the tolerance",
    )
    frame.figure(
        gap_picture(
            found,
            symbol(plan),
            _colour(plan),
            tolerance=tolerance,
            log=log,
            chosen=chosen,
            palette=colours(),
        ),
        key="duality_gap",
        alt=f"The duality gap is at most {found.gaps.max():.2g} along the path.",
        table=found._asdict,
        on_click=lambda trace, point, x, y: look_at(path, point),
    )


def _values(path: Path) -> np.ndarray:
    return np.array([point.value for point in path.points])


def _colour(plan: PathPlan) -> str:
    return algorithm_style(type(plan.algorithm).__name__)[0]
