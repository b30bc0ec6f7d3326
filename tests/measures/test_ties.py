"""Documents of equal scores: every measure under every rule, by all their orders."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from rankcore import RankingDataset
from rankcore.measures import (
    CONVENTIONS,
    TIES,
    by_query,
    evaluate,
    list_measures,
    means,
    parse,
    ranks_nothing,
    ties_of,
)

CUTOFFS = (None, 1, 2, 3, 5, 10)
OPTIONS = {
    "nDCG": [{}, {"dcg": "log2"}],
    "ERR": [{}, {"max_grade": 2}],
}


def every_measure():
    """Every kind of measure with every cutoff it can have, and its options."""
    for kind in list_measures():
        options = OPTIONS.get(kind.name) or (
            [{}, {"rel": 2}] if "rel" in kind.__dataclass_fields__ else [{}]
        )
        allowed = {"never": CUTOFFS[:1], "always": CUTOFFS[1:]}
        for cutoff, option in itertools.product(
            allowed.get(kind.cutoffs, CUTOFFS), options
        ):
            yield kind(cutoff=cutoff, **option)


MEASURES = tuple(every_measure())


def strict_orders(scores):
    """Rows from the top down, in every order in which scores do not rise."""
    groups = [
        [row for row, result in enumerate(scores) if result == score]
        for score in sorted(set(scores), reverse=True)
    ]
    for parts in itertools.product(*map(itertools.permutations, groups)):
        yield list(itertools.chain.from_iterable(parts))


def over_orders(scores, labels, measure, convention="standard"):
    """Values of a measure for every order, from ranks without ties."""
    orders = np.array(list(strict_orders(scores)))
    count, n = orders.shape
    grades = np.asarray(labels)[orders].ravel()
    ranks = np.tile(np.arange(1.0, n + 1), count)
    return measure(ranks, grades, np.arange(count + 1) * n, convention)


def one_query(scores, labels, documents=None):
    data = RankingDataset.from_arrays(
        np.zeros((len(labels), 1)), labels, doc_ids=documents
    )
    return data, np.asarray(scores, dtype=float)


def value(scores, labels, measure, convention="standard", ties=None, documents=None):
    data, keys = one_query(scores, labels, documents)
    query = by_query(data, keys, measure, convention, "skip", ties)
    return query[str(measure)][0]


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_ties_count_by_their_mean_over_all_orders(measure, convention):
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 4, 5, 5, 6, 6):
        scores = rng.integers(rng.integers(1, 4), size=n)
        labels = rng.integers(3, size=n)
        values = over_orders(scores, labels, measure, convention)
        result = value(scores, labels, measure, convention, "mean")
        np.testing.assert_allclose(result, values.mean(), rtol=1e-12, atol=1e-15)
        lowest = value(scores, labels, measure, convention, "worst")
        np.testing.assert_allclose(lowest, values.min(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_long_lists_of_few_scores_count_by_their_mean(measure):
    # Longer than ranks are counted by, and with few and many relevant documents; a mean
    # over orders drawn at random, whose error falls with their number.
    rng = np.random.default_rng(3)
    draws = 400
    for n, share in ((30, 0.9), (40, 0.2), (700, 0.9)):
        scores = rng.integers(5, size=n).astype(float)
        labels = rng.integers(1, 3, size=n) * (rng.random(n) < share)
        result = value(scores, labels, measure, ties="mean")
        orders = np.array([rng.permutation(n) for _ in range(draws)])
        data = SimpleNamespace(
            y=labels[orders].ravel(), offsets=np.arange(draws + 1) * n
        )
        drawn = by_query(
            data, scores[orders].ravel(), measure, empty="skip", ties="input"
        )[str(measure)]
        error = drawn.std() / math.sqrt(draws)
        # No draw may contain a failure that is rare.
        rare = 5 / draws if measure.name == "Success" else 1e-9
        assert abs(result - drawn.mean()) <= 5 * error + rare


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_without_ties_every_rule_gives_the_same(measure):
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 60, size=40)
    n = int(sizes.sum())
    data = RankingDataset.from_arrays(
        np.zeros((n, 1)), rng.integers(3, size=n), np.repeat(np.arange(40), sizes)
    )
    scores = rng.permutation(n).astype(float)
    tables = {
        ties: by_query(data, scores, measure, ties=ties)[str(measure)] for ties in TIES
    }
    np.testing.assert_array_equal(tables["mean"], tables["input"])
    # These add up in other orders.
    for ties in ("worst", "trec"):
        np.testing.assert_allclose(tables[ties], tables["input"], rtol=1e-14)


def test_queries_without_ties_keep_their_bits_beside_one_with():
    labels, queries = [2, 0, 1, 1, 0, 2, 0], [1, 1, 1, 2, 2, 2, 2]
    scores = [0.3, 0.2, 0.1, 5.0, 5.0, 5.0, 1.0]
    data = RankingDataset.from_arrays(np.zeros((7, 1)), labels, queries)
    alone = RankingDataset.from_arrays(np.zeros((3, 1)), labels[:3])
    both = by_query(data, scores, MEASURES, ties="mean")
    first = by_query(alone, scores[:3], MEASURES, ties="input")
    assert {name: result[0] for name, result in both.items()} == {
        name: result[0] for name, result in first.items()
    }


def test_closed_forms_of_two_tied_documents():
    # One relevant and one irrelevant document at the top, another relevant one below.
    scores, labels = [1.0, 1.0, 0.0], [1, 0, 1]
    assert value(scores, labels, parse("RR")) == pytest.approx((1 + 1 / 2) / 2)
    assert value(scores, labels, parse("P@1")) == 1 / 2
    assert value(scores, labels, parse("AUC")) == pytest.approx((1 / 2 + 0) / 2)
    first, second = (1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2
    assert value(scores, labels, parse("AP")) == pytest.approx((first + second) / 2)


def test_a_model_that_ties_all_has_the_value_of_chance():
    labels = [2, 1, 0, 0, 0]
    scores = np.zeros(5)
    assert value(scores, labels, parse("AUC")) == 1 / 2
    assert value(scores, labels, parse("P@2")) == pytest.approx(2 / 5)
    assert value(scores, labels, parse("nDCG"), ties="input") == 1
    assert value(scores, labels, parse("nDCG")) < 1


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
@pytest.mark.parametrize("count", [2, 40])
def test_zeros_of_either_sign_tie(zeros, count):
    scores, labels = list(zeros) * (count // 2), [1, 0] * (count // 2)
    assert value(scores, labels, parse("AUC")) == pytest.approx(1 / 2)


@pytest.mark.parametrize("infinity", [math.inf, -math.inf])
def test_infinite_scores_tie(infinity):
    for count in (2, 40):
        scores, labels = [infinity] * count, [1] * (count // 2) + [0] * (count // 2)
        assert value(scores, labels, parse("AUC")) == pytest.approx(1 / 2)


def test_conventions_of_letor_keep_the_order_of_the_file():
    scores, labels = [1.0, 1.0], [1, 0]
    for convention, result in (("standard", 3 / 4), ("letor3", 1), ("letor4", 1)):
        assert value(scores, labels, parse("RR"), convention) == result
        assert value(scores, labels, parse("RR"), convention, "mean") == 3 / 4


def test_trec_eval_orders_equal_scores_by_descending_document_id():
    labels, documents = [1, 0, 0], ["a", "c", "b"]
    scores = [1.0, 1.0, 1.0]
    result = value(scores, labels, parse("RR"), ties="trec", documents=documents)
    assert result == 1 / 3
    # Of bytes, not of numbers: "9" is behind "10".
    result = value(scores, labels, parse("RR"), ties="trec", documents=["9", "10", "8"])
    assert result == 1


def test_trec_eval_reads_scores_in_single_precision():
    scores, labels, documents = [1.0, 1.0 + 1e-12], [1, 0], ["b", "a"]
    rr = parse("RR")
    assert value(scores, labels, rr, ties="input", documents=documents) == 1 / 2
    assert value(scores, labels, rr, ties="trec", documents=documents) == 1


def test_trec_eval_gives_the_same():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {
        "ndcg_cut_10": "nDCG(dcg='log2')@10",
        "map": "AP",
        "recip_rank": "RR",
        "P_5": "P@5",
        "map_cut_10": "AP@10",
    }
    rng = np.random.default_rng(1)
    n, q = 900, 30
    data = RankingDataset.from_arrays(
        np.zeros((n, 1)),
        rng.integers(4, size=n),
        np.arange(n) % q,
        doc_ids=[f"d{item}" for item in rng.permutation(n)],
    )
    scores = np.round(rng.normal(size=n), 1) * (1.0 + 1e-12 * rng.random(n))
    documents = np.array(data.doc_ids)

    def nested(values):
        return {
            query: dict(
                zip(documents[item].tolist(), values[item].tolist(), strict=True)
            )
            for query, item in zip(
                data.query_ids,
                map(slice, data.offsets[:-1], data.offsets[1:]),
                strict=True,
            )
        }

    wanted = {"ndcg_cut.10", "map", "recip_rank", "P.5", "map_cut.10"}
    judge = pytrec_eval.RelevanceEvaluator(nested(data.y), wanted)
    theirs = judge.evaluate(nested(scores))
    ours = evaluate(data, scores, list(names.values()), ties="trec")
    for column, name in names.items():
        expected = [theirs[query][column] for query in ours.index]
        assert ours[name].tolist() == pytest.approx(expected, rel=1e-9), name


def test_trec_eval_needs_document_ids():
    data = SimpleNamespace(y=np.array([1, 0]), offsets=np.array([0, 2]))
    with pytest.raises(ValueError, match="document id"):
        means(data, [1.0, 1.0], "AP", ties="trec")


def test_a_model_ranks_nothing_where_all_documents_of_every_query_tie():
    offsets = [0, 2, 5, 5, 6]
    assert ranks_nothing([3.0, 3.0, 1.0, 1.0, 1.0, 2.0], offsets)
    assert ranks_nothing([0.0, -0.0, 1.0, 1.0, 1.0, 2.0], offsets)
    for row in range(5):
        scores = np.array([3.0, 3.0, 1.0, 1.0, 1.0, 2.0])
        scores[row] += 1e-12
        assert not ranks_nothing(scores, offsets)
    many = np.repeat([1.0, 2.0, 3.0], 100)
    assert ranks_nothing(many, [0, 100, 200, 300])
    many[250] = 4.0
    assert not ranks_nothing(many, [0, 100, 200, 300])


@pytest.mark.parametrize("offsets", [[0], [0, 0], [0, 1], [0, 1, 2]])
def test_where_no_query_has_two_documents_there_is_nothing_to_rank(offsets):
    assert not ranks_nothing(np.arange(offsets[-1], dtype=float), offsets)


def test_ties_are_those_of_a_double_loop():
    rng = np.random.default_rng(2)
    sizes = rng.integers(0, 9, size=20)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels = rng.integers(3, size=offsets[-1])
    scores = rng.integers(-2, 3, size=offsets[-1]) * rng.choice([-0.0, 0.5])
    pairs = tied = 0
    documents = set()
    for begin, end in itertools.pairwise(offsets.tolist()):
        for i, j in itertools.combinations(range(begin, end), 2):
            pairs += labels[i] != labels[j]
            tied += labels[i] != labels[j] and scores[i] == scores[j]
            documents |= {i, j} if scores[i] == scores[j] else set()
    assert tied > 0
    assert ties_of(scores, labels, offsets) == (len(documents), pairs, tied)


def test_a_sentence_says_where_more_than_a_tenth_of_the_pairs_tie():
    labels, offsets = [1] + [0] * 10, [0, 11]
    one = ties_of([1.0, 1.0, *range(-9, 0)], labels, offsets)
    two = ties_of([1.0, 1.0, 1.0, *range(-8, 0)], labels, offsets)
    assert (one.share, two.share) == (1 / 10, 2 / 10)
    assert one.sentence("letor3") == ""
    for convention, ties in (("letor3", None), ("letor4", None), ("standard", "input")):
        assert two.sentence(convention, ties).startswith("20% of the pairs")
    for convention, ties in (("standard", None), ("letor3", "mean")):
        assert two.sentence(convention, ties) == ""
