"""Naming the columns of a table, and data from standard input."""

import io
import json
import sys

import numpy as np
import pytest

from rankcore import measures, read_feature_log, read_table
from tests.readers.samples import file_fixture

SHOP = (
    "sku,search,stars,title,words,note,price\n"
    "A-1,s1,2,Blue mug,mug,new,9.5\n"
    "A-2,s1,0,Red mug,mug,new,12\n"
    "B-7,s2,1,Plate,dish,,3\n"
    "B-8,s2,0,Cup,dish,,5\n"
)
NAMED = (
    *("--label", "stars", "--query", "search", "--document", "sku"),
    *("--text", "title", "--query-text", "words", "--ignore", "note"),
)
shop = file_fixture("shop.csv", SHOP)


def test_columns_are_named(rankscope, shop, tmp_path):
    out = tmp_path / "model.json"
    trained = rankscope("train", shop, "LeastSquares", *NAMED, "--out", out, "--json")
    assert trained.code == 0, trained.err
    run = tmp_path / "run.txt"
    measured = rankscope("evaluate", shop, out, *NAMED, "--run-out", run, "--json")
    assert measured.code == 0, measured.err
    words = [line.split() for line in run.read_text().splitlines()]
    assert {word[2] for word in words} == {"A-1", "A-2", "B-7", "B-8"}


def test_each_query_is_shown_with_its_words(rankscope, shop, tmp_path):
    out = tmp_path / "model.json"
    long = "mug with a handle " * 5
    shop.write_text(SHOP.replace(",dish,", f",{long},"))
    rankscope("train", shop, "LeastSquares", *NAMED, "--out", out)
    words = (*NAMED, "--measure", "AP", "--per-query")
    heads, first, second, *_ = rankscope("evaluate", shop, out, *words).out.splitlines()
    assert heads.split() == ["query", "AP", "query", "text"]
    assert first.split() == ["s1", "1.0000", "mug"]
    assert second.split()[:3] == ["s2", "1.0000", "mug"]
    assert second.endswith(f"{long[:59].rstrip()}…")
    shown = rankscope("evaluate", shop, out, *words, "--json").json
    assert shown["queries"] == {"s1": {"AP": 1.0}, "s2": {"AP": 1.0}}
    assert shown["query_texts"] == {"s1": "mug", "s2": long}

    plain = [*NAMED[:-4], "--ignore", "words", "--ignore", "note"]
    words = (*plain, "--measure", "AP", "--per-query")
    sentence = rankscope("evaluate", shop, out, *words).out
    assert sentence.splitlines()[0].split() == ["query", "AP"]
    assert "query_texts" not in rankscope("evaluate", shop, out, *words, "--json").json


def test_a_column_of_words_is_named_with_what_to_do(rankscope, shop):
    ended = rankscope("train", shop, "LeastSquares", *NAMED[:-2])
    assert ended.code == 3
    assert f"{shop}, line 2, column note" in ended.err
    assert "--ignore" in ended.err


def test_only_tables_have_columns(rankscope, letor):
    for data, problem in [
        (letor, "LETOR text has no named columns"),
        ("planted", "whose columns are known"),
    ]:
        ended = rankscope("train", data, "LeastSquares", "--score", "x")
        assert ended.code == 3
        assert problem in ended.err


@pytest.mark.parametrize("kind", ["letor", "csv"])
def test_standard_input(rankscope, shop, letor, kind, monkeypatch):
    path, options = (shop, NAMED) if kind == "csv" else (letor / "train.txt", ())
    stream = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stream)
    piped = rankscope("train", "-", "LeastSquares", *options, "--json")
    filed = rankscope("train", path, "LeastSquares", *options, "--json")
    assert piped.code == 0, piped.err
    assert piped.json["fingerprint"] == filed.json["fingerprint"]
    assert piped.json["data"] == "standard input"


