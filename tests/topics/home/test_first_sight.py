"""The stored runs of the home page: current, small, and what they say they are."""

from itertools import chain

import pytest

from rankcore.algorithms import get_algorithm
from rankcore.base.hyperparameters import hyperparameters
from rankcore.mathematics.arithmetic import deviation
from rankcore.topics.home import first_sight

# In thousandths, on a processor that rounds otherwise than all others.
CLOSE = 10


def every_run(found):
    return [run for one in found["algorithms"] for run in one["runs"]]


def about(found):
    """What the runs are, without their numbers."""
    algorithms = [
        {key: value for key, value in one.items() if key != "runs"}
        for one in found["algorithms"]
    ]
    return found | {"algorithms": algorithms}


def kept(run):
    """How many coefficients are not zero at the end."""
    return sum(value != 0 for value in first_sight.importances(run["importances"][-1]))


def test_the_file_is_what_its_command_computes():
    stored, computed = first_sight.stored(), first_sight.computed()

    if not deviation():
        assert computed == stored, "run make examples"
    assert about(stored) == about(computed)
    for old, new in zip(every_run(stored), every_run(computed), strict=True):
        assert old["curve"] == pytest.approx(new["curve"], abs=CLOSE)
        assert old["orders"][0] == new["orders"][0]
        assert kept(old) == pytest.approx(kept(new), abs=2)


def test_the_curve_and_the_list_are_of_one_split():
    result = first_sight.stored()
    assert result["query"]["name"].startswith(f"{result['split']} ")


def test_the_file_is_small():
    assert first_sight.FILE.stat().st_size < 45_000


def test_only_zero_is_written_as_zero():
    row = chr(first_sight.ZERO)
    most = chr(first_sight.ZERO + first_sight.LEVELS)
    least = chr(first_sight.ZERO - 1)

    assert first_sight.importances(row + most + least) == [
        0,
        1,
        -1 / first_sight.LEVELS,
    ]


def test_features_vanish_with_more_sparsity_and_the_causes_stay():
    result = first_sight.stored()
    (sparse,) = (one for one in result["algorithms"] if one["symbol"] == "g")
    sizes = [kept(run) for run in sparse["runs"]]
    first = sparse["runs"][sparse["first"]]
    causes = first["importances"][-1][: result["causes"]]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == len(result["features"])
    assert all(first_sight.importances(causes))


def test_every_frame_has_features_and_a_whole_ranking():
    result = first_sight.stored()
    letters = sorted("abcdefghijklmnopqrstuvwxyz"[: len(result["query"]["documents"])])
    for run in every_run(result):
        last = len(run["curve"]) - 1
        frames = sorted({*(f for f in result["frames"] if f <= last), last})
        assert len(run["importances"]) == len(run["orders"]) == len(frames)
        assert all(len(row) == len(result["features"]) for row in run["importances"])
        assert all(sorted(order) == letters for order in run["orders"])
        assert all(0 <= value <= 1000 for value in chain(run["curve"], run["values"]))


@pytest.mark.parametrize("varied", first_sight.VARIED, ids=lambda one: one.algorithm)
def test_the_values_are_permitted_and_five(varied):
    declared = hyperparameters(get_algorithm(varied.algorithm))[varied.setting]

    assert [declared.check(value) for value in varied.values] == list(varied.values)
    assert len(varied.values) == 5
    assert varied.first in range(5)


def test_the_table_has_every_point_of_every_curve():
    rows = first_sight.table()

    assert len(rows) == sum(
        len(run["curve"]) for run in every_run(first_sight.stored())
    )
    assert rows[0]["algorithm"] == get_algorithm(first_sight.VARIED[0].algorithm).title
