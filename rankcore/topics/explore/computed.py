"""The models to choose from: results of maps, searches and other studies, and the
stored runs and sweeps.

A model is included if it was measured on the same terms (see
`rankcore.topics.compare.comparable`) and can be reproduced. Every other model is listed
with the reason for its exclusion.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankcore.algorithms import Ranker, get_algorithm
from rankcore.base.numbers import RANKS_NOTHING
from rankcore.data.dataset import RankingDataset, set_name
from rankcore.data.samples import KINDS, Sample
from rankcore.measures import Rules
from rankcore.studies import Study
from rankcore.studies.results import Cell, Result, SharedTerms
from rankcore.topics.compare.comparable import difference
from rankcore.topics.compare.trained import Content, content_of
from rankcore.topics.explore.maps import Map, MapPlan, found_map
from rankcore.topics.explore.model_study import ModelPlan
from rankcore.topics.explore.search import SearchPlan, SearchProgress, found_search
from rankcore.topics.explore.sensitivity import (
    Sensitivity,
    SensitivityPlan,
    found_sensitivity,
)
from rankcore.topics.explore.trade_offs import Batch, CandidateModel
from rankcore.training import DIVERGED, Stop

if TYPE_CHECKING:
    from rankcore.studies.store import Store, StoredRun, StoredSweep

# Origin of models → its wording after their number.
ORIGINS: Mapping[str, str] = {
    "map": "of the last map",
    "search": "of the last search",
    "sensitivity": "of the last sensitivity study",
    "stored study": "of stored studies",
    "stored run": "of stored runs",
}
# Origins whose models do not change during exploration.
LASTING = ("stored study", "stored run")
# Limits on what is read from the store, newest first: runs, sweep cells and sweeps.
MOST_RUNS = 500
MOST_CELLS = 4000
MOST_SWEEPS = 200

FAILED = "could not be trained"
DIVERGES = "training diverged"
ENDED_EARLY = "pruned by the search"
UNKNOWN = "the data has not been read completely"
UNFINISHED = "not trained on every fold"
EMPTY = RANKS_NOTHING
OLDER = "older than the newest entries that are read"
PATH = "part of a path, where a model may start from the previous one"
NOT_HERE = "its algorithm is not installed"
STATUSES: Mapping[str, str] = {
    "running": "still in training",
    "interrupted": "interrupted",
}
LACKS: Mapping[str, str] = {
    "failed": FAILED,
    "diverged": DIVERGES,
    "pruned": ENDED_EARLY,
}


class Computed(NamedTuple):
    """The models to choose from, and the numbers of excluded models.

    Attributes
    ----------
    taken : dict of str to int
        Origin → number of models to choose from.
    left_out : dict of (str, str) to int
        (Origin, reason) → number of excluded models.
    """

    models: list[CandidateModel]
    taken: Mapping[str, int]
    left_out: Mapping[tuple[str, str], int]

    @property
    def sentence(self) -> str:
        """Sentence with the origins of the models and the number excluded."""
        counts = [f"{count} {ORIGINS[origin]}" for origin, count in self.taken.items()]
        count = len(self.models)
        excluded = sum(self.left_out.values())
        total = count + excluded
        models = "model" if total == 1 else "models"
        of = f"{count} of {total}" if excluded else f"{count}"
        rest = f"; {excluded} excluded (see below)" if excluded else ""
        return f"{of} {models} compared: {', '.join(counts)}{rest}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per reason for exclusion, the most frequent first."""
        counts = sorted(self.left_out.items(), key=lambda pair: -pair[1])
        return [
            {"models": count, "found by": origin, "reason for exclusion": reason}
            for (origin, reason), count in counts
        ]


def gathered(terms: ModelPlan, batches: Iterable[Batch]) -> Computed:
    """Return the models of all batches that were measured on the given terms.

    Of equal models, such as those of a map that is also in the store, only the first is
    included.
    """
    models: dict[Any, CandidateModel] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    for batch in batches:
        if batch.unread:
            left_out[batch.origin, OLDER] += batch.unread
        lasting = batch.origin in LASTING
        for outcome in _models(batch, terms) if lasting else _each(batch, terms):
            if isinstance(outcome, CandidateModel):
                models.setdefault(outcome.identity, outcome)
            else:
                left_out[batch.origin, outcome] += 1
    candidates = list(models.values())
    return Computed(
        candidates, Counter(one.batch.origin for one in candidates), left_out
    )


def of_map(heat_map: Map) -> Batch:
    """Return the completed runs of a map."""
    cells = {",".join(map(str, cell.at)): cell.rows for cell in heat_map.cells}
    return _planned("map", heat_map.plan, cells)


