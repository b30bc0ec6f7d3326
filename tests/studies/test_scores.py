"""Scores of new documents: streamed from files, as a whole or not at all."""

import gc
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rankcore import DataError, RankingDataset, RSRank
from rankcore.data.formats.parts import part_sizes, source
from rankcore.data.readers import converting, read, read_letor
from rankcore.data.readers.converting import convert
from rankcore.studies import scores
from rankcore.studies.models import document_scores
from rankcore.studies.scores import Scored, score_file


@pytest.fixture
def model():
    """A model of two features, bm25 and stars."""
    rng = np.random.default_rng(0)
    data = RankingDataset.from_arrays(
        rng.random((40, 2)),
        rng.integers(0, 3, 40),
        np.repeat(np.arange(8), 5),
        feature_names=["bm25", "stars"],
    )
    return RSRank(max_iter=3).fit_dataset(data)


@pytest.fixture
def numbered():
    """A model of the features 1 to 3 of LETOR text."""
    return RSRank(max_iter=3).fit_dataset(read_letor(letor(20).encode()))


def letor(queries, width=3):
    rng = np.random.default_rng(1)
    rows = []
    for query in range(queries):
        for document in range(4):
            values = np.round(rng.random(width), 3).tolist()
            pairs = " ".join(f"{at}:{x}" for at, x in enumerate(values, start=1))
            rows.append(f"{document % 2} qid:q{query} {pairs} # d{document}\n")
    return "".join(rows)


TABLE = "prod,query,docid,stars,bm25\n1,mug,E,0.5,7.5\n1,mug,F,0.25,2.5\n2,pan,E,1,0\n"


def expected(model):
    weights = dict(zip(("bm25", "stars"), model.parameters_.tolist(), strict=True))
    rows = [("mug", "E", 7.5, 0.5), ("mug", "F", 2.5, 0.25), ("pan", "E", 0.0, 1.0)]
    return [
        (query, document, bm25 * weights["bm25"] + stars * weights["stars"])
        for query, document, bm25, stars in rows
    ]


def written(path):
    """The rows of a file of scores, in the order of query and document."""
    path = Path(path)
    if path.suffix == ".csv":
        table = pd.read_csv(path)
    elif path.suffix == ".parquet":
        table = pd.read_parquet(path)
    else:
        lines = [line.split() for line in path.read_text().splitlines()]
        table = pd.DataFrame([(q, d, float(s)) for q, _, d, _, s, _ in lines])
    return sorted(table.itertuples(index=False, name=None))


def same(rows, others):
    assert [row[:2] for row in rows] == [row[:2] for row in others]
    values = [row[2] for row in rows]
    assert values == pytest.approx([row[2] for row in others], rel=1e-14)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".run", ".txt"])
def test_a_table_without_labels_is_scored_by_the_names_of_its_columns(
    model, tmp_path, ending
):
    file, out = tmp_path / "new.csv", tmp_path / f"scores{ending}"
    file.write_text(TABLE)
    assert score_file(model, file, out) == Scored(2, 3, 0)
    same(written(out), expected(model))
    pd.read_csv(file).to_parquet(tmp_path / "new.parquet")
    score_file(model, tmp_path / "new.parquet", tmp_path / f"again{ending}")
    same(written(tmp_path / f"again{ending}"), expected(model))


def test_labels_do_not_matter(model, tmp_path):
    file, out = tmp_path / "new.csv", tmp_path / "o.csv"
    head, *rows = TABLE.splitlines()
    labels = ["", "high", "77"]
    lines = [f"{head},label", *map(",".join, zip(rows, labels, strict=True))]
    file.write_text("\n".join(lines))
    score_file(model, file, out)
    same(written(out), expected(model))


def test_a_log_without_judgements_is_scored(model, tmp_path):
    log = [
        {"qid": query, "id": document, "[features]": f"bm25={bm25},stars={stars}"}
        for query, document, bm25, stars in [
            ("mug", "E", 7.5, 0.5), ("mug", "F", 2.5, 0.25), ("pan", "E", 0.0, 1.0),
        ]
    ]  # fmt: skip
    file, out = tmp_path / "log.ndjson", tmp_path / "o.csv"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in log))
    assert score_file(model, file, out) == Scored(2, 3, 0)
    same(written(out), expected(model))


