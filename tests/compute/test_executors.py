"""Blocks and executors: one model for all of them, to the last bit."""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from functools import partial

import numpy as np
import pytest

import rankcore
from rankcore.algorithms.parts.delta_weights import (
    BinaryLoss,
    PairwiseLoss,
    WeightedLogisticLoss,
)
from rankcore.base import blocks as _blocks
from rankcore.base.blocks import blocks, total
from rankcore.base.cancellation import cancel_points
from rankcore.compute.executors import (
    Executor,
    Processes,
    Serial,
    Threads,
    allowed_threads,
    parse,
    place,
    using,
)
from rankcore.data.dataset import RankingDataset
from rankcore.data.planted import planted
from rankcore.training import Stop, drive
from tests.fits import digest, mixed, presets
from tests.soaking import soak

ALGORITHMS = [rankcore.get_algorithm(name) for name in rankcore.list_algorithms()]
MEASURES = ("nDCG@10",)
# Divides `mixed` data, of 367 documents and 6 features, into six blocks.
FEW_CELLS = 400


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_blocks, "CELLS", FEW_CELLS)


def fitted(model: rankcore.Ranker, executor: Executor | None) -> str:
    stop = Stop(max_iterations=4)
    return digest(
        drive(model, mixed(), stop=stop, measures=MEASURES, executor=executor)
    )


def models() -> Iterator[rankcore.Ranker]:
    for algorithm in ALGORITHMS:
        yield from (model for model in presets(algorithm) if model.splits)


def test_small_data_are_one_block_with_the_offsets_themselves():
    offsets = mixed().offsets
    (block,) = blocks(offsets, 6)
    assert block.offsets is offsets
    assert (block.queries, block.rows) == (slice(0, 8), slice(0, 367))


@pytest.mark.parametrize("cells", [1, 7, 60, 400, 2201, 2202])
@pytest.mark.parametrize("writeable", [True, False])
def test_blocks_hold_every_query_once_and_in_order(cells, writeable, monkeypatch):
    monkeypatch.setattr(_blocks, "CELLS", cells)
    offsets = mixed().offsets.copy()
    offsets.flags.writeable = writeable
    result = blocks(offsets, 6)
    queries = [q for block in result for q in range(8)[block.queries]]
    rows = [row for block in result for row in range(367)[block.rows]]
    assert (queries, rows) == (list(range(8)), list(range(367)))
    for block in result:
        value = offsets[block.queries.start : block.queries.stop + 1]
        np.testing.assert_array_equal(block.offsets + block.rows.start, value)
        assert block.offsets.flags.writeable == writeable
        assert len(block.offsets) > 1


def test_blocks_are_about_as_large_as_wanted(monkeypatch):
    monkeypatch.setattr(_blocks, "CELLS", 1000)
    offsets = np.arange(0, 5001, 5)
    sizes = [len(range(*block.rows.indices(5000))) for block in blocks(offsets, 3)]
    assert sum(sizes) == 5000
    # 15,000 cells are 15 blocks, and a query of 5 documents is never divided.
    assert len(sizes) == 15
    assert max(sizes) - min(sizes) <= 10


def test_parts_are_added_from_the_first_to_the_last():
    parts = [(1e16, np.array([1.0])), (1.0, np.array([2.0])), (-1e16, np.array([3.0]))]
    value, gradient = total(parts)
    assert value == (1e16 + 1.0) - 1e16 == 0.0
    assert gradient.tolist() == [6.0]
    assert parts[0][1].tolist() == [1.0]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("workers", [1, 2, soak(3)])
def test_threads_find_the_same_bits_as_one_block_after_the_other(workers):
    with Threads(workers) as threads:
        differing = [
            repr(model)
            for model in models()
            if fitted(model, threads) != fitted(model, Serial())
        ]
    assert not differing