def of_search(progress: SearchProgress) -> Batch:
    """Return the completed runs of a search."""
    models = {f"search {one.number + 1}": one.rows for one in progress.candidates}
    return _planned("search", progress.plan, models)


def of_sensitivity(study: Sensitivity) -> Batch:
    """Return the completed runs of a sensitivity study."""
    runs = {
        f"sensitivity {level:g} {repeat + 1}": (one,)
        for one in (*study.results, *study.failed)
        for level, repeat in [study.plan.places[one.cell]]
    }
    return _planned("sensitivity", study.plan, runs)


def of_study(study: Study, done: int) -> list[Batch]:
    """Return the first ``done`` findings of a map, a search or a sensitivity study;
    empty for any other study."""
    plan, results = study.subject, study.found[:done]
    if isinstance(plan, MapPlan):
        return [of_map(found_map(plan, results))]
    if isinstance(plan, SearchPlan):
        return [of_search(found_search(plan, results))]
    if isinstance(plan, SensitivityPlan):
        return [of_sensitivity(found_sensitivity(plan, results))]
    return []


def _planned(
    origin: str, plan: ModelPlan, models: Mapping[str, Iterable[Result]]
) -> Batch:
    folds = {
        name: SharedTerms(
            data=set_name(splits.train.name),
            normalisation=splits.train.normalisation,
            content=content_of(splits),
        )
        for name, splits in plan.data.items()
    }
    return Batch(
        origin, plan.ranker, folds, (plan.measure,), plan.rules, plan.stop,
        plan.measured_every,
        tuple((key, run) for key, runs in models.items() for run in runs),
        division=_division(len(folds)),
    )  # fmt: skip


def stored(store: "Store", visitor: str) -> tuple[Batch, ...]:
    """Return the newest sweeps and runs of a visitor and the common ones; the same
    tuple until the store changes."""
    from rankcore.studies.store import Query

    table = store.sweeps(visitor=visitor)
    fits = (table["ended"].cumsum() <= MOST_CELLS) & (
        np.arange(len(table)) < MOST_SWEEPS
    )
    sweeps = zip(
        table.index[fits], table["ended"][fits], table["read"][fits], strict=True
    )
    runs = store.newest(MOST_RUNS, visitor=visitor)
    total = store.search(Query(visitor=visitor), 1).total
    stamp = tuple((run.id, run.updated, run.status) for run in runs)
    unread = int(table["ended"][~fits].sum()), total - len(runs)
    return _stored(store, tuple(sweeps), _Newest(stamp, runs), *unread)


@dataclass(frozen=True)
class _Newest:
    """Stored runs, identified by their states."""

    stamp: tuple[Any, ...]
    runs: "Sequence[StoredRun]" = field(compare=False)


@lru_cache(maxsize=16)
def _stored(
    store: "Store",
    sweeps: tuple[tuple[str, int, bool], ...],
    newest: _Newest,
    cells: int,
    others: int,
) -> tuple[Batch, ...]:
    """Return these sweeps and runs, and batches that count the unread older ones."""
    batches = [_sweep(store, *state) for state in sweeps]
    older = [_older("stored study", cells), _older("stored run", others)]
    runs = [_run(run) for run in newest.runs]
    return *(one for one in batches if one is not None), *runs, *older


def _older(origin: str, count: int) -> Batch:
    """Batch that stands for ``count`` unread runs."""
    return Batch(origin, None, {}, (), Rules(), None, 1, (), unread=count)


@lru_cache(maxsize=MOST_SWEEPS)
def _sweep(store: "Store", key: str, ended: int, read: bool) -> Batch | None:
    """Return a sweep with ``ended`` completed runs; None if it has been removed."""
    try:
        return of_sweep(store.load_sweep(key))
    except KeyError:
        return None


def of_sweep(sweep: "StoredSweep") -> Batch:
    """Return the completed runs of a stored sweep, path, search or other study."""
    runs = {f"{sweep.id}.{number}": run for number, run in sweep.results().items()}
    folds = {
        name: SharedTerms(
            data=set_name(fold["data"]),
            normalisation=fold["normalisation"],
            content=(fold["fingerprint"] or None, fold["valid_fingerprint"]),
        )
        for name, fold in sweep.folds.items()
    }
    division = _division(len(folds)) if sweep.pooled else ""
    return Batch(
        "stored study", _ranker(sweep.algorithm, sweep.hyperparameters), folds,
        tuple(sweep.measures), Rules(sweep.convention, sweep.empty),
        Stop(**sweep.stop) if sweep.stop else None, sweep.measured_every,
        tuple(runs.items()),
        "" if sweep.warm is None else PATH, division,
    )  # fmt: skip


