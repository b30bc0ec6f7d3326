"""One model, to the last bit, for every executor: real data, until training ends."""

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import pytest

from rankcore import get_algorithm, list_datasets, load_dataset
from rankcore.base import blocks
from rankcore.compute.executors import Executor, Serial, Threads
from rankcore.data.dataset import RankingDataset
from rankcore.training import Record, drive
from tests.compute.test_dask import cluster, connected, wait_for_homes
from tests.fits import digest

NAMES = ("RSRank", "ApproxNDCG", "RankSVM", "ListNet")
# The bundled one is there for everyone.
REAL = ("mslr10k-sample", "ohsumed/Fold1", "mq2008/Fold1")
KILLS = 20


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Divide data of some hundred thousand cells into blocks, as large data are."""
    monkeypatch.setattr(blocks, "CELLS", 30_000)


@pytest.fixture(params=REAL)
def real(request) -> RankingDataset:
    if request.param not in {info.name for info in list_datasets()}:
        pytest.skip(
            f"{request.param} is not here: name the folder of LETOR data sets in the "
            "environment variable RANKSCOPE_DATA."
        )
    return load_dataset(request.param).train


def fitted(name: str, data: RankingDataset, executor: Executor) -> tuple[str, int]:
    """The digest of all that a run finds until it ends, and its iterations."""
    run = drive(get_algorithm(name)(), data, executor=executor)
    result = digest(run)
    assert run.reason
    return result, run.history[-1].iteration


def executors() -> Iterator[Executor]:
    yield from (Serial(), Threads(2), Threads(3))


@pytest.mark.parametrize("name", NAMES)
def test_threads_find_the_model_of_one_thread(name):
    data = load_dataset("mslr10k-sample").test.part(slice(0, 8))
    assert len(blocks.blocks(data.offsets, data.n_features)) > 3
    with Threads(2) as threads:
        assert fitted(name, data, threads) == fitted(name, data, Serial())


@pytest.mark.soak
def test_every_executor_finds_the_same_model_of_real_data(real, capsys):
    assert len(blocks.blocks(real.offsets, real.n_features)) > 5
    expected = {name: fitted(name, real, Serial()) for name in NAMES}
    for executor in executors():
        with executor:
            for name in NAMES:
                assert fitted(name, real, executor) == expected[name], (name, executor)
    with cluster(2) as running, connected(running, 2) as dask:
        for name in NAMES:
            assert fitted(name, real, dask) == expected[name], name
    with capsys.disabled():
        ends = ", ".join(f"{name} {end}" for name, (_, end) in expected.items())
        print(f"\n{real.name}: the same bits; iterations: {ends}")  # noqa: T201


@pytest.mark.soak
@pytest.mark.parametrize("real", REAL[:1], indirect=True)
def test_workers_killed_in_mid_step_change_no_bit(real, capsys):
    """Of all documents, each counts once, whatever is killed; another worker joins."""
    chance, longer = random.Random(0), []
    expected = {name: fitted(name, real, Serial()) for name in NAMES}
    with cluster(2) as running, connected(running, 2) as dask:

        def took(name: str, then: Callable[[], None] = lambda: None) -> Took:
            """The seconds of a run, and of its longest step."""
            times = [time.perf_counter()]
            then()
            run = drive(get_algorithm(name)(), real, executor=dask)
            result = digest(noting(run, times))
            times.append(time.perf_counter())
            assert (result, run.history[-1].iteration) == expected[name]
            longest = max(b - a for a, b in itertools.pairwise(times))
            return Took(times[-1] - times[0], longest)

        placed = dask.place([Counted(n) for n in real.lengths])
        usual = {name: min(took(name) for _ in range(3)) for name in NAMES}
        for kill in range(KILLS):
            name, oldest = NAMES[kill % len(NAMES)], running.workers[kill]
            after = usual[name].all * chance.uniform(0.0, 0.9)
            timer = threading.Timer(after, oldest.kill)
            longer.append(took(name, timer.start).longest - usual[name].longest)
            timer.join()
            oldest.wait()
            assert placed.sum("rows") == (real.n_documents,)
            running.add()
            wait_for_homes(dask, 2)
            # It joins: its kernels are loaded, and blocks are sent to it.
            took(name)
    longer.sort()
    with capsys.disabled():
        print(  # noqa: T201
            f"\n{KILLS} kills, seconds added to a step: median "
            f"{longer[KILLS // 2]:.2f}, most {longer[-1]:.2f}"
        )


class Took(NamedTuple):
    """Seconds of a run, and of its longest step."""

    all: float
    longest: float


def noting(run: Iterable[Record], times: list[float]) -> Iterator[Record]:
    """The records of a run, and when each came."""
    for record in run:
        times.append(time.perf_counter())
        yield record


class Counted:
    """A block that tells how many rows it has."""

    def __init__(self, rows: int) -> None:
        self._rows = int(rows)

    def rows(self) -> tuple[int]:
        return (self._rows,)
