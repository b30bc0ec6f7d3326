"""The landscape of models: exact steps, surrogates, and where restarts end."""

import numpy as np
import pytest

from pages.ui import registry
from pages.ui.away import links
from pages.views.approximation import _restarts, _scene
from rankcore import load_dataset, measures
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.topics.approximation import directions, scenes, table_five
from rankcore.topics.approximation.end_points import outcomes
from rankcore.topics.approximation.landscape import smooth_measures
from rankcore.topics.approximation.scenes_figure import MAP
from rankcore.views import Ask, Caption, Table, Tiles, flat
from tests import viewing
from tests.viewing import studied, trace

CIRCLE = {"data": "toy-2d"}
SPHERE = {"data": "toy-3d", "land_shape": "Sphere"}
LINE = CIRCLE | {
    "land_shape": "Line",
    "land_from": "LeastSquares",
    "land_to": "SingleFeature",
}
ALL = CIRCLE | {"land_restarts_in": "all features", "land_restarts": 3}
VIEW = viewing.view("approximation", "Landscape")


def chosen(link):
    return viewing.values(VIEW, **link)


def shown(link, study=None):
    return VIEW.show(chosen(link), study)


def figures(found):
    return {panel.key: panel.picture for panel in found.panels()}


def named(picture):
    return [trace["name"] for trace in picture.data]


def captions(found):
    return " ".join(b.text for b in flat(found.blocks) if isinstance(b, Caption))


def table(found, key):
    return next(
        b.rows for b in flat(found.blocks) if isinstance(b, Table) and b.key == key
    )


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        (CIRCLE, {"ring", "landscape"}),
        (LINE, {"landscape"}),
        (SPHERE, {"globe", "exact_map", "smooth_map"}),
    ],
)
def test_every_shape_draws_and_says_what_it_found(link, wanted):
    result = shown(link)

    assert set(figures(result)) == wanted
    assert list(viewing.unsound(result)) == []
    assert all("nDCG" in picture.alt for picture in figures(result).values())
    assert "6 of 6 training queries (39 documents)." in captions(result)
    assert result.records["Settings"]["land_measure"] == "nDCG"


def test_the_ring_is_unrolled_and_its_steps_stay_below_it():
    landscape = "approximation?approx_view=Landscape&data=toy-2d&land_shape="
    link = links.opened(f"{landscape}Circle")
    view = link.page.view(link.raw)
    row = next(row for row in view.rows(link.raw) if row.key == "land_unrolled")
    kinds = []
    for stage in (row.low, row.high):
        opened = links.OpenLink(link.page, {**link.raw, row.key: stage}, {})
        ring, steps = view.show(opened.values(), None).panels()
        assert (ring.key, steps.key) == ("ring", "landscape")
        kinds.append({item["type"] for item in ring.picture.data})
    assert kinds == [{"barpolar", "scatterpolar"}, {"scatter"}]
    assert not row.matters(links.opened(f"{landscape}Line").values())


@pytest.mark.parametrize("link", [CIRCLE, LINE])
def test_the_table_of_the_steps_is_the_exact_profile(link):
    profile = _scene.scene(chosen(link)).profile
    rows = figures(shown(link))["landscape"].numbers()

    assert rows["from"].tolist() == profile.edges[:-1].tolist()
    assert rows["to"].tolist() == profile.edges[1:].tolist()
    assert rows["nDCG"].tolist() == profile.values.tolist()
    surrogate = rows["α = 10, in the middle"]
    assert (surrogate >= 0.0).all()
    assert (surrogate <= 1.0).all()


def test_the_directions_of_the_sphere_can_be_exported():
    rows = shown(SPHERE).exports()["Directions"]()
    data = _scene.scene(chosen(SPHERE)).ground

    assert len(rows["nDCG"]) == len(MAP) * 90
    place = 1234
    model = directions.on_sphere(rows["longitude"][place], rows["latitude"][place])
    expected = measures.means(data, data.X @ model, "nDCG")["nDCG"]
    assert rows["nDCG"][place] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("link", "key", "to", "x"),
    [(CIRCLE, "land_angle", 200.0, 200.13), (LINE, "line_position", -0.25, -3.0)],
)
def test_another_model_is_selected_by_dragging(link, key, to, x):
    before = shown(link)
    panel = next(panel for panel in before.panels() if panel.key == "landscape")
    assert panel.on_drag("model", 0, x, 0.5) == {key: to}
    after = shown(link | {key: to})

    model = trace(figures(after)["landscape"], "model")
    assert model["x"] == [to]
    profile = _scene.scene(chosen(link)).profile
    assert model["y"] == [float(profile.at(to))]
    assert after.facts[0].number == f"{model['y'][0]:.3f}"
    assert key in [b.settings[0].key for b in flat(after.blocks) if isinstance(b, Ask)]


