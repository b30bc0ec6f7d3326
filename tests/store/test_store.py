"""Runs that are kept: what is written, what is read back, and what survives."""

import io
import itertools
import subprocess
import sys
import time
import warnings
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import func, select

from rankcore import measures, training
from rankcore.algorithms.rankboost import RankBoost
from rankcore.algorithms.rsrank import RSRank
from rankcore.studies.owners import COMMON_RUNS
from rankcore.studies.store import Query, StoreError, _progress, _tables, open_store
from rankcore.studies.store import _recorder as recorder_module
from rankcore.studies.store._arrays import packed
from rankcore.training import Stop, drive
from tests.store import nursery


def trained(store, data, model=None, stop=None, changes=None, **details):
    """A run trained to its end while the store records it, and its id."""
    model = model or RSRank(g=5.0, max_iter=30)
    run = drive(model, data, data, stop=stop, changes=changes)
    with store.recording(run, **details) as recorder:
        for _ in run:
            pass
    assert recorder.problem is None
    return run, recorder.id


def test_a_run_is_read_back_as_it_was(store, small):
    run, key = trained(
        store, small, title="Mine", settings={"g": 5}, changes={10: {"g": 1.0}}
    )
    result = store.load(key)
    assert result.status == "finished"
    assert result.reason == run.reason
    assert (result.title, result.settings, result.seed) == ("Mine", {"g": 5}, 0)
    assert (result.algorithm, result.hyperparameters["g"]) == ("RSRank", 5.0)
    assert result.changes == tuple(run.history.changes)
    assert result.fingerprint == result.valid_fingerprint == small.fingerprint
    assert result.feature_names == small.feature_names
    assert result.measures == ("nDCG@10",)
    wanted = run.history.to_frame()
    table = result.history()
    assert list(table.columns) == list(wanted.columns)
    np.testing.assert_array_equal(table.to_numpy(), wanted.to_numpy())
    assert result.iterations == 30
    assert result.best["valid nDCG@10"] == run.best.valid["nDCG@10"]
    np.testing.assert_array_equal(result.coef("best"), run.best.coef)
    np.testing.assert_array_equal(result.coef("last"), run.history[-1].coef)
    np.testing.assert_array_equal(result.coef("8"), run.history[8].coef)
    scores = small.X @ run.best.coef
    by_query = measures.evaluate(small, scores, run.measures)
    assert result.queries("best").equals(by_query)
    assert result.queries("best").attrs["split"] == "valid"


def test_runs_are_listed_the_newest_first(store, small):
    keys = [trained(store, small)[1] for _ in range(3)]
    table = store.runs()
    assert list(table.index) == keys[::-1]
    assert set(table["status"]) == {"finished"}
    assert len(store) == 3
    assert store.size() > 0


def test_a_visitor_sees_own_runs_and_everybody_s(store, small):
    result = trained(store, small, visitor="me")[1]
    hers = trained(store, small, visitor="her")[1]
    ours = trained(store, small)[1]
    assert list(store.runs(visitor="me").index) == [ours, result]
    assert list(store.runs(visitor="her").index) == [ours, hers]
    assert list(store.runs(visitor="new").index) == [ours]
    assert list(store.runs().index) == [ours, hers, result]
    assert store.load(hers).visitor == "her"
    text = store.load(hers).to_json()
    assert '"her"' not in text
    store.delete(hers)
    store.clear()
    store.add(text, visitor="me")
    assert store.load(hers).visitor == "me"


def test_the_furthest_steps_of_lessons_are_kept_of_each_visitor(store):
    for visitor, lesson, step in (("me", "a", 3), ("me", "b", 1), ("her", "a", 5)):
        store.put_progress(visitor, lesson, step)
    store.put_progress("me", "a", 2)
    assert store.progress("me") == {"a": 3, "b": 1}
    assert store.progress("her") == {"a": 5}
    assert store.progress("new") == {}


def test_progress_is_kept_of_the_latest_lessons_and_as_long_as_a_cookie(
    store, monkeypatch
):
    monkeypatch.setattr(_progress, "MOST_LESSONS", 2)
    for lesson in "abac":
        store.put_progress("one", lesson, 1)
    assert store.progress("one") == {"a": 1, "c": 1}
    monkeypatch.setattr(_progress, "LIFETIME", timedelta(0))
    store.put_progress("two", "a", 1)
    assert store.progress("one") == {}


