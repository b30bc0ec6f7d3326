"""Killed processes, full disks, locks, several servers, old and damaged databases: no
run is lost but its last seconds."""

import contextlib
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from rankcore.studies.store import (
    SORTS,
    Query,
    StoreError,
    _database,
    _search,
    _tables,
    open_store,
)
from rankcore.studies.store import _recorder as recorder_module
from rankcore.studies.store._tables import HEAD
from tests.soaking import soak
from tests.store import nursery
from tests.store.nursery import begun

LOG = logging.getLogger(__name__)
# What a killed process may lose.
LOST_SECONDS = 2.0


@contextlib.contextmanager
def locked(url):
    """No other process can write meanwhile."""
    process, line = begun(nursery.lock, url.removeprefix("sqlite:///"))
    assert line.recv() == "locked"
    try:
        yield
    finally:
        line.send("let go")
        process.join()


@pytest.fixture(scope="module")
def whole():
    """Get a run that nothing broke off, by the algorithm's name and its length."""
    settings = {}

    def get(name, iterations):
        if (name, iterations) not in settings:
            run = nursery.run_of(name, iterations)
            list(run)
            settings[name, iterations] = run
        return settings[name, iterations]

    return get


def figures(table):
    """The figures of a history that do not depend on the machine's speed."""
    return table.drop(columns="seconds").to_numpy()


def check_start(found, run):
    """What is stored of a run is its beginning, to the bit."""
    table = found.figures()
    if table.empty:
        assert not found.models()
        return
    wanted = run.history.to_frame().head(len(table))
    np.testing.assert_array_equal(figures(table), figures(wanted))
    assert found.iterations == table["iteration"].iloc[-1]
    for name, iteration in found.models().items():
        np.testing.assert_array_equal(found.coef(name), run.history[iteration].coef)


def check_whole(found, run):
    assert found.status == "finished"
    check_start(found, run)
    assert len(found.figures()) == len(run.history)
    np.testing.assert_array_equal(found.coef("best"), run.best.coef)


def all_told(line):
    """All that a process said before its end."""
    values = []
    with contextlib.suppress(EOFError):
        while line.poll():
            values.append(line.recv())
    return values


def kill_at_random(
    url, rounds, longest, whole, iterations, resumed_every, begins=0.0, pause=0.001
):
    """Kill a training process at random moments; the seconds that each run lost.

    It has until then at least ``begins`` seconds to begin, and takes a ``pause`` after
    each iteration.
    """
    rng, losses = random.Random(0), []
    with open_store(url) as store:
        for number in range(rounds):
            name = nursery.ALGORITHMS[number % len(nursery.ALGORITHMS)]
            process, line, times = nursery.trained(url, name, iterations, pause)
            line.poll(begins)
            time.sleep(rng.uniform(0.0, longest))
            process.kill()
            killed = time.monotonic()
            process.join()
            outcome = all_told(line)
            if not outcome:
                continue
            key = outcome[0]
            result = store.load(key)
            ended = result.status == "finished"
            assert result.status in ("finished", "interrupted")
            assert ended or outcome[1:] == []
            check_start(result, whole(name, iterations))
            value, made = len(result.figures()), np.count_nonzero(times)
            losses.append(killed - times[value] if value < made else 0.0)
            if number % resumed_every == 0 and not ended:
                process, line = begun(nursery.resume, url, key)
                line.send("go")
                assert line.recv() is None
                process.join()
                check_whole(store.load(key), whole(name, iterations))
    return losses


def test_runs_of_killed_processes_stay_and_go_on(url, whole):
    losses = kill_at_random(
        url, 2, 1.0, whole, 150, resumed_every=1, begins=60.0, pause=0.01
    )
    assert len(losses) == 2


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_kill_loses_more_than_the_last_seconds(kind, request, url, whole):
    address = url if kind == "sqlite" else request.getfixturevalue("postgres")
    losses = kill_at_random(address, 100, 4.0, whole, 5000, resumed_every=5)
    LOG.info("%s: %d runs, %.2f s lost at most", kind, len(losses), max(losses))
    assert max(losses) <= LOST_SECONDS
    if kind == "sqlite":
        check_integrity(url)


