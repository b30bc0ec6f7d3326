"""The Sparsity page: a path is a job, drawn as it grows, and its models go on."""

import html
import re
import threading
import time

import pytest

from pages.ui import datasets, frame, jobs, path_choice, path_jobs, path_model
from pages.ui.path_words import signed
from rankcore import load_model
from rankcore.catalogue import load_dataset
from rankcore.insight.bootstrap import RelativeChange, relative_change
from rankcore.jobs import Study
from rankcore.measures import evaluate
from rankcore.readers import Splits

SMALL = {"data": "planted", "values": "4", "RSRank.max_iter": "20"}


def wait_for(condition, seconds=20.0):
    """Whether a condition comes true in time."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


@pytest.fixture
def held(monkeypatch):
    """Paths wait at two points until they are let go."""
    go, advance = threading.Event(), Study.__next__

    def waiting(study):
        if study.done == 2:
            go.wait(20.0)
        return advance(study)

    monkeypatch.setattr(Study, "__next__", waiting)
    yield go
    go.set()


@pytest.fixture
def trained(run_page):
    """The page with a short path that is ready."""
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert job.wait(60)
    return page.run(), job


@pytest.fixture
def uploaded():
    """The name of data that have training queries only."""
    alone = Splits(load_dataset("toy-3d").train)
    return datasets.uploads().add(alone, "training alone")


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


def test_the_path_can_be_taken_away(trained):
    page, job = trained
    page.session_state["downloads"] = True
    page.run()

    labels = [button.label for button in page.get("download_button")]
    assert labels[:2] == ["Path as CSV", "Path as JSON"]
    path = path_jobs.of(job)
    rows = path_jobs.rows(path)
    assert [row["g"] for row in rows] == [point.value for point in path.points]
    last = [row for row in rows[-1].items() if row[0].startswith("coefficient of ")]
    assert [value for _, value in last] == path.points[-1].coef.tolist()


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


def test_rankings_that_change_come_with_the_largest_change_first(trained):
    page, job = trained
    points = path_jobs.of(job).points
    value = points[-1].value
    page.select_slider(key="path_point").set_value(value).run()
    picker = page.selectbox(key="choose_path_query")
    changes = [
        round(abs(float(before) - float(after)), 2)
        for before, after in (
            option.split(": ")[1].split(" → ") for option in picker.options
        )
    ]

    assert not page.exception
    assert len(changes) > 1
    assert changes == sorted(changes, reverse=True)
    first, second = (option.split()[1].rstrip(":") for option in picker.options[:2])
    assert picker.value == first
    picker.set_value(second).run()
    assert page.selectbox(key="choose_path_query").value == second
    assert page.query_params["path_query"] == second


def test_a_query_is_named_as_before_when_the_point_has_moved(trained):
    """Its label holds values of the point; the browser may not know the new one yet."""
    page, job = trained
    points = path_jobs.of(job).points
    page.select_slider(key="path_point").set_value(points[-1].value).run()
    picker = page.selectbox(key="choose_path_query")
    before = f"query {picker.value}: 0.100 → 0.200"
    picker.options.append(before)
    picker.set_value(before)
    page.select_slider(key="path_point").set_value(points[0].value).run()

    assert not page.exception
    assert page.select_slider(key="path_point").value == points[0].value
    assert "path_query" not in page.query_params


def test_the_chosen_point_is_in_the_link(trained, run_page):
    page, job = trained
    slider = page.select_slider(key="path_point")
    value = next(p.value for p in path_jobs.of(job).points if p.value != slider.value)
    slider.set_value(value).run()
    assert page.query_params["path_at"] == f"{value:.6g}"

    again = run_page("sparsity", path=job.id, path_at=f"{value:.6g}")
    assert again.select_slider(key="path_point").value == value


def test_what_is_drawn_stays_whole_when_the_controls_move_on(trained, drawn):
    page, _ = trained
    page.selectbox(key="measure").set_value("AP")
    page.selectbox(key="choose_data").set_value("toy-2d").run()

    assert not page.exception
    assert "nDCG@10" in drawn(page)["trade_off"]["alt"]


def test_the_gap_of_the_l1_ball_is_shown(run_page, drawn):
    page = run_page("sparsity", **(SMALL | {"sparse": "FenchelRank"}))
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert job.wait(60)
    page.run()

    assert not page.exception
    gaps = [point.diagnostics["best gap"] for point in path_jobs.of(job).points]
    assert drawn(page)["duality_gap"]["data"][0]["y"] == pytest.approx(gaps)


def test_rules_are_compared_in_one_picture(run_page, drawn):
    page = run_page("sparsity", sparse_view="Compare rules", **SMALL)
    assert "for each rule" in page.info[0].value
    page.button(key="train_rules").click().run()
    job = jobs.registry().get(page.query_params["rules"])
    assert job.wait(60)
    page.run()

    assert not page.exception
    paths = path_jobs.rules_of(job)
    assert list(paths) == ["K = 1", "K = 10, as printed", "K = 10, Langford’s"]
    traces = drawn(page)["rules_compared"]["data"]
    for path, measured, features in zip(
        paths.values(), traces[::2], traces[1::2], strict=True
    ):
        assert features["y"] == [point.nonzeros for point in path.points]
        assert measured["y"] == pytest.approx(
            [point.measures["valid"]["nDCG@10"] for point in path.points]
        )
    again = run_page("sparsity", rules=job.id, sparse_view="Compare rules")
    assert set(drawn(again)) == {"rules_compared"}


def test_the_rules_are_shown_where_they_come_to_rest(run_page):
    from rankcore.insight.shrinkage import settled_rules

    page = run_page("sparsity", sparse_view="Compare rules", **SMALL)
    table = page.dataframe[0].value
    printed = ", ".join(f"{value:.4f}" for value in settled_rules()[0].coef)

    assert table["β"][0] == f"({printed})"
    assert any("(0.2, 0.0, 0.0)" in text.value for text in page.markdown)


@pytest.mark.parametrize("sparse", ["RSRank", "FenchelRank"])
def test_a_run_on_train_live_begins_at_the_model(run_page, monkeypatch, sparse):
    gone = {}
    monkeypatch.setattr(
        path_model.st,
        "switch_page",
        lambda page, query_params: gone.update(page=page, **query_params),
    )
    page = run_page("sparsity", **(SMALL | {"sparse": sparse}))
    page.button(key="train_path").click().run()
    path = jobs.registry().get(page.query_params["path"])
    assert path.wait(60)
    point = path_jobs.of(path).points[2]
    page.run()
    page.select_slider(key="path_point").set_value(point.value).run()
    page.button(key="take").click().run()

    assert gone["page"] == "pages/train.py"
    run = jobs.registry().get(gone["job"])
    assert wait_for(lambda: len(run.history) == 1)
    assert run.history[0].coef.tolist() == point.coef.tolist()

    train = run_page("train", job=run.id)
    assert not train.exception
    assert train.session_state["algorithm"] == sparse
    assert train.session_state[f"{sparse}.{path_jobs.of(path).name}"] == point.value
    train.button(key="step_1").click().run()
    assert train.query_params["job"] == run.id
    assert wait_for(lambda: len(run.history) == 2)


def test_a_model_of_the_path_can_be_saved(trained, tmp_path):
    from rankcore import save_model

    _, job = trained
    point = path_jobs.of(job).points[1]
    save_model(point.model, tmp_path / "model.json")

    assert load_model(tmp_path / "model.json").coef_.tolist() == point.coef.tolist()
    assert point.model.g == point.value


def test_a_model_of_the_path_is_previewed_in_the_format_chosen(trained):
    page, job = trained
    point = path_jobs.of(job).points[1]
    page.select_slider(key="path_point").set_value(point.value)
    page.session_state["export_model"] = True
    page.run()
    page.selectbox(key="export_format").select("csv").run()

    assert not page.exception
    rows = [line.split(",") for line in page.code[0].value.splitlines()[1:]]
    assert [float(row[1]) for row in rows if len(row) == 3] == point.coef[:11].tolist()


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


def smallest_of(points, measure, tolerance):
    """The rule once more: fewest features near the best validation measure."""
    best = max(point.measures["valid"][measure] for point in points)
    near = [p for p in points if p.measures["valid"][measure] >= (1 - tolerance) * best]
    fewest = min(point.nonzeros for point in near)
    few = [point for point in near if point.nonzeros == fewest]
    return max(few, key=lambda point: point.measures["valid"][measure]), best


def facts_of(page):
    """The strips of facts, as text."""
    strips = [
        each.value for each in page.get("html") if 'class="rs-facts"' in each.value
    ]
    return [re.sub("<[^>]*>", " ", strip) for strip in strips]


@pytest.mark.parametrize("measure", ["nDCG@10", "nDCG@3"])
def test_the_model_is_chosen_on_validation_by_the_measure_drawn(
    run_page, drawn, measure
):
    settings = SMALL | {"values": "16", "measure": measure}
    page = run_page("sparsity", **settings)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert job.wait(60)
    page.run()
    points, found = path_jobs.of(job).points, set()
    for percent in (0.0, 0.5, 3.0, 10.0):
        page.slider(key="tolerance").set_value(percent).run()
        smallest, best = smallest_of(points, measure, percent / 100.0)
        rule = f"Smallest model within {percent:g} % of the best {measure} (validation)"
        strip = facts_of(page)[0]
        assert rule in strip
        assert f" {smallest.nonzeros} of 45 features " in strip
        assert f"g = {smallest.value:.4g} with " in strip
        assert page.select_slider(key="path_point").value == smallest.value
        layout = drawn(page)["trade_off"]["layout"]
        marked = layout["annotations"][-1]["text"]
        assert marked == f"smallest: g = {smallest.value:.4g}"
        band = layout["shapes"][-1]
        assert (band["y0"], band["y1"]) == ((1 - percent / 100.0) * best, best)
        found.add(smallest.value)
    assert len(found) > 1


def test_the_chosen_model_is_tested_once_with_an_interval(trained):
    page, job = trained
    points = path_jobs.of(job).points
    smallest, _ = smallest_of(points, "nDCG@10", 0.03)
    test = load_dataset("planted").test
    before, after = (
        evaluate(test, test.X @ point.coef, "nDCG@10")["nDCG@10"]
        for point in (max(points, key=lambda point: point.nonzeros), smallest)
    )
    change = relative_change(before, after)
    ends = f"[{signed(change.low)}, {signed(change.high)}]"

    def tests(page):
        text = " ".join(facts_of(page)).replace("\N{NO-BREAK SPACE}", " ")
        assert text.count("Test nDCG@10") == 1
        return (
            f"Test nDCG@10 {after.mean():.3f} against {before.mean():.3f} for the full "
            f"model  {signed(change.change)} % {ends}"
            in text
            and "95 % interval, paired bootstrap over 21 queries, 9999 resamples, "
            "seed 0"
            in text
        )

    assert tests(page)
    other = next(point for point in points if point.value != smallest.value)
    page.select_slider(key="path_point").set_value(other.value).run()
    assert tests(page)
    selected = facts_of(page)[1]
    assert f"Selected g {other.value:.4g}" in " ".join(selected.split())
    assert f"{other.measures['valid']['nDCG@10']:.4f}" in selected


def test_without_other_data_the_facts_say_that_training_chose(run_page, uploaded):
    page = run_page("sparsity", **(SMALL | {"data": uploaded}))
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert job.wait(60)
    page.run()

    assert not page.exception
    strip = facts_of(page)[0]
    assert "of the best nDCG@10 (training, no validation data)" in strip
    assert "Test" not in " ".join(facts_of(page))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((0.448, 0.431, -0.038, -0.061, -0.012), "−3.8 % [−6.1, −1.2]"),
        ((0.5, 0.5, -1e-9, -0.02, 0.0), "0.0 % [−2.0, 0.0]"),
        ((0.5, 0.6, 0.2, float("nan"), float("nan")), "+20.0 % [no interval]"),
        ((0.0, 0.6, *[float("nan")] * 3), "no relative change"),
    ],
)
def test_a_change_is_said_with_its_interval(change, words):
    found = RelativeChange(*change, 21, 9999, 0, 0.95)
    assert path_choice.said(found).replace("\N{NO-BREAK SPACE}", " ") == words


def test_each_rule_says_its_choice_and_its_test(run_page, drawn):
    page = run_page("sparsity", sparse_view="Compare rules", **SMALL)
    page.button(key="train_rules").click().run()
    job = jobs.registry().get(page.query_params["rules"])
    assert job.wait(60)
    page.run()
    (strip,) = facts_of(page)
    traces = drawn(page)["rules_compared"]["data"]
    paths = path_jobs.rules_of(job)
    for (name, path), trace in zip(paths.items(), traces[::2], strict=True):
        smallest, _ = smallest_of(path.points, "nDCG@10", 0.03)
        words = f"{smallest.nonzeros} of 45 features  g = {smallest.value:.4g}, test "
        assert f"{name}, within 3 % of its best  {words}" in html.unescape(strip)
        sizes = trace["marker"]["size"]
        assert path.points[sizes.index(max(sizes))] is smallest
    assert any("21 queries, 9999 resamples, seed 0" in c.value for c in page.caption)


def test_a_growing_path_is_drawn_as_far_as_it_is_ready(run_page, drawn, held):
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert wait_for(lambda: len(path_jobs.of(job).points) == 2)
    page.run()

    assert not page.exception
    assert said(page) == ["2 of 4 models are ready"]
    assert all(len(trace["x"]) == 2 for trace in drawn(page)["trade_off"]["data"])

    held.set()
    assert job.wait(60)
    page.run()
    assert said(page) == []
    assert all(len(trace["x"]) == 4 for trace in drawn(page)["trade_off"]["data"])


def test_a_stopped_path_keeps_the_points_that_were_ready(run_page, drawn, held):
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    assert wait_for(lambda: len(path_jobs.of(job).points) == 2)
    page.button(key="stop_path").click().run()
    held.set()
    assert job.wait(60)
    page.run()

    assert job.state == "stopped"
    assert len(path_jobs.of(job).points) == 2
    assert len(drawn(page)["trade_off"]["data"][0]["x"]) == 2
    assert any("Stopped; the points that were ready" in c.value for c in page.caption)


def test_a_path_that_ends_while_its_page_is_drawn(run_page, held, monkeypatch):
    """The buttons were drawn before; they are drawn again."""
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    plan_of = path_jobs.plan_of

    def ended_meanwhile(*asked):
        job.stop()
        held.set()
        assert job.wait(60)
        return plan_of(*asked)

    monkeypatch.setattr(path_jobs, "plan_of", ended_meanwhile)
    page.run()

    keys = {button.key for button in page.button}
    assert "train_path" in keys
    assert "stop_path" not in keys


def test_the_whole_page_is_drawn_once_a_path_has_ended(run_page, held, monkeypatch):
    """Otherwise a browser goes on asking, and may keep the button to stop it."""
    page = run_page("sparsity", **SMALL)
    page.button(key="train_path").click().run()
    job = jobs.registry().get(page.query_params["path"])
    page.run()
    job.stop()
    held.set()
    assert job.wait(60)
    asked = []
    monkeypatch.setattr(frame.st, "rerun", lambda: asked.append("the whole page"))
    page.run()
    assert not asked

    page.session_state[frame.PACE] = 0.4
    monkeypatch.setattr(frame, "runs_a_part", lambda: True)
    page.run()
    page.run()
    assert asked == ["the whole page"]


def test_stopped_rules_keep_the_points_that_were_ready(run_page, drawn, held):
    page = run_page("sparsity", sparse_view="Compare rules", **SMALL)
    page.button(key="train_rules").click().run()
    job = jobs.registry().get(page.query_params["rules"])
    assert wait_for(lambda: job.run.done == 2)
    page.button(key="stop_rules").click().run()
    held.set()
    assert job.wait(60)
    page.run()

    assert job.state == "stopped"
    assert [len(path.points) for path in path_jobs.rules_of(job).values()] == [2, 0, 0]
    assert [len(t["x"]) for t in drawn(page)["rules_compared"]["data"]] == [2, 2]
    assert any("Stopped; the points that were ready" in c.value for c in page.caption)


def said(page):
    """What the page says about models that are ready."""
    return [bar.proto.text for bar in page.get("progress")]


def test_every_figure_has_its_numbers_behind_it(trained, drawn):
    page, _ = trained
    figures = list(drawn(page))
    before = len(page.dataframe)
    for key in [*figures, "path_ranking"]:
        page.session_state[f"{key}_numbers"] = True
    page.run()

    assert not page.exception
    assert len(figures) == 3
    assert len(page.dataframe) == before + len(figures) + 1
    assert all(len(table.value) for table in page.dataframe)