MANY = "label,query,price\n" + "".join(
    f"{n % 3},q{n // 3},{n * n % 7}\n" for n in range(30)
)
# Ten queries in one file.
many = file_fixture("many.csv", MANY)


def test_one_file_is_divided_by_query(rankscope, many, tmp_path):
    out = tmp_path / "model.json"
    division = ("--divide", "60/20/20", "--divide-seed", 4)
    trained = rankscope(
        "train", many, "LeastSquares", *division, "--out", out, "--json"
    )
    measured = rankscope("evaluate", many, out, *division, "--split", "test", "--json")
    train, valid, test = read_table(many).split((0.6, 0.2, 0.2), seed=4)

    assert trained.json["fingerprint"] == train.fingerprint
    assert valid.n_queries == test.n_queries == 2
    for part in ("train", "valid", "test"):
        assert "nDCG@10" in trained.json["measures"][part]
    assert (
        measured.json["measures"]["nDCG@10"]
        == trained.json["measures"]["test"]["nDCG@10"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--divide", "60/60"], "with sum 100, such as 60/20/20"),
        (["--divide", "100"], "with sum 100, such as 60/20/20"),
        (["--divide", "110/-10"], "with sum 100, such as 60/20/20"),
        (["--divide", "most"], "with sum 100, such as 60/20/20"),
        (["--divide-seed", "1"], "no effect without --divide"),
        (["--divide", "50/50", "--valid", "{file}"], "leave out --valid and --test"),
    ],
)
def test_a_division_that_cannot_be_is_refused(rankscope, many, words, said):
    values = [word.replace("{file}", str(many)) for word in words]
    ended = rankscope("train", many, "LeastSquares", *values)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_what_is_split_already_or_too_small_is_not_divided(rankscope, shop):
    result = rankscope("train", "planted", "LeastSquares", "--divide", "60/20/20")
    assert result.code == 2
    assert "planted has its own splits: leave out --divide." in result.err
    few = rankscope("train", shop, "LeastSquares", *NAMED, "--divide", "60/20/20")
    assert few.code == 3
    assert "2 queries cannot be split into 3 parts" in few.err


