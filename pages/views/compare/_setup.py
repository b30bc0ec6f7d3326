"""The settings of a comparison, and the runs that they define."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages.ui import shared, texts
from pages.ui.away.origins import ORIGINS
from pages.ui.data import datasets, models, stored_runs
from pages.ui.serving import visitor
from rankcore import views
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import counted, quoted, shortlist
from rankcore.studies import Study
from rankcore.studies.results import Result
from rankcore.topics.compare.comparison_plan import (
    ComparisonPlan,
    Swept,
    pooled_folds,
    repeated,
    runs_of,
    spread_values,
)
from rankcore.topics.datasets.description import parts
from rankcore.topics.train import entries
from rankcore.training import Stop

BESIDE = ("nDCG@10", "AP", "RR")
MOST_RUNS = 500
BEST, EVERY = "best", "every"


ENTRANTS = shared.entrants(
    "compared",
    ("RSRank", "ApproxNDCG", "ListNet", "RankSVM"),
    12,
    "Type to search, or type a setting: `RSRank:g=30`.",
)
VALUES = views.Number(
    "compared_values", 3, "Values per algorithm",
    meaning="Values of each algorithm's main hyperparameter, such as g of RSRank; a "
    "single value is its default. Typed settings stay unchanged.",
    low=1, high=9, whole=True, box=True,
)  # fmt: skip
SEEDS = views.Number(
    "compared_seeds", 3, "Seeds per setting",
    meaning="A query’s value is its mean over the seeds: a seed is not a query.",
    low=1, high=20, whole=True, box=True,
)  # fmt: skip
FOLDS = views.Number(
    "compared_folds", 1, "Folds",
    meaning="1: the data’s own splits. More: training and validation queries are "
    "pooled, and each is a validation query once. Test data is not used.",
    low=1, high=10, whole=True, box=True, group=views.MORE,
)  # fmt: skip
LIMIT = views.Number(
    "compared_limit", 100, "Maximum iterations", low=1, high=1000, whole=True, box=True,
    group=views.MORE,
)  # fmt: skip


def _chosen(values: views.Values, runs: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the data and rules of the first stored run."""
    return {"runs": runs} | ({} if values.runs else stored_runs.terms(runs))


RUNS = replace(stored_runs.RUNS, writes=_chosen, group="Stored runs and rankings")
RANKED = replace(
    RUNS, key="ranked", writes=None, label="Rankings and models of files", most=8,
    meaning="Rankings uploaded on Data, and models uploaded in the Inspector.",
    names=lambda values: models.RANKINGS.names() | models.MODELS.names(),
    note=lambda values: "" if models.RANKINGS.names() or models.names()
    else "No files have been uploaded on Data or in the Inspector.",
)  # fmt: skip
RATERS = replace(
    RANKED, key="raters", label="Ratings of several raters", most=1,
    meaning="Each query then lists the queries on which raters disagree most, with the "
    "difference of two models.",
    names=lambda values: models.RATINGS.names(),
    note=lambda values: "" if models.RATINGS.names() else "Upload ratings on Data.",
)  # fmt: skip
# The choices depend on the trained models.
OPEN: dict[str, Any] = {"names": lambda values: {}, "inline": True, "studied": False}
LOOK: dict[str, Any] = {"inline": True, "bare": True, "studied": False}
SHOWN = views.Choice(
    "compared_as", BEST, "Models",
    names={BEST: "Best settings", EVERY: "Every setting"}, **LOOK,
)  # fmt: skip
SPREAD = views.Choice(
    "compared_spread", "band", "Spread",
    names={"band": "Band", "seeds": "All seeds"}, **LOOK,
)  # fmt: skip
OVER = views.Choice(
    "compared_over", "iteration", "Axis",
    names={"iteration": "Iterations", "seconds": "Seconds"}, **LOOK,
)  # fmt: skip
COST = views.Choice(
    "compared_cost", "features", "Cost",
    names={"features": "Features kept", "seconds": "Seconds"}, **LOOK,
)  # fmt: skip
AGREE = views.Choice(
    "compared_agreement", "tau", "Agreement",
    names={"tau": "Kendall τ", "biased": "Rank-biased overlap", "overlap": "Top 10"},
    **LOOK,
)  # fmt: skip
BASELINE = views.Listed("baseline", "", "Compare", **OPEN)
FIRST = views.Listed("compared_first", "", "Model", **OPEN)
SECOND = views.Listed("compared_second", "", "against", **OPEN)
SLICED = views.Listed("sliced_by", "list length", "Slices by", **OPEN)
TOLERANCE = views.Number(
    "tie_within", 0.01, "Tied within",
    meaning="A query counts as tied if the two values differ by at most this.",
    low=0.0, high=1.0, step=0.005, box=True, inline=True, studied=False,
)  # fmt: skip


def _no_query(text: str, values: views.Values) -> str | None:
    """Return the error for a text that names no query of the data."""
    if (splits := datasets.readable(values)) is None:
        return None
    is_there = any(text in split.query_ids for split in parts(splits).values())
    return None if is_there else f"{values.data} has no query {quoted(text)}"


