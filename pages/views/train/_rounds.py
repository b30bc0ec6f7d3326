"""Rounds of a structured SVM: objective, lower bound and planes."""

from functools import lru_cache

from pages.ui import shared
from pages.views.train._look import ShownRun
from rankcore.algorithms import StructuredRanker
from rankcore.topics.margins.cloud import round_orders
from rankcore.topics.margins.round_orders_figure import round_orders_figure
from rankcore.topics.margins.rounds import Planes, planes_along, rounds
from rankcore.topics.margins.rounds_figure import planes_figure, rounds_figure
from rankcore.training import Run
from rankcore.views import Block, Caption, Changes, Panel, Row

# Documents × rounds; beyond this, planes take too long to compute.
MOST = 1_000_000
LARGE = "Cutting planes are not drawn for this many documents and rounds."


def blocks(look: ShownRun) -> list[Block]:
    """Return the rounds of a run so far, and at its end the planes."""
    run, algorithm, records = look.watched.run, look.algorithm, look.history.records
    if not isinstance(algorithm, StructuredRanker) or run is None or not records:
        return []
    at, palette = look.position, look.values.palette
    picture = rounds_figure(rounds(algorithm, records), look.colour, at, palette)
    note = "the minimum lies between the lines"
    if look.active:
        return [Panel("rounds", "Rounds", note, picture)]

    def pick(trace: str, point: int, *place: float) -> Changes:
        return {shared.AT.key: str(records[point].iteration)}

    left: list[Block] = [Panel("rounds", "Rounds", note, picture, on_click=pick)]
    right: list[Block] = [Caption(LARGE)]
    if len(records) * run.train.n_documents <= MOST:
        planes = planes_figure(_planes(run, len(records)), at, look.colour, palette)
        right = [Panel("planes", "Cutting planes", "from w = 0 to the model", planes)]
    return [Row([left, right]), *_orders(look, algorithm)]


def _orders(look: ShownRun, algorithm: StructuredRanker) -> list[Block]:
    """Return the orders that rounds added for the selected or first training query."""
    if look.values.part != shared.PART.default:
        return []
    dataset = look.splits.train
    query = min(look.values["query"], dataset.n_queries) - 1
    models = [record.coef for record in look.history.records[: look.position + 1]]
    orders = round_orders(algorithm, dataset, query, models)
    title = f"Orders of training {dataset.query(query).name} at round {len(models) - 1}"
    note = "rings: added orders, by round; grey lines: planes so far; blue: the slack"
    picture = round_orders_figure(orders, look.values.palette)
    return [Panel("round_orders", title, note, picture)]


@lru_cache(maxsize=4)
def _planes(run: Run, count: int) -> Planes:
    """Return the planes of a run; its number of records ``count`` is the cache key."""
    *_, planes = planes_along(run.algorithm, run.train, run.history.records)
    assert planes is not None
    return planes
