"""What training takes off the objective of no model, along a map."""

import numpy as np
import pytest

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.algorithms.svm_map import SVMMAP
from rankcore.base.hyperparameters import hyperparameters
from rankcore.data.catalogue import load_dataset
from rankcore.topics.explore.curve_figure import line_figure
from rankcore.topics.explore.maps import MapPlan, axis, found_map
from rankcore.topics.explore.reduction import ends_columns, ends_of, ends_text
from rankcore.training import Stop, drive


def a_map(ranker, name, low, high, count=3, data="toy-2d"):
    points = axis(hyperparameters(type(ranker))[name], count, low, high)
    plan = MapPlan(ranker, (points,), load_dataset(data), max_iterations=200)
    study = plan.study()
    list(study)
    return found_map(plan, study.found)


@pytest.fixture(scope="module")
def over_c():
    return a_map(SVMMAP(), "C", 0.1, 1000.0)


def test_a_structured_svm_reduces_the_objective_of_zero_more_as_c_grows(over_c):
    ends = ends_of(over_c)
    assert ends.name == "reduction from w = 0"
    assert (np.diff(ends.share) > 0).all()
    assert (np.diff(ends.length) > 0).all()
    cell = over_c.cells[1]
    run = drive(SVMMAP(**cell.settings), over_c.plan.splits.train, measures=())
    zero = next(run).objective
    assert ends.share[1] == pytest.approx(1.0 - cell.rows[0].objective / zero)


def test_the_figure_draws_the_reduction_and_says_it(over_c):
    picture = line_figure(over_c, "#000000")
    (below,) = [one for one in picture.data if one.get("name") == "reduction"]
    assert below["y"] == pytest.approx(ends_of(over_c).share)
    assert below["yaxis"] == "y3"
    assert "off the objective at w = 0" in picture.alt
    assert {"objective", "reduction from w = 0", "‖w‖"} <= set(ends_columns(over_c)[0])


def test_cones_have_the_share_of_energy_that_training_tells():
    result = a_map(ConeRank(), "n_basis", 1, 2, 2)
    ends, train = ends_of(result), result.plan.splits.train
    stop = Stop(max_iterations=int(result.cells[1].rows[0].iteration) or 1)
    run = drive(ConeRank(n_basis=2), train, measures=(), stop=stop)
    list(run)
    at = [one for one in run.history if one.objective == ends.objective[1]]
    assert at[0].diagnostics["energy captured"] == pytest.approx(ends.share[1])
    assert "objective" in [
        one.get("name") for one in line_figure(result, "#000000").data
    ]
    assert ends_text(result).endswith(f"to {ends.train[1]:.3f}.")


def test_a_lower_objective_with_a_worse_ranking_is_said():
    worse = a_map(ConeRank(), "n_basis", 1, 6, 2, "toy-3d")
    ends = ends_of(worse)
    assert ends.objective[1] < ends.objective[0]
    assert ends.train[1] < ends.train[0]
    words = "**A lower objective, but a worse ranking.** From basis vectors K = 1 to 6 "
    assert ends_text(worse).startswith(words)
    assert "**" not in line_figure(worse, "#000000").alt
