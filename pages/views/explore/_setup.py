"""The settings of a map, and the runs that they define."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

from pages.ui import shared, texts
from pages.ui.away import code
from pages.ui.data import datasets
from pages.ui.data.derived import with_derived
from pages.ui.serving import visitor
from rankcore import views
from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.cores import allowed_threads
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted, labelled, quoted
from rankcore.studies import Study
from rankcore.studies.results import ModelResults, Result
from rankcore.topics.explore import maps
from rankcore.topics.explore.maps import Axis, Map, MapPlan, found_map, mappable
from rankcore.topics.explore.model_study import same_plan

MOST_RUNS = 1200
# Hyperparameters that other settings determine for all models.
NOT_KEPT = ("max_iter", "random_state")
POOLED = "from rankcore.topics.compare.comparison_plan import pooled_folds\n"
NONE = "none"
# Key of the page's map studies.
PLACE = "explore/Map"
# A map over more axes is drawn with one line per model.
MOST_DRAWN = 2


def _titles(values: views.Values, *without: str) -> dict[str, str]:
    """Return the hyperparameters of an axis: name → title with symbol."""
    titles = _every_title(values.algorithm)
    return {name: title for name, title in titles.items() if name not in without}


@lru_cache(maxsize=64)
def _every_title(name: str) -> dict[str, str]:
    algorithm = get_algorithm(name)
    rows = hyperparameters(algorithm)
    return {name: Axis(rows[name], ()).label for name in mappable(algorithm)}


def _stops(values: views.Values, name: str, last: bool) -> dict[str, str]:
    """Return the ends that an axis can have; by default the hyperparameter's range."""
    return _ends_of(values.algorithm, name, last)


@lru_cache(maxsize=512)
def _ends_of(algorithm: str, name: str, last: bool) -> dict[str, str]:
    declared = hyperparameters(get_algorithm(algorithm)).get(name)
    if declared is None or declared.kind == "choice":
        return {}
    numbers = [stop for stop in declared.stops() if isinstance(stop, int | float)]
    names = {declared.short(stop): text for stop, text in labelled(numbers).items()}
    end = declared.short(declared.check(declared.high if last else declared.low))
    return {"" if name == end else name: words for name, words in names.items()}


def folds_setting(key: str, label: str) -> views.Choice:
    """Return the setting that measures models on validation data or on folds."""
    return views.Choice(
        key, "1", label,
        meaning="Training and validation queries are pooled and divided into folds. "
        "Each model is trained once per fold.",
        names={"1": "validation data", "3": "3 folds", "5": "5 folds"},
        group=views.MORE,
    )  # fmt: skip


def too_many_folds(values: views.Values, folds: int) -> str | None:
    """Return the reason why the data cannot be divided into so many folds."""
    queries = sum(
        part.n_queries for part in datasets.of(values)[:2] if part is not None
    )
    if folds <= queries:
        return None
    return f"{folds} folds need as many queries; there are {queries}."


def _ends(key: str, words: str) -> list[views.Setting]:
    """Return the settings of an axis's ends."""

    def end(suffix: str, last: bool) -> views.Setting:
        return views.Stops(
            f"{key}_{suffix}",
            "",
            f"{words}: {suffix}",
            names=lambda values: _stops(values, values[key], last),
            shown_when=lambda values: bool(_stops(values, values[key], last)),
            group=views.MORE,
        )

    return [end("from", False), end("to", True)]


ACROSS = views.Listed(
    "map_x",
    "",
    "Horizontal axis",
    meaning="A hyperparameter of the algorithm, over its whole range unless *More "
    "settings* narrows it.",
    names=_titles,
)
UP = views.Listed(
    "map_y",
    "",
    "Vertical axis",
    meaning="A second hyperparameter. Without one, the map is a curve.",
    names=lambda values: {
        **_titles(values, values[ACROSS.key]),
        NONE: "None: a curve over one axis",
    },
)
THIRD = views.Listed(
    "map_z",
    NONE,
    "Third axis",
    meaning="With it, the models are lines over parallel axes.",
    names=lambda values: {
        NONE: "None",
        **_titles(values, values[ACROSS.key], values[UP.key]),
    },
    shown_when=lambda values: values[UP.key] != NONE,
    group=views.MORE,
)
COUNT = views.Number(
    "map_values",
    9,
    "Values on each axis",
    meaning="Equidistant on the scale of the hyperparameter.",
    stops=(5, 9, 16, 17, 33),
    low=5,
    high=33,
    whole=True,
    group=views.MORE,
)
LIMIT = views.Number(
    "map_iterations", 100, "Iterations of each model", low=1, high=2000, whole=True,
    box=True, group=views.MORE,
)  # fmt: skip
SEEDS = views.Number(
    "map_seeds", 1, "Seeds per cell",
    meaning="A cell shows their mean. The first is the *Seed* below.",
    low=1, high=10, whole=True, box=True, group=views.MORE,
)  # fmt: skip
FOLDS = folds_setting("map_folds", "Cells are measured by")


