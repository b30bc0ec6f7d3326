"""A race: up to four algorithms or settings, trained in turn on the same queries."""

from collections.abc import Sequence
from functools import partial

from pages.ui import shared, texts
from pages.ui.away import code
from pages.ui.data import datasets
from pages.ui.data.inspecting import RACE, inspect
from pages.ui.serving import visitor
from pages.views.train import _plan, _why
from rankcore import views
from rankcore.base.numbers import counted, quoted
from rankcore.studies import Study
from rankcore.topics.datasets.description import parts
from rankcore.topics.train import entries, race
from rankcore.topics.train.race_code import race_code
from rankcore.topics.train.race_figure import RunInRace, race_figure
from rankcore.topics.train.verdict import verdict
from rankcore.training import Run, Stop, drive
from rankcore.training.selection import BEST, LAST, select
from rankcore.views import Block, Choice, Number, Shown, Text, Values, past, unjudged
from rankcore.views.pins import Pin, read_pins
from rankcore.views.race_list import RaceList, Racing

ROWS = 10
# Settings shared by the stored runs of a race.
_COMMON = (shared.DATA, shared.WITHOUT, *_plan.OPTIONS)
RACERS = shared.entrants(
    "racers",
    ("RSRank", "ListNet", "RankSVM", "LambdaRank"),
    race.MOST_RACERS,
    "Up to four. Type to search, or type a setting: `RSRank:g=30`.",
)
PACE = Choice(
    "race_pace",
    "iteration",
    "Synchronise by",
    meaning="Quantity that is kept equal: the run with the least takes the next step.",
    names=_plan.AXIS.names,
)
LIMIT = Number(
    "race_limit", 100, "Maximum iterations", low=1, high=1000, whole=True, box=True,
    group=views.MORE,
)  # fmt: skip
LIST = Number(
    "race_list", 0, "List", low=0, high=3, whole=True, inline=True, studied=False
)


def _no_runs(text: str, values: Values) -> str | None:
    """Return the error for a text with runs that are not in the race."""
    racing = {entries.read_entry(text).title for text in values.racers}
    pins = read_pins(text) or [Pin(text)]
    others = [pin.id for pin in pins if pin.id not in racing]
    return f"the race has no run {quoted(others[0])}" if others else None


NAMES = Text(
    "race_runs", "", "Runs of the race", fault=_no_runs, inline=True, studied=False
)


def _run(values: Values, entry: entries.Entry) -> Run:
    splits = datasets.of(values)
    return drive(
        entry.ranker(random_state=values.seed),
        splits.train,
        splits.valid,
        stop=Stop(max_iterations=values.race_limit),
        measures=_plan.measures(values),
        rules=shared.rules(values),
    )


def _study(values: Values) -> Study:
    chosen = [entries.read_entry(text) for text in values.racers]
    begins = {entry.title: partial(_run, values, entry) for entry in chosen}
    common = {row.key: values[row.key] for row in _COMMON}
    keep = past.keeper(visitor.current(), common)
    return race.race_study(begins, values.race_pace, verdict, keep)


def _steps(values: Values, study: Study | None) -> int:
    """Return how many runs take a step."""
    if study is None:
        return len(values.racers)
    return sum(racer.reason is None for racer in study.subject.racers)


def show(values: Values, study: Study | None) -> Shown:
    """Return curves, the leading run, one list per run, and explanations of ranks."""
    if study is None:
        return Shown()
    state: race.Race = study.subject
    listed = RaceList(state, values, RACERS.key, NAMES.key)
    runs = listed.runs
    failed = [racer for racer in state.racers if racer.failed]
    blocks = views.errors(*(f"{racer.name}: {racer.reason}" for racer in failed))
    if runs:
        judged = [*_judged(state, runs), *_unjudged(state, runs)] if study.ended else []
        lists = _lists(values, state, runs, best=study.ended)
        blocks = [*_curves(values, runs), *judged, *blocks, listed.block, *lists]
    tables = {
        f"Training curve, {one.name}": one.run.history.to_frame
        for one in runs
        if one.listed
    }
    return Shown((), blocks, tables, python=_python(values))


def _python(values: Values) -> str:
    """Return Python that runs the same race."""
    return race_code(
        code.data(values),
        code.rules(shared.rules(values)),
        [entries.read_entry(text).text for text in values.racers],
        values.seed,
        values.race_limit,
        _plan.measures(values),
        values.race_pace,
    )


def _curves(values: Values, runs: Sequence[Racing]) -> list[Block]:
    over = values.train_axis
    banded = values[_plan.BAND.key] == "on"
    lines = [
        RunInRace.of(one.name, one.run, over, banded)._replace(hidden=one.hidden)
        for one in runs
    ]
    picture = race_figure(lines, over, values.palette)
    note = "validation queries, best so far ringed and at the line’s end"
    panel = views.Panel("race", lines[0].curves.measure, note, picture)
    method = next((one.band.method for one in lines if one.band), "")
    return [panel, *([views.Caption(method)] if method else [])]


