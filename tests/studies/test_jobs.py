"""Background jobs: played, paused, stepped and stopped from another thread."""

import itertools
import os
import threading
import time
from collections import Counter

import pytest

from rankcore.base import turns as _turns
from rankcore.base.turns import Turns, Way
from rankcore.compute.calls import as_ready
from rankcore.studies import Study, jobs
from rankcore.studies.jobs import JobRegistry, Watcher
from rankcore.training import Stop, drive
from tests.stub_algorithm import Given, line

SOON = 120.0


def wait_until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline, "the job did not get there in time"
        time.sleep(0.002)


def endless(registry, **details):
    run = drive(
        Given(loop=True, seconds=0.001), line(), stop=Stop(max_iterations=100_000)
    )
    return registry.submit(run, title="endless", **details)


@pytest.fixture
def registry():
    registry = JobRegistry()
    yield registry
    for job in list(registry._jobs.values()):
        job.steer().stop()
        assert job.wait(SOON)


def test_a_job_waits_for_play_then_pauses_and_goes_on(registry):
    job = endless(registry)
    assert (job.state, len(job.history), job.best) == ("paused", 0, None)
    job.steer().play()
    wait_until(lambda: len(job.history) > 3)
    assert job.state == "running"
    job.steer().pause()
    wait_until(lambda: job.state == "paused" and not job._holds_slot)
    count = len(job.history)
    time.sleep(0.05)
    assert len(job.history) == count
    job.steer().play()
    wait_until(lambda: len(job.history) > count)


def test_steps_are_counted(registry):
    job = endless(registry)
    job.steer().step()
    wait_until(lambda: job.state == "paused")
    assert len(job.history) == 1
    job.steer().step(10)
    wait_until(lambda: job.state == "paused")
    assert len(job.history) == 11


def test_what_is_known_is_repeated_at_full_speed(registry):
    job = endless(registry, done=200)
    job.steer().limit(1.0 / 3600.0)
    job.steer().play()
    wait_until(lambda: len(job.history) == 201)
    assert job.state == "running"


def test_a_stopped_job_keeps_its_records(registry):
    job = endless(registry, play=True)
    wait_until(lambda: len(job.history) > 3)
    job.steer().stop()
    assert job.wait(SOON)
    assert job.state == "stopped"
    assert job.ended
    assert job.best is not None


def test_paused_jobs_are_counted_apart(registry):
    paused, running = endless(registry), endless(registry, play=True)
    wait_until(lambda: running.state == "running")
    assert registry.states() == {"paused": 1, "running": 1}
    for job in (paused, running):
        job.steer().stop()
        assert job.wait(SOON)
    assert registry.states() == {"stopped": 2}


def test_a_paused_job_can_be_stopped(registry):
    job = endless(registry)
    job.steer().stop()
    assert job.wait(SOON)


def test_a_pass_without_end_is_paused_and_broken_off_within(registry):
    endless_pass = Given(loop=True, seconds=0.001, parts=10**9)
    job = registry.submit(drive(endless_pass, line()), title="endless", play=True)
    wait_until(lambda: len(job.history) == 1)
    job.steer().pause()
    wait_until(lambda: not job._holds_slot)
    job.steer().play()
    wait_until(lambda: job._holds_slot)
    job.steer().stop()
    assert job.wait(SOON)
    assert (job.state, len(job.history)) == ("stopped", 1)
    assert endless_pass.closed


def test_jobs_take_turns_within_a_pass():
    registry = JobRegistry(max_running=1)
    long = drive(Given(loop=True, seconds=0.001, parts=10**9), line())
    jobs = [registry.submit(long, title="long", play=True), endless(registry)]
    wait_until(lambda: jobs[0]._holds_slot)
    jobs[1].steer().play()
    wait_until(lambda: len(jobs[1].history) > 3)
    for job in jobs:
        job.steer().stop()
        assert job.wait(SOON)


def test_a_job_ends_with_its_run(registry):
    run = drive(Given(loop=True), line(), stop=Stop(max_iterations=4))
    job = registry.submit(run, title="short", play=True)
    assert job.wait(SOON)
    assert (job.state, len(job.history)) == ("finished", 5)
    assert job.run.reason == "Reached the limit of 4 iterations."


def test_a_failed_job_says_why_and_keeps_its_curve(registry):
    run = drive(Given(loop=True, fails_at=3), line(), stop=Stop(max_iterations=9))
    job = registry.submit(run, title="failing", play=True)
    assert job.wait(SOON)
    assert (job.state, len(job.history)) == ("failed", 3)
    assert "the step went wrong" in job.error


def test_a_study_whose_process_ends_says_so(registry):
    coming = (result for _, result in as_ready(1, os._exit, [(3,)]))
    job = registry.submit(Study(coming, 1, "runs"), title="study", play=True)
    assert job.wait(SOON)
    assert job.state == "failed"
    assert job.error.startswith("The training process ended unexpectedly")
    assert "internal" not in job.error


def test_speed_limits_the_steps_a_second(registry):
    job = endless(registry)
    job.steer().limit(20.0)
    began = time.monotonic()
    job.steer().step(5)
    wait_until(lambda: job.state == "paused")
    assert time.monotonic() - began >= 4 / 20.0


