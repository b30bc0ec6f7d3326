"""The Approximation page: its views, presets, lists in links, and its job."""

import json
import threading
import time

import pytest

from pages.ui import jobs, score_list
from rankcore.catalogue import load_dataset
from rankcore.jobs import Study

VIEWS = ["One list", "Along training", "What is true"]


def bounds(page):
    """The theorems with the list's numbers."""
    return next(each.value for each in page.markdown if "Theorem 1" in each.value)


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_it_draws_the_list(request, runner):
    page = request.getfixturevalue(runner)("approximation")

    assert not page.exception
    assert page.title[0].value == "Approximation"
    assert page.pills(key="preset").value == "Table 1"
    assert bounds(page).count("Theorem") == 3


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws(run_page, view):
    page = run_page("approximation", approx_view=view)

    assert not page.exception
    assert page.segmented_control(key="approx_view").value == view


def test_a_mark_from_before_chooses_nothing(run_page, monkeypatch):
    """The browser sends it with what is pressed in a part of the page."""
    page = run_page("approximation")
    page.session_state["approx_k"] = 3
    page.run()
    assert page.pills(key="preset").value is None
    monkeypatch.setattr("pages.ui.frame.runs_a_part", lambda: True)
    page.pills(key="preset").set_value("Table 1").run()
    assert page.session_state["approx_k"] == 3
    assert page.pills(key="preset").value is None

    monkeypatch.undo()
    page.pills(key="preset").set_value("Table 1").run()
    assert page.session_state["approx_k"] == 2


@pytest.mark.parametrize("preset", range(8))
def test_presets_draw(run_page, preset):
    page = run_page("approximation")
    title = page.pills(key="preset").options[preset]
    page.pills(key="preset").set_value(title).run()

    assert not page.exception
    assert page.pills(key="preset").value == title


@pytest.mark.parametrize(
    ("chip", "erratum"),
    {
        "Ties break the formula": "Ties",
        "Not < but ≤": "Strict inequality",
        "Centre of the cutoff": "Centre of the cutoff",
    }.items(),
)
def test_each_erratum_is_one_click_away(run_page, chip, erratum):
    page = run_page("approximation", approx_beta="3")
    page.pills(key="preset").set_value(chip).run()

    assert page.radio(key="approx_claim").value == erratum
    facts = " ".join(each.value for each in page.get("html"))
    assert all(digits in facts for digits in DIGITS[erratum])


def test_a_link_holds_the_list_and_the_sharpness(run_page):
    page = run_page("approximation", approx_list="3:1, 1:0", approx_alpha="100")

    assert not page.exception
    assert page.text_area(key="approx_text").value == "3:1, 1:0"
    assert page.select_slider(key="approx_alpha").value == 100.0
    assert r"\frac{2 - 1}{e^{100 \cdot 2} + 1}" in bounds(page)


def test_errors_below_rounding_are_said_to_be(run_page):
    page = run_page(
        "approximation",
        approx_list="-0.396:1, 1.921:1, 0.315:1, -1.607:1, 1.085:2, 3.912:0, 2.841:2",
        approx_alpha="300",
        approx_beta="100",
    )
    assert bounds(page).count("both sides are below rounding") == 3
    assert "equality" not in bounds(page)

    page = run_page("approximation", approx_list="0.3:1, 0.1:0")
    assert "positions: holds with equality" in bounds(page)


@pytest.mark.parametrize(
    "nonsense",
    ["", "3", "3:1", "3:9, 1:0", "nan:1, 1:0", "1e9:0, 0:0", "a:b, c:d", "1:0;" * 41],
)
def test_nonsense_in_a_link_gives_the_default(run_page, nonsense):
    page = run_page("approximation", approx_list=nonsense, approx_alpha="none")

    assert not page.exception
    assert page.text_area(key="approx_text").value.startswith("4.20074:0")


def test_every_surrogate_is_explained_by_its_equation_and_paper(run_page):
    from rankcore.insight.approximate_list import surrogates

    page = run_page("approximation")
    page.session_state["explain"] = True
    page.run()

    assert not page.exception
    written = " ".join(each.value for each in [*page.latex, *page.markdown])
    captions = [caption.value for caption in page.caption]
    for learner in surrogates(1.0, 1.0, 1):
        assert learner.equation in written
        assert learner.paper in captions


def test_scores_are_typed(run_page):
    page = run_page("approximation")
    page.text_area(key="approx_text").set_value("2:1 1:0\n0:0").run()
    assert page.query_params["approx_list"] == "2:1, 1:0, 0:0"
    page.text_area(key="approx_text").set_value("2:1 nothing").run()
    assert not page.exception
    assert page.text_area(key="approx_text").value == "2:1, 1:0, 0:0"


def test_a_list_reads_back():
    found = score_list.read(" 4.25:2; -1:0\n3e-2:1")

    assert found is not None
    assert found.scores.tolist() == [4.25, -1.0, 0.03]
    assert score_list.write(found) == "4.25:2, -1:0, 0.03:1"
    assert found.names == ["x1", "x2", "x3"]


def test_a_query_of_the_data_becomes_a_list_that_fits_in_a_link(run_page):
    from pages.ui.approximation_query import _listed

    run_page("approximation")
    train = load_dataset("planted").train
    found = _listed(train, 1, train.feature_names[0])
    assert 2 <= len(found.scores) <= score_list.MOST
    assert score_list.read(score_list.write(found)) is not None


def test_numbers_leave_as_csv_and_json():
    from pages.ui.downloads import as_csv, as_json

    rows = [{"measure": "AP, soft", "bound": float("nan"), "error": 0.1}]
    assert as_csv(rows) == 'measure,bound,error\n"AP, soft",nan,0.1\n'
    assert json.loads(as_json(rows)) == [
        {"measure": "AP, soft", "bound": None, "error": 0.1}
    ]