def test_damaged_progress_is_none(url):
    with open_store(url) as store:
        store.put_progress("three", "a", 1)
        with store._writing() as connection:
            damage = "UPDATE rankscope_progress SET steps = '{\"a\": ['"
            connection.exec_driver_sql(damage)
        assert store.progress("three") == {}
        store.put_progress("three", "b", 2)
        assert store.progress("three") == {"b": 2}


def test_a_visitor_changes_own_runs_and_common_ones(store, small, monkeypatch):
    result = trained(store, small, visitor="me")[1]
    hers = trained(store, small, visitor="her")[1]
    ours = trained(store, small)[1]
    store.note(result, title="Mine", visitor="me")
    store.note(ours, title="Ours", visitor="me")
    before = store.load(hers)
    again = before.again(small, small)
    changes = (
        lambda: store.note(hers, title="Mine", visitor="me"),
        lambda: store.delete(result, hers, visitor="me"),
        lambda: store.restore(hers, visitor="me"),
        lambda: store.resume(before, again, visitor="me"),
    )
    for change in changes:
        with pytest.raises(StoreError, match=f"{hers} belongs to another visitor"):
            change()
    assert [store.load(key).title for key in (result, ours)] == ["Mine", "Ours"]
    assert store.load(hers) == before
    assert set(store.runs().index) == {result, hers, ours}
    values = [store.load(key) for key in (result, hers, ours)]
    assert [run.changeable_by("me") for run in values] == [True, False, True]
    assert [run.owned_by("me") for run in values] == [True, False, False]
    # Where common runs are for reading, they still are a command's and Python's.
    monkeypatch.setenv(COMMON_RUNS, "read-only")
    common = store.load(ours)
    for change in (
        lambda: store.note(ours, title="Mine", visitor="me"),
        lambda: store.resume(common, again, visitor="me"),
    ):
        with pytest.raises(StoreError, match=f"{ours} is common, and read-only"):
            change()
    assert [run.changeable_by("me") for run in values] == [True, False, False]
    assert all(run.changeable_by("") and run.owned_by("") for run in values)
    store.note(result, title="Still mine", visitor="me")
    store.note(ours, title="Noted")
    assert store.load(ours).title == "Noted"


def test_a_visitor_deletes_and_removes_own_runs_only(store, small):
    value = trained(store, small, visitor="me")[1]
    hers = trained(store, small, visitor="her")[1]
    ours, other = (trained(store, small)[1] for _ in range(2))
    with pytest.raises(StoreError, match=f"{ours} is common: delete it by"):
        store.delete(value, ours, visitor="me")
    assert store.runs(deleted=True).empty
    store.delete(value, visitor="me")
    store.delete(hers, visitor="her")
    store.delete(ours)
    # Only who may bring a run back sees that it is there.
    for who, result in (("me", [value]), ("her", [hers]), ("new", [])):
        assert list(store.runs(deleted=True, visitor=who).index) == result
        query = Query(deleted=True, visitor=who)
        assert list(store.search(query).table.index) == result
    with pytest.raises(StoreError, match=f"{ours} is common: delete it by"):
        store.restore(ours, visitor="me")
    assert store.clear("me") == (1, 0)
    assert set(store.runs(deleted=True).index) == {hers, ours}
    store.restore(hers, visitor="her")
    store.delete(other, hers)
    # A command and Python remove all.
    assert store.clear() == (3, 0)
    assert store.runs().empty


def test_forests_are_kept_whole(store, small):
    run, key = trained(store, small, RankBoost(max_iter=5))
    result = store.load(key)
    np.testing.assert_array_equal(result.coef("last"), run.history[-1].coef)
    assert set(result.models()) == {"best", "last"}


def test_few_models_of_a_long_run_are_kept(store, small):
    _, key = trained(store, small, RSRank(max_iter=500))
    values = [int(name) for name in store.load(key).models() if name.isdigit()]
    assert len(values) <= recorder_module.MOST_MODELS
    assert values[0] == 0
    assert len(set(np.diff(values))) == 1
    assert values[-1] > 450


