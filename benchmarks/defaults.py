"""Basis for choosing defaults and grids: validation means over the folds of LETOR.

OHSUMED and MQ2008 must be where RankScope finds LETOR downloads, such as the folder in
``RANKSCOPE_DATA``. Each algorithm is trained on the training data of every fold with
its defaults, with each value of each declared sweep, and with each combination of its
grid. Validation nDCG@10 (``letor3``, seed 0) is shown for the model that `fit` keeps
without validation data, and for the best iterations; test data is not used. ``python
benchmarks/defaults.py NAME …`` selects algorithms.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from _rows import show

from rankcore import RankingDataset, get_algorithm, list_algorithms, load_dataset
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import folds_of
from rankcore.studies.experiments import LETOR_RULES, grid
from rankcore.training import drive

DATA = ("ohsumed", "mq2008")
MEASURE = "nDCG@10"
SHOWN = "{:.4f}, one pass {:.4f}, best passes {:.4f}"
Parts = tuple[RankingDataset, RankingDataset | None]


@dataclass(frozen=True)
class Candidate:
    """Settings, and the validation measures of their models.

    Attributes
    ----------
    algorithm : str
    settings : dict
        Differences from the defaults.
    means : dict of str to (3,) float64
        For each data set, over its folds: the mean for the models of the best training
        objective; the best mean of one iteration; the mean of the folds' best ones.
    """

    algorithm: str
    settings: Mapping[str, Any]
    means: Mapping[str, np.ndarray]

    def __str__(self) -> str:
        settings = ", ".join(
            f"{name} = {value}" for name, value in self.settings.items()
        )
        means = {**self.means, "both": np.mean(list(self.means.values()), axis=0)}
        cells = (f"   {name} " + SHOWN.format(*each) for name, each in means.items())
        return f"{self.algorithm:16} {settings or 'defaults':36}" + "".join(cells)


def rows(names: Sequence[str] = ()) -> Iterator[Candidate]:
    folds = {
        name: [load_dataset(f)[:2] for f in folds_of(f"{name}/Fold1")] for name in DATA
    }
    missing = [name for name in DATA if not folds[name]]
    if missing:
        print(f"Not found: {', '.join(missing)}; set RANKSCOPE_DATA to its folder.")
        return
    for name in names or list_algorithms():
        for settings in candidates(name):
            means = {data: _means(name, settings, folds[data]) for data in DATA}
            yield Candidate(name, settings, means)


def candidates(name: str) -> list[dict[str, Any]]:
    """Return the defaults, then the differences from them: one value, or one grid
    point."""
    declared = hyperparameters(get_algorithm(name)).values()
    choices = [{p.name: value} for p in declared for value in p.sweep] + grid(name)
    defaults = {p.name: p.default for p in declared}
    changed = [
        {name: value for name, value in one.items() if value != defaults[name]}
        for one in choices
    ]
    return [{}, *({tuple(sorted(one.items())): one for one in changed if one}.values())]


def _means(
    name: str, settings: Mapping[str, Any], folds: Sequence[Parts]
) -> np.ndarray:
    best_values, curves, model_values = zip(
        *(_run(name, settings, *fold) for fold in folds), strict=True
    )
    longest = max(map(len, curves))
    ended = [np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves]
    return np.array(
        [np.mean(best_values), np.mean(ended, axis=0).max(), np.mean(model_values)]
    )


def _run(
    name: str,
    settings: Mapping[str, Any],
    train: RankingDataset,
    valid: RankingDataset | None,
) -> tuple[float, np.ndarray, float]:
    """Return the value of the model that `fit` keeps, of all iterations, and of the
    best one."""
    model = get_algorithm(name)(random_state=0, **settings)
    run = drive(model, train, valid, measures=(MEASURE,), rules=LETOR_RULES)
    records = list(run)
    sign = 1.0 if model.maximises else -1.0
    best = max(records, key=lambda record: sign * record.objective)
    passes = run.history.column(f"valid {MEASURE}")[1:]
    return best.valid[MEASURE], passes, run.best.valid[MEASURE]


if __name__ == "__main__":
    show(rows(sys.argv[1:]))
