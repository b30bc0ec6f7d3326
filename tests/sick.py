"""A table with problems of many kinds, and what is found in one."""

from pathlib import Path
from typing import Any

import numpy as np

from rankcore import RankingDataset
from rankcore.data.formats import of_name
from rankcore.data.formats.parts.source import source_name
from rankcore.data.readers import find_problems, read
from rankcore.topics.datasets.findings import Examination, Finding, examination

HEAD = "label,qid,docid,price,size,weight,clicked,row,product_id,currency,rare"
N_QUERIES, N_DOCUMENTS = 40, 12
# How many rows of each kind.
UNREADABLE, MISSING, UNJUDGED, NEGATIVE, COPIES, DIFFER = 12, 60, 15, 10, 25, 15
N_PROBLEMS = UNREADABLE + MISSING + UNJUDGED + NEGATIVE + COPIES + DIFFER


def sick_table() -> bytes:
    """Return CSV that no reader takes as it is: 137 rows of it have problems, and five
    of its eight features."""
    rng = np.random.default_rng(5)
    rows: list[list[str]] = []
    for query in range(N_QUERIES):
        for document in range(N_DOCUMENTS):
            label = int(rng.integers(0, 4))
            rare = f"{rng.normal():.3f}" if rng.random() < 0.2 else ""
            rows.append(
                [
                    *(str(label), f"q{query}", f"d{document}"),
                    f"{rng.normal():.4f}",
                    f"{rng.normal() * 1e5:.1f}",
                    f"{rng.normal():.4f}",
                    f"{label + rng.normal(0, 0.01):.4f}",
                    str(len(rows)),
                    str(rng.integers(10**5, 10**6)),
                    "1",
                    rare,
                ]
            )
    at = rng.permutation(len(rows)).tolist()

    def take(n: int, *labels: str) -> list[list[str]]:
        chosen = [row for row in at if not labels or rows[row][0] in labels][:n]
        at[:] = [row for row in at if row not in chosen]
        return [rows[row] for row in chosen]

    again = []
    for row in take(DIFFER, "3"):
        again += [[label, *row[1:]] for label in "01"]
    for row in take(NEGATIVE, "0"):
        row[0] = "-2"
    for row in take(UNREADABLE):
        row[3] = "oops"
    for at_row, row in enumerate(take(MISSING)):
        row[5] = ["", "NA", "-"][at_row % 3]
    for row in take(UNJUDGED):
        row[0] = ""
    again += map(list, take(COPIES))
    lines = [",".join(row) for row in [*rows, *again]]
    return "\n".join([HEAD, *lines, ""]).encode()


def examine(
    source: str | Path | bytes, *, name: str | None = None, **options: Any
) -> Examination:
    """Examine one file, with these options of reading."""
    kind = of_name(source_name(source, name))
    return examination(
        lambda chosen: {"train": read(source, name=name, **kind.accepted(chosen))},
        lambda _, chosen: find_problems(source, name=name, **kind.accepted(chosen)),
        options,
    )


def defaults(findings: list[Finding]) -> dict[str, str]:
    """Return the first remedy of each finding that has one, by its key."""
    return {one.key: next(iter(one.remedies)) for one in findings if one.remedies}


def numbered(query_ids, seed=0):
    """Three documents of noise for each of the queries."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(query_ids, 3)
    return RankingDataset.from_arrays(
        rng.normal(size=(len(qid), 2)), rng.integers(0, 3, len(qid)), qid
    )
