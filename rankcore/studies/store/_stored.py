"""One run of a store, read on use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import select

from rankcore.data.dataset import scaling_words, set_name
from rankcore.measures import Rules
from rankcore.studies.owners import common_read_only
from rankcore.studies.store import _figures, _tables
from rankcore.studies.store._arrays import unpacked
from rankcore.studies.store._database import Database, StoreError
from rankcore.training import History, Record
from rankcore.training.changes import Change, Planned, planned
from rankcore.training.selection import BEST, By, chooses, side_by_side

if TYPE_CHECKING:
    import pandas as pd

    from rankcore.algorithms import Ranker
    from rankcore.data.catalogue import Splits
    from rankcore.data.dataset import RankingDataset
    from rankcore.data.readers import Division
    from rankcore.training import Run


def same_data(
    title: str,
    features: Sequence[str],
    stored: Mapping[str, Any],
    train: "RankingDataset",
    valid: "RankingDataset | None",
) -> "tuple[RankingDataset, RankingDataset | None]":
    """Return the data of a run or sweep, without the features that it left out.

    Parameters
    ----------
    title : str
        Name of the run or sweep at the beginning of a sentence.
    features : sequence of str
        Its features; empty if unknown.
    stored : dict
        Dictionary with ``data``, ``fingerprint`` and ``valid_fingerprint``.

    Raises
    ------
    ValueError
        If the data is different.
    """
    if features and set(features) < set(train.feature_names):
        train = train.with_features(features)
        valid = valid and valid.with_features(features)
    prints = train.fingerprint, None if valid is None else valid.fingerprint
    if prints != (stored["fingerprint"], stored["valid_fingerprint"]):
        raise ValueError(
            f"{title} was trained on other data, {stored['data'] or 'unnamed'}: give "
            "the same training and validation data."
        )
    return train, valid


DAMAGED = (
    "{} is damaged in the run store ({}): delete it, or restore it from a file or a "
    "backup."
)
# The fingerprint of data that has not been read completely.
UNREAD = ""


class _Data(NamedTuple):
    """The training data of a model, as in its file."""

    n_features: int
    feature_names: tuple[str, ...]
    normalisation: str | None
    name: str
    fingerprint: str


class _LoadedRun(NamedTuple):
    """A run for `rankcore.algorithms.Ranker.load_run`."""

    train: _Data
    best: Record
    history: History
    rules: Rules
    chosen_by: By
    iterations: frozenset[int]

    def has(self, record: Record) -> bool:
        """Return the result of `rankcore.training.Run.has`."""
        return record.iteration in self.iterations


@dataclass(frozen=True)
class StoredRun:
    """A run in the store.

    Attributes
    ----------
    created, updated : datetime
        Times in UTC.
    status : {"running", "finished", "stopped", "interrupted", "failed"}
        A run is interrupted if its process ended without reporting a result.
    reason : str
        Why it ended, as a sentence.
    hyperparameters : dict
        Hyperparameters at its start.
    changes : tuple of Change
        Hyperparameters that changed while it ran.
    planned : dict of int to dict
        All past and future changes, as for `rankcore.training.drive`.
    settings : dict
        Settings with which the app restores its controls.
    data, fingerprint : str
        Name and fingerprint of the training data; the fingerprint is empty while large
        data is being read.
    convention, empty : str
        Evaluation rules.
    max_iterations, max_seconds : number or None
        Limits of the run.
    iterations : int
        Number of stored iterations.
    seconds : float
        Training time.
    best, last : dict
        Metrics of the best and the last iteration by column name.
    curve : tuple of float or None
        A few values of the criterion for the best iteration, from first to last.
    visitor : str or None
        Its owner; None for everybody.
    """

    id: str
    created: datetime
    updated: datetime
    status: str
    reason: str
    title: str
    algorithm: str
    hyperparameters: Mapping[str, Any]
    changes: tuple[Change, ...]
    planned: Planned
    settings: Mapping[str, Any]
    seed: int | None
    data: str
    fingerprint: str
    valid_fingerprint: str | None
    normalisation: str | None
    feature_names: tuple[str, ...]
    measures: tuple[str, ...]
    convention: str
    empty: str
    max_iterations: int | None
    max_seconds: float | None
    versions: Mapping[str, str]
    machine: Mapping[str, Any]
    iterations: int
    seconds: float
    best: Mapping[str, float]
    last: Mapping[str, float]
    curve: tuple[float | None, ...]
    notes: str
    tags: tuple[str, ...]
    visitor: str | None
    _database: Database = field(repr=False, compare=False)
    _started_from: bytes | None = field(repr=False, compare=False, default=None)

    def owned_by(self, visitor: str) -> bool:
        """Return whether a visitor may delete it: the owner, or an empty name."""
        return not visitor or self.visitor == visitor

    def changeable_by(self, visitor: str) -> bool:
        """Return whether a visitor may name, tag, note on or resume it: its own, or a
        common one where these are not read-only; empty: any."""
        common = self.visitor is None and not common_read_only()
        return common or self.owned_by(visitor)

    def to_json(self) -> str:
        """Return the run with its history, models and measures of queries, as one JSON
        object; `Store.add` reads it."""
        from rankcore.studies.store._files import run_to_json

        with self._database.reading() as connection:
            return run_to_json(self, connection)

    def history(self) -> "pd.DataFrame":
        """Return the metrics of each iteration, as in
        `rankcore.training.History.to_frame`."""
        table = self.figures()
        if table.empty:
            return table
        history = History()
        history.changes = list(self.changes)
        types = {"iteration": np.int64, "nonzeros": np.int64, "ranks": np.bool_}
        return history.annotated(table.astype(types))

    def figures(self) -> "pd.DataFrame":
        """Return the metrics of each iteration, all as float64, without changes."""
        try:
            with self._database.reading() as connection:
                return _figures.read(connection, self.id, self._unpacked)
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(error) from error

    def models(self) -> dict[str, int]:
        """Return the iterations of the stored models ``"best"``, ``"last"``, and
        others, whose names are their iterations."""
        models = _tables.models
        wanted = select(models.c.name, models.c.iteration).where(
            models.c.run == self.id
        )
        with self._database.reading() as connection:
            rows = connection.execute(wanted.order_by(models.c.iteration)).all()
        return {row.name: row.iteration for row in rows}

    def coef(self, name: str = "best") -> np.ndarray:
        """Return the coefficients (d,) of one of `models`, or its forest (m, 8).

        Raises
        ------
        KeyError
            If it is not stored.
        """
        return self._arrays(name)["coef"]

    def queries(self, name: str = "best") -> "pd.DataFrame":
        """Return the measures of each query for the ``"best"`` or the ``"last"`` model.

        Of the validation data, or else the training data: see ``attrs["split"]``;
        ``attrs["weights"]`` has the query weights, empty if equal, and
        ``attrs["weighted by"]`` their name. Empty if training has not ended by itself.
        """
        import pandas as pd

        queries = _tables.queries
        wanted = select(queries).where(queries.c.run == self.id, queries.c.name == name)
        with self._database.reading() as connection:
            row = connection.execute(wanted).mappings().first()
        if row is None:
            return pd.DataFrame()
        arrays = self._unpacked(row["values"])
        values = arrays.get("values")
        try:
            index = pd.Index(row["ids"], name="query", dtype=object)
            table = pd.DataFrame(values, index=index, columns=row["measures"])
        except (TypeError, ValueError) as error:
            raise self._damaged(error) from error
        table.attrs["split"] = row["split"]
        table.attrs["weights"] = (
            arrays["weights"].tolist() if "weights" in arrays else []
        )
        table.attrs["weighted by"] = self.weighted_by
        return table

    @property
    def data_set(self) -> str:
        """Name of the data set of its training data."""
        return set_name(self.data)

    @property
    def division(self) -> "Division | None":
        """The split of its data, if a command split it."""
        from rankcore.data.readers import parse_division

        text, seed = self.settings.get("divide"), self.settings.get("divide_seed")
        try:
            return parse_division(str(text), int(seed or 0)) if text else None
        except ValueError:
            return None

    @property
    def weighted_by(self) -> str:
        """Name of its query weights; empty without weights."""
        return PurePath(str(self.settings.get("weights") or "")).name

    @property
    def described(self) -> str:
        """Its title, followed by its settings unless the title contains them."""
        return with_settings(
            self.title, settings_text(self.algorithm, self.hyperparameters)
        )

    @property
    def best_and_last(self) -> str:
        """Its best and last model as text; empty before its first iteration."""
        if not (self.best and self.last):
            return ""
        measure = self.measures[0] if self.measures else ""
        return side_by_side(self.best, self.last, measure)

    @property
    def described_data(self) -> str:
        """Its data, with split and scaling."""
        division, scaled = self.division, self.normalisation
        parts = [self.data or "Unnamed data"]
        if division is not None:
            parts += filter(None, [division.title, f"divided {division.words}"])
        parts += [f"features {scaling_words(scaled)}"] if scaled else []
        return ", ".join(parts)

    @property
    def start(self) -> "np.ndarray | None":
        """Its starting coefficients, if any."""
        packed = self._started_from
        return None if packed is None else self._unpacked(packed)["coef"]

    def ranker(self) -> "Ranker":
        """Return the unfitted algorithm with its initial hyperparameters."""
        from rankcore.algorithms import get_algorithm

        return get_algorithm(self.algorithm)(**self.hyperparameters)

    def scored(
        self, splits: "Splits", split: str = "", at: "str | int" = BEST
    ) -> "tuple[RankingDataset, np.ndarray]":
        """Return queries of the run's data, and the scores (n,) of their documents by
        one of its models.

        Parameters
        ----------
        split : str
            Split of the queries; by default the one that chose the best model.
        at : str or int
            As for `model`.

        Raises
        ------
        ValueError
            If the model is not stored, the data differs, or the split is missing.
        """
        from rankcore.studies.models import document_scores

        if BEST not in self.models():
            raise ValueError(
                f"Run {self.id} has no model: it ended before its first iteration."
            )
        valid = splits.valid if self.valid_fingerprint else None
        self.data_of(splits.train, valid)
        parts = {
            name: dataset
            for name, dataset in splits._asdict().items()
            if dataset is not None
        }
        chosen = split or ("train" if valid is None else "valid")
        if chosen not in parts:
            raise ValueError(
                f"The data has no split {chosen!r}; choose {', '.join(parts)}."
            )
        try:
            model = self.model(at)
        except KeyError as error:
            raise ValueError(error.args[0]) from None
        return parts[chosen], document_scores(model, parts[chosen])

    @property
    def chosen_by(self) -> By:
        """Criterion of its best model: ``"validation"`` or ``"objective"``."""
        measured = self.valid_fingerprint is not None and bool(self.measures)
        return chooses(self.ranker(), measured)

    def model(self, at: "str | int" = BEST) -> "Ranker":
        """Return the algorithm fitted with one of `models`, without needing data.

        Parameters
        ----------
        at : str or int
            ``"best"``, ``"last"``, or the number of an iteration.

        Raises
        ------
        KeyError
            If it is not stored; the message lists the stored ones.
        """
        models, table = self.models(), self.figures()
        if BEST not in models or table.empty:
            raise KeyError(f"Run {self.id} has no models.")
        ranker = self.ranker()
        records = self._records(ranker, table)
        whole = table["iteration"].tolist()
        history = History()
        history.records += records
        history.changes += self.changes
        train = _Data(
            len(self.feature_names),
            self.feature_names,
            self.normalisation,
            self.data,
            self.fingerprint,
        )
        best = records[whole.index(models[BEST])]
        rules = Rules(self.convention, self.empty)
        iterations = frozenset(models.values())
        run = _LoadedRun(train, best, history, rules, self.chosen_by, iterations)
        try:
            return ranker.load_run(run, at)
        except ValueError as error:
            raise KeyError(f"Run {self.id}: {error}") from None

    def recalled(
        self, train: "RankingDataset", valid: "RankingDataset | None" = None
    ) -> "Run":
        """Return the ended run for inspection; data and errors are those of `again`.

        For a linear model, each iteration has the coefficients of the nearest stored
        one not after it; for a forest, the best or the last.
        """
        run, table, places = self.again(train, valid), self.figures(), self.models()
        records = self._records(run.algorithm, table)
        whole = table["iteration"].tolist() if len(table) else []
        best = whole.index(places["best"]) if places.get("best") in whole else None
        run.history.changes += self.changes
        reason = self.reason if self.status == "finished" else None
        run.recall(records, best, reason, frozenset(places.values()))
        return run

    def _records(self, algorithm: "Ranker", table: "pd.DataFrame") -> list[Record]:
        """Return the record of each row of `figures`, with the stored coefficients."""
        places = self.models()
        arrays = {name: self._arrays(name) for name in places}
        order = sorted((at, name) for name, at in places.items())
        records = []
        for row in table.to_dict("records"):
            at = int(row["iteration"])
            before = [name for k, name in order if k <= at] or [order[0][1]]
            state = dict(arrays[before[-1]])
            coef = state.pop("coef")
            weights = algorithm.feature_weights(coef, len(self.feature_names))
            records.append(Record.of_row(row, coef, state, weights))
        return records

    def _unpacked(self, content: bytes) -> Mapping[str, np.ndarray]:
        """Return the arrays of a column."""
        try:
            return unpacked(content)
        except ValueError as error:
            raise self._damaged(error) from error

    def _damaged(self, cause: object) -> StoreError:
        return StoreError(DAMAGED.format(f"Run {self.id}", cause))

    def _arrays(self, name: str) -> Mapping[str, np.ndarray]:
        models = _tables.models
        wanted = select(models.c.arrays).where(
            models.c.run == self.id, models.c.name == name
        )
        with self._database.reading() as connection:
            packed = connection.execute(wanted).scalar()
        if packed is None:
            raise KeyError(f"Run {self.id} has no stored model {name!r}.")
        return self._unpacked(packed)

    def data_of(
        self, train: "RankingDataset", valid: "RankingDataset | None" = None
    ) -> "tuple[RankingDataset, RankingDataset | None]":
        """Return the data of the run, without the features that it left out. Raises
        ValueError if the data is different."""
        if self.fingerprint == UNREAD:
            raise ValueError(
                f"Run {self.id} ended before all of its data was read, so its data "
                "cannot be identified: train it again."
            )
        return same_data(f"Run {self.id}", self.feature_names, vars(self), train, valid)

    def again(
        self, train: "RankingDataset", valid: "RankingDataset | None" = None
    ) -> "Run":
        """Return the run from its start, to iterate over, with the same changes.

        Parameters
        ----------
        train, valid : RankingDataset
            The data of the run, possibly with more features.

        Raises
        ------
        ValueError
            If the data differs, or the process was killed before reading it.
        """
        from rankcore.training import Stop, drive

        train, valid = self.data_of(train, valid)
        return drive(
            self.ranker(),
            train,
            valid,
            stop=Stop(self.max_iterations, self.max_seconds),
            measures=self.measures,
            rules=Rules(self.convention, self.empty),
            start=self.start,
            changes=planned(self.changes) | dict(self.planned),
        )


def settings_text(algorithm: str, hyperparameters: Mapping[str, Any]) -> str:
    """Return `rankcore.base.hyperparameters.in_words`, or an empty text for an unknown
    algorithm."""
    from rankcore.algorithms import get_algorithm
    from rankcore.base.hyperparameters import in_words

    try:
        return in_words(get_algorithm(algorithm, installed=False), hyperparameters)
    except ValueError:
        return ""


def with_settings(title: str, settings: str) -> str:
    """Return the title of a run with its settings, unless contained in it."""
    return title if settings in title else f"{title}, {settings}"