def test_the_selected_model_ranks_the_query():
    tiles = [
        next(b for b in flat(shown(link).blocks) if isinstance(b, Tiles))
        for link in (CIRCLE, CIRCLE | {"land_angle": 210.0}, CIRCLE | {"query": 2})
    ]
    here, opposite, other = (tile.ranking.documents for tile in tiles)
    assert here == opposite[::-1]
    assert set(other).isdisjoint(here)


def test_only_queries_that_are_drawn_can_be_ranked():
    assert chosen(CIRCLE | {"query": 6})["query"] == 6
    assert chosen(CIRCLE | {"query": 4, "land_queries": 3})["query"] == 1


def test_axes_are_the_strongest_features_unless_others_are_chosen():
    train = load_dataset("planted").train
    first, second = _scene.names(chosen({"data": "planted"}))
    assert first != second
    picked = {"data": "planted", "land_first": "7", "land_shape": "Sphere"}
    names = _scene.names(chosen(picked))
    assert names == [train.feature_names[7], first, second]
    # One feature cannot be two axes, and nonsense is none.
    same = chosen(picked | {"land_second": "7", "land_third": "many"})
    assert _scene.names(same) == names


@pytest.mark.parametrize("data", ["toy-2d", "planted", "mslr10k-sample"])
def test_the_measures_do_not_depend_on_the_data(data):
    assert list(smooth_measures(load_dataset(data).train)) == list(scenes.learners())


def test_ends_of_a_line_may_be_any_linear_models():
    values = chosen(LINE | {"land_from": "zero", "land_to": "RSRank"})
    assert _scene.names(values) == ["The zero model", "RSRank"]
    data = _scene.scene(values).ground
    assert not data.X[:, 0].any()
    assert data.X[:, 1].any()
    assert _scene.names(chosen(LINE | {"land_to": "LambdaMART"}))[1] == "RSRank"


@pytest.mark.parametrize("link", [CIRCLE, LINE])
def test_the_best_of_the_surrogate_is_marked_beside_the_best_there_is(link):
    profile = _scene.scene(chosen(link)).profile
    result = shown(link)
    picture = figures(result)["landscape"]
    best, surrogate = trace(picture, "best"), trace(picture, "best of the smooth")

    assert best["y"] == [profile.best]
    assert profile.at(best["x"][0]) == profile.best
    assert surrogate["y"][0] == pytest.approx(max(trace(picture, "α = 10")["y"]))
    assert surrogate["y"][1] == pytest.approx(profile.at(surrogate["x"][0]))
    loss = profile.best - surrogate["y"][1]
    words = "nothing is lost" if loss < 1e-12 else f"a loss of {loss:.3f}"
    assert words in captions(result)
    if link is CIRCLE:
        assert trace(figures(result)["ring"], "best")["theta"] == best["x"]

    after = figures(shown(link | {"approx_alpha": 300.0}))["landscape"]
    assert trace(after, "best of the smooth")["y"] != surrogate["y"]
    assert trace(after, "best")["y"] == best["y"]


@pytest.mark.parametrize("link", [CIRCLE, LINE, SPHERE])
def test_restarts_are_marked_where_they_end(link):
    link = link | {"land_restarts": 2}
    study = studied(VIEW, chosen(link))
    result = shown(link, study)

    assert list(viewing.unsound(result)) == []
    assert study.total == len(study.found) == 2 * len(_restarts.ALPHAS)
    drawn = figures(result)
    assert {"spread", "buying"} <= set(drawn)
    assert len(drawn["spread"].numbers()["seed"]) == study.total
    assert len(table(result, "outcomes")) == len(_restarts.ALPHAS)
    here = [point for point in study.found if point.alpha == 10.0]
    if link["data"] == "toy-3d":
        for key in ("globe", "exact_map", "smooth_map"):
            assert len(trace(drawn[key], "end points")["x"]) == len(here)
    else:
        ends = trace(drawn["landscape"], "end points")
        exact = [point.exact for point in here]
        assert set(ends["y"]) <= set(exact)
        assert len(ends["y"]) == len(exact) or link is not CIRCLE
    # They are no models of other queries, and stay in sight below.
    other = shown(link | {"land_queries": 3}, study)
    assert not any(
        "end points" in named(figures(other)[key])
        for key in ("landscape",)
        if key in figures(other)
    )
    assert {"spread", "buying"} <= set(figures(other))


