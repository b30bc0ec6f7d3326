"""The Sparsity page in its frame: a path is begun, a model is selected and used."""

import threading

import pytest

from pages.ui import registry
from rankcore.studies import Study

SMALL = {"data": "planted", "values": "4", "RSRank.max_iter": "20"}


def job_of(page):
    return registry.registry().get(page.query_params["job"])


@pytest.fixture
def trained(run_page):
    """The page with a short path that is ready."""
    page = run_page("sparsity", **SMALL)
    page.button(key="study_start").click().run()
    assert job_of(page).wait(60)
    return page.run()


@pytest.fixture
def held(monkeypatch):
    """Paths wait at two models, which ``reached`` says, until they are let go."""
    go, advance = threading.Event(), Study.__next__
    go.reached = threading.Event()

    def waiting(study):
        if study.done == 2:
            go.reached.set()
            go.wait(60.0)
        return advance(study)

    monkeypatch.setattr(Study, "__next__", waiting)
    yield go
    go.set()


def control(page, kind, key):
    """The control of a setting, whichever number it has."""
    (result,) = (c for c in page.get(kind) if c.key.startswith(f"{key}#"))
    return result


def choose(page, kind, key, value):
    """Use a control, and draw the whole page."""
    control(page, kind, key).set_value(value).run()
    return page.run()


def test_a_point_and_a_query_are_chosen_between_figures(trained, run_page, drawn):
    page, points = trained, job_of(trained).run.found
    assert not page.exception
    assert list(drawn(page)) == ["trade_off", "coefficient_paths", "ratios"]
    written = f"{points[-1].cell.value:.6g}"
    choose(page, "select_slider", "path_at", written)
    assert page.query_params["path_at"] == written
    labels = control(page, "selectbox", "path_query").options
    second = labels[1].split()[1].rstrip(":")
    choose(page, "selectbox", "path_query", second)
    assert not page.exception
    assert page.query_params["path_query"] == second

    page.session_state["export_model"] = True
    page.run()
    page.selectbox(key="export_format").select("csv").run()
    assert not page.exception
    rows = [line.split(",") for line in page.code[0].value.splitlines()[1:]]
    coefficients = [float(row[1]) for row in rows if len(row) == 3]
    assert coefficients == points[-1].coef[:11].tolist()

    again = run_page("sparsity", job=page.query_params["job"], path_at=written)
    assert control(again, "select_slider", "path_at").value == written
    assert control(again, "slider", "values").value == 4


def test_a_query_is_named_as_before_when_the_point_has_moved(trained):
    """Its label holds values of the point; the browser may not know the new one yet."""
    page, points = trained, job_of(trained).run.found
    picker = control(page, "selectbox", "path_query")
    before = f"query {picker.value}: 0.100 → 0.200"
    picker.options.append(before)
    picker.set_value(before)
    choose(page, "select_slider", "path_at", f"{points[0].cell.value:.6g}")
    assert not page.exception
    assert not page.warning
    assert page.query_params["path_at"] == f"{points[0].cell.value:.6g}"
    assert "path_query" not in page.query_params


def test_what_is_drawn_stays_whole_when_the_controls_move_on(trained, drawn):
    page = trained
    choose(page, "selectbox", "measure", "AP")
    choose(page, "selectbox", "data", "toy-2d")
    choose(page, "selectbox", "sparse", "FenchelRank")
    assert not page.exception
    assert any("Settings changed" in caption.value for caption in page.caption)
    assert "nDCG@10" in drawn(page)["trade_off"]["alt"]


def test_a_model_goes_on_in_training(trained, run_page, monkeypatch):
    gone = {}
    monkeypatch.setattr(
        "streamlit.switch_page",
        lambda page, query_params: gone.update(page=page, **query_params),
    )
    point = job_of(trained).run.found[2]
    choose(trained, "select_slider", "path_at", f"{point.cell.value:.6g}")
    trained.button(key="take").click().run()
    assert gone["page"] == "pages/train.py"
    train = run_page("train", job=gone["job"])
    assert not train.exception
    assert train.session_state["RSRank.g"] == point.cell.value
    assert train.session_state["RSRank.max_iter"] == 20


def test_a_stopped_study_keeps_its_models(run_page, drawn, held):
    page = run_page("sparsity", sparse_view="Compare rules", **SMALL)
    page.button(key="study_start").click().run()
    job = job_of(page)
    assert held.reached.wait(60)
    page.run()
    page.button(key="study_stop").click().run()
    held.set()
    assert job.wait(60)
    page.run()
    assert job.state == "stopped"
    assert [len(t["x"]) for t in drawn(page)["rules_compared"]["data"]] == [2, 2]
    assert any("Stopped. The results so far" in c.value for c in page.caption)
