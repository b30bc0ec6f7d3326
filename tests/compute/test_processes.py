"""Work in several processes: all results, and no process that outlives its use."""

import itertools
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import types
from collections import Counter
from concurrent import futures
from contextlib import closing
from pathlib import Path

import pytest

from rankcore.base.cancellation import cancel_point, cancel_points, rest
from rankcore.base.errors import LostWorkerError
from rankcore.compute import offloading
from rankcore.compute import processes as _processes
from rankcore.compute.calls import as_ready, results
from rankcore.compute.executors import Executor, allowed_threads
from rankcore.compute.offloading import Offload
from rankcore.compute.processes import NICE, Pool, give_way, without_interrupts
from tests.soaking import soak


def test_each_result_comes_with_the_number_of_its_task():
    settings = dict(as_ready(2, math.sqrt, [(0.0,), (1.0,), (4.0,), (9.0,)]))
    assert settings == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}


def test_processes_share_the_threads_that_are_allowed():
    settings = dict(as_ready(2, allowed_threads, [(), ()]))
    assert set(settings.values()) == {max(allowed_threads() // 2, 1)}


def test_processes_end_when_nobody_takes_more_results():
    results = as_ready(2, time.sleep, [(0.0,), (3600.0,), (3600.0,)])
    assert next(results) == (0, None)
    results.close()
    assert not multiprocessing.active_children()


def test_processes_end_when_a_task_fails():
    with pytest.raises(ValueError, match="sleep length"):
        list(as_ready(2, time.sleep, [(3600.0,), (-1.0,)]))
    assert not multiprocessing.active_children()


KILLED = """
import os, time
from rankcore.compute.processes import Pool
if __name__ == "__main__":
    with Pool(2, background=True) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 3600.0)
        time.sleep(3600.0)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_when_the_one_that_gave_the_work_is_killed(tmp_path, how):
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as giver:
        assert int(giver.stdout.readline())
        giver.send_signal(how)
        # Processes that live on would keep this open.
        assert giver.communicate(timeout=120) == ("", None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_process_begins_is_handled_once_it_has_begun(number):
    """Also where another thread takes it."""
    other, begun = threading.Event(), []

    def handle(*_):
        raise KeyboardInterrupt

    def begin():
        with without_interrupts():
            os.kill(os.getpid(), number)
            time.sleep(0.05)
            begun.append(True)

    before = signal.signal(number, handle)
    thread = threading.Thread(target=other.wait)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            begin()
    finally:
        other.set()
        thread.join()
        assert signal.signal(number, before) is handle
    assert begun


@pytest.fixture
def prompt(request, monkeypatch):
    """Let processes that take over work have this one's priority: of the lowest, they
    hardly run while other tests do. A test with the parameter False leaves them that.
    """

    def begun(workers, share, background):
        return Pool(workers, share)

    if getattr(request, "param", True):
        monkeypatch.setattr(offloading, "Pool", begun)


def offloaded(workers, function, tasks, shared=(), lost=None, pays_after=None):
    """The results of tasks, of which some are computed in processes."""
    with Offload(workers, function, shared, len(tasks), pays_after) as offload:
        yield from offload.results(tasks, lost)


@pytest.mark.usefixtures("prompt")
@pytest.mark.parametrize("prompt", [True, soak(False)], indirect=True)
def test_work_that_pays_is_shared_with_processes_that_end_with_it(tmp_path):
    shared = (str(tmp_path / "another process"), os.getpid())
    results = offloaded(1, _waited, [(0.5,)] * 2000, shared, pays_after=0.1)
    settings = dict(results)
    assert settings.keys() == set(range(2000))
    assert {os.getpid()} < set(settings.values())
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("prompt")
def test_once_each_process_has_made_a_call_this_one_makes_none():
    coming = offloaded(2, _slept, [(0.02,)] * 10**5, (0.0,), pays_after=0.0)
    others = set()
    with closing(coming):
        pids = (pid for _, pid in coming)
        while len(others) < 2:
            others.update({next(pids)} - {os.getpid()})
        later = Counter(itertools.islice(pids, 60))
    assert later.keys() == others
    assert min(later.values()) >= 20


@pytest.mark.usefixtures("prompt")
def test_processes_that_work_is_handed_over_to_share_the_threads():
    allowed, tasks = allowed_threads(), [()] * 10**4
    coming = offloaded(2, _threads, tasks, pays_after=0.0)
    with closing(coming):
        result = next(count for _, (pid, count) in coming if pid != os.getpid())
    assert result == max(allowed // 2, 1)


def test_processes_in_the_background_have_a_lower_priority():
    """So that pages answer while they train."""
    coming = offloaded(1, _priority, [(0.02,)] * 10**5, (), pays_after=0.0)
    with closing(coming):
        result = next(value for _, (pid, *value) in coming if pid != os.getpid())
    idle = getattr(os, "SCHED_IDLE", None)
    assert result in ([idle, os.nice(0)], [None, min(os.nice(0) + NICE, 19)])


def test_processes_in_the_background_stand_still_for_a_visitor_who_acts(monkeypatch):
    monkeypatch.setattr(_processes, "GIVEN_SECONDS", 1.0)
    with Pool(1, background=True) as pool:
        assert pool.submit(_passed).result() < time.monotonic()
        give_way()
        until = _processes._go_on().value
        assert pool.submit(_passed).result() >= until
        # A visitor who acts again and again does not stop them.
        give_way()
        assert _processes._go_on().value == until


@pytest.mark.usefixtures("prompt")
def test_a_process_that_cannot_start_leaves_its_calls_here(monkeypatch):
    here = types.ModuleType("a_module_without_a_file")
    here.slept = types.FunctionType(_slept.__code__, globals(), "slept")
    here.slept.__module__, here.slept.__qualname__ = here.__name__, "slept"
    monkeypatch.setitem(sys.modules, here.__name__, here)
    tasks = [(0.02,)] * 100
    settings = dict(offloaded(1, here.slept, tasks, (0.0,), pays_after=0.0))
    assert settings == dict.fromkeys(range(100), os.getpid())
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("prompt")
def test_what_is_left_of_one_piece_of_work_does_not_keep_the_next_waiting():
    with Offload(1, _slept, (0.0,), 10**4, pays_after=0.0) as offload:
        first = offload.results([(0.02,)] * 10**5)
        next(pid for _, pid in first if pid != os.getpid())
        first.close()
        assert len(dict(offload.results([(0.02,)] * 20))) == 20
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("prompt")
def test_pieces_of_work_share_one_limit_of_processes(monkeypatch):
    """As the studies of several visitors."""
    monkeypatch.setattr("rankcore.base.cores.allowed_threads", lambda: 1)

    def begun():
        work = offloaded(1, _slept, [(0.01,)] * 10**5, (0.0,), pays_after=0.0)
        for _ in range(3):
            next(work)
        return work

    first = begun()
    (result,) = multiprocessing.active_children()
    second = begun()
    assert multiprocessing.active_children() == [result]
    first.close()
    next(second)
    (other,) = multiprocessing.active_children()
    assert other.pid != result.pid
    second.close()
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("prompt")
def test_work_that_rests_lends_its_processes_places(monkeypatch):
    """As a paused study to that of another visitor."""
    monkeypatch.setattr("rankcore.base.cores.allowed_threads", lambda: 1)

    def work():
        return offloaded(1, _slept, [(0.01,)] * 10**5, (0.0,), pays_after=0.0)

    def elsewhere(coming):
        return next(pid for _, pid in coming if pid != os.getpid())

    first, second = work(), work()
    with cancel_points(lambda: None):
        result = elsewhere(first)
        rest()
        theirs = elsewhere(second)
        # What was under way ends; then the first goes on here, without a place.
        later = [pid for _, pid in itertools.islice(first, 8)]
        assert later[4:] == [os.getpid()] * 4
        second.close()
        assert elsewhere(first) == result != theirs
        first.close()
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("prompt")
def test_a_single_piece_of_work_has_the_processes_that_it_wants(monkeypatch):
    monkeypatch.setattr("rankcore.base.cores.allowed_threads", lambda: 1)
    work = offloaded(2, _slept, [(0.01,)] * 10**5, (0.0,), pays_after=0.0)
    assert any(len(multiprocessing.active_children()) == 2 for _ in work)
    work.close()


def test_short_work_stays_here():
    settings = dict(offloaded(1, _slept, [(0.0,)] * 5, (0.0,), pays_after=60.0))
    assert settings == dict.fromkeys(range(5), os.getpid())


def test_one_s_end_leaves_the_processes_of_another():
    ending = as_ready(1, time.sleep, [(0.0,), (3600.0,)])
    # Its processes are begun with the first result that is asked for.
    with Pool(1) as waiting:
        next(ending)
        begun_later = waiting.submit(os.getpid).result()
        ending.close()
        assert waiting.submit(os.getpid).result() == begun_later


def test_waiting_for_processes_is_a_cancel_point():
    class Enough(BaseException):
        pass

    def stop():
        raise Enough

    results = as_ready(1, time.sleep, [(3600.0,)])
    with pytest.raises(Enough), cancel_points(stop):
        next(results)
    assert not multiprocessing.active_children()


def test_work_that_ends_its_process_each_time_is_a_clear_error():
    with pytest.raises(LostWorkerError, match="ended unexpectedly at every attempt"):
        list(as_ready(1, os._exit, [(3,)]))
    with Pool(1) as pool:
        settings = dict(results(pool, os._exit, [(3,)], lost=lambda number, _: number))
        assert settings == {0: 0}
        assert pool.submit(math.sqrt, 4.0).result() == 2.0


@pytest.mark.soak
@pytest.mark.usefixtures("prompt")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_call_is_made_again_when_its_process_is_lost(workers):
    """A process ends by what it is given once; with the main one, never."""
    tasks = [(k,) for k in range(40)]
    coming = offloaded(workers, _odd_elsewhere, tasks, (os.getpid(),), pays_after=0.1)
    with pytest.raises(LostWorkerError):
        list(coming)
    coming = offloaded(
        workers,
        _odd_elsewhere,
        tasks,
        (os.getpid(),),
        lost=lambda number, error: -number,
        pays_after=0.1,
    )
    settings = dict(coming)
    assert settings.keys() == set(range(40))
    assert min(settings.values()) < 0
    assert all(value in (number, -number) for number, value in settings.items())
    assert not multiprocessing.active_children()


def _odd_elsewhere(main: int, number: int) -> int:
    # Long enough that the main process does not do it all.
    time.sleep(0.5)
    if os.getpid() != main and number % 2:
        os._exit(9)
    return number


def _threads() -> tuple[int, int]:
    time.sleep(0.01)
    return os.getpid(), allowed_threads()


def _passed():
    """When a cancel point was passed."""
    cancel_point()
    return time.monotonic()


def _priority(seconds: float) -> tuple[int, int | None, int]:
    """The process, the policy of the scheduler, where the system has several, and the
    niceness."""
    time.sleep(seconds)
    policy = os.sched_getscheduler(0) if hasattr(os, "SCHED_IDLE") else None
    return os.getpid(), policy, os.nice(0)


def _slept(least: float, seconds: float) -> int:
    time.sleep(least + seconds)
    return os.getpid()


def _waited(other: str, giver: int, seconds: float) -> int:
    """The process that calls; the giver takes its time until another one has called."""
    if os.getpid() != giver:
        Path(other).touch()
    elif not os.path.exists(other):
        time.sleep(seconds)
    return os.getpid()


class Lost(Executor):
    """Where runs are given up, as by a cluster that is lost."""

    def __init__(self) -> None:
        self._given_up = False

    def runs(self) -> futures.Executor:
        return self

    def submit(self, *call: object) -> futures.Future:
        self._given_up = True
        future: futures.Future = futures.Future()
        future.cancel()
        return future

    def runs_at_once(self) -> int:
        if self._given_up:
            raise LostWorkerError("The cluster has ended.")
        return 1

    def place(self, parts: object) -> None:
        raise NotImplementedError


def test_runs_that_a_lost_cluster_gives_up_end_in_its_sentence():
    with pytest.raises(LostWorkerError, match="The cluster has ended"):
        list(results(Lost(), math.sqrt, [(4.0,), (9.0,)]))