def test_processes_train_whole_runs_and_threads_compute_their_blocks():
    seen: list[threading.Thread] = []
    with Processes(2) as processes:
        placed = processes.place([Part(k, seen) for k in range(5)])
        assert placed.call("ask", 1) == [(k + 1,) for k in range(5)]
        assert placed.call("add", per_part=[(k,) for k in range(5)]) == [0, 2, 4, 6, 8]
        assert processes.runs().submit(os.getpid).result() != os.getpid()
    assert len(seen) == 5
    assert not multiprocessing.active_children()


def test_an_exception_ends_runs_that_are_under_way():
    begun: list[Future] = []

    def break_off() -> None:
        with Processes(1) as processes:
            begun.append(processes.runs().submit(time.sleep, 600))
            raise Stopped

    with pytest.raises(Stopped):
        break_off()
    assert isinstance(begun[0].exception(), BrokenExecutor)
    assert not multiprocessing.active_children()


def test_executors_have_names():
    assert isinstance(parse("serial"), Serial)
    for text in ("threads:2", "processes:3", " Threads:2 "):
        name, _, count = text.strip().lower().partition(":")
        assert repr(parse(text)).lower() == f"{name}({count})"
    assert parse("threads").workers == parse("processes").workers == allowed_threads()
    for text in ("", "cluster", "threads:", "threads:two", "serial:1", "http://a:1"):
        with pytest.raises(ValueError, match="serial, threads or processes"):
            parse(text)
    with pytest.raises(ValueError, match="0 workers"):
        parse("processes:0")


@pytest.mark.usefixtures("small_blocks")
def test_blocks_change_a_model_by_rounding_only(monkeypatch):
    model = rankcore.ListNet(max_iter=5)
    divided = model.fit_dataset(mixed()).coef_.copy()
    monkeypatch.setattr(_blocks, "CELLS", 10**9)
    assert model.fit_dataset(mixed()).coef_ == pytest.approx(divided, rel=1e-9)


def test_the_curvature_of_many_blocks_is_that_of_one(monkeypatch):
    """Although most steps of the power iteration go over a sample of the blocks."""
    data = planted(n_queries=96)
    ones = np.ones(data.n_features)
    for loss in (PairwiseLoss, WeightedLogisticLoss, partial(BinaryLoss, measure="AP")):
        monkeypatch.setattr(_blocks, "CELLS", 10**9)
        expected = loss(data).curvature(ones, np.random.default_rng(0))
        monkeypatch.setattr(_blocks, "CELLS", 4000)
        divided = loss(data)
        assert divided._sample is not None
        curvature = divided.curvature(ones, np.random.default_rng(0))
        assert curvature == pytest.approx(expected, rel=0.01)


def test_fit_takes_an_executor():
    X, y = np.eye(4)[:, :2], [2, 1, 0, 0]
    with Threads(2) as threads:
        coef_ = rankcore.RankSVM().fit(X, y, qid=None, executor=threads).coef_
    assert coef_.tolist() == rankcore.RankSVM().fit(X, y, qid=None).coef_.tolist()


def test_methods_that_are_not_divided_say_so(caplog):
    with Threads(2) as threads:
        drive(rankcore.SingleFeature(), mixed(), executor=threads)
        assert "SingleFeature" in caplog.text or "Single" in caplog.text
        assert "one thread" in caplog.text
        caplog.clear()
        drive(rankcore.ListNet(), mixed(), executor=threads)
        drive(rankcore.SingleFeature(), mixed(), executor=Serial())
    assert not caplog.text


class Part:
    """Notes in which threads it is asked; waits for another, or some seconds."""

    def __init__(self, number: int, seen: list, seconds: float = 0.0):
        self.number, self.seen, self.seconds = number, seen, seconds
        self.meet: threading.Barrier | None = None

    def ask(self, plus: int) -> tuple[int]:
        self.seen.append(threading.current_thread())
        if self.meet is not None:
            self.meet.wait(120)
        time.sleep(self.seconds)
        return (self.number + plus,)

    def add(self, plus: int) -> int:
        return self.number + plus

    def fail(self) -> None:
        raise ValueError(f"part {self.number}")


