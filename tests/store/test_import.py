"""Damaged files of runs: a sentence with a place, or a run that can be read."""

import json
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given, settings

from rankcore import DataError
from rankcore.studies.store import Query, open_store
from rankcore.topics.compare.trained import from_store
from tests.damage import ABSENT, damaged, edits, replaced
from tests.soaking import soak
from tests.store import nursery


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Stores for a module's tests, and the text of a run."""
    place = tmp_path_factory.mktemp("import")
    with open_store(f"sqlite:///{place / 'from.sqlite'}") as store:
        run = nursery.run_of("RSRank", 3)
        with store.recording(run, title="a run", settings={"a": {"b": [1]}}) as result:
            list(run)
        store.note(result.id, notes="good", tags=["one", "two"])
        text = store.load(result.id).to_json()
    with open_store(f"sqlite:///{place / 'to.sqlite'}") as store:
        yield store, text


@contextmanager
def removed_again(store, key):
    """A run that is removed at the end, also where a test fails."""
    try:
        yield
    finally:
        store.delete(key)
        store.clear()


def check_import(store, content):
    """A run is refused, or listed, read and removed."""
    try:
        key = store.add(content)
    except DataError as error:
        problem = error.problem
    else:
        problem = None
    if problem is not None:
        assert problem.startswith("This is not a RankScope run (")
        return
    with removed_again(store, key):
        check_read(store, key)


def check_read(store, key):
    """The only run of a store is listed and read."""
    table = store.search(Query("a")).table
    assert len(store.runs()) == 1 >= len(table)
    run = store.load(key)
    run.history()
    run.queries()
    assert run.best_and_last is not None
    assert run.described
    store.counts("tag")
    store.facets()
    for name in run.models():
        run.coef(name)
    assert json.loads(run.to_json())["id"] == key
    if "best" in run.models():
        run.model("best")
    # Compare takes it, or says why not.
    with suppress(ValueError):
        from_store(run)


ODD = [ABSENT, [1], 10**400, "\0", "9999-12-31T23:59:59-12:00"]
ODDER = [None, "\ud800", -1, 1e999, {}, [], "", 5, True, "0001-01-01T00:00:00+14:00"]


@pytest.mark.parametrize(
    "value", [*ODD, *map(soak, ODDER)], ids=lambda odd: f"{odd!r:.9}"
)
def test_a_run_with_other_json_is_refused_or_read(value, exported):
    store, text = exported
    for content in replaced(json.loads(text), value):
        check_import(store, json.dumps(content).encode())


@pytest.mark.parametrize(
    ("lacking", "what"), [("models", "best model"), ("best", "best model"),
                          ("queries", "measures of its queries")],
)  # fmt: skip
def test_a_run_that_lacks_something_is_not_compared(lacking, what, exported):
    store, text = exported
    key = store.add(json.dumps({**json.loads(text), lacking: {}}))
    refusal = pytest.raises(ValueError, match=f"keeps no {what} ")
    with removed_again(store, key), refusal:
        from_store(store.load(key))


def test_a_run_that_was_running_is_interrupted(exported):
    store, text = exported
    key = store.add(json.dumps({**json.loads(text), "status": "running"}))
    with removed_again(store, key):
        assert store.load(key).status == "interrupted"


def test_a_damaged_run_is_refused_or_read(exported):
    store, text = exported

    @given(edits)
    @settings(max_examples=60, deadline=None)
    def check(changes):
        check_import(store, damaged(text.encode(), changes))

    check()


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("tags", [f"{n:01000}" for n in range(20_000)], "tags"),
        ("title", "a\0b", "title"),
        ("settings", {"a": ["\0"]}, "settings"),
        ("settings", {"\0": 1}, "settings"),
        ("planned", {"9" * 5000: {}}, "planned"),
        ("planned", {"3": {"g": "many"}}, "planned"),
        ("created", "9999-12-31T23:59:59-12:00", "created"),
    ],
)
def test_what_no_run_has_is_refused_by_its_place(name, value, place, exported):
    store, text = exported
    content = json.dumps(json.loads(text) | {name: value})
    with pytest.raises(DataError, match=rf"not a RankScope run \({place}"):
        store.add(content)


def test_a_model_of_no_iteration_is_refused(exported):
    store, text = exported
    content = json.loads(text)
    content["models"]["best"]["iteration"] = 99
    with pytest.raises(DataError, match=r"models\.best: its iteration is not in"):
        store.add(json.dumps(content))


def test_a_text_that_cannot_be_written_is_refused(exported):
    store, text = exported
    with pytest.raises(DataError, match="not a RankScope run"):
        store.add(text.replace("a run", "a \ud800"))