QUERY = views.Text(
    "compared_query", "", "Query", fault=_no_query, inline=True, studied=False
)
LIST = views.Number(
    "compared_list", 1, "List", low=0, high=1, whole=True, inline=True, studied=False
)
DOCUMENT = shared.EXPLAINED
TESTED = views.Choice(
    "compared_on", "valid", "Queries",
    names={"valid": "Validation", "test": "Test"}, **LOOK,
)  # fmt: skip


def _read_looks(text: str) -> dict[str, int] | None:
    # Links of earlier versions have a single number for all data.
    pairs = [("", text)] if text.isdecimal() else parse_qsl(text)
    sound = all(count.isdecimal() and len(count) < 4 for _, count in pairs)
    return {name: int(count) for name, count in pairs} if pairs and sound else None


# Views of the test queries of each data set; kept in the link.
LOOKS = views.Text(
    "test_looks", "", "Views of the test queries", read=_read_looks,
    rule="Write each data set with its number of views, such as planted=1.",
    inline=True, studied=False, lasting=True,
)  # fmt: skip
_SETTINGS: list[views.Setting] = [
    shared.DATA, ENTRANTS, VALUES, SEEDS,
    *(replace(row, group=shared.RULES) for row in shared.EVALUATION),
    FOLDS, LIMIT, shared.NORMALISE, RUNS, RANKED, RATERS,
    SHOWN, SPREAD, OVER, COST, AGREE, BASELINE, FIRST, SECOND, SLICED, TOLERANCE,
    QUERY, LIST, DOCUMENT, TESTED, LOOKS, ORIGINS, shared.WEIGHED,
]  # fmt: skip


def looks(values: views.Values, data: str) -> int:
    """Return the number of times that the test queries of a data set were viewed."""
    counted = _read_looks(values.test_looks) or {}
    return counted.get(data, counted.get("", 0))


def with_look(values: views.Values, data: str) -> str:
    """Return the value of `LOOKS` after one more view."""
    counted = _read_looks(values.test_looks) or {}
    return urlencode(counted | {data: looks(values, data) + 1})


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return the settings; by default, all chosen runs are shown."""
    if not raw.get(RUNS.key):
        return _SETTINGS
    return [replace(r, default=EVERY) if r is SHOWN else r for r in _SETTINGS]


def measures(values: views.Values) -> tuple[str, ...]:
    """Return the chosen measure, which selects iterations, and further measures."""
    return tuple(dict.fromkeys([values.measure, *BESIDE]))


def plan(values: views.Values) -> ComparisonPlan:
    """Return the runs that the settings define."""
    splits, count = datasets.of(values), values.compared_folds
    folds = {"": splits} if count == 1 else pooled_folds(splits, count)
    return ComparisonPlan(
        values.data,
        folds,
        _every_swept(values),
        tuple(range(values.compared_seeds)),
        measures(values),
        shared.rules(values),
        Stop(max_iterations=values.compared_limit),
    )


def _swept(text: str, count: int) -> Swept:
    entry = entries.read_entry(text)
    main = entries.main_hyperparameter(entry.algorithm)
    if entry.settings or main is None:
        return Swept(entry.ranker(), {})
    row = hyperparameters(entry.algorithm)[main]
    return Swept(entry.ranker(), {main: spread_values(row, count)})


def _study(values: views.Values) -> Study:
    store = views.past.sweeps(visitor.current(), uuid.uuid4().hex)
    return plan(values).study(store=store)


def _count(values: views.Values) -> int:
    """Return the number of runs that the settings define, without reading the data."""
    runs = runs_of(_every_swept(values))
    return runs * values.compared_seeds * values.compared_folds


def _every_swept(values: views.Values) -> tuple[Swept, ...]:
    return tuple(_swept(text, values.compared_values) for text in values.compared)


def _refusal(values: views.Values) -> str | None:
    splits, count = datasets.of(values), _count(values)
    queries = sum(part.n_queries for part in splits[:2] if part is not None)
    if (reason := entries.untrainable(values.compared, splits.train)) is not None:
        return reason
    if values.compared_folds > queries:
        return (
            f"{values.compared_folds} folds need as many queries; there are {queries}."
        )
    if twice := repeated(_every_swept(values)):
        return (
            f"{shortlist(twice)} is selected twice and would count as additional "
            f"seeds; remove one of the two."
        )
    if count > MOST_RUNS:
        return (
            f"These are {count} runs, and a comparison takes at most {MOST_RUNS}: "
            "choose fewer algorithms, values, seeds or folds."
        )
    return None


TRAIN = views.Work(
    _study,
    lambda values: f"Train {counted(_count(values), 'models')}",
    lambda values: (
        "Trains each algorithm with each value and seed, and compares them on "
        "validation queries."
    ),
    name="Runs",
    refuses=_refusal,
    keeps_settings=True,
    shared=True,
    only=tuple(row.key for row in (ENTRANTS, VALUES, SEEDS, FOLDS, LIMIT)),
    finding=Result,
)

# If stored runs are chosen, they are shown instead of the example.
STORED = replace(TRAIN, optional=True)


def work(values: views.Values) -> views.Work:
    """Return the study that trains the runs that the settings define."""
    return STORED if values.runs or values.ranked else TRAIN


def explain(values: views.Values) -> dict[str, str]:
    """Return the tabs of the *Explain* panel."""
    return {
        **texts.tabs(__file__),
        "The measure": texts.measure(values.measure, values.convention, values.empty),
        "All algorithms": texts.all_algorithms(),
    }
