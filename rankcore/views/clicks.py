"""Blocks of learning from clicks: of simulated users, and of an uploaded log."""

from rankcore.plot.palette import Palette
from rankcore.studies import Study
from rankcore.topics.clicks import curves as insight
from rankcore.topics.clicks import logged, logged_learning
from rankcore.topics.clicks.curves_figure import (
    curves_figure,
    examination_figure,
    waiting_figure,
)
from rankcore.topics.clicks.learning import MEASURE
from rankcore.topics.clicks.logged_figure import logged_figure
from rankcore.views.blocks import Block, Caption, Fact, Notice, Panel, Row, Shown, Table

WAITING = (
    "The first models are being trained. At each number of sessions and for each seed "
    "of users, one model treats all clicks equally, and one weights them."
)
WIDTHS = (9, 5)


def simulated(study: Study, palette: Palette) -> Shown:
    """Return the curves so far, with the examination of positions."""
    plan: insight.CurvePlan = study.subject
    learnt = insight.curves(plan, study.found)
    curves, examined = panels(study, palette)
    note, verdict = insight.EXAMINED[plan.source], WAITING
    if learnt is not None:
        note, verdict = learnt.last.problem or note, insight.verdict(learnt)
    row = Row([[curves, Notice(verdict)], [examined, Caption(note)]], WIDTHS)
    facts = [Fact(*fact) for fact in insight.facts(plan, learnt)]
    return Shown(facts, [row, Caption(insight.CONDITIONS)])


def panels(study: Study, palette: Palette) -> list[Panel]:
    """Return the curves and the examination of a study of simulated users so far."""
    plan: insight.CurvePlan = study.subject
    learnt, moves = insight.curves(plan, study.found), insight.moving(study)
    title = f"{plan.part.capitalize()} {MEASURE} against sessions"
    note = "bands: seeds"
    if moves is not None:
        note = f"{study.done} of {study.total} models"
    estimate, curves = None, {"true": plan.examined}
    picture = waiting_figure(plan, palette)
    if learnt is not None:
        estimate, curves = learnt.estimate, learnt.lines
        picture = curves_figure(learnt, plan, palette, moves)
    examination = examination_figure(estimate, curves, palette, moves)
    return [
        Panel("click_curves", title, note, picture),
        Panel("click_examination", "Examination", "by position", examination),
    ]


def of_log(
    clicks: logged.LoggedClicks,
    study: Study | None,
    palette: Palette,
    models: list[Block],
) -> Shown:
    """Return a log's examination, the values of two orders, and the models learnt from
    it; ``models`` are blocks about these."""
    picture = examination_figure(clicks.estimate, {"clicks": clicks.rates}, palette)
    note = "dots: estimated, with 95% intervals; " * (clicks.estimate is not None)
    note += "dashed: click rate"
    panel = Panel("click_examination", "Relative to position 1", note, picture)
    blocks: list[Block] = [panel, *map(Caption, clicks.notes)]
    facts = [Fact(*fact) for fact in logged.facts(clicks)]
    tables: list[Block] = []
    if clicks.values:
        rows = clicks.rows()
        tables.append(_table("values", "of two orders", "the other half", rows))
    if study is not None:
        points = study.found
        title = f"DCG@{logged.CUTOFF} of held-out sessions"
        learnt = logged_figure(study.subject, points, palette)
        verdict = Notice(logged_learning.verdict(study.subject, points))
        curve = Panel("click_learnt", title, "by clicks; bands: 95%", learnt)
        blocks = [Row([[curve, verdict, *models], blocks], WIDTHS)]
        if rows := logged_learning.rows(points):
            tables.append(_table("models", "of models", "a quarter", rows))
    return Shown(facts, [*blocks, *tables])


def _table(key: str, title: str, note: str, rows: list[dict[str, object]]) -> Table:
    formats = dict.fromkeys(logged.NUMBERS, "%.3g")
    full = f"DCG@{logged.CUTOFF} {title}"
    return Table(
        f"click_{key}", full, f"by {note} of the sessions", rows, formats=formats
    )