def test_the_figures_of_a_run_that_ended_are_one_piece(store, small, monkeypatch):
    monkeypatch.setattr(recorder_module, "SHORTEST_WAIT", 0.0)
    run = drive(RSRank(g=5.0, max_iter=30), small, small)
    with store.recording(run) as recorder:
        for _ in itertools.islice(run, 10):
            before = recorder._n_written
            while recorder._n_written == before:
                time.sleep(0.001)
        pieces = select(func.count()).select_from(_tables.pieces)
        with store._database.engine.connect() as connection:
            assert connection.execute(pieces).scalar_one() > 1
        list(run)
    with store._database.engine.connect() as connection:
        assert connection.execute(pieces).scalar_one() == 1
    wanted = run.history.to_frame().drop(columns="changed", errors="ignore")
    history = store.load(recorder.id).history()
    np.testing.assert_array_equal(history[wanted.columns], wanted)


def test_a_run_of_before_says_of_its_iterations_what_they_use(store, small):
    run, key = trained(store, small)
    pieces = _tables.pieces
    names = [name for name in training.columns(run.history.records) if name != "ranks"]
    figures = np.array([run.history.column(name) for name in names]).T
    figures[0, names.index("nonzeros")] = 0
    before = {"columns": names, "figures": packed(figures=figures)}
    with store._database.writing() as connection:
        connection.execute(pieces.update().values(before))
    used = [False] + [True] * (len(figures) - 1)
    assert store.load(key).history()["ranks"].tolist() == used
    again = store.load(key).recalled(small, small)
    assert [record.ranks for record in again.history.records] == used


def test_names_notes_and_tags_are_changed(store, small):
    _, key = trained(store, small)
    store.note(key, title="Better", notes="As in the paper.", tags=["b", "a", "b"])
    result = store.load(key)
    assert (result.title, result.notes) == ("Better", "As in the paper.")
    assert result.tags == ("a", "b")
    store.note(key, tags=[])
    assert store.load(key).tags == ()


def test_deleted_runs_come_back_until_they_are_cleared(store, small):
    first, second = (trained(store, small)[1] for _ in range(2))
    store.delete(first)
    assert list(store.runs().index) == [second]
    assert list(store.runs(deleted=True).index) == [first]
    store.restore(first)
    assert len(store) == 2
    store.delete(first)
    assert store.clear() == (1, 0)
    with pytest.raises(KeyError, match="There is no run"):
        store.load(first)
    assert list(store.runs(deleted=True).index) == []


def test_a_failing_run_says_why(store, small):
    run = drive(RSRank(max_iter=5), small)
    recorder = store.record(run)
    next(run)
    recorder.end("This was bad luck.")
    result = store.load(recorder.id)
    assert (result.status, result.reason) == ("failed", "This was bad luck.")
    assert len(result.history()) == 1


def test_a_run_that_was_left_is_stopped(store, small):
    run = drive(RSRank(max_iter=5), small)
    with store.recording(run) as recorder:
        next(run)
        next(run)
    result = store.load(recorder.id)
    assert result.status == "stopped"
    assert len(result.history()) == 2


def test_a_stopped_run_goes_on_to_the_same_bits(store, small):
    whole = drive(RSRank(max_iter=30), small, small, changes={12: {"g": 2.0}})
    list(whole)
    part = drive(RSRank(max_iter=30), small, small, changes={12: {"g": 2.0}})
    with store.recording(part) as recorder:
        for _ in range(20):
            next(part)
    stored = store.load(recorder.id)
    again = stored.again(small, small)
    going = store.resume(stored, again)
    assert store.load(stored.id).status == "running"
    assert len(store.load(stored.id).history()) == 20
    list(again)
    going.end()
    result = store.load(stored.id)
    assert result.status == "finished"
    wanted = whole.history.to_frame().drop(columns="seconds")
    table = result.history().drop(columns="seconds")
    np.testing.assert_array_equal(table.to_numpy(), wanted.to_numpy())
    np.testing.assert_array_equal(result.coef("best"), whole.best.coef)


