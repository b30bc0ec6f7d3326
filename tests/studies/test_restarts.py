import pytest

from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.base.cancellation import cancel_points
from rankcore.studies.restarts import restarts, seeds
from rankcore.training import Stop, drive

FEW = Stop(max_iterations=6)


def test_the_first_seeds_do_not_depend_on_how_many_there_are():
    assert seeds(7, 5)[:3] == seeds(7, 3)
    assert len(set(seeds(7, 50))) == 50
    assert seeds(7, 3) != seeds(8, 3)


def test_each_restart_is_the_run_of_its_seed(small):
    algorithm = ApproxNDCG(alpha=50.0, n_restarts=9)
    runs = list(restarts(algorithm, small, valid=small, count=3, stop=FEW))
    assert [run.algorithm.random_state for run in runs] == seeds(
        algorithm.random_state, 3
    )
    for run in runs:
        seed = run.algorithm.random_state
        alone = drive(ApproxNDCG(alpha=50.0, random_state=seed), small, small, stop=FEW)
        assert [r.objective for r in run.history] == pytest.approx(
            [r.objective for r in alone]
        )
        assert run.history[-1].valid["nDCG@10"] > 0
        assert run.reason == alone.reason
    assert algorithm.n_restarts == 9
    assert len({run.history[0].objective for run in runs}) == 3


def test_a_wrong_setting_is_refused_before_anything_starts(small):
    with pytest.raises(ValueError, match="alpha must be"):
        next(restarts(ApproxNDCG(alpha=-1.0), small))


def test_a_restart_can_be_broken_off_between_its_passes(small):
    passes = []

    def count():
        passes.append(1)
        if len(passes) == 4:
            raise InterruptedError

    algorithm = ApproxNDCG(optimiser="stochastic", tolerance=0.0)
    with cancel_points(count), pytest.raises(InterruptedError):
        next(restarts(algorithm, small, count=2))
    assert len(passes) == 4
