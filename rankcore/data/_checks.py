"""Checks that the parts of a data set are consistent; they raise DataError."""

import numpy as np
from numpy.typing import NDArray

from rankcore.base.arrays import Integers
from rankcore.base.errors import DataError


def check_offsets(offsets: Integers, n_documents: int) -> None:
    """Check that (q + 1,) offsets divide the documents into non-empty queries."""
    fits = (
        offsets.ndim == 1
        and len(offsets) >= 2
        and offsets[0] == 0
        and offsets[-1] == n_documents
        and bool((np.diff(offsets) > 0).all())
    )
    if not fits:
        raise DataError(
            "The query offsets do not divide the documents into non-empty queries",
            f"Give one offset more than queries, increasing from 0 to {n_documents}",
        )


def check_rows(rows: Integers, n_documents: int) -> None:
    """Check that (n,) row numbers are distinct."""
    fits = rows.shape == (n_documents,)
    if not fits or (
        np.any(rows[:-1] >= rows[1:]) and len(set(rows.tolist())) < len(rows)
    ):
        raise DataError(
            "The original row numbers are not one distinct number per document",
            "Omit rows, or give the original row of each document",
        )


def check_distinct(strings: tuple[str, ...], what: str) -> None:
    """Check that no identifier of a kind occurs twice."""
    if len(set(strings)) < len(strings):
        twice = strings[_first_repeated(strings)]
        raise DataError(
            f"The {what} {twice!r} occurs twice", f"Give each {what} only once"
        )


def check_documents(
    doc_ids: tuple[str, ...],
    offsets: Integers,
    query_ids: tuple[str, ...],
    rows: Integers,
) -> None:
    """Check that no document occurs twice in a query; ``rows`` says where."""
    bounds = offsets.tolist()
    for i, query_id in enumerate(query_ids):
        documents = doc_ids[bounds[i] : bounds[i + 1]]
        if len(set(documents)) < len(documents):
            again = _first_repeated(documents)
            raise DataError(
                f"Document {documents[again]!r} occurs twice in query {query_id!r}",
                "Keep one row for each document of a query",
                line=int(rows[bounds[i] + again]) + 1,
            )


def check_judged(judged: NDArray[np.bool_], labels: Integers) -> None:
    """Check (n,) flags of judged documents; unjudged ones must have the label 0."""
    if judged.shape != labels.shape or labels[~judged].any():
        raise DataError(
            "The judged flags do not match the labels",
            "Give one flag per document, and the label 0 to unjudged documents",
        )


def _first_repeated(strings: tuple[str, ...]) -> int:
    firsts = {string: i for i, string in reversed(list(enumerate(strings)))}
    return next(i for i, string in enumerate(strings) if firsts[string] != i)
