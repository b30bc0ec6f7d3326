"""The Margins page: its views show the numbers of `rankcore.topics`."""

from types import SimpleNamespace

import numpy as np
import pytest

from pages.views.margins import _learner
from rankcore import LeastSquares, load_dataset
from rankcore.topics.margins import merges as margin_merges
from rankcore.topics.margins import order as margins
from rankcore.topics.margins import rounds as margin_rounds
from rankcore.topics.margins.matrix import Lead, verdict
from rankcore.training import Stop, drive
from rankcore.views import Go, flat, read
from tests.viewing import page, shown, studied, texts, unsound, values, view

TOY = {"data": "toy-2d"}
WORKED = "0.5:0, 0.2:1, 0.1:0, -0.3:1"
VIEWS = page("margins").views
ONE, MATRIX, MAPS = VIEWS.values()
CLAIMS = view("papers", "Claims")
COMBO = {"papers_experiment": "SVMCombo bounds every loss"}
HAND = {"margin_source": "by hand"}
TRAIN = load_dataset("toy-2d").train
DIGITS = {
    "SVMCombo bounds every loss": ["0.548", "2.1", "5.48", "above Σ C ξ"],
    "The second form of φₚₒ": ["x4 x3 x2 x1", "−1.40", "−0.35", "0.000"],
    "The values of Δₘᵣᵣ": ["1.37", "1.6", "x1 x3 x2 x4", "x2 x1 x3 x4"],
    "Merging by score finds the worst order": ["1.87", "x1 x3 x4 x2", "0.867"],
    "A simple argmax for NDCG": ["1, 0, 0", "0.0662", "no"],
}


def facts(found):
    """The strip of facts as text."""
    return " | ".join(" ".join(fact) for fact in found.facts)


def pictures(found):
    """The pictures by the keys of their panels."""
    return {panel.key: panel.picture for panel in found.panels()}


def test_the_page_opens_by_hand_and_links_that_name_no_list_on_a_query():
    app = page("margins")
    assert app.opening == HAND
    source = app.rows(TOY)[1].default
    # So a link without other settings names its list, to be told from no link.
    assert app.told_from_none({}, read(app.rows({}), {})) == {"margin_source": source}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("learner", margin_rounds.structured_algorithms())
def test_every_view_has_every_learner(name, learner):
    of = VIEWS[name]
    result = values(of, margin_learner=learner, **TOY)
    assert of.refusal(result) is None
    if of.work is None:
        assert list(unsound(of.show(result))) == []


@pytest.mark.parametrize(
    ("text", "title", "table"),
    [
        (WORKED, "All 24 orders of the list", 14),
        ("0:1, 0.5:0", "Both orders of the list", 2),
        (
            "0.7:1, 0.6:0, 0.5:0, 0.4:1, 0.3:0, 0.2:1, 0.1:0",
            "The outermost orders; all are drawn for at most 6 documents",
            None,
        ),
    ],
)
def test_orders_are_points_and_of_a_long_list_the_outermost_ones(text, title, table):
    hand = shown(ONE, **HAND, margin_list=text).panels()[0]

    assert (hand.key, hand.title) == ("hand", title)
    assert table in (None, len(hand.picture.numbers()))


@pytest.mark.parametrize(
    ("text", "note"), [(WORKED, "4 swaps"), ("0:1, 0.5:0", "1 swap")]
)
def test_the_swaps_of_the_most_violated_order_are_counted(text, note):
    panels = shown(ONE, **HAND, margin_list=text).panels()
    assert note in [panel.note for panel in panels]


def test_a_document_is_moved_by_figure_and_by_slider():
    of = values(ONE, **HAND, margin_list=WORKED, margin_document="2")
    panels = {panel.key: panel for panel in ONE.show(of).panels()}

    assert panels["hand"].on_drag("documents", 3, 0.9, 3.0) == {
        "margin_list": "0.5:0, 0.2:1, 0.1:0, 0.9:1",
        "margin_document": "4",
    }
    moved = {"margin_list": "0.5:0, 0.9:1, 0.1:0, -0.3:1"}
    assert panels["slack"].on_drag("moved", 0, 0.9, 0.0) == moved
    rows = {row.key: row for row in ONE.rows(HAND)}
    assert rows["margin_score"].writes(of, 0.9) == moved
    assert (of.margin_score, of.margin_label) == (0.2, 1)
    assert rows["margin_label"].writes(of, 3) == {
        "margin_list": "0.5:0, 0.2:3, 0.1:0, -0.3:1"
    }


def test_more_c_changes_the_model_and_its_slack():
    assert facts(shown(ONE, **TOY)) != facts(shown(ONE, SVMMAP__C=100.0, **TOY))