def _run(run: "StoredRun") -> Batch:
    """Return a stored run."""
    data = SharedTerms(
        data=run.data_set,
        normalisation=run.normalisation,
        content=(run.fingerprint or None, run.valid_fingerprint),
    )
    ended = {
        "failed": run.status == "failed",
        "diverged": run.reason.startswith(DIVERGED),
        "reason": run.reason,
        "iterations": run.iterations,
        "seconds": run.seconds,
    }
    result = Result.of_row(Cell((), "", run.seed or 0), {**run.best, **ended})
    division = run.division
    return Batch(
        "stored run", _ranker(run.algorithm, run.hyperparameters), {"": data},
        run.measures, Rules(run.convention, run.empty),
        Stop(run.max_iterations, run.max_seconds), 1,
        ((run.id, result),), STATUSES.get(run.status, ""),
        division="" if division is None else division.words, stored=run.model,
    )  # fmt: skip


def _ranker(algorithm: str, settings: Mapping[str, Any]) -> Ranker | None:
    try:
        return get_algorithm(algorithm)(**settings)
    except (TypeError, ValueError):
        return None


def _division(folds: int) -> str:
    return f"into {folds} folds" if folds > 1 else ""


def _lack(result: Result) -> str:
    """Reason why a run yields no model; empty if it yields one."""
    if result.ranks or result.failed or result.diverged:
        return LACKS.get(result.status, "")
    return EMPTY


@lru_cache(maxsize=2 * (MOST_RUNS + MOST_SWEEPS))
def _models(batch: Batch, terms: ModelPlan) -> list[CandidateModel | str]:
    return list(_each(batch, terms))


def _each(batch: Batch, terms: ModelPlan) -> Iterator[CandidateModel | str]:
    """Yield each model of a batch, or the reason for its exclusion."""
    groups: dict[Any, list[tuple[str, Result]]] = defaultdict(list)
    for key, one in batch.runs:
        sample = _sample(one.cell.sample, terms.splits.train)
        groups[one.cell.settings, one.cell.most, sample].append((key, one))
    differs = _differs(batch, terms) if groups else ""
    for (_, _, sample), runs in groups.items():
        if differs or batch.lack:
            yield differs or batch.lack
        elif sample is not None:
            yield f"trained on {KINDS[sample.kind].words}"
        else:
            yield _model(batch, runs, terms)


def _sample(sample: Sample | None, train: RankingDataset) -> Sample | None:
    """Return the change of the training data; None if the data is unchanged."""
    return sample if sample is not None and sample.changes(train) else None


def _differs(batch: Batch, terms: ModelPlan) -> str:
    """Reason why no run of a batch has these terms; empty if some may."""
    if batch.ranker is None:
        return NOT_HERE
    if any(fold.content[0] is None for fold in batch.folds.values()):
        return UNKNOWN
    contents = {fold.content for fold in batch.folds.values()}
    same = terms.contents <= contents
    train, first = terms.splits.train, next(iter(batch.folds.values()))
    wanted = SharedTerms(
        data=set_name(train.name),
        normalisation=train.normalisation,
        division=_division(terms.folds),
        content=(terms.contents,),
        split=terms.split,
        rules=terms.rules,
    )
    comparable = replace(
        first,
        division=batch.division,
        content=(terms.contents if same else contents,),
        split="train" if first.content[1] is None else "valid",
        rules=batch.rules,
    )
    return difference(comparable, wanted, batch.measures, terms.measure)


def _model(
    batch: Batch, keyed: Sequence[tuple[str, Result]], terms: ModelPlan
) -> CandidateModel | str:
    """Return the model of runs that differ only in seed and fold, or the reason for its
    exclusion."""
    assert batch.ranker is not None
    seeds: dict[int, dict[Content, Result]] = defaultdict(dict)
    for _, one in keyed:
        content = batch.folds[one.cell.fold].content
        if content in terms.contents:
            seeds[one.cell.seed][content] = one
    whole = {
        s: by_content
        for s, by_content in seeds.items()
        if by_content.keys() == terms.contents
    }
    runs = [one for cells in whole.values() for one in cells.values()]
    if not runs:
        return UNFINISHED
    key = next(key for key, one in keyed if one is runs[0])
    model = CandidateModel((), tuple(runs), terms.column, key, batch, terms)
    lacks = [lack for one in runs if (lack := _lack(one))]
    if lacks or not np.isfinite(model.value):
        return lacks[0] if lacks else FAILED
    return EMPTY if model.nonzeros < 1.0 else model
