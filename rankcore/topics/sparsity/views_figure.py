"""Pictures of a path of models, each with text alternative and table."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore.base.arrays import Floats
from rankcore.base.numbers import counted, rounded
from rankcore.plot.style import Picture
from rankcore.studies.paths import CUTOFFS, Path
from rankcore.topics.sparsity import paths as insight
from rankcore.topics.sparsity.paths import Smallest
from rankcore.topics.sparsity.rules_figure import gap_figure, rules_figure
from rankcore.topics.sparsity.trade_off_figure import (
    PART_NAMES,
    Look,
    paths_figure,
    ratios_figure,
    trade_off_figure,
)
from rankcore.topics.train.coefficients import Weighing

if TYPE_CHECKING:
    import pandas as pd


def path_trade_off_figure(
    path: Path, measure: str, smallest: Smallest, look: Look
) -> Picture:
    """Draw a measure and the features kept along a path; see `trade_off_figure`.

    Parameters
    ----------
    smallest : Smallest
        The chosen model.
    """
    curves = insight.curves(path, measure)
    measured = curves.measured[smallest.part]
    return trade_off_figure(curves, measure, look, smallest).described(
        f"From {counted(curves.nonzeros.max(), 'features')} to "
        f"{curves.nonzeros.min():g}, "
        f"{PART_NAMES[smallest.part]} {measure} lies between {measured.min():.3f} and "
        f"{measured.max():.3f}. The smallest model has "
        f"{counted(smallest.left, 'features')}, at "
        f"{look.symbol} = {rounded(smallest.value)}.",
        path.to_frame,
    )


def path_coefficients_figure(path: Path, weighing: Weighing, look: Look) -> Picture:
    """Draw the features along a path; see `paths_figure`."""
    values, names = insight.curves(path).values, path.feature_names
    importances = weighing.importances(path.coefficients)
    largest = int(np.argmax(np.abs(importances).max(axis=0)))
    return paths_figure(values, path.coefficients, weighing, look).described(
        f"The most important feature is {names[largest]}.",
        lambda: _coefficients(path, importances),
    )


def _coefficients(path: Path, importances: Floats) -> "pd.DataFrame":
    """Return one row per point: the coefficients, then their importances (m, d)."""
    coefficients = path.coefficients_to_frame()
    more = coefficients.add_prefix("importance of ")
    more[:] = importances
    return coefficients.join(more).reset_index()


def path_ratios_figure(path: Path, part: str, look: Look) -> Picture:
    """Draw nDCG@k of each model as a share of the full model's; see `ratios_figure`.

    Parameters
    ----------
    part : {"train", "valid", "test"}
        The split to measure on.
    look : Look
        With the point whose line is highlighted.
    """
    values, chosen = insight.curves(path).values, look.chosen or 0
    table = insight.ratios(path, part, CUTOFFS, insight.densest(path))
    ratios = table[chosen]
    share = (
        "no share" if np.isnan(ratios).all() else f"at least {np.nanmin(ratios):.1%}"
    )
    return ratios_figure(
        values, table, CUTOFFS, look._replace(chosen=chosen)
    ).described(
        f"The selected model keeps {share} of nDCG@k at every cutoff.",
        lambda: {look.symbol: values, **dict(zip(CUTOFFS, table.T, strict=True))},
    )


def path_gaps(path: Path, tolerance: float | None, look: Look) -> Picture | None:
    """Draw the duality gap along a path, if its algorithm has one; see `gap_figure`."""
    gap = insight.certificate(path)
    if gap is None:
        return None
    return gap_figure(gap, look, tolerance).described(
        f"The duality gap is at most {gap.gaps.max():.2g} along the path.", gap._asdict
    )


def path_comparison_figure(
    paths: Mapping[str, Path],
    measure: str,
    smallest: Mapping[str, Smallest],
    look: Look,
) -> Picture:
    """Draw a measure and the features kept along several paths; see `rules_figure`.

    Parameters
    ----------
    paths : dict of str to Path
        Paths by the setting in which they differ.
    smallest : dict of str to Smallest
        The chosen model of each path.
    """
    curves = {name: insight.curves(path, measure) for name, path in paths.items()}
    part = insight.choice_part(next(iter(paths.values())))
    phrases = (
        f"{name} keeps {counted(c.nonzeros[-1], 'features')}"
        for name, c in curves.items()
    )
    marked = {name: model.at for name, model in smallest.items()}
    return rules_figure(curves, part, measure, look, marked).described(
        f"At the last value {', '.join(phrases)}.", lambda: _rows(paths)
    )


def _rows(paths: Mapping[str, Path]) -> Sequence[Mapping[str, Any]]:
    return [{"rule": name, **row} for name in paths for row in paths[name].to_rows()]
