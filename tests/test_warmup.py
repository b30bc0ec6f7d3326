import gc
import subprocess
import sys
import threading

import pytest

from rankcore.algorithms import list_algorithms
from rankcore.base import kernel_cache
from rankcore.topics import warmup
from rankcore.topics.warmup import warm_up


def test_warm_up_runs_every_part():
    values = []
    warm_up(lambda *progress: values.append(progress))

    assert set(list_algorithms()) < {name for name, _, _ in values}


@pytest.mark.parametrize("workers", [1, 2])
def test_warm_up_tells_of_each_part_once(workers):
    values = []
    parts = ["NDCG", "a ranking", "the LETOR reader"]
    warm_up(lambda *progress: values.append(progress), workers, parts)

    names = [name for name, _, _ in values]
    assert sorted(names) == sorted(parts)
    assert [done for _, done, _ in values] == list(range(len(names)))
    assert {total for _, _, total in values} == {len(names)}


@pytest.fixture
def preparing(monkeypatch, tmp_path):
    """A preparation, the events that it has begun and ended loading, and where it
    looks for compiled kernels."""
    began, frozen, mark = threading.Event(), threading.Event(), tmp_path / "compiled"

    def load(parts):
        assert parts == warmup.FIRST
        began.set()

    monkeypatch.setattr(kernel_cache, "is_complete", mark.exists)
    monkeypatch.setattr(warmup, "warm_up", load)
    monkeypatch.setattr(gc, "freeze", frozen.set)
    return warmup.Background(), began, frozen, mark


def test_what_is_compiled_is_loaded_once_a_page_is_drawn(preparing):
    state, began, frozen, mark = preparing
    mark.touch()
    state.look()
    assert not began.wait(0.2)
    assert not state.finished
    for _ in range(3):
        state.look()
    assert frozen.wait(120)
    assert began.is_set()
    assert state.count == 0


@pytest.mark.soak
def test_another_process_compiles_what_is_not_compiled(preparing):
    state, _, frozen, _ = preparing
    state.begin()
    state.look()
    state.look()
    assert frozen.wait(120)
    state._thread.join(300)
    assert state.finished
    assert state.count == state.ready + 1 > len(list_algorithms())


LOADS = (
    "import os, sys\n"
    "from rankcore.base import kernel_cache\nfrom rankcore.topics import warmup\n"
    "class Drawn:\n"
    "    def wait(self):\n"
    "        print('pandas' in sys.modules, flush=True)\n"
    "        os._exit(0)\n"
    "kernel_cache.is_complete = lambda: True\n"
    "state = warmup.Background()\n"
    "state._first_look = Drawn()\n"
    "state.begin()\n"
    "state._thread.join()\n"
)


def test_nothing_is_loaded_while_the_server_loads():
    run = subprocess.run(
        [sys.executable, "-c", LOADS], capture_output=True, text=True, check=True
    )
    assert run.stdout == "False\n"
