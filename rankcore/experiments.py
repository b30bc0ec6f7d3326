"""Cross-validation as the LETOR benchmark asks for it.

In each fold the hyperparameters and the iterate are chosen on validation and the chosen
model is measured once on test. The figure reported is the mean of the folds' test means
with their standard deviation beside it.
"""

import itertools
import statistics
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from rankcore import measures as _measures
from rankcore._workers import as_ready
from rankcore.algorithms import get_algorithm
from rankcore.hyperparameters import hyperparameters
from rankcore.training import Run, drive

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.readers import Splits

LETOR_MEASURES = ("nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "AP")


@dataclass(frozen=True)
class FoldResult:
    """The model chosen in one fold.

    Attributes
    ----------
    algorithm, fold : str
    settings : dict
        The hyperparameters chosen, of those that were tried.
    iteration : int
        The pass after which the model was taken.
    valid : float
        The measure it was chosen by, on validation.
    test : dict of str to float
        Its measures on test.
    nonzeros : int
        Features it uses.
    seconds : float
        Training time of all candidates, measuring left out.
    """

    algorithm: str
    fold: str
    settings: Mapping[str, Any]
    iteration: int
    valid: float
    test: Mapping[str, float]
    nonzeros: int
    seconds: float


def grid(algorithm: str) -> list[dict[str, Any]]:
    """All combinations of the sweep values of the hyperparameters the algorithm names
    as `tuning_params`; one empty combination where it names none."""
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
    convention: str = "letor3",
    empty: str = "zero",
    seed: int = 0,
) -> FoldResult:
    """Train every candidate on one fold, choose on validation, measure on test.

    Parameters
    ----------
    algorithm, fold : str
    splits : Splits
        With training, validation and test data.
    candidates : sequence of dict
        Hyperparameters to try; the first of equally good ones wins.
    measures : sequence of str
        Measured on test.
    choose_by : str
        Measured on validation, where documents that a model ties count by their worst
        order.
    convention, empty : str
        As in `rankcore.measures.evaluate`.
    seed : int

    Returns
    -------
    FoldResult

    Raises
    ------
    ValueError
        If a split is missing or training is not possible.
    """
    train, valid, test = splits
    if valid is None or test is None:
        raise ValueError(f"{fold} needs training, validation and test data.")

    def worth(run: Run) -> float:
        scores = run.algorithm.scores(valid.X, run.best.coef)
        rules = (choose_by, convention, empty, "worst")
        return round(_measures.means(valid, scores, *rules)[choose_by], 12)

    runs = []
    for settings in candidates:
        model = get_algorithm(algorithm)(random_state=seed, **settings)
        run = drive(
            model,
            train,
            valid,
            measures=(choose_by,),
            convention=convention,
            empty=empty,
        )
        runs.append((settings, run, list(run)[-1].seconds))
    settings, run, _ = max(runs, key=lambda item: worth(item[1]))
    scores = run.algorithm.scores(test.X, run.best.coef)
    return FoldResult(
        algorithm=algorithm,
        fold=fold,
        settings=dict(settings),
        iteration=run.best.iteration,
        valid=run.best.valid[choose_by],
        test=_measures.means(test, scores, measures, convention, empty),
        nonzeros=run.best.nonzeros,
        seconds=sum(seconds for *_, seconds in runs),
    )


def cross_validate(
    algorithms: Sequence[str],
    folds: Mapping[str, "Splits"],
    *,
    workers: int = 1,
    grids: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    **details: Any,
) -> Generator[FoldResult, None, None]:
    """`choose` in every fold for every algorithm; results come as they are ready.

    When the iterator is closed, its processes are ended.

    Parameters
    ----------
    algorithms : sequence of str
    folds : dict of str to Splits
    workers : int
        Processes to use; 1 works in this one.
    grids : dict of str to sequence of dict, optional
        Candidates by algorithm; by default `grid`.
    **details
        As `choose`.
    """
    tasks = [
        (name, fold, splits, (grids or {}).get(name) or grid(name))
        for name in algorithms
        for fold, splits in folds.items()
    ]
    if workers == 1:
        yield from (choose(*task, **details) for task in tasks)
        return
    for _, result in as_ready(workers, partial(choose, **details), tasks):
        yield result


def summary(results: Sequence[FoldResult]) -> "pd.DataFrame":
    """Mean and standard deviation over folds of each test measure.

    Returns
    -------
    pandas.DataFrame
        A row an algorithm and measure: ``algorithm``, ``measure``, ``mean``, ``sd``
        (sample standard deviation over folds, NaN for a single one), ``folds``.
    """
    import pandas as pd

    rows = []
    for name in dict.fromkeys(result.algorithm for result in results):
        own = [result for result in results if result.algorithm == name]
        for measure in own[0].test:
            values = [result.test[measure] for result in own]
            sd = statistics.stdev(values) if len(values) > 1 else float("nan")
            rows.append((name, measure, statistics.fmean(values), sd, len(values)))
    return pd.DataFrame(rows, columns=["algorithm", "measure", "mean", "sd", "folds"])


def published(dataset: str) -> "pd.DataFrame":
    """Published five-fold test figures on a data set.

    Parameters
    ----------
    dataset : str
        For example ``"ohsumed"``; upper and lower case count alike.

    Returns
    -------
    pandas.DataFrame
        Columns ``algorithm``, ``measure``, ``value``, ``source``; empty for a data
        set without published figures.
    """
    import pandas as pd

    with resources.files("rankcore").joinpath("published.csv").open() as file:
        table = pd.read_csv(file)
    known = table.pop("dataset").str.lower() == dataset.lower()
    return table[known].reset_index(drop=True)
