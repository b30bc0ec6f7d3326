"""Stored runs on the leaderboards with the same test queries."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pages.ui.data import datasets
from rankcore.algorithms import get_algorithm
from rankcore.base.errors import DataError
from rankcore.base.hyperparameters import in_words
from rankcore.studies.results import Result
from rankcore.topics.compare.trained import from_store
from rankcore.topics.papers import computed
from rankcore.topics.papers.boards import Beside
from rankcore.topics.papers.ranking import Ranking
from rankcore.views import Block, Values, errors, past


class _Run(NamedTuple):
    """A stored run, tested on a fold of a board."""

    name: str
    dataset: str
    fold: str
    ranking: Ranking
    nonzeros: float
    seconds: float


def beside(values: Values) -> tuple[dict[str, list[Beside]], list[Block]]:
    """Return the chosen runs by data set, and notices about runs without a board."""
    runs, notices = list[_Run](), list[Block]()
    for key in values.runs:
        try:
            runs.append(_tested(key, _prints()))
        except ValueError as error:
            notices += errors(str(error))
    alike = defaultdict[tuple[str, str], list[_Run]](list)
    for run in runs:
        alike[run.dataset, run.name].append(run)
    entries = defaultdict[str, list[Beside]](list)
    for (dataset, name), runs_of in alike.items():
        rankings = defaultdict[str, list[Ranking]](list)
        for run in runs_of:
            rankings[run.fold].append(run.ranking)
        entries[dataset].append(
            computed.every()
            .boards[dataset]
            .beside(
                name,
                rankings,
                values.board_measure,
                values.board_convention,
                float(np.mean([run.nonzeros for run in runs_of])),
                float(np.mean([run.seconds for run in runs_of])),
            )
        )
    return dict(entries), notices[:3]


def _prints() -> Mapping[str, tuple[str, str]]:
    """Return fingerprint of test queries → data set and fold."""
    return {
        fold.fingerprint: (dataset, fold.name)
        for dataset, board in computed.every().boards.items()
        for fold in board.folds
    }


def _tested(key: str, prints: Mapping[str, tuple[str, str]]) -> _Run:
    """Return a run on the board of its test queries; ValueError without one."""
    stored = past.stored(key)
    if stored is None:
        raise ValueError(f"Run {key} is not in the run store of this computer.")
    run, data = _read(key, stored.updated.timestamp())
    try:
        test = datasets.load(data).test
        scaled = datasets.load(data, run.terms.normalisation or datasets.AS_GIVEN).test
    except DataError as error:
        raise ValueError(
            f"{stored.title} was trained on {data}, which is not installed: put its "
            "folder where RANKSCOPE_DATA points."
        ) from error
    if test is None or scaled is None or test.fingerprint not in prints:
        raise ValueError(
            f"{stored.title} was trained on {data}, whose test queries have no board "
            "with rankings: rankscope reproduce all --data FOLDER creates one."
        )
    dataset, fold = prints[test.fingerprint]
    columns = scaled.with_features(stored.feature_names)
    ranking = Ranking.of(columns, run.scores(columns))
    return _Run(_name(run), dataset, fold, ranking, run.nonzeros, run.seconds)


@lru_cache(maxsize=256)
def _read(key: str, updated: float) -> tuple[Result, str]:
    run = past.stored(key)
    if run is None:
        raise ValueError(f"Run {key} has been removed from the run store.")
    return from_store(run), str(past.settings(run).get("data", run.data))


def _name(run: Result) -> str:
    """Return the algorithm with the settings that differ from its defaults."""
    words = in_words(get_algorithm(run.terms.algorithm), run.settings)
    return f"own: {', '.join(filter(None, [run.terms.algorithm, words]))}"
