"""The Margins page: every view runs, and shows the numbers of the insight."""

import json

import numpy as np
import pytest

from pages.ui import jobs
from rankcore import LeastSquares, load_dataset
from rankcore.insight import margin_merges, margin_rounds, margins

TOY = {"data": "toy-2d"}
WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
VIEWS = [
    "One query",
    "By hand",
    "Rounds",
    "C and health",
    "Trained on × tested on",
    "Two feature maps",
    "What is true",
]
CLAIMS = {
    "SVMcombo bounds every loss": ["0.547936", "2.099079", "5.479358", "above Σ C ξ"],
    "The second form of φ_po": ["x4 x3 x2 x1", "−1.40", "−0.35", "0.000000"],
    "The values of Δ_mrr": ["1.366667", "1.600000", "x1 x3 x2 x4", "x2 x1 x3 x4"],
    "Merging by score finds the worst order": ["1.866667", "x1 x3 x4 x2", "0.866667"],
    "A simple argmax for NDCG": ["1, 0, 0", "0.0662", ">no<"],
}


def facts(page):
    """The strip of facts as text."""
    bodies = [part.proto.body for part in page.get("html")]
    return next(body for body in bodies if '"rs-facts"' in body)


@pytest.fixture
def study(run_page):
    """A view whose job has been started and waited for."""

    def run(view, kind, **link):
        page = run_page("margins", margin_view=view, speed="as fast as it goes", **link)
        page.button(key="start_study").click().run()
        job = jobs.registry().get(page.query_params[kind])
        assert job.wait(60)
        return page.run(), job

    return run


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_the_page_opens(request, runner, drawn):
    page = request.getfixturevalue(runner)("margins")

    assert not page.exception
    assert page.title[0].value == "Margins"
    assert {"orders", "swaps", "staircase"} <= set(drawn(page))


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_runs_on_every_kind_of_learner(run_page, view):
    for name in margin_rounds.structured_algorithms():
        page = run_page("margins", margin_view=view, margin_learner=name, **TOY)
        assert not page.exception


def test_the_page_draws_the_orders_of_the_insight(run_page, drawn):
    page = run_page("margins", margin_model="zero", query="2", **TOY)
    learner = margin_rounds.structured_algorithms()["SVMMAP"]()
    train = load_dataset("toy-2d").train
    found = margins.worst_order(learner, train, 1, [0.0, 0.0])
    bars = [t for t in drawn(page)["orders"]["data"] if t["type"] == "bar"]

    assert [text.split(" · ")[0] for text in bars[2]["text"]] == [
        found.documents[i] for i in found.worst
    ]
    assert f"{found.slack:.3f}" in facts(page)


def test_the_worked_example_has_its_numbers(run_page):
    page = run_page("margins", margin_view="By hand", margin_list=WORKED)

    assert "1.283" in facts(page)
    assert any("1.283" in formula.value for formula in page.latex)


def test_moving_a_score_by_keyboard_moves_the_slack(run_page, drawn):
    page = run_page("margins", margin_view="By hand", margin_list=WORKED)
    before = facts(page)
    page.slider(key="margin_score").set_value(0.9).run()

    assert facts(page) != before
    assert drawn(page)["hand_scores"]["data"][0]["x"][3] == 0.9
    assert "0.9:1" in page.session_state["margin_list"]


def test_more_c_changes_the_model_and_its_slack(run_page):
    page = run_page("margins", **TOY)
    before = facts(page)
    page.select_slider(key="SVMMAP.C").set_value(100.0).run()

    assert not page.exception
    assert facts(page) != before


def test_the_query_with_the_largest_slack_is_found(run_page):
    page = run_page("margins", margin_model="zero", **TOY)
    page.button(key="largest_slack").click().run()
    learner = margin_rounds.structured_algorithms()["SVMMAP"]()
    every = margins.slacks(learner, load_dataset("toy-2d").train, [0.0, 0.0])

    assert page.session_state["query"] == int(every.slack.argmax()) + 1


def test_a_query_of_one_kind_has_nothing_to_lose(run_page):
    for name in margin_rounds.structured_algorithms():
        link = {f"{name}.relevant_from": "4", "margin_learner": name}
        page = run_page("margins", **link, **TOY)
        assert not page.exception
        if name != "DORM":
            assert "no order is better" in page.info[0].value


def test_a_loss_of_several_is_chosen(run_page):
    page = run_page("margins", margin_learner="SVMCombo", margin_loss="RR", **TOY)

    assert "1 − RR" in facts(page)


def test_dorm_has_an_assignment_in_place_of_a_merge(run_page, drawn):
    page = run_page("margins", margin_learner="DORM", **TOY)

    assert "assignment" in drawn(page)
    assert "staircase" not in drawn(page)


