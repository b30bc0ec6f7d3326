"""Rankings and judgements from and to dict, DataFrame, file and `ir_measures` objects.

A *run* is query → document → score, *qrels* are query → document → grade. Tables have
the columns of `ir_measures` (``query_id``, ``doc_id``, ``score`` or ``relevance``) or
those of PyTerrier (``qid``, ``docno``, ``score`` or ``label``).
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcore import measures as _measures
from rankcore.base.errors import DataError
from rankcore.data.dataset import RankingDataset
from rankcore.data.judgements import Judgements, read_judgements
from rankcore.data.rankings import DocumentNames, Rankings, read_rankings

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from rankcore.algorithms import Ranker

_QUERY = ("query_id", "qid", "query")
_DOCUMENT = ("doc_id", "docno", "docid", "document")
_VALUE = {"run": ("score",), "qrels": ("relevance", "label", "grade")}


def run(source: Any, name: str = "run") -> Rankings:
    """Return rankings from a run of another package.

    Parameters
    ----------
    source : Rankings, dict, DataFrame, iterable, path or bytes
        Query → document → score; a table; objects such as `ir_measures.ScoredDoc`; or a
        file as of `rankcore.data.rankings.read_rankings`.
    name : str
        Name of the run.

    Raises
    ------
    DataError
        For scores that are not finite numbers, repeated documents of a query, or no
        rows.
    """
    if isinstance(source, Rankings):
        return source
    if _is_file(source):
        return read_rankings(source)
    of_query = _by_query(source, "run")
    offsets = np.cumsum([0, *map(len, of_query.values())])
    documents = (name for scores in of_query.values() for name in scores)
    scores = [float(one) for scores in of_query.values() for one in scores.values()]
    if not scores:
        raise DataError("There are no rows", "Give a score for each document", name)
    if not all(map(math.isfinite, scores)):
        at = next(at for at, one in enumerate(scores) if not math.isfinite(one))
        problem = f"The score {scores[at]} is not a finite number"
        raise DataError(problem, "Leave out documents without a score", name, at + 1)
    return Rankings(
        name,
        tuple(of_query),
        offsets,
        DocumentNames.of(documents),
        np.array(scores),
    )


def qrels(source: Any) -> Judgements:
    """Return judgements from the qrels of another package.

    Parameters
    ----------
    source : Judgements, dict, DataFrame, iterable, path or bytes
        Query → document → grade; a table; objects such as `ir_measures.Qrel`; or a file
        as of `rankcore.data.judgements.read_judgements`.

    Raises
    ------
    DataError
        For grades that are not finite numbers, or repeated documents of a query.
    """
    if isinstance(source, Judgements):
        return source
    if _is_file(source):
        return read_judgements(source)
    judgements = Judgements()
    for query, grades in _by_query(source, "qrels").items():
        for document, grade in grades.items():
            if not math.isfinite(grade):
                problem = f"The grade {grade} of document {document!r} is not a number"
                raise DataError(problem, "Use grades such as 0, 1 and 2.5", "qrels")
            if grade < 0:
                judgements.negative.add((query, document))
        judgements[query] = {name: _grade(grade) for name, grade in grades.items()}
    return judgements


def _grade(number: Any) -> float:
    """Return a grade of at least 0, as an int if it is whole."""
    grade = max(float(number), 0.0)
    return int(grade) if grade == int(grade) else grade


def run_of(data: RankingDataset, scores: "ArrayLike", name: str = "run") -> Rankings:
    """Return the rankings by scores (n,), in the order of ``data.X``."""
    values = np.asarray(scores, dtype=np.float64)
    names = DocumentNames.of(data.doc_ids)
    return Rankings(name, data.query_ids, data.offsets, names, values)


def qrels_of(data: RankingDataset) -> Judgements:
    """Return the judgements of a data set, without unjudged documents."""
    judged = np.ones(len(data.y), bool) if data.judged is None else data.judged
    return Judgements(
        {
            query.id: {
                name: _grade(grade)
                for name, grade, is_judged in zip(
                    query.doc_ids, query.y, judged[query.slice], strict=True
                )
                if is_judged
            }
            for query in data
        }
    )


def to_dict(source: Rankings | Judgements) -> dict[str, dict[str, float]]:
    """Return query → document → score or grade, as for pytrec_eval and ranx."""
    if isinstance(source, Judgements):
        return {query: dict(grades) for query, grades in source.items()}
    ends = zip(source.offsets[:-1], source.offsets[1:], strict=True)
    return {
        query: dict(
            zip(
                source.doc_ids[begin:end],
                source.scores[begin:end].tolist(),
                strict=True,
            )
        )
        for query, (begin, end) in zip(source.query_ids, ends, strict=True)
    }


def to_frame(source: Rankings | Judgements) -> "pd.DataFrame":
    """Return a table with the columns of `ir_measures`."""
    import pandas as pd

    value = "relevance" if isinstance(source, Judgements) else "score"
    rows = [
        (query, document, number)
        for query, of_query in to_dict(source).items()
        for document, number in of_query.items()
    ]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


def measure_name(measure: Any) -> str:
    """Return this package's name of a measure, also of `ir_measures` or pytrec_eval.

    In `ir_measures`, nDCG without options has the linear gain, and the returned name
    says so. A text is read as a name of this package.
    """
    text = str(measure)
    if not isinstance(measure, str) and type(measure).__module__.startswith(
        "ir_measures"
    ):
        text = text.replace("nDCG@", "nDCG(dcg='log2')@")
        text = "nDCG(dcg='log2')" if text == "nDCG" else text
    return str(_measures.parse(text))


def evaluate(
    rankings: Any, judgements: Any, measures: Sequence[Any], **rules: Any
) -> "pd.DataFrame":
    """Evaluate a run against qrels in any of the forms of `run` and `qrels`.

    Parameters
    ----------
    rankings, judgements : see `run` and `qrels`
    measures : sequence
        Names, also those of trec_eval (``ndcg_cut_10``), and objects of `ir_measures`.
    **rules
        As for `rankcore.measures.evaluate_run`, such as ``convention="trec"``.

    Examples
    --------
    >>> evaluate({"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}, ["recip_rank"]).loc["q"]
    RR    0.5
    Name: q, dtype: float64
    """
    names = [measure_name(measure) for measure in measures]
    return _measures.evaluate_run(run(rankings), qrels(judgements), names, **rules)


def rerank(model: "Ranker", frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of PyTerrier with new scores and ranks.

    ``pyterrier.apply.generic(partial(rerank, model))`` is a transformer.

    Parameters
    ----------
    model : Ranker
        Fitted.
    frame : DataFrame
        Columns ``qid``, ``docno`` and ``features``, an array of d numbers per row.
    """
    scored = frame.copy()
    scored["score"] = model.predict(np.stack(list(frame["features"])))
    order = scored.groupby("qid", sort=False)["score"]
    scored["rank"] = order.rank(ascending=False, method="first").astype(int) - 1
    return scored.sort_values(["qid", "rank"], kind="stable")


def _is_file(source: Any) -> bool:
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")


def _by_query(source: Any, kind: str) -> dict[str, dict[str, float]]:
    """Return query → document → number from any form except files."""
    if isinstance(source, Mapping):
        return {
            str(query): {str(name): float(one) for name, one in of_query.items()}
            for query, of_query in source.items()
            if of_query
        }
    by_query: dict[str, dict[str, float]] = {}
    for row, (query, document, number) in enumerate(_rows(source, kind), start=1):
        of_query = by_query.setdefault(str(query), {})
        if str(document) in of_query:
            problem = f"Query {query!r} contains document {document!r} twice"
            raise DataError(problem, "Give each document once", kind, row)
        of_query[str(document)] = float(number)
    return by_query


def _rows(source: Any, kind: str) -> Iterable[tuple[Any, Any, Any]]:
    """Yield the query, document and number of a table or of objects."""
    roles = (_QUERY, _DOCUMENT, _VALUE[kind])
    if hasattr(source, "columns"):
        names = [_column_of(source.columns, role, kind) for role in roles]
        return zip(*(source[name].tolist() for name in names), strict=True)
    return (
        tuple(getattr(one, _column_of(dir(one), role, kind)) for role in roles)
        for one in source
    )


def _column_of(names: Iterable[str], role: Sequence[str], kind: str) -> str:
    pool = set(names)
    for name in role:
        if name in pool:
            return name
    problem = f"There is no {' or '.join(role)}"
    raise DataError(problem, "Name it so", kind)