def test_a_sharpness_is_compared_with_that_of_the_nearest_restarts():
    link = CIRCLE | {"land_restarts": 2}
    study = studied(VIEW, chosen(link))
    for alpha, nearest in ((0.1, 1.0), (300.0, 300.0)):
        picture = figures(shown(link | {"approx_alpha": alpha}, study))["landscape"]
        exact = [point.exact for point in study.found if point.alpha == nearest]
        assert sorted(trace(picture, "end points")["y"]) == sorted(exact)


def test_table_5_runs_on_all_features_and_queries():
    link = ALL | {"data": "toy-3d"}
    values = chosen(link)
    work = VIEW.work_for(values)
    assert work.button == "Run Table 5"
    assert "all 3 features and all 6 training queries" in work.promise(values)
    assert "These 9 runs of Algorithm 1" in work.promise(values)
    study = studied(VIEW, values)

    assert len(study.found) == 9
    assert {len(point.coef) for point in study.found} == {3}
    assert study.subject.measure == "nDCG@5"
    result = shown(link, study)
    assert {"spread", "buying"} <= set(figures(result))
    rows = table(result, "table5_rows")
    assert [row["α"] for row in rows] == ["50", "100", "300"]
    for row, outcome in zip(rows, outcomes(study.found), strict=True):
        assert row["one start"] == f"{outcome.mean:.3f} ± {outcome.deviation:.3f}"
        assert row["best of all"] == f"{outcome.best:.3f}"
    # These are no places of the landscape, and nothing was published about them.
    assert "end points" not in named(figures(result)["landscape"])
    assert "published, one start" not in rows[0]
    assert "published" not in captions(result)


def test_the_published_rows_stand_beside_the_data_they_are_about(monkeypatch):
    monkeypatch.setattr(table_five, "DATA", "Toy-2d")
    monkeypatch.setattr(table_five, "FEATURES", 2)
    monkeypatch.setattr(table_five, "ENOUGH", 3)
    monkeypatch.setattr(table_five, "FEW", 2)
    study = studied(VIEW, chosen(ALL))
    result = shown(ALL, study)
    rows = table(result, "table5_rows")
    one = [row["published, one start"] for row in rows]
    hundred = [row["published, best of 100"] for row in rows]
    assert one == ["0.4818", "0.4849", "0.4793"]
    assert hundred == ["0.4828", "0.4862", "0.5073"]
    assert "differ by at most 0.0056" in captions(result)
    deviations = [float(row["one start"].split(" ± ")[1]) for row in rows]
    assert ("their order is random" in captions(result)) == (max(deviations) > 0.0056)

    # The surrogate of nDCG@5 is another one than the paper's; so are scaled features.
    for other in ({"land_measure": "nDCG@5"}, {"normalise": "zscore"}):
        made = VIEW.work_for(chosen(ALL | other)).study(chosen(ALL | other))
        assert not made.subject.comparable


def test_a_study_depends_on_what_it_is_about():
    circle, everywhere = (
        VIEW.studied(chosen(CIRCLE), CIRCLE),
        VIEW.studied(chosen(ALL), ALL),
    )
    assert circle.keys() - everywhere.keys() == {
        "land_shape", "land_queries", "land_from", "land_to", "land_first",
        "land_second", "land_third",
    }  # fmt: skip
    assert "approx_alpha" not in circle
    assert "land_angle" not in circle


def test_a_learner_that_refuses_the_data_says_so(monkeypatch):
    monkeypatch.setattr(
        ApproxNDCG, "unsupported_reason", lambda self, data: "Not this data."
    )
    assert VIEW.no_study(chosen(ALL)) == "Not this data."
    assert VIEW.no_study(chosen(CIRCLE)) is None
    assert shown(ALL).panels()