@pytest.fixture
def small_parts(monkeypatch):
    """Files are read in parts of a few queries."""
    monkeypatch.setattr(part_sizes, "BYTES", 150)
    monkeypatch.setattr(part_sizes, "CELLS", 20)


@pytest.mark.parametrize("normalise", [None, "minmax", "standard"])
def test_text_is_scored_in_parts_as_it_is_as_a_whole(tmp_path, small_parts, normalise):
    file, out = tmp_path / "new.txt", tmp_path / "o.csv"
    file.write_text(letor(30))
    data = read(file)
    ranker = RSRank(max_iter=3).fit_dataset(data.normalise(normalise))
    counts = []
    result = score_file(ranker, file, out, report=counts.append)
    assert result == Scored(30, 120, 0)
    assert len(counts) > 5
    scores = document_scores(ranker, data)
    names = np.repeat(data.query_ids, data.lengths)
    rows = sorted(zip(names.tolist(), data.doc_ids, scores.tolist(), strict=True))
    same(written(out), rows)
    convert(file, tmp_path / "folder")
    assert score_file(ranker, tmp_path / "folder", tmp_path / "f.csv") == result
    same(written(tmp_path / "f.csv"), rows)


def test_features_that_come_later_in_the_file_count(tmp_path, small_parts):
    wide = letor(20)
    narrow = "".join(f"0 qid:n{n} 1:0.5\n" for n in range(100))
    ranker = RSRank(max_iter=3).fit_dataset(read_letor(wide.encode()))
    file, out = tmp_path / "new.txt", tmp_path / "o.csv"
    file.write_text(narrow + wide)
    assert score_file(ranker, file, out) == Scored(120, 180, 0)
    scores = document_scores(ranker, read_letor(wide.encode()))
    tail = pd.read_csv(out).tail(80)
    assert tail["score"].tolist() == pytest.approx(scores.tolist(), rel=1e-14)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".run"])
def test_scores_are_written_anew_where_later_blocks_have_more_features(
    tmp_path, small_parts, monkeypatch, ending
):
    monkeypatch.setattr(source, "BLOCK", 150)
    wide = letor(20)
    narrow = "".join(f"0 qid:n{n} 1:0.5\n" for n in range(100))
    ranker = RSRank(max_iter=3).fit_dataset(read_letor(wide.encode()))
    file, out = tmp_path / "new.txt", tmp_path / f"o{ending}"
    file.write_text(narrow + wide)
    assert score_file(ranker, file, out) == Scored(120, 180, 0)
    data = read_letor((narrow + wide).encode())
    names = np.repeat(data.query_ids, data.lengths).tolist()
    scores = document_scores(ranker, data).tolist()
    same(written(out), sorted(zip(names, data.doc_ids, scores, strict=True)))


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_parquet_that_is_broken_off_says_nothing_more(numbered, tmp_path):
    file = tmp_path / "new.txt"
    file.write_text("".join(BROKEN))
    with pytest.raises(DataError, match="'x' of feature 2") as caught:
        score_file(numbered, file, tmp_path / "o.parquet")
    del caught
    gc.collect()
    assert {one.name for one in tmp_path.iterdir()} == {"new.txt"}


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".run"])
def test_scores_that_are_not_finite_are_refused(model, tmp_path, ending):
    file, out = tmp_path / "new.csv", tmp_path / f"o{ending}"
    file.write_text("query,docid,bm25,stars\nmug,A,1,1\npan,E,1e308,1e308\n")
    model.parameters_ = np.array([1e9, -1e9])
    with pytest.raises(DataError, match="document 'E' of query 'pan' is not finite"):
        score_file(model, file, out)
    assert not out.exists()
    assert score_file(model, file, out, skip_bad=9) == Scored(1, 1, 1)