DIGITS = {
    "Ties": ["1.226294", ">2.0<", ">1.0<"],
    "Strict inequality": ["1.000000"],
    "Centre of the cutoff": ["0.377541", "0.006693", "0.993307", ">0.5<"],
    "Long lists": ["0.0047062", "0.00138612", "1.175"],
}


@pytest.mark.parametrize("claim", DIGITS)
def test_claims_show_the_digits(run_page, claim):
    page = run_page("approximation", approx_view="What is true", approx_claim=claim)

    assert not page.exception
    facts = " ".join(html.proto.body for html in page.get("html"))
    assert all(digits in facts for digits in DIGITS[claim])


@pytest.mark.parametrize("claim", DIGITS)
def test_claims_are_shown_on_the_list(run_page, claim):
    page = run_page("approximation", approx_view="What is true", approx_claim=claim)
    page.button(key="approx_scene").click().run()

    assert not page.exception
    assert page.segmented_control(key="approx_view").value == "One list"


@pytest.fixture
def trained(run_page):
    """The page with short runs that are measured."""
    page = run_page(
        "approximation",
        approx_view="Along training",
        data="toy-2d",
        approx_passes="10",
        approx_alpha="100",
    )
    assert "Nothing is trained yet" in page.info[0].value
    page.button(key="approx_train").click().run()
    job = jobs.registry().get(page.query_params["approx_job"])
    assert job.wait(60)
    return page.run(), job


def facts_of(page):
    return " ".join(html.proto.body for html in page.get("html"))


def test_what_will_be_trained_is_said_with_its_numbers(run_page):
    page = run_page("approximation", approx_view="Along training")
    said = next(each.value for each in page.caption if "A run of" in each.value)

    assert "α = 10, 50, 100, 200, 300 and" in said
    assert "β = 1, 10, 20, 50, 100 (the paper's)" in said


def test_runs_are_drawn_with_their_numbers(trained):
    from pages.ui.approximation_panels import small

    page, job = trained

    assert not page.exception
    assert not page.info
    assert len(job.run.subject.runs) == 9
    own = job.run.subject.runs[100.0, 10.0].curve()
    assert "trained at α = 100, β = 10" in facts_of(page)
    assert small(float(own.error[-1])) in facts_of(page)
    assert f"{own.flat[-1]:.0%}" in facts_of(page)
    said = [*page.warning, *page.caption]
    assert any("stopped may mean flat" in each.value for each in said)


def test_any_run_can_be_looked_at(trained):
    from pages.ui.approximation_panels import small

    page, job = trained
    page.selectbox(key="choose_approx_run").set_value("100/50").run()

    assert not page.exception
    found = job.run.subject.runs[100.0, 50.0]
    assert "trained at α = 100, β = 50" in facts_of(page)
    assert small(found.spread().median) in facts_of(page)
    assert page.query_params["approx_run"] == "100/50"


def test_a_measure_without_beta_says_so(run_page):
    page = run_page(
        "approximation",
        approx_view="Along training",
        data="toy-2d",
        approx_passes="10",
        approx_measure="nDCG",
    )
    page.button(key="approx_train").click().run()
    assert jobs.registry().get(page.query_params["approx_job"]).wait(60)
    page.run()

    assert not page.exception
    assert any("β plays no part in nDCG" in each.value for each in page.caption)


def test_a_link_to_a_run_brings_its_settings(trained, run_page):
    _, job = trained
    page = run_page("approximation", approx_job=job.id, approx_view="Along training")

    assert not page.exception
    assert page.session_state["approx_alpha"] == 100.0
    assert page.session_state["data"] == "toy-2d"


@pytest.mark.parametrize("preset", range(5))
def test_presets_of_training_draw(run_page, preset):
    page = run_page("approximation", approx_view="Along training")
    title = page.pills(key="preset").options[preset]
    page.pills(key="preset").set_value(title).run()

    assert not page.exception
    assert page.pills(key="preset").value == title


def test_changed_settings_are_said(trained):
    page, _ = trained
    page.slider(key="approx_passes").set_value(20).run()

    assert any("settings have changed" in caption.value for caption in page.caption)


def test_stopped_runs_keep_what_was_measured(run_page, drawn, monkeypatch):
    go, step = threading.Event(), Study.__next__
    records = []

    def waiting(study):
        if len(records) == 20:
            go.wait(20.0)
        records.append(step(study))
        return records[-1]

    monkeypatch.setattr(Study, "__next__", waiting)
    page = run_page("approximation", approx_view="Along training", data="toy-2d")
    page.button(key="approx_train").click().run()
    job = jobs.registry().get(page.query_params["approx_job"])
    until = time.monotonic() + 20.0
    while len(records) < 20 and time.monotonic() < until:
        time.sleep(0.01)
    page.button(key="approx_stop").click().run()
    go.set()
    assert job.wait(60)
    page.run()

    assert not page.exception
    assert job.state == "stopped"
    measured = [len(run.curve().iterations) for run in job.run.subject.runs.values()]
    assert 20 <= sum(measured) == len(records) <= 21
    assert any("Stopped; what was measured" in c.value for c in page.caption)
    assert drawn(page)


@pytest.mark.parametrize("view", ["One list", "What is true", "Landscape"])
def test_every_figure_has_its_numbers_behind_it(run_page, drawn, view):
    page = run_page("approximation", approx_view=view, data="toy-2d")
    figures = list(drawn(page))
    before = len(page.dataframe)
    for key in figures:
        page.session_state[f"{key}_numbers"] = True
    page.run()

    assert not page.exception
    assert figures
    assert len(page.dataframe) == before + len(figures)
    assert all(len(table.value) for table in page.dataframe)
