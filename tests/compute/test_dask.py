"""Blocks on a Dask cluster: real schedulers and workers, in processes of their own."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import rankcore
from rankcore import ListNet, RSRank, load_partitions, read_letor
from rankcore.base import blocks
from rankcore.base.cancellation import cancel_points
from rankcore.base.errors import LostWorkerError
from rankcore.compute import mapped_arrays
from rankcore.compute.dask import _Home, _LostError
from rankcore.compute.executors import Dask, Processes, Serial, Threads, parse
from rankcore.data.planted import planted
from rankcore.data.readers import Splits
from rankcore.data.readers.converting import convert
from rankcore.studies.experiments import cross_validate
from rankcore.studies.sweeps import sweep
from rankcore.training import Stop, drive
from tests import documents
from tests.browser.conftest import free_port
from tests.cli.conftest import write_letor
from tests.compute.test_executors import FEW_CELLS, fitted, models
from tests.fits import digest, mixed
from tests.soaking import soak
from tests.studies.test_sweeps import Deadly

ROOT = Path(__file__).parents[2]
STARTING_SECONDS = 120


class Cluster:
    """A scheduler, and workers that come and go."""

    def __init__(
        self,
        scheme: str = "tcp",
        scheduler: Sequence[str] = (),
        worker: Sequence[str] = (),
    ) -> None:
        self.place = "127.0.0.1", free_port()
        port = str(self.place[1])
        self.address = f"{scheme}://127.0.0.1:{port}"
        self.scheduler = self.start(
            "dask_scheduler", "--port", port, "--host", "127.0.0.1", *scheduler
        )
        self.workers: list[subprocess.Popen] = []
        self._words = worker

    def listens(self) -> bool:
        try:
            socket.create_connection(self.place).close()
        except ConnectionRefusedError:
            return False
        return True

    def start(self, module: str, *words: str, **env: str) -> subprocess.Popen:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        return subprocess.Popen(
            [*command, "--no-dashboard"],
            env={**os.environ, "PYTHONPATH": str(ROOT), **env},
            stderr=subprocess.DEVNULL,
        )

    def add(self, **env: str) -> subprocess.Popen:
        words = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", *self._words)
        worker = self.start("dask_worker", self.address, *words, **env)
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()


@contextmanager
def cluster(workers: int, *details: Any) -> Iterator[Cluster]:
    running = Cluster(*details)
    try:
        for _ in range(workers):
            running.add()
        yield running
    finally:
        running.close()


def connected(running: Cluster, workers: int, **details: float) -> Dask:
    wait_until(running.listens)
    dask = Dask(running.address, patience_seconds=STARTING_SECONDS, **details)
    wait_for_homes(dask, workers)
    return dask


def wait_for_homes(dask: Dask, count: int) -> None:
    wait_until(lambda: len(dask.homes(look=True)) >= count)


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + STARTING_SECONDS
    while not condition():
        assert time.monotonic() < end, "It has not come to that in time."
        time.sleep(0.1)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "CELLS", FEW_CELLS)


def run_of(model, executor, iterations=6):
    stop = Stop(max_iterations=iterations)
    return drive(model, mixed(), stop=stop, measures=("nDCG@10",), executor=executor)


class Part:
    """A block that tells where it is, and does what it is told."""

    def __init__(self, number: int) -> None:
        self.number = number

    def ask(self, more: int) -> tuple[int]:
        return (self.number + more,)

    def process(self) -> int:
        return os.getpid()

    def fail(self) -> None:
        raise OSError(f"part {self.number}")

    def sleep(self, seconds: float) -> int:
        time.sleep(seconds)
        return self.number


class StoppedError(Exception):
    pass


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.soak
def test_a_cluster_that_loses_a_worker_and_gets_another_one():
    """One cluster for all: it takes seconds to begin."""
    with cluster(2) as running, connected(running, 2) as dask:
        model = RSRank()
        expected = digest(run_of(model, Serial()))
        assert digest(run_of(model, dask)) == expected

        placed = dask.place([Part(number) for number in range(5)])
        assert placed.call("ask", 1) == [(k + 1,) for k in range(5)]
        homes = placed.call("process")
        assert set(homes) == {worker.pid for worker in running.workers}
        with pytest.raises(OSError, match="part 0"):
            placed.call("fail")

        def stop() -> None:
            assert threading.current_thread() is threading.main_thread()
            raise StoppedError

        with cancel_points(stop), pytest.raises(StoppedError):
            placed.call("sleep", 0.2)
        assert placed.sum("ask", 0) == (10,)

        run = run_of(model, dask)
        for _ in range(2):
            next(run)
        lost = running.workers[0]
        threading.Timer(0.1, lost.kill).start()
        assert placed.call("sleep", 0.3) == list(range(5))
        lost.wait()
        assert digest(run) == digest_after(model, 2)
        assert set(placed.call("process")) == {running.workers[1].pid}

        run = run_of(model, dask)
        next(run)
        running.add()
        wait_for_homes(dask, 2)
        assert digest(run) == digest_after(model, 1)
        _, stayed, late = running.workers
        assert set(placed.call("process")) == {stayed.pid, late.pid}
        lose_newcomers(dask, running)


def lose_newcomers(dask: Dask, running: Cluster) -> None:
    """A worker is killed when it has answered and nobody has read its answer yet."""

    def present() -> set[str]:
        return set(dask._client.scheduler_info(n_workers=-1)["workers"])

    greeted = {address: _Home(dask._client, address) for address in present()}
    for newcomer in greeted.values():
        wait_until(newcomer._future.done)
    running.workers[-1].kill()
    running.workers[-1].wait()
    wait_until(lambda: len(present()) == 1)
    (left,) = present()
    (lost,) = greeted.keys() - {left}
    with pytest.raises(_LostError):
        greeted[lost].greet()
    wait_until(greeted[left].greet)


def digest_after(model, records: int) -> str:
    run = run_of(model, Serial())
    for _ in range(records):
        next(run)
    return digest(run)


def test_executors_have_addresses(monkeypatch):
    monkeypatch.setattr("rankcore.compute.dask._CONNECT_SECONDS", 0.5)
    nobody = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ValueError, match=f"no Dask scheduler at {nobody}"):
        parse(nobody)
    monkeypatch.setenv("RANKSCOPE_SCHEDULER", nobody)
    with pytest.raises(ValueError, match=f"no Dask scheduler at {nobody}"):
        parse("dask")
    monkeypatch.delenv("RANKSCOPE_SCHEDULER")
    with pytest.raises(ValueError, match="RANKSCOPE_SCHEDULER is ''"):
        parse("dask")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1", "tcp://127.0.0.1:port"])
def test_an_address_without_a_port_leaves_no_client_behind(monkeypatch, address):
    began: list[tuple[Any, ...]] = []
    monkeypatch.setattr("distributed.Client", lambda *a, **_: began.append(a))
    with pytest.raises(ValueError, match=f"no Dask scheduler at {address} "):
        parse(address)
    assert not began


def test_dask_is_loaded_where_it_is_used_only():
    code = (
        "import sys, rankcore.compute.executors as e, rankcore.studies.sweeps; "
        "e.parse('serial'); "
        "assert not {'dask', 'distributed'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("module", "name"),
    [("numba", "Numba"), soak("llvmlite", "llvmlite"), ("distributed", "distributed")],
)
def test_workers_with_other_versions_are_refused(module, name, tmp_path):
    """The version of distributed stands for that of the messages."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import {module}\n{module}.__version__ = '0'"
    )
    with cluster(0) as running:
        running.add(PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
        # Connecting waits for ten seconds, in which a scheduler may not have begun.
        wait_until(running.listens)
        with pytest.raises(ValueError, match=rf"has {name} 0, and this program \d"):
            Dask(running.address, patience_seconds=STARTING_SECONDS)


@pytest.mark.soak
@pytest.mark.usefixtures("small_blocks")
def test_a_cluster_finds_the_same_bits_for_all_methods():
    with cluster(2) as running, connected(running, 2) as dask:
        differing = [
            repr(model)
            for model in models()
            if fitted(model, dask) != fitted(model, Serial())
        ]
    assert not differing


@pytest.mark.soak
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["RSRank", "ApproxNDCG", "RankSVM", "ListNet"])
def test_models_survive_workers_that_are_killed_and_join(name):
    """Workers are killed in the middle of steps, five times for each method."""
    model = rankcore.get_algorithm(name)()
    expected = digest(run_of(model, Serial(), 40))
    with cluster(2) as running, connected(running, 2) as dask:
        for kill in range(5):
            oldest = running.workers[kill]
            threading.Timer(0.02 * kill, oldest.kill).start()
            assert digest(run_of(model, dask, 40)) == expected
            oldest.wait()
            running.add()
            wait_for_homes(dask, 2)
            assert digest(run_of(model, dask, 40)) == expected


