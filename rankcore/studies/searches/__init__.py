"""Searches: good hyperparameters by a grid, at random, by Optuna, by halving.

Models are chosen by validation data; test data is not looked at. What a search finds
does not depend on what executes it, nor on the order in which its models end.
"""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent import futures
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankcore import measures as _measures
from rankcore.algorithms import Ranker
from rankcore.base.errors import LostWorkerError
from rankcore.base.hyperparameters import hyperparameters, stored_settings
from rankcore.compute.calls import Calls
from rankcore.compute.executors import Executor
from rankcore.compute.offloading import calls_of
from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.studies.cells import train_cell
from rankcore.studies.results import Cell, ModelResults, Result, Trainings
from rankcore.studies.searches._optuna import parzen
from rankcore.studies.searches._proposals import (
    Method,
    Proposal,
    Wanted,
    combinations,
    every_combination,
    halving,
    random_values,
    rungs,
)
from rankcore.studies.searches.space import Dimension, Over, Range, space_of
from rankcore.studies.sweeps import model_of
from rankcore.training import Stop

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.studies.store import Store, SweepRecorder

__all__ = ["METHODS", "Dimension", "Range", "Search", "search"]

METHODS: Mapping[str, Method] = {
    "tpe": Method(parzen),
    "random": Method(random_values),
    "halving": Method(halving, lambda wanted: sum(rungs(wanted.models))),
    "grid": Method(every_combination, combinations),
}


