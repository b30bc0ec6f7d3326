"""`rankscope agreement`: judgements of several raters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcore.base.errors import DataError
from rankcore.data.ratings import read_ratings
from tests.odd_texts import outcome, texts
from tests.readers.samples import RATINGS, file_fixture

TABLE = f"{RATINGS}2,P3,Ann,1\n2,P3,Bob,\n"

file = file_fixture("raters.csv", TABLE)


def test_agreement_is_printed_and_one_label_is_made(rankscope, file, tmp_path):
    out = tmp_path / "qrels.csv"
    ended = rankscope("agreement", file, "--out", out)
    assert ended.code == 0
    assert "4 documents, 2 raters, 7 ratings." in ended.out
    assert f"{out} has labels by majority; where" in ended.out
    assert "the lower grade: 1 of them." in ended.out
    rows = ["1,P1,1", "1,P2,0", "2,P1,3", "2,P3,1"]
    assert out.read_text().split() == ["query,document,label", *rows]

    agreement = rankscope("agreement", file, "--json").json["agreement"]
    values = {row["agreement"]: row["value"] for row in agreement}
    # Disagreement of the pairs, by that of each label of Ann with each of Bob.
    first, second = np.array([2, 0, 3]), np.array([1, 0, 3])
    apart = np.abs(first[:, None] - second)
    for name, power in {"": 0, " (linear)": 1, " (quadratic)": 2}.items():
        distances = (apart > 0) if power == 0 else apart**power
        wanted = 1 - distances.diagonal().mean() / distances.mean()
        assert values[f"Cohen's kappa{name}"] == pytest.approx(wanted)
    # P3 has one label, so the table is not complete.
    assert "Fleiss' kappa" not in values


def test_labels_are_written_as_csv_alone(rankscope, file, tmp_path):
    for ending in (".xlsx", ".parquet", ".JSON"):
        out = tmp_path / f"labels{ending}"
        ended = rankscope("agreement", file, "--out", out)
        assert ended.code == 2
        assert f"not {ending}: name a .csv file." in ended.err
        assert not out.exists()


def test_raters_in_parquet_are_those_in_csv(rankscope, file, tmp_path):
    table = tmp_path / "raters.parquet"
    pd.read_csv(file).to_parquet(table)
    result, expected = (rankscope("agreement", one, "--json") for one in (table, file))
    assert result.json == expected.json
    table.write_bytes(table.read_bytes()[:-40])
    assert "The Parquet data is damaged" in rankscope("agreement", table).err


def test_queries_on_which_raters_disagree_stand_beside_runs(rankscope, file, tmp_path):
    runs = []
    for name, order in {"a": ("P1", "P2"), "b": ("P2", "P1")}.items():
        rows = [f"1 Q0 {one} 1 {-n} {name}\n" for n, one in enumerate(order)]
        run = tmp_path / f"{name}.run"
        run.write_text("".join(rows) + "2 Q0 P1 1 2 x\n")
        runs += ["--run", run]
    linear = ("--measure", "nDCG(dcg='log2')@10", "--ties", "fractional")
    first, second = rankscope("agreement", file, *runs, *linear, "--json").json[
        "queries"
    ]
    assert (first["query"], first["range"]) == ("1", pytest.approx(1 - 1 / np.log2(3)))
    assert (second["disagreement"], second["range"]) == (0.0, 0.0)

    out = tmp_path / "qrels.csv"
    printed = rankscope("agreement", file, *linear[2:], "--out", out).out
    assert "the mean: 1 of them. All are multiplied by 2." in printed
    assert out.read_text().split()[1:] == ["1,P1,3", "1,P2,0", "2,P1,6", "2,P3,2"]
    assert "linear gain" in rankscope("agreement", file, *runs, *linear[2:]).err
    assert "at least two runs" in rankscope("agreement", file, *runs[:2]).err


def test_equal_labels_are_said_to_be_undefined(rankscope, file):
    file.write_text("query,document,worker,label\n1,a,x,Good\n1,a,y,Good\n")
    ended = rankscope("agreement", file, "--labels", "Good=2, Bad=0")
    assert ended.code == 0
    assert "Krippendorff's alpha (ordinal)  undefined: all labels equal" in ended.out
    assert "Fleiss' kappa  undefined: all labels equal" in ended.out


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("judge", "age", "line 1: There is no column 'rater'"),
        ("judge", "age", r"or name it with rater=… \(on the command line --rater\)"),
        ("Bob,1", ",1", "line 3, column rater: The rater is missing"),
        ("Bob,1", "Bob,-1", "line 3, column label: The label '-1' is not a whole"),
        ("Bob,1", "Ann,1", "line 3, column label: 'Ann' has judged 'P1' before"),
        ("P2,Bob,0", "P2,Bob", "line 5"),
        (TABLE[27:], "", "There are no judgements"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old, new, complaint):
    with pytest.raises(DataError, match=complaint):
        read_ratings(TABLE.replace(old, new, 1).encode(), name="raters.csv")


@pytest.mark.parametrize(
    "rows", ["1,P1,Ann,2\n1,P2,Ann,0\n", "1,P1,Ann,2\n1,P2,Bob,0\n"]
)
def test_labels_that_nobody_else_gave_agree_with_none(rankscope, tmp_path, rows):
    file = tmp_path / "raters.csv"
    file.write_text(f"query,document,rater,label\n{rows}")
    ended = rankscope("agreement", file)
    assert "undefined: no document has labels of two raters" in ended.out
    assert "all labels equal" not in ended.out


def test_a_word_for_nothing_is_a_label_where_a_grade_is_given(rankscope, tmp_path):
    file, run, judged = (tmp_path / name for name in ("r.csv", "a.run", "j.csv"))
    file.write_text("query,document,rater,label\n1,a,x,None\n1,a,y,Good\n1,b,x,Good\n")
    words = "--labels", "none=0, Good=2"
    assert (
        "2 documents, 2 raters, 3 ratings" in rankscope("agreement", file, *words).out
    )
    refused = rankscope("agreement", file, "--labels", "Good=2").out
    assert "2 documents, 2 raters, 2 ratings" in refused
    judged.write_text("query,document,label\n1,a,None\n1,b,Good\n1,c,\n")
    run.write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n")
    values = "--judgements", judged, *words, "--measure", "Judged@3", "--json"
    result = rankscope("evaluate", "--run", run, *values).json["runs"]["a.run"]
    assert result["measures"]["Judged@3"] == pytest.approx(2 / 3)


def test_options_that_do_not_exist_are_refused(rankscope, file):
    absent = rankscope("agreement", file, "--rater", "x").err
    assert "There is no rater column 'x' (the columns are" in absent
    assert "use majority or median" in rankscope("agreement", file, "--rule", "x").err
    assert "use lower or fractional" in rankscope("agreement", file, "--ties", "x").err
    assert "use nominal, ordinal" in rankscope("agreement", file, "--level", "x").err
    assert rankscope("agreement", file, "--level", "x").code == 2


@given(place=st.floats(0.0, 1.0), text=texts, length=st.integers(0, 6))
def test_damaged_ratings_are_read_or_refused(place, text, length):
    begin = int(place * len(TABLE))
    damaged = TABLE[:begin] + text + TABLE[begin + length :]
    result, sentence = outcome(read_ratings, damaged.encode("utf-8", "replace"))
    if sentence is None:
        assert np.isfinite(result.label).all()
    else:
        assert len(sentence) < 600
