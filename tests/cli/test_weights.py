"""Weights of queries and documents on the command line: of a column or a file."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankcore import RankingDataset, load_model, measures, read_table
from rankcore.base.errors import DataError, DataWarning
from rankcore.data.formats.parts.query_weights import (
    read_document_weights,
    read_query_weights,
)
from rankcore.data.readers import read
from rankcore.topics.sparsity.changes import relative_change
from tests.odd_texts import outcome, texts

ROWS = [
    ("a", 2, 3, 0.1), ("a", 0, 3, 0.7), ("b", 1, 1, 0.2), ("b", 0, 1, 0.1),
    ("c", 0, 0.5, 0.9), ("c", 1, 0.5, 0.3),
]  # fmt: skip
LINES = 'mug;2\n"blue cup" 0.5\nx y,1e3\n'
WEIGHTS = {"a": 3.0, "b": 1.0, "c": 0.5}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "shop.csv"
    rows = ["qid,label,importance,price", *(",".join(map(str, row)) for row in ROWS)]
    path.write_text("\n".join(rows))
    return path


def test_a_column_and_a_file_train_the_same_model(table, tmp_path, rankscope):
    plain = ["--max-iter", 5, "--json", "--no-store"]
    train = ["train", table, "ListNet", *plain]
    column = rankscope(*train, "--weights", "importance", "--out", tmp_path / "m.json")
    assert column.code == 0, column.err
    other = tmp_path / "weights.txt"
    other.write_text("a 3\nb\t1\n\nc, 0.5\nd 9\n")
    file = rankscope(*train, "--ignore", "importance", "--weights", other)
    assert file.json["fingerprint"] == column.json["fingerprint"]
    assert file.json["best"] == column.json["best"]
    effective = 4.5**2 / (9.0 + 1.0 + 0.25)
    assert file.json["effective queries"] == {"train": pytest.approx(effective)}
    unweighted = rankscope(*train, "--ignore", "importance")
    assert "effective queries" not in unweighted.json
    assert unweighted.json["fingerprint"] != file.json["fingerprint"]

    model = load_model(tmp_path / "m.json")
    data = read_table(table, ignore=["importance"])
    values = measures.by_query(data, model.predict(data.X), "RR")["RR"]
    result = rankscope(
        "evaluate", table, tmp_path / "m.json", "--measure", "RR", "--ignore",
        "importance", "--weights", other, "--json",
    )  # fmt: skip
    mean = np.average(values, weights=list(WEIGHTS.values()))
    assert result.json["measures"]["RR"] == pytest.approx(mean)
    out = rankscope(
        "evaluate", table, tmp_path / "m.json", "--weights", "importance"
    ).out
    assert f"effective numbers of queries: train {effective:.1f}." in " ".join(
        out.split()
    )


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "--over", "l2=0.1", "--seeds", "0"),
        ("search", "--over", "l2=0.1", "--by", "grid"),
        ("path", "--over", "l2", "--values", "0.1"),
    ],
    ids=lambda command: command[0],
)
def test_studies_train_and_choose_with_weights(command, table, rankscope):
    word, *options = command
    values = ["ListNet", "--weights", "importance", "--max-iter", 5, "--no-store"]
    values += ["--measure", "RR", "--json"]
    result = rankscope(word, table, *values, *options)
    assert result.code == 0, result.err
    effective = 4.5**2 / (9.0 + 1.0 + 0.25)
    assert result.json["effective queries"] == {"train": pytest.approx(effective)}
    (row,) = result.json["points" if word == "path" else "rows"]
    # The lower price first puts the relevant document of b at rank 2.
    assert row["train RR"] == pytest.approx((3.0 + 1.0 / 2.0 + 0.5) / 4.5)


def test_standardised_features_have_the_means_of_repeated_queries():
    rng = np.random.default_rng(3)
    X, y = rng.normal(2.0, 3.0, (12, 2)), np.tile([0, 1, 2], 4)
    data = RankingDataset.from_arrays(X, y, np.repeat(np.arange(4), 3))
    weighted = data.with_query_weights([2.0, 1.0, 1.0, 1.0]).normalise("standard")
    again = np.concatenate([X, X[:3]])
    assert weighted.scaling.mean == pytest.approx(again.mean(axis=0), rel=1e-12)
    assert weighted.scaling.deviation == pytest.approx(again.std(axis=0), rel=1e-12)
    equal = data.with_query_weights(np.ones(4)).normalise("standard").scaling
    plain = data.normalise("standard").scaling
    assert all((a == b).all() for a, b in zip(equal, plain, strict=True))


def test_a_relative_change_is_that_of_the_weighted_means():
    before, after = np.array([0.5, 1.0, 0.25, np.nan]), np.array([0.4, 0.9, 0.5, 1.0])
    weights = np.array([3.0, 2.0, 1.0, 5.0])
    change = relative_change(before, after, weights=weights)
    start, end = (np.average(v[:3], weights=weights[:3]) for v in (before, after))
    assert change[:3] == pytest.approx((start, end, end / start - 1.0))
    assert change.low < change.change < change.high
    plain = relative_change(before, after)
    assert relative_change(before, after, weights=np.full(4, 7.0)) == plain
    # Weights are importances: twice as large ones do not narrow the interval.
    assert relative_change(before, after, weights=2.0 * weights)[:5] == pytest.approx(
        change[:5]
    )


def test_what_weights_cannot_do_is_said(table, rankscope):
    failed = rankscope("train", table, "AdaRank", "--weights", "importance")
    assert failed.code == 2
    assert "queries have weights, and AdaRank takes none" in " ".join(
        failed.err.split()
    )
    failed = rankscope("train", table, "ListNet", "--weights", "nothing")
    assert failed.code != 0
    assert "nothing" in failed.err
    failed = rankscope("train", table, "ListNet", "--weights", "price")
    assert failed.code != 0
    assert "same" in failed.err


def test_slices_against_a_model_in_use_are_weighted(table, tmp_path, rankscope):
    model = tmp_path / "m.json"
    rankscope("train", table, "ListNet", "--weights", "importance", "--max-iter", 5,
              "--no-store", "--out", model)  # fmt: skip
    values = ["evaluate", table, model, "--against-column", "price", "--measure", "RR"]
    result = rankscope(*values, "--weights", "importance", "--json").json
    (row,) = [row for row in result["slices"] if row["by"] == "list length"]
    assert row["model"] == pytest.approx(result["measures"]["RR"])
    # The higher price first puts the relevant document of a and of c at rank 2.
    assert row["against"] == pytest.approx((3.0 / 2.0 + 1.0 + 0.5 / 2.0) / 4.5)
    assert row["effective queries"] == pytest.approx(4.5**2 / (9.0 + 1.0 + 0.25))
    printed = rankscope(*values, "--weights", "importance").out
    assert "(weighted by importance, effective number 1.98)" in printed
    plain = rankscope(*values, "--ignore", "importance", "--json").json
    assert all("effective queries" not in row for row in plain["slices"])


def test_rankings_of_files_are_compared_with_weights(tmp_path, rankscope):
    files = {
        "a.run": "".join(f"q{q} 0 x 1 2 a\nq{q} 0 y 2 1 a\n" for q in range(4)),
        "b.run": "".join(f"q{q} 0 x 1 1 b\nq{q} 0 y 2 2 b\n" for q in range(4)),
        "j.qrels": "q0 0 x 1\nq1 0 y 1\nq2 0 y 1\nq3 0 y 1\n",
        "w.txt": "q0 6\nq1 1\nq2 1\nq3 1\n",
        "ones.txt": "q0 1\nq1 1\nq2 1\nq3 1\n",
        "few.txt": "q0 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    a, b, judged = (tmp_path / name for name in ("a.run", "b.run", "j.qrels"))
    values = ["evaluate", "--run", a, b, "--judgements", judged, "--measure", "RR"]
    plain = rankscope(*values, "--json").json
    result = rankscope(*values, "--weights", tmp_path / "w.txt", "--json").json
    assert plain["runs"]["a.run"]["measures"]["RR"] == pytest.approx(2.5 / 4)
    assert result["runs"]["a.run"]["measures"]["RR"] == pytest.approx(7.5 / 9)
    assert result["runs"]["a.run"]["effective queries"] == pytest.approx(81 / 39)
    (pair,) = result["pairs"]["RR"]
    assert (pair["run"], pair["difference"]) == ("a.run", pytest.approx(1.5 / 9))
    assert (pair["wins"], pair["losses"]) == (1, 3)
    # Of 16 flips of 3, ½, ½ and ½ (times a common factor), all are as large as 1.5.
    assert pair["p"] == 1.0
    ones = rankscope(*values, "--weights", tmp_path / "ones.txt", "--json").json
    assert ones == plain
    printed = " ".join(rankscope(*values, "--weights", tmp_path / "w.txt").out.split())
    assert "effective numbers of queries: a.run 2.1, b.run 2.1" in printed
    assert "weighted by w.txt: 4 queries count as 2.08 of equal weight" in printed
    failed = rankscope(*values, "--weights", tmp_path / "few.txt")
    assert "Queries have no weight: q1, q2, q3" in " ".join(failed.err.split())
    failed = rankscope(*values, "--weights", "importance")
    assert "there is no file 'importance'" in " ".join(failed.err.split())


def test_each_line_of_the_file_is_a_query_and_its_weight():
    text = b'1;2\n"blue cup" 0.5\nx y,1e3\n'
    assert read_query_weights(text) == {"1": 2.0, "blue cup": 0.5, "x y": 1000.0}
    for second in (b"b", b"b 0", b"b -1", b"b inf", b"b nan", b"a 2", b","):
        with pytest.raises(DataError) as error:
            read_query_weights(b"a 1\n" + second)
        assert error.value.line == 2


CLICKED = """qid,label,docid,price,clicks
a,2,A-1,.1,4
a,1,A-2,.7,.5
b,1,B 1,.2,1
b,0,B 2,.1,0
"""


def test_weights_of_documents_are_those_of_a_column_a_file_and_a_folder(
    tmp_path, rankscope
):
    table, file = tmp_path / "shop.csv", tmp_path / "clicks.txt"
    table.write_text(CLICKED)
    file.write_text("a A-1 4\na\tA-2\t0.5\n\nb,B 1,1\nb;B 2;0\nc,C-1,7\n")
    end = ["ListNet", "--max-iter", 5, "--json", "--no-store"]
    column = rankscope("train", table, *end, "--document-weights", "clicks")
    beside = ["--ignore", "clicks", "--document-weights", file]
    assert column.code == 0, column.err
    others = [rankscope("train", table, *end, *beside)]
    rankscope("convert", table, tmp_path / "parts", "--score", "clicks")
    others.append(
        rankscope("train", tmp_path / "parts", *end, "--document-weights", "clicks")
    )
    for other in others:
        assert other.code == 0, other.err
        assert other.json["fingerprint"] == column.json["fingerprint"]
        assert other.json["best"] == column.json["best"]
    plain = rankscope("train", table, *end, "--ignore", "clicks")
    assert column.json["document weights"] == "in training alone"
    assert "document weights" not in plain.json
    shown = rankscope("train", table, *end[:3], end[-1], "--document-weights", "clicks")
    assert "measures count all documents alike" in shown.out
    assert plain.json["best"]["objective"] != column.json["best"]["objective"]

    data = read(table, document_weights="clicks")
    assert (data.feature_names, data.doc_scores) == (("price",), None)
    assert data.document_weights.tolist() == [4.0, 0.5, 1.0, 0.0]
    again = read(table, ignore=["clicks"], document_weights=file)
    assert data.fingerprint == again.fingerprint == column.json["fingerprint"]


def test_what_weights_of_documents_cannot_do_is_said(tmp_path, rankscope):
    table, file = tmp_path / "shop.csv", tmp_path / "few.txt"
    table.write_text(CLICKED.replace("4\n", "-4\n"))
    file.write_text("a,A-1,1\n")
    for word, name, problem in (
        ("RankNet", "price", "documents have weights, and RankNet takes none"),
        ("ListNet", "nothing", "no score or weight column 'nothing'"),
        ("ListNet", "clicks", "Document number 1 has the weight -4"),
        (
            "ListNet",
            str(file),
            "Documents have no weight: A-2 of a, B 1 of b, B 2 of b",
        ),
    ):
        failed = rankscope("train", table, word, "--document-weights", name)
        assert failed.code != 0
        assert problem in " ".join(failed.err.split())
    letor = tmp_path / "f.txt"
    letor.write_text("1 qid:1 1:2\n")
    with pytest.raises(DataError, match="none holds weights of documents"):
        read(letor, document_weights="clicks")


def test_each_line_of_the_other_file_is_a_document_and_its_weight():
    text = b'1;2;0\n"blue cup" A-1 0.5\nx y,B, 7,1e3\n'
    with pytest.raises(DataError, match="Write a query, a document and its weight"):
        read_document_weights(b"a 1\n")
    assert read_document_weights(text) == {
        ("1", "2"): 0.0,
        ("blue cup", "A-1"): 0.5,
        ("x y,B", "7"): 1000.0,
    }
    for second in (b"a b", b"a b -1", b"a b inf", b"a b nan", b"a d 2", b",,1"):
        with pytest.raises(DataError) as error:
            read_document_weights(b"a d 1\n" + second)
        assert error.value.line == 2


def test_a_feature_that_is_called_weight_is_told(tmp_path, rankscope):
    table = tmp_path / "shop.csv"
    table.write_text(CLICKED.replace("clicks", "sample_weight"))
    end = ["ListNet", "--max-iter", 1, "--json", "--no-store"]
    trained = rankscope("train", table, *end)
    sentence = "The column 'sample_weight' is a feature. If it holds weights, name it"
    assert sentence in " ".join(trained.err.split())
    with pytest.warns(DataWarning, match=sentence):
        assert read(table).feature_names == ("price", "sample_weight")
    for option in ("--document-weights", "--ignore"):
        silent = rankscope("train", table, *end, option, "sample_weight")
        assert (silent.code, "is a feature" in silent.err) == (0, False)


@given(place=st.floats(0.0, 1.0), text=texts, length=st.integers(0, 6))
@example(place=0.0, text="", length=3)
@example(place=0.0, text="q" + "," * 10**5 + "a b", length=0)
def test_damaged_weights_are_read_or_refused(place, text, length):
    begin = int(place * len(LINES))
    damaged = LINES[:begin] + text + LINES[begin + length :]
    result, sentence = outcome(read_query_weights, damaged.encode("utf-8", "replace"))
    if sentence is None:
        assert all(query and 0.0 < w < np.inf for query, w in result.items())
    else:
        assert len(sentence) < 600
