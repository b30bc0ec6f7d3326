"""Tables and means over queries."""

import math
import os
import subprocess
import sys
from itertools import permutations
from math import isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest

from rankcore import RankingDataset, RSRank, drive
from rankcore.measures import (
    CONVENTIONS,
    STANDARD,
    Rules,
    discounts,
    evaluate,
    exact_ranks,
    mean,
    means,
    parse,
)

NAMES = ("nDCG@10", "nDCG", "AP", "RR@10", "P@5", "WTA", "AUC", "MeanNDCG")


@pytest.fixture
def dataset():
    """Three queries: mixed, without relevant documents, all relevant."""
    labels = [0, 2, 1, 0, 0, 1, 1]
    queries = ["a", "a", "a", "b", "b", "c", "c"]
    return RankingDataset.from_arrays(np.eye(7), labels, queries)


SCORES = (3.0, 2.0, 1.0, 1.0, 2.0, 1.0, 2.0)


@pytest.mark.parametrize(("empty", "value"), [("zero", 0), ("one", 1), ("skip", nan)])
def test_rule_for_queries_without_relevant_documents(dataset, empty, value):
    table = evaluate(dataset, SCORES, NAMES, empty=empty)
    assert table.index.tolist() == ["a", "b", "c"]
    assert table.columns.tolist() == list(NAMES)
    np.testing.assert_array_equal(table.loc["b"], np.full(len(NAMES), value))
    np.testing.assert_equal(table.loc["c", "AUC"], value)
    assert table.loc["c", "AP"] == 1
    assert table.loc["a", "RR@10"] == 1 / 2
    expected = {"zero": (1 / 2 + 0 + 1) / 3, "one": (1 / 2 + 1 + 1) / 3}
    aggregated = means(dataset, SCORES, ["RR@10"], empty=empty)["RR@10"]
    assert aggregated == pytest.approx(expected.get(empty, (1 / 2 + 1) / 2))


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
def test_means_are_the_means_of_the_table(dataset, empty):
    table = evaluate(dataset, SCORES, NAMES, "letor4", empty)
    assert means(dataset, SCORES, NAMES, "letor4", empty) == pytest.approx(
        table.mean().to_dict()
    )


def test_table_equals_measures_of_exact_ranks():
    rng = np.random.default_rng(5)
    sizes = [1, 700, 3, 40]
    labels = rng.integers(3, size=sum(sizes))
    scores = rng.integers(30, size=sum(sizes)).astype(float)
    data = RankingDataset.from_arrays(
        np.zeros((sum(sizes), 1)), labels, np.repeat(range(4), sizes)
    )
    ranks = exact_ranks(scores, data.offsets)
    table = evaluate(data, scores, NAMES, empty="skip", ties="input")
    for name in NAMES:
        expected = parse(name)(ranks, data.y, data.offsets)
        np.testing.assert_array_equal(table[name], expected)


def test_scores_belong_to_the_rows_of_the_dataset_not_of_the_input():
    data = RankingDataset.from_arrays([[1.0], [2.0], [3.0]], [1, 1, 0], ["a", "b", "a"])
    assert means(data, data.X[:, 0], "RR", empty="skip") == {"RR": (1 / 2 + 1) / 2}


def test_names_may_be_one_name_or_measures(dataset):
    assert means(dataset, SCORES, "AP") == means(dataset, SCORES, [parse("AP")])
    assert evaluate(dataset, SCORES, parse("AP")).columns.tolist() == ["AP"]
    assert means(dataset, SCORES, ()) == {}


def test_arrays_in_any_wrapping_will_do():
    lists = SimpleNamespace(y=np.array([0, 1]), offsets=np.array([0, 2]))
    assert means(lists, [2, 1], "AP") == {"AP": 1 / 2}


def test_huge_scores_and_ties():
    lists = SimpleNamespace(y=np.array([1, 0, 1, 0]), offsets=np.array([0, 4]))
    scores = [1e308, -1e308, -np.inf, -np.inf]
    for ties, second in (("input", 2 / 3), ("mean", (2 / 3 + 2 / 4) / 2)):
        result = means(lists, scores, "AP", ties=ties)["AP"]
        assert result == pytest.approx((1 + second) / 2)
    result = means(lists, np.zeros(4), "AP", ties="input")["AP"]
    assert result == pytest.approx((1 + 2 / 3) / 2)


