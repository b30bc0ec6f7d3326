"""Studies that train one model after the other."""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from functools import cached_property
from typing import Any, Literal

import numpy as np

from rankcore.algorithms import Provenance, Ranker
from rankcore.base.numbers import all_of
from rankcore.data.catalogue import Splits
from rankcore.measures import Rules
from rankcore.studies import Progress, Study
from rankcore.studies.results import Result
from rankcore.topics.compare.comparison_plan import pooled_folds
from rankcore.topics.compare.trained import Content, content_of
from rankcore.training import Stop
from rankcore.training.selection import BEST, HOW, chooses, chosen_text

# Records per run: enough for a curve and for pruning; more would only cost time.
RECORDS = 16
# Seconds after which the remaining time is shown, and above which it is in minutes.
TELLS_AFTER_SECONDS = 3.0
LONG_SECONDS = 95.0

Models = Generator[tuple[Any, Result]]


def time_left(seconds: float) -> str:
    """Return a rough duration in words.

    Examples
    --------
    >>> time_left(8.3), time_left(47.0), time_left(200.0)
    ('about 10 s left', 'about 50 s left', 'about 3 min left')
    """
    if seconds < LONG_SECONDS:
        return f"about {max(10 * round(seconds / 10), 10)} s left"
    return f"about {round(seconds / 60)} min left"


class ModelPlan:
    """A study that trains models of one algorithm and measures them alike.

    Attributes
    ----------
    ranker : Ranker
        With the fixed hyperparameters.
    splits : Splits
        Models are measured on the validation data, or else on the training data.
    folds : int
        1: train on the training data. More: divide the queries of training and
        validation data into folds, one run per fold.
    max_iterations : int
        Limit of each run.
    """

    ranker: Ranker
    splits: Splits
    measure: str
    rules: Rules
    max_iterations: int
    folds: int = 1

    @cached_property
    def data(self) -> Mapping[str, Splits]:
        """Fold name → its data; for a single fold, ``""`` → the splits."""
        if self.folds == 1:
            return {"": self.splits}
        return pooled_folds(self.splits, self.folds)

    @cached_property
    def contents(self) -> frozenset[Content]:
        """The content fingerprint of each fold; slow for large data."""
        return frozenset(map(content_of, self.data.values()))

    @property
    def split(self) -> Literal["train", "valid"]:
        """The split on which models are measured."""
        return "train" if self.splits.valid is None and self.folds == 1 else "valid"

    def query_weights(
        self, *folds: str, valued: Any = slice(None)
    ) -> np.ndarray | None:
        """Return the weights of the measured queries of the named folds (default: all),
        restricted to ``valued``; None if all weights are equal."""
        splits = [self.data[name] for name in folds or self.data]
        parts = [one.train if self.split == "train" else one.valid for one in splits]
        weights = np.concatenate([part.weights for part in parts if part is not None])
        return weights[valued] if np.ptp(weights) else None

    @property
    def column(self) -> str:
        """The measure with its split."""
        return f"{self.split} {self.measure}"

    @property
    def stop(self) -> Stop:
        """The limits of each run."""
        return Stop(max_iterations=self.max_iterations)

    @property
    def measured_every(self) -> int:
        """Iterations between two records of a run, 1 or more."""
        return max(1, self.max_iterations // RECORDS)

    def study(
        self, processes: int = 1, store: Any = None, sweep_rows: Sequence[Result] = ()
    ) -> Study:
        """Train the models.

        Parameters
        ----------
        processes : int
            As in `rankcore.studies.sweeps.sweep`.
        store : rankcore.studies.store.Store, optional
            Where the runs are saved, as one entry.
        sweep_rows : sequence of Result
            Results of an earlier, interrupted study; these runs are not trained again.

        Returns
        -------
        Study
            Yields a `Result` per run, or `ModelResults` per model for a search. Its
            subject is this plan.
        """
        raise NotImplementedError

    def chosen(
        self, result: Result | None, ranker: Ranker | None = None
    ) -> tuple[str, str]:
        """Return the iteration of a result's model, as for
        `rankcore.training.selection.select`, and its description; over folds or without
        a result, the best iteration of a run on the training data. Pass the result's
        ranker if its algorithm differs from the plan's."""
        by = chooses(ranker or self.ranker, self.split == "valid")
        if self.folds > 1 or result is None:
            return BEST, f"iteration {HOW[by]}"
        # A path uses the last model of each run and does not count iterations.
        how = by if ranker is None or result.iterations else "last"
        return str(result.iteration), chosen_text(result.iteration, how)

    def model(self, result: Result | None) -> Ranker | None:
        """Return the fitted model of a successful result; None without a result, or
        over folds, whose runs have different data."""
        if self.folds > 1 or result is None:
            return None
        settings = self.ranker.get_params() | dict(result.cell.settings)
        settings["random_state"] = result.cell.seed
        if "max_iter" in settings:
            # An exported model states its iteration limit, as its link does.
            settings["max_iter"] = self.max_iterations
        model = type(self.ranker)(**settings)
        train = self.splits.train
        model.parameters_, model.n_features_in_ = result.coef, train.n_features
        model.n_iter_ = result.iterations
        model.provenance_ = Provenance.of(
            train,
            result,
            rules=self.rules,
            chosen_by=chooses(model, self.split == "valid"),
        )
        return model


def each_model(
    models: Models,
    total: int,
    doing: str = "",
    most: float | None = None,
    n_before: int = 0,
) -> Generator[Any, None, str]:
    """Yield the findings of a study, one per trained model.

    Parameters
    ----------
    models : generator of (finding, Result)
        Trains one model per item; closed at the end.
    total : int
        Number of models.
    doing : str
        Progress message, to which the remaining time is added.
    most : float, optional
        Seconds after which no further model is started.
    n_before : int
        Number of models at the start that are already known and need no training.

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
            # The first models may include loading of kernels.
            tells = seconds > TELLS_AFTER_SECONDS and n_before < done < total
            parts = [doing, time_left(left)] if tells else [doing]
            yield Progress(", ".join(filter(None, parts)), done / total)
            # An empty step, so that the study can be stopped between two models.
            yield row.record()
    progress = f"{all_of(done, 'models')} trained"
    return f"{progress}, but for {lost}." if lost else f"{progress}."


def same_plan(one: Any, other: Any) -> bool:
    """Whether two plans (dataclasses with a ranker and splits) train the same models on
    the same data objects."""
    if type(one) is not type(other) or type(one.ranker) is not type(other.ranker):
        return False
    if one.ranker.get_params() != other.ranker.get_params():
        return False
    if any(a is not b for a, b in zip(one.splits, other.splits, strict=True)):
        return False
    names = {field.name for field in fields(one)} - {"ranker", "splits"}
    return all(getattr(one, name) == getattr(other, name) for name in names)
