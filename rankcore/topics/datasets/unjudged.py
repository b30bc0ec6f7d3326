"""Documents without a judgement: their number, and their effect on measures.

A measure counts an unjudged document as irrelevant, which is unfair to a model that
finds documents that nobody has judged yet. There are two remedies: the same measure on
condensed lists, from which unjudged documents are removed (T. Sakai, "Alternatives to
bpref", SIGIR 2007), and bpref, which uses only judged documents (C. Buckley, E. M.
Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcore import measures
from rankcore.data.dataset import RankingDataset
from rankcore.measures import STANDARD, Rules
from rankcore.measures.judged import Judged

BPREF = "Bpref"
# Formats of the columns of `table`.
FORMATS = {
    "all documents": "%.3f",
    "judged only": "%.3f",
    "% judged": "%.0f",
    "bpref": "%.3f",
}
NOTE = (
    "judged only: lists without unjudged documents; % judged: of the documents that "
    "the measure looks at; bpref leaves unjudged documents out"
)


class UnjudgedMeasure(NamedTuple):
    """A measure of rankings, some documents of which are unjudged.

    Attributes
    ----------
    value : float
        Mean over queries, with unjudged documents as irrelevant.
    condensed : float
        The same on condensed lists.
    judged : float
        Mean share of judged documents among those that the measure uses, in [0, 1].
    """

    measure: str
    value: float
    condensed: float
    judged: float


class Report(NamedTuple):
    """The reliability of measures on partly unjudged data.

    Attributes
    ----------
    documents, unjudged : int
        All documents, and those without a judgement.
    bpref : float
        Mean of Bpref over the queries with a relevant document; NaN if there is none.
    rows : list of UnjudgedMeasure
        One a measure.
    """

    documents: int
    unjudged: int
    bpref: float
    rows: list[UnjudgedMeasure]


def report(
    dataset: RankingDataset,
    scores: ArrayLike,
    names: Sequence[str],
    rules: Rules = STANDARD,
) -> Report:
    """Measure rankings, and their share of judged documents.

    Parameters
    ----------
    scores : (n,) float64
        In the order of ``dataset.X``, higher is better.
    names : sequence of str
        Measures.
    rules : Rules
        Evaluation rules.
    """
    array = np.asarray(scores, dtype=np.float64)
    plain = measures.means(dataset, array, names, *rules)
    judged = judged_rows(dataset)
    without = condensed(dataset)
    fewer = measures.means(without, array[judged], names, *rules)
    shares = [str(Judged(cutoff=measures.parse(name).cutoff)) for name in plain]
    judgements = measures.means(
        dataset, array, [*shares, BPREF], rules.convention, "skip"
    )
    rows = [
        UnjudgedMeasure(name, plain[name], fewer[name], judgements[share])
        for name, share in zip(plain, shares, strict=True)
    ]
    n = dataset.n_documents
    return Report(n, n - dataset.n_judged, judgements[BPREF], rows)


def sentence(dataset: RankingDataset, split: str) -> str:
    """Return a sentence on the documents without a judgement; "" if all have one.

    Parameters
    ----------
    split : str
        Name of the split, such as ``test``.
    """
    n, missing = dataset.n_documents, dataset.n_documents - dataset.n_judged
    if missing == n:
        return (
            f"None of the {n:,} {split} documents has a judgement: no measure can "
            "assess their rankings."
        )
    if not missing:
        return ""
    return (
        f"{missing:,} of {n:,} {split} documents have no judgement and count as "
        "irrelevant."
    )


def table(
    dataset: RankingDataset,
    rankings: Mapping[str, ArrayLike],
    names: Sequence[str],
    rules: Rules = STANDARD,
) -> list[dict[str, Any]]:
    """Return measures of rankings, and those of judged documents only, as rows.

    Parameters
    ----------
    rankings : dict of str to (n,) float64
        Scores by model name, which is a column if there are several.
    names : sequence of str
        Measures.
    rules : Rules
        Evaluation rules.

    Returns
    -------
    list of dict
        Empty if all documents are judged, or none.
    """
    if dataset.n_judged in (0, dataset.n_documents):
        return []
    rows: list[dict[str, Any]] = []
    for model, scores in rankings.items():
        unjudged = report(dataset, scores, names, rules)
        rows += [
            ({"model": model} if len(rankings) > 1 else {})
            | {
                "measure": row.measure,
                "all documents": row.value,
                "judged only": row.condensed,
                "% judged": 100.0 * row.judged,
                "bpref": unjudged.bpref,
            }
            for row in unjudged.rows
        ]
    return rows


def judged_rows(dataset: RankingDataset) -> NDArray[np.bool_]:
    """Mask (n,) of the documents that have a judgement."""
    if dataset.judged is None:
        return np.ones(dataset.n_documents, dtype=np.bool_)
    return dataset.judged


def condensed(dataset: RankingDataset) -> RankingDataset:
    """Return the judged documents alone; queries without any are left out.

    Raises
    ------
    DataError
        If no document is judged.
    """
    rows = np.flatnonzero(judged_rows(dataset))
    queries = np.repeat(np.array(dataset.query_ids, dtype=object), dataset.lengths)
    return RankingDataset.from_arrays(
        dataset.X[rows],
        dataset.y[rows],
        queries[rows],
        doc_ids=[dataset.doc_ids[row] for row in rows],
        feature_names=dataset.feature_names,
        name=dataset.name,
    )
