"""The training curve, and the list of the runs that are drawn in it."""

from functools import partial
from typing import Any

from pages.views.train import _plan
from pages.views.train._seen import PINNED, ShownRun
from rankcore.base.numbers import counted
from rankcore.measures import parse
from rankcore.reports.formats import in_words
from rankcore.topics.train.bands import MeanInterval, mean_band
from rankcore.topics.train.curves import finding, run_curves
from rankcore.topics.train.training_figure import Drawn, run_figure
from rankcore.training import History
from rankcore.training.selection import best_and_last
from rankcore.views import Block, Caption, Choice, Listing, Panel, Runs, Watched
from rankcore.views.pins import without_pin

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


def blocks(seen: ShownRun) -> list[Block]:
    """Return the curve, and below it what its band is and what makes it oscillate."""
    drawn = _drawn(seen)
    begun = seen.record is not None
    warning = _plan.too_large(seen.in_force, seen.splits) if begun else ""
    lines = [drawn.band.method if drawn.band else "", warning]
    return [_panel(seen, drawn), *(Caption(line) for line in lines if line)]


def _measure(seen: ShownRun) -> str:
    """Return the measure of the curve: the one chosen, if the run has recorded it."""
    chosen = seen.values[CURVE.key]
    has_it = seen.record is not None and chosen in seen.record.train
    return chosen if has_it else str(seen.measure)


def _drawn(seen: ShownRun) -> Drawn:
    over = seen.values[_plan.AXIS.key]
    curves = run_curves(seen.history, _measure(seen), seen.best, over, seen.algorithm)
    return Drawn(curves, seen.colour, "", _band(seen, seen.watched))


def _band(seen: ShownRun, watched: Watched) -> MeanInterval | None:
    if watched.run is None or seen.values[_plan.BAND.key] == "off":
        return None
    return mean_band(watched.run, _measure(seen), seen.values[_plan.AXIS.key])


def _panel(seen: ShownRun, drawn: Drawn) -> Panel:
    palette, over = seen.values.palette, seen.values[_plan.AXIS.key]
    measure = _measure(seen)
    pinned = [
        Drawn(
            run_curves(other.run.history, measure, other.run.best, over),
            row.colour,
            row.name,
            _band(seen, other),
            marker,
        )
        for other, row, marker in zip(
            seen.watched.pinned, seen.listed, seen.markers, strict=True
        )
        if other.run is not None and len(other.run.history) and not row.hidden
    ]
    replayed = not seen.active and seen.position < len(seen.history) - 1
    at = seen.record.figure(over) if replayed and seen.record is not None else None
    picture = run_figure(drawn, pinned, palette, at).described(
        finding(drawn.curves, seen.watched.state),
        None if seen.active else partial(_table, seen.history, drawn.band, over),
    )
    run = seen.watched.run
    ended = run is not None and seen.best is not None and not seen.active
    ring = _ring(seen) if ended else "best"
    note = f"solid: training, dashed: validation, ring: {ring}"
    if weighting := seen.splits.train.weighting:
        note += f"; means {weighting}"
    return Panel("curves", measure, note, picture, zoom=seen.watched.id)


def _ring(seen: ShownRun) -> str:
    """Return what the best model is, as far as the facts do not say it."""
    best, measure = seen.best, str(seen.measure)
    shown = seen.position == len(seen.history) - 1
    if best is None or not shown or measure not in best.valid:
        return best_and_last(seen.watched.run, measure)
    return f"best, {counted(best.nonzeros, 'features')}"


def _table(history: History, band: MeanInterval | None, over: str) -> Any:
    """Return the records of a run, with the ends of its band where it has one."""
    table = in_words(history.to_frame())
    if band is None:
        return table
    ends = {f"{band.split} from": band.low, f"{band.split} to": band.high}
    return table.join(type(table)(ends, index=band.x), on=over)


def listed(seen: ShownRun) -> list[Block]:
    """Return the run and those pinned, where there are any."""
    if not seen.listed:
        return []
    entry = Listing(
        "", seen.watched.title or seen.algorithm.title, seen.colour, "this run"
    )
    return [
        Runs(
            "Runs",
            "in the curve",
            [entry, *seen.listed],
            PINNED.key,
            lambda now: now[PINNED.key],
            lambda now, run: {PINNED.key: without_pin(now[PINNED.key], run)},
        )
    ]
