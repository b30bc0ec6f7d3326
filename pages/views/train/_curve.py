"""The training curve, and the list of its runs."""

from functools import partial
from typing import Any

from pages.views.train import _plan
from pages.views.train._look import PINNED, ShownRun
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


def blocks(look: ShownRun) -> list[Block]:
    """Return the curve, and captions on its band and on causes of oscillation."""
    run_line = _line(look)
    has_records = look.record is not None
    warning = _plan.too_large(look.in_force, look.splits) if has_records else ""
    lines = [run_line.band.method if run_line.band else "", warning]
    return [_panel(look, run_line), *(Caption(line) for line in lines if line)]


def _measure(look: ShownRun) -> str:
    """Return the measure of the curve: the selected one, if the run recorded it."""
    chosen = look.values[CURVE.key]
    has_it = look.record is not None and chosen in look.record.train
    return chosen if has_it else str(look.measure)


def _line(look: ShownRun) -> Drawn:
    over = look.values[_plan.AXIS.key]
    curves = run_curves(look.history, _measure(look), look.best, over, look.algorithm)
    return Drawn(curves, look.colour, "", _band(look, look.watched))


def _band(look: ShownRun, watched: Watched) -> MeanInterval | None:
    if watched.run is None or look.values[_plan.BAND.key] == "off":
        return None
    return mean_band(watched.run, _measure(look), look.values[_plan.AXIS.key])


def _panel(look: ShownRun, run_line: Drawn) -> Panel:
    palette, over = look.values.palette, look.values[_plan.AXIS.key]
    measure = _measure(look)
    pinned = [
        Drawn(
            run_curves(other.run.history, measure, other.run.best, over),
            row.colour,
            row.name,
            _band(look, other),
            marker,
        )
        for other, row, marker in zip(
            look.watched.pinned, look.listed, look.markers, strict=True
        )
        if other.run is not None and len(other.run.history) and not row.hidden
    ]
    replayed = not look.active and look.position < len(look.history) - 1
    at = look.record.figure(over) if replayed and look.record is not None else None
    picture = run_figure(run_line, pinned, palette, at).described(
        finding(run_line.curves, look.watched.state),
        None if look.active else partial(_table, look.history, run_line.band, over),
    )
    run = look.watched.run
    ended = run is not None and look.best is not None and not look.active
    ring = _ring(look) if ended else "best"
    note = f"solid: training, dashed: validation, ring: {ring}"
    if weighting := look.splits.train.weighting:
        note += f"; means {weighting}"
    return Panel("curves", measure, note, picture, zoom=look.watched.id)


def _ring(look: ShownRun) -> str:
    """Return a description of the best model that adds to the facts."""
    best, measure = look.best, str(look.measure)
    shown = look.position == len(look.history) - 1
    if best is None or not shown or measure not in best.valid:
        return best_and_last(look.watched.run, measure)
    return f"best, {counted(best.nonzeros, 'features')}"


def _table(history: History, band: MeanInterval | None, over: str) -> Any:
    """Return the records of a run, with the ends of its band if any."""
    table = in_words(history.to_frame())
    if band is None:
        return table
    ends = {f"{band.split} from": band.low, f"{band.split} to": band.high}
    return table.join(type(table)(ends, index=band.x), on=over)


def listed(look: ShownRun) -> list[Block]:
    """Return the run and the pinned runs, if any."""
    if not look.listed:
        return []
    entry = Listing(
        "", look.watched.title or look.algorithm.title, look.colour, "this run"
    )
    return [
        Runs(
            "Runs",
            "in the curve",
            [entry, *look.listed],
            PINNED.key,
            lambda now: now[PINNED.key],
            lambda now, run: {PINNED.key: without_pin(now[PINNED.key], run)},
        )
    ]
