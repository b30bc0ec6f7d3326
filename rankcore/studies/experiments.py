"""Cross-validation by the LETOR protocol.

In each fold the hyperparameters and the iterate are chosen on validation data, and the
chosen model is evaluated once on test data. The result is the mean of the folds' test
means, with their standard deviation.
"""

import itertools
import statistics
from collections.abc import Generator, Mapping, Sequence
from concurrent import futures
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankcore import measures as _measures
from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.compute.calls import results
from rankcore.compute.executors import Executor
from rankcore.measures import LETOR_MEASURES
from rankcore.studies.results import Cell, Result, SharedTerms
from rankcore.training import Run, drive

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from rankcore.data.dataset import RankingDataset
    from rankcore.data.readers import Splits

LETOR_RULES = _measures.Rules("letor3")


def grid(algorithm: str) -> list[dict[str, Any]]:
    """Return all combinations of the sweep values of the algorithm's
    `Ranker.tuning_params`; one empty combination if it has none."""
    cls = get_algorithm(algorithm)
    declared = hyperparameters(cls)
    axes = [
        [(name, value) for value in declared[name].sweep] for name in cls.tuning_params
    ]
    return [dict(combination) for combination in itertools.product(*axes)]


def choose(
    algorithm: str,
    fold: str,
    splits: "Splits",
    candidates: Sequence[Mapping[str, Any]],
    *,
    measures: Sequence[str] = LETOR_MEASURES,
    choose_by: str = "nDCG@10",
    rules: _measures.Rules = LETOR_RULES,
    seed: int = 0,
) -> Result:
    """Train every candidate on one fold, choose on validation, evaluate on test.

    Parameters
    ----------
    splits : Splits
        Training, validation and test data.
    candidates : sequence of dict
        Hyperparameters to try; the first wins ties.
    measures : sequence of str
        Measures on test data.
    choose_by : str
        Measure on validation data; a model that ranks nothing is chosen only if all do.
    rules : Rules
        How measures are computed.

    Returns
    -------
    Result
        Result with the total seconds of all candidates and the tuned settings.

    Raises
    ------
    ValueError
        If a split is missing or training is not possible.
    """
    chosen, test, scores = choose_model(
        algorithm,
        fold,
        splits,
        candidates,
        choose_by=choose_by,
        rules=rules,
        seed=seed,
    )
    return replace(chosen, test=_measures.means(test, scores, measures, *rules))


def choose_model(
    algorithm: str,
    fold: str,
    splits: "Splits",
    candidates: Sequence[Mapping[str, Any]],
    *,
    choose_by: str = "nDCG@10",
    rules: _measures.Rules = LETOR_RULES,
    seed: int = 0,
) -> "tuple[Result, RankingDataset, NDArray[np.float64]]":
    """Train every candidate on one fold, and choose on validation.

    Parameters and errors are those of `choose`.

    Returns
    -------
    (Result, RankingDataset, (n,) float64)
        The model without test measures, the test data, and the model's scores on it.
    """
    train, valid, test = splits
    if valid is None or test is None:
        raise ValueError(f"{fold} needs training, validation and test data.")

    def worth(run: Run) -> float:
        scores = run.algorithm.scores(valid.X, run.best.coef)
        means = _measures.means(valid, scores, choose_by, *rules)
        return round(means[choose_by], 12)

    runs = []
    for settings in candidates:
        model = get_algorithm(algorithm)(random_state=seed, **settings)
        run = drive(
            model,
            train,
            valid,
            measures=(choose_by,),
            rules=rules,
        )
        runs.append((settings, run, list(run)[-1].seconds))
    settings, run, _ = max(runs, key=lambda one: (one[1].best.ranks, worth(one[1])))
    chosen = Result(
        Cell(tuple(settings.items()), fold, seed),
        iteration=run.best.iteration,
        valid=run.best.valid,
        nonzeros=run.best.nonzeros,
        seconds=sum(seconds for *_, seconds in runs),
        terms=SharedTerms(algorithm),
    )
    return chosen, test, run.algorithm.scores(test.X, run.best.coef)


def cross_validate(
    algorithms: Sequence[str],
    folds: Mapping[str, "Splits"],
    *,
    executor: Executor | futures.Executor | None = None,
    grids: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    **details: Any,
) -> Generator[Result, None, None]:
    """Run `choose` in every fold for every algorithm; yield results when ready.

    Closing the iterator cancels waiting tasks.

    Parameters
    ----------
    folds : dict of str to Splits
    executor : Executor of `rankcore.compute.executors` or of `concurrent.futures`,
    optional
        Executor of the folds; by default this process, one after the other.
    grids : dict of str to sequence of dict, optional
        Candidates by algorithm; by default `grid`.
    **details
        As for `choose`.
    """
    tasks = [
        (name, fold, (grids or {}).get(name) or grid(name))
        for name in algorithms
        for fold in folds
    ]
    shared = dict(folds), details
    for _, result in results(executor, _chosen, tasks, shared):
        yield result


def _chosen(
    folds: Mapping[str, "Splits"],
    details: Mapping[str, Any],
    algorithm: str,
    fold: str,
    candidates: Sequence[Mapping[str, Any]],
) -> Result:
    return choose(algorithm, fold, folds[fold], candidates, **details)


def summary(results: Sequence[Result]) -> "pd.DataFrame":
    """Return the mean and standard deviation over folds of each test measure.

    Returns
    -------
    pandas.DataFrame
        One row per algorithm and measure: ``algorithm``, ``measure``, ``mean``, ``sd``
        (sample standard deviation over folds, NaN for a single one), ``folds``.
    """
    import pandas as pd

    rows = []
    for name in dict.fromkeys(result.terms.algorithm for result in results):
        of_algorithm = [result for result in results if result.terms.algorithm == name]
        for measure in of_algorithm[0].test:
            values = [result.test[measure] for result in of_algorithm]
            sd = statistics.stdev(values) if len(values) > 1 else float("nan")
            rows.append((name, measure, statistics.fmean(values), sd, len(values)))
    return pd.DataFrame(rows, columns=["algorithm", "measure", "mean", "sd", "folds"])
