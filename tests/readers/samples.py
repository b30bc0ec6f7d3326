"""A sound file of every kind that is read, and what reads it.

Tests over `SAMPLES` hold for every reader; `test_every_reader.py` sees that none is
missing.
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, RankingDataset, read_feature_log, read_letor
from rankcore.data.clicks import read_clicks
from rankcore.data.formats.parts.group_sizes import read_sizes
from rankcore.data.formats.parts.query_weights import (
    read_document_weights,
    read_query_weights,
)
from rankcore.data.formats.parts.table import read_table
from rankcore.data.judgements import Judgements, read_judgements
from rankcore.data.rankings import Rankings, read_rankings
from rankcore.data.ratings import read_ratings
from rankcore.data.readers import read

RATINGS = """query,document,judge,label
1,P1,Ann,2
1,P1,Bob,1
1,P2,Ann,0
1,P2,Bob,0
2,P1,Ann,3
2,P1,Bob,3
"""


def file_fixture(name: str, text: str) -> Any:
    """A fixture: a file with a text."""

    @pytest.fixture
    def file(tmp_path):
        path = tmp_path / name
        path.write_text(text)
        return path

    return file


def refusal(
    read: Callable[..., Any], content: Any, problem: str, *place: int | str | None
) -> DataError:
    """The error of reading what is broken, which names the file, and has a remedy; in
    this line and column, if they are told."""
    with pytest.raises(DataError) as caught:
        read(content, name="broken")
    assert problem in caught.value.problem
    assert caught.value.file == "broken"
    assert caught.value.remedy
    assert place in ((), (caught.value.line, caught.value.column))
    return caught.value


@dataclass(frozen=True)
class Sample:
    """A sound file.

    Attributes
    ----------
    reader : callable
        Reads the file, or its content.
    content : bytes
    options : dict
        Arguments of the reader.
    is_text : bool
        Whether it is text in UTF-8, which may be packed and begin with a mark.
    """

    reader: Callable[..., Any]
    content: bytes
    options: dict[str, Any]
    is_text: bool = True

    def read(self, content: Any) -> Any:
        """Read other content as this file is read."""
        return self.reader(content, **self.options)


def csv(names: str, rows: list[tuple[object, ...]], separator: str = ",") -> bytes:
    lines = [names.split(), *rows]
    return "".join(separator.join(map(str, line)) + "\n" for line in lines).encode()


def objects(names: str, rows: list[tuple[object, ...]]) -> bytes:
    lines = (json.dumps(dict(zip(names.split(), row, strict=True))) for row in rows)
    return "\n".join(lines).encode()


def parquet(names: str, rows: list[tuple[object, ...]]) -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(rows, columns=names.split()).to_parquet(stream)
    return stream.getvalue()


CLICKED = "query session document position clicked propensity"
CLICKS = [
    (f"q{n // 6}", f"s{n // 3}", f"d{n % 3}", 1 + n % 3, n % 2, 1 / (1 + n % 3))
    for n in range(24)
]
RETURNED = [(f"q{n // 5}", f"d{n}", 9.5 - n) for n in range(20)]
JUDGED = [(f"q{n // 5}", f"d{n}", n % 3) for n in range(20)]
RATED = [(f"q{n // 8}", f"d{n // 2}", "AB"[n % 2], n % 3) for n in range(24)]
FEATURES = [(n % 3, f"q{n // 5}", f"d{n}", n + 0.5, 1) for n in range(20)]
TABLE = "label query docid price stars"
RUN: dict[str, dict[str, float]] = {}
for _query, _document, _score in RETURNED:
    RUN.setdefault(_query, {})[_document] = _score


def lines(pattern: str, rows: list[tuple[object, ...]]) -> bytes:
    return "".join(pattern.format(*row) for row in rows).encode()


def _sample(
    reader: Callable[..., Any],
    content: bytes | str,
    is_text: bool = True,
    **options: Any,
) -> Sample:
    whole = content if isinstance(content, bytes) else content.encode()
    return Sample(reader, whole, options, is_text)


SAMPLES: dict[str, Sample] = {
    "clicks, CSV": _sample(read_clicks, csv(CLICKED, CLICKS)),
    "clicks, objects": _sample(read_clicks, objects(CLICKED, CLICKS)),
    "clicks, Parquet": _sample(read_clicks, parquet(CLICKED, CLICKS), False),
    "rankings, TREC": _sample(
        read_rankings, lines("{0} Q0 {1} 1 {2} bm25\n", RETURNED)
    ),
    "rankings, CSV": _sample(read_rankings, csv("query docid score", RETURNED)),
    "rankings, JSON": _sample(read_rankings, json.dumps(RUN)),
    "rankings, JSON over lines": _sample(read_rankings, json.dumps(RUN, indent=1)),
    "rankings, objects": _sample(
        read_rankings, objects("query document score", RETURNED)
    ),
    "judgements, qrels": _sample(read_judgements, lines("{0} 0 {1} {2}\n", JUDGED)),
    "judgements, CSV": _sample(read_judgements, csv("query docid label", JUDGED)),
    "judgements, list": _sample(
        read_judgements, b"# qid:q0: mug*1\n" + lines("{2} qid:{0} # {1}\n", JUDGED)
    ),
    "ratings": _sample(read_ratings, csv("query document rater label", RATED)),
    "weights of queries": _sample(
        read_query_weights, lines("{0},{1}\n", [(f"q{n}", 1 + n / 2) for n in range(9)])
    ),
    "weights of documents": _sample(
        read_document_weights, lines("{0},{1},{2}\n", JUDGED)
    ),
    "sizes of queries": _sample(read_sizes, b"3\n5\n2\n"),
    "LETOR": _sample(
        read_letor, lines("{0} qid:{1} 1:{3} 2:{4} # {2}\n", FEATURES), name="f.txt"
    ),
    "CSV": _sample(read_table, csv(TABLE, FEATURES)),
    "CSV, semicolons": _sample(read_table, csv(TABLE, FEATURES, ";")),
    "Parquet": _sample(read_table, parquet(TABLE, FEATURES), False),
    "feature log": _sample(
        read_feature_log,
        lines(
            '{{"label": {0}, "qid": "{1}", "id": "{2}", "[features]": "price={3}"}}\n',
            FEATURES,
        ),
        name="f.ndjson",
    ),
    "any, LETOR": _sample(read, lines("{0} qid:{1} 1:{3} # {2}\n", FEATURES)),
    "any, CSV": _sample(read, csv(TABLE, FEATURES)),
    "any, Parquet": _sample(read, parquet(TABLE, FEATURES), False),
    "any, feature log": _sample(
        read,
        lines(
            '{{"label": {0}, "qid": "{1}", "id": "{2}", "[features]": "price={3}"}}\n',
            FEATURES,
        ),
    ),
}


def plain(value: Any) -> Any:
    """Return what was read as values that can be compared."""
    if isinstance(value, RankingDataset):
        return value.fingerprint
    if isinstance(value, Judgements):
        return dict(value), value.query_texts, value.negative
    if isinstance(value, Rankings):
        return (
            value.query_ids,
            value.offsets.tolist(),
            value.doc_ids,
            plain(value.scores),
        )
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(one) for name, one in vars(value).items() if name != "name"}
    return value
