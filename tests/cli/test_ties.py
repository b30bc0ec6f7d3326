"""Files that list the best documents first, and models that rank nothing."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[1] / "inputs"
VALUES, WORDS = "0,1,100000", ("--divide", "60/20/20", "--no-store")
# Labels 2, 1, 0, 0, 0 in any order, and in the order of trec_eval: from the last on.
DISCOUNTS = [1 / math.log2(1 + rank) for rank in range(1, 6)]
IDEAL = 3 * DISCOUNTS[0] + 1 * DISCOUNTS[1]
ANY_ORDER = (3 + 1) * sum(DISCOUNTS) / 5 / IDEAL
LAST_FIRST = (3 * DISCOUNTS[4] + 1 * DISCOUNTS[3]) / IDEAL


@pytest.fixture
def noise():
    """Fifteen queries of noise, the best documents first, as most exports are."""
    return FOLDER / "A1_label_sorted_noise.txt"


def test_search_chooses_no_model_that_ranks_nothing(rankscope, noise):
    words = "--over", f"g={VALUES}", "--by", "grid", "--models", 3, *WORDS
    ended = rankscope("search", noise, "RSRank", *words)
    rows = [line.split("  ") for line in ended.out.splitlines() if "100000" in line]
    assert len(rows) == 1
    assert "ranks nothing" in " ".join(rows[0])
    # It has no best iteration.
    assert "–" in [cell.strip() for cell in rows[0]]
    assert "of the best model (number 1), evaluated once" in ended.out
    result = rankscope("search", noise, "RSRank", *words, "--json").json
    assert result["best"]["g"] == 0
    assert [row["ranks"] for row in result["rows"]] == [True, False, False]
    assert result["test"]["estimate"] < 1


def test_search_chooses_none_where_all_rank_nothing(rankscope, noise):
    words = "--over", "g=1000,100000", "--by", "grid", "--models", 2, *WORDS
    ended = rankscope("search", noise, "RSRank", *words)
    assert ended.code == 0
    assert "No model ranks anything, so none is chosen." in ended.out
    assert "Test" not in ended.out
    assert rankscope("search", noise, "RSRank", *words, "--json").json["best"] is None


def test_sweep_and_path_list_them_last_or_say_so(rankscope, noise):
    swept = rankscope("sweep", noise, "RSRank", "--over", f"g={VALUES}", *WORDS)
    rows, choice = swept.out.split("\n\n")[1:]
    _, first, *others = rows.splitlines()
    assert "ranks nothing" not in first
    assert choice.startswith("Iteration of the model of each run: best")
    assert all("ranks nothing" in line for line in others)
    words = "--over", "g", "--values", VALUES, *WORDS, "--measure", "nDCG@10"
    walked = rankscope("path", noise, "RSRank", *words)
    table, sentence = walked.out.split("\n\n", 1)
    assert table.splitlines()[-1].count("ranks nothing") == 3
    assert "g = 0, 2 of 2 features" in sentence


def test_histories_say_which_iterations_rank_nothing(rankscope, noise, tmp_path):
    """Numbers for programs, with a column that says so; words for people."""
    key = None
    for ending, command in (("csv", "train"), ("parquet", "runs"), ("json", "runs")):
        file = tmp_path / f"history.{ending}"
        words = ["train", noise, "RSRank", "--g", 100000, "--max-iter", 3]
        if command == "runs":
            words = ["runs", "export", key]
        ended = rankscope(*words, "--history", file, *["--json"][: command == "train"])
        assert ended.code == 0, ended.err
        key = key or ended.json["run"]
        table = getattr(pd, f"read_{ending}")(file)
        assert table["ranks"].tolist() == [True, False, False, False]
        assert table["train nDCG@10"][1:].tolist() == pytest.approx([ANY_ORDER] * 3)
    for ending in ("md", "tex"):
        file = tmp_path / f"history.{ending}"
        rankscope("runs", "export", key, "--history", file)
        assert file.read_text().count("ranks nothing") == 3


PER_QUERY = "--per-query", "--json"


def test_train_and_evaluate_say_so(rankscope, noise, tmp_path):
    model, run, labels = (tmp_path / name for name in ("m.json", "run", "qrels"))
    trained = rankscope(
        "train", noise, "RSRank", "--g", 100000, "--out", model, "--no-store"
    )
    assert "ranks nothing" in trained.out
    words = ["--measure", "nDCG@10", "--measure", "AP"]
    files = "--run-out", run, "--qrels-out", labels
    shown = rankscope("evaluate", noise, model, *words, *files).out
    assert "ranks nothing" in shown
    assert "75 documents tie with another document of their query" in shown
    average_precision = (1 / 4 + 2 / 5) / 2
    assert f"nDCG@10 {LAST_FIRST:.4f}, AP {average_precision:.4f};" in shown
    for ties, value in (("mean", ANY_ORDER), ("trec", LAST_FIRST), ("input", 1)):
        result = rankscope("evaluate", noise, model, *words, "--ties", ties, *PER_QUERY)
        assert result.json["measures"] == {"nDCG@10": None, "AP": None}
        assert (result.json["ranks"], result.json["ties"]) == (False, ties)
        (first, *_) = result.json["queries"].values()
        assert first["nDCG@10"] == pytest.approx(value)
    scores = {line.split()[4] for line in run.read_text().splitlines()}
    assert scores == {"0.0"}


def test_trec_eval_gives_what_is_said_of_a_run(rankscope, noise, tmp_path):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    model, run, labels = (tmp_path / name for name in ("m.json", "run", "qrels"))
    rankscope("train", noise, "RSRank", "--g", 100000, "--out", model, "--no-store")
    measure = "nDCG(dcg='log2')@10"
    files = "--run-out", run, "--qrels-out", labels
    result = rankscope("evaluate", noise, model, "--measure", measure, *files, "--json")
    with run.open() as ranked, labels.open() as judged:
        qrel, value = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(ranked)
    values = pytrec_eval.RelevanceEvaluator(qrel, {"ndcg_cut.10"}).evaluate(value)
    expected = np.mean([query["ndcg_cut_10"] for query in values.values()])
    assert result.json["by trec_eval's rule"][measure] == pytest.approx(expected)


def test_an_unknown_rule_for_ties_is_refused(rankscope, noise, tmp_path):
    model = tmp_path / "m.json"
    rankscope("train", noise, "RSRank", "--max-iter", 1, "--out", model, "--no-store")
    ended = rankscope("evaluate", noise, model, "--ties", "best")
    assert ended.code == 2
    assert "ties must be one of mean, input, worst, trec" in ended.err


@pytest.mark.parametrize("convention", ["letor3", "letor4"])
def test_conventions_of_letor_say_where_many_pairs_tie(
    rankscope, noise, tmp_path, convention
):
    model = tmp_path / "m.json"
    words = "--convention", convention
    trained = rankscope(
        "train", noise, "RSRank", "--g", 100000, *words, "--out", model, "--no-store"
    )
    sentence = "100% of the pairs of documents with different labels have equal scores"
    assert sentence in trained.out
    assert sentence in rankscope("evaluate", noise, model, *words).out
    assert sentence not in rankscope("evaluate", noise, model).out
    rankscope("train", noise, "RSRank", "--g", 0, "--out", model, "--no-store")
    assert "of the pairs" not in rankscope("evaluate", noise, model, *words).out
