"""Rankings and judgements in the formats of trec_eval: TREC runs and qrels.

trec_eval ignores the ranks in a run. It reads scores in single precision and orders
documents by descending score, and ties by document name, in reverse alphabetical order.
The ranks written here agree with that order.
"""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rankcore.base.errors import DataError

if TYPE_CHECKING:
    from rankcore.data.dataset import RankingDataset


def trec_run(dataset: "RankingDataset", scores: ArrayLike, tag: str) -> str:
    """Return rankings as lines of ``query Q0 document rank score tag``, ranks from 1.

    Parameters
    ----------
    scores : (n,) array
        Scores of the documents in the order of ``dataset.X``; higher is better.
    tag : str
        Name of the run; spaces become ``_``.

    Raises
    ------
    ValueError
        If there is not one finite number per document.
    """
    values = np.asarray(scores, np.float64)
    if values.shape != (dataset.n_documents,) or not np.isfinite(values).all():
        raise ValueError(
            f"A TREC run needs one finite score for each of the {dataset.n_documents} "
            f"documents, but there are {values.size}, {np.isfinite(values).sum()} of "
            "them finite."
        )
    name = run_words([tag or "rankscope"])[0]
    with np.errstate(over="ignore"):
        read = values.astype(np.float32)
    ranks = [f" {rank} " for rank in range(1, 1 + max(dataset.lengths, default=0))]
    lines = []
    for query, documents, rows in _queries(dataset):
        query_values, keys = values[rows].tolist(), (-read[rows]).tolist()
        order = list(range(len(query_values)))
        if len(set(keys)) < len(keys):
            order.sort(key=documents.__getitem__, reverse=True)
        order.sort(key=keys.__getitem__)
        start, end = f"{query} Q0 ", f" {name}\n"
        lines += [
            f"{start}{documents[at]}{rank}{query_values[at]!r}{end}"
            for rank, at in zip(ranks, order, strict=False)
        ]
    return "".join(lines)


def qrels(dataset: "RankingDataset") -> str:
    """Return judgements as lines of ``query 0 document label``, with names as in
    `trec_run`.

    Raises
    ------
    DataError
        If a label is a fraction.
    """
    dataset.check_whole("judgements of trec_eval have")
    return "".join(
        f"{query} 0 {document} {label}\n"
        for query, documents, rows in _queries(dataset)
        for document, label in zip(documents, dataset.y[rows].tolist(), strict=True)
    )


def qrels_text(dataset: "RankingDataset") -> str:
    """Return `qrels`, or a comment with the reason why there are none."""
    try:
        return qrels(dataset)
    except DataError as error:
        return f"# {error}\n"


def archive(files: Mapping[str, str]) -> bytes:
    """Return several files as one ZIP file, identical for identical files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in files.items():
            # Without modification times.
            target.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _queries(dataset: "RankingDataset") -> Iterator[tuple[str, list[str], slice]]:
    """Yield the name, document names and rows of each query."""
    names = run_words(dataset.query_ids)
    for index, name in enumerate(names):
        query = dataset.query(index)
        yield name, run_words(query.doc_ids), query.slice


def run_words(names: Sequence[str]) -> list[str]:
    """Return names without spaces, which end a column; duplicates get their number,
    from 1."""
    plain = " ".join(names).split()
    if plain == list(names):
        return plain
    plain = [name if name.split() == [name] else "" for name in names]
    in_use = set(plain)
    for number, name in enumerate(names, start=1):
        if plain[number - 1]:
            continue
        word = "_".join(name.split()) or "_"
        while word in in_use:
            word = f"{word}_{number}"
        in_use.add(word)
        plain[number - 1] = word
    return plain