def test_jobs_beyond_the_limit_take_turns():
    registry = JobRegistry(max_running=1)
    jobs = [endless(registry, play=True) for _ in range(3)]
    for count in (3, 30):
        wait_until(lambda at=count: all(len(job.history) > at for job in jobs))
    assert sum(job._holds_slot for job in jobs) <= 1
    for job in jobs:
        job.steer().stop()
        assert job.wait(SOON)


def test_a_job_that_finds_no_place_is_queued():
    registry = JobRegistry(max_running=1)
    blocking = drive(Given(loop=True, seconds=1.5), line(), stop=Stop(max_iterations=1))
    first = registry.submit(blocking, title="slow", play=True)
    wait_until(lambda: len(first.history) == 1)
    second = endless(registry, play=True)
    wait_until(lambda: second.state == "queued")
    assert len(second.history) == 0
    wait_until(lambda: len(second.history) > 0)
    for job in (first, second):
        job.steer().stop()
        assert job.wait(SOON)


class Player:
    """What takes turns: whose, and how many it has had."""

    def __init__(self, owner, seconds=1.0):
        self.owner, self.seconds = owner, seconds
        self.turns = 0


def played(players, places, turns):
    """Let players take turns, of a second or as long as each needs, on a clock of
    their own; the seconds that each owner has had."""
    now, had = [0.0], Counter()
    gate = Turns(places, clock=lambda: now[0])
    ends = {player: player.seconds for player in players if gate.take(player, 0.0)}
    for _ in range(turns):
        player = min(ends, key=ends.get)
        now[0] = ends.pop(player)
        had[player.owner] += player.seconds
        player.turns += 1
        gate.give_way(player)
        for other in players:
            if other not in ends and gate.take(other, 0.0):
                ends[other] = now[0] + other.seconds
    return had


@pytest.mark.parametrize("places", [1, 2])
def test_an_owner_of_many_jobs_has_no_more_turns_than_one_of_one(places):
    many, one = [Player("many") for _ in range(4)], Player("one")
    had = played([*many, one], places, turns=80)
    # The many were there first, at all places.
    assert 0 <= had["many"] - had["one"] <= places
    turns = [player.turns for player in many]
    assert max(turns) - min(turns) <= 1


def test_three_owners_share_two_places():
    players = [Player("a"), Player("b"), Player("c"), *(Player("a") for _ in range(5))]
    had = played(players, 2, turns=90)
    assert max(had.values()) - min(had.values()) <= 1.0


def test_an_owner_of_long_steps_has_fewer_turns():
    had = played([Player("slow", 5.0), Player("quick", 1.0)], 1, turns=60)
    assert abs(had["slow"] - had["quick"]) <= 5.0


def test_who_comes_late_or_comes_back_has_no_turns_in_advance():
    now = [0.0]
    gate = Turns(1, clock=lambda: now[0])
    first, late = Player("first"), Player("late")
    assert gate.take(first, 0.0)
    for _ in range(100):
        now[0] += 1.0
        assert gate.give_way(first), "nobody else waits"
    assert not gate.take(late, 0.0)
    now[0] += 1.0
    assert not gate.give_way(first)
    assert gate.take(late, 0.0)
    now[0] += 2.0
    assert not gate.give_way(late)
    gate.leave(late)
    assert not gate.take(late, 0.0), "it is behind the other"
    gate.leave(first)
    assert gate.take(late, 0.0)


def test_jobs_take_turns_by_their_owners():
    granted = []

    class Noted(Turns):
        def _grant(self):
            before = set(self._since)
            super()._grant()
            granted.extend(job.owner for job in self._since if job not in before)

    registry = JobRegistry()
    # Each look at the clock takes a second, however long a turn takes here.
    registry._turns = Noted(1, itertools.count().__next__)
    jobs = [endless(registry, owner="many") for _ in range(4)]
    jobs.append(endless(registry, owner="one"))
    for job in jobs:
        job.steer().play()
    wait_until(lambda: all(len(job.history) for job in jobs))
    begun = len(granted)
    wait_until(lambda: len(granted) >= begun + 24)
    for job in jobs:
        end(job)
    shared = granted[begun : begun + 24]
    assert 8 <= shared.count("one") <= 16, "a fifth of all would be fewer than 5"


GRACE = 0.2


def watched(watcher, seconds=GRACE):
    job = endless(JobRegistry(grace_seconds=seconds))
    watcher.watch(job)
    job.steer().play()
    return job


def end(job):
    job.steer().stop()
    assert job.wait(SOON)


def test_a_job_pauses_itself_when_its_last_watcher_has_left():
    one, other = Watcher(), Watcher()
    job = watched(one)
    other.watch(job)
    one.close()
    time.sleep(2 * GRACE)
    assert job.state == "running", "somebody is still watching"
    other.close()
    wait_until(lambda: job.state == "paused")
    assert "was closed" in job.note
    job.steer().play()
    assert job.note is None
    time.sleep(2 * GRACE)
    assert job.state == "running", "it pauses once, not again and again"
    end(job)


