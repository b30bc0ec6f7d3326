"""Trainings that a page waits for take a step at least, and end in time."""

import math
from types import SimpleNamespace

import pytest

from pages.ui import brief
from rankcore import RSRank, load_dataset
from rankcore.training import Stop, drive


@pytest.fixture
def run():
    train = load_dataset("toy-2d").train
    return drive(RSRank(max_iter=20), train, stop=Stop(max_iterations=20), measures=())


def test_a_step_is_taken_even_without_time(run):
    records = list(brief.records(run, 0.0))

    assert [record.iteration for record in records] == [0, 1]
    assert (records[0].coef != records[1].coef).any()


def test_all_steps_are_taken_where_there_is_time(run):
    assert len(list(brief.records(run, math.inf))) == 21


def test_the_time_begins_after_the_first_step(run, monkeypatch):
    # The first step takes a minute, all others a second.
    times = iter([0.0, 60.0, *range(60, 100)])
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr(brief, "time", clock)

    assert len(list(brief.records(run, 5.0))) == 8
