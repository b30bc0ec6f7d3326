"""LETOR text read line by line with regular expressions, as an oracle."""

import math
import re
from collections import Counter
from typing import NamedTuple

NUMBER = rb"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
LABEL = re.compile(rb"[+-]?" + NUMBER)
QUERY = re.compile(rb"qid:([^\x00-\x20\x7f]+)")
FEATURE = re.compile(rb"(\d+):([+-]?" + NUMBER + rb")")
DOCUMENT = re.compile(rb"docid[ \t]*=[ \t]*([^\x00-\x20]*)")
CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f]")
MAX_LABEL = 31
MAX_FEATURE = 100_000


class Row(NamedTuple):
    label: int
    query: str
    document: str
    features: dict[int, float]


def read(text: bytes) -> list[Row]:
    """Return the rows of a good file, or raise ValueError."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rows = [row for line in lines if (row := _row(line.removesuffix(b"\r")))]
    if not rows:
        raise ValueError("no rows")
    queries = _decode([row[1] for row in rows])
    comments = _decode([row[2] for row in rows])
    places: Counter[str] = Counter()
    result = []
    for (label, _, _, features), query, comment in zip(
        rows, queries, comments, strict=True
    ):
        places[query] += 1
        has_texts = any("\t" in other for other in comments)
        value = comment.split("\t")[0].rstrip() if has_texts else comment
        document = value or f"d{places[query]}"
        result.append(Row(label, query, document, features))
    if max(Counter((row.query, row.document) for row in result).values()) > 1:
        raise ValueError("a document twice")
    return result


def _row(line: bytes) -> tuple[int, bytes, bytes, dict[int, float]] | None:
    body, _, comment = line.partition(b"#")
    comment = comment.lstrip(b"#\r").strip(b" \t")
    if CONTROL.search(comment):
        raise ValueError("not text")
    tokens = re.findall(rb"[^ \t]+", body)
    if not tokens:
        return None
    label = LABEL.fullmatch(tokens[0]) and float(tokens[0])
    if not label and label != 0.0:
        raise ValueError("label")
    if label > MAX_LABEL or label != math.floor(label) or len(tokens[0]) > 18:
        raise ValueError("label")
    query = QUERY.fullmatch(tokens[1]) if len(tokens) > 1 else None
    if query is None:
        raise ValueError("query")
    features: dict[int, float] = {}
    for token in tokens[2:]:
        feature = FEATURE.fullmatch(token)
        if feature is None:
            raise ValueError("feature")
        index, value = int(feature[1]), float(feature[2])
        if index in features or index > MAX_FEATURE:
            raise ValueError("index")
        if not math.isfinite(value):
            raise ValueError("value")
        features[index] = value
    document = DOCUMENT.match(comment)
    return max(int(label), 0), query[1], document[1] if document else comment, features


def _decode(texts: list[bytes]) -> list[str]:
    joined = b"\n".join(texts)
    try:
        return joined.decode().split("\n")
    except UnicodeDecodeError:
        return joined.decode("latin-1").split("\n")
