"""The Sparsity page: a path is a job, drawn as it grows, and its models go on."""

import pytest

from pages.ui import jobs, path_jobs
from rankcore import load_model

SMALL = {"data": "planted", "values": "4", "RSRank.max_iter": "20"}


@pytest.fixture
def trained(run_page):
    """The page with a short path that is ready."""
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert job.wait(60)
    return page.run(), job


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_before_anything_is_trained_it_says_what_will_come(request, runner, drawn):
    page = request.getfixturevalue(runner)("sparsity")

    assert not page.exception
    assert page.title[0].value == "Sparsity"
    assert "Nothing is trained yet" in page.info[0].value
    assert not drawn(page)


def test_a_path_is_drawn_with_its_numbers(trained, drawn):
    page, job = trained

    assert not page.exception
    charts = drawn(page)
    points = path_jobs.of(job).points
    traces = charts["trade_off"]["data"]
    assert len(points) == 4
    assert traces[-1]["y"] == [point.nonzeros for point in points]
    assert traces[2]["y"] == [point.measures["test"]["nDCG@10"] for point in points]
    assert list(charts) == ["trade_off", "coefficient_paths", "ratios"]
    assert all(chart["alt"] for chart in charts.values())


def test_a_point_shows_its_features_and_rankings(trained):
    page, job = trained
    point = path_jobs.of(job).points[-1]
    page.select_slider(key="path_point").set_value(point.value).run()

    assert not page.exception
    tables = [table.value for table in page.dataframe]
    survivors = next(table for table in tables if "coefficient" in table)
    assert survivors["coefficient"].tolist() == sorted(
        point.coef[point.coef != 0], key=abs, reverse=True
    )
    rankings = next(table for table in tables if "new in the top 10" in table)
    assert len(rankings) > 1
    assert rankings["here"].notna().any()


def test_the_settings_go_to_train_live(trained):
    page, job = trained
    value = path_jobs.of(job).points[2].value
    page.select_slider(key="path_point").set_value(value).run()
    page.button(key="take").click().run()

    assert page.session_state["RSRank.g"] == value
    assert page.session_state["algorithm"] == "RSRank"


def test_a_model_of_the_path_can_be_saved(trained, tmp_path):
    from rankcore import save_model

    _, job = trained
    point = path_jobs.of(job).points[1]
    save_model(point.model, tmp_path / "model.json")

    assert load_model(tmp_path / "model.json").coef_.tolist() == point.coef.tolist()
    assert point.model.g == point.value


def test_a_link_to_a_path_brings_its_settings(trained, run_page, drawn):
    _, job = trained
    page = run_page("sparsity", path=job.id)

    assert not page.exception
    assert len(drawn(page)) == 3
    assert page.session_state["values"] == 4


def test_changed_settings_are_said(trained):
    page, _ = trained
    page.slider(key="values").set_value(6).run()

    assert any("settings have changed" in caption.value for caption in page.caption)
