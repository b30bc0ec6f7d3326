"""Measures of a run, that is the rankings of any ranker, against judgements.

A judged document that was not returned adds nothing, but counts among the relevant ones
if it is relevant. The convention ``trec`` follows the source of trec_eval
(https://github.com/usnistgov/trec_eval): ``get_trec_results.c`` ignores the
rank column and reads scores as 32-bit floats, ``form_res_rels.c`` orders by score and,
where scores are equal, by document, both descending, and treats grades below 0 as
documents of the pool without a judgement, ``trec_eval.c`` averages over the queries in
both files, and ``m_ndcg.c`` uses the grade as gain.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import LARGEST_EXACT, numbered, whole_or_not
from rankcore.base.errors import DataError, warn_of_data
from rankcore.base.numbers import quoted, shortlist
from rankcore.data.judgements import Judgements
from rankcore.data.rankings import DocumentNames, Rankings
from rankcore.mathematics.statistics import Interval, effective_number, mean_interval
from rankcore.measures._evaluation import Unreturned, by_query, mean
from rankcore.measures._measure import Floats, Integers, Measure
from rankcore.measures._naming import parse
from rankcore.measures._rules import CONVENTIONS, Rules, tie_rule

if TYPE_CHECKING:
    import pandas as pd

TREC = "trec"
RUN_CONVENTIONS = (*CONVENTIONS, TREC)
QUERIES = {
    "judged": "all judged queries, those without returned documents too",
    "both": "queries that are both judged and in the run",
}
Labels = Mapping[str, Mapping[str, float]]


class RunRules(NamedTuple):
    """The rules for measuring runs.

    Attributes
    ----------
    convention : {"standard", "letor3", "letor4", "trec"}
    empty : {"zero", "skip", "one"}
        Value of queries without relevant documents.
    ties : {"mean", "input", "worst", "trec"}
    queries : {"judged", "both"}
        The queries that count.
    """

    convention: str
    empty: str
    ties: str
    queries: str

    @property
    def rules(self) -> Rules:
        """The rules of evaluation."""
        return Rules("standard" if self.is_trec else self.convention, self.empty)

    @property
    def is_trec(self) -> bool:
        return self.convention == TREC

    def measure(self, name: str | Measure) -> Measure:
        """Return a measure; by trec_eval's rules, its gain is linear unless it has
        options."""
        measure = parse(name)
        if not measure.of_returned:
            raise ValueError(
                f"{measure} needs all documents of a query, and a run may omit some; "
                "choose another measure."
            )
        plain = isinstance(name, str) and "(" not in name
        if self.is_trec and plain and "dcg" in measure.options():
            linear = f"{measure.name}(dcg='log2')"
            return parse(str(measure).replace(measure.name, linear, 1))
        return measure

    @property
    def text(self) -> str:
        """The rules that do not follow from the measures, as sentences."""
        counted = f"Queries: {QUERIES[self.queries]}."
        if not self.is_trec:
            return counted
        order = "documents by descending score"
        if self.ties == TREC:
            order += ", read as a 32-bit float, and equal ones by descending id"
        return (
            f"Rules of trec_eval: {order}; the rank column is ignored; grades below 0 "
            "count as no judgement; the gain is the grade unless a measure names "
            f"another one. {counted}"
        )


def run_rules(
    convention: str = "standard",
    empty: str = "zero",
    ties: str | None = None,
    queries: str | None = None,
) -> RunRules:
    """Return the rules for measuring runs; the parameters are those of `evaluate_run`.

    Raises
    ------
    ValueError
        For an unknown convention or rule.

    Examples
    --------
    >>> run_rules("trec")
    RunRules(convention='trec', empty='zero', ties='trec', queries='both')
    """
    if convention not in RUN_CONVENTIONS:
        raise ValueError(
            f"There is no convention {quoted(convention)}. Choose one of "
            f"{', '.join(RUN_CONVENTIONS)}."
        )
    is_trec = convention == TREC
    if queries is None:
        queries = "both" if is_trec else "judged"
    if queries not in QUERIES:
        raise ValueError(
            f"queries must be one of {', '.join(QUERIES)}, not {queries!r}."
        )
    rule = TREC if is_trec and ties is None else tie_rule("standard", ties)
    if not is_trec:
        rule = tie_rule(convention, ties)
    return RunRules(convention, Rules(empty=empty).checked().empty, rule, queries)


@dataclass(frozen=True, eq=False)
class RunValues:
    """The measured values of a run.

    Attributes
    ----------
    name : str
        Name of the run.
    query_ids : tuple of q str
        The queries that count, in the order of the judgements.
    values : dict of str to (q,) float64
        Values by measure; NaN where a query has no value.
    documents : int
        Number of documents returned for these queries.
    missing : int
        Number of judged queries for which the run has no documents.
    unjudged : int
        Number of queries of the run without judgements, which are omitted.
    ranks : bool
        Whether its scores order any documents.
    weights : (q,) float64, optional
        Weights of the queries in the means; by default all are equal.
    weighted_by : str
        Name of the weights.
    """

    name: str
    rules: RunRules
    query_ids: tuple[str, ...]
    values: dict[str, Floats]
    documents: int
    missing: int
    unjudged: int
    ranks: bool
    weights: Floats | None = None
    weighted_by: str = ""

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over the queries that have a value."""
        return {
            name: mean(column, "skip", self.weights)
            for name, column in self.values.items()
        }

    def weighted(self, weights: Mapping[str, float], name: str = "") -> "RunValues":
        """Return these values with query weights, given by id.

        Raises
        ------
        DataError
            If a query has no weight.
        """
        lacking = [query for query in self.query_ids if query not in weights]
        if lacking:
            raise DataError(
                f"Queries have no weight: {shortlist(lacking)}",
                "Give every judged query a weight",
                name or None,
            )
        each = np.array([weights[query] for query in self.query_ids])
        return replace(self, weights=each, weighted_by=name)

    @property
    def unequal_weights(self) -> tuple[float, ...]:
        """The weights of the queries; empty if all are equal."""
        if self.weights is None or self.effective is None:
            return ()
        return tuple(self.weights.tolist())

    @property
    def effective(self) -> float | None:
        """The effective number of queries, (Σw)²/Σw²; None if all weights are equal."""
        return effective_number(self.weights)

    def per_query(self, measure: str) -> dict[str, float]:
        """Return the values of a measure by query."""
        values = self.values[measure].tolist()
        return dict(zip(self.query_ids, values, strict=True))

    def interval(self, measure: str) -> Interval | None:
        """Return the interval of a mean; None with fewer than two queries' values."""
        values = self.values[measure]
        if np.count_nonzero(~np.isnan(values)) < 2:
            return None
        return mean_interval(values, weights=self.weights)


