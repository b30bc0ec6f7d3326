"""The Train live page without a browser, where intervals do not fire."""

import json
import re
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pages.ui import export, jobs, model_export
from pages.ui.data import datasets
from rankcore import load_dataset, measures
from rankcore.algorithms import ForestRanker, Step, Steps
from rankcore.dataset import RankingDataset
from rankcore.exports import get_format
from rankcore.mathematics.forests import GrowingForest, stump
from rankcore.training import drive
from tests.stub_algorithm import Given


@dataclass(eq=False, repr=False, kw_only=True)
class Trees(ForestRanker):
    """Its parameters are no coefficients: one stump more each step."""

    title: ClassVar[str] = "Trees"
    family: ClassVar[str] = "boosting"

    def steps(self, dataset, rng, start=None) -> Steps:
        forest = GrowingForest()
        for iteration in range(4):
            yield Step(iteration, forest.nodes(), 1.0, {"trees": float(iteration)})
            forest.add(stump(0, 0.5, 0.0, 1.0, gain=2.0))


LINK = {"data": "planted", "algorithm": "RSRank"}


@pytest.fixture
def train(run_page):
    return run_page("train", **LINK)


def job_of(page):
    return jobs.registry().get(page.session_state["job"])


def click(page, key):
    return page.button(key=key).click().run()


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def fact(page, meaning):
    """The number and the note of the fact that begins with ``meaning``."""
    facts = next(html for html in page.get("html") if "rs-facts" in html.proto.body)
    cell = facts.proto.body.split(f">{meaning}<")[1].split("</div>")[0]
    return re.findall(r'rs-(?:number|note)">([^<]*)', cell)


def content(page, key):
    """What the component with this key was given to draw."""
    mounted = page.get("bidi_component")
    return next(
        json.loads(one.proto.json)["content"]
        for one in mounted
        if one.proto.id.endswith(f"-{key}")
    )


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_the_page_draws_with_nothing_set(request, runner):
    page = request.getfixturevalue(runner)("train")

    assert not page.exception
    assert page.title[0].value == "Train live"
    assert fact(page, "Iteration")[0] == "0"
    assert not page.button(key="play").disabled


def test_ten_steps_are_ten_passes(train):
    click(train, "step_10")
    job = job_of(train)
    wait_for(lambda: job.state == "paused")
    train.run()

    assert not train.exception
    assert job.history[-1].iteration == 10
    assert fact(train, "Iteration")[0] == "10"
    assert len(job.history) == 10 + 1


def test_one_more_step_is_one_pass(train):
    click(train, "step_1")
    job = job_of(train)
    wait_for(lambda: job.state == "paused")
    click(train.run(), "step_1")
    wait_for(lambda: job.state == "paused" and len(job.history) > 2)

    assert job.history[-1].iteration == 2


def test_play_and_pause(train):
    click(train, "play")
    job = job_of(train)
    wait_for(lambda: len(job.history) > 3)
    click(train, "pause")
    wait_for(lambda: job.state == "paused")
    train.run()

    assert train.button(key="play")
    assert (
        fact(train, "Training nDCG@10")[0] == f"{job.history[-1].train['nDCG@10']:.3f}"
    )


def test_another_speed_is_the_pace_of_the_run_under_way(run_page):
    page = run_page("train", **LINK, speed="2 steps a second")
    click(page, "play")
    job = job_of(page)
    assert job.speed == 2
    page.selectbox(key="speed").select("as fast as it goes").run()

    assert job.speed is None
    wait_for(lambda: len(job.history) > 300)
    assert job_of(page) is job


def test_restart_looks_at_no_job_and_ends_the_old_one(train):
    click(train, "step_1")
    job = job_of(train)
    click(train, "restart")
    wait_for(lambda: job.ended)

    assert "job" not in train.query_params
    assert fact(train, "Iteration")[0] == "0"


def test_the_link_sets_the_run(run_page):
    page = run_page(
        "train", **LINK, **{"RSRank.g": "10", "measure": "AP", "convention": "letor3"}
    )
    click(page, "step_1")
    job = job_of(page)
    wait_for(lambda: len(job.history) > 1)

    assert job.algorithm.g == 10
    assert job.run.rules.convention == "letor3"
    assert list(job.history[-1].train) == ["AP"]


def test_a_link_to_a_job_shows_it_with_its_settings(run_page, train):
    click(train, "step_10")
    job = job_of(train)
    wait_for(lambda: job.state == "paused")
    other = run_page("train", job=job.id)

    assert other.selectbox(key="choose_data").value == "planted"
    assert fact(other, "Iteration")[0] == "10"


def test_a_job_that_is_gone_is_explained(run_page):
    page = run_page("train", **LINK, job="no-such-job")

    assert not page.exception
    assert "no longer in memory" in page.info[0].value
    assert not page.button(key="play").disabled