@pytest.mark.parametrize("executor", [Serial(), Threads(2)], ids=repr)
def test_results_come_in_the_order_of_the_blocks(executor):
    placed = executor.place([Part(k, []) for k in range(20)])
    for _ in range(5):
        assert placed.call("ask", 1) == [(k + 1,) for k in range(20)]
    assert placed.sum("ask", 0) == (190,)


def test_blocks_are_computed_at_the_same_time():
    seen: list[threading.Thread] = []
    with Threads(3) as threads:
        placed = threads.place([Part(k, seen) for k in range(4)])
        placed.call("ask", 0)
        # From here on each part waits until another is under way.
        meet = threading.Barrier(2)
        for part in placed._parts:
            part.meet = meet
        placed.call("ask", 0)
    assert threading.current_thread() in seen
    assert len(set(seen)) > 1


@pytest.mark.parametrize("executor", [Serial(), Threads(2)], ids=repr)
def test_an_error_in_a_block_is_raised(executor):
    placed = executor.place([Part(k, []) for k in range(5)])
    with pytest.raises(ValueError, match="part"):
        placed.call("fail")
    assert placed.call("ask", 0)[4] == (4,)


class Stopped(BaseException):
    pass


@pytest.mark.parametrize("executor", [Serial(), Threads(2)], ids=repr)
def test_training_can_be_broken_off_between_two_blocks(executor):
    """In the thread that asks: elsewhere the callback of a job is not known."""
    seen: list[threading.Thread] = []
    values: list[threading.Thread] = []

    def stop() -> None:
        values.append(threading.current_thread())
        if len(values) == 2:
            raise Stopped

    placed = executor.place([Part(k, seen, 1e-3) for k in range(100)])
    with cancel_points(stop), pytest.raises(Stopped):
        placed.call("ask", 0)
    assert len(values) == 2
    assert set(values) == {threading.current_thread()}
    count = len(seen)
    assert count < 100
    placed.call("ask", 0)
    assert len(seen) == count + 100


def test_losses_are_placed_in_the_executor_in_use():
    class Noting(Serial):
        def place(self, parts):
            self.placed = len(parts)
            return super().place(parts)

    noting = Noting()
    with using(noting), using(None):
        place([1, 2])
    assert noting.placed == 2
    assert "Threads" not in repr(place([1]))


def test_the_environment_limits_threads(monkeypatch):
    monkeypatch.delenv("RANKSCOPE_THREADS", raising=False)
    cores = allowed_threads()
    assert cores >= 1
    monkeypatch.setenv("RANKSCOPE_THREADS", "1")
    assert allowed_threads() == Threads().workers == 1
    monkeypatch.setenv("RANKSCOPE_THREADS", str(cores + 5))
    assert allowed_threads() == cores
    for text in ("0", "two", "-1", "1.5"):
        monkeypatch.setenv("RANKSCOPE_THREADS", text)
        with pytest.raises(ValueError, match="RANKSCOPE_THREADS"):
            allowed_threads()


def test_there_is_at_least_one_worker():
    with pytest.raises(ValueError, match="0 workers"):
        Threads(0)


def test_data_with_a_block_without_relevant_documents(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 3)), rng.integers(0, 3, 60)
    y[20:40] = 0
    data = RankingDataset.from_arrays(X, y, np.repeat(np.arange(6), 10))
    whole = {}
    for cells in (10**6, 60):
        monkeypatch.setattr(_blocks, "CELLS", cells)
        for algorithm in ALGORITHMS:
            model = algorithm(max_iter=2)
            if model.splits:
                coef = model.fit_dataset(data).parameters_
                expected = whole.setdefault(algorithm, coef)
                assert coef == pytest.approx(expected, rel=1e-6, abs=1e-9)