def _judged(ended: race.Race, runs: Sequence[Racing]) -> list[Block]:
    if not ended.judged:
        # The race was stopped.
        ended.judged.append(verdict(ended))
    judged = ended.judged[0].renamed({one.key: one.name for one in runs})
    note = "95% interval; p after Holm; queries needed for 80% power"
    table = views.Table("race_pairs", "Differences on validation", note, judged.rows())
    test = views.Popover("Show the test", "race_test", lambda: [table])
    notices = views.Notice(judged.sentence), views.Caption(judged.conditions)
    return [*notices, test] if judged.pairs else [*notices]


def _unjudged(ended: race.Race, runs: Sequence[Racing]) -> list[Block]:
    """Return notices on the reliability of the best models' measure."""
    split = "train" if ended.data.valid is None else "valid"
    data = parts(ended.data)[split]
    rankings = {
        one.name: one.run.algorithm.scores(data.X, coef)
        for one, coef in zip(runs, ended.models(best=True), strict=True)
        if one.listed
    }
    first = runs[0].run
    measures = [str(first.measures[0])]
    return unjudged.blocks(data, split, rankings, measures, first.rules)


def _lists(
    values: Values, shown_race: race.Race, runs: Sequence[Racing], best: bool
) -> list[Block]:
    """Return one query under each model, and the explanation of a document's rank."""
    part = [one for one in runs if not one.hidden]
    if not part:
        return []
    dataset = parts(shown_race.data).get(values.part, shown_race.data.train)
    number = min(values["query"], dataset.n_queries) - 1
    every = shown_race.rankings(dataset, number, best)
    orders = [every[one.number] for one in part]
    heads = [(one.name, one.colour) for one in part]
    values_of = (f"{a.name} {b.value:.3f}" for a, b in zip(part, orders, strict=True))
    tiles = views.Tiles(
        "race_lists",
        dataset.query(number).title,
        _models(part, best),
        orders[0],
        ROWS,
        f"{part[0].run.measures[0]} of this query: {', '.join(values_of)}.",
        others=orders[1:],
        heads=heads,
        on_click=lambda document, order: {
            _why.DOCUMENT.key: document,
            LIST.key: part[min(order, len(part) - 1)].number,
        },
    )
    numbers = [one.number for one in part]
    choice = values[LIST.key]
    shown = choice if choice in numbers else numbers[-1]
    model = runs[shown].run.algorithm, shown_race.models(best)[shown]
    reason = _why.blocks(values, *model, dataset, number)
    rows = [_plan.AXIS, shared.PART.beside().silent(), shared.QUERY.beside().silent()]
    chosen = {"query": number + 1, "run": f"{RACE}{shown + 1}"}
    if not best:
        chosen["at"] = chosen["beside_at"] = "last"
    if len(part) > 1:
        other = next(at for at in numbers if at != shown)
        chosen["beside"] = f"{RACE}{other + 1}"
    return [views.Ask(rows), tiles, inspect(values, **chosen), *reason]


def _models(runs: Sequence[Racing], best: bool) -> str:
    """Return the models of the shown runs, in order."""
    at = BEST if best else LAST
    iterations = [select(one.run, at).record.iteration for one in runs]
    kind = "best models" if best else "models so far"
    return f"{kind}: iteration {', '.join(map(str, iterations))}"


VIEW = views.View(
    "Race",
    "Up to four algorithms or settings learn from the same queries, step by step.",
    [
        shared.DATA,
        RACERS,
        PACE,
        *shared.EVALUATION,
        LIMIT,
        shared.SEED,
        shared.NORMALISE,
        shared.WITHOUT,
        _plan.BAND,
        _plan.AXIS,
        *shared.WHICH_QUERY,
        LIST,
        NAMES,
        _why.DOCUMENT,
    ],
    show,
    work=views.Work(
        _study,
        button=lambda values: f"Train {counted(len(values.racers), 'models')}",
        steps=_steps,
        frames=lambda values, study: show(values, study).blocks,
        promise="All runs take steps in turn; at the end, validation queries determine "
        "the leader.",
        refuses=lambda now: entries.untrainable(now.racers, datasets.of(now).train),
    ),
    presets={
        "Race of four": {"racers": RACERS.default},
        "Race by seconds": {"race_pace": "seconds", "train_axis": "seconds"},
        "Sparse models": {"racers": ("RSRank", "RSRank:g=10", "RSRank:g=50")},
        "Trees and linear": {"racers": ("LightGBM", "RankBoost", "RSRank", "ListNet")},
    },
    explain=lambda values: {
        **texts.tabs(__file__),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        "All algorithms": texts.all_algorithms(),
    },
)
