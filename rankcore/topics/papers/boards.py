"""Leaderboards: comparisons of entries on a data set, by any measure."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from rankcore.mathematics import statistics
from rankcore.mathematics.differences import against
from rankcore.topics.papers.bench import Bench, TestedEntry
from rankcore.topics.papers.ranking import Ranking, weighted

Boards = dict[str, "Board"]


class Place(NamedTuple):
    """A measure's value of an entry.

    Attributes
    ----------
    mean, low, high : float
        Mean of the folds' means, and its 95% bootstrap interval over queries.
    p : float
        p-value of the paired test against the best entry, adjusted by Holm's method.
    """

    mean: float
    low: float
    high: float
    p: float


def tied(places: Mapping[str, Place]) -> tuple[str, ...]:
    """Return the entries that are not significantly different from the best one, which
    comes first."""
    order = sorted(places, key=lambda name: -places[name].mean)
    best = order[:1]
    return tuple(
        name
        for name in order
        if name in best or places[name].p > statistics.SIGNIFICANT
    )


class Beside(NamedTuple):
    """A user's model compared with a board, on the folds that tested both.

    Attributes
    ----------
    place : Place
        On these folds, against the board's best entry there; p is not adjusted.
    best : str
        The board's best entry over all folds.
    best_mean : float
        Its mean on the same folds.
    nonzeros, seconds : float
        Means over folds; training time of the model alone.
    """

    name: str
    folds: tuple[str, ...]
    place: Place
    best: str
    best_mean: float
    nonzeros: float
    seconds: float


class FoldQueries(NamedTuple):
    """The test queries of a fold.

    Attributes
    ----------
    lengths : tuple of int
        Documents of each query.
    """

    name: str
    fingerprint: str
    lengths: tuple[int, ...]


class Standing(NamedTuple):
    """An entry on a data set, by the protocol.

    Attributes
    ----------
    nonzeros, seconds : float
        Mean number of features kept over folds; training time of all candidates.
    made : str
        Date and version.
    labels : bytes
        Labels of the test documents of all folds, in the order of its scores.
    places : dict of str to Place
        By convention and measure, as "letor3 nDCG@10"; only for results stored without
        ``labels``.
    """

    algorithm: str
    nonzeros: float
    seconds: float
    made: str = ""
    labels: bytes = b""
    places: Mapping[str, Place] = {}


class Board(NamedTuple):
    """The entries on a data set.

    Attributes
    ----------
    folds : tuple of FoldQueries
        Empty for results stored without rankings.
    standings : dict of str to Standing
    """

    folds: tuple[FoldQueries, ...]
    standings: Mapping[str, Standing]

    @classmethod
    def of(
        cls, bench: Bench, dataset: str, tested: Sequence[TestedEntry], origin: str
    ) -> Self:
        """Return the board of the entries that were trained on a data set."""
        folds = []
        for name, splits in bench.folds(dataset).items():
            assert splits.test is not None
            lengths = tuple(np.diff(splits.test.offsets).tolist())
            folds.append(FoldQueries(name, splits.test.fingerprint, lengths))
        return cls(
            tuple(folds),
            {
                one.entry.name: Standing(
                    one.entry.algorithm,
                    one.nonzeros,
                    one.seconds,
                    origin,
                    b"".join(ranking.labels for ranking in one.rankings),
                )
                for one in tested
            },
        )

    def joined(self, newer: Self) -> "Board":
        """Return the board with newer entries replacing old ones, if both rank the same
        queries; otherwise only the newer ones, as no test can pair them."""
        if not self.folds or self.folds != newer.folds:
            return newer
        return Board(newer.folds, {**self.standings, **newer.standings})

    @property
    def made(self) -> str:
        """Return dates and versions of the entries."""
        return ", ".join(sorted({one.made for one in self.standings.values()}))

    def of_folds(self, name: str, measure: str, convention: str) -> list[np.ndarray]:
        """Return the values of the queries of each fold under an entry."""
        labels, begin, rows = self.standings[name].labels, 0, []
        for fold in self.folds:
            end = begin + sum(fold.lengths)
            ranking = Ranking(labels[begin:end], fold.lengths)
            rows.append(ranking.values(measure, convention))
            begin = end
        return rows

    def places(self, measure: str, convention: str) -> dict[str, Place]:
        """Return the place of each entry; empty if it cannot be computed."""
        if not self.folds:
            key = f"{convention} {measure}"
            places = {name: one.places.get(key) for name, one in self.standings.items()}
            return {name: place for name, place in places.items() if place is not None}
        table = np.stack(
            [weighted(self.of_folds(n, measure, convention)) for n in self.standings],
            axis=1,
        )
        low, high = statistics.mean_intervals(table.T).T
        means = table.mean(axis=0)
        numbers = means, low, high, against(table.T, int(means.argmax()))
        return {
            name: Place(*map(float, four))
            for name, *four in zip(self.standings, *numbers, strict=True)
        }

    def beside(
        self,
        name: str,
        rankings: Mapping[str, Sequence[Ranking]],
        measure: str,
        convention: str,
        nonzeros: float = 0.0,
        seconds: float = 0.0,
    ) -> Beside:
        """Compare a model with the board.

        Parameters
        ----------
        rankings : dict of str to sequence of Ranking
            Rankings of the test queries, by fold; with several seeds, a query's value
            is their mean.
        """
        places = self.places(measure, convention)
        best = max(places, key=lambda one: places[one].mean)
        every = self.of_folds(best, measure, convention)
        here = [i for i, fold in enumerate(self.folds) if fold.name in rankings]
        names = tuple(self.folds[i].name for i in here)
        theirs = weighted([every[i] for i in here])
        ours = weighted(
            [
                np.mean([r.values(measure, convention) for r in rankings[n]], axis=0)
                for n in names
            ]
        )
        ends = statistics.mean_interval(ours)
        test = statistics.randomisation_test(theirs, ours)
        place = Place(float(ours.mean()), ends.low, ends.high, test.p_value)
        return Beside(name, names, place, best, float(theirs.mean()), nonzeros, seconds)

    def plain(self) -> dict[str, Any]:
        """Return the board for JSON."""
        return {
            "folds": [fold._asdict() for fold in self.folds],
            "standings": {
                name: {
                    **one._asdict(),
                    "labels": base64.b64encode(zlib.compress(one.labels, 9)).decode(),
                    "places": {key: list(p) for key, p in one.places.items()},
                }
                for name, one in self.standings.items()
            },
        }

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Self:
        """Return the board that `plain` returned."""
        return cls(
            tuple(
                FoldQueries(one["name"], one["fingerprint"], tuple(one["lengths"]))
                for one in raw["folds"]
            ),
            {name: _standing(one) for name, one in raw["standings"].items()},
        )


def _standing(raw: Mapping[str, Any]) -> Standing:
    labels = zlib.decompress(base64.b64decode(raw["labels"]))
    places = {key: Place(*place) for key, place in raw["places"].items()}
    return Standing(**{**raw, "labels": labels, "places": places})


def convention_of(dataset: str) -> str:
    """Return the evaluation convention of papers on a data set: that of its scripts."""
    return "letor4" if dataset.startswith("MQ") else "letor3"


def comparable(printed: Mapping[str, Any], convention: str) -> dict[str, Any]:
    """Return the printed values on data sets whose papers use this convention; values
    by other conventions are on another scale, and do not fit the same axis."""
    return {
        d: entries for d, entries in printed.items() if convention_of(d) == convention
    }


def boards(bench: Bench, origin: str) -> Boards:
    """Return the board of trained entries for each data set; entries on binary labels
    have other measures and are left out."""
    by_dataset: dict[str, list[TestedEntry]] = {}
    for (dataset, _), tested in bench.all_tested().items():
        if not tested.entry.binary:
            by_dataset.setdefault(dataset, []).append(tested)
    return {
        name: Board.of(bench, name, tested, origin)
        for name, tested in by_dataset.items()
    }