def test_a_run_that_goes_on_makes_the_changes_still_to_come(store, small):
    plan = {5: {"g": 2.0}, 25: {"g": 1.0}}
    part = drive(RSRank(max_iter=30), small, small, changes=plan)
    with store.recording(part) as recorder:
        for _ in range(20):
            next(part)
    assert store.load(recorder.id).again(small, small).changes == plan


def test_a_run_stopped_again_before_where_it_was_loses_nothing(store, small):
    part = drive(RSRank(max_iter=30), small, small)
    with store.recording(part) as recorder:
        for _ in range(20):
            next(part)
    before = store.load(recorder.id)
    result, by_query = before.models(), before.queries("last")
    again = before.again(small, small)
    going = store.resume(before, again)
    for _ in range(5):
        next(again)
    going.end()
    after = store.load(recorder.id)
    assert after.status == "stopped"
    assert after.models() == result
    assert after.last == before.last
    assert after.queries("last").equals(by_query)


def test_a_run_is_not_gone_on_with_twice_at_once(store, small):
    part = drive(RSRank(max_iter=30), small, small)
    with store.recording(part) as recorder:
        next(part)
    stored = store.load(recorder.id)
    going = store.resume(stored, stored.again(small, small))
    with pytest.raises(StoreError, match="is being trained"):
        store.resume(stored, stored.again(small, small))
    going.end()
    store.delete(stored.id)
    store.clear()
    with pytest.raises(KeyError, match="There is no run"):
        store.resume(stored, stored.again(small, small))


def test_a_short_curve_is_kept(store, small):
    run, key = trained(store, small, RSRank(max_iter=100))
    curve = store.load(key).curve
    assert len(curve) == recorder_module.CURVE
    assert curve[0] == run.history[0].valid["nDCG@10"]
    assert curve[-1] == run.history[-1].valid["nDCG@10"]
    assert store.runs().loc[key, "curve"] == list(curve)


def test_an_id_is_never_taken_for_an_option(url, small):
    with open_store(url) as store:
        recorders = [store.record(drive(RSRank(), small)) for _ in range(20)]
        for recorder in recorders:
            recorder.end()
    assert all(recorder.id.isalnum() for recorder in recorders)


def test_a_run_of_trees_is_exported_whole(store, small):
    _, key = trained(store, small, RankBoost(max_iter=5))
    before = store.load(key)
    forest, text = before.coef("last"), before.to_json()
    store.delete(key)
    store.clear()
    assert store.add(text) == key
    np.testing.assert_array_equal(store.load(key).coef("last"), forest)
    assert store.load(key).to_json() == text


def test_times_are_utc_in_a_session_of_another_time_zone(postgres, small, monkeypatch):
    monkeypatch.setenv("PGTZ", "Asia/Kathmandu")
    with open_store(postgres) as store:
        _, key = trained(store, small)
        age = datetime.now(UTC) - store.load(key).created
        store.delete(key)
    assert timedelta(0) <= age < timedelta(hours=1)


def test_runs_of_an_earlier_version_stay(url, small):
    """Runs that were kept before there were short curves."""
    from sqlalchemy import create_engine, text

    with open_store(url) as store:
        _, key = trained(store, small)
    engine = create_engine(url)
    with engine.begin() as connection:
        for column in ("curve", "planned", "visitor"):
            connection.execute(text(f"ALTER TABLE rankscope_runs DROP COLUMN {column}"))
        for table in ("cells", "sweeps", "progress"):
            connection.execute(text(f"DROP TABLE rankscope_{table}"))
        connection.execute(
            text("UPDATE rankscope_alembic_version SET version_num='0001'")
        )
    engine.dispose()
    with open_store(url) as store:
        result = store.load(key)
        assert (result.curve, result.planned) == ((), {})
        assert result.again(small, small).max_iterations == 30
        assert list(store.runs().index) == [key]


def test_other_data_is_refused(store, small):
    _, key = trained(store, small)
    with pytest.raises(ValueError, match="trained on other data"):
        store.load(key).again(small.subset([0, 1]), small)


def test_a_killed_process_leaves_an_interrupted_run(url):
    process, line, _ = nursery.trained(url, "RSRank", 10**5, 0.001)
    key = line.recv()
    with open_store(url) as store:
        while not store.load(key).iterations:
            assert store.load(key).status == "running"
            time.sleep(0.02)
        process.kill()
        process.join()
        result = store.load(key)
        assert result.status == "interrupted"
        assert store.runs().loc[key, "status"] == "interrupted"
        assert len(result.history()) == result.iterations + 1