def test_what_cannot_be_drawn_is_refused_in_a_sentence(monkeypatch):
    flat_sphere = chosen(SPHERE | {"data": "toy-2d"})
    assert "needs 3 features and this data has 2" in VIEW.refusal(flat_sphere)
    assert VIEW.show(flat_sphere, None).panels() == []
    monkeypatch.setitem(scenes.SHAPES, "Circle", scenes.Shape(2, 2))
    assert "The first query alone has" in VIEW.refusal(chosen(CIRCLE))


def test_queries_without_relevant_documents_are_refused(monkeypatch):
    train = load_dataset("toy-2d").train
    blank = type(train)(
        train.X, np.zeros_like(train.y), train.offsets, train.query_ids,
        train.doc_ids, train.feature_names,
    )  # fmt: skip
    monkeypatch.setattr(
        _scene.datasets,
        "of",
        lambda values: load_dataset("toy-2d")._replace(train=blank),
    )
    assert "None of these queries has a relevant" in VIEW.refusal(chosen(CIRCLE))


def test_long_lists_are_limited():
    result = shown({"data": "planted", "land_queries": 20})
    assert {"ring", "landscape"} <= set(figures(result))
    assert "no more than 800 together" in captions(result)


def press(page, label):
    next(b for b in page.button if b.label == label).click().run()
    return page.run()


def said(page, words):
    return any(words in caption.value for caption in page.caption)


def test_the_third_feature_is_kept_between_circle_and_sphere():
    third = {"data": "planted", "land_third": "7"}
    shapes = ("Sphere", "Circle", "Sphere")
    first, _, again = (_scene.names(chosen(third | {"land_shape": s})) for s in shapes)
    assert first == again
    assert first[2] == load_dataset("planted").train.feature_names[7]


def test_restarts_run_as_a_study_and_a_link_shows_them_again(run_page, drawn):
    link = {"approx_view": "Landscape", "data": "toy-2d", "land_restarts": "2"}
    page = press(run_page("approximation", **link), "Run 10 restarts")
    job = page.query_params["job"]
    assert registry.registry().get(job).wait(60)
    page.run()

    assert not page.exception
    assert said(page, "All 10 restarts have ended.")
    assert {"spread", "buying", "ring", "landscape"} <= set(drawn(page))
    again = run_page("approximation", approx_view="Landscape", ends=job)
    assert not again.exception
    assert again.session_state["land_restarts"] == 2
    assert said(again, "All 10 restarts have ended.")
    assert again.query_params["job"] == job


def test_restarts_of_both_kinds_stand_side_by_side(run_page, drawn):
    link = {"approx_view": "Landscape", "data": "toy-2d", "land_restarts": "2"}
    page = press(run_page("approximation", **link), "Run 10 restarts")
    assert registry.registry().get(page.query_params["job"]).wait(60)
    choice = page.segmented_control(key="land_restarts_in#0")
    choice.set_value("all features").run()
    page.run()
    assert not page.exception
    assert "spread" not in drawn(page)
    assert "job" not in page.query_params
    press(page, "Run Table 5")
    assert registry.registry().get(page.query_params["job"]).wait(60)
    page.run()
    assert said(page, "All 6 restarts have ended.")

    choice = page.segmented_control(key="land_restarts_in#0")
    choice.set_value("these coordinates").run()
    page.run()
    assert said(page, "All 10 restarts have ended.")
    assert "end points" in {t["name"] for t in drawn(page)["landscape"]["data"]}


def test_table_5_can_be_stopped_within_a_restart(run_page, monkeypatch):
    endless = {"restart_passes": 10**6, "max_iter": 10**6, "tolerance": 0.0}
    as_printed = table_five.as_in_the_paper
    monkeypatch.setattr(
        table_five, "as_in_the_paper", lambda of: as_printed(of).set_params(**endless)
    )
    link = {"approx_view": "Landscape", "land_restarts_in": "all features"}
    page = press(run_page("approximation", **link, data="planted"), "Run Table 5")
    job = registry.registry().get(page.query_params["job"])
    press(page, "Stop")
    assert job.wait(120)
    page.run()

    assert job.state == "stopped"
    assert not page.exception
    assert said(page, "Stopped. The results so far are kept.")
    page.slider(key="land_restarts#0").set_value(7).run()
    page.run()
    assert said(page, "Settings changed.")
