"""`rankscope evaluate --run`: rankings of any ranker, measured and compared."""

from math import log2

import numpy as np
import pytest
import pytrec_eval

PROD = "mug Q0 A 1 9.5 prod\nmug Q0 B 2 7.0 prod\npan Q0 C 1 3.0 prod\n"
NEW = "mug Q0 B 1 9.5 new\nmug Q0 A 2 7.0 new\npan Q0 C 1 3.0 new\n"
QRELS = "mug 0 A 2\nmug 0 B 0\npan 0 C 1\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"prod.run": PROD, "new.run": NEW, "qrels.txt": QRELS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_two_runs_are_measured_and_compared(rankscope, files):
    words = "evaluate", "--run", "prod.run", "new.run", "--judgements", "qrels.txt"
    ended = rankscope(*words, "--measure", "nDCG@10", "--measure", "RR", "--json")
    assert ended.code == 0
    prod, new = ended.json["runs"]["prod.run"], ended.json["runs"]["new.run"]
    assert prod["measures"] == {"nDCG@10": 1.0, "RR": 1.0}
    expected = {"nDCG@10": (1 / log2(3) + 1) / 2, "RR": 3 / 4}
    assert new["measures"] == pytest.approx(expected, rel=1e-14)
    [pair] = ended.json["pairs"]["RR"]
    assert (pair["run"], pair["against"]) == ("prod.run", "new.run")
    assert pair["difference"] == 1 / 4
    assert (pair["wins"], pair["ties"], pair["losses"]) == (1, 1, 0)
    assert pair["p"] == pair["p (Holm)"] == 1.0

    shown = rankscope(*words, "--measure", "RR", "--per-query").out
    assert "prod.run  1.0000" in shown
    assert "new.run   0.7500" in shown
    assert "ties by the mean over their orders" in shown
    assert "query mug    1.0000   0.5000      0.5000  prod.run better" in shown
    assert "Only 1 of 2 queries differ: no test can decide." in shown
    assert "2 queries are too few to trust the interval." in shown
    assert "Queries: all judged queries" in shown


def test_three_runs_are_compared_two_by_two(rankscope, files):
    (files / "csv.csv").write_text("query,document,score\nmug,A,1\npan,C,1\n")
    runs = "--run", "prod.run", "--run", "new.run", "--run", "csv.csv"
    words = "evaluate", *runs, "--judgements", "qrels.txt", "--measure", "RR"
    ended = rankscope(*words, "--json", "--per-query")
    assert [(one["run"], one["against"]) for one in ended.json["pairs"]["RR"]] == [
        ("prod.run", "csv"), ("prod.run", "new.run"), ("csv", "new.run"),
    ]  # fmt: skip
    assert ended.json["per query"]["RR"]["new.run"] == {"mug": 1 / 2, "pan": 1.0}
    shown = rankscope(*words, "--per-query").out
    assert "query  prod.run  new.run     csv" in shown
    again = rankscope(*words, "prod.run")
    assert again.code == 2
    assert "given twice" in again.err