def test_a_damaged_file_is_set_aside_and_named(url, tmp_path):
    file = tmp_path / "runs.sqlite"
    file.write_bytes(b"this is no database, but someone's text" * 100)
    with pytest.warns(UserWarning, match="could not be read"):
        store = open_store(url)
    with store:
        assert len(store) == 0
        assert "kept as runs.sqlite.unreadable-" in store.remarks[0]
    (aside,) = tmp_path.glob("runs.sqlite.unreadable-*")
    assert aside.read_bytes().startswith(b"this is no database")


def test_a_newer_store_is_left_alone(url):
    from sqlalchemy import create_engine, text

    open_store(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE rankscope_alembic_version SET version_num='9'"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer version of RankScope"):
        open_store(url)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("nonsense", "is not the address of a database"),
        ("mysql://here/there", "SQLite or PostgreSQL, not in mysql"),
        (
            "sqlite:////nowhere/at/all/runs.sqlite",
            "cannot be used: There is no such folder",
        ),
        ("postgresql://nobody@127.0.0.1:9/none", "cannot be used: "),
    ],
)
def test_an_address_that_does_not_work_is_told(address, sentence):
    with pytest.raises(StoreError, match=sentence):
        open_store(address)


def test_the_environment_names_the_store(url, monkeypatch):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", url)
    with open_store() as store:
        assert store.url == url


def test_training_goes_on_when_the_store_cannot_be_written(url, small):
    with open_store(url) as store:
        run = drive(RSRank(max_iter=20), small)
        recorder = store.record(run)
        with store._writing() as connection:
            connection.exec_driver_sql("DROP TABLE rankscope_pieces")
        list(run)
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            recorder.end()
    assert len(run.history) == 21
    assert "not stored: no such table" in recorder.problem


@pytest.mark.parametrize("migrated", [False, True], ids=["made anew", "migrated"])
def test_tables_are_those_that_are_declared(store, migrated):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    from rankcore.studies.store import _database, _tables

    if migrated:
        with store._writing() as connection:
            _tables.metadata.drop_all(connection)
            connection.exec_driver_sql(f"DELETE FROM {_tables.VERSION_TABLE}")
            _database.migrate(connection)
    with store._reading() as connection:
        assert _database._version(connection) == _tables.HEAD
        options = {"version_table": _tables.VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, _tables.metadata) == []
    folder = str(_database.Path(_database.__file__).parent / "migrations")
    assert ScriptDirectory(folder).get_current_head() == _tables.HEAD


