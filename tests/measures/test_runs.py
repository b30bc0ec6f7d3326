"""Runs of any ranker against judgements: by hand, and as trec_eval has it."""

from math import log2

import numpy as np
import pytest
import pytrec_eval

from rankcore import DataError, DataWarning
from rankcore.data.rankings import read_rankings
from rankcore.data.readers import read_judgements
from rankcore.measures import (
    RUN_CONVENTIONS,
    by_query,
    evaluate_run,
    list_measures,
    measure_run,
    run_rules,
)

# Scores tie, the ranks are wrong, x is not judged, and D is not returned.
RUN = b"""mug Q0 A 9 2.0 r
mug Q0 B 8 3.0 r
mug Q0 x 7 2.0 r
pan Q0 C 1 1.0 r
lid Q0 E 1 1.0 r
"""
JUDGED = {"mug": {"A": 2, "B": 0, "D": 1}, "pan": {"C": 1}, "cup": {"F": 1}}


def values(measure, convention="standard", judgements=JUDGED, **rules):
    table = evaluate_run(read_rankings(RUN), judgements, measure, convention, **rules)
    return table.iloc[:, 0].to_dict()


@pytest.mark.parametrize(
    ("measure", "mug"),
    [
        # A is second or third.
        ("RR", (1 / 2 + 1 / 3) / 2),
        ("AP", (1 / 2 + 1 / 3) / 2 / 2),
        ("R@2", (1 / 2 + 0) / 2),
        ("Success@2", (1 + 0) / 2),
        ("P@5", 1 / 5),
        ("RBP", 0.2 * (0.8 + 0.8**2) / 2),
        ("DCG", 3 * (1 / log2(3) + 1 / log2(4)) / 2),
        ("DCG(dcg='log2')", 2 * (1 / log2(3) + 1 / log2(4)) / 2),
        ("nDCG@2", 3 * (1 / log2(3) + 0) / 2 / (3 + 1 / log2(3))),
        ("ERR(max_grade=2)", 3 / 4 * (1 / 2 + 1 / 3) / 2),
        # One judged irrelevant document, above A; D is lost.
        ("Bpref", (1 - 1 / 1 + 0) / 2),
        ("Judged@2", (1 + 1 / 2) / 2),
        ("Judged", 2 / 3),
    ],
)
def test_by_hand(measure, mug):
    result = values(measure)
    assert list(result) == ["mug", "pan", "cup"]
    assert result["mug"] == pytest.approx(mug, rel=1e-14)
    assert result["cup"] == 0.0


def test_by_hand_as_trec_eval_has_it():
    # x is before A among equal scores, and only mug and pan are in both files.
    assert values("RR", "trec") == {"mug": 1 / 3, "pan": 1.0}
    mug = values("nDCG@3", "trec")["mug"]
    assert mug == pytest.approx((2 / log2(4)) / (2 + 1 / log2(3)))
    assert list(values("RR", "trec", queries="judged")) == ["mug", "pan", "cup"]
    assert list(values("RR", queries="both")) == ["mug", "pan"]
    assert values("RR", ties="worst")["mug"] == 1 / 3
    assert values("RR", ties="input")["mug"] == 1 / 2


def test_a_grade_below_0_counts_as_0_and_by_trec_eval_as_none():
    text = b"mug 0 A 1\nmug 0 B -1\n"
    with pytest.warns(DataWarning, match="Negative judgements count as 0"):
        read = read_judgements(text)
    for judgements in (read, {"mug": {"A": 1, "B": -1}}):
        assert values("Bpref", judgements=judgements) == {"mug": 0.0}
        assert values("Bpref", "trec", judgements) == {"mug": 1.0}
        assert values("RR", "trec", judgements) == {"mug": 1 / 3}


def test_measures_have_the_linear_gain_of_trec_eval_unless_they_name_one():
    rules = run_rules("trec")
    assert str(rules.measure("nDCG@10")) == "nDCG(dcg='log2')@10"
    assert str(rules.measure("DCG")) == "DCG(dcg='log2')"
    assert str(rules.measure("nDCG(dcg='exp-log2')@10")) == "nDCG@10"
    assert str(run_rules().measure("nDCG@10")) == "nDCG@10"
    assert run_rules("letor3").ties == "input"
    assert run_rules("trec", ties="mean").ties == "mean"