def evaluate_run(
    rankings: Rankings,
    judgements: Labels,
    measures: str | Measure | Sequence[str | Measure] = ("nDCG@10",),
    convention: str = "standard",
    empty: str = "zero",
    ties: str | None = None,
    queries: str | None = None,
) -> "pd.DataFrame":
    r"""Evaluate the rankings of any ranker against judgements.

    Parameters
    ----------
    rankings : Rankings
        From `rankcore.data.rankings.read_rankings`.
    judgements : mapping
        Query → document → grade, as returned by
        `rankcore.data.readers.read_judgements`.
    measures : str, Measure or sequence of them
        As in `evaluate`; relevant documents that are not returned count as missed.
    convention : {"standard", "letor3", "letor4", "trec"}
        ``trec`` is trec_eval's: ``ties`` and ``queries`` are by default those of
        trec_eval, measures without options have the linear gain, and grades below 0
        count as no judgement.
    empty : {"zero", "skip", "one"}
        Value of queries without relevant documents.
    ties : {"mean", "input", "worst", "trec"}, optional
        As in `evaluate`.
    queries : {"judged", "both"}, optional
        All judged queries, including those without returned documents (the default), or
        only queries in both.

    Returns
    -------
    pandas.DataFrame
        A row per query, indexed by query id, and a column per measure.

    Raises
    ------
    DataError
        If no query of the run is judged.
    ValueError
        For unknown measures, conventions or rules, a measure that needs all documents,
        or a grade that is not a number.

    Examples
    --------
    >>> from rankcore.data.rankings import read_rankings
    >>> run = read_rankings(b"mug Q0 B 1 9.5 x\nmug Q0 A 2 7.0 x\n")
    >>> table = evaluate_run(run, {"mug": {"A": 2, "B": 0, "C": 1}}, ["RR", "R@5"])
    >>> table.loc["mug"].tolist()
    [0.5, 0.5]
    """
    import pandas as pd

    rules = run_rules(convention, empty, ties, queries)
    measured = measure_run(rankings, judgements, measures, rules)
    index = pd.Index(measured.query_ids, name="query", dtype=object)
    return pd.DataFrame(measured.values, index=index)


