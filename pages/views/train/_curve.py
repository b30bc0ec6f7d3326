"""The training curve, and the list of the runs that are drawn in it."""

from pages.views.train import _plan
from pages.views.train._seen import PINNED, Seen
from rankcore.charts.training import Drawn, run_figure
from rankcore.insight.curves import finding, run_curves
from rankcore.measures import parse
from rankcore.views import Block, Caption, Choice, Listing, Panel, Runs

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


def blocks(seen: Seen) -> list[Block]:
    """The curve, and below it what makes it oscillate, if anything does."""
    begun = seen.record is not None
    said = _plan.too_large(seen.in_force, seen.splits) if begun else ""
    return [_panel(seen), *([Caption(said)] if said else [])]


def _panel(seen: Seen) -> Panel:
    palette, over = seen.values.palette, seen.values[_plan.AXIS.key]
    measure, chosen = str(seen.measure), seen.values[CURVE.key]
    if seen.record is not None and chosen in seen.record.train:
        measure = chosen
    drawn = Drawn(run_curves(seen.history, measure, seen.best, over), seen.colour)
    pinned = [
        Drawn(
            run_curves(other.run.history, measure, other.run.best, over),
            row.colour,
            row.name,
        )
        for other, row in zip(seen.watched.pinned, seen.listed, strict=True)
        if other.run is not None and len(other.run.history) and not row.hidden
    ]
    replayed = not seen.active and seen.position < len(seen.history) - 1
    at = seen.record.figure(over) if replayed and seen.record is not None else None
    picture = run_figure(drawn, pinned, palette, at).described(
        finding(drawn.curves, seen.watched.state),
        None if seen.active else seen.history.to_frame,
    )
    note = "solid: training, dashed: validation, ring: best so far"
    return Panel("curves", measure, note, picture, zoom=seen.watched.id)


def listed(seen: Seen) -> list[Block]:
    """The run and those pinned, where there are any."""
    if not seen.listed:
        return []
    own = Listing(
        "", seen.watched.title or seen.algorithm.title, seen.colour, "this run"
    )
    return [Runs("Runs", "in the curve", [own, *seen.listed], PINNED.key)]