def test_the_rules_of_trec_eval_are_named_and_give_its_figures(rankscope, files):
    rng = np.random.default_rng(4)
    lines = [
        f"{q} Q0 d{d} 0 {rng.integers(9)} m\n" for q in range(9) for d in range(15)
    ]
    judged = [f"{q} 0 d{d} {rng.integers(4)}\n" for q in range(3, 12) for d in range(9)]
    (files / "many.run").write_text("".join(lines))
    (files / "many.txt").write_text("".join(judged))
    words = "evaluate", "--run", "many.run", "--judgements", "many.txt"
    rules = *words, "--convention", "trec", "--measure"
    shown = rankscope(*rules, "nDCG@10", "--measure", "Bpref").out
    evaluator = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(judged), {"ndcg_cut.10", "bpref"}
    )
    theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
    means = [
        f"{np.mean([item[name] for item in theirs.values()]):.4f}"
        for name in ("ndcg_cut_10", "bpref")
    ]
    assert ["many.run", *means] in [line.split() for line in shown.splitlines()]
    assert "Rules of trec_eval: documents by descending score, read as a" in shown
    assert "queries that are both judged and in the run" in shown
    assert "gain y" in shown
    assert "many.run has no documents for 3 of the judged queries; they are left" in (
        shown
    )
    assert "many.run has 3 queries without judgements, which are left out." in shown
    every = rankscope(*words, "--measure", "RR", "--json").json["runs"]["many.run"]
    assert (every["queries"], every["judged queries without documents"]) == (9, 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("evaluate", "Missing argument 'DATA'; or evaluate rankings with --run."),
        ("evaluate data", "Missing argument 'MODEL'"),
        ("evaluate toy-2d m.json x.run", "The argument x.run has no effect without"),
        ("evaluate toy-2d m.json --queries both", "--queries has no effect without"),
        ("evaluate --run new.run", "--run needs --judgements FILE"),
        ("evaluate --run new.run --judgements qrels.txt --split test",
         "--split has no effect with --run"),
        ("evaluate --run new.run --judgements qrels.txt --changes 0",
         "--changes has no effect with --run"),
        ("evaluate --run new.run --judgements qrels.txt --query-text x",
         "--query-text has no effect with --run"),
        ("evaluate --run new.run --judgements qrels.txt --divide 60/20/20",
         "--divide has no effect with --run"),
        ("evaluate --run new.run --judgements qrels.txt --measure AUC",
         "AUC needs all documents of a query"),
        ("evaluate --run new.run --judgements qrels.txt --convention letor",
         "no convention 'letor'. Choose one of standard, letor3, letor4, trec."),
        ("evaluate --run new.run --judgements qrels.txt --queries all",
         "queries must be one of judged, both"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(rankscope, files, words, sentence):
    ended = rankscope(*words.split())
    assert ended.code == 2
    assert sentence in ended.err


def test_labels_above_31_have_the_linear_gain_of_trec_eval(rankscope, files):
    (files / "high.txt").write_text("mug 0 A 100\nmug 0 B 40\n")
    words = "evaluate", "--run", "new.run", "--judgements", "high.txt", "--json"
    ended = rankscope(*words, "--convention", "trec", "--measure", "DCG")
    result = ended.json["runs"]["new.run"]["measures"]["DCG(dcg='log2')"]
    assert result == pytest.approx(40 + 100 / log2(3), rel=1e-14)
    ended = rankscope(
        *words, "--convention", "trec", "--measure", "nDCG(dcg='exp-log2')"
    )
    assert ended.code == 3
    assert "above 31, too large for the exponential gain" in ended.err
    assert rankscope(*words, "--measure", "RR").code == 3


def test_one_query_is_in_the_singular(rankscope, files):
    (files / "one.txt").write_text("mug 0 A 1\n")
    words = "evaluate", "--run", "new.run", "--judgements", "one.txt"
    shown = rankscope(*words, "--measure", "RR").out
    assert "new.run has 1 query without judgements, which is left out." in shown


def test_bad_files_get_file_line_and_column(rankscope, files):
    (files / "bad.run").write_text(NEW + "pan Q0 C 1 3.0 new\n")
    ended = rankscope("evaluate", "--run", "bad.run", "--judgements", "qrels.txt")
    assert ended.code == 3
    assert "bad.run, line 4, column 3: Document 'C' of query 'pan' is in" in ended.err
    ended = rankscope("evaluate", "--run", "none.run", "--judgements", "qrels.txt")
    assert ended.code == 3
    assert "none.run: There is no such file" in ended.err


def test_judgements_are_read_as_the_options_say(rankscope, files):
    (files / "words.csv").write_text("mug,A,good\nmug,B,bad\npan,C,good\n")
    ended = rankscope(
        *("evaluate", "--run", "new.run", "--judgements", "words.csv", "--json"),
        *("--columns", "query,document,label", "--labels", "bad=0,good=2"),
        *("--label-gain", "linear"),
    )
    assert ended.json["runs"]["new.run"]["measures"]["nDCG(dcg='log2')@1"] == 1 / 2