def test_standard_input_with_nothing_in_it(rankscope, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    ended = rankscope("train", "-", "LeastSquares")
    assert ended.code == 3
    assert "standard input, line 1" in ended.err
    assert "no rows" in ended.err


LOG = "".join(
    f'{{"qid": {n // 4}, "id": "d{n}", "[features]": "bm25={n % 4},age={n}"}}\n'
    for n in range(24)
)
LABELS = "".join(f"{n // 4} 0 d{n} {n % 4}\n" for n in range(24) if n % 4 != 1)


def test_a_feature_log_is_trained_on_with_its_judgements(rankscope, tmp_path):
    log, labels = tmp_path / "log.ndjson", tmp_path / "qrels.txt"
    out = tmp_path / "model.json"
    log.write_text(LOG)
    labels.write_text(LABELS)
    named = ("--judgements", labels, "--divide", "60/20/20")
    trained = rankscope("train", log, "LeastSquares", *named, "--out", out, "--json")
    measured = rankscope("evaluate", log, out, *named, "--json")
    data = read_feature_log(log, labels)

    assert trained.json["fingerprint"] == data.split()[0].fingerprint
    assert measured.json["measures"]["nDCG@10"] == 1.0
    assert data.n_judged == 18
    unjudged = measured.json["unjudged"]
    assert (unjudged["unjudged"], unjudged["documents"]) == (1, 4)
    assert [row["judged"] for row in unjudged["rows"]] == [
        1,
        2 / 3,
        3 / 4,
        3 / 4,
        3 / 4,
    ]
    assert unjudged["bpref"] == 1.0
    words = rankscope("evaluate", log, out, *named).out
    assert "1 of 4 documents have no judgement and count as irrelevant" in words
    assert "share judged" in words
    over = rankscope("train", log, "LeastSquares", *named, "--out", labels)
    assert over.code == 2
    without = rankscope("train", log, "LeastSquares")
    assert without.code == 3
    assert "No document of the log has a label" in without.err
    assert "--judgements" in without.err


def test_a_model_is_compared_with_the_one_in_use_by_groups(rankscope, many, tmp_path):
    worse, better = tmp_path / "worse.json", tmp_path / "better.json"
    rankscope("train", many, "LeastSquares", "--out", better)
    saved = json.loads(better.read_text())
    saved["coefficients"] = [-weight for weight in saved["coefficients"]]
    worse.write_text(json.dumps(saved))
    words = ("--against", better, "--slice-by", "price", "--json")
    rows = rankscope("evaluate", many, worse, *words).json["slices"]

    assert {row["by"] for row in rows} == {"price"}
    assert sum(row["queries"] for row in rows) == 10
    for row in rows:
        assert row["difference"] == pytest.approx(row["model"] - row["against"])
        assert (row["verdict"] in ("lower", "worse")) == (row["difference"] < 0)
    assert any(row["verdict"] for row in rows)
    value = rankscope("evaluate", many, worse, "--against", better)
    assert "by groups of queries, against" in value.out
    assert "list length" in value.out
    assert "relevant documents" in value.out
    for words, result in [
        (("--slice-by", "price"), "no effect without --against"),
        (("--against", better, "--slice-by", "x"), "There is no feature 'x'"),
    ]:
        ended = rankscope("evaluate", many, worse, *words)
        assert ended.code == 2
        assert result in " ".join(ended.err.split())


GROUPED = "label,qid,part,segment,a,b\n" + "".join(
    f"{(q + d) % 3},q{q},{('train', 'valid', 'test')[q % 3]},"
    f"{('head', 'tail')[q // 3 % 2]},{(q + d) % 3 + d / 9},{d}\n"
    for q in range(24)
    for d in range(4)
)
grouped = file_fixture("grouped.csv", GROUPED)


@pytest.mark.parametrize(
    ("divide", "queries"), [("2-of-4", 12), ("column:part", 8), ("50/50", 12)]
)
def test_one_file_is_split(rankscope, grouped, tmp_path, divide, queries):
    out = tmp_path / "m.json"
    words = [] if divide == "column:part" else ["--ignore", "part"]
    words += ["--divide", divide, "--group", "segment"]
    ended = rankscope("train", grouped, "LeastSquares", *words, "--out", out, "--json")
    assert ended.code == 0, ended.err
    data = read_table(GROUPED.encode(), group=["part", "segment"])
    parts = {
        "2-of-4": lambda: data.fold(2, 4),
        "column:part": lambda: data.split_by("part"),
        "50/50": lambda: data.split((0.5, 0.5)),
    }[divide]()
    assert ended.json["fingerprint"] == parts[0].fingerprint
    assert parts[0].n_queries == queries


def test_what_is_no_division_is_refused(rankscope, grouped):
    for words, problem in [
        (["--divide", "6-of-5"], "is not a fold"),
        (["--divide", "column:part", "--divide-seed", "1"], "has no effect"),
        (["--skip-lines", "0"], "cannot be skipped"),
    ]:
        ended = rankscope("train", grouped, "LeastSquares", *words)
        assert ended.code == 2
        assert problem in ended.err
    ended = rankscope("train", grouped, "LeastSquares", "--divide", "column:none")
    assert ended.code == 3
    assert "no group or weight column 'none'" in ended.err


def test_lines_are_skipped(rankscope, grouped, tmp_path):
    grouped.write_text(GROUPED.replace(",q3,train,tail,", ",q3,train,tail,many", 1))
    words = ["--divide", "column:part", "--group", "segment", "--json"]
    ended = rankscope("train", grouped, "LeastSquares", *words)
    assert ended.code == 3
    assert "line 14, column a" in ended.err

    ended = rankscope("train", grouped, "LeastSquares", *words, "--skip-lines", "14")
    assert ended.code == 0, ended.err
    assert ended.json["data"] == "grouped without 1 line"
    ended = rankscope("train", "toy-2d", "LeastSquares", "--skip-lines", "3")
    assert ended.code == 3


def test_a_model_is_compared_with_the_scores_in_use(rankscope, grouped, tmp_path):
    out = tmp_path / "m.json"
    words = ["--divide", "column:part", "--group", "segment"]
    rankscope("train", grouped, "LeastSquares", *words, "--out", out)
    ended = rankscope(
        *("evaluate", grouped, out, *words, "--measure", "nDCG@2"),
        *("--against-column", "b", "--json"),
    )
    assert ended.code == 0, ended.err
    assert {row["by"] for row in ended.json["slices"]} == {
        "list length", "relevant documents", "segment",
    }  # fmt: skip
    segments = [row for row in ended.json["slices"] if row["by"] == "segment"]
    assert [row["group"] for row in segments] == ["head", "tail"]
    lost = [change["value"] - change["other"] for change in ended.json["changes"]]
    assert lost == sorted(lost)

    ended = rankscope(
        *("evaluate", grouped, out, *words, "--against-column", "b", "--changes", 1)
    )
    assert "documents change for" in ended.out
    for words, problem in [
        (["--changes", "3"], "no effect without --against"),
        (["--against-column", "c"], "There is no feature or score column 'c'"),
        (["--against-column", "b", "--against", out], "not both"),
    ]:
        ignored = ["--ignore", "part", "--ignore", "segment"]
        ended = rankscope("evaluate", grouped, out, *ignored, *words)
        assert problem in ended.err
        assert ended.code == 2


def test_a_model_is_compared_with_a_score_that_is_no_feature(
    rankscope, grouped, tmp_path
):
    out, folder = tmp_path / "m.json", tmp_path / "parts"
    words = ["--group", "segment", "--ignore", "part"]
    scored = [*words, "--score", "b"]
    trained = rankscope(
        "train", grouped, "LeastSquares", *scored, "--out", out, "--json"
    )
    assert trained.code == 0, trained.err
    only = rankscope(
        "train", grouped, "LeastSquares", *words, "--ignore", "b", "--json"
    )
    assert trained.json["fingerprint"] == only.json["fingerprint"]

    converted = rankscope("convert", grouped, folder, *scored)
    assert converted.code == 0, converted.err
    compared = ["--against-column", "b", "--measure", "nDCG@2", "--json"]
    values = [
        rankscope("evaluate", data, out, *result, *compared).json
        for data, result in [(grouped, scored), (folder, [])]
    ]
    data = read_table(GROUPED.encode(), group=["segment"], ignore=["part", "b"])
    # The score falls with the place: documents come in the order 3, 2, 1, 0.
    used = measures.evaluate(data, np.tile(np.arange(4.0), 24), "nDCG@2")["nDCG@2"]
    for shown in values:
        (everything, *_) = (r for r in shown["slices"] if r["by"] == "list length")
        assert everything["against"] == pytest.approx(used.mean())
        assert shown["changes"] == values[0]["changes"]

    missing = GROUPED.replace(",3\n", ",\n", 1)
    grouped.write_text(missing)
    ended = rankscope("train", grouped, "LeastSquares", *scored)
    assert ended.code == 3
    assert f"{grouped}, line 5, column b" in ended.err
    assert "production score" in " ".join(ended.err.split())
    ended = rankscope("train", "planted", "LeastSquares", "--score", "f1")
    assert "whose columns are known" in ended.err


def test_labels_to_100_are_read_for_the_linear_gain(rankscope, tmp_path):
    path, out = tmp_path / "rates.txt", tmp_path / "model.json"
    path.write_text("90 qid:1 1:0.5\n40 qid:1 1:0.1\n0 qid:1 1:0.0\n")
    refused = rankscope("train", path, "LeastSquares", "--out", out)
    assert "--label-gain linear" in refused.err

    learn = "train", path, "LeastSquares", "--label-gain", "linear", "--out", out
    trained = rankscope(*learn, "--measure", "nDCG(gain='linear')", "--json")
    assert trained.code == 0, trained.err
    wrong = rankscope(*learn[:-3], "square")
    assert "exponential or linear, not 'square'" in wrong.err


def test_missing_values_are_filled_by_the_word(rankscope, tmp_path):
    path, out = tmp_path / "shop.csv", tmp_path / "model.json"
    path.write_text("qid,label,price,stars\n1,1,9.5,\n1,0,12,3\n")
    learn = "train", path, "LeastSquares", "--out", out
    assert "--missing" in rankscope(*learn).err
    for word in ("median", "zero"):
        filled = rankscope(*learn, "--missing", word)
        assert filled.code == 0, filled.err
        assert "1 of 4 values (25.0%) is missing (stars 1)" in filled.err
    assert "median or zero" in rankscope(*learn, "--missing", "mean").err
    err = rankscope(*learn, "--missing", "keep").err
    assert "(stars 1) and is kept, for LightGBM and XGBoost." in err
    assert "first in feature stars (1), and Least squares takes none. Fill" in err


@pytest.mark.parametrize("name", ["LightGBM", "XGBoost"])
def test_missing_values_are_kept_for_trees(name, rankscope, tmp_path):
    pytest.importorskip(name.lower())
    lines = [f"{i // 8},{i % 3},{i % 7},{'' if i % 4 else i % 5}" for i in range(80)]
    path, out = tmp_path / "shop.csv", tmp_path / "model.json"
    path.write_text("\n".join(["qid,label,price,stars", *lines]))
    learn = "train", path, name, "--max-iter", "3", "--out", out
    assert rankscope(*learn, "--missing", "keep").code == 0
    result = rankscope("evaluate", path, out, "--missing", "keep", "--json")
    assert result.code == 0, result.err
    assert "60 of 160 values (37.5%) are missing (stars 60) and are kept" in result.err
    rankscope("convert", path, tmp_path / "folder", "--missing", "keep")
    converted = rankscope("evaluate", tmp_path / "folder", out, "--json")
    assert converted.out == result.out
    assert rankscope(*learn, "--missing", "zero").code == 0
    refused = rankscope("evaluate", path, out, "--missing", "keep")
    assert "in feature stars (60), and the model was trained without" in refused.err
    refused = rankscope("evaluate", tmp_path / "folder", out, "--missing", "zero")
    assert (
        "read unchanged, so 'missing' cannot be changed. Choose it when" in refused.err
    )


def test_missing_values_that_cannot_be_learnt_end_a_command(rankscope, tmp_path):
    lines = [f"{i // 8},{i % 3},{i % 7},{i % 5}" for i in range(80)]
    table = "\n".join(["qid,label,price,stars", *lines])
    whole, gaps, out = (tmp_path / name for name in ("a.csv", "b.csv", "m.json"))
    whole.write_text(table)
    gaps.write_text(table.replace("2,2,3,2", "2,2,3,"))
    keep = "--missing", "keep", "--no-store"
    for command in (
        ("sweep", gaps, "RSRank", "--over", "g=0,5"),
        ("search", gaps, "RSRank", "--valid", whole, "--models", 2),
        ("path", gaps, "RSRank", "--over", "g", "--values", "0,5"),
    ):
        ended = rankscope(*command, *keep)
        assert ended.code == 2
        assert not ended.out
        assert ended.err.count("and RSRank takes none. Fill") == 1
    ended = rankscope("train", whole, "LightGBM", "--test", gaps, "--out", out, *keep)
    assert ended.code == 2
    assert "In the test data 1 of 160 values is missing" in ended.err
    assert not out.exists()
