"""Click logs: read in all forms, refused with a sentence, line and column."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, RankingDataset
from rankcore.data.clicks import read_clicks
from rankcore.data.readers import Limits

ROWS = [
    ("mug", "s1", "A", 1, 0, 1.0),
    ("mug", "s2", "B", 1, 1, 1.0),
    ("mug", "s1", "B", 2, 1, 0.5),
    ("pan", "s1", "A", 1, 0, 1.0),
    ("mug", "s2", "A", 2, 0, 0.5),
]
NAMES = ["query", "session", "document", "position", "clicked", "propensity"]
HEADING = ",".join(NAMES[:5]) + "\n"


def csv(rows, names=NAMES):
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)])


def ndjson(rows):
    return "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows)


def parquet(rows):
    stream = io.BytesIO()
    pd.DataFrame(rows, columns=NAMES).to_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [csv(ROWS).encode(), ndjson(ROWS).encode(), parquet(ROWS)],
    ids=["CSV", "NDJSON", "Parquet"],
)
def test_every_form_gives_the_same_log(content):
    log = read_clicks(content)
    assert log.query_ids == ("mug", "pan")
    # A document of two queries is two.
    assert log.doc_ids == ("A", "B", "A")
    assert log.document_query.tolist() == [0, 0, 1]
    assert log.session.tolist() == [0, 0, 1, 1, 2]
    assert log.document.tolist() == [0, 1, 1, 0, 2]
    assert log.position.tolist() == [1, 2, 1, 2, 1]
    assert log.clicked.tolist() == [False, True, True, False, False]
    assert log.propensity.tolist() == [1.0, 0.5, 1.0, 0.5, 1.0]
    assert (log.n_sessions, log.n_clicks) == (3, 2)


def test_propensities_may_be_missing_and_columns_stand_anywhere():
    text = b"rank;clicks;doc;impression;qid\n1;true;A;7;mug\n2;false;B;7;mug"
    log = read_clicks(text)
    assert log.propensity is None
    assert log.clicked.tolist() == [True, False]
    partly = "\n".join(
        [HEADING.strip() + ",propensity", "mug,1,A,1,0,", "mug,1,B,2,1,.5"]
    )
    np.testing.assert_array_equal(
        read_clicks(partly.encode()).propensity, [np.nan, 0.5]
    )


def test_the_first_sessions_are_a_log():
    log = read_clicks(csv(ROWS).encode()).first(2)
    assert log.session.tolist() == [0, 0, 1, 1]
    assert log.propensity.tolist() == [1.0, 0.5, 1.0, 0.5]


@pytest.mark.parametrize("lengths", [(1, 3), (0, 40)])
def test_names_are_numbered_by_their_first_appearance(lengths):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{rng.integers(9)}", "é" * rng.integers(*lengths), str(rng.integers(400)))
        for _ in range(3000)
    ]
    rows = [(q, f"s{n}{word}", f"d{d}") for n, (q, word, d) in enumerate(rows)]
    log = read_clicks(csv([(*row, 1, 0) for row in rows], NAMES[:5]).encode())
    queries = list(dict.fromkeys(query for query, _, _ in rows))
    shown = list(dict.fromkeys((query, d) for query, _, d in rows))
    assert log.query_ids == tuple(queries)
    assert log.doc_ids == tuple(document for _, document in shown)
    assert log.document_query.tolist() == [queries.index(q) for q, _ in shown]
    assert log.session.tolist() == list(range(len(rows)))
    places = {one: at for at, one in enumerate(shown)}
    assert log.document.tolist() == [places[query, d] for query, _, d in rows]


def test_limits():
    rows = csv(ROWS).encode()
    read_clicks(rows, limits=Limits(rows=3, cells=5 * 8))
    with pytest.raises(DataError, match="line 6: There are more than 4 impressions"):
        read_clicks(rows, name="log", limits=Limits(cells=4 * 8))
    with pytest.raises(DataError, match="log: There are more than 2 documents"):
        read_clicks(rows, name="log", limits=Limits(rows=2))
    with pytest.raises(DataError, match="take more than 20 bytes"):
        read_clicks(rows, limits=Limits(text=20))


def test_half_a_character_is_no_name():
    row = ndjson([("\ud800", 1, "A", 1, 0, "")])
    with pytest.raises(DataError, match="line 1, column 11: ") as refusal:
        read_clicks(row.encode(), name="log")
    assert refusal.value.problem == "'\\ud800' is not a name"


NO_POSITION = "is not a whole number of at least 1."
FAULTS = [
    ("mug,1,A,1,0\nmug,1,B,1,1", 3, "position", "'1' contains the position 1 twice."),
    ("mug,1,A,1,0\nmug,1,A,2,1", 3, "document", "'1' contains the document 'A' twice."),
    ("mug,1,A,,1", 2, "position", "A click without an impression"),
    ("mug,1,A,,0", 2, "position", f"The position '' {NO_POSITION}"),
    ("mug,1,A,0,0", 2, "position", f"The position '0' {NO_POSITION}"),
    ("mug,1,A,1.5,0", 2, "position", f"The position '1.5' {NO_POSITION}"),
    ("mug,1,A,10001,0", 2, "position", "The position '10001' is beyond 10000."),
    ("mug,1,A,2e9,1", 2, "position", "The position '2e9' is beyond 10000."),
    ("mug,1,A,1,2", 2, "clicked", "Clicked is '2', neither 0 nor 1."),
    ("mug,1,A,1,", 2, "clicked", "Clicked is '', neither 0 nor 1."),
    ("mug,,A,1,0", 2, "session", "The session is missing."),
]


@pytest.mark.parametrize(("rows", "line", "column", "sentence"), FAULTS)
def test_what_is_no_click_log_is_refused_with_line_and_column(
    rows, line, column, sentence
):
    with pytest.raises(DataError) as refusal:
        read_clicks((HEADING + rows).encode(), name="log.csv")
    assert str(refusal.value).startswith(f"log.csv, line {line}, column {column}: ")
    assert sentence in str(refusal.value)


def test_a_log_without_impressions_is_refused():
    with pytest.raises(DataError, match="The log has no impressions"):
        read_clicks(HEADING.encode())


def test_a_propensity_whose_inverse_decides_everything_is_refused():
    least = read_clicks(csv([("mug", "1", "A", 1, 1, "1e-9")]).encode())
    assert least.propensity.tolist() == [1e-9]
    with pytest.raises(DataError, match="'1e-320' is below 1e-09, so that one click"):
        read_clicks(csv([("mug", "1", "A", 1, 1, "1e-320")]).encode())


@pytest.mark.parametrize("propensity", ["0", "-0.1", "1.01", "often"])
def test_a_propensity_is_above_0_and_at_most_1(propensity):
    row = ("mug", "1", "A", 1, 1, propensity)
    sentence = f"The propensity '{propensity}' is not in (0, 1]."
    with pytest.raises(DataError, match="line 2, column propensity: ") as refusal:
        read_clicks(csv([row]).encode(), name="log")
    assert sentence in str(refusal.value)
    line = ndjson([row])
    column = line.index(f'"{propensity}"') + 1
    with pytest.raises(DataError, match=f"log, line 1, column {column}: ") as refusal:
        read_clicks(line.encode(), name="log")
    assert sentence in str(refusal.value)


def test_a_click_needs_its_propensity_where_others_have_one():
    rows = [("mug", "1", "A", 1, 0, 0.5), ("mug", "1", "B", 2, 1, "")]
    with pytest.raises(DataError, match="line 3, column propensity: "):
        read_clicks(csv(rows).encode(), name="log")


def test_an_object_without_a_session_and_a_table_without_a_click_column_are_refused():
    with pytest.raises(DataError, match="line 1, column 1: The object has no session"):
        read_clicks(b'{"query": "mug", "document": "A", "position": 1}', name="log")
    with pytest.raises(DataError, match="line 1: There is no column 'clicked'") as no:
        read_clicks(b"query,session,document,position\nmug,1,A,1\n", name="log")
    assert str(no.value).endswith(
        "Call the right column 'clicked', 'click', 'clicks' or 'is_click'."
    )


def test_a_table_without_names_of_columns_is_refused():
    with pytest.raises(DataError) as refusal:
        read_clicks(b"q,1,A,1,1\nq,1,B,2,0\n", name="log")
    assert refusal.value.remedy == (
        "Name the columns in the first line, as in "
        "query,session,document,position,clicked,propensity"
    )


def test_documents_get_the_numbers_of_a_data_set():
    log = read_clicks(csv(ROWS).encode())
    data = RankingDataset.from_arrays(
        np.zeros((5, 1)), [0] * 5, ["pan", "pan", "mug", "mug", "mug"],
        doc_ids=["C", "A", "B", "C", "A"],
    )  # fmt: skip
    numbered = log.numbered_as(data)
    for old, new in zip(log.document, numbered.document, strict=True):
        assert numbered.doc_ids[new] == log.doc_ids[old]
        query = numbered.query_ids[numbered.document_query[new]]
        assert query == log.query_ids[log.document_query[old]]
    assert len(numbered.document_query) == data.n_documents
    np.testing.assert_array_equal(numbered.clicked, log.clicked)


def test_documents_that_the_data_lack_are_named():
    log = read_clicks(csv(ROWS).encode())
    data = RankingDataset.from_arrays(
        np.zeros((2, 1)), [0, 0], ["mug", "mug"], doc_ids=["A", "B"]
    )
    with pytest.raises(DataError, match=r"1 document of the log is not in .* 'A' of"):
        log.numbered_as(data)