def measure_run(
    rankings: Rankings,
    judgements: Labels,
    measures: str | Measure | Sequence[str | Measure],
    rules: RunRules,
) -> RunValues:
    """Evaluate a run by rules of `run_rules`; see `evaluate_run`."""
    from rankcore.measures._ties import ranks_nothing

    names = [measures] if isinstance(measures, str | Measure) else measures
    parsed = [rules.measure(name) for name in names]
    ids = _counted(rankings, judgements, rules)
    returned, scores = _returned(rankings, judgements, ids, rules)
    if not returned.judged.any():
        warn_of_data(
            f"{rankings.name}: None of the documents is judged; check that the run and "
            "the judgements use the same document ids."
        )
    values = by_query(returned, scores, parsed, *rules.rules, rules.ties)
    in_run = set(rankings.query_ids)
    return RunValues(
        rankings.name,
        rules,
        tuple(ids),
        values,
        len(scores),
        sum(name not in in_run for name in judgements),
        sum(name not in judgements for name in rankings.query_ids),
        not ranks_nothing(scores, returned.offsets),
    )


@dataclass(frozen=True, eq=False)
class _ReturnedDocuments:
    """The documents that a run returned, as `by_query` measures them.

    Attributes
    ----------
    y : (n,) int64
        Grades, 0 for unjudged documents; indices of `levels` where some are fractions.
    levels : (m,) float64 or None
        The grades that they index.
    judged : (n,) bool
    offsets : (q + 1,) int64
    """

    y: Integers
    levels: Floats | None
    judged: NDArray[np.bool_]
    offsets: Integers
    doc_ids: DocumentNames
    unreturned: Unreturned

    @property
    def numbered_labels(self) -> tuple[Integers, Floats | None]:
        """The unreturned judged documents, as in a `RankingDataset`."""
        return self.y, self.levels


def _counted(rankings: Rankings, judgements: Labels, rules: RunRules) -> list[str]:
    """Return the queries that count."""
    in_run = set(rankings.query_ids)
    both = [name for name in judgements if name in in_run]
    if not both:
        first = next(iter(judgements), "")
        raise DataError(
            f"No query of {rankings.name} is judged",
            "Use the same query ids in both files: the first is "
            f"{rankings.query_ids[0]!r} in the run and {first!r} in the judgements",
        )
    return list(judgements) if rules.queries == "judged" else both


def _returned(
    rankings: Rankings, judgements: Labels, ids: Sequence[str], rules: RunRules
) -> tuple[_ReturnedDocuments, Floats]:
    """Return the documents of some queries with their grades, and their scores."""
    lists = rankings.of_queries(ids)
    names, labels, begins = _graded(judgements, ids, rules.is_trec)
    grades, levels = numbered(labels)
    rows = lists.rows_of(names, begins)
    scores = lists.scores
    y = np.zeros(len(scores), dtype=np.int64)
    judged = np.zeros(len(scores), dtype=np.bool_)
    hits = rows >= 0
    y[rows[hits]] = grades[hits]
    judged[rows[hits]] = True
    missed = np.append(0, np.cumsum(~hits))[begins]
    unreturned = Unreturned(grades[~hits], missed)
    documents = lists.documents
    returned = y, levels, judged, lists.offsets, documents, unreturned
    return _ReturnedDocuments(*returned), scores


def _graded(
    judgements: Labels, ids: Sequence[str], is_trec: bool
) -> tuple[list[str], NDArray[Any], Integers]:
    """Return the judged documents of some queries, their grades, and the start of each
    query; trec_eval's rules omit grades below 0."""
    names: list[str] = []
    grades: list[float] = []
    begins = [0]
    below: Set[tuple[str, str]] = frozenset()
    if isinstance(judgements, Judgements):
        below = judgements.negative
    else:
        _check_grades(judgements, ids)
    for query in ids:
        judged = judgements[query]
        if is_trec and (below or min(judged.values(), default=0) < 0):
            judged = {
                document: grade
                for document, grade in judged.items()
                if grade >= 0 and (query, document) not in below
            }
        names += judged
        grades += judged.values()
        begins.append(len(names))
    labels = whole_or_not(np.maximum(np.array(grades, dtype=np.float64), 0.0))
    return names, labels, np.array(begins, dtype=np.int64)


def _check_grades(judgements: Labels, ids: Sequence[str]) -> None:
    """Raise ValueError for a grade that is not a number."""
    for query in ids:
        for document, grade in judgements[query].items():
            if not (isinstance(grade, Real) and abs(grade) <= LARGEST_EXACT):
                raise ValueError(
                    f"The grade of document {document!r} for query {query!r} is "
                    f"{quoted(grade)}; give a number, such as 0, 1 or 2.5."
                )