def test_a_pass_without_end_pauses_itself_within_when_its_watcher_has_left():
    watcher, registry = Watcher(), JobRegistry(grace_seconds=GRACE)
    long = drive(Given(loop=True, seconds=0.001, parts=10**9), line())
    job = registry.submit(long, title="long", play=True)
    watcher.watch(job)
    wait_until(lambda: len(job.history) == 1)
    watcher.close()
    wait_until(lambda: job.state == "paused" and not job._holds_slot)
    end(job)


def test_a_watcher_that_comes_back_in_time_keeps_a_job_running():
    first, seconds = Watcher(), 5 * GRACE
    job = watched(first, seconds)
    first.close()
    Watcher().watch(job)
    time.sleep(1.2 * seconds)
    assert job.state == "running"
    end(job)


def test_a_job_that_was_never_watched_goes_on():
    job = endless(JobRegistry(grace_seconds=0.0), play=True)
    wait_until(lambda: len(job.history) > 30)
    assert job.state == "running"
    end(job)


def test_a_job_with_a_limit_on_its_time_runs_it_out_unwatched():
    watcher, limit = Watcher(), Stop(max_seconds=0.5)
    run = drive(Given(loop=True, seconds=0.001), line(), stop=limit)
    job = JobRegistry(grace_seconds=0.0).submit(run, title="timed", play=True)
    watcher.watch(job)
    watcher.close()
    assert job.wait(SOON)
    assert (job.state, job.note) == ("finished", None)
    assert run.reason == "Reached the limit of 0.5 seconds of training."


def test_a_job_is_found_by_its_id_only(registry):
    job = endless(registry)
    assert registry.get(job.id) is job
    assert registry.get("no such job") is None
    assert registry.get(None) is None


def test_old_jobs_make_room_for_new_ones():
    registry = JobRegistry(max_jobs=2)
    first = endless(registry)
    first.steer().stop()
    assert first.wait(SOON)
    second = endless(registry)
    third = endless(registry)
    assert registry.get(first.id) is None
    assert registry.get(second.id) is second
    fourth = endless(registry)  # the paused job longest out of sight gives way
    assert len(registry) == 2
    assert registry.get(third.id) is None
    assert third.wait(SOON)
    for job in (second, fourth):
        job.steer().stop()
        assert job.wait(SOON)


def test_no_one_s_job_makes_room_for_another_owner_s():
    registry = JobRegistry(max_each=2)
    stranger = endless(registry, owner="stranger")
    values = [endless(registry, owner="me") for _ in range(5)]
    assert registry.get(stranger.id) is stranger
    assert [registry.get(job.id) is job for job in values] == 3 * [False] + 2 * [True]
    for job in values[3:]:
        job.steer().play()
    with pytest.raises(ValueError, match="All 2 places"):
        endless(registry, owner="me")
    for job in (stranger, *values):
        end(job)


def test_what_nobody_watches_makes_room_in_a_full_registry():
    registry, watcher = JobRegistry(max_jobs=2), Watcher()
    watched, left = endless(registry, owner="a"), endless(registry, owner="b")
    watcher.watch(watched)
    third = endless(registry, owner="c", play=True)
    assert registry.get(left.id) is None
    with pytest.raises(ValueError, match="All 2 places"):
        endless(registry, owner="d")
    assert registry.get(watched.id) is watched
    for job in (watched, left, third):
        end(job)


def test_only_who_began_a_job_may_steer_it():
    registry = JobRegistry()
    hers, anyone_s = endless(registry, owner="her"), endless(registry)
    with pytest.raises(PermissionError, match="endless belongs to another visitor"):
        hers.steer("me")
    for job, who in ((hers, "her"), (hers, ""), (anyone_s, "me")):
        job.steer(who).step()
    for attribute in ("speed", "settings"):
        with pytest.raises(AttributeError):
            setattr(hers, attribute, None)
    for job in (hers, anyone_s):
        end(job)


def test_a_job_of_the_same_id_needs_no_place_of_its_own():
    registry = JobRegistry(max_each=1)
    first = endless(registry, owner="me", play=True)
    second = endless(registry, owner="me", key=first.id)
    assert registry.get(first.id) is second
    for job in (first, second):
        end(job)


def test_an_end_is_told_with_how_long_it_took():
    values = []
    job = endless(JobRegistry(on_end=values.append), play=True)
    end(job)
    wait_until(lambda: values)
    assert values == [job]
    assert job.seconds > 0
    assert job.seconds == job.seconds


def test_jobs_rest_while_a_page_is_drawn(monkeypatch):
    monkeypatch.setattr(_turns, "REST_SECONDS", SOON)
    way, rested = Way(), threading.Event()
    way.rest()

    def rest():
        way.rest()
        rested.set()

    with way.drawing():
        threading.Thread(target=rest, daemon=True).start()
        with way.drawing():
            pass
        assert not rested.wait(0.05), "another page is still drawn"
    assert rested.wait(SOON)


def test_a_job_goes_on_however_long_pages_are_drawn(registry):
    with jobs.drawing():
        job = endless(registry)
        job.steer().play()
        wait_until(lambda: len(job.history) > 3)