@pytest.mark.parametrize("kind", ["map", soak("search"), soak("sensitivity")])
def test_what_a_killed_study_has_reached_stays_and_nothing_twice(kind, url, tmp_path):
    """Killed after each few of its runs; what is kept is, to the bit, what the whole
    study reaches."""
    with open_store(f"sqlite:///{tmp_path / 'whole.sqlite'}") as store:
        for _ in nursery.study_of(kind, store):
            pass
        whole = store.load_sweep(store.sweeps().index[0]).to_frame()
    with open_store(url) as store:
        for most in (1, 5) if kind == "map" else range(1, 12):
            store.delete(*store.sweeps().index)
            process, line = begun(nursery.study, url, kind)
            line.send("go")
            while process.exitcode is None and not (store.sweeps().ended >= most).any():
                time.sleep(0.01)
            process.kill()
            process.join()
            (key,) = store.sweeps().index
            sweep = store.load_sweep(key)
            table = sweep.to_frame()
            assert most <= len(table) == store.sweeps().loc[key, "ended"]
            assert table.index.is_unique
            assert len(sweep.cells) == len(whole)
            columns = [name for name in whole.columns if name != "seconds"]
            assert table[columns].equals(whole.loc[table.index, columns])
    check_integrity(url)


def check_integrity(url):
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture
def disk(tmp_path):
    """A small disk of its own, to fill."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("only an administrator can make a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Write until nothing more fits."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as stream:
        while stream.write(b"\0" * 512):
            pass
    return ballast


def record_for_ever(store):
    while True:
        store.record(nursery.run_of("RSRank", 30))


def test_a_run_outlasts_a_full_disk(disk, whole):
    url, wanted = f"sqlite:///{disk / 'runs.sqlite'}", whole("RSRank", 30)
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 30)
        recorder = store.record(run)
        ballast = fill(disk)
        next(run)
        nursery.wait_until(lambda: recorder.problem)
        assert recorder.problem == "The run is not stored: database or disk is full."
        assert store.load(recorder.id).status == "running"
        with pytest.raises(StoreError, match="full"):
            record_for_ever(store)
        list(run)
        recorder.end()
        assert "full" in recorder.problem, "its end is written as soon as there is room"
        ballast.unlink()
        nursery.wait_until(lambda: recorder.problem is None)
        check_whole(store.load(recorder.id), wanted)
    check_integrity(url)


def test_a_store_on_a_full_disk_is_there_when_it_has_room(disk):
    url = f"sqlite:///{disk / 'runs.sqlite'}"
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 30)
        with store.recording(run) as recorder:
            list(run)
    ballast = fill(disk)
    with pytest.raises(StoreError, match="Make sure that the disk has room"):
        open_store(url)
    ballast.unlink()
    with open_store(url) as store:
        assert store.load(recorder.id).iterations == 30


def test_no_store_is_begun_on_a_full_disk(disk):
    ballast = fill(disk)
    url = f"sqlite:///{disk / 'runs.sqlite'}"
    with pytest.raises(StoreError, match="cannot be used: "):
        open_store(url)
    ballast.unlink()
    with open_store(url) as store:
        assert len(store) == 0


def test_a_locked_database_is_waited_for(url, whole, monkeypatch):
    monkeypatch.setattr(_database, "WAIT_SECONDS", 0.2)
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 30)
        recorder = store.record(run)
        with locked(url):
            next(run)
            nursery.wait_until(lambda: recorder.problem)
            assert recorder.problem == "The run is not stored: database is locked."
            with pytest.raises(StoreError, match="database is locked"):
                store.record(nursery.run_of("RSRank", 30))
            list(run)
            recorder.end()
            assert store.load(recorder.id).status == "running"
            with open_store(url) as other:
                assert list(other.runs().index) == [recorder.id]
        nursery.wait_until(lambda: recorder.problem is None)
        check_whole(store.load(recorder.id), whole("RSRank", 30))


def hindered_at_random(rounds, url_of, hinder, whole):
    """Record runs, each hindered from a random moment on for a random time, and check
    that each is there to its end; how many met the hindrance."""
    rng, met = random.Random(0), 0
    for number in range(rounds):
        name, url = nursery.ALGORITHMS[number % len(nursery.ALGORITHMS)], url_of(number)
        with open_store(url) as store:
            run = nursery.run_of(name, 400)
            recorder = store.record(run)
            wait, last = rng.uniform(0.0, 1.2), rng.uniform(0.1, 2.0)
            hindrance = threading.Thread(target=hinder, args=(url, wait, last))
            hindrance.start()
            problems = set()
            for _ in run:
                time.sleep(0.003)
                problems.add(recorder.problem)
            recorder.end()
            met += problems | {recorder.problem} != {None}
            hindrance.join()
            recorder.wait()
            assert recorder.problem is None
            check_whole(store.load(recorder.id), whole(name, 400))
            assert not store.load(recorder.id).queries("last").empty
        check_integrity(url)
    return met


@pytest.mark.soak
def test_runs_outlast_a_disk_that_is_full_at_random_moments(disk, whole):
    def url_of(number):
        for file in disk.iterdir():
            file.unlink()
        return f"sqlite:///{disk / f'{number}.sqlite'}"

    def hinder(url, wait, last):
        time.sleep(wait)
        ballast = fill(disk)
        time.sleep(last)
        ballast.unlink()

    met = hindered_at_random(40, url_of, hinder, whole)
    LOG.info("%d of 40 runs met a full disk", met)
    assert met > 10


@pytest.mark.soak
def test_runs_outlast_locks_at_random_moments(url, whole, monkeypatch):
    monkeypatch.setattr(_database, "WAIT_SECONDS", 0.1)

    def hinder(url, wait, last):
        time.sleep(wait)
        with locked(url):
            time.sleep(last)

    met = hindered_at_random(40, lambda number: url, hinder, whole)
    LOG.info("%d of 40 runs met a lock", met)
    assert met > 10


def test_what_ends_while_the_store_is_closed_is_no_longer_tried(url, monkeypatch):
    monkeypatch.setattr(_database, "WAIT_SECONDS", 0.05)
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 3)
        recorder = store.record(run)
        with locked(url):
            list(run)
            recorder.end()
            store.close()
    recorder.wait()
    assert recorder.problem == "The run is not stored: database is locked."


def two_servers(url, names, iterations, whole, servers=2):
    """Servers that train and record at once: each run is there, as if alone."""
    all_of_them = [begun(nursery.serve, url, names, iterations) for _ in range(servers)]
    values = [line.recv() for _, line in all_of_them]
    for process, _ in all_of_them:
        process.join()
    with open_store(url) as store:
        for item in values:
            for name, (key, problem) in zip(names, item, strict=True):
                assert problem is None
                check_whole(store.load(key), whole(name, iterations))


def test_two_servers_share_one_store(url, whole):
    two_servers(url, ["RSRank"], 300, whole)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_servers_share_one_store_for_long(kind, request, url, whole):
    address = url if kind == "sqlite" else request.getfixturevalue("postgres")
    two_servers(address, [*nursery.ALGORITHMS] * 3, 2000, whole, servers=4)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_server_alone_goes_on_with_a_run(kind, request, url, whole):
    address = url if kind == "sqlite" else request.getfixturevalue("postgres")
    with open_store(address) as store:
        run = nursery.run_of("RSRank", 30)
        with store.recording(run) as recorder:
            next(run)
        key = recorder.id
        both = [begun(nursery.resume, address, key, True) for _ in range(2)]
        for _, line in both:
            line.send("go")
        lines = {line.recv(): line for _, line in both}
        refused = f"Run {key} is being trained; wait until it has ended."
        assert set(lines) == {"resumed", refused}
        lines["resumed"].send("go on")
        assert lines["resumed"].recv() is None
        for process, _ in both:
            process.join()
        check_whole(store.load(key), whole("RSRank", 30))


def open_at_once(url, servers):
    """What as many servers find that open a store at the same moment."""
    all_of_them = [begun(nursery.count, url) for _ in range(servers)]
    time.sleep(0.3)
    for _, line in all_of_them:
        line.send("go")
    values = [line.recv() for _, line in all_of_them]
    for process, _ in all_of_them:
        process.join()
    return values


@pytest.mark.soak
def test_servers_begin_one_store_at_once(tmp_path):
    for number in range(20):
        url = f"sqlite:///{tmp_path / f'{number}.sqlite'}"
        assert open_at_once(url, 6) == [0] * 6


def test_threads_begin_stores_of_their_own_at_once(tmp_path):
    """Each makes its tables in its database, not in that of another thread."""
    together = threading.Barrier(4)

    def begin(number):
        together.wait()
        with open_store(f"sqlite:///{tmp_path / f'{number}.sqlite'}") as store:
            return store.search(Query()).total

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(begin, range(4))) == [0] * 4


# What takes away again what each version added.
DROP_COLUMN = "ALTER TABLE rankscope_runs DROP COLUMN "
UNDONE = {
    "0002": (f"{DROP_COLUMN} curve", f"{DROP_COLUMN} planned"),
    "0003": (f"{DROP_COLUMN} visitor",),
    "0004": ("DROP TABLE rankscope_cells", "DROP TABLE rankscope_sweeps"),
    "0005": (
        "ALTER TABLE rankscope_sweeps DROP COLUMN visitor",
        "ALTER TABLE rankscope_sweeps DROP COLUMN warm",
    ),
    "0006": (
        "ALTER TABLE rankscope_sweeps DROP COLUMN measured_every",
        "ALTER TABLE rankscope_cells DROP COLUMN own",
    ),
    "0007": ("ALTER TABLE rankscope_sweeps DROP COLUMN deleted",),
    "0008": ("DROP TABLE rankscope_progress",),
    "0009": ("ALTER TABLE rankscope_sweeps DROP COLUMN study",),
}


def test_each_version_of_the_store_can_be_made_again():
    assert max(UNDONE) == HEAD


def make_older(url, version):
    """Give a store the tables of an earlier version."""
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        for later, statements in reversed(UNDONE.items()):
            for statement in statements if later > version else ():
                connection.execute(statement)
        connection.execute(
            "UPDATE rankscope_alembic_version SET version_num = ?", [version]
        )
        connection.commit()


@pytest.mark.soak
@pytest.mark.parametrize("version", ["0001", *UNDONE][:-1])
def test_servers_bring_one_older_store_up_to_date_at_once(url, version, whole):
    two_servers(url, ["RSRank"], 30, whole, servers=1)
    for _ in range(5):
        make_older(url, version)
        assert open_at_once(url, 6) == [1] * 6


def torn(content, rng):
    """Ways in which a file of several pages is damaged, and the outcome."""
    half = len(content) // 2
    page = int.from_bytes(content[16:18], "big")
    middle = page * (len(content) // page // 2)
    noise = bytes(rng.randrange(256) for _ in range(page))
    at = rng.randrange(100, len(content) - page)
    return {
        "another file": b"this is no database" * 1000,
        "cut": content[: half // page * page],
        "cut within a page": content[: half + 7],
        "an empty page": content[:middle] + bytes(page) + content[middle + page :],
        "noise": content[:at] + noise + content[at + page :],
        "the head": noise[:100] + content[100:],
    }


@pytest.fixture(scope="module")
def store_file(tmp_path_factory):
    """A store with a few runs, closed."""
    file = tmp_path_factory.mktemp("sound") / "runs.sqlite"
    with open_store(f"sqlite:///{file}") as store:
        for name in nursery.ALGORITHMS:
            run = nursery.run_of(name, 200)
            with store.recording(run):
                list(run)
    return file


def check_damaged(file, content):
    """A damaged store is set aside as it is, and named; what seems sound is used."""
    file.write_bytes(content)
    with open_store(f"sqlite:///{file}", quiet=True) as store:
        aside = list(file.parent.glob("runs.sqlite.unreadable-*"))
        if store.remarks:
            assert f"It is kept as {aside[0].name}" in store.remarks[0]
            assert aside[0].read_bytes() == content
            assert len(store) == 0
        else:
            assert not aside
        for key in store.runs().index:
            # Noise within what a run stores is the run's alone.
            with contextlib.suppress(StoreError, KeyError):
                store.load(key).figures()
        run = nursery.run_of("RSRank", 5)
        with store.recording(run) as recorder:
            list(run)
        assert store.load(recorder.id).iterations == 5
    return bool(aside)


@pytest.mark.parametrize(
    "kind", ["another file", "cut", "cut within a page", "an empty page", "the head"]
)
def test_a_damaged_store_is_set_aside_whole(kind, store_file, tmp_path):
    content = torn(store_file.read_bytes(), random.Random(0))[kind]
    assert check_damaged(tmp_path / "runs.sqlite", content)


def test_an_empty_file_is_set_aside(tmp_path):
    assert check_damaged(tmp_path / "runs.sqlite", b"")


def kept_run(store):
    run = nursery.run_of("RSRank", 5)
    with store.recording(run) as recorder:
        list(run)
    return recorder.id


def test_a_store_that_is_removed_while_it_is_open_is_begun_anew(url, tmp_path):
    file = tmp_path / "runs.sqlite"
    with open_store(url, quiet=True) as store:
        kept_run(store)
        under_way = store.record(nursery.run_of("RSRank", 5))
        file.unlink()
        later = kept_run(store)
        assert "was removed while it was in use" in store.remarks[0]
        under_way.end()
        assert under_way.problem == (
            "The run is not stored: It has been removed from the run store."
        )
        with open_store(url) as other:
            assert list(other.runs().index) == [later] == list(store.runs().index)


def overwrite(store, file):
    """Put what is no database in the place of a store that is open and has a run."""
    kept_run(store)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.write_bytes(b"this is no database" * 1000)


def test_a_store_that_another_process_sets_aside_is_left(url, tmp_path):
    with open_store(url, quiet=True) as store:
        overwrite(store, tmp_path / "runs.sqlite")
        with open_store(url, quiet=True) as other:
            assert other.remarks
            key = kept_run(other)
            assert list(store.runs().index) == [key]
            assert kept_run(store) in other.runs().index


def test_a_store_that_is_damaged_while_it_is_open_is_set_aside(url, tmp_path):
    with open_store(url, quiet=True) as store:
        overwrite(store, tmp_path / "runs.sqlite")
        with contextlib.suppress(StoreError):
            store.runs()
        store.runs()
        assert kept_run(store) in store.runs().index
        assert "could not be read" in store.remarks[0]


def test_a_store_that_another_process_is_making_is_waited_for(
    url, tmp_path, monkeypatch
):
    monkeypatch.setattr(_database, "WAIT_SECONDS", 0.0)
    opened = []
    with FileLock(tmp_path / "runs.sqlite.lock"):
        waiting = threading.Thread(target=lambda: opened.append(open_store(url)))
        waiting.start()
        waiting.join(0.2)
        assert not opened
    waiting.join()
    with opened[0] as store:
        assert len(store) == 0


def test_a_process_that_makes_a_store_for_ever_is_named(url, tmp_path, monkeypatch):
    monkeypatch.setattr(_database, "PATIENCE_SECONDS", 0.0)
    with (
        FileLock(tmp_path / "runs.sqlite.lock"),
        pytest.raises(StoreError, match="Another process has been creating"),
    ):
        open_store(url)


def test_a_store_that_cannot_be_written_is_read(store_file, tmp_path, monkeypatch):
    file = tmp_path / "runs.sqlite"
    shutil.copy(store_file, file)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with open_store(f"sqlite:///{file}") as store:
        keys = list(store.runs().index)
        assert len(keys) == len(nursery.ALGORITHMS)
        assert len(store.load(keys[0]).history())
        with pytest.raises(StoreError, match=r"readonly database\. Make sure"):
            store.record(nursery.run_of("RSRank", 5))
    assert [path.name for path in tmp_path.iterdir()] == ["runs.sqlite"]


def test_a_store_of_before_that_cannot_be_written_is_refused(
    store_file, tmp_path, monkeypatch
):
    file = tmp_path / "runs.sqlite"
    shutil.copy(store_file, file)
    make_older(f"sqlite:///{file}", "0006")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(StoreError, match="earlier version"):
        open_store(f"sqlite:///{file}")


COLUMNS = sorted(_tables.KINDS.keys() & set(_tables.runs.columns.keys()))


@pytest.mark.parametrize("value", ['{"a": [', "5"])
def test_one_damaged_row_leaves_all_lists(value, store_file, tmp_path):
    file = tmp_path / "runs.sqlite"
    shutil.copy(store_file, file)
    with open_store(f"sqlite:///{file}") as store:
        first, *others = store.runs().index
        sound = store.load(first)
        for column in COLUMNS:
            with store._writing() as connection:
                before = connection.exec_driver_sql(
                    f'SELECT "{column}" FROM rankscope_runs WHERE id = ?', (first,)
                ).scalar()
                change = f'UPDATE rankscope_runs SET "{column}" = ? WHERE id = ?'
                connection.exec_driver_sql(change, (value, first))
            assert set(store.runs().index) == {first, *others}
            # Tables have no names of features.
            outcome = "" if column == "feature_names" else " (damaged)"
            assert store.runs().title[first] == sound.title + outcome
            sorts = [by for by in SORTS if _search.SORT_COLUMNS.get(by, by) == column]
            for sort in sorts or ("newest",):
                result = store.search(Query(sort=sort))
                assert set(result.table.index) == {first, *others}
            store.search(Query("g = 30"))
            for by in ("algorithm", "data", "status", "tag", "measure"):
                store.counts(by)
            store.facets()
            assert first not in [run.id for run in store.newest(9)]
            with pytest.raises(StoreError, match=f"Run {first} is damaged .*{column}"):
                store.load(first)
            with store._writing() as connection:
                connection.exec_driver_sql(change, (before, first))
        assert store.load(first) == sound


@pytest.mark.soak
def test_noise_anywhere_in_a_store_is_set_aside_or_harmless(store_file, tmp_path):
    sound, result = store_file.read_bytes(), 0
    for seed in range(300):
        folder = tmp_path / str(seed)
        folder.mkdir()
        content = torn(sound, random.Random(seed))["noise"]
        result += check_damaged(folder / "runs.sqlite", content)
        shutil.rmtree(folder)
    LOG.info("%d of 300 set aside", result)
    assert result > 100


def test_what_is_damaged_of_a_run_is_said(url):
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 30)
        with store.recording(run) as recorder:
            list(run)
        with store._writing() as connection:
            connection.exec_driver_sql(
                "UPDATE rankscope_pieces SET figures = substr(figures, 1, 300)"
            )
            connection.exec_driver_sql("UPDATE rankscope_models SET arrays = x'00'")
        result = store.load(recorder.id)
        for read in (result.figures, result.coef, result.to_json):
            with pytest.raises(StoreError, match=f"Run {recorder.id} is damaged"):
                read()


def test_a_paused_run_is_written_rarely(url):
    """A run that does not go on needs no more than a sign of life."""
    with open_store(url) as store:
        run = nursery.run_of("RSRank", 30)
        recorder = store.record(run)
        next(run)
        nursery.wait_until(lambda: len(store.load(recorder.id).figures()))
        before = store.load(recorder.id).updated
        time.sleep(2 * recorder_module.SHORTEST_WAIT)
        assert store.load(recorder.id).updated == before
        recorder.end()
