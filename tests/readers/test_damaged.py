"""Damaged files, hundreds of each kind: a sentence with a place, or sound data."""

import itertools
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankcore import DataError, load_partitions
from rankcore.planted import planted
from rankcore.readers import (
    find_judgement_problems,
    find_problems,
    first_rows,
    preview_table,
    read,
    read_judgements,
    reading_options,
)
from rankcore.readers.converting import convert
from rankcore.readers.preview import FIRST_ROWS

MARKS = [b",", b"\n", b'"', b"\r", b" ", b"\t", b"-", b"\0", b"{"]
PIECES = [*MARKS, b"1", b"1e999", b"x"]
edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 8),
        st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content, changes):
    for where, length, piece in changes:
        begin = round(where * len(content))
        content = content[:begin] + piece + content[begin + length :]
    return content


def outcome(action, *given, **named):
    """What an action gives, or its error, which says where it is and what helps."""
    try:
        return action(*given, **named)
    except DataError as error:
        found = error
    assert found.problem
    assert found.remedy
    assert (found.line or 1) >= 1
    return found


ROWS = [(f"q{n // 5}", f"d{n}", n % 3) for n in range(40)]
QRELS = b"".join(b"%s 0 %s %d\n" % (q.encode(), d.encode(), y) for q, d, y in ROWS)
JUDGED_CSV = pd.DataFrame(ROWS, columns=["query", "document", "label"]).to_csv(
    index=False
).encode()  # fmt: skip


@pytest.mark.parametrize("content", [QRELS, JUDGED_CSV], ids=["qrels", "csv"])
def test_judgements(content):
    @given(edits)
    @settings(max_examples=400, deadline=None)
    def check(changes):
        text = damaged(content, changes)
        found = outcome(read_judgements, text, name="j")
        problems = find_judgement_problems(text, name="j")
        if isinstance(found, DataError):
            assert str(found) == str(problems.errors[0])
            return
        assert not problems
        lines = text.count(b"\n") + text.count(b"\r") + 1
        assert 1 <= sum(map(len, found.values())) <= lines
        labels = [y for of_query in found.values() for y in of_query.values()]
        assert all(isinstance(y, int) and 0 <= y <= 31 for y in labels)
        assert all(all(of_query) for of_query in (found, *found.values()))

    check()


FRAME = planted(n_queries=6).to_frame()
FRAME["title"] = [f"title {n}" for n in range(len(FRAME))]
PARQUET = FRAME.to_parquet()


@given(edits)
@example([(0.0, 0, b"\x1f\x8b")])
@settings(max_examples=300, deadline=None)
def test_parquet_is_looked_at_and_its_problems_are_found(changes):
    content = damaged(PARQUET, changes)
    preview = outcome(preview_table, content, name="p.parquet")
    if isinstance(preview, DataError):
        options = {"ignore": ["title"]}
    else:
        assert all(len(row) == len(preview.columns) for row in preview.rows)
        options = reading_options(preview, preview.roles)
    found = outcome(read, content, name="p.parquet", **options)
    problems = find_problems(content, name="p.parquet", **options)
    if isinstance(found, DataError):
        assert str(found) in map(str, problems.errors)
        assert problems.lines == ()
    else:
        assert not problems
        assert np.isfinite(found.X).all()


LETOR = b"".join(
    b"%d qid:q%d 1:%d.5 2:1 # d%d\n" % (n % 3, n // 5, n, n) for n in range(60)
)
LOG = b"".join(
    json.dumps(
        {"qid": f"q{n // 5}", "id": f"d{n}", "label": n % 3, "[features]": f"f={n}"}
    ).encode()
    + b"\n"
    for n in range(60)
)
CONVERTED = {
    "f.txt": (LETOR, {}),
    "f.csv": (FRAME.to_csv(index=False).encode(), {"ignore": ["title"]}),
    "f.parquet": (PARQUET, {"ignore": ["title"]}),
    "f.ndjson": (LOG, {}),
}


@pytest.mark.parametrize("name", ["f.txt", "f.ndjson"])
def test_first_rows_are_the_first_ones_that_are_read(name):
    @given(edits)
    @example([(0.1875, 0, b",")])
    @settings(max_examples=400, deadline=None)
    def check(changes):
        content = damaged(CONVERTED[name][0], changes)
        found = outcome(first_rows, content, name=name)
        whole = outcome(read, content, name=name)
        if isinstance(found, DataError):
            assert isinstance(whole, DataError)
            return
        assert len(found.rows) <= FIRST_ROWS
        if not isinstance(whole, DataError):
            expected = whole.to_frame().sort_index()
            assert len(found.rows) == min(FIRST_ROWS, len(expected))
            for row, (_, own) in zip(found.rows, expected.iterrows(), strict=False):
                # A document that is not judged is read as one that is not relevant. The
                # order of a log's features is that of the documents looked at.
                told = row | {"label": row["label"] or 0}
                assert told == {key: own[key] for key in row}

    check()


@pytest.mark.parametrize("name", CONVERTED)
def test_what_is_converted_is_what_is_read(name, tmp_path):
    whole, options = CONVERTED[name]
    number = itertools.count()

    @given(edits)
    @settings(max_examples=100, deadline=None)
    def check(changes):
        folder = tmp_path / str(next(number))
        folder.mkdir()
        file = folder / name
        file.write_bytes(damaged(whole, changes))
        expected = outcome(read, file, **options)
        found = outcome(convert, file, folder / "made", **options)
        if isinstance(expected, DataError):
            assert isinstance(found, DataError)
        elif isinstance(found, DataError):
            # Read whole, the rows of a query may stand apart.
            assert "comes twice" in found.problem
        else:
            assert load_partitions(folder / "made").fingerprint == expected.fingerprint
        shutil.rmtree(folder)

    check()