def test_two_queries_that_a_run_would_call_alike_are_refused(
    model, tmp_path, small_parts
):
    file, out = tmp_path / "new.csv", tmp_path / "o.run"
    for names in (["a b", *"cdefg", "a_b"], ["a_b", *"cdefg", "a b"]):
        rows = [f"{name},d{n},1,{n}\n" for name in names for n in range(5)]
        file.write_text("query,docid,bm25,stars\n" + "".join(rows))
        with pytest.raises(DataError, match="the name 'a_b' in a TREC run") as caught:
            score_file(model, file, out)
        assert caught.value.line == 32
        assert not out.exists()
        assert score_file(model, file, tmp_path / "o.csv") == Scored(7, 35, 0)


def test_a_row_of_parquet_that_fails_is_named_or_skipped(model, tmp_path):
    file = tmp_path / "new.parquet"
    columns = {"query": "mmm", "docid": "ABA", "bm25": 1.0, "stars": 1.0}
    rows = {name: list(result) if isinstance(result, str) else [result] * 3
            for name, result in columns.items()}  # fmt: skip
    pd.DataFrame(rows).to_parquet(file)
    with pytest.raises(DataError, match="Document 'A' occurs twice"):
        score_file(model, file, tmp_path / "o.csv")
    assert score_file(model, file, tmp_path / "o.csv", skip_bad=3) == Scored(1, 2, 1)


BROKEN = letor(30).splitlines(keepends=True)
BROKEN[57] = "0 qid:q14 1:0.5 2:x # d1\n"
BROKEN[93] = "0 qid:q23 1:0.5 2:0.5 1:3 # d1\n"


@pytest.mark.parametrize("old", [None, "as before"])
def test_a_row_that_fails_stops_with_its_place_and_leaves_no_output(
    numbered, tmp_path, small_parts, old
):
    file, out = tmp_path / "new.txt", tmp_path / "o.csv"
    file.write_text("".join(BROKEN))
    if old is not None:
        out.write_text(old)
    for most, line, column in [(0, 58, 17), (1, 94, 23)]:
        with pytest.raises(DataError) as caught:
            score_file(numbered, file, out, skip_bad=most)
        assert (caught.value.line, caught.value.column) == (line, column)
        assert (out.read_text() if out.exists() else None) == old
        assert {one.name for one in tmp_path.iterdir()} - {"o.csv"} == {"new.txt"}
    assert score_file(numbered, file, out, skip_bad=2) == Scored(30, 118, 2)
    rows = written(out)
    good = [line for at, line in enumerate(BROKEN) if at not in (57, 93)]
    data = read_letor("".join(good).encode())
    names = np.repeat(data.query_ids, data.lengths).tolist()
    scores = document_scores(numbered, data).tolist()
    same(rows, sorted(zip(names, data.doc_ids, scores, strict=True)))


