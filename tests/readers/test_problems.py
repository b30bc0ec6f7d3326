"""All problems of a file at once, and reading without their lines."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore import DataError, read_letor, read_table
from rankcore.data.readers import (
    find_judgement_problems,
    find_problems,
    format_lines,
    parse_lines,
    read,
    read_feature_log,
    read_judgements,
)
from tests.damage import damaged, edits_of
from tests.soaking import examples

HEAD = b"label,qid,docid,a\n"
ROWS = [b"%d,q%d,d%d,%d.5\n" % (i % 3, i // 5, i, i) for i in range(100)]
LETOR = [b"%d qid:q%d 1:%d.5 2:1 # d%d\n" % (i % 3, i // 5, i, i) for i in range(100)]


def places(found):
    return [(error.line, error.column) for error in found.errors]


def with_rows(**rows):
    """The table with other rows; its first row is in line 2."""
    changed = ROWS.copy()
    for line, row in rows.items():
        changed[int(line[1:]) - 2] = row
    return HEAD + b"".join(changed)


def test_a_good_file_has_no_problems():
    assert not find_problems(HEAD + b"".join(ROWS), name="a.csv")
    assert not find_problems(b"".join(LETOR), name="a.txt")


def test_every_row_of_a_table_is_looked_at():
    table = with_rows(
        _3=b"1,q0,d1,many\n",
        _9=b"1,q1,d7\n",
        _20=b"0.5,q3,d18,1\n",
        _33=b"1,,d31,1\n",
        _40=b'1,q7,"d\n38",1,5\n',
        _50=b"x,q9,d48,1\n",
    )
    problems = find_problems(table, name="a.csv")

    # A row over two lines moves those below it.
    assert places(problems) == [
        (3, "a"), (9, "a"), (20, "label"), (33, "qid"), (40, 5), (51, "label"),
    ]  # fmt: skip
    assert all(error.file == "a.csv" and error.remedy for error in problems.errors)
    assert problems.complete
    assert problems.lines == (3, 9, 20, 33, 40, 41, 51)
    data = read(table, name="a.csv", skip_lines=problems.lines)
    values = [
        row for at, row in enumerate(ROWS, start=2) if at not in (3, 9, 20, 33, 40, 50)
    ]
    assert data.fingerprint == read_table(HEAD + b"".join(values)).fingerprint
    assert data.name == "a without 7 lines"


def test_every_line_of_letor_text_is_looked_at():
    lines = LETOR.copy()
    lines[4] = b"1 qid:q1 1:x 2:1\n"
    lines[10] = b"good qid:q2 1:1\n"
    lines[30] = b"1\n"
    lines[50] = b"1 qid:q5 1:1e999\n"
    lines[99] = b"1 qid:q5 2:1 2:1"
    text = b"# made by hand\n" + b"".join(lines)
    problems = find_problems(text, name="a.txt")

    assert places(problems) == [(6, 10), (12, 1), (32, 2), (52, 12), (101, 14)]
    assert problems.lines == (6, 12, 32, 52, 101)
    values = [line for at, line in enumerate(LETOR) if at not in (4, 10, 30, 50, 99)]
    data = read(text, name="a.txt", skip_lines=problems.lines)
    assert data.fingerprint == read_letor(b"".join(values)).fingerprint


def test_a_line_is_counted_in_the_file_where_rows_before_it_are_left_out():
    table = b"label,qid,doc,a\n1,q,d1,1\n,q,d2,2\n0,q,d3,3\n0,q,d3,4\n"
    with pytest.raises(DataError, match="d3") as caught:
        read_table(table, unjudged="drop")
    assert caught.value.line == 5


def test_what_is_not_confined_to_a_line_cannot_be_skipped():
    open_quotation = with_rows(_3=b"1,q0,d1,many\n", _60=b'1,"q1,x,2\n')
    problems = find_problems(open_quotation, name="a.csv")
    assert [line for line, _ in places(problems)] == [3, 60]
    assert problems.lines == ()

    # Two judgements of one document: it is for people to say which one counts.
    twice = with_rows(_3=b"2,q0,d0,7\n")
    problems = find_problems(twice, name="a.csv")
    assert "'d0' occurs twice" in problems.errors[0].problem
    assert problems.lines == ()
    assert find_problems(with_rows(_3=ROWS[0]), name="a.csv").lines == (3,)
    same = b"1 qid:1 1:1 # a\n0 qid:1 1:1 # a\n"
    problems = find_problems(same, name="a.txt")
    assert (len(problems.errors), problems.lines) == (1, ())


def test_many_problems_are_no_matter_of_lines():
    words = HEAD + b"".join(row.replace(b".5", b" EUR") for row in ROWS)
    problems = find_problems(words, name="a.csv")
    assert "does not hold numbers" in problems.errors[0].problem
    assert len(problems.errors) == len(ROWS)
    assert problems.lines == ()

    endless = HEAD + b"1,q,d,x\n" * 3000
    problems = find_problems(endless, name="a.csv")
    assert len(problems.errors) == 1000
    assert not problems.complete
    assert problems.lines == ()


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.txt", "a.ndjson"])
def test_a_file_that_is_none_has_one_problem(name):
    content = pd.DataFrame({"a": [1]}).to_parquet() if "parquet" in name else b"\0"
    problems = find_problems(content, name=name)
    assert len(problems.errors) == 1
    assert problems.lines == ()


def test_lines_of_a_log_can_be_skipped():
    log = b'{"qid": 1, "id": "a", "label": 1, "[features]": "f=1"}\n'
    broken = log + b"oops\n" + log.replace(b'"a"', b'"b"')
    with pytest.raises(DataError, match="line 2"):
        read_feature_log(broken)
    assert read_feature_log(broken, skip_lines=[2]).doc_ids == ("a", "b")


LOG = [
    b'{"qid": %d, "id": "d%d", "label": %d, "[features]": "f=%d"}\n'
    % (i // 5, i, i % 3, i)
    for i in range(100)
]


def test_every_line_of_a_log_is_looked_at():
    lines = LOG.copy()
    lines[0] = b"oops\n"
    lines[7] = lines[7].replace(b"f=", b"f=x")
    lines[50] = lines[50].replace(b'"label"', b'"label": -0.5, "l"')
    problems = find_problems(b"".join(lines), name="a.ndjson")
    assert [line for line, _ in places(problems)] == [1, 8, 51]
    assert problems.lines == (1, 8, 51)
    data = read(b"".join(lines), name="a.ndjson", skip_lines=problems.lines)
    assert data.n_documents == 97

    pretty = b'{"qid": 1,\n "id": "a",\n "label": 1,\n "[features]": "f=x"}\n'
    problems = find_problems(pretty, name="a.json")
    assert (places(problems), problems.lines) == ([(4, 16)], ())
    problems = find_problems(pretty * 40, name="a.json")
    assert [line for line, _ in places(problems)] == list(range(4, 161, 4))
    assert problems.complete
    assert problems.lines == ()
    judged = read_judgements(b"0 0 d1 1\n")
    problems = find_problems(
        b"".join(lines), name="a.ndjson", judgements=judged, skip_lines=[1]
    )
    assert problems.lines == (8,)


def test_every_document_of_a_response_is_looked_at():
    documents = [
        {"_id": f"d{n}", "label": n % 3, "fields": {"_ltrlog": [{"main": [
            {"name": "f", "value": "many" if n in (2, 5) else n}]}]}}
        for n in range(7)
    ]  # fmt: skip
    documents[3]["_id"] = "d1"
    line = json.dumps({"qid": "r", "hits": {"hits": documents}}).encode() + b"\n"
    content = b"".join([*LOG[5:40], line, *LOG[40:]])
    problems = find_problems(content, name="a.ndjson")
    assert [error.line for error in problems.errors] == [36, 36, 36]
    assert len({error.column for error in problems.errors}) == 3
    assert [p.problem.split()[0] for p in problems.errors] == ["The", "Document", "The"]
    # The line holds good documents too, which go with it.
    assert problems.lines == (36,)
    pretty = json.dumps({"qid": "r", "hits": {"hits": documents}}, indent=1).encode()
    problems = find_problems(pretty, name="a.json")
    assert len({error.line for error in problems.errors}) == 3
    assert problems.lines == ()


def test_a_log_with_many_bad_lines_has_them_all():
    lines = [
        line.replace(b"f=", b"f=x") if n % 3 else line for n, line in enumerate(LOG)
    ]
    problems = find_problems(b"".join(lines), name="a.ndjson")
    assert len(problems.errors) == sum(n % 3 > 0 for n in range(100))
    assert problems.complete


def test_lines_that_hold_all_judgements_cannot_be_skipped():
    judged = {"0": {"d0": 1}}
    lines = [LOG[0].replace(b"f=", b"f=x"), *LOG[1:]]
    problems = find_problems(b"".join(lines), name="a.ndjson", judgements=judged)
    assert [line for line, _ in places(problems)] == [1]
    assert problems.lines == ()


def test_every_row_of_parquet_is_looked_at():
    frame = pd.DataFrame(
        {
            "label": [float(n % 3) for n in range(60)],
            "qid": [f"q{n // 5}" for n in range(60)],
            "docid": [f"d{n}" for n in range(60)],
            "a": [float(n) for n in range(60)],
            "b": [str(n) for n in range(60)],
        }
    )
    frame.loc[4, "a"] = np.nan
    frame.loc[9, "label"] = 0.5
    frame.loc[20, "b"] = "many"
    frame.loc[31, "qid"] = None
    frame.loc[47, "docid"] = "d46"
    frame.loc[52, "label"] = np.inf
    content = frame.to_parquet(row_group_size=25)
    problems = find_problems(content, name="a.parquet")
    assert places(problems) == [
        (5, "a"), (10, "label"), (21, "b"), (32, "qid"), (48, "docid"), (53, "label"),
    ]  # fmt: skip
    assert problems.complete
    assert problems.lines == ()
    assert not find_problems(
        frame.drop([4, 9, 20, 31, 47, 52]).to_parquet(), name="p.parquet"
    )


def test_a_problem_of_a_log_is_listed_once():
    bad = LOG[0].replace(b"f=", b"f=x")
    for lines in ([bad], [b"\n", bad], [bad, LOG[1].replace(b"f=", b"f=x")]):
        problems = find_problems(b"".join(lines), name="a.ndjson")
        wrong = [at for at, line in enumerate(lines, start=1) if b"f=x" in line]
        assert [line for line, _ in places(problems)] == wrong
        assert all("not a finite number" in error.problem for error in problems.errors)
        assert problems.lines == ()
    (nothing,) = find_problems(b'{"hits": {"hits": []}}\n', name="a.ndjson").errors
    assert "no documents" in nothing.problem


JUDGED = [b"%d 0 d%d %d\n" % (i // 5, i, i % 3) for i in range(100)]


def test_every_row_of_judgements_is_looked_at():
    rows = JUDGED.copy()
    rows[3] = b"0 0 d3\n"
    rows[20] = b"4 0 d20 -0.5\n"
    rows[60] = b"0 0 d1 2\n"
    problems = find_judgement_problems(b"".join(rows), name="a.txt")
    assert places(problems) == [(4, 4), (21, 4), (61, 4)]
    assert "is judged 2 here, but 1 above" in problems.errors[2].problem
    assert problems.complete
    assert problems.lines == ()

    table = [b"query,document,label\n", b"a,d1,1\n", b"a,d2\n", b",d3,1\n", b"a,,x\n"]
    problems = find_judgement_problems(b"".join(table), name="a.csv")
    assert places(problems) == [(3, "label"), (4, "query"), (5, "document")]
    assert not find_judgement_problems(b"".join(JUDGED))
    (nothing,) = find_judgement_problems(b"query,document,label\n").errors
    assert "no judgements" in nothing.problem


def test_problems_of_a_log_s_judgements_come_first(tmp_path):
    judged = tmp_path / "judged.txt"
    judged.write_bytes(b"0 0 d1 1\n0 0 d2 x\n0 0 d3 y\n")
    problems = find_problems(b"".join(LOG), name="a.ndjson", judgements=judged)
    assert [error.file for error in problems.errors] == [str(judged)] * 2
    assert problems.lines == ()


def test_only_text_has_lines_to_skip():
    frame = pd.DataFrame({"label": [1, 0], "qid": [1, 1], "a": [1, 2]})
    for source in (frame, frame.to_parquet()):
        with pytest.raises(DataError, match="no lines"):
            read_table(source, skip_lines=[1])


def test_lines_are_skipped_across_blocks(monkeypatch):
    monkeypatch.setattr("rankcore.data.formats.parts.source.BLOCK", 16)
    text = b"".join(LETOR)
    for skipped in ([1], [2, 3], [50, 100], list(range(1, 100))):
        values = [line for at, line in enumerate(LETOR, start=1) if at not in skipped]
        expected = read_letor(b"".join(values)).fingerprint
        assert read_letor(text, skip_lines=skipped).fingerprint == expected


@given(st.sets(st.integers(1, 10**6), min_size=1))
def test_lines_come_back_from_their_text(lines):
    assert parse_lines(format_lines(lines)) == tuple(sorted(lines))


@pytest.mark.parametrize("text", ["", "x", "0", "3-2", "1,,2", "1-99999999999", "-4"])
def test_what_is_no_line_is_refused(text):
    with pytest.raises(ValueError, match="such as 3,17-19"):
        parse_lines(text)


pieces = edits_of(
    [b",", b"\n", b'"', b"\r", b"nan", b" ", b":", b"#", b"\0"],
    *(3, 6),
    other_bytes=False,
)


@examples(60, 200, pieces, st.sampled_from(["a.csv", "a.txt", "a.ndjson"]))
def test_hundreds_of_broken_files(pieces, name):
    """The reader's problem is among those found; without their lines it reads."""
    content = {
        "a.csv": HEAD + b"".join(ROWS[:40]),
        "a.txt": b"".join(LETOR[:40]),
        "a.ndjson": b"".join(LOG[:40]),
    }[name]
    content = damaged(content, pieces)
    problems = find_problems(content, name=name)
    try:
        data = read(content, name=name)
    except DataError as error:
        assert str(error) in [str(one) for one in problems.errors]  # noqa: PT017
    else:
        assert not problems
        assert np.isfinite(data.X).all()
    assert all(one.line and one.remedy for one in problems.errors)
    if problems.lines:
        rest = read(content, name=name, skip_lines=problems.lines)
        assert np.isfinite(rest.X).all()
