"""The slider of a report: its setting and its stops."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rankcore import views

# Maximum number of states of a slider, including the first and the last.
MOST_SCENES = 40


class ReportSlider(NamedTuple):
    """The setting of a report's slider; by default none.

    Attributes
    ----------
    key, label : str
        Key and label of the setting.
    stops : list of float
    at : float
        Its initial stop.
    changes : callable
        Returns the settings at a stop.
    """

    key: str = ""
    label: str = ""
    stops: Sequence[float] = (0.0,)
    at: float = 0.0
    changes: Callable[[float], views.Changes] = lambda stop: {}


def slider_of(
    view: views.View,
    rows: Sequence[views.Setting],
    values: views.Values,
    contents: tuple[Any, ...],
    iteration: str,
) -> ReportSlider:
    """Return the slider over a view's own setting, or over the iterations of a finished
    run that still have their models.

    Parameters
    ----------
    view, rows, values
        The view and its content.
    contents : tuple
        Arguments of ``View.show`` after the values.
    iteration : str
        The key of the setting that says which iteration of a run is shown.
    """
    watched = (
        contents[0] if contents and isinstance(contents[0], views.Watched) else None
    )
    # While the run is active, its view shows the latest iteration.
    if watched is not None and watched.state in ("running", "queued"):
        watched = None
    if watched is not None and watched.run is not None and len(watched.run.history) > 1:
        name, run = iteration, watched.run
        shown = watched.selection(values[name]).record.iteration
        stops = _thinned([r.iteration for r in run.history.records if run.has(r)])
        return ReportSlider(
            name, "Iteration", stops, shown, lambda k: {name: f"{k:.0f}"}
        )
    row = next((row for row in rows if row.key == view.plays), None)
    if not isinstance(row, views.Number):
        return ReportSlider()
    low, high = row.range(values)
    if view.plays_to is not None:
        high = view.plays_to(values)
    if low is None or high is None or high <= low:
        return ReportSlider()
    key, stops = row.key, _thinned([low + k for k in range(int(high - low) + 1)])
    return ReportSlider(key, row.label, stops, values[key], lambda stop: {key: stop})


def tools(shown: views.Shown) -> set[str]:
    """Return the keys of settings in popovers with buttons, such as one that loads a
    list from the data."""
    folds = [
        one.blocks()
        for one in views.flat(shown.blocks)
        if isinstance(one, views.Popover)
    ]
    return {
        row.key
        for blocks in folds
        if any(isinstance(one, views.Act) for one in views.flat(blocks))
        for one in views.flat(blocks)
        if isinstance(one, views.Ask)
        for row in one.settings
    }


def _thinned(stops: Sequence[float]) -> list[float]:
    """Return at most `MOST_SCENES` of the stops, with the first and the last."""
    last, count = len(stops) - 1, min(len(stops), MOST_SCENES)
    return [stops[round(k * last / max(count - 1, 1))] for k in range(count)]