class Search(Trainings[ModelResults]):
    """A search; iterating over it yields each model when it has been trained.

    Attributes
    ----------
    algorithm : str
    by : str
        The method.
    space : tuple of Dimension
    measure : str
        That chooses, with its split, such as ``"valid nDCG@10"``.
    total : int
        Models that are trained; the best ones of successive halving several times.
    candidates : list of ModelResults
        So far, in the order in which they ended.
    """

    def __init__(
        self,
        algorithm: str,
        by: str,
        wanted: Wanted,
        coming: Generator[ModelResults],
    ) -> None:
        super().__init__(algorithm, METHODS[by].total(wanted), coming)
        self.by = by
        self.space = wanted.space
        self.measure = wanted.measure
        self.candidates: list[ModelResults] = []

    def __next__(self) -> ModelResults:
        candidate = next(self._coming)
        self.candidates.append(candidate)
        return candidate

    @property
    def done(self) -> int:
        return len(self.candidates)

    @property
    def best(self) -> ModelResults | None:
        """The candidate of the highest value; of equals the one with most iterations,
        then the first. None if there is none."""
        return best_of(self.candidates)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of the candidates so far, a row each, by number."""
        import pandas as pd

        ordered = sorted(self.candidates, key=lambda one: one.number)
        return pd.DataFrame([one.to_row(self.measure) for one in ordered])


def best_of(candidates: Sequence[ModelResults]) -> ModelResults | None:
    """As `Search.best`."""
    able = [one for one in candidates if one.usable]
    return max(
        able, key=lambda one: (one.value, one.iterations, -one.number), default=None
    )


def search(
    algorithm: str | type[Ranker] | Ranker,
    train: RankingDataset | Mapping[str, Splits],
    valid: RankingDataset | None = None,
    over: Over | None = None,
    by: str = "tpe",
    models: int = 50,
    *,
    seed: int = 0,
    seeds: Sequence[int] = (0,),
    executor: Executor | futures.Executor | None = None,
    processes: int = 1,
    measures: Sequence[str] = ("nDCG@10",),
    rules: _measures.Rules = _measures.STANDARD,
    stop: Stop | None = None,
    measured_every: int = 1,
    generation: int = 8,
    prune: bool = False,
    max_seconds: float | None = None,
    study: str | Path | None = None,
    store: "Store | None" = None,
    title: str = "",
    rows: Sequence[Result] = (),
) -> Search:
    """Search for good hyperparameters of an algorithm.

    Parameters
    ----------
    algorithm : str, type or Ranker
        Its name, its class, or an instance with the values of the others.
    train : RankingDataset, or dict of str to Splits
        Training data, or folds by name; a model is then trained on each of them.
    valid : RankingDataset, optional
        Chooses the models, and the best iteration of each run; by default the training
        data does.
    over : dict of str to sequence, Range, distribution or None
        Hyperparameter → the only values it may have, a `Range`, a distribution of SciPy
        (``uniform``, ``loguniform``, ``randint``) or Optuna, or None for the whole
        range that it declares. By default those of the algorithm's `tuning_params`.
    by : {"tpe", "random", "halving", "grid"}
        Optuna's tree-structured Parzen estimator, random values, successive halving of
        random values, or all combinations of equidistant values, coarse to fine.
    models : int
        Proposed at most; of halving, those of its first rung.
    seed : int
        Of the proposals.
    seeds : sequence of int
        ``random_state`` of the runs of each model.
    executor, processes, rules, stop, measured_every
        As of `rankcore.studies.sweeps.sweep`.
    measures : sequence of str
        Names; the first one chooses.
    generation : int
        Models that the Parzen estimator proposes together. More of them can be trained
        at a time; fewer learn sooner from each other.
    prune : bool
        Whether the Parzen estimator ends a run early whose best value so far is below
        the median of complete ones at the same iteration, of earlier generations; with
        one fold and seed only.
    max_seconds : float, optional
        No model is begun later than that.
    study : str or Path, optional
        A file (Optuna's journal) that keeps the study of the Parzen estimator. A search
        that was left goes on from it, to the same result. Several processes can work
        on it; what they find then depends on which one is faster.
    store : rankcore.studies.store.Store, optional
        Keeps the search as one entry, from its first model on, and each run when its
        model has ended.
    title : str
        Of that entry; by default the algorithm's and what is searched.
    rows : sequence of Result
        Of the same search, which was ended early. Their models are proposed again and
        not trained again, so that the search goes on to the same result.

    Returns
    -------
    Search
        Closing it cancels the runs that have not begun.

    Raises
    ------
    ValueError
        For a method, a hyperparameter or a measure that does not exist, a value that is
        not permitted, an empty range, or options that do not go together.

    Examples
    --------
    >>> from rankcore import load_dataset
    >>> data = load_dataset("toy-2d")
    >>> found = search("RankSVM", data.train, over={"l2": None}, by="random", models=3)
    >>> [one.state for one in found]
    ['complete', 'complete', 'complete']
    """
    model = model_of(algorithm)
    if over is None:
        over = dict.fromkeys(model.tuning_params)
    folds = train if isinstance(train, Mapping) else {"": Splits(train, valid, None)}
    names = tuple(str(_measures.parse(name)) for name in measures)
    rules.checked()
    space = space_of(model, over)
    splits = {"train" if fold.valid is None else "valid" for fold in folds.values()}
    _check(by, models, generation, len(folds) * len(seeds), prune, study)
    if len(splits) != 1:
        raise ValueError("Give all folds validation data, or none of them.")
    limit = stop.max_iterations if stop and stop.max_iterations else None
    measure = f"{splits.pop()} {names[0]}"
    iterations = int(limit or getattr(model, "max_iter", 0) or 1)
    wanted = Wanted(
        space, models, iterations, seed, generation, prune, measure,
        None if study is None else Path(study),
        # It reads all data.
        {} if study is None
        else _identity(model, folds, space, seeds, measure, rules, iterations)
        | {"seed": seed, "generation": generation, "pruning": prune},
    )  # fmt: skip
    context = model, dict(folds), names, rules, stop, measured_every
    cells = [(fold, int(seed)) for fold in folds for seed in seeds]

    runs = METHODS[by].total(wanted) * len(cells)
    training = calls_of(train_cell, context, runs, executor, processes)

    def new_recorder() -> "SweepRecorder":
        from rankcore.studies.store import SweepRecorder

        assert store is not None
        return SweepRecorder(
            store, model, folds, [None] * runs,
            title=title or f"{model.title}, search over {', '.join(over)}",
            measures=names, rules=rules, stop=stop, measured_every=measured_every,
        )  # fmt: skip

    before = {row.cell: row for row in rows}
    coming = _candidates(METHODS[by], wanted, cells, training, max_seconds, before)
    if store is not None:
        coming = _record_each(new_recorder, coming)
    return Search(type(model).__name__, by, wanted, coming)


def _record_each(
    new_recorder: "Callable[[], SweepRecorder]", coming: Generator[ModelResults]
) -> Generator[ModelResults]:
    """Yield the models, the runs of each written before it is given."""
    recorder = None
    try:
        with closing(coming):
            for one in coming:
                recorder = recorder or new_recorder()
                for number, row in enumerate(one.rows, one.number * len(one.rows)):
                    cell = row.cell
                    if row.pruned:
                        cell = cell._replace(most=row.iterations)
                    recorder.put_result(number, row, cell)
                yield one
    finally:
        if recorder is not None:
            recorder.close()


def _check(
    by: str, models: int, generation: int, runs: int, prune: bool, study: Any
) -> None:
    if by not in METHODS:
        raise ValueError(f"Search by one of {', '.join(METHODS)}, not {by!r}.")
    if models < 1 or generation < 1 or runs < 1:
        raise ValueError("A search has at least one model, one fold and one seed.")
    if by != "tpe" and (prune or study is not None):
        word = "Pruning" if prune else "A file for the study"
        raise ValueError(f"{word} belongs to the method tpe, not to {by}.")
    if prune and runs > 1:
        raise ValueError("Pruning takes one fold and one seed, not several.")


def _identity(
    model: Ranker,
    folds: Mapping[str, Splits],
    space: Sequence[Dimension],
    seeds: Sequence[int],
    measure: str,
    rules: _measures.Rules,
    iterations: int,
) -> dict[str, Any]:
    """Return what a kept study must have in common with a search that goes on with
    it."""
    searched = {dimension.name for dimension in space}
    declared = hyperparameters(model)
    return {
        "algorithm": type(model).__name__,
        "hyperparameters": {
            name: value
            for name, value in stored_settings(model).items()
            if name not in searched
        },
        "space": {dimension.name: [*dimension.ends_or_values()] for dimension in space},
        # Scales of distributions; files of earlier versions have none.
        **{
            f"scale of {dimension.name}": dimension.declared.scale
            for dimension in space
            if dimension.declared.scale != declared[dimension.name].scale
        },
        "data": {
            name: [fold.train.fingerprint]
            + ([] if fold.valid is None else [fold.valid.fingerprint])
            for name, fold in folds.items()
        },
        "seeds": list(seeds),
        "measure": measure,
        "rules": list(rules),
        "iterations": iterations,
    }


def _candidates(
    method: Method,
    wanted: Wanted,
    cells: Sequence[tuple[str, int]],
    training: Calls[Result],
    max_seconds: float | None,
    earlier: Mapping[Cell, Result],
) -> Generator[ModelResults]:
    """Yield the models as they end, generation by generation."""
    ends = None if max_seconds is None else time.monotonic() + max_seconds
    number = 0
    with closing(method.propose(wanted)) as generations, training:
        proposals = next(generations)
        while proposals:
            reached: list[ModelResults] = []
            for candidate in _trained(
                proposals, number, wanted, cells, training, earlier
            ):
                reached.append(candidate)
                yield candidate
                if ends is not None and time.monotonic() > ends:
                    break
            if len(reached) < len(proposals):
                return
            reached.sort(key=lambda one: one.number)
            number += len(proposals)
            try:
                proposals = generations.send(reached)
            except StopIteration:
                return


def _trained(
    proposals: Sequence[Proposal],
    first: int,
    wanted: Wanted,
    cells: Sequence[tuple[str, int]],
    training: Calls[Result],
    earlier: Mapping[Cell, Result],
) -> Generator[ModelResults]:
    """Yield the models of a generation: those that are known, then the others in the
    order in which they end."""
    tasks, owners = [], []
    for number, one in enumerate(proposals):
        settings = tuple(one.settings.items())
        planned = [Cell(settings, fold, seed, one.most) for fold, seed in cells]
        before = one.rows or tuple(earlier[cell] for cell in planned if cell in earlier)
        if len(before) == len(planned):
            yield ModelResults((first + number,), before, wanted.measure)
            continue
        tasks += [(cell, one.bar) for cell in planned]
        owners += [number] * len(planned)
    rows: dict[int, dict[int, Result]] = {}

    def lost(number: int, error: LostWorkerError) -> Result:
        return Result(tasks[number][0], "failed", str(error))

    with closing(training.results(tasks, lost)) as coming:
        for task, row in coming:
            of_model = rows.setdefault(owners[task], {})
            of_model[task] = row
            if len(of_model) == len(cells):
                ordered = tuple(of_model[key] for key in sorted(of_model))
                number = owners[task]
                yield ModelResults((first + number,), ordered, wanted.measure)
