"""Runs of the Train page that are kept, and shown and gone on with after a restart."""

import json
import time

import numpy as np
import pytest

from pages.ui import registry
from pages.ui.serving import visitor
from rankcore.algorithms.rsrank import RSRank
from rankcore.data.catalogue import load_dataset
from rankcore.studies.store import open_store
from rankcore.training import drive
from rankcore.views import past

PLACE = "train/Run"
LINK = {"data": "planted", "algorithm": "RSRank", "RSRank.max_iter": "40"}


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A store of the test's own, not opened yet."""
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'own.sqlite'}")
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    # Pages are of one visitor until a test says otherwise.
    monkeypatch.setattr(visitor, "current", lambda: "her")


def click(page, key):
    page.button(key=key).click().run()
    return page.run()


def job_of(page):
    return registry.registry().get(page.session_state["jobs looked at"][PLACE])


def stopped(page, iterations=10):
    """The page's run, stopped after some iterations."""
    click(page, f"step_{iterations}")
    job = job_of(page)
    while job.state != "paused":
        time.sleep(0.01)
    job.steer().stop()
    assert job.wait(60)
    return job


def restart(job):
    """Forget a job, as a new process does."""
    del registry.registry()._jobs[job.id]


def written(page):
    return [
        html.proto.body for html in page.get("html") if "rs-facts" in html.proto.body
    ]


def test_a_run_is_kept_with_its_settings(fresh, run_page):
    page = run_page("train", **LINK)
    job = stopped(page)
    with open_store() as store:
        result = store.load(job.id)
        assert result.status == "stopped"
        assert result.iterations == 10
        assert result.settings["data"] == "planted"
        assert result.history().equals(job.history.to_frame())


def test_a_run_not_begun_is_not_kept(fresh, run_page):
    run_page("train", **LINK)
    with open_store() as store:
        assert len(store) == 0


def test_a_link_works_after_a_restart_and_the_run_goes_on(fresh, run_page):
    first = run_page("train", **LINK, seed="7")
    job = stopped(first)
    before, facts = job.run, written(first.run())
    restart(job)
    page = run_page("train", job=job.id)
    assert not page.exception
    assert page.number_input(key="seed#0").value == 7
    back = job_of(page)
    assert back is not job
    assert (back.state, back.id) == ("stopped", job.id)
    assert back.history.to_frame().equals(before.history.to_frame())
    assert back.best.iteration == before.best.iteration
    np.testing.assert_array_equal(back.best.coef, before.best.coef)
    assert written(page) == facts
    click(page, "go_on")
    going = job_of(page)
    assert going.wait(60)
    assert going.state == "finished"
    assert len(going.history) == 41
    with open_store() as store:
        assert store.load(job.id).status == "finished"
        assert len(store.load(job.id).history()) == 41


def test_a_run_that_a_restart_broke_off_says_so(fresh, run_page):
    job = stopped(run_page("train", **LINK))
    with open_store() as store:
        broken_off = json.loads(store.load(job.id).to_json()) | {"status": "running"}
        store.delete(job.id)
        store.clear()
        store.add(json.dumps(broken_off))
    restart(job)
    page = run_page("train", job=job.id)
    assert not page.exception
    assert [item.value for item in page.info] == [registry.INTERRUPTED.format(10)]
    assert page.button(key="go_on")


def test_only_who_began_a_run_can_go_on_with_it(fresh, run_page, monkeypatch):
    job = stopped(run_page("train", **LINK))
    page = run_page("train", job=job.id)
    assert page.button(key="go_on")

    monkeypatch.setattr(visitor, "current", lambda: "me")
    other = run_page("train", job=job.id)
    assert not other.exception
    assert [one.label for one in other.button if one.key == "go_on"] == []
    assert other.button(key="run_again")
    # The button of before, pressed by another visitor.
    page.button(key="go_on").click().run()
    refusal = "only the visitor who started it can continue it"
    assert any(refusal in t.value for t in page.toast)
    assert job_of(page) is job
    with open_store() as store:
        assert store.load(job.id).status == "stopped"


def test_on_another_machine_a_link_to_a_run_offers_its_settings(
    fresh, run_page, tmp_path, monkeypatch
):
    first = run_page("train", **LINK, seed="7", **{"RSRank.g": "10"})
    job = stopped(first)
    link = first.run().query_params
    assert link["job"] == job.id
    # Another machine has neither the job nor the store.
    restart(job)
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", f"sqlite:///{tmp_path / 'far.sqlite'}")
    monkeypatch.setattr(past, "_OPENED", past._Opened())
    page = run_page("train", **link)
    assert not page.exception
    assert "Its settings are loaded here" in page.info[0].value
    assert page.number_input(key="seed#0").value == 7
    click(page, "play")
    again = job_of(page)
    assert again.id != job.id
    assert again.settings == job.settings
    assert again.wait(60)
    assert again.history[10].objective == job.history[10].objective


def test_a_run_without_validation_opens_though_its_data_has_some(fresh, run_page):
    run = drive(RSRank(max_iter=5), load_dataset("planted").train)
    with open_store() as store, store.recording(run) as recorder:
        list(run)
    page = run_page("train", job=recorder.id)
    assert not page.exception
    assert job_of(page).history.to_frame().equals(run.history.to_frame())
    assert page.session_state["RSRank.max_iter"] == 5


def test_a_pinned_run_is_in_memory_again_after_a_restart(fresh, run_page):
    page = run_page("train", **LINK)
    job = stopped(page)
    page.run()
    click(page, "pin_run")
    pin = page.session_state["pin"]
    restart(job)
    page = run_page("train", **LINK, seed="8", pin=pin)
    assert not page.exception
    back = registry.registry().get(job.id)
    assert back.history.to_frame().equals(job.history.to_frame())
    assert "train_pins" not in {button.key for button in page.button}
    assert "jobs looked at" not in page.session_state


def test_a_stopped_run_is_run_again(fresh, run_page):
    page = run_page("train", **LINK)
    job = stopped(page)
    page.run()
    click(page, "run_again")
    assert job_of(page).id != job.id
    job_of(page).steer().stop()


def test_without_a_store_training_works_and_it_is_said_once(
    fresh, run_page, monkeypatch
):
    monkeypatch.setenv("RANKSCOPE_DATABASE_URL", "sqlite:////no/folder/runs.sqlite")
    page = run_page("train", **LINK)
    values = [toast.value for toast in page.button(key="step_10").click().run().toast]
    job = job_of(page)
    while job.state != "paused":
        time.sleep(0.01)
    for _ in range(3):
        values += [toast.value for toast in page.run().toast]
    assert len(job.history) == 11
    assert values == [past.problem()]
    assert values[0].startswith("Runs are not kept after a restart: The run store ")
    job.steer().stop()