def test_rules_say_how_ties_are_broken_only_where_trec_eval_does():
    whole = run_rules("trec").text
    assert (
        "descending score, read as a 32-bit float, and equal ones by descending"
        in whole
    )
    assert "the gain is the grade unless a measure names another one" in whole
    for ties in ("mean", "input", "worst"):
        assert "by descending score; the rank" in run_rules("trec", ties=ties).text


def test_what_cannot_be_measured_gets_a_sentence():
    with pytest.raises(ValueError, match="AUC needs all documents"):
        values("AUC")
    with pytest.raises(ValueError, match=r"no convention 'treck'\. Choose"):
        values("RR", "treck")
    with pytest.raises(ValueError, match="queries must be one of judged, both"):
        values("RR", queries="all")
    with pytest.raises(DataError, match=r"No query of .* is judged") as caught:
        values("RR", judgements={"1": {"A": 1}})
    assert "the first is 'mug' in the run and '1' in the judg" in caught.value.remedy
    with pytest.warns(DataWarning, match="None of the documents is judged"):
        values("RR", judgements={"mug": {"a": 1}})


@pytest.mark.parametrize("grade", [float("nan"), "1", 2**70, None])
@pytest.mark.parametrize("convention", ["standard", "trec"])
def test_grades_are_numbers(grade, convention):
    with pytest.raises(ValueError, match="grade of document 'B' for query 'mug' is"):
        values("RR", convention, {"mug": {"A": 1, "B": grade}})


def test_grades_may_be_those_of_numpy_and_whole_floats():
    for grade in (np.int64(1), np.float64(1.0), 1.0, True):
        assert values("RR", "trec", {"mug": {"A": grade}}) == {"mug": 1 / 3}


@pytest.mark.parametrize("grades", [(-1, 0), (0, -1)])
def test_a_document_that_is_judged_both_0_and_below_is_refused(grades):
    lines = "".join(f"mug 0 A {grade}\n" for grade in grades)
    with pytest.raises(DataError, match=f"judged {grades[1]} here") as caught:
        read_judgements(lines.encode())
    assert caught.value.line == 2


def test_queries_of_one_file_only_are_counted():
    training = measure_run(read_rankings(RUN), JUDGED, "RR", run_rules())
    assert (training.missing, training.unjudged, training.documents) == (1, 1, 4)
    assert training.ranks
    assert training.means["RR"] == pytest.approx((5 / 12 + 1 + 0) / 3)
    skipped = measure_run(
        read_rankings(RUN), JUDGED | {"pan": {"C": 0}}, "RR", run_rules(empty="skip")
    )
    assert skipped.means["RR"] == pytest.approx((5 / 12 + 0) / 2)


@pytest.mark.parametrize("convention", RUN_CONVENTIONS)
def test_where_all_is_returned_values_are_those_of_a_data_set(small, convention):
    scores = np.round(np.random.default_rng(0).normal(size=small.n_documents), 1)
    lines, judged = [], {}
    for index in range(small.n_queries):
        query = small.query(index)
        judged[query.id] = dict(zip(query.doc_ids, query.y.tolist(), strict=True))
        lines += [
            f"{query.id} Q0 {document} 0 {score!r} m\n"
            for document, score in zip(
                query.doc_ids, scores[query.slice].tolist(), strict=True
            )
        ]
    run = read_rankings("".join(lines).encode())
    names = [
        kind.name + ("@3" if kind.usually_cut else "")
        for kind in list_measures()
        if kind.of_returned
    ]
    names = [n if n != "ERR" else "ERR(max_grade=9)" for n in names]
    rules = run_rules(convention)
    training = measure_run(run, judged, names, rules)
    measures = [rules.measure(name) for name in names]
    expected = by_query(small, scores, measures, *rules.rules, rules.ties)
    assert list(training.values) == list(expected)
    for name, result in expected.items():
        np.testing.assert_allclose(
            training.values[name], result, rtol=1e-13, err_msg=name
        )


