"""Rankings and judgements as a table with the rankers' scores as features."""

from collections.abc import Mapping

import numpy as np

from rankcore.base.errors import DataError
from rankcore.base.spreadsheets import csv_text
from rankcore.data.dataset import RankingDataset
from rankcore.data.judgements import Judgements
from rankcore.data.rankings import Rankings


def judged_table(rankings: Mapping[str, Rankings], judgements: Judgements) -> bytes:
    r"""Return CSV with a row for each document that is judged or ranked, for the
    queries that have both.

    Its columns are query, document, label (blank if the document is unjudged), and the
    score of each ranker; documents that a ranker did not return score below its others.

    Parameters
    ----------
    rankings : dict of str to Rankings
        Rankings by the names of their columns of scores.

    Raises
    ------
    DataError
        If no query of the rankings is judged.

    Examples
    --------
    >>> from rankcore.data.rankings import read_rankings
    >>> run = read_rankings(b"mug Q0 A 1 9.5 x\nmug Q0 B 2 7.0 x\n")
    >>> print(judged_table({"bm25": run}, Judgements({"mug": {"B": 2}})).decode())
    query,document,label,bm25
    mug,B,2,7.0
    mug,A,,9.5
    <BLANKLINE>
    """
    names: dict[str, dict[str, None]] = {query: {} for query in judgements}
    for ranking in rankings.values():
        bounds = ranking.offsets.tolist()
        for at, query in enumerate(ranking.query_ids):
            if query in names:
                begin, end = bounds[at : at + 2]
                names[query] |= dict.fromkeys(ranking.doc_ids[begin:end])
    rows = [
        (query, document)
        for query, ids in names.items()
        if ids
        for document in {**dict.fromkeys(judgements[query]), **ids}
    ]
    if not rows:
        first = next(iter(judgements), "")
        raise DataError(
            "No query of the rankings is judged",
            f"Use the same query names in both files: the first judged is {first!r}",
        )
    queries, documents = zip(*rows, strict=True)
    labels = [judgements[query].get(document, "") for query, document in rows]
    dataset = RankingDataset.from_arrays(
        np.zeros((len(rows), 1)), np.zeros(len(rows)), queries, doc_ids=documents
    )
    scores = [ranking.scores_of(dataset).tolist() for ranking in rankings.values()]
    head = ["query", "document", "label", *rankings]
    table = zip(queries, documents, labels, *scores, strict=True)
    return csv_text([head, *table]).encode()