@pytest.mark.soak
def test_a_worker_that_hangs_is_replaced_and_comes_back():
    with cluster(2) as running, connected(running, 2, late_seconds=1.0) as dask:
        placed = dask.place([Part(number) for number in range(6)])
        placed.call("ask", 0)
        hanging, other = running.workers
        hanging.send_signal(signal.SIGSTOP)
        assert placed.call("ask", 1) == [(k + 1,) for k in range(6)]
        assert set(placed.call("process")) == {other.pid}
        hanging.send_signal(signal.SIGCONT)
        end = time.monotonic() + STARTING_SECONDS
        while set(placed.call("process")) != {hanging.pid, other.pid}:
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.mark.soak
def test_a_cluster_without_workers_is_an_error_of_its_own():
    with cluster(1) as running, connected(running, 1) as dask:
        placed = dask.place([Part(number) for number in range(2)])
        placed.call("ask", 0)
        dask._patience = 1.0
        running.workers[0].kill()
        with pytest.raises(LostWorkerError, match="no worker at the Dask scheduler"):
            placed.call("ask", 0)


def come_back(work: Callable[[], Any]) -> Any:
    """Return what the work gives, or the sentence of its error; it must not hang."""
    outcomes: list[Any] = []

    def run() -> None:
        try:
            outcomes.append(work())
        except LostWorkerError as error:
            outcomes.append(str(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10 * STARTING_SECONDS)
    assert not thread.is_alive(), "It hangs."
    return outcomes[0]


LOSSES: dict[str, Callable[[Cluster], object]] = {
    "the scheduler is killed": lambda running: running.scheduler.kill(),
    "the scheduler hangs": lambda running: running.scheduler.send_signal(
        signal.SIGSTOP
    ),
    "a worker is killed": lambda running: running.workers[0].kill(),
    "a worker hangs": lambda running: running.workers[0].send_signal(signal.SIGSTOP),
    "all workers are killed": lambda running: [w.kill() for w in running.workers],
    "all workers hang": lambda running: [
        worker.send_signal(signal.SIGSTOP) for worker in running.workers
    ],
}


@pytest.mark.soak
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("work", ["fit", "sweep"])
def test_whatever_is_lost_work_ends_with_the_same_bits_or_a_sentence(
    loss, work, small, monkeypatch
):
    # By default the scheduler gives a worker up that is silent for five minutes.
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "60s")
    over = {"g": [0.0, 1.0, 2.0, 3.0, 5.0, 7.0]}

    def fit(executor: Any, then: Callable[[], object]) -> Any:
        run = run_of(RSRank(), executor, 40)
        next(run)
        then()
        return digest(run)

    def rows(executor: Any, then: Callable[[], object]) -> Any:
        result = sweep(RSRank(max_iter=60), small, None, over, (0,), executor)
        next(result)
        then()
        list(result)
        return {cell: row.coef.tobytes() for cell, row in result.rows.items()}

    run = {"fit": fit, "sweep": rows}[work]
    expected = run(Serial(), lambda: None)
    with cluster(2) as running, connected(running, 2, late_seconds=2.0) as dask:
        dask._patience = 60.0
        outcome = come_back(lambda: run(dask, lambda: LOSSES[loss](running)))
    if isinstance(outcome, str) and outcome != expected:
        assert running.address in outcome
        assert loss not in ("a worker is killed", "a worker hangs")
    else:
        assert outcome == expected