def test_the_query_with_the_largest_slack_is_found():
    result = shown(ONE, margin_model="zero", **TOY)
    (act,) = (
        b for b in flat(result.blocks) if getattr(b, "key", "") == "largest_slack"
    )
    every = margins.slacks(_learner.LEARNERS["SVMMAP"](), TRAIN, [0.0, 0.0])

    assert act.changes() == {"query": int(every.slack.argmax()) + 1}


@pytest.mark.parametrize("learner", margin_rounds.structured_algorithms())
def test_a_query_of_one_kind_has_nothing_to_lose(learner):
    chosen = {f"{learner}.relevant_from": 4, "margin_learner": learner}
    result = shown(ONE, **chosen, **TOY)
    value = any("no order is better" in text for text in texts(result))
    assert value == (learner != "DORM")


def test_a_loss_of_several_is_chosen():
    several = shown(ONE, margin_learner="SVMCombo", margin_loss="RR", **TOY)
    assert "1 − RR" in facts(several)
    (loss,) = (row for row in ONE.rows({}) if row.key == "margin_loss")
    assert not loss.shown_when(values(ONE, **TOY))


@pytest.mark.parametrize("chosen", [TOY, HAND])
def test_dorm_has_an_assignment_in_place_of_a_merge(chosen):
    result = pictures(shown(ONE, margin_learner="DORM", **chosen))
    assert "assignment" in result
    assert "staircase" not in result


@pytest.mark.parametrize("query", [1, 2])
def test_the_assignment_is_told_by_the_documents_with_ranks_that_count(query):
    zero = {"margin_learner": "DORM", "margin_model": "zero"}
    alt = pictures(shown(ONE, query=query, **zero, **TOY))["assignment"].alt
    dorm = _learner.LEARNERS["DORM"]()
    assignment = margin_merges.assignment(
        margins.Case(dorm, TRAIN, query - 1, [0.0, 0.0])
    )
    first, result = (
        assignment.ranks.tolist().index(1),
        assignment.labels[assignment.ranks > 0],
    )

    assert f"Rank 1 goes to {assignment.documents[first]}, label" in alt
    best = (result == assignment.labels.max()).sum()
    assert f"{best} of the {len(result)} ranks that count" in alt


def test_train_live_lends_its_model_if_it_is_linear():
    run = drive(LeastSquares(), TRAIN, stop=Stop(max_iterations=1), measures=())
    raw = {"margin_model": "train", **TOY}
    work = {"train/Run": run}.get
    assert ONE.refusal(read(ONE.rows(raw), raw, work=work)) is not None
    list(run)
    result = ONE.show(read(ONE.rows(raw), raw, work=work))
    assert any("Least squares, iteration" in text for text in texts(result))
    raw["margin_round"] = 0
    result = ONE.show(read(ONE.rows(raw), raw, work=work))
    assert "Least squares, iteration 0." in texts(result)
    other = SimpleNamespace(history=[1])
    elsewhere = read(ONE.rows(raw), raw, work=lambda place: other)
    assert ONE.refusal(elsewhere) is not None


def test_the_matrix_has_a_row_for_every_learner():
    of = values(MATRIX, **TOY)
    study = studied(MATRIX, of)
    result = MATRIX.show(of, study)
    (cells,) = pictures(result)["matrix"].data

    assert len(cells["text"]) == len(study.found)
    assert len(study.found) >= len(margin_rounds.structured_algorithms())
    assert any(text.startswith("On RR@10 ") for text in texts(result))


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


def test_the_spread_is_over_folds_where_there_are_some(two_folds):
    chosen = {"data": "small/Fold1", "margin_spread": "folds", "margin_C": 1.0}
    of = values(MATRIX, **chosen)
    study = studied(MATRIX, of)
    result = MATRIX.show(of, study)
    (panel,) = result.panels()

    assert "each of 2 folds" in MATRIX.work.promise(of)
    assert len(study.found) == 2 * len(study.subject.algorithms)
    text = panel.picture.data[0]["text"][0][2]
    column = [row.values["AP"] for row in study.found[:2]]
    assert f"{np.mean(column):.3f}" in text
    assert f"±{np.std(column, ddof=1):.3f}" in text
    assert "mean of 2 folds, test data, ± standard deviation over them" in panel.note


def test_without_folds_the_spread_is_over_queries():
    of = values(MATRIX, margin_spread="folds", **TOY)
    (row,) = (row for row in MATRIX.rows({}) if row.key == "margin_spread")

    assert of.margin_spread == "queries"
    assert not row.matters(of)