def _place(text: str) -> tuple[int, ...]:
    """Return the position of the cell that a text names; empty if it names none."""
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        return ()


def _no_cell(text: str, values: views.Values) -> str | None:
    """Return the error for a text that names no cell of the map."""
    try:
        sizes = [len(axis.values) for axis in axes(values)]
    except ValueError:
        return None
    if _place(text) in product(*map(range, sizes)):
        return None
    last = ",".join(str(size - 1) for size in sizes)
    first = ",".join("0" for _ in sizes)
    return f"the map has cells from {first} to {last}, and no cell {quoted(text)}"


# The choices depend on the trained models.
CELL = views.Text(
    "map_cell", "", "Selected cell",
    fault=_no_cell, studied=False, inline=True,
)  # fmt: skip
QUERY = views.Listed(
    "map_query", "", "Query", bare=True, names=lambda values: {}, inline=True,
    studied=False,
)  # fmt: skip
AXES = (ACROSS, UP, THIRD)
FIRST = (shared.DATA, shared.ALGORITHM, ACROSS, UP)
ROWS = (
    THIRD,
    COUNT,
    *_ends(ACROSS.key, "Horizontal axis"),
    *_ends(UP.key, "Vertical axis"),
    LIMIT,
    SEEDS,
    FOLDS,
)


def chosen_algorithm(raw: Mapping[str, Any]) -> str:
    """Return the name of the algorithm that raw values select."""
    name = shared.ALGORITHM.fitted(raw.get(shared.ALGORITHM.key), views.Values(raw))
    return name if name in shared.ALGORITHM.labels(views.Values({})) else "RSRank"


def kept_settings(algorithm: str, *explored: str) -> list[views.Setting]:
    """Return the settings that all models of an algorithm share: hyperparameters,
    normalisation, measurement and seed."""
    cls = get_algorithm(algorithm)
    left_out = {*NOT_KEPT, *explored}
    names = [name for name in hyperparameters(cls) if name not in left_out]
    rows = views.declared(cls, *names, group="Hyperparameters") if names else []
    rows = with_derived(rows, lambda values: cls(**values.of(cls)))
    measured = [replace(row, group=shared.RULES) for row in shared.EVALUATION]
    return [*rows, shared.NORMALISE, *measured, shared.SEED]


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings of a map and the algorithm's settings without an axis."""
    name = chosen_algorithm(raw)
    fitted = {shared.ALGORITHM.key: name}
    for row in AXES:
        value = raw.get(row.key, row.default)
        fitted[row.key] = row.fitted(value, views.Values(fitted))
    rows = kept_settings(name, *(fitted[row.key] for row in AXES))
    return [*FIRST, *ROWS, *rows, CELL, QUERY, shared.WEIGHED]


def learner(values: views.Values) -> Ranker:
    """Return the algorithm with the selected hyperparameters."""
    algorithm = get_algorithm(values.algorithm)
    return algorithm(**(values.of(algorithm) | {"random_state": values.seed}))


def axes(values: views.Values) -> tuple[Axis, ...]:
    """Return the selected axes; raises ValueError if a range is empty."""
    rows = hyperparameters(get_algorithm(values.algorithm))
    mapped = []
    for row in AXES:
        if row.matters(values) and (declared := rows.get(values[row.key])) is not None:
            ends = [values.get(f"{row.key}_{end}", "") for end in ("from", "to")]
            low, high = (float(end) if end else None for end in ends)
            mapped.append(maps.axis(declared, values[COUNT.key], low, high))
    return tuple(mapped)


def plan(values: views.Values) -> MapPlan:
    """Return the runs that the settings define."""
    return MapPlan(
        learner(values),
        axes(values),
        datasets.of(values),
        tuple(range(values.seed, values.seed + values.map_seeds)),
        values.measure,
        shared.rules(values),
        values.map_iterations,
        int(values.map_folds),
    )