def test_changed_settings_begin_a_new_run(train):
    click(train, "step_1")
    before = job_of(train)
    wait_for(lambda: before.state == "paused")
    train.number_input(key="seed").set_value(5).run()
    assert any("settings have changed" in line.value for line in train.caption)

    click(train, "play")
    after = job_of(train)
    assert after.id != before.id
    assert after.algorithm.random_state == 5
    wait_for(lambda: before.ended)
    after.stop()


def test_a_pinned_run_stays_in_the_picture(train):
    click(train, "step_1")
    pinned = job_of(train)
    wait_for(lambda: pinned.state == "paused")
    click(train.run(), "pin_run")
    train.number_input(key="seed").set_value(5).run()
    click(train, "step_1")
    wait_for(lambda: job_of(train).state == "paused")
    train.run()

    assert "seed = 0" in [
        trace.get("name") for trace in content(train, "curves")["data"]
    ]
    assert not pinned.ended


def test_a_failed_job_says_why_and_keeps_its_curve(run_page, train):
    data = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])
    run = drive(
        Given(coefs=((0.0,), (1.0,)), objectives=(1.0, 0.5), fails_at=2, loop=True),
        data,
    )
    settings = {"algorithm": "RSRank", "data": "planted"}
    job = jobs.registry().submit(run, title="Given", settings=settings, play=True)
    assert job.wait(30)
    page = run_page("train", **LINK, job=job.id)

    assert "the step went wrong" in page.error[0].value
    assert fact(page, "Iteration")[0] == "1"


def test_the_query_on_which_the_model_loses_most(train):
    data = load_dataset("planted").train
    values = measures.evaluate(data, np.zeros(data.n_documents), empty="one")
    click(train, "weakest")

    assert train.session_state["query"] == values["nDCG@10"].argmin() + 1
    assert content(train, "ranking")["rows"] == 16


def test_the_command_repeats_the_settings(run_page):
    page = run_page("train", **LINK, **{"RSRank.g": "10", "measure": "AP"})
    page.session_state["export"] = True
    page.run()

    assert page.code[0].value == (
        "rankscope train planted RSRank --g 10.0 --measure AP --seed 0"
    )


def test_the_best_model_can_be_taken_away(train):
    click(train, "step_10")
    job = job_of(train)
    wait_for(lambda: job.state == "paused")
    model = json.loads(model_export.text(export.best_model(job), get_format("json")))

    assert model["coefficients"] == job.best.coef.tolist()
    assert model["iteration"] == job.best.iteration


def test_a_model_is_previewed_in_the_format_chosen(train):
    click(train, "step_1")
    job = job_of(train)
    wait_for(lambda: job.state == "paused")
    train.session_state["export"] = True
    train.run()
    train.selectbox(key="export_format").select("ranklib").run()

    assert not train.exception
    assert "## Coordinate Ascent" in train.code[1].value


def test_scaled_features_are_refused_until_the_target_scales_too(run_page):
    page = run_page("train", **LINK, normalise="minmax")
    click(page, "step_1")
    job = job_of(page)
    wait_for(lambda: job.state == "paused")
    page.session_state["export"] = True
    page.session_state["export_format"] = "solr"
    page.run()
    assert "cannot be folded" in page.warning[0].value

    page.checkbox(key="export_scaled").check().run()
    assert "LinearModel" in page.code[1].value


def test_a_model_without_coefficients_shows_what_its_features_earn(run_page, train):
    data = RankingDataset.from_arrays([[1.0], [0.0]], [1, 0])
    run = drive(Trees(max_iter=3), data)
    settings = {"algorithm": "RSRank", "data": "planted"}
    job = jobs.registry().submit(run, title="Trees", settings=settings, play=True)
    assert job.wait(30)
    page = run_page("train", **LINK, job=job.id)
    page.session_state["export"] = True
    page.run()

    assert not page.exception
    assert fact(page, "Features used") == ["1", "of 1"]
    assert any("Gain of splits" in html.proto.body for html in page.get("html"))
    assert page.selectbox(key="export_format").options == [get_format("json").title]
    assert '"version": 2' in page.code[1].value


def test_data_without_the_part_that_was_looked_at(run_page):
    page = run_page("train", data="planted", part="test")
    page.session_state["data"] = "toy-2d"
    page.run()

    assert not page.exception


def test_features_of_mixed_scales_get_a_caution(run_page):
    rng = np.random.default_rng(0)
    raw = RankingDataset.from_arrays(
        rng.uniform(size=(60, 2)) * [1e-4, 10.0],
        rng.integers(3, size=60),
        np.repeat(np.arange(10), 6),
    )
    name = datasets.uploads().add(datasets.divide(raw), "raw")
    link = {"data": name, "algorithm": "FenchelRank"}
    page = run_page("train", **link)
    assert not page.exception
    (caution,) = [warning.value for warning in page.warning]
    assert "the ball is in the units of the features" in caution
    assert not page.button(key="play").disabled
    assert not run_page("train", **link, normalise="minmax").warning