@pytest.mark.soak
@pytest.mark.usefixtures("small_blocks")
def test_workers_read_parts_on_disk_themselves(tmp_path):
    path, folder = tmp_path / "up.txt", tmp_path / "up"
    write_letor(path, planted(n_queries=60))
    convert(path, folder)
    mapped, moved = load_partitions(folder), tmp_path / "moved"
    assert len(mapped_arrays.dumps(mapped.X[100:])) < 1000
    model = ListNet(max_iter=5)
    expected = digest(drive(model, read_letor(path), executor=Serial()))
    with cluster(2) as running, connected(running, 2) as dask:
        assert digest(drive(model, mapped, executor=dask)) == expected
        folder.rename(moved)
        with pytest.raises(ValueError, match=r"has no file .*X\.npy: put the data"):
            digest(drive(ListNet(l2=1.0), mapped.part(slice(0, 50)), executor=dask))


@pytest.mark.soak
def test_a_cluster_of_this_machine(tmp_path):
    """The commands as a person gives them."""
    path = tmp_path / "up.txt"
    write_letor(path, planted(n_queries=60))
    command = [sys.executable, "-m", "rankcore.cli"]
    port = str(free_port())
    local = subprocess.Popen(
        [*command, "cluster", "--workers", "2", "--port", port],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        address = f"tcp://127.0.0.1:{port}"
        assert f"2 workers at {address}." in local.stdout.readline()

        def report(executor: str, task: str, *words: str) -> dict:
            run = [*command, task, str(path), *words, "--json", "--executor", executor]
            training = subprocess.run(
                run, check=True, capture_output=True, text=True, cwd=ROOT
            )
            return json.loads(training.stdout)

        words = ("train", "ListNet", "--no-store")
        here, there = (
            report(executor, *words) | {"seconds": 0.0}
            for executor in ("serial", address)
        )
        assert here == there
        words = ("sweep", "RSRank", "--over", "g=0,5", "--max-iter", "3", "--no-store")
        here, there = (
            {
                (row["g"], row["train nDCG@10"])
                for row in report(executor, *words)["rows"]
            }
            for executor in ("serial", address)
        )
        assert here == there
        assert len(here) == 2
        words = ("search", "RSRank", "--over", "g", "--models", "3", "--max-iter", "3")
        here, there = (
            report(executor, *words)["best"] | {"seconds": 0.0}
            for executor in ("serial", address)
        )
        assert here == there
    finally:
        local.send_signal(signal.SIGINT)
        local.communicate(timeout=120)
        assert local.returncode == 130


def certify(folder: Path, *names: str) -> None:
    """Make an authority, and certificates of 127.0.0.1 by it for each name."""
    values = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    for name in ("ca", *names):
        subject = ("-subj", "/CN=authority")
        if name != "ca":
            subject = (*values, "-CA", "ca.pem", "-CAkey", "ca.key")
        new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
        subprocess.run(
            [*new, *subject, "-keyout", f"{name}.key", "-out", f"{name}.pem"],
            check=True,
            capture_output=True,
            cwd=folder,
        )


@pytest.mark.soak
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="it makes certificates")
def test_a_cluster_with_certificates(tmp_path, monkeypatch):
    """By the lines of the guide; whoever has no certificate of theirs is refused."""
    import dask
    import distributed.config  # noqa: F401  # its defaults, which are to stay

    _, started, client = (
        code
        for _, code in documents.blocks("bash", ROOT / "docs" / "how-to" / "cluster.md")
    )
    scheduler, worker = map(shlex.split, started.splitlines())
    variables = dict(re.findall(r"^export (\w+)=(.*\.(?:pem|key))$", client, re.M))
    assert len(variables) == 3
    ours, other = tmp_path / "ours", tmp_path / "other"
    for folder in (ours, other):
        folder.mkdir()
        certify(folder, "scheduler", "worker", "client")

    def configured(folder: Path) -> Any:
        paths = {name: str(folder / file) for name, file in variables.items()}
        env = dask.config.collect_env(paths)
        return dask.config.set(dask.config.merge(dask.config.config, env))

    monkeypatch.chdir(ours)
    with cluster(2, "tls", scheduler[2:], worker[3:]) as running:
        with configured(ours), connected(running, 2) as secured:
            expected = digest(run_of(RSRank(), Serial()))
            assert digest(run_of(RSRank(), secured)) == expected
        monkeypatch.setattr("rankcore.compute.dask._CONNECT_SECONDS", 2.0)
        for refused in (nullcontext(), configured(other)):
            with refused, pytest.raises(ValueError, match="no Dask scheduler at tls:"):
                Dask(running.address)


