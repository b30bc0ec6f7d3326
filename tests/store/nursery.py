"""Processes that train and record, made quickly: all that they need is loaded once."""

import multiprocessing
import sqlite3
import time

import numpy as np

from rankcore import RankingDataset
from rankcore.algorithms import get_algorithm
from rankcore.data.catalogue import Splits
from rankcore.studies.searches import search
from rankcore.studies.store import open_store
from rankcore.studies.sweeps import sweep
from rankcore.topics.explore.sensitivity import SensitivityPlan
from rankcore.training import Stop, drive

# Those whose models are vectors, and one of trees.
ALGORITHMS = ("RSRank", "RankBoost", "ListNet", "CoordinateAscent")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.store.warm"])


def wait_until(true) -> None:
    while not true():
        time.sleep(0.01)


def data() -> RankingDataset:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(96, 4)), rng.integers(0, 3, 96)
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(12), 8), name="noise")


def run_of(name: str, iterations: int):
    return drive(get_algorithm(name)(max_iter=iterations), data(), data())


def study_of(kind: str, store):
    """A study of twelve runs that a store keeps."""
    if kind == "map":
        over = {"g": [0.0, 1.0, 5.0, 30.0], "truncation_interval": [1, 2, 5]}
        return sweep("RSRank", data(), data(), over, stop=Stop(60), store=store)
    if kind == "search":
        return search(
            "RSRank", data(), data(), {"g": None}, "random", 12, stop=Stop(60),
            store=store,
        )  # fmt: skip
    model, splits = get_algorithm("RSRank")(), Splits(data(), data())
    plan = SensitivityPlan(model, splits, "seeds", repeats=12, max_iterations=60)
    return plan.study(store=store)


def begun(function, *arguments):
    """A process, and the line to it."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=function, args=(there, *arguments))
    process.start()
    there.close()
    return process, here


def trained(url: str, name: str, iterations: int, pause: float):
    """A process that trains and records, the line to it, and the times of records."""
    times = PROCESSES.Array("d", iterations + 1, lock=False)
    return *begun(record, times, url, name, pause), times


def record(line, times, url: str, name: str, pause: float) -> None:
    """Train once and note when each record was made; tell the run's id."""
    with open_store(url) as store:
        run = run_of(name, len(times) - 1)
        recorder = store.record(run)
        line.send(recorder.id)
        for number, _ in enumerate(run):
            times[number] = time.monotonic()
            time.sleep(pause)
        recorder.end()
        line.send(recorder.problem)


def study(line, url: str, kind: str) -> None:
    """Train a study, as soon as told."""
    with open_store(url) as store:
        line.recv()
        for _ in study_of(kind, store):
            pass


def serve(line, url: str, names: list[str], iterations: int) -> None:
    """Train one after another, each recorded; tell ids and problems."""
    with open_store(url) as store:
        values = []
        for name in names:
            run = run_of(name, iterations)
            with store.recording(run) as recorder:
                for _ in run:
                    time.sleep(0.001)
            values.append((recorder.id, recorder.problem))
        line.send(values)


def resume(line, url: str, key: str, waits: bool = False) -> None:
    """Go on with a run, unless another process does; where it ``waits``, not before it
    is told to."""
    with open_store(url) as store:
        stored = store.load(key)
        run = stored.again(data(), data())
        line.recv()
        try:
            recorder = store.resume(stored, run)
        except Exception as error:
            line.send(str(error))
            return
        if waits:
            line.send("resumed")
            line.recv()
        for _ in run:
            pass
        recorder.end()
        line.send(recorder.problem)


def count(line, url: str) -> None:
    """Open a store as soon as told."""
    line.recv()
    with open_store(url) as store:
        line.send(len(store))


def lock(line, file: str) -> None:
    """Keep all others from writing until told to let go."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    line.send("locked")
    line.recv()
    connection.execute("COMMIT")
    connection.close()
