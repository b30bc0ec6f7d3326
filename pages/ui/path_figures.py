"""The figures of a path; a click on a point of them looks at it."""

import numpy as np

from pages.ui import frame, state
from pages.ui.path_jobs import PathPlan
from pages.ui.path_words import best_one, data, judge, part_name, symbol
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


def facts(plan: PathPlan, path: Path, chosen: int) -> None:
    """The point that is selected, by the data that choose."""
    point, measure = path.points[chosen], plan.measure.name
    part = insight.choice_part(path)
    value = point.measures[part][measure]
    rows = [
        frame.Fact(f"Selected {symbol(plan)}", f"{point.value:.4g}"),
        frame.Fact(
            "Features kept", str(point.nonzeros), f"of {len(path.feature_names)}"
        ),
        frame.Fact(f"{part_name(part)} {measure}", f"{value:.4f}", data(plan)),
    ]
    if "best gap" in point.diagnostics:
        gap = point.diagnostics["best gap"]
        rows.append(frame.Fact("Duality gap", f"{gap:.2g}", "above the minimum"))
    frame.facts(rows)


def trade_off(
    plan: PathPlan, path: Path, log: bool, chosen: int, found: insight.Smallest
) -> None:
    """The measure and the features in use over the hyperparameter."""
    from rankcore.charts.sparsity import trade_off_figure

    measure = plan.measure.name
    drawn = insight.curves(path, measure)
    near = f"within {100 * found.tolerance:g} % of {best_one(found)}"
    frame.heading(
        f"{measure} and features against {symbol(plan)}",
        f"band: {near}; click a point to select it",
    )
    lowest, highest = int(drawn.nonzeros.min()), int(drawn.nonzeros.max())
    values = drawn.measured[found.part]
    frame.figure(
        trade_off_figure(
            drawn,
            measure,
            symbol(plan),
            _colour(plan),
            log=log,
            chosen=chosen,
            smallest=found,
            palette=colours(),
        ),
        key="trade_off",
        alt=f"From {highest} features to {lowest}, "
        f"{part_name(found.part).lower()} {measure} "
        f"lies between {values.min():.3f} and {values.max():.3f}. "
        f"The smallest model {near} has {found.left} features, at "
        f"{symbol(plan)} = {found.value:.4g}.",
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
        f"figure 3 of the paper, not for choosing: {part_name(part).lower()} nDCG@k "
        "over that of the full model",
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
    from rankcore.charts.path_rules import gap_figure

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
        gap_figure(
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