@pytest.mark.parametrize("query", [1, 2])
def test_the_assignment_is_told_by_who_gets_the_ranks_that_count(
    run_page, drawn, query
):
    page = run_page(
        "margins",
        margin_learner="DORM",
        margin_model="zero",
        query=str(query),
        **TOY,
    )
    dorm = margin_rounds.structured_algorithms()["DORM"]()
    train = load_dataset("toy-2d").train
    found = margin_merges.assignment(dorm, train, query - 1, [0.0, 0.0])
    first = found.ranks.tolist().index(1)
    kept = found.labels[found.ranks > 0]
    told = drawn(page)["assignment"]["alt"]

    assert f"Rank 1 goes to {found.documents[first]}, label" in told
    best = (kept == found.labels.max()).sum()
    assert f"{best} of the {len(kept)} ranks that count" in told


def test_rounds_are_drawn_and_lend_their_model(study, drawn):
    page, job = study("Rounds", "rounds_job", **TOY)
    assert not page.exception
    found = margin_rounds.rounds(
        margin_rounds.structured_algorithms()["SVMMAP"](), job.run.records
    )
    pictures = drawn(page)
    assert pictures["rounds"]["data"][0]["y"] == pytest.approx(found.best)
    assert "planes" in pictures

    page.slider(key="choose_round").set_value(0).run()
    assert "Round</span>" in facts(page)
    page.segmented_control(key="margin_view").set_value("One query").run()
    page.selectbox(key="choose_margin_model").set_value("round").run()
    assert not page.exception
    assert any("round 0" in caption.value for caption in page.caption)


@pytest.mark.parametrize("view", ["Rounds", "C and health", "Trained on × tested on"])
def test_before_a_study_its_picture_is_described(run_page, view):
    page = run_page("margins", margin_view=view, **TOY)
    assert [info.value for info in page.info if "Nothing is trained yet" in info.value]


def test_health_grows_with_c(study, drawn):
    page, job = study("C and health", "health_job", margin_points="4", **TOY)

    assert not page.exception
    assert len(job.run.found) == 4
    picture = drawn(page)["health"]["data"]
    assert picture[2]["y"] == sorted(picture[2]["y"])


def test_the_matrix_has_a_row_for_every_learner(study, drawn):
    page, job = study("Trained on × tested on", "matrix_job", **TOY)

    assert not page.exception
    (cells,) = drawn(page)["matrix"]["data"]
    assert len(cells["text"]) == len(job.run.found)
    assert len(job.run.found) >= len(margin_rounds.structured_algorithms())


def test_both_feature_maps_stand_side_by_side(run_page, drawn):
    page = run_page(
        "margins", margin_view="Two feature maps", margin_learner="SVMMRR", **TOY
    )

    assert {"orders_pairs", "orders_first", "maps_quality"} <= set(drawn(page))


def test_a_link_to_a_study_brings_its_settings(study, run_page, drawn):
    _, job = study("Rounds", "rounds_job", margin_learner="SVMAUC", **TOY)
    page = run_page("margins", margin_view="Rounds", rounds_job=job.id)

    assert not page.exception
    assert page.session_state["margin_learner"] == "SVMAUC"
    assert "rounds" in drawn(page)


def test_a_link_to_a_study_of_another_kind_is_ignored(study, run_page):
    _, job = study("C and health", "health_job", margin_points="4", **TOY)
    page = run_page("margins", margin_view="Rounds", rounds_job=job.id, **TOY)

    assert not page.exception
    assert any("Nothing is trained yet" in info.value for info in page.info)


def claimed(run_page, claim, **link):
    """The page that puts a claim to the test."""
    return run_page("margins", margin_view="What is true", margin_claim=claim, **link)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_stands_beside_its_known_digits(run_page, drawn, claim):
    page = claimed(run_page, claim)

    assert not page.exception
    assert page.radio(key="margin_claim").value == claim
    for number in CLAIMS[claim]:
        assert number in facts(page)
    assert len(drawn(page)) == 1
    assert any("**It " in text.value for text in page.markdown)


def test_the_worked_slacks_stand_in_a_table(run_page):
    page = claimed(run_page, "SVMcombo bounds every loss")
    (table,) = (frame.value for frame in page.dataframe)

    slacks = ["1.700000", "1.283333", "1.129358", "1.366667"]
    assert table["slack ξ"].tolist() == slacks


def test_more_c_makes_the_bound_hold(run_page, drawn):
    page = claimed(run_page, "SVMcombo bounds every loss")
    page.select_slider(key="margin_claim_C").set_value(1.0).run()

    assert "not above Σ C ξ: it holds" in facts(page)
    assert "so the bound holds" in drawn(page)["claim_bound"]["alt"]