@pytest.mark.soak
def test_two_processes_may_make_one_store(url):
    code = (
        "from rankcore.studies.store import open_store; "
        f"print(len(open_store({url!r})))"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [one.communicate()[0].strip() for one in both] == [b"0"] * 3


def test_arrays_are_never_pickled(url, small):
    from rankcore.studies.store._arrays import packed, unpacked

    with pytest.raises(ValueError, match="allow_pickle"):
        packed(things=np.array([object()]))
    for content in (b"no arrays at all", b"", b"PK, but no archive"):
        with pytest.raises(ValueError, match=r"header|incomplete|pickle|zip"):
            unpacked(content)


# Small ones are stored as they are, others compressed.
ARRAYS = {
    "small": {"coef": np.linspace(-1.0, 1.0, 30), "empty": np.zeros((0, 8))},
    "whole": {"counts": np.arange(6).reshape(2, 3).T, "single": np.array(3.0)},
    "large": {"coef": np.tile(np.arange(8.0), (500, 1))},
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_come_back_as_they_were(kind):
    from rankcore.studies.store._arrays import packed, unpacked

    result = unpacked(packed(**ARRAYS[kind]))
    assert list(result) == list(ARRAYS[kind])
    for name, array in ARRAYS[kind].items():
        np.testing.assert_array_equal(result[name], array)
        assert result[name].dtype == array.dtype


def test_archives_of_earlier_versions_are_read():
    from rankcore.studies.store._arrays import unpacked

    for save in (np.savez, np.savez_compressed):
        save(stream := io.BytesIO(), **ARRAYS["small"])
        result = unpacked(stream.getvalue())
        np.testing.assert_array_equal(result["coef"], ARRAYS["small"]["coef"])


@pytest.mark.parametrize("kind", ARRAYS)
def test_damage_anywhere_in_arrays_is_found(kind):
    from rankcore.studies.store._arrays import packed, unpacked

    content = packed(**ARRAYS[kind])
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 0x55
        with pytest.raises(ValueError, match=r"."):
            unpacked(bytes(damaged))
        with pytest.raises(ValueError, match=r"."):
            unpacked(content[:at])


def test_others_write_while_the_queries_of_a_run_are_measured(url, small, monkeypatch):
    measure, written = measures.by_query, []

    def slow(*arguments):
        with open_store(url) as other:
            other.note(recorder.id, notes="Meanwhile.")
        written.append(arguments)
        return measure(*arguments)

    monkeypatch.setattr(measures, "by_query", slow)
    with open_store(url) as store:
        run = drive(RSRank(g=5.0, max_iter=3), small, small)
        with store.recording(run) as recorder:
            list(run)
        assert recorder.problem is None
        result = store.load(recorder.id)
        assert result.notes == "Meanwhile."
        # A model that is the best and the last is measured once.
        assert len(written) == len({result.best["iteration"], 3})
        assert not result.queries("last").empty


def test_a_run_whose_queries_cannot_be_measured_is_kept(url, small, monkeypatch):
    def fail(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(measures, "by_query", fail)
    monkeypatch.setattr(recorder_module, "LATER", ())
    with open_store(url) as store:
        run = drive(RSRank(max_iter=3), small, small)
        recorder = store.record(run)
        list(run)
        recorder.end()
        assert recorder.problem == "The run is not stored: no room."
        assert store.load(recorder.id).status == "finished"


def test_a_stop_by_time_is_kept(store, small):
    run, key = trained(store, small, stop=Stop(max_iterations=7, max_seconds=100.0))
    result = store.load(key)
    assert (result.max_iterations, result.max_seconds) == (7, 100.0)
    assert result.reason == run.reason


def test_a_model_is_made_of_what_is_kept_without_the_data(store, small):
    run, key = trained(store, small, RSRank(g=5.0, max_iter=30), changes={3: {"g": 1}})
    wanted = RSRank(g=5.0, max_iter=30).load_run(run)
    model = store.load(key).model()
    np.testing.assert_array_equal(model.coef_, wanted.coef_)
    np.testing.assert_array_equal(model.predict(small.X), wanted.predict(small.X))
    assert model.provenance_ == wanted.provenance_
    assert model.n_iter_ == wanted.n_iter_ == 30
    last = store.load(key).model("last")
    np.testing.assert_array_equal(last.coef_, run.history[-1].coef)
    with pytest.raises(KeyError, match="no iteration 31: the run has those up to 30"):
        store.load(key).model("31")


def test_no_step_waits_until_large_data_is_read(store, unread):
    data, read = unread
    run = drive(RSRank(max_iter=5), data, data)
    recorder = store.record(run)
    list(run)
    recorder.end(wait=0.0)
    nursery.wait_until(lambda: store.load(recorder.id).status == "finished")
    result = store.load(recorder.id)
    assert (result.fingerprint, result.valid_fingerprint) == ("", None)
    assert result.iterations == 5
    with pytest.raises(ValueError, match="before all of its data was read"):
        result.again(data, data)
    read.set()
    recorder.wait()
    assert recorder.problem is None
    result = store.load(recorder.id)
    assert result.fingerprint == result.valid_fingerprint == data.fingerprint
    assert result.again(data, data).max_iterations == 5
    assert not result.queries("best").empty


def test_what_large_data_is_becomes_known_while_a_run_goes_on(url, unread):
    data, read = unread
    with open_store(url) as store:
        run = drive(RSRank(max_iter=5), data)
        recorder = store.record(run)
        next(run)
        read.set()
        nursery.wait_until(
            lambda: store.load(recorder.id).fingerprint == data.fingerprint
        )
        assert store.load(recorder.id).status == "running"
        recorder.end()
