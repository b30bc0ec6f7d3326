"""Searches for hyperparameters by grid, random values, Optuna, or successive halving.

Models are chosen by validation data; test data is not used. Results do not depend on
the executor, nor on the order in which models end.
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
    """A search; iterating over it yields each trained model.

    Attributes
    ----------
    algorithm : str
    by : str
        Name of the method.
    space : tuple of Dimension
    measure : str
        Measure for choosing, with its split, such as ``"valid nDCG@10"``.
    total : int
        Number of trainings; successive halving trains the best models several times.
    candidates : list of ModelResults
        Models so far, in the order in which they ended.
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
        """The candidate with the highest value; ties go to the most iterations, then
        the first. None if there is none."""
        return best_of(self.candidates)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of the candidates so far, one row each, by number."""
        import pandas as pd

        ordered = sorted(self.candidates, key=lambda one: one.number)
        return pd.DataFrame([one.to_row(self.measure) for one in ordered])


def best_of(candidates: Sequence[ModelResults]) -> ModelResults | None:
    """Return the best candidate as `Search.best`."""
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
        Name, class, or an instance with the other hyperparameters.
    train : RankingDataset, or dict of str to Splits
        Training data, or folds by name; a model is then trained on each fold.
    valid : RankingDataset, optional
        Data for choosing models and the best iteration of each run; by default the
        training data.
    over : dict of str to sequence, Range, distribution or None
        Hyperparameter → allowed values, a `Range`, a distribution of SciPy
        (``uniform``, ``loguniform``, ``randint``) or Optuna, or None for its whole
        range. By default the algorithm's `tuning_params`.
    by : {"tpe", "random", "halving", "grid"}
        Optuna's tree-structured Parzen estimator, random values, successive halving of
        random values, or all combinations of equidistant values, coarse to fine.
    models : int
        Maximum number of proposed models; for halving, those of its first rung.
    seed : int
        Seed of the proposals.
    seeds : sequence of int
        Values of ``random_state`` for the runs of each model.
    executor, processes, rules, stop, measured_every
        As for `rankcore.studies.sweeps.sweep`.
    measures : sequence of str
        Names of measures; the first one is for choosing.
    generation : int
        Number of models that the Parzen estimator proposes together. With more, more
        can train in parallel; with fewer, proposals learn sooner from results.
    prune : bool
        Whether the Parzen estimator prunes a run whose best value so far is below the
        median of complete ones of earlier generations at the same iteration; only with
        one fold and seed.
    max_seconds : float, optional
        No model starts after this time.
    study : str or Path, optional
        A file (Optuna's journal) with the study of the Parzen estimator. An interrupted
        search resumes from it with the same result. Several processes can share it; the
        result then depends on their speed.
    store : rankcore.studies.store.Store, optional
        Stores the search as one entry, from its first model on, and each run when its
        model has ended.
    title : str
        Title of that entry; by default the algorithm and the searched hyperparameters.
    rows : sequence of Result
        Results of the same interrupted search. Their models are proposed again but not
        retrained, so that the search has the same result.

    Returns
    -------
    Search
        Closing it cancels waiting runs.

    Raises
    ------
    ValueError
        For an unknown method, hyperparameter or measure, an invalid value, an empty
        range, or options that exclude each other.

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
        # This reads all data.
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
    """Yield the models, after storing the runs of each."""
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
        raise ValueError("A search needs at least one model, one fold and one seed.")
    if by != "tpe" and (prune or study is not None):
        word = "Pruning" if prune else "A file for the study"
        raise ValueError(f"{word} requires the method tpe, not {by}.")
    if prune and runs > 1:
        raise ValueError("Pruning requires a single fold and seed.")


def _identity(
    model: Ranker,
    folds: Mapping[str, Splits],
    space: Sequence[Dimension],
    seeds: Sequence[int],
    measure: str,
    rules: _measures.Rules,
    iterations: int,
) -> dict[str, Any]:
    """Return the values that a stored study must share with a search that resumes
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
    """Yield the models of a generation: known ones first, then others in the order in
    which they end."""
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
