"""A race: its runs are those driven alone, and take their steps in turn."""

import numpy as np
import pytest

from rankcore import RSRank, get_algorithm, load_dataset
from rankcore.studies.jobs import JobRegistry
from rankcore.topics.train.race import Race, race_study
from rankcore.training import Stop, drive
from tests.stub_algorithm import Given, line

pytestmark = pytest.mark.unit

UP, FLAT, DOWN = (1.0,), (0.0,), (-1.0,)


def given(*coefs, **details):
    """What begins a run that yields these coefficients."""
    chosen = coefs or (DOWN, FLAT, UP)
    algorithm = Given(coefs=chosen, objectives=(1.0,) * len(chosen), **details)
    return lambda: drive(algorithm, line(), line((1, 0, 2)), stop=Stop())


def taken(study):
    """The names of the racers in the order of their steps."""
    race, order = study.subject, []
    sizes = dict.fromkeys((racer.name for racer in race.racers), 0)
    for _ in study:
        for racer in race.racers:
            if len(racer.history) > sizes[racer.name]:
                sizes[racer.name] += 1
                order.append(racer.name)
    return order


@pytest.mark.parametrize("pace", ["iteration", "seconds"])
def test_each_run_is_the_same_as_alone(pace):
    splits = load_dataset("planted")
    chosen = {
        "slow": ("RSRank", {"learning_rate": 1e-4}),
        "fast": ("RSRank", {}),
        "trees": ("RankBoost", {}),
        "cone": ("ListNet", {"random_state": 3}),
    }

    def begin(name, settings):
        stop = Stop(max_iterations=6)
        measured = ("nDCG@10", "AP", "RR")
        algorithm = get_algorithm(name)(**settings)
        return drive(algorithm, *splits[:2], stop=stop, measures=measured)

    study = race_study(
        {title: lambda own=own: begin(*own) for title, own in chosen.items()},
        pace,
    )
    list(study)
    assert study.done == study.total == len(chosen)
    for racer in study.subject.racers:
        alone = begin(*chosen[racer.name])
        list(alone)
        assert len(racer.history) == len(alone.history) == 7
        for result, other in zip(
            racer.history.records, alone.history.records, strict=True
        ):
            np.testing.assert_array_equal(result.coef, other.coef)
            assert result.objective == other.objective
            assert (result.train, result.valid) == (other.train, other.valid)
        assert racer.run.best.iteration == alone.best.iteration
        assert racer.reason == alone.reason


def test_by_iteration_the_runs_take_turns_and_the_longer_goes_on_alone():
    study = race_study({"a": given(DOWN, UP), "b": given(DOWN, FLAT, UP, UP)})

    assert taken(study) == ["a", "b", "a", "b", "b", "b"]
    assert study.reason == "All runs have ended."
    assert [racer.name for racer in study.found] == ["a", "b"]


@pytest.mark.parametrize("pace", ["iteration", "seconds"])
def test_the_run_that_is_furthest_behind_takes_the_next_step(pace):
    study = race_study(
        {"slow": given(*[UP] * 3, seconds=0.003), "fast": given(*[UP] * 9)}, pace
    )
    racers = study.subject.racers
    before = {racer.name: -1.0 for racer in racers}
    for _ in study:
        now = {racer.name: racer.at(pace) for racer in racers}
        (stepped,) = (name for name in now if now[name] != before[name])
        # One that ended without a record has had its turn, too.
        going = [racer.name for racer in racers if racer.reason is None]
        assert before[stepped] == min(before[name] for name in {*going, stepped})
        before = now
    assert [len(racer.history) for racer in racers] == [3, 9]


def test_a_run_that_cannot_begin_is_a_line_and_the_others_go_on():
    def impossible():
        return drive(RSRank(g=-1.0), line(), line())

    study = race_study({"never": impossible, "well": given(DOWN, UP)})
    list(study)
    never, well = study.subject.racers

    assert never.failed
    assert "g" in never.reason
    assert len(never.history) == 0
    assert not well.failed
    assert len(well.history) == 2
    assert study.done == 2


def test_a_run_that_breaks_off_keeps_its_records_and_the_others_go_on():
    broken = given(DOWN, FLAT, UP, fails_at=2)
    study = race_study({"broken": broken, "well": given(DOWN, FLAT, FLAT, UP)})
    list(study)
    racer, well = study.subject.racers

    assert racer.failed
    assert "the step went wrong" in racer.reason
    assert [record.iteration for record in racer.history.records] == [0, 1]
    assert well.history[-1].iteration == 3
    assert study.reason is not None


def test_closing_a_race_closes_its_runs():
    study = race_study({"a": given(DOWN, UP, UP), "b": given(DOWN, UP, UP)})
    next(study)
    next(study)
    study.close()

    for racer in study.subject.racers:
        assert racer.run.algorithm.closed
        assert racer.reason is None
    assert study.ended


def test_a_race_is_background_work():
    study = race_study({"a": given(), "b": given(fails_at=1)})
    job = JobRegistry().submit(study, title="Race", settings={}, play=True)

    assert job.wait(60.0)
    assert job.state == "finished"
    assert [racer.failed for racer in study.subject.racers] == [False, True]


def test_share_and_time_left_come_from_the_steps_taken():
    splits = load_dataset("toy-2d")

    def begin():
        return drive(RSRank(max_iter=4), *splits[:2])

    study = race_study({"one": begin, "two": begin})
    one, two = study.subject.racers
    for _ in range(4):
        next(study)
    assert (one.share, two.share) == (1 / 4, 1 / 4)
    assert study.doing.startswith("about ")
    assert study.share == pytest.approx(1 / 4)
    list(study)
    assert (one.share, study.share) == (1.0, 1.0)
    assert study.doing == ""


@pytest.mark.parametrize(
    ("entries", "pace", "said"),
    [
        ({}, "iteration", "1 to 4"),
        ({name: given() for name in "abcde"}, "iteration", "not 5"),
        ({"a": given()}, "minutes", "minutes"),
        (
            {"a": given(), "b": lambda: drive(Given(), line(), line((2, 0, 1)))},
            "iteration",
            "same data",
        ),
        (
            {
                "a": given(),
                "b": lambda: drive(Given(), line(), line((1, 0, 2)), measures=("AP",)),
            },
            "iteration",
            "measures",
        ),
    ],
)
def test_what_is_no_race_is_refused(entries, pace, said):
    with pytest.raises(ValueError, match=said):
        race_study(entries, pace)


def test_a_race_whose_runs_are_all_refused_ends_at_once():
    def impossible():
        raise ValueError("There is nothing to rank.")

    study = race_study({"a": impossible, "b": impossible})

    assert list(study) == []
    assert study.done == 2
    assert study.subject.run is None
    assert isinstance(study.subject, Race)


def test_the_runs_of_a_race_are_kept_to_their_ends():
    values = []

    class Recorder:
        def __init__(self, run, name):
            self.run, self.name = run, name

        def end(self, error):
            values.append((self.name, len(self.run.history), self.run.reason, error))

    def broken():
        raise ValueError("There is no such data.")

    entries = {"short": given(UP), "long": given(DOWN, FLAT, UP), "none": broken}
    study = race_study(entries, keep=Recorder)
    assert values == []
    while not values:
        next(study)
    assert not study.ended
    for _ in study:
        pass
    ended = "The algorithm has converged: no step is left to take."
    assert sorted(values) == [("long", 3, ended, None), ("short", 1, ended, None)]
    values.clear()
    study = race_study({"left": given(DOWN, FLAT, UP)}, keep=Recorder)
    next(study)
    study.close()
    assert values == [("left", 1, None, None)]
