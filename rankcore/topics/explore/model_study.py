"""Studies that train one model after the other."""

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import fields
from typing import Any

from rankcore.algorithms import Provenance, Ranker
from rankcore.base.numbers import all_of
from rankcore.studies import Progress
from rankcore.studies.cells import SweepRow
from rankcore.training.selection import chooses

# Records of a run: enough for a curve and to prune by; more only take time.
RECORDS = 16
# The time left is told after this time, and in minutes from that one on.
TELLS_AFTER_SECONDS = 3.0
LONG_SECONDS = 95.0

Models = Generator[tuple[Any, SweepRow]]


def measured_every(max_iterations: int) -> int:
    """Return iterations between two of the records of a run, 1 or more."""
    return max(1, max_iterations // RECORDS)


def time_left(seconds: float) -> str:
    """How long something will take, roughly, in words.

    Examples
    --------
    >>> time_left(8.3), time_left(47.0), time_left(200.0)
    ('about 10 s left', 'about 50 s left', 'about 3 min left')
    """
    if seconds < LONG_SECONDS:
        return f"about {max(10 * round(seconds / 10), 10)} s left"
    return f"about {round(seconds / 60)} min left"


def fitted(plan: Any, row: SweepRow) -> Ranker:
    """Return the fitted model of a run of a plan without folds.

    Parameters
    ----------
    plan : MapPlan or SearchPlan
    row : SweepRow
        That did not fail.
    """
    settings = plan.ranker.get_params() | dict(row.cell.settings)
    settings["random_state"] = row.cell.seed
    if "max_iter" in settings:
        # A model that is exported says how long it was trained, as its link does.
        settings["max_iter"] = plan.max_iterations
    model = type(plan.ranker)(**settings)
    train = plan.splits.train
    model.parameters_, model.n_features_in_ = row.coef, train.n_features
    model.n_iter_ = row.iterations
    model.provenance_ = Provenance(
        feature_names=train.feature_names,
        normalisation=train.normalisation,
        data_name=train.name,
        data_fingerprint=train.fingerprint,
        iteration=row.iteration,
        measures={
            **{f"train {name}": value for name, value in row.train.items()},
            **{f"valid {name}": value for name, value in row.valid.items()},
        },
        rules=plan.rules,
        chosen_by=chooses(model, plan.split == "valid"),
    )
    return model


def each_model(
    models: Models,
    total: int,
    doing: str = "",
    most: float | None = None,
    n_before: int = 0,
) -> Generator[Any, None, str]:
    """Yield the findings of a study, one for each model that is trained.

    Parameters
    ----------
    models : generator of (finding, SweepRow)
        Trains the next model when it is asked for it; closed at the end.
    total : int
        How many come.
    doing : str
        What the progress says, with the time left.
    most : float, optional
        Seconds after which no further model is trained.
    n_before : int
        So many of the first are not trained, but known from before.

    Returns
    -------
    generator
        See `rankcore.studies.Findings`.
    """
    done = lost = 0
    began = time.monotonic()
    with closing(models):
        for done, (finding, row) in enumerate(models, 1):
            lost += row.failed
            yield finding
            seconds = time.monotonic() - began
            left = seconds / max(done - n_before, 1) * (total - done)
            left = left if most is None else min(left, most - seconds)
            # The first models may load kernels.
            tells = seconds > TELLS_AFTER_SECONDS and n_before < done < total
            parts = [doing, time_left(left)] if tells else [doing]
            yield Progress(", ".join(filter(None, parts)), done / total)
            # A step of the study, so that it can be stopped between two models.
            yield row.record()
    said = f"{all_of(done, 'models')} trained"
    return f"{said}, but for {lost}." if lost else f"{said}."


def same_plan(one: Any, other: Any) -> bool:
    """Whether two plans, dataclasses with a ranker and splits, train the same models on
    data that is the same in memory."""
    if type(one) is not type(other) or type(one.ranker) is not type(other.ranker):
        return False
    if one.ranker.get_params() != other.ranker.get_params():
        return False
    if any(a is not b for a, b in zip(one.splits, other.splits, strict=True)):
        return False
    names = {own.name for own in fields(one)} - {"ranker", "splits"}
    return all(getattr(one, name) == getattr(other, name) for name in names)