def test_mean_of_values():
    assert mean([1, nan, 0.5]) == 1.5 / 3
    assert mean([1, nan, 0.5], "one") == 2.5 / 3
    assert mean([1, nan, 0.5], "skip") == 1.5 / 2
    assert isnan(mean([nan], "skip"))
    assert isnan(mean([]))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((SCORES[:3], "AP"), "offsets do not divide 3 documents"),
        (([nan] * 7, "AP"), "scores are not one number per document"),
        ((np.ones((7, 1)), "AP"), r"shape \(7, 1\)"),
        ((SCORES, "AP", "letor5"), "no convention 'letor5'"),
        ((SCORES, "AP", "standard", "drop"), "no rule 'drop'.*zero, skip, one"),
        ((SCORES, ["AP", "APP"]), "no measure 'APP'. Did you mean AP"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(dataset, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        evaluate(dataset, *arguments)


def test_a_label_above_31_is_refused_for_exponential_gain_alone():
    data = RankingDataset.from_arrays(np.eye(2), [40, 0])
    with pytest.raises(ValueError, match="label 40 is above 31"):
        means(data, [1.0, 2.0], "nDCG@10")
    assert means(data, [2.0, 1.0], ["AP", "nDCG(dcg='log2')"]) == {
        "AP": 1,
        "nDCG(dcg='log2')": 1,
    }


def test_kernels_run_without_compilation(capsys):
    code = """
import numpy as np
from types import SimpleNamespace
from rankcore.measures import means, parse, soft_ranks
lists = SimpleNamespace(y=np.array([0, 2, 1, 0, 1]), offsets=np.array([0, 5]))
names = ("nDCG@3", "MeanNDCG", "AP", "RR", "P@5", "WTA", "AUC")
compiled = means(lists, [5, 4, 3, 2, 1], names, "letor3")
soft = soft_ranks([5, 4, 3, 2, 1], [0, 5], 1.0)
extra = [parse(n)(soft, lists.y, lists.offsets, beta=5.0)[0] for n in names]
print([round(v, 12) for v in (*compiled.values(), *extra)])
"""
    uncompiled = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    ).stdout
    exec(code, {})
    assert capsys.readouterr().out == uncompiled
    assert len(uncompiled) > len(NAMES)


@pytest.mark.parametrize("name", [*NAMES, "ERR", "P@2", "nDCG@2"])
@pytest.mark.parametrize("convention", ["standard", "letor3", "letor4"])
def test_the_worst_order_of_ties_is_the_worst_of_all_their_orders(name, convention):
    rng = np.random.default_rng(0)
    for _ in range(5):
        y, scores = rng.integers(0, 3, 5), rng.integers(0, 2, 5).astype(float)
        orders = [list(order) for order in permutations(range(5))]
        lists = RankingDataset.from_arrays(
            np.zeros((5 * len(orders), 1)),
            np.concatenate([y[order] for order in orders]),
            np.repeat(np.arange(len(orders)), 5),
        )
        tied = np.concatenate([scores[order] for order in orders])
        every = evaluate(lists, tied, name, convention, ties="input")[name]
        worst = evaluate(lists, tied, name, convention, ties="worst")[name]
        assert worst.to_numpy() == pytest.approx(np.full(len(worst), every.min()))


def test_a_rule_for_ties_that_does_not_exist(dataset):
    with pytest.raises(
        ValueError, match="ties must be one of mean, input, worst, trec"
    ):
        means(dataset, SCORES, ties="b")


def test_rules_unpack_into_the_arguments_of_evaluation(dataset):
    rules = Rules("letor3", "one")

    assert means(dataset, SCORES, NAMES, *rules) == means(
        dataset, SCORES, NAMES, convention="letor3", empty="one"
    )
    assert rules.checked() == rules
    assert Rules() == STANDARD == ("standard", "zero")


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Rules("letor5"), "no convention 'letor5'"),
        (Rules(empty="two"), "no rule 'two'"),
    ],
)
def test_unknown_rules_are_refused_before_training(dataset, rules, sentence):
    with pytest.raises(ValueError, match=sentence):
        drive(RSRank(), dataset, rules=rules)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_discounts_are_those_of_the_measure(convention):
    """One relevant document at rank 1 to 9 has its discount for nDCG."""
    letor = CONVENTIONS[convention].letor_discount
    labels, ranks = np.eye(9, dtype=int).ravel(), np.tile(np.arange(1.0, 10), 9)
    values = parse("nDCG")(ranks, labels, np.arange(10) * 9, convention)

    assert discounts(np.arange(1, 10), letor) == pytest.approx(values, rel=1e-15)
    assert discounts([1.5, 2.5], letor) == pytest.approx(
        [1, 1 / math.log2(2.5)] if letor else [1 / math.log2(2.5), 1 / math.log2(3.5)]
    )


def test_labels_with_queries_in_any_order_are_measured_as_a_data_set():
    labels, qid, scores = [0, 2, 1, 0], ["b", "a", "b", "a"], [0.9, 0.1, 0.2, 0.8]
    table = evaluate(labels, scores, ["RR", "nDCG"], qid=qid)
    # Of both queries the irrelevant document comes first.
    assert table["RR"].to_dict() == {"b": 0.5, "a": 0.5}
    assert means(labels, scores, "RR", qid=qid) == {"RR": 0.5}
    data = RankingDataset.from_arrays([[value] for value in scores], labels, qid)
    assert evaluate(data, data.X[:, 0], ["RR", "nDCG"]).equals(table)
    with pytest.raises(ValueError, match="has its own queries"):
        evaluate(data, scores, "RR", qid=qid)
    with pytest.raises(ValueError, match="one score for each label"):
        evaluate(labels, scores[:2], "RR", qid=qid)