def runs(values: views.Values) -> int:
    """Return the number of runs without reading the data."""
    try:
        counts = [len(axis.values) for axis in axes(values)]
    except ValueError:
        return 0
    return prod(counts) * int(values.map_seeds) * int(values.map_folds)


def refusal(values: views.Values) -> str | None:
    """Return the reason why the map cannot be computed."""
    try:
        chosen = axes(values)
    except ValueError as error:
        return str(error)
    if not chosen:
        return f"{learner(values).title} has no hyperparameter for a map."
    if runs(values) > MOST_RUNS:
        return (
            f"These are {runs(values):,} models; choose fewer values, seeds or folds: "
            f"at most {MOST_RUNS:,} models."
        )
    if (reason := too_many_folds(values, int(values.map_folds))) is not None:
        return reason
    return learner(values).unsupported_reason(datasets.of(values).train)


def flat(plan: MapPlan) -> bool:
    """Return whether a map is drawn in the plane; otherwise each model is a line."""
    return len(plan.axes) <= MOST_DRAWN


def map_of(study: Study | None) -> Map | None:
    """Return the map of a study's completed runs; None without any."""
    if study is None or not study.done:
        return None
    return _map(study, study.done)


@lru_cache(maxsize=8)
def _map(study: Study, done: int) -> Map:
    return found_map(study.subject, study.found[:done])


def selected(values: views.Values, heat_map: Map) -> ModelResults:
    """Return the selected cell, by default the best."""
    at = _place(values[CELL.key])
    first = heat_map.best or heat_map.cells[0]
    return heat_map.cells[heat_map.places[at]] if at in heat_map.places else first


def python(values: views.Values, wanted: MapPlan) -> str:
    """Return Python that trains the models of a plan."""
    over = {axis.name: list(axis.values) for axis in wanted.axes}
    best = f"{wanted.split} {wanted.measure}"
    valid = "None" if wanted.splits.valid is None else "splits.valid"
    data, more = f"splits.train, {valid}", ""
    if wanted.folds > 1:
        data, more = f"pooled_folds(splits, {wanted.folds}), None", POOLED
    return f"""from rankcore import {type(wanted.ranker).__name__}, load_dataset
{more}from rankcore.measures import Rules
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop

splits = {code.data(values)}
found = sweep(
    {code.ranker(wanted.ranker)},
    {data},
    {over!r},
    seeds={wanted.seeds!r},
    measures={(wanted.measure,)!r},
    rules={code.rules(wanted.rules)},
    stop=Stop(max_iterations={wanted.max_iterations}),
    measured_every={wanted.measured_every},
)
for row in found:
    print(row.cell.settings, row.to_row()[{best!r}], row.nonzeros)
"""


def explain(values: views.Values, module: str = __file__) -> dict[str, str]:
    """Return the tabs of the *Explain* panel, first those of a module."""
    algorithm = get_algorithm(values.algorithm)
    return {
        **texts.tabs(module),
        "What it optimises": texts.algorithm(algorithm, values.of(algorithm)),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        "Background": texts.background(algorithm),
    }


def training(
    place: str,
    plan: Callable[[views.Values], Any],
    button: Callable[[views.Values], str],
    promise: str,
    rows: Callable[[Any], Sequence[Result]] = lambda result: [result],
    **details: Any,
) -> views.Work:
    """Return the work that trains the models of a plan and continues a stopped study of
    a place (see `rankcore.views.Values.work`).

    ``rows`` returns the runs of a finding; other details are as in
    `rankcore.views.Work`.
    """

    def stopped(values: views.Values) -> Study | None:
        before = values.work(place)
        if before is None or not before.ended or before.done >= before.total:
            return None
        try:
            return before if same_plan(before.subject, plan(values)) else None
        except ValueError:
            return None

    def study(values: views.Values) -> Study:
        before = stopped(values)
        batches = [] if before is None else before.found
        result: Study = plan(values).study(
            processes=allowed_threads(),
            store=views.past.sweeps(visitor.current()),
            sweep_rows=[row for one in batches for row in rows(one)],
        )
        return result

    def labelled(values: views.Values) -> str:
        before = stopped(values)
        if before is None:
            return button(values)
        return f"Go on with {counted(before.total - before.done, 'models')}"

    name = place.rpartition("/")[2]
    return views.Work(study, labelled, promise, name, keeps_settings=True, **details)


WORK = training(
    PLACE,
    plan,
    lambda values: f"Train {counted(runs(values), 'models')}",
    "Coarse to fine: the first models already show the whole range.",
    shared=True,
    finding=Result,
)
