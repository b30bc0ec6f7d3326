import numpy as np
import pytest

from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.rsrank import RSRank
from rankcore.base.cancellation import cancel_points
from rankcore.studies.restarts import best_restart, restarts, seeds, to_frame
from rankcore.training import Stop, drive

FEW = Stop(max_iterations=6)


def test_the_first_seeds_do_not_depend_on_how_many_there_are():
    assert seeds(7, 5)[:3] == seeds(7, 3)
    assert len(set(seeds(7, 50))) == 50
    assert seeds(7, 3) != seeds(8, 3)


def test_each_restart_is_the_run_of_its_seed(small):
    algorithm = ApproxNDCG(alpha=50.0, n_restarts=9)
    runs = list(restarts(algorithm, small, small, count=3, stop=FEW))
    assert [run.number for run in runs] == [1, 2, 3]
    for run in runs:
        alone = drive(
            ApproxNDCG(alpha=50.0, random_state=run.seed), small, small, stop=FEW
        )
        assert [r.objective for r in run.history] == pytest.approx(
            [r.objective for r in alone]
        )
        assert run.history[-1].valid["nDCG@10"] > 0
        assert run.reason == alone.reason
        assert run.best.objective == max(r.objective for r in run.history)
    assert algorithm.n_restarts == 9
    assert len({run.history[0].objective for run in runs}) == 3


def test_the_best_is_the_one_of_the_best_training_objective(small):
    runs = list(restarts(ApproxNDCG(alpha=50.0), small, count=4, stop=FEW))
    objectives = [run.best.objective for run in runs]
    best = best_restart(runs[::-1], maximises=True)
    assert best is runs[int(np.argmax(objectives))]
    losses = list(restarts(RSRank(), small, count=3, stop=FEW))
    least = best_restart(losses, maximises=False)
    assert least.best.objective == min(
        record.objective for run in losses for record in run.history
    )


def test_all_curves_are_kept_in_one_table(small):
    runs = list(restarts(ApproxNDCG(), small, count=2, stop=FEW))
    table = to_frame(runs[::-1])
    assert len(table) == sum(len(run.history) for run in runs)
    assert table["restart"].is_monotonic_increasing
    assert set(table["seed"]) == {run.seed for run in runs}


def test_several_processes_give_the_same_runs(small):
    here = list(restarts(ApproxNDCG(), small, count=3, stop=FEW))
    there = list(restarts(ApproxNDCG(), small, count=3, workers=2, stop=FEW))
    there.sort(key=lambda run: run.number)
    for ours, theirs in zip(here, there, strict=True):
        assert ours.seed == theirs.seed
        for a, b in zip(ours.history, theirs.history, strict=True):
            np.testing.assert_allclose(a.coef, b.coef, rtol=1e-6)


def test_a_wrong_setting_is_refused_before_anything_starts(small):
    with pytest.raises(ValueError, match="alpha must be"):
        next(restarts(ApproxNDCG(alpha=-1.0), small, workers=2))


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
