import math

import numpy as np
import pytest

from rankcore.algorithms.approx_ap import ApproxAP
from rankcore.algorithms.approx_err import ApproxERR
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.data.dataset import RankingDataset
from rankcore.topics.approximation.bounds import (
    average_precision_bound,
    measure_errors,
    ndcg_bound,
    position_bound,
    position_errors,
)
from rankcore.topics.approximation.training import (
    BETAS,
    ErrorMeter,
    sharpness_study,
    spread,
)
from rankcore.training import Stop, drive

# Table 1 of the paper, whose alpha is 100.
SCORES = np.array([4.20074, 3.12378, 4.40918, 1.55258, 4.13330])


def table_1(*relevant):
    y = np.isin(np.arange(1, 6), relevant).astype(int)
    return RankingDataset.from_arrays(SCORES[:, None], y)


def test_table_1():
    errors = position_errors(table_1(1), SCORES, 100.0)
    assert errors.exact.tolist() == [2, 4, 1, 5, 3]
    printed = [2.0011765393, 4.0, 1.0000000009, 5.0, 2.9988234599]
    np.testing.assert_allclose(errors.soft, printed, atol=5e-10)
    assert errors.error.max() == pytest.approx(0.00118, abs=5e-6)
    assert errors.bound.max() == pytest.approx(0.00471, abs=5e-6)
    nearest = 4.20074 - 4.13330
    assert errors.gap[[0, 4]] == pytest.approx(nearest)
    assert errors.gap[3] == pytest.approx(3.12378 - 1.55258)
    assert errors.bound[0] == pytest.approx(4 / (math.exp(100 * nearest) + 1))


def test_the_numbers_printed_for_the_bounds():
    nearest = 4.20074 - 4.13330
    epsilon = position_errors(table_1(1), SCORES, 100.0).error.max()
    assert position_bound(1000, 200.0, nearest) == pytest.approx(0.001386, abs=5e-7)
    assert position_bound(1000, 100.0, nearest) > 1
    assert average_precision_bound(epsilon, 1, 100.0) == pytest.approx(0.0024, abs=5e-5)
    assert average_precision_bound(epsilon, 1, 100.0) == pytest.approx(
        0.0023559, abs=5e-8
    )
    assert ndcg_bound(epsilon) == pytest.approx(0.00085, abs=5e-6)
    assert ndcg_bound(epsilon) == pytest.approx(0.00084869, abs=5e-9)


@pytest.mark.parametrize(("relevant", "error"), [(1, 2.94e-4), (5, 1.31e-4)])
def test_the_errors_of_average_precision_in_table_1(relevant, error):
    learner = ApproxAP(alpha=100.0, beta=100.0)
    errors = measure_errors(learner, table_1(relevant), SCORES)
    assert errors.error == pytest.approx([error], abs=5e-7)
    assert errors.position_error == pytest.approx([0.0011765], abs=5e-8)
    assert errors.position_bound == pytest.approx([0.0047062], abs=5e-8)
    assert errors.bound == pytest.approx([0.0023559], abs=5e-8)


def random_lists(seed, queries=40, longest=12):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, queries)
    n = lengths.sum()
    spread = np.repeat(10.0 ** rng.uniform(-2, 1, queries), lengths)
    s = spread * rng.normal(size=n)
    y = rng.choice([0, 0, 0, 1, 2], n)
    qid = np.repeat(np.arange(queries), lengths)
    return RankingDataset.from_arrays(s[:, None], y, qid), s


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [1.0, 10.0, 100.0])
def test_the_theorems_hold(seed, alpha):
    data, s = random_lists(seed)
    positions = position_errors(data, s, alpha)
    assert (positions.error <= positions.bound * (1 + 1e-9) + 1e-12).all()
    for learner in (ApproxNDCG(alpha=alpha), ApproxAP(alpha=alpha, beta=20.0)):
        errors = measure_errors(learner, data, s)
        counted = ~np.isnan(errors.error)
        assert (counted == np.logical_or.reduceat(data.y > 0, data.offsets[:-1])).all()
        assert (errors.error <= errors.bound + 1e-12)[counted].all()
        assert (errors.error[counted] > 0.0).any()


def test_theorem_1_is_an_equality_for_two_documents():
    data = RankingDataset.from_arrays([[0.3], [0.1]], [1, 0])
    errors = position_errors(data, [0.3, 0.1], 7.0)
    np.testing.assert_allclose(errors.error, errors.bound, rtol=1e-12)


def test_theorem_1_holds_for_ties_and_lone_documents():
    data = RankingDataset.from_arrays(np.zeros((5, 1)), [1, 0, 1, 0, 1], [1] * 4 + [2])
    errors = position_errors(data, np.zeros(5), 10.0)
    assert errors.gap.tolist() == [0.0, 0.0, 0.0, 0.0, np.inf]
    assert errors.bound.tolist() == [1.5, 1.5, 1.5, 1.5, 0.0]
    assert (errors.error <= errors.bound).all()


