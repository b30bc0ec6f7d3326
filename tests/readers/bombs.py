"""Small files that ask for much: each is at most 50 MB and may cost at most 1 GB.

Run as a program, it reads files in processes of their own and prints what each cost:
``python -m tests.readers.bombs KIND PATH [KIND PATH …]``.
"""

import gzip
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

MOST_BYTES = 50 * 2**20
NEARLY = MOST_BYTES - 2**13
MOST_MEMORY = 10**9
ADDRESS_SPACE = 16 * 2**30
SECONDS = 60

# Endings of files that are no data of a learner.
KINDS = (
    *("clicks", "frame", "group", "model", "qrels", "ranked", "raters", "run"),
    *("pairs", "weights", "yaml"),
)
# Before a kind: it is uploaded on a page.
PAGE = "page:"
# The page by the kind, its control, and the ending that it takes.
UPLOADS = {
    "data": ("data", "upload", ""),
    "model": ("inspect", "upload_model", "json"),
    "yaml": ("lessons", "lesson_upload", "yaml"),
}

LETOR_ROW = b"1 qid:1 1:0.5\n"
CSV_HEAD = b"label,query,a\n"
CLICKS_HEAD = b"query,session,document,position,clicked\n"


def repeated(piece: bytes, size: int = NEARLY) -> bytes:
    return piece * (size // len(piece))


def members(count: int, piece: bytes, begin: bytes = b"") -> bytes:
    """Many MB of the same, compressed; the members are joined as gzip allows."""
    return gzip.compress(begin) + gzip.compress(repeated(piece, 2**20)) * count


def gz(path: Path, parts: Iterator[bytes]) -> None:
    with gzip.open(path, "wb", compresslevel=6) as file:
        for part in parts:
            file.write(part)


def constant(
    path: Path, rows: int, columns: int, groups: int = 1, **options: object
) -> None:
    """The same few values in every row: a run of them takes a few bytes."""
    values = pa.array([0.0]).take(pa.array([0] * rows, pa.int32()))
    numbers = dict.fromkeys((f"f{i}" for i in range(columns)), values)
    grades = values.cast(pa.int8())
    table = pa.table({"label": grades, "query": grades, **numbers})
    with parquet.ParquetWriter(path, table.schema, **options) as writer:
        for _ in range(groups):
            writer.write_table(table)


def strings(path: Path, values: list[str], rows: int, **options: object) -> None:
    """Rows whose document ids repeat a few long strings."""
    indices = pa.array([i % len(values) for i in range(rows)], pa.int32())
    documents = pa.DictionaryArray.from_arrays(indices, pa.array(values))
    ones = pa.array([1] * rows)
    columns = {"label": ones, "query": pa.array(range(rows)), "a": ones}
    table = pa.table({**columns, "docid": documents})
    parquet.write_table(table, path, compression="zstd", **options)


def prefixed(path: Path, length: int, rows: int) -> None:
    """Strings that all begin alike, of which only the ends are stored."""
    schema = pa.schema({"label": pa.int8(), "query": pa.int32(), "docid": pa.string(),
                        "a": pa.int8()})  # fmt: skip
    encoding = {"docid": "DELTA_BYTE_ARRAY", "query": "PLAIN"}
    with parquet.ParquetWriter(
        path, schema, use_dictionary=False, column_encoding=encoding,
        write_statistics=False,
    ) as writer:  # fmt: skip
        documents = [f"{'x' * length}{i}" for i in range(rows)]
        ones = [1] * rows
        columns = [ones, list(range(rows)), documents, ones]
        writer.write_table(pa.table(columns, schema=schema))


def nested(path: Path, items: int, rows: int) -> None:
    zeros = pa.array([0.0]).take(pa.array([0] * items, pa.int32()))
    lists = pa.LargeListArray.from_arrays([0] + [items] * rows, zeros)
    ones = pa.array([1] * rows)
    table = pa.table({"label": ones, "query": ones, "a": ones, "vector": lists})
    parquet.write_table(table, path)


def wide(path: Path, items: int, rows: int) -> None:
    zeros = pa.array([0.0]).take(pa.array([0] * items * rows, pa.int32()))
    lists = pa.FixedSizeListArray.from_arrays(zeros.cast(pa.float32()), items)
    ones = pa.array([1] * rows)
    table = pa.table({"label": ones, "query": ones, "a": ones, "vector": lists})
    parquet.write_table(table, path)


def fixed_binary(path: Path, length: int, rows: int) -> None:
    kind = pa.binary(length)
    once = pa.array([bytes(length)], kind)
    ones = pa.array([1] * rows)
    schema = pa.schema({"label": pa.int64(), "query": pa.int64(), "docid": kind,
                        "a": pa.int64()})  # fmt: skip
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for _ in range(rows):
            row = [ones[:1], ones[:1], once, ones[:1]]
            writer.write_table(pa.table(row, schema=schema))


def one_group_a_row(path: Path, rows: int) -> None:
    table = pa.table({"label": [1], "query": [1], "a": [0.5]})
    with parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(rows):
            writer.write_table(table)


def write(content: Callable[[], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content()) and None


def numbered(row: str, size: int) -> bytes:
    """As many rows as fit, each with its number."""
    rows, n = bytearray(), 0
    while len(rows) < size:
        rows += "".join(row.format(n + i) for i in range(10_000)).encode()
        n += 10_000
    return bytes(rows[:size]).rsplit(b"\n", 1)[0]


def aliases(end: str) -> Callable[[Path], None]:
    """YAML whose lists stand for nine of the list before, nine times over."""
    ninefold = (f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))
    text = "\n".join(["title: t", "a0: &a0 [x]", *ninefold, end])
    return write(text.encode)


def wider_by_the_block() -> Iterator[bytes]:
    """Blocks of comments, and in each block a row with one more feature."""
    for width in range(1, 1200):
        yield b"1 qid:1 %d:1\n" % (20_000 + width) + repeated(b"#\n", 3 * 2**18)


def sparse(path: Path) -> None:
    """A line that is much longer than the file takes room."""
    with path.open("wb") as file:
        file.write(b"1 qid:1 1:0.5")
        file.truncate(2**30)


def wider_by_the_member() -> bytes:
    """Joined files of one row each, with one feature more than the row before."""
    rows = (b"1 qid:%d %d:1\n" % (width, width) for width in range(1, 6001))
    return b"".join(map(gzip.compress, rows))


# The ending of each file's name, and what writes it.
Files = dict[str, tuple[str, Callable[[Path], object]]]
BOMBS: Files = {
    "CSV, 100,000 columns": ("csv", write(lambda: b"label,query," + b",".join(
        b"f%d" % i for i in range(100_000)) + b"\n1,1" + b",0" * 100_000)),
    "CSV, 25 million cells": ("csv", write(lambda: b"label,query" + b"".join(
        b",f%d" % i for i in range(998)) + b"\n" + repeated(b"0," * 999 + b"0\n"))),
    "CSV, 50 MB of short rows": ("csv", write(
        lambda: CSV_HEAD + repeated(b"0,1,2\n"))),
    "CSV, 50 MB of short rows, a query each": ("csv", write(
        lambda: CSV_HEAD + numbered("0,{},2\n", NEARLY))),
    "CSV, 50 MB of blank lines": ("csv", write(lambda: CSV_HEAD + repeated(b"\n"))),
    "CSV, one field of 40 MB": ("csv", write(
        lambda: CSV_HEAD + b'0,1,"' + repeated(b"x\n", 40 * 2**20) + b'"\n')),
    "CSV, an open quotation mark on every line": ("csv", write(
        lambda: CSV_HEAD + repeated(b'0,1,"2\n'))),
    "CSV, one line of 50 MB": ("csv", write(lambda: repeated(b"label,"))),
    "gz CSV, rows of zeros": ("csv.gz", write(lambda: members(
        850, b"0,0,0,0,0,0\n", b"label,query,a,b,c,d\n"))),
    "gz CSV, a row over many lines": ("csv.gz", lambda path: gz(path, (
        CSV_HEAD * (not i) + f'"Ā{"x" * 100_000}\n",'.encode()
        for i in range(10_000)))),
    "gz CSV, long document ids": ("csv.gz", lambda path: gz(path, (
        f"{'' if i else 'label,query,docid,a'}\n".encode() * (not i)
        + f"0,{i},{'é' * 1000}{i}\U0001f600,1\n".encode() for i in range(400_000)))),
    "gz LETOR, rows without end": ("txt.gz", write(lambda: members(
        2000, LETOR_ROW))),
    "gz LETOR, comments without end": ("txt.gz", write(lambda: members(
        2000, b"#\n", LETOR_ROW))),
    "gz LETOR, long document ids": ("txt.gz", lambda path: gz(path, (
        f"0 qid:{i} 1:1 # {'é' * 1000}{i}\U0001f600\n".encode()
        for i in range(600_000)))),
    "gz LETOR, wider by the block": ("txt.gz", lambda path: gz(
        path, wider_by_the_block())),
    "gz LETOR, wider by the member": ("txt.gz", write(wider_by_the_member)),
    "gz LETOR, a query in each member": ("txt.gz", lambda path: path.write_bytes(
        b"".join(gzip.compress(b"1 qid:%d 1:1\n" % i, 1) for i in range(400_000)))),
    "gz LETOR, a line of many members": ("txt.gz", write(
        lambda: repeated(gzip.compress(b"1")))),
    "gz, many empty members": ("txt.gz", write(
        lambda: gzip.compress(LETOR_ROW) + repeated(gzip.compress(b"")))),
    "LETOR, feature 1,000,000,000": ("txt", write(
        lambda: b"1 qid:1 1000000000:1\n")),
    "LETOR, feature 100,000 in many rows": ("txt", write(
        lambda: repeated(b"1 qid:1 100000:1\n"))),
    "LETOR, one line of 50 MB": ("txt", write(lambda: repeated(b"1 "))),
    "LETOR, 50 MB of rows without features": ("txt", write(
        lambda: repeated(b"1 qid:1\n"))),
    "LETOR, 50 MB of rows, a query each": ("txt", write(
        lambda: numbered("1 qid:{0} #{0}\n", NEARLY))),
    "LETOR, 50 MB of blank lines": ("txt", write(
        lambda: LETOR_ROW + repeated(b"\n"))),
    "LETOR, dense, queries in turns": ("txt", write(lambda: b"".join(
        b"0 qid:%d " % (i % 2000) + b" ".join(b"%d:0" % j for j in range(1, 200))
        + b"\n" for i in range(47_000)))),
    "Parquet, constant columns": ("parquet", lambda path: constant(
        path, 5_000_000, 100)),
    "Parquet, three columns": ("parquet", lambda path: constant(path, 9_900_000, 1)),
    "Parquet, 200 million rows": ("parquet", lambda path: constant(
        path, 20_000_000, 1, 10)),
    "Parquet, as many numbers as allowed": ("parquet", lambda path: constant(
        path, 300_000, 100, compression="zstd")),
    "Parquet, a long string repeated": ("parquet", lambda path: strings(
        path, ["x" * 20_000_000], 1000)),
    "Parquet, long strings": ("parquet", lambda path: strings(
        path, [f"{i}" + "x" * 1_000_000 for i in range(500)], 500)),
    "Parquet, one page of long strings": ("parquet", lambda path: strings(
        path, [f"{i}" + "x" * 1_000_000 for i in range(1500)], 1500,
        use_dictionary=False, data_page_size=2**31 - 1)),
    "Parquet, strings with a common beginning": ("parquet", lambda path: prefixed(
        path, 1_000_000, 1000)),
    "Parquet, 20,000 columns": ("parquet", lambda path: constant(path, 1, 20_000)),
    "Parquet, 30,000 row groups": ("parquet", lambda path: one_group_a_row(
        path, 30_000)),
    "Parquet, lists": ("parquet", lambda path: nested(path, 100_000_000, 1)),
    "Parquet, wide lists": ("parquet", lambda path: wide(path, 1_000_000, 200)),
    "Parquet, long binary values": ("parquet", lambda path: fixed_binary(
        path, 5_000_000, 300)),
    "Parquet, brotli": ("parquet", lambda path: constant(
        path, 3_000_000, 200, compression="brotli", use_dictionary=False)),
    "log, 15 MB of empty lists": ("ndjson", write(
        lambda: b"[" + b"[]," * 5_000_000 + b"[]]")),
    "log, objects with a key each": ("ndjson", write(
        lambda: b"[" + b'{"a":{}},' * 1_800_000 + b"[]]")),
    "log, lists in lists": ("ndjson", write(lambda: b"[" * 50_000_000)),
    "log, lists in lists, few": ("ndjson", write(
        lambda: b"[" * 900 + b"]" * 900)),
    "log, 50 MB of one value": ("json", write(lambda: repeated(b"[\n"))),
    "log, a new feature in each document": ("ndjson", write(lambda: b"".join(
        b'{"qid":1,"id":%d,"label":1,"[features]":"f%d=1"}\n' % (i, i)
        for i in range(900_000)))),
    "log, documents with one feature": ("ndjson", write(lambda: numbered(
        '{{"qid":1,"id":{0},"label":1,"[features]":"f=1"}}\n', NEARLY))),
    "gz log, many features": ("ndjson.gz", lambda path: gz(path, (
        b'{"qid":%d,"id":%d,"label":1,"[features]":"%s"}\n' % (i, i, b",".join(
            b"f%d=1" % j for j in range(1000))) for i in range(60_000)))),
    "gz LETOR, long document ids, few": ("txt.gz", lambda path: gz(path, (
        f"0 qid:{i} 1:1 # {'é' * 100_000}{i}\U0001f600\n".encode()
        for i in range(1200)))),
    "gz, many empty members, few": ("txt.gz", write(
        lambda: gzip.compress(LETOR_ROW) + gzip.compress(b"") * 100_000)),
    "Parquet, three columns, few": ("parquet", lambda path: constant(
        path, 3_000_000, 1)),
    "a frame of objects": ("frame", write(lambda: b"")),
    "CSV, a head of NULs": ("csv", write(lambda: bytes(NEARLY))),
    "CSV, 1,000,000 columns": ("csv", write(lambda: b"label,query" + b"".join(
        b",f%d" % i for i in range(10**6)) + b"\n1,1" + b",0" * 10**6)),
    "CSV, a number of 1,000,000 digits": ("csv", write(
        lambda: CSV_HEAD + b"1,1," + b"9" * 10**6 + b"\n" + b"1" * 10**6 + b",1,1\n")),
    "LETOR, a number of 1,000,000 digits": ("txt", write(
        lambda: b"1 qid:1 1:" + b"9" * 10**6 + b"\n")),
    "LETOR, a query of accents, a document that turns the reading": ("txt", write(
        f"1 qid:a{chr(0x301) * 10**6} 1:1 # {chr(0x202E) * 10**5}".encode)),
    "LETOR, a line of 1 GB in a file with holes": ("txt", sparse),
    "log, a number of 1,000,000 digits": ("ndjson", write(
        lambda: b'{"qid":1,"id":1,"label":' + b"9" * 10**6 + b"}")),
    "log, features that are nearly pairs": ("ndjson", write(lambda: b"".join(
        b'{"qid":1,"id":%d,"label":1,"[features]":"%s"}\n' % (i, text * 500_000)
        for i, text in enumerate((b"a=1 ", b"=,:; "))))),
    "gz judgements without end": ("qrels.gz", write(
        lambda: members(850, b"q 0 d 1\n", b"q 0 e 1\n"))),
    "judgements, another document in each line": ("qrels", write(
        lambda: numbered("q 0 d{0} 1\n", NEARLY))),
    "judgements, one line of 50 MB": ("qrels", write(lambda: repeated(b"q "))),
    "clicks, another session in each line": ("clicks", write(
        lambda: CLICKS_HEAD + numbered("mug,{0},A,1,1\n", NEARLY))),
    "clicks, another document in each line": ("clicks", write(
        lambda: CLICKS_HEAD + numbered("mug,{0},{0},1,1\n", NEARLY))),
    "clicks, another query in each line": ("clicks", write(
        lambda: CLICKS_HEAD + numbered("{0},1,A,1,1\n", NEARLY))),
    "gz clicks without end": ("clicks.gz", write(
        lambda: members(850, b"q,1,d,1,0\n", CLICKS_HEAD))),
    "gz clicks, long names": ("clicks.gz", lambda path: gz(path, (
        CLICKS_HEAD * (not i) + f"q,{i},{'é' * 1000}{i}\U0001f600,1,0\n".encode()
        for i in range(400_000)))),
    "clicks, one line of 50 MB": ("clicks", write(lambda: repeated(b"session,"))),
    "clicks, lists in lists": ("clicks", write(lambda: b"[" * 50_000_000)),
    "gz rankings without end": ("ranked.gz", write(
        lambda: members(850, b"q Q0 d 1 1 x\n", b"q Q0 d 1 1 x\n"))),
    "rankings, another document in each line": ("ranked", write(
        lambda: numbered("q Q0 d{0} 1 1 x\n", NEARLY))),
    "rankings, one line of 50 MB": ("ranked", write(lambda: repeated(b"q "))),
    "rankings, one query in JSON": ("ranked", write(
        lambda: b'{"q":{' + numbered('"d{0}":1,\n', NEARLY) + b'"d":1}}')),
    "rankings, a query each in JSON": ("ranked", write(
        lambda: b"{" + numbered('"q{0}":{{"d":1}},\n', NEARLY) + b'"q":{"d":1}}')),
    "rankings, JSON in one line, with a letter of four bytes": ("ranked", write(
        lambda: '{"\U0001f600":{'.encode() + numbered('"d{0}":1,\n', NEARLY).replace(
            b"\n", b"") + b'"d":1}}')),
    "rankings, objects over lines": ("ranked", write(lambda: numbered(
        '{{"query":\n"q","id":{0},\n"score":1}}\n', NEARLY) + b'"score":1}')),
    "rankings, an object of keys, one of them twice": ("ranked", write(
        lambda: b"[{" + numbered('"d{0}":1,\n', NEARLY) + b'"d1":1}]')),
    "rankings, one key of 50 MB": ("ranked", write(
        lambda: b'{"q":{"' + repeated(b"\\a") + b'":1}}')),
    "gz rankings in JSON without end": ("ranked.gz", write(
        lambda: members(850, b'"d":1,\n', b'{"q":{\n'))),
    "gz, many empty members before rankings": ("ranked.gz", write(
        lambda: repeated(gzip.compress(b"")) + gzip.compress(b"q Q0 d 1 1 x\n"))),
    "rankings, lists in lists": ("ranked", write(lambda: b"[" * 50_000_000)),
    "ratings, another rater and label in each line": ("raters", write(
        lambda: b"query,document,rater,label\n" + numbered("q,d,{0},{0}\n", NEARLY))),
    "gz ratings without end": ("raters.gz", write(
        lambda: members(850, b"q,d,a,1\n", b"query,document,rater,label\nq,e,a,1\n"))),
    "gz ratings, long names": ("raters.gz", lambda path: gz(path, (
        b"query,document,rater,label\n" * (not i)
        + f"q,{i},{'é' * 1000}{i}\U0001f600,1\n".encode() for i in range(400_000)))),
    "ratings, one line of 50 MB": ("raters", write(lambda: repeated(b"rater,"))),
    "weights, another query in each line": ("weights", write(
        lambda: numbered("q{0} 1\n", NEARLY))),
    "gz weights, a query each": ("weights.gz", lambda path: gz(path, (
        numbered("q{0} 1\n", 2**20).replace(b"q", b"%d-" % i) + b"\n"
        for i in range(100)))),
    "gz weights, long names": ("weights.gz", lambda path: gz(path, (
        f"{'é' * 1000}{i}\U0001f600 1\n".encode() for i in range(400_000)))),
    "weights, one line of commas": ("weights", write(
        lambda: b"q" + b"," * 10**6 + b"a b\n")),
    "weights, one line of 50 MB": ("weights", write(lambda: repeated(b"q "))),
    "weights of documents, another in each line": ("pairs", write(
        lambda: numbered("q d{0} 1\n", NEARLY))),
    "gz weights of documents, another query in each line": ("pairs.gz", lambda path: gz(
        path, (numbered("q{0} d 1\n", 2**20).replace(b"q", b"%d-" % i) + b"\n"
               for i in range(100)))),
    "weights of documents, one line of commas": ("pairs", write(
        lambda: b"q," + b"," * 10**6 + b"a b\n")),
    # No model file is larger than 32 MiB.
    "model of RankLib, tags without end": ("model", write(
        lambda: b"## LambdaMART\n<ensemble>\n" + repeated(b"<split>", 2**24))),
    "model of RankLib, coefficients without end": ("model", write(
        lambda: b"## Coordinate Ascent\n" + numbered("{0}:1 ", 2**24))),
    "model of LightGBM, leaves without end": ("model", write(
        lambda: b"tree\nversion=v4\nTree=0\nnum_leaves=9\nleaf_value="
        + repeated(b"1 ", 2**24))),
    "model of XGBoost, lists in lists": ("model", write(
        lambda: b'{"learner":{"gradient_booster":' + b"[" * 10**6)),
    "model of SVMrank, features without end": ("model", write(
        lambda: b"SVM-light Version V6.20\n" + repeated(b"0 # kernel type\n", 2**20)
        + numbered("{0}:1 ", 2**24))),
    "gz sizes of queries without end": ("group.gz", write(
        lambda: members(850, b"1\n"))),
    "gz judgements, long names": ("qrels.gz", lambda path: gz(path, (
        f"q 0 {'é' * 1000}{i}\U0001f600 1\n".encode() for i in range(400_000)))),
    "gz judgements, many empty files before them": ("qrels.gz", write(
        lambda: repeated(gzip.compress(b"")) + gzip.compress(b"q 0 d 1\n"))),
    "gz rankings, long names": ("ranked.gz", lambda path: gz(path, (
        f"q Q0 {'é' * 1000}{i}\U0001f600 1 1 x\n".encode() for i in range(400_000)))),
    "gz rankings, long names of queries": ("ranked.gz", lambda path: gz(path, (
        f"{'é' * 1000}{i}\U0001f600 Q0 d 1 1 x\n".encode() for i in range(400_000)))),
    "gz rankings in JSON, queries without documents": ("ranked.gz", lambda path: gz(
        path, (b"{" * (not i) + numbered('"q{0}":{{}},\n', 2**20).replace(
            b"q", b"%d-" % i) for i in range(100)))),
    "gz model without end": ("model.gz", write(
        lambda: members(850, b"[],", b'{"coefficients":['))),
    "sizes of 26,000,000 queries": ("group", write(lambda: repeated(b"1\n"))),
    "model, lists in lists": ("model", write(
        lambda: b'{"format":' + b"[" * 100_000)),
    "model, a number of 1,000,000 digits": ("model", write(
        lambda: b'{"format":"rankscope model","version":1,"iteration":'
        + b"9" * 10**6 + b"}")),
    "model, 11,000,000 empty lists": ("model", write(
        lambda: b'{"coefficients":[' + b"[]," * 11_000_000 + b"[]]}")),
    "model, 16,000,000 wrong names": ("model", write(
        lambda: b'{"version":1,"feature_names":[' + b"1," * 16_000_000 + b"1]}")),
    "model, 5,900,000 wrong names": ("model", write(
        lambda: b'{"version":1,"feature_names":[' + b"1," * 5_900_000 + b"1]}")),
    # Nothing is absent but what is right.
    "model, 4,000,000 wrong measures": ("model", write(
        lambda: b'{"version":1,"coefficients":0,"measures":{' + b'"":[],' * 400_000
        + b'"":"",' * 3_600_000 + b'"":0},' + b",".join(
            b'"%s":0' % name for name in (
                b"format", b"algorithm", b"hyperparameters", b"feature_names",
                b"normalisation", b"data", b"iteration", b"convention", b"empty",
                b"versions")) + b"}")),
    "run, lists in lists": ("run", write(lambda: b'{"format":' + b"[" * 100_000)),
    "run, 16,000,000 empty lists": ("run", write(
        lambda: b'{"tags":[' + b"[]," * 16_000_000 + b"[]]}")),
    "run, 400,000 empty lists": ("run", write(
        lambda: b'{"feature_names":[' + b"[]," * 400_000 + b"[]]}")),
    "run, 8,000,000 wrong figures": ("run", write(
        lambda: b'{"history":{"":["",' + b'"",' * 4_000_000 + b'""],'
        + b'"":[],' * 400_000 + b'"":"",' * 4_000_000 + b'"":0}}')),
    "lesson, aliases of aliases": ("yaml", aliases("steps: *a9")),
    "lesson, aliases of aliases as a key": ("yaml", aliases("? *a9\n: x")),
    "lesson, lists in lists": ("yaml", write(lambda: b"[" * 60_000)),
    "lesson, steps without content": ("yaml", write(
        lambda: b"steps:\n" + b"- {}\n" * 12_000)),
}  # fmt: skip

# Small files of which each byte takes few bytes of memory.
LEAN: Files = {
    "a click": ("clicks", write(lambda: CLICKS_HEAD + b"mug,1,A,1,1\n")),
    "clicks": ("clicks", write(
        lambda: CLICKS_HEAD + numbered("mug,{0},A,1,1\n", 2 * 2**20))),
    "rankings in JSON": ("ranked", write(
        lambda: b'{"q":{' + numbered('"d{0}":1,\n', 2 * 2**20).rsplit(b",", 1)[0]
        + b"}}")),
}  # fmt: skip


def frame() -> object:
    """Objects whose text would be long, a number of many digits among them."""
    import pandas as pd

    long = ["x" * 10_000_000] * 1000
    table = {"label": [1] * 1000, "query": [10**5000] * 1000, "docid": [long] * 1000}
    return pd.DataFrame({**table, "a": [1.0] * 1000})


def lesson(path: Path) -> object:
    from rankcore.base.errors import DataError
    from rankcore.views.lessons import (
        Declarations,
        LessonError,
        ReadSetting,
        read_lesson,
    )

    declared = Declarations(
        ["train"],
        [],
        ["seed"],
        lambda key, text, step: [ReadSetting(key, text, None)],
        lambda page, settings: page,
    )
    try:
        return read_lesson(path.read_bytes(), path.name, "lesson", declared)
    except LessonError as error:
        raise DataError(str(error)[:1000], "") from error


def on_page(kind: str, path: Path) -> str:
    """Upload a file on the page that takes its kind; return what that says."""
    name, key, ending = UPLOADS[kind]
    page, file = opened(name), path.name if kind == "data" else f"{kind}.{ending}"
    page.file_uploader(key=key).upload(file, path.read_bytes(), "").run()
    if page.exception:
        return f"failed: {page.exception[0].message}"
    refused = [*page.error, *page.warning]
    return f"refused: {refused[0].value}" if refused else "read: "


def opened(name: str) -> Any:
    """Open a page without a browser."""
    from streamlit.testing.v1 import AppTest

    script = Path(__file__).parents[2] / "pages" / f"{name}.py"
    return AppTest.from_file(str(script), default_timeout=10 * SECONDS).run()


def read_it(kind: str, path: Path) -> str:
    """Read a file as its kind demands; return what came of it."""
    if kind.startswith(PAGE):
        return on_page(kind.removeprefix(PAGE), path)
    from rankcore.base.errors import DataError
    from rankcore.data.clicks import read_clicks
    from rankcore.data.formats.parts.group_sizes import read_sizes
    from rankcore.data.formats.parts.query_weights import (
        read_document_weights,
        read_query_weights,
    )
    from rankcore.data.rankings import read_rankings
    from rankcore.data.ratings import read_ratings
    from rankcore.data.readers import read, read_judgements, read_table
    from rankcore.studies.models import load_model
    from rankcore.studies.store._files import read_run

    readers: dict[str, Callable[[Path], object]] = {
        "clicks": read_clicks,
        "data": read,
        "frame": lambda _: read_table(frame()),
        "group": read_sizes,
        "model": load_model,
        "pairs": read_document_weights,
        "qrels": read_judgements,
        "ranked": read_rankings,
        "raters": read_ratings,
        "run": lambda path: read_run(path.read_bytes()),
        "weights": read_query_weights,
        "yaml": lesson,
    }
    try:
        return f"read: {readers[kind](path)!r:.200}"
    except DataError as error:
        return f"refused: {error}"


def kind_of(ending: str) -> str:
    """What a file with such a name's ending is read as."""
    word = ending.removesuffix(".gz")
    return word if word in KINDS else "data"


def measured(kind: str, path: Path) -> dict[str, object]:
    """Read a file in a process of its own."""
    reading, writing = os.pipe()
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        try:
            outcome = read_it(kind, path)
        except BaseException as error:
            outcome = f"failed: {type(error).__name__}: {str(error)[:200]}"
        os.write(writing, outcome.encode()[:60_000])
        os._exit(0)
    os.close(writing)
    outcome = b"".join(iter(lambda: os.read(reading, 2**16), b"")).decode()
    os.close(reading)
    _, status, usage = os.wait4(child, 0)
    return {
        "outcome": outcome or f"killed: status {status}",
        "peak": usage.ru_maxrss * 1024,
        "seconds": round(time.perf_counter() - begin, 2),
    }


def main(arguments: list[str]) -> None:
    """Load what reading needs once, then measure one file after another."""
    import pandas as pd

    import rankcore.studies.models
    import rankcore.studies.store._files  # noqa: F401
    from rankcore.data.clicks import read_clicks
    from rankcore.data.rankings import read_rankings
    from rankcore.data.readers import read_letor, read_table

    read_letor(LETOR_ROW)
    read_table(pd.DataFrame({"label": [1], "query": [1], "a": [1]}).to_parquet())
    read_table(CSV_HEAD + b"1,1,1\n")
    read_clicks(CLICKS_HEAD + b"q,1,d,1,0\n")
    read_rankings(b"q Q0 d 1 1 x\n")
    for kind in {kind for kind in arguments[::2] if kind.startswith(PAGE)}:
        opened(UPLOADS[kind.removeprefix(PAGE)][0])
    for kind, path in zip(arguments[::2], arguments[1::2], strict=True):
        print(json.dumps(measured(kind, Path(path))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
