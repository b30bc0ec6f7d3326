"""Training every structured learner and testing it, in one fold or in all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pages.ui import datasets
from pages.ui.margin_maps import FEATURE_MAP, short_name
from rankcore.algorithms import StructuredRanker
from rankcore.catalogue import Splits, load_dataset
from rankcore.dataset import RankingDataset
from rankcore.hyperparameters import hyperparameters
from rankcore.insight import margin_training
from rankcore.insight.data import parts
from rankcore.insight.margin_rounds import slack_weights, structured_algorithms
from rankcore.insight.margin_training import MismatchSubject
from rankcore.jobs import Study


class MatrixChoice(NamedTuple):
    """What the controls of the matrix say."""

    data: str
    splits: Splits
    algorithms: Mapping[str, StructuredRanker]
    settings: Mapping[str, Any]


def learners(C: float, relevant: int) -> dict[str, StructuredRanker]:
    """Every structured learner with C in all, those with one loss by each map."""
    found = {}
    for cls in structured_algorithms().values():
        declared = hyperparameters(cls)
        weights = slack_weights(cls())
        total = sum(weights.values())
        values = {name: value * C / total for name, value in weights.items()}
        if "relevant_from" in declared:
            values["relevant_from"] = relevant
        if FEATURE_MAP in declared and len(weights) == 1:
            for option in declared[FEATURE_MAP].choices:
                name = f"{cls.title}, {short_name(option)}"
                found[name] = cls(**values, **{FEATURE_MAP: option})
        else:
            found[cls.title] = cls(**values)
    return found


def study_of(
    what: MatrixChoice, able: Mapping[str, StructuredRanker], folds: Sequence[str]
) -> Study:
    """Train and test learners in the given folds, or without any in the data chosen."""
    part, judged = list(parts(what.splits).items())[-1]
    asked: dict[str, Any] = {
        "convention": str(what.settings["convention"]),
        "empty": str(what.settings["empty"]),
        "part": part,
    }
    if not folds:
        return margin_training.mismatch_study(able, what.splits.train, judged, **asked)
    normalise = str(what.settings["normalise"])
    loads = [partial(_ends, name, normalise) for name in folds]
    probe = judged.subset([0])
    return margin_training.mismatch_over_folds(able, loads, probe, **asked)


def note(tested: MismatchSubject) -> str:
    """What the values are of, and what is behind ±."""
    if tested.n_folds:
        return (
            f"mean of {tested.n_folds} folds, {tested.part} data, ± standard deviation "
            "over them"
        )
    return f"{tested.n_queries} {tested.part} queries, ± standard error over them"


def spread(tested: MismatchSubject) -> str:
    """What is behind ±, in short."""
    return (
        "the standard deviation over folds" if tested.n_folds else "one standard error"
    )


def _ends(name: str, normalise: str) -> tuple[RankingDataset, RankingDataset]:
    """The first and the last part of a data set: what is trained on, and tested.

    It is asked for in the job's own thread, where Streamlit keeps nothing.
    """
    every = list(parts(datasets.scaled(load_dataset(name), normalise)).values())
    return every[0], every[-1]


def matrix_of(study: Study) -> margin_training.Mismatch:
    """What a study has found, over folds if it is about them."""
    rows = study.found
    return margin_training.matrix(
        margin_training.over_folds(rows) if study.subject.n_folds else rows
    )


def zero_models(study: Study) -> list[str]:
    """The models that are zero, and in how many folds if not in all of them."""
    times = Counter(row.trained for row in study.found)
    zero = Counter(row.trained for row in study.found if row.even)
    return [
        name if count == times[name] else f"{name} in {count} of {times[name]} folds"
        for name, count in zero.items()
    ]