def test_theorem_2_says_nothing_from_a_half_on():
    assert average_precision_bound(0.5, 3, 10.0) == math.inf
    assert math.isfinite(average_precision_bound(0.499, 3, 10.0))


def test_measures_without_a_theorem_have_no_bound():
    data, s = random_lists(0)
    for learner in (ApproxNDCG(cutoff=3), ApproxERR()):
        errors = measure_errors(learner, data, s)
        assert np.isnan(errors.bound).all()


def test_errors_along_a_run_fall_with_sharpness(small):
    run = drive(ApproxNDCG(alpha=100.0), small, stop=Stop(max_iterations=8))
    meters = [ErrorMeter(ApproxAP(alpha=a), small) for a in (10.0, 100.0, 1000.0)]
    for record in run:
        for meter in meters:
            meter.measure(record)
    errors = [meter.curve().error.mean() for meter in meters]
    assert (np.diff(errors) < 0.0).all()


def test_each_sharpness_is_trained_and_measured_at_its_own(small):
    learner = ApproxAP(alpha=100.0, optimiser="stochastic", learning_rate=0.1)
    study = sharpness_study(learner, small, 6, alphas=(10.0,), betas=(1.0, 10.0))
    assert list(study.subject.runs) == [(10.0, 10.0), (100.0, 1.0), (100.0, 10.0)]
    assert study.subject.by_alpha()[0].error.shape == (0,)
    assert (study.subject.measure, study.subject.last) == ("AP", 6)
    assert (study.done, study.total, study.share) == (0, 3, 0.0)
    records = [*study]
    assert study.reason == "All 3 runs have ended."
    assert (study.done, study.share) == (3, 1.0)
    assert [curve.alpha for curve in study.subject.by_alpha()] == [10.0, 100.0]
    assert [curve.beta for curve in study.subject.by_beta()] == [1.0, 10.0]
    for place, ((alpha, beta), run) in enumerate(study.subject.runs.items()):
        sharp = ApproxAP(
            alpha=alpha, beta=beta, optimiser="stochastic", learning_rate=0.1
        )
        alone = [*drive(sharp, small, stop=Stop(max_iterations=6))]
        # One iteration of each run in turn, so that all of them grow together.
        for result, record in zip(alone, records[place::3], strict=True):
            np.testing.assert_array_equal(result.coef, record.coef)
        last = measure_errors(sharp, small, small.X @ alone[-1].coef)
        curve = run.curve()
        assert curve.iterations.tolist() == list(range(7))
        assert curve.error[-1] == pytest.approx(np.nanmean(last.error))
        assert curve.flat == pytest.approx(
            [record.diagnostics["flat queries"] for record in alone]
        )
        assert run.spread().mean == pytest.approx(curve.error[-1])
        assert run.spread().counts.sum() == small.n_queries


@pytest.mark.parametrize("optimiser", ["lbfgs", "stochastic"])
def test_all_runs_begin_at_one_start(small, optimiser):
    study = sharpness_study(ApproxAP(optimiser=optimiser), small, 3)
    starts = [next(study).coef for _ in study.subject.runs]
    assert len(starts) == 9
    assert all((start == starts[0]).all() for start in starts)
    study.close()


def test_beta_is_trained_only_where_it_plays_a_part(small):
    plain = sharpness_study(ApproxNDCG(), small, 1)
    assert {beta for _, beta in plain.subject.runs} == {ApproxNDCG().beta}
    assert len(plain.subject.by_beta()) == 1
    cut = sharpness_study(ApproxNDCG(cutoff=3), small, 1)
    assert cut.subject.measure == "nDCG@3"
    assert len(cut.subject.by_beta()) == len(BETAS)


def test_the_axis_ends_at_the_longest_run_once_all_have_ended(small):
    study = sharpness_study(ApproxAP(), small, 300, alphas=(), betas=())
    next(study)
    assert study.subject.last == 300
    *_, record = study
    assert study.subject.last == record.iteration < 300


def test_a_stopped_study_keeps_what_is_measured(small):
    study = sharpness_study(ApproxAP(), small, 50)
    for _ in range(2 * len(study.subject.runs)):
        next(study)
    study.close()
    assert next(study, None) is None
    assert {len(run.curve().error) for run in study.subject.runs.values()} == {2}


def test_a_spread_leaves_out_queries_that_do_not_count():
    result = spread(np.array([0.1, math.nan, 0.3]), bins=2)
    assert result.counts.tolist() == [1, 1]
    assert (result.mean, result.median, result.largest) == pytest.approx(
        (0.2, 0.2, 0.3)
    )
    assert math.isnan(spread(np.array([math.nan])).mean)