@pytest.mark.soak
def test_sweeps_and_folds_on_a_cluster(small):
    """Also when a worker is lost."""
    over = {"g": [0.0, 5.0, 10.0], "truncation_interval": [1, 5], "max_iter": [3, 8]}
    folds = {"one": Splits(small, small, small), "two": Splits(small, small, small)}

    def rows(executor, then=lambda: None) -> dict:
        found = sweep("RSRank", folds, over=over, seeds=(0, 1), executor=executor)
        next(found)
        then()
        list(found)
        return {
            cell: (row.valid, row.coef.tobytes()) for cell, row in found.rows.items()
        }

    expected = rows(None)
    assert len(expected) == 48
    with Threads(2) as threads, Processes(2) as processes:
        assert rows(threads) == rows(processes) == expected
    with cluster(2) as running, connected(running, 2) as dask:
        assert rows(dask) == expected
        assert rows(dask, running.workers[0].kill) == expected
        tested = [
            [(found.cell.fold, found.test) for found in cross_validate(
                ["ListNet"], folds, grids={"ListNet": [{"max_iter": 3}]}, executor=where
            )]
            for where in (None, dask)
        ]  # fmt: skip
        assert sorted(tested[0]) == sorted(tested[1], key=lambda found: found[0])


@pytest.mark.soak
def test_a_run_that_ends_its_worker_each_time_is_a_row_of_a_sweep(small):
    """The workers are started again by their nannies."""
    with cluster(0) as running:
        words = (running.address, "--nthreads", "1", "--host", "127.0.0.1", "--nanny")
        running.workers += [running.start("dask_worker", *words) for _ in range(2)]
        with connected(running, 2) as dask:
            over, seeds = {"g": [1.0], "max_iter": [3]}, (0, 1, 2)
            rows = {
                row.cell.seed: row
                for row in sweep(Deadly, small, None, over, seeds, dask)
            }
    assert [rows[seed].failed for seed in seeds] == [False, True, False]
    assert "ended unexpectedly at every attempt" in rows[1].reason
