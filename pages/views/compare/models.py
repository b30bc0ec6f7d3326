"""Models side by side: features, agreement of rankings, accuracy against cost."""

from functools import lru_cache

import numpy as np

from pages.ui import shared
from pages.views.compare import _run_set, _setup
from rankcore.data.dataset import RankingDataset
from rankcore.studies import Study
from rankcore.topics.compare.agreement import CUTOFF, PERSISTENCE, Agreement, agreement
from rankcore.topics.compare.comparison import Comparison
from rankcore.topics.compare.models_figure import (
    COSTS,
    MOST_FEATURES,
    agreement_figure,
    cost_figure,
    weights_figure,
)
from rankcore.topics.train.coefficients import IMPORTANCE, TITLE
from rankcore.views import Ask, Block, Caption, Panel, Row, Shown, Values, View

MOST_MODELS = 10
TITLES = {
    "tau": "Kendall τ",
    "biased": "Rank-biased overlap",
    "overlap": f"Overlap of the first {CUTOFF}",
}


def show(values: Values, study: Study | None) -> Shown:
    """Return features and agreement, and each model's measure against its cost."""
    run_set, notices = _run_set.of(values, study)
    if run_set is None:
        return _run_set.shown(None, notices)
    every, _ = _run_set.of(values | {_setup.SHOWN.key: _setup.EVERY}, study)
    cost: list[Block] = [] if every is None else [_cost(every), Ask([_setup.COST])]
    dataset = run_set.dataset
    if not any(one.has_model for one in run_set.shown.contenders):
        cost = [Caption("For files, only rankings are compared, not features or cost.")]
        agreed = [] if dataset is None else _agreement(run_set, dataset)
        return _run_set.shown(run_set, notices, [*agreed, *cost])
    if dataset is None or run_set.splits is None:
        why = "The data of these runs is missing, so models cannot be inspected."
        return _run_set.shown(run_set, [Caption(why), *notices], cost)
    ask = Ask([_setup.SHOWN, shared.WEIGHED])
    left: list[Block] = [_weights(run_set, run_set.splits.train), ask]
    row = Row([left, _agreement(run_set, dataset)], widths=(13, 8))
    return _run_set.shown(run_set, notices, [row, *cost])


def _cost(every: _run_set.RunSet) -> Panel:
    shown, over = every.shown, every.values.compared_cost
    equal = "; points of equal cost are spread by up to ½" * (over == "features")
    return Panel(
        "compared_cost_figure",
        f"{shown.measure} against {COSTS[over]}",
        f"95% interval over {every.queries}{equal}",
        cost_figure(shown, over, every.values.palette),
    )


def _weights(study: _run_set.RunSet, train: RankingDataset) -> Panel:
    trained = [one for one in study.shown.contenders if one.has_model]
    models, by = trained[:MOST_MODELS], study.values.weighed_by
    weights = {one.name: one.first.weights(train.n_features) for one in models}
    picture = weights_figure(models, weights, train, by, study.values.palette)
    count = min(MOST_FEATURES, train.n_features)
    note = f"{count} most important features, at the lowest seed; hollow: removed"
    title = TITLE if by == IMPORTANCE else "Coefficients"
    return Panel("compared_weights", f"{title} side by side", note, picture)


def _agreement(study: _run_set.RunSet, dataset: RankingDataset) -> list[Block]:
    models = study.shown.contenders[:MOST_MODELS]
    if len(models) < 2:
        return [Caption("Agreement requires two models.")]
    agreed = _agreed(study.shown, dataset)
    tables = {
        "tau": agreed.tau, "biased": agreed.overlap_biased, "overlap": agreed.overlap,
    }  # fmt: skip
    kind = study.values.compared_agreement
    picture = agreement_figure(
        tables[kind], [one.name for one in models], TITLES[kind], study.values.palette
    )
    over = f"{agreed.queries} {study.split} queries"
    over += f", {dataset.weighting}" if dataset.weighting else ""
    note = f"mean over {over}; 1: the same ranking"
    return [
        Panel("compared_agreement_figure", TITLES[kind], note, picture),
        Ask([_setup.AGREE]),
        Caption(f"Rank-biased overlap has the persistence {PERSISTENCE:g}."),
        _run_set.models((one.name, one.first) for one in models),
    ]


@lru_cache(maxsize=8)
def _agreed(shown: Comparison, dataset: RankingDataset) -> Agreement:
    place = {name: i for i, name in enumerate(dataset.query_ids)}
    queries = dataset.subset(np.array([place[q] for q in shown.ids if q in place]))
    models = [one.first for one in shown.contenders[:MOST_MODELS]]
    scores = [run.scores(queries) for run in models]
    return agreement(scores, queries.offsets, weights=queries.query_weights)


VIEW = View(
    "Models",
    "Which features the models use, how far their rankings agree, and what they cost.",
    _setup.settings,
    show,
    work=_setup.work,
    presets={
        "Accuracy and features": {_setup.COST.key: "features"},
        "Accuracy and seconds": {_setup.COST.key: "seconds"},
    },
    explain=_setup.explain,
)