def test_both_feature_maps_stand_side_by_side():
    result = pictures(shown(MAPS, margin_learner="SVMMRR", **TOY))
    assert {"orders", "maps_quality"} == set(result)
    assert len([t for t in result["orders"].data if t["type"] == "bar"]) == 6


def test_two_feature_maps_offer_only_learners_that_have_both():
    of = values(MAPS, **TOY)
    (row,) = (row for row in MAPS.rows({}) if row.key == "margin_maps_learner")

    assert of.margin_learner == "SVMMAP"
    assert of.margin_maps_learner == "SVMCombo"
    assert list(row.labels(of)) == ["SVMCombo", "SVMMRR"]
    assert row.writes(of, "SVMMRR") == {"margin_learner": "SVMMRR"}
    assert "SVMMRR.C" in values(MAPS, margin_learner="SVMMRR", **TOY)
    assert of.margin_loss == "AUC"
    assert "SVMCombo.C_map" in of
    assert "The algorithm" in MAPS.explained(of)


@pytest.mark.parametrize("claim", DIGITS)
def test_a_claim_stands_beside_its_known_digits(claim):
    result = shown(CLAIMS, papers_experiment=claim)

    for number in DIGITS[claim]:
        assert number in facts(result)
    assert len(result.panels()) == 1
    assert any("**It " in text for text in texts(result))
    assert {"Facts", result.panels()[0].title} <= set(result.exports())


def test_more_c_makes_the_bound_hold():
    result = shown(CLAIMS, **COMBO, margin_claim_C=1.0)
    assert "not above Σ C ξ: it holds" in facts(result)
    assert "so the bound holds" in pictures(result)["claim_bound"].alt
    assert "so the bound fails" in pictures(shown(CLAIMS, **COMBO))["claim_bound"].alt


def test_of_a_perfect_model_the_printed_values_blame_the_ideal_order():
    chosen = {"papers_experiment": "The values of Δₘᵣᵣ"}
    text = facts(shown(CLAIMS, margin_claim_labels="1, 1, 0, 0", **chosen))
    for item in ("0.25", "x1 x2 x3 x4", "printed 1"):
        assert item in text


def test_documents_that_choose_alone_are_compared_with_the_best_order():
    result = shown(
        CLAIMS,
        papers_experiment="A simple argmax for NDCG",
        margin_claim_alone="Irrelevant, cutoff k = 3",
    )
    rows = result.exports()["Choices"]
    assert "0.306" in facts(result)
    assert [row["lost"] for row in rows] == ["0.066", "0.000", "0.194", "0.306"]
    assert [row["an order"] for row in rows] == ["no", "yes", "no", "no"]


@pytest.mark.parametrize(
    ("claim", "slack"),
    [
        ("SVMCombo bounds every loss", "1.28"),
        ("The second form of φₚₒ", None),
        ("The values of Δₘᵣᵣ", "1.37"),
        ("Merging by score finds the worst order", "1.87"),
        ("A simple argmax for NDCG", "0.000"),
    ],
)
def test_a_claim_is_shown_by_hand(claim, slack):
    chosen = {"papers_experiment": claim, "margin_claim_k": 3}
    if claim == "The values of Δₘᵣᵣ":
        chosen.pop("margin_claim_k")
    result = shown(CLAIMS, **chosen)
    (way,) = (block for block in flat(result.blocks) if isinstance(block, Go))
    chosen = way.settings

    assert page(way.page).view(chosen) is ONE
    here = values(ONE, **chosen)
    assert all(here.get(key, value) == value for key, value in chosen.items()), chosen
    assert slack is None or slack in facts(ONE.show(here))


def test_presets_lead_to_every_view():
    scenarios = page("margins").scenarios({})
    assert {changes["margin_view"] for changes in scenarios.values()} == set(VIEWS)


def test_the_matrix_says_which_leads_are_ties():
    leads = [
        Lead("AP", -0.1, 0.01, ""),
        Lead("AUC", 0.05, 0.4, ""),
        Lead("RR@10", 0.2, 0.25, "Only 3 of 20 queries differ: no test can decide."),
    ]
    assert verdict(leads) == (
        "On AP a model trained for it leads by 0.100, more than noise (p = 0.01); on "
        "AUC another model leads by 0.050, which is a tie (p = 0.4); on RR@10 another "
        "model leads by 0.200 (only 3 of 20 queries differ: no test can decide). "
        "Paired tests over queries, adjusted by Holm."
    )
    assert verdict([]) == ""
    leads = [Lead("AP", -0.1, 0.3, ""), Lead("AUC", 0.05, 0.4, "")]
    assert verdict(leads) == (
        "Every lead is a tie (p ≥ 0.3): models trained for it lead on AP (0.100), "
        "others on AUC (0.050). Paired tests over queries, adjusted by Holm."
    )