MEASURES = {
    "map": "map", "ndcg": "nDCG", "bpref": "Bpref", "recip_rank": "RR",
    "ndcg_cut_5": "nDCG@5", "ndcg_cut_20": "nDCG@20", "map_cut_10": "AP@10",
    "P_5": "P@5", "recall_10": "R@10", "success_1": "Success@1",
    "success_5": "Success@5",
}  # fmt: skip
REQUESTED = {
    "map", "ndcg", "bpref", "recip_rank", "ndcg_cut.5,20", "map_cut.10", "P.5",
    "recall.10", "success.1,5",
}  # fmt: skip


def random_case(rng):
    """A run as text and judgements with ties, unjudged documents, documents that are
    not returned, grades below 0, and queries in one of the two only."""
    pool = [f"d{n}" for n in range(30)] + ["é9", "D", "d1/2", "ü"]
    lines, judged = [], {}
    for query in map(str, rng.permutation(rng.integers(2, 6))):
        returned = rng.choice(pool, rng.integers(1, len(pool)), replace=False)
        # Of few values, and some that 32 bits do not tell apart.
        scores = rng.integers(-3, 4, len(returned)) * 10.0 ** rng.integers(-3, 6)
        scores = scores * (1.0 + 1e-9 * rng.integers(0, 2, len(returned)))
        choice = rng.choice(pool, rng.integers(1, 20), replace=False)
        grades = rng.choice([-1, 0, 0, 1, 2, 5], len(choice))
        if rng.random() < 0.9:
            judged[query] = dict(zip(choice.tolist(), grades.tolist(), strict=True))
        if rng.random() < 0.9:
            ranks = rng.integers(0, 9, len(returned))
            lines += [
                f"{query} Q0 {document} {rank} {score!r} t\n"
                for document, rank, score in zip(
                    returned.tolist(), ranks.tolist(), scores.tolist(), strict=True
                )
            ]
    rng.shuffle(lines)
    return "".join(lines), judged


def check_trec_eval(seed):
    """Compare a case by all digits and by those that trec_eval prints."""
    text, judged = random_case(np.random.default_rng(seed))
    run = pytrec_eval.parse_run(text.splitlines())
    evaluator = pytrec_eval.RelevanceEvaluator(judged, REQUESTED)
    theirs = evaluator.evaluate(run)
    if not theirs:
        return 0
    rankings = read_rankings(text.encode())
    training = measure_run(rankings, judged, list(MEASURES.values()), run_rules("trec"))
    assert set(training.query_ids) == set(theirs)
    for trec, name in MEASURES.items():
        ours = training.per_query(str(training.rules.measure(name)))
        for query, value in theirs.items():
            where = seed, trec, query
            assert abs(ours[query] - value[trec]) <= 1e-12, where
            assert f"{ours[query]:.4f}" == f"{value[trec]:.4f}", where
    return len(theirs)


@pytest.mark.filterwarnings("ignore::rankcore.DataWarning")
def test_trec_eval_gives_the_same():
    assert sum(map(check_trec_eval, range(25))) > 50


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::rankcore.DataWarning")
@pytest.mark.parametrize("seed", range(25, 225))
def test_trec_eval_gives_the_same_on_many(seed):
    check_trec_eval(seed)


# What pytrec_eval-terrier 0.5.11 gives. By 32 bits a and b tie, as do c and é, whose
# first byte is larger: the order is b, a, é, c, d.
FROZEN = {
    "AP": 0.3333333333333333,
    "nDCG": 0.35543595158098623,
    "nDCG@3": 0.26499301486112564,
    "Bpref": 0.6666666666666666,
    "RR": 0.5,
    "P@5": 0.4,
    "R@3": 0.3333333333333333,
    "Success@1": 0.0,
}


@pytest.mark.parametrize("name", FROZEN)
def test_frozen_values_of_trec_eval(name):
    scores = {"a": 16777216, "b": 16777217, "c": 0.5, "é": 0.5, "d": -1e-3}
    lines = [f"q Q0 {document} 0 {score} t\n" for document, score in scores.items()]
    judged = {"q": {"a": 2, "c": 1, "d": 0, "e": 3, "é": -1}}
    run = read_rankings("".join(lines).encode())
    [result] = evaluate_run(run, judged, name, "trec").loc["q"]
    assert result == pytest.approx(FROZEN[name], abs=1e-12)
    if name == "nDCG@3":
        ideal = 3 + 2 / log2(3) + 1 / log2(4)
        assert result == pytest.approx(2 / log2(3) / ideal, rel=1e-14)
