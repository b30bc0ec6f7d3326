"""Work in several processes: all results, and no process that outlives its use."""

import math
import multiprocessing
import time

import pytest

from rankcore._workers import as_ready
from rankcore.executors import allowed_threads


def test_each_result_comes_with_the_number_of_its_task():
    found = dict(as_ready(2, math.sqrt, [(0.0,), (1.0,), (4.0,), (9.0,)]))
    assert found == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}


def test_processes_share_the_threads_that_are_allowed():
    found = dict(as_ready(2, allowed_threads, [(), ()]))
    assert set(found.values()) == {max(allowed_threads() // 2, 1)}


def test_processes_end_when_nobody_takes_more_results():
    results = as_ready(2, time.sleep, [(0.0,), (3600.0,), (3600.0,)])
    assert next(results) == (0, None)
    results.close()
    assert not multiprocessing.active_children()


def test_processes_end_when_a_task_fails():
    with pytest.raises(ValueError, match="sleep length"):
        list(as_ready(2, time.sleep, [(3600.0,), (-1.0,)]))
    assert not multiprocessing.active_children()