@pytest.mark.parametrize("ending", [".txt", ".csv", ".ndjson"])
def test_lines_are_passed_over_without_reading_the_file_again(
    model, numbered, tmp_path, small_parts, monkeypatch, ending
):
    opened = []

    def reopen(*args):
        opened.append(args[3:])
        return converting.reopen(*args)

    monkeypatch.setattr(scores, "reopen", reopen)
    file, out = tmp_path / f"new{ending}", tmp_path / "o.csv"
    if ending == ".txt":
        rows = letor(60).splitlines(keepends=True)
        bad = [" 1:x\n", " 2:1 2:1\n", " 1:1e999\n"]
        heading = ""
    elif ending == ".csv":
        rows = [f"q{n // 4},d{n},{n},1\n" for n in range(240)]
        heading = "query,docid,bm25,stars\n"
        bad = ["q9,d,x,1\n", ",d,3,1\n", "q9,d,3\n", "q9,d,3,1,1\n"]
        bad += ['q9,"d"d,3,1\n', 'q9,"d,3,1\n', "q9,d\0,3,1\n"]
    else:
        log = '{"qid": "q%d", "id": "d%d", "[features]": "bm25=%d,stars=1"}\n'
        rows, heading = [log % (n // 4, n, n) for n in range(240)], ""
        bad = ["{\n", '{"qid": "q9"}\n', log % (9, 9, 9) * 2, "[1]\n"]
        bad[2] = bad[2].replace("}\n{", '} {"qid": 1}').replace("=9", "=x", 1)
    ranker = numbered if ending == ".txt" else model
    file.write_text(heading + "".join(rows))
    assert score_file(ranker, file, out) == Scored(60, 240, 0)
    n_openings, text = len(opened), out.read_text()
    assert n_openings < 5
    places = range(229, 0, -11)
    for number, place in enumerate(places):
        about = rows[place][: rows[place].index(" 1:")] if ending == ".txt" else ""
        rows.insert(place, about + bad[number % len(bad)])
    file.write_text(heading + "".join(rows))
    opened.clear()
    assert score_file(ranker, file, out, skip_bad=99) == Scored(60, 240, len(places))
    # The features of a log are those of all lines that can be read.
    most = n_openings + (ending == ".ndjson")
    assert (len(opened), out.read_text()) == (most, text)
    with pytest.raises(DataError) as caught:
        score_file(ranker, file, out, skip_bad=len(places) - 1)
    assert caught.value.line == places[0] + len(places) + (heading != "")
    assert len(opened) == 2 * most


def test_lines_of_a_table_are_passed_over(model, tmp_path, small_parts):
    file, out = tmp_path / "new.csv", tmp_path / "o.csv"
    rows = [f"q{n // 3},d{n},{n},1\n" for n in range(60)]
    rows[20], rows[40] = "q6,d20,x,1\n", "q13,d40,3\n"
    file.write_text("query,docid,bm25,stars\n" + "".join(rows))
    with pytest.raises(DataError, match="'x' is not a finite number") as caught:
        score_file(model, file, out)
    assert (caught.value.line, caught.value.column) == (22, "bm25")
    assert not out.exists()
    assert score_file(model, file, out, skip_bad=5) == Scored(20, 58, 2)


def test_columns_of_one_name_are_refused_only_where_the_model_needs_them(
    model, tmp_path
):
    file, out = tmp_path / "new.csv", tmp_path / "o.csv"
    for columns, rows in [
        ("a,a,bm25,stars", "x,y,1,1"),
        ("label,label,bm25,stars", "1,0,1,1"),
    ]:
        file.write_text(f"query,docid,{columns}\nmug,A,{rows}\n")
        assert score_file(model, file, out) == Scored(1, 1, 0)
    for again in ("bm25", "query", "docid"):
        file.write_text(f"query,docid,bm25,stars,{again}\nmug,A,1,1,1\n")
        with pytest.raises(DataError, match=f"Two columns are named '{again}'"):
            score_file(model, file, out)


def test_what_cannot_be_scored_gets_a_sentence(model, numbered, tmp_path):
    file, out = tmp_path / "new.csv", tmp_path / "o.csv"
    file.write_text("query,docid,bm25\nmug,A,1\n")
    with pytest.raises(DataError, match="There is no feature column 'stars'"):
        score_file(model, file, out)
    text = tmp_path / "new.txt"
    text.write_text(letor(3, width=5))
    with pytest.raises(ValueError, match="does not have the features of the model"):
        score_file(numbered, text, out)
    with pytest.raises(ValueError, match=r"files that end in \.run, \.txt"):
        score_file(model, file, tmp_path / "o.xlsx")
    text.write_text("# nothing\n")
    with pytest.raises(DataError, match="There are no rows"):
        score_file(numbered, text, out)
    text.write_text("0 qid:a 1:x\n")
    with pytest.raises(DataError, match="No row can be read and scored"):
        score_file(numbered, text, out, skip_bad=5)
    text.write_text(letor(2) + letor(1).replace("# d", "# e"))
    with pytest.raises(DataError, match="its rows are not adjacent"):
        score_file(numbered, text, out)
    assert not out.exists()


def test_a_query_that_comes_again_in_a_later_part_is_refused(
    numbered, tmp_path, small_parts
):
    file, out = tmp_path / "new.txt", tmp_path / "o.csv"
    file.write_text(letor(20) + letor(1).replace("# d", "# e"))
    with pytest.raises(DataError, match="its rows are not adjacent") as caught:
        score_file(numbered, file, out)
    assert caught.value.line == 81
    assert not out.exists()
