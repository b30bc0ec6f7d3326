"""Runs compared: seeds and folds are no queries; slices; agreement of rankings."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_rel

from rankcore import RankingDataset, measures
from rankcore.algorithms import get_algorithm
from rankcore.data.readers import Splits
from rankcore.mathematics.statistics import holm, randomisation_test
from rankcore.studies.results import Cell, Result, SharedTerms
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.compare import slices
from rankcore.topics.compare.agreement import agreement
from rankcore.topics.compare.comparison import (
    best_of_each,
    compare,
    contenders,
    over_data_sets,
)
from rankcore.topics.compare.trained import from_store, from_sweep
from rankcore.training import Stop, drive

IDS = tuple("abcdefgh")
RNG = np.random.default_rng(1)


def trained(
    values, algorithm="ListNet", ids=IDS, seed=0, fold="", data="data", **settings
):
    """A run with these values of its queries."""
    history = {
        "iteration": np.arange(3.0),
        "seconds": np.arange(3.0) / 10,
        "valid nDCG@10": np.array([0.1, 0.2, 0.3]) + seed / 10,
    }
    return Result(
        Cell(tuple(settings.items()), fold, seed),
        iteration=2, seconds=0.5, nonzeros=2, coef=np.ones(2), history=history,
        queries={"nDCG@10": np.asarray(values, float)},
        terms=SharedTerms(algorithm, data, ids=ids),
    )  # fmt: skip


def named(found):
    return [one.name for one in found]


def test_a_seed_is_no_query():
    one = [RNG.random(8) for _ in range(3)]
    other = RNG.random(8)
    runs = [trained(v, seed=s, l2=0.1) for s, v in enumerate(one)]
    result = compare(contenders([*runs, trained(other, "RankSVM", l2=0.1)]), "nDCG@10")
    assert result.ids == IDS
    (pair,) = result.pairs
    mean = sum(one) / 3
    values = dict(zip(result.names, result.values, strict=True))
    np.testing.assert_allclose(values["ListNet"], mean)
    better, worse = (result.values[pair.first], result.values[pair.second])
    assert pair.difference.queries == 8
    assert pair.difference.mean == pytest.approx(abs(mean.mean() - other.mean()))
    assert pair.difference.p_value == randomisation_test(worse, better).p_value
    assert pair.difference.t_p_value == pytest.approx(ttest_rel(better, worse).pvalue)


def test_each_query_is_ranked_by_the_model_of_the_fold_that_has_it():
    X = np.arange(8.0).reshape(4, 2)
    data = RankingDataset.from_arrays(X, [0, 1, 0, 1], ["a", "a", "b", "c"])
    runs = [
        replace(trained([0.5], ids=ids, fold=fold), coef=np.array(coef))
        for fold, ids, coef in (("2", "bc", [0.0, 1.0]), ("1", "ab", [1.0, 0.0]))
    ]
    (one,) = contenders(runs)
    # The first fold has b, too.
    assert one.scores(data).tolist() == [*X[:3, 0], X[3, 1]]
    (short,) = contenders(runs[1:])
    with pytest.raises(ValueError, match="has no model that ranks all queries"):
        short.scores(data)


def test_a_fold_is_no_query_and_folds_have_the_queries_of_all():
    folds = [
        trained([0.2, 0.4], ids=("a", "b"), fold="1"),
        trained([0.6, 0.8], ids=("c", "a"), fold="2"),
    ]
    (one,) = contenders(folds)
    assert one.per_query("nDCG@10") == pytest.approx(
        {"a": (0.2 + 0.8) / 2, "b": 0.4, "c": 0.6}
    )
    assert one.value("nDCG@10") == pytest.approx((0.5 + 0.4 + 0.6) / 3)


def test_only_queries_that_all_have_are_compared():
    runs = [
        trained([0.1, 0.2, 0.3, np.nan], ids=("a", "b", "c", "d"), l2=0.1),
        trained([0.5, 0.6, 0.7, 0.8], ids=("d", "c", "b", "x"), l2=1.0),
    ]
    result = compare(contenders(runs), "nDCG@10")
    assert set(result.ids) == {"b", "c"}
    assert result.left_out in (1, 2)


def test_contenders_are_named_by_what_differs():
    runs = [
        trained(RNG.random(8), l2=0.1, max_iter=5),
        trained(RNG.random(8), l2=1.0, max_iter=5),
        trained(RNG.random(8), "RankSVM", l2=1.0, max_iter=5),
    ]
    assert named(contenders(runs)) == ["ListNet, λ = 0.1", "ListNet, λ = 1", "RankSVM"]


def test_the_best_of_each_algorithm_is_the_one_with_the_highest_mean():
    runs = [
        trained([0.1] * 8, l2=0.1),
        trained([0.3] * 8, l2=1.0),
        trained([0.2] * 8, "RankSVM", l2=1.0),
    ]
    best = best_of_each(contenders(runs), "nDCG@10")
    assert named(best) == ["ListNet, λ = 1", "RankSVM"]


def test_a_model_that_ranks_nothing_comes_last_and_is_no_best():
    nothing = replace(trained(np.ones(8), l2=1.0), ranks=False)
    models = contenders([nothing, trained(RNG.random(8), l2=0.1)])
    (best,) = best_of_each(models, "nDCG@10")
    assert best.ranks
    result = compare(models, "nDCG@10")
    assert [one.ranks for one in result.contenders] == [True, False]
    assert result.means[1] == 1.0


def test_a_model_that_ranks_nothing_has_no_rank_over_data_sets():
    runs = [
        trained(RNG.random(8), name, data=data)
        for name in ("ListNet", "RankSVM", "RankNet")
        for data in ("one", "other")
    ]
    runs[1] = replace(runs[1], ranks=False)
    data, algorithms, values = over_data_sets(runs, "nDCG@10")
    assert (data, algorithms) == (["one", "other"], ["RankSVM", "RankNet"])
    assert values.shape == (2, 2)


def test_holm_counts_all_pairs_or_those_against_the_baseline():
    runs = [trained(RNG.random(8), l2=item) for item in (0.1, 0.2, 0.3, 0.4)]
    result = compare(contenders(runs), "nDCG@10")
    assert [(p.first, p.second) for p in result.pairs] == list(
        itertools.combinations(range(4), 2)
    )
    alone = [pair.difference.p_value for pair in result.pairs]
    np.testing.assert_array_equal([p.adjusted for p in result.pairs], holm(alone))
    against = compare(contenders(runs), "nDCG@10", "ListNet, λ = 0.3")
    place = against.names.index("ListNet, λ = 0.3")
    assert {pair.second for pair in against.pairs} == {place}
    assert len(against.pairs) == 3
    # Fewer tests: a smaller difference can be detected.
    shared = [p for p in result.pairs if place in (p.first, p.second)]
    for pair in against.pairs:
        (same,) = [p for p in shared if {p.first, p.second} == {pair.first, place}]
        assert pair.difference.mean == pytest.approx(
            same.difference.mean * (1 if same.first == pair.first else -1)
        )
        assert pair.detectable < same.detectable


def test_what_the_queries_support_is_said():
    ids = tuple(map(str, range(40)))
    base = RNG.random(40) / 2
    better = base + 0.3 + 0.01 * RNG.random(40)
    runs = [
        trained(better, "RankSVM", ids, l2=1.0),
        trained(base, "ListNet", ids, l2=1.0),
        trained(base + 1e-3 * RNG.normal(size=40), "RankNet", ids, l2=1.0),
    ]
    result = compare(contenders(runs), "nDCG@10")
    assert result.ties == [True, False, False]
    words = " ".join(result.sentences)
    assert words.startswith("RankSVM is better than ")
    least, _, most = sorted(pair.detectable for pair in result.pairs)
    assert f"With 40 queries, only differences above {least:.2g} to {most:.2g}" in words
    none = compare(contenders(runs[1:]), "nDCG@10")
    assert none.sentences[0] == "No difference is significant (Holm-adjusted p > 0.05)."
    assert none.ties == [True, True]


def test_models_equal_in_every_query_do_not_tell_what_could_be_detected():
    ids = tuple(map(str, range(5)))
    runs = [trained([0.5] * 5, name, ids, l2=1.0) for name in ("RankSVM", "ListNet")]
    *_, result = compare(contenders(runs), "nDCG@10").sentences
    assert result.startswith("The models are equal on every query")


def test_few_queries_or_models_are_said():
    one = trained([0.5], ids=("a",), l2=1.0)
    two = trained([0.6], ids=("a",), l2=2.0)
    assert "too few" in compare(contenders([one, two]), "nDCG@10").sentences[0]
    assert "second model" in compare(contenders([one]), "nDCG@10").sentences[0]


def test_a_measure_that_was_not_recorded_is_said():
    with pytest.raises(ValueError, match="not measured by AP"):
        compare(contenders([trained([0.5] * 8, l2=1.0)]), "AP")


def test_a_band_goes_from_the_smallest_to_the_largest_run():
    (one,) = contenders([trained([0.5] * 8, seed=s, l2=1.0) for s in (0, 1, 3)])
    band = one.band("nDCG@10")
    np.testing.assert_allclose(band.low, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(band.high, [0.4, 0.5, 0.6])
    np.testing.assert_allclose(band.mean, np.array([0.1, 0.2, 0.3]) + 4 / 30)
    assert band.best == (2.0, pytest.approx(0.3 + 4 / 30))
    np.testing.assert_allclose(one.band("nDCG@10", "seconds").x, [0.0, 0.1, 0.2])
    assert one.band("AP") is None


def test_the_best_of_a_band_is_the_mean_of_the_best_of_its_runs():
    """Not the largest mean: the runs have their best models at other iterations."""
    early, late = (trained([0.5] * 8, seed=s, l2=1.0) for s in (0, 1))
    early.history["valid nDCG@10"][:] = [0.1, 0.6, 0.2]
    late.history["valid nDCG@10"][:] = [0.1, 0.2, 0.4]
    (one,) = contenders([replace(early, iteration=1), replace(late, iteration=2)])
    band = one.band("nDCG@10")
    assert band.best == ((1 + 2) / 2, pytest.approx((0.6 + 0.4) / 2))
    assert band.best[1] > band.mean.max()


def test_folds_count_in_a_curve_by_their_queries():
    """As in the value of the contender, where each query counts once."""
    first = trained([0.3] * 6, ids=IDS[:6], fold="1", l2=1.0)
    second = trained([0.4] * 2, ids=IDS[6:], fold="2", l2=1.0)
    second.history["valid nDCG@10"][:] += 0.1
    (one,) = contenders([first, second])
    band, value = one.band("nDCG@10"), one.value("nDCG@10")
    assert band.best[1] == band.mean[-1] == pytest.approx(value)
    assert value == pytest.approx((6 * 0.3 + 2 * 0.4) / 8)


def test_a_run_that_has_ended_keeps_its_last_value_in_the_band():
    short, long = (trained([0.5] * 8, seed=s, l2=1.0) for s in (0, 1))
    long.history["iteration"] = np.array([0.0, 2.0, 4.0])
    (one,) = contenders([short, long])
    band = one.band("nDCG@10")
    assert band.x.tolist() == [0, 1, 2, 4]
    assert band.low[-1] == pytest.approx(0.3)


def test_runs_of_a_sweep_and_of_the_store_are_the_same(small, tmp_path):
    ranker = get_algorithm("ListNet")(max_iter=4)
    (row,) = sweep(ranker, small, small, over={}, seeds=(3,), measures=("nDCG@10",))
    swept = from_sweep(row, ranker, Splits(small, small))
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:
        run = drive(
            get_algorithm("ListNet")(max_iter=4, random_state=3), small, small,
            stop=Stop(max_iterations=4), measures=("nDCG@10",),
        )  # fmt: skip
        with store.recording(run) as recorder:
            list(run)
        result = from_store(store.load(recorder.id))
    assert result.settings == swept.settings
    assert len(contenders([result, swept])) == 1
    assert (result.terms.ids, result.cell.seed) == (swept.terms.ids, 3)
    assert result.terms.split == "valid"
    np.testing.assert_array_equal(result.coef, swept.coef)
    np.testing.assert_allclose(result.queries["nDCG@10"], swept.queries["nDCG@10"])
    scored = measures.evaluate(small, result.scores(small), "nDCG@10")["nDCG@10"]
    again = result.measured(small, "test")
    np.testing.assert_array_equal(again.queries["nDCG@10"], scored)
    assert again.terms.split == "test"
    read = Result.from_json(json.loads(json.dumps(swept.to_json())))
    assert (read.terms, read.cell) == (swept.terms, swept.cell)


def test_a_stored_run_without_queries_is_refused(small, tmp_path):
    with open_store(f"sqlite:///{tmp_path}/runs.sqlite") as store:
        run = drive(get_algorithm("ListNet")(), small, small, stop=Stop())
        recorder = store.record(run, "A run")
        recorder.end()
        with pytest.raises(ValueError, match="keeps no measures of its queries"):
            from_store(store.load(recorder.id))


def queries_of(lengths, relevant):
    labels = [[1] * r + [0] * (n - r) for n, r in zip(lengths, relevant, strict=True)]
    X = np.concatenate([np.full(n, i) for i, n in enumerate(lengths)])[:, None]
    ids = np.concatenate([np.full(n, i) for i, n in enumerate(lengths)])
    return RankingDataset.from_arrays(X * 1.0, np.concatenate(labels), ids)


def test_slices_are_of_equal_size_and_rise():
    data = queries_of([2, 3, 4, 5, 6, 7, 8, 9], [1] * 8)
    result = slices.slices(data, slices.LENGTH)
    assert [one.name for one in result] == ["2 to 3", "4 to 5", "6 to 7", "8 to 9"]
    assert result[1].ids == data.query_ids[2:4]
    assert [one.name for one in slices.slices(data, slices.RELEVANT)] == ["1"]
    by_feature = slices.slices(data, data.feature_names[0], 2)
    assert [len(one.ids) for one in by_feature] == [4, 4]
    with pytest.raises(ValueError, match="no feature 'x'"):
        slices.slices(data, "x")


def test_equal_queries_are_in_one_slice():
    data = queries_of([2, 2, 2, 2, 2, 9], [0, 1, 2, 1, 1, 1])
    result = slices.slices(data, slices.LENGTH)
    assert [(one.name, len(one.ids)) for one in result] == [("2", 5), ("9", 1)]


def test_each_slice_has_its_own_difference():
    data = queries_of([2, 2, 2, 9], [1] * 4)
    ids = data.query_ids
    first, second = np.array([0.9, 0.8, 0.7, 0.1]), np.array([0.5, 0.5, 0.5, 0.6])
    short, long = slices.slice_differences(
        slices.slices(data, slices.LENGTH), ids, first, second
    )
    assert (short.queries, long.queries) == (3, 1)
    assert short.difference.mean == pytest.approx((0.4 + 0.3 + 0.2) / 3)
    assert short.adjusted == short.difference.p_value == 2 / 2**3
    assert (long.first, long.second, long.difference) == (0.1, 0.6, None)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_tau_is_scipys(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (3, 9)).astype(float)
    offsets = np.array([0, 4, 9])
    result = agreement(scores, offsets)
    for i, j in itertools.product(range(3), repeat=2):
        expected = [
            kendalltau(scores[i][item], scores[j][item]).statistic
            for item in (slice(0, 4), slice(4, 9))
        ]
        np.testing.assert_allclose(result.tau[i, j], mean(expected))


def mean(values):
    items = [value for value in values if not np.isnan(value)]
    return sum(items) / len(items) if items else np.nan


def test_overlap_and_its_bias_are_as_by_hand():
    # "abcd" against "badc": nothing in common at depth 1, all at 2, 2 of 3, all at 4.
    scores = [[4.0, 3.0, 2.0, 1.0], [3.0, 4.0, 1.0, 2.0]]
    result = agreement(scores, [0, 4], cutoff=3, persistence=0.5)
    assert result.overlap[0, 1] == pytest.approx(2 / 3)
    shares = (0 / 1, 2 / 2, 2 / 3, 4 / 4)
    expected = sum(0.5 * 0.5**d * a for d, a in enumerate(shares)) + 0.5**4
    assert result.overlap_biased[0, 1] == pytest.approx(expected)


def test_equal_rankings_agree_and_opposite_ones_do_not():
    rows = np.arange(20.0)
    result = agreement([rows, rows, -rows], [0, 20])
    assert result.tau[0].tolist() == pytest.approx([1.0, 1.0, -1.0])
    assert result.overlap[0].tolist() == [1.0, 1.0, 0.0]
    assert result.overlap_biased[0, 1] == pytest.approx(1.0)
    assert result.overlap_biased[0, 2] < 0.3


def test_many_queries_are_sampled_and_single_documents_left_out():
    offsets = np.arange(0, 2 * 500 + 1, 2)
    result = agreement(np.random.default_rng(0).random((2, 1000)), offsets)
    assert result.queries == 200
    assert agreement([[1.0], [2.0]], [0, 1]).queries == 0