def test_of_a_perfect_model_the_printed_values_blame_the_ideal_order(run_page):
    page = claimed(run_page, "The values of Δ_mrr", margin_claim_labels="1, 1, 0, 0")

    assert "0.250000" in facts(page)
    assert "x1 x2 x3 x4" in facts(page)
    assert "printed 1.000000" in facts(page)


def test_whoever_chooses_alone_is_compared_with_the_best_order(run_page):
    page = claimed(
        run_page,
        "A simple argmax for NDCG",
        margin_claim_alone="Irrelevant, cutoff k = 3",
    )
    (table,) = (frame.value for frame in page.dataframe)

    assert "0.3059" in facts(page)
    assert table["lost"].tolist() == ["0.0662", "0.0000", "0.1941", "0.3059"]
    assert table["an order"].tolist() == ["no", "yes", "no", "no"]


@pytest.mark.parametrize(
    ("claim", "slack"),
    [
        ("SVMcombo bounds every loss", "1.283"),
        ("The values of Δ_mrr", "1.367"),
        ("Merging by score finds the worst order", "1.867"),
        ("A simple argmax for NDCG", "0.000"),
    ],
)
def test_a_claim_is_shown_by_hand(run_page, claim, slack):
    page = claimed(run_page, claim)
    page.button(key="margin_scene").click().run()

    assert not page.exception
    assert page.session_state["margin_view"] == "By hand"
    assert slack in facts(page)


def test_presets_run_and_lead_to_every_view(run_page):
    page = run_page("margins")
    reached = set()
    for title in page.pills(key="preset").options:
        page.pills(key="preset").set_value(title).run()
        assert not page.exception
        reached.add(page.session_state["margin_view"])

    assert reached == set(VIEWS)


def test_nonsense_in_a_link_falls_back(run_page):
    page = run_page(
        "margins",
        margin_view="nowhere",
        margin_learner="nobody",
        margin_model="none",
        margin_list="x:y",
        margin_document="99",
        margin_round="-7",
        margin_claim="?",
        margin_claim_C="3",
        margin_claim_labels="2",
        margin_claim_k="0",
        query="0",
        rounds_job="gone",
    )
    assert not page.exception
    page = run_page(
        "margins", margin_view="By hand", margin_list="1", margin_document="z"
    )
    assert not page.exception


@pytest.mark.parametrize("view", ["One query", "Trained on × tested on"])
def test_without_structured_learners_a_linear_model_has_its_argmax(
    run_page, monkeypatch, view
):
    monkeypatch.setattr("rankcore.algorithms.list_algorithms", lambda: ["RankSVM"])
    page = run_page("margins", margin_view=view, query="2", **TOY)

    assert not page.exception
    assert "No structured learner is installed" in page.info[0].value
    query = load_dataset("toy-2d").train.query(1)
    coef = LeastSquares().fit_dataset(load_dataset("toy-2d").train).coef_
    labels = query.y[np.argsort(-(query.X @ coef), kind="stable")][:16]
    (ranking,) = (
        json.loads(mounted.proto.json)
        for mounted in page.get("bidi_component")
        if '"kind": "ranking"' in mounted.proto.json
    )
    assert ranking["alt"].endswith(f"model: {', '.join(map(str, labels))}.")


@pytest.fixture
def two_folds(tmp_path, monkeypatch):
    """A data set of two folds among those one can choose."""
    rng = np.random.default_rng(0)
    for fold in ("Fold1", "Fold2"):
        (tmp_path / "small" / fold).mkdir(parents=True)
        for part in ("train", "vali", "test"):
            lines = [
                f"{rng.integers(3)} qid:{q} 1:{rng.random():.3f} 2:{rng.random():.3f}\n"
                for q in range(4)
                for _ in range(6)
            ]
            path = tmp_path / "small" / fold / f"{part}.txt"
            path.write_text("".join(lines))
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))


def test_the_spread_is_over_folds_where_there_are_some(two_folds, study, drawn):
    page, job = study(
        "Trained on × tested on",
        "matrix_job",
        data="small/Fold1",
        margin_spread="folds",
        margin_C="1",
    )

    assert not page.exception
    assert job.error is None
    assert len(job.run.found) == 2 * len(job.run.subject.algorithms)
    (cells,) = drawn(page)["matrix"]["data"]
    values = [row.values["AP"] for row in job.run.found[:2]]
    assert f"{np.mean(values):.3f}" in cells["text"][0][2]
    assert f"±{np.std(values, ddof=1):.3f}" in cells["text"][0][2]
    bodies = " ".join(part.proto.body for part in page.get("html"))
    assert "mean of 2 folds, test data, ± standard deviation over them" in bodies


def test_without_folds_the_spread_is_said_to_be_over_queries(run_page):
    page = run_page("margins", margin_view="Trained on × tested on", **TOY)

    assert any("± is over queries" in caption.value for caption in page.caption)
