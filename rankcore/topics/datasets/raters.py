"""Agreement of several raters, a consensus label, and the queries with least
agreement."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankcore.base.arrays import Floats, Integers
from rankcore.base.numbers import counted, three_digits
from rankcore.base.spreadsheets import csv_text
from rankcore.data.ratings import Ratings
from rankcore.mathematics.agreement import (
    RULES,
    UNDEFINED,
    UNPAIRED,
    Consensus,
    Level,
    Ties,
    cohen,
    fleiss,
    krippendorff,
    label_counts,
    ordinal_variances,
)
from rankcore.measures.disagreement import query_disagreement
from rankcore.topics.compare.wins import Wins

HEADS = ("agreement", "value", "low", "high")


class QueryDisagreement(NamedTuple):
    """Disagreement of raters on a query.

    Attributes
    ----------
    documents : int
        Number of rated documents.
    disagreement : float
        As in `rankcore.measures.disagreement.query_disagreement`.
    """

    query: str
    documents: int
    disagreement: float

    def row(self) -> dict[str, Any]:
        """Return the row of a table."""
        return {**self._asdict(), "disagreement": three_digits(self.disagreement)}


@dataclass(frozen=True, eq=False)
class RaterAgreement:
    """The agreement of raters.

    Attributes
    ----------
    level : {"nominal", "ordinal", "interval"}
        Scale of the labels, for Krippendorff's alpha.
    rule : {"majority", "median"}
        The rule that makes one label of several.
    ties : {"lower", "fractional"}
        How ties of the rule are resolved.
    """

    ratings: Ratings
    level: Level = "ordinal"
    rule: str = "majority"
    ties: Ties = "lower"

    @cached_property
    def _counts(self) -> tuple[Floats, Integers]:
        return label_counts(self.ratings.item, self.ratings.label)

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of documents, raters and ratings."""
        return {
            "documents": len(self.ratings.documents),
            "raters": len(self.ratings.raters),
            "ratings": len(self.ratings.label),
        }

    @cached_property
    def measures(self) -> list[tuple[Any, ...]]:
        """Name, value and interval of each measure that the ratings allow; the ends are
        None without an interval."""
        values, counts = self._counts
        alpha = krippendorff(values, counts, self.level)
        rows: list[tuple[Any, ...]] = [
            (f"Krippendorff's alpha ({self.level})", *alpha[:3]),
        ]
        pairs = self.ratings.of_two()
        if pairs is not None:
            rows += [
                ("Cohen's kappa", cohen(*pairs), None, None),
                ("Cohen's kappa (linear)", cohen(*pairs, "linear"), None, None),
                ("Cohen's kappa (quadratic)", cohen(*pairs, "quadratic"), None, None),
            ]
        raters = counts.sum(axis=1)
        if raters.min() == raters.max() > 1:
            rows.append(("Fleiss' kappa", fleiss(counts), None, None))
        return rows

    @property
    def undefined(self) -> str:
        """Why a measure has no value, if so."""
        return UNDEFINED if (self._counts[1].sum(axis=1) > 1).any() else UNPAIRED

    @property
    def lines(self) -> list[str]:
        """Each of the measures as a line of text."""
        sentences = []
        for name, value, low, high in self.measures:
            line = (
                f"{name}: {self.undefined if np.isnan(value) else three_digits(value)}"
            )
            if low is not None and not np.isnan(low):
                ends = f"{three_digits(low)} to {three_digits(high)}"
                line += f", 95% interval {ends}"
            sentences.append(line)
        return sentences

    @property
    def sentence(self) -> str:
        """A sentence on the sizes, and on the ties resolved by the rule."""
        sizes = ", ".join(counted(count, what) for what, count in self.sizes.items())
        return (
            f"{sizes}. One label per document is made by {self.rule}, with ties for "
            f"{counted(self.consensus.ties, 'documents')}, which "
            f"{'gets' if self.consensus.ties == 1 else 'get'} the lower grade."
        )

    @cached_property
    def consensus(self) -> Consensus:
        """The consensus label of each document."""
        return RULES[self.rule](*self._counts, self.ties)

    @property
    def label_table(self) -> str:
        """The labels as CSV with whole grades, for readers of judgements."""
        grades, _ = self.consensus.whole()
        pairs = zip(self.ratings.documents, grades.tolist(), strict=True)
        rows = [(*document, grade) for document, grade in pairs]
        return csv_text([("query", "document", "label"), *rows])

    @cached_property
    def queries(self) -> list[QueryDisagreement]:
        """The queries, the one with the largest disagreement first."""
        places: dict[str, int] = {}
        documents = self.ratings.documents
        codes = [places.setdefault(query, len(places)) for query, _ in documents]
        query, variances = np.array(codes), ordinal_variances(self._counts[1])
        sums = query_disagreement(query, self.consensus.labels, variances)
        sizes = np.bincount(query).tolist()
        disagreements = map(QueryDisagreement, places, sizes, sums.tolist())
        return sorted(disagreements, key=lambda one: -one.disagreement)

    def beside(self, wins: Wins, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return the compared queries that raters have rated, with the largest
        disagreement first, as rows of a table.

        Parameters
        ----------
        wins : Wins
            Wins and losses of the two models.
        names : (str, str)
            Names of the models.
        """
        first, second = names
        place = {query: at for at, query in enumerate(wins.ids)}
        return [
            {
                "query": wins.names[place[one.query]],
                "documents rated": one.documents,
                "raters' disagreement": one.disagreement,
                first: float(wins.first[place[one.query]]),
                second: float(wins.second[place[one.query]]),
                "difference": float(wins.differences[place[one.query]]),
            }
            for one in self.queries
            if one.query in place
        ]
