"""Quality of what is learnt from clicks as sessions arrive, and its pictures."""

import json
from dataclasses import replace

import numpy as np
import pytest

from rankcore.data.catalogue import Splits
from rankcore.topics.clicks import curves as insight
from rankcore.topics.clicks.curves import (
    SEEDS,
    ClickCurves,
    CurvePlan,
    CurvePoint,
    CurveStudy,
    SessionCurve,
    curves,
    facts,
    relevant_from,
    true_examination,
    verdict,
)
from rankcore.topics.clicks.curves_figure import (
    FULL,
    NAIVE,
    WEIGHTED,
    curves_figure,
    examination_figure,
)
from rankcore.topics.clicks.examination import ExaminationEstimate
from rankcore.topics.clicks.simulation import ClickBehaviour, ClickSimulation
from tests.topics.clicks.logs import DATA

SPLITS = Splits(*(DATA.subset(range(*ends)) for ends in ((0, 12), (12, 24), (24, 40))))
PLAN = CurvePlan(SPLITS, sessions=63, shown=4)


def points(plan):
    study = CurveStudy(plan)
    for _ in study:
        pass
    assert study.done == study.total == 1 + 2 * SEEDS * len(plan.numbers)
    assert "63 sessions" in study.reason
    return study.found


@pytest.fixture(scope="module")
def found():
    return points(PLAN)


def test_each_number_of_sessions_has_a_naive_and_a_weighted_model_a_seed(found):
    assert [one.method for one in found[:3]] == ["labels", "naive", "weighted"]
    gathered = curves(PLAN, found[::-1])
    assert gathered.naive.sessions.tolist() == [40, 63]
    naive = [
        one.quality for one in found if (one.sessions, one.method) == (63, "naive")
    ]
    values = [column[-1] for column in gathered.naive[1:]]
    assert values == [np.mean(naive), min(naive), max(naive)]
    assert gathered.full == found[0].quality > gathered.naive.mean[0]
    assert gathered.last.effective <= gathered.last.clicks


def test_what_moves_while_a_model_is_learnt_is_there_to_be_drawn():
    study, seen = CurveStudy(PLAN), []
    assert insight.moving(study) is None
    while study.done < 4:
        next(study)
        seen.append(insight.moving(study))
    moves = seen[-1]
    assert moves.now.sessions == PLAN.numbers[0]
    assert [one.number for one in moves.points] == [0, 0, 1]
    assert 0.0 < moves.quality <= 1.0
    assert moves.now.clicks[0] == 1.0
    learnt = curves(PLAN, study.found)
    still, picture = (
        curves_figure(learnt, PLAN),
        curves_figure(learnt, PLAN, moves=moves),
    )
    ring = picture.data[-1]
    assert list(ring["y"]) == [moves.quality]
    assert "under way, naive, 40 sessions, users 2" in ring["hovertemplate"]
    assert (picture.alt, len(picture.data)) == (still.alt, len(still.data) + 2)
    low, high = picture.layout["yaxis"]["range"]
    assert low < learnt.naive.low.min() < learnt.full < high
    study.close()
    assert insight.moving(study) is None


def test_the_same_seed_gives_the_same_numbers_and_json_has_them(found):
    assert points(PLAN) == found
    written = json.loads(json.dumps([one.to_json() for one in found]))
    assert [CurvePoint.from_json(one) for one in written] == found
    assert points(replace(PLAN, seed=1)) != found


def test_naive_learning_knows_no_propensities(found):
    other = points(replace(PLAN, source="wrong", assumed=2.0))

    def qualities(every, method):
        return [one.quality for one in every if one.method == method]

    assert qualities(other, "naive") == qualities(found, "naive")
    assert qualities(other, "weighted") != qualities(found, "weighted")


def test_what_no_click_links_to_the_top_is_said_in_place_of_a_model():
    plan = replace(PLAN, source="swaps", shown=15, sessions=40)
    study = CurveStudy(plan)
    for _ in study:
        pass
    last = study.found[-1]
    assert (last.method, last.quality, last.examination) == ("weighted", None, ())
    assert last.problem.startswith("No clicked documents link position")
    gathered = curves(plan, study.found)
    assert gathered.used is None
    assert verdict(gathered) == gathered.last.problem


def test_regression_needs_a_click_at_each_position():
    plan = replace(PLAN, source="regression", shown=12, sessions=40)
    behaviour = ClickBehaviour(severity=2.0, noise=0.0)
    study = CurveStudy(replace(plan, behaviour=behaviour))
    list(study)
    assert "has no clicks. Log more sessions." in study.found[-1].problem


def test_examination_of_a_cascade_is_the_mean_over_lists():
    small = DATA.subset(range(2))
    relevance = np.zeros(small.n_documents)
    relevance[small.offsets[0]] = 1.0
    scores = -np.arange(float(small.n_documents))
    users = ClickBehaviour("cascade", noise=0.5)
    engine = ClickSimulation(small, relevance, (scores,), users, 3)
    # The first list ends at its first document, the second with .5 at each.
    expected = [1.0, (0.0 + 0.5) / 2, (0.0 + 0.25) / 2]
    assert true_examination(engine).tolist() == expected


def test_relevant_documents_are_few_where_labels_allow_it():
    labels = np.zeros(DATA.n_documents, np.int64)
    labels[: DATA.n_documents // 2] = 1
    labels[: DATA.n_documents // 10] = 2
    assert relevant_from(replace(DATA, y=labels)) == 2
    assert relevant_from(replace(DATA, y=np.minimum(labels, 1))) == 1


@pytest.mark.parametrize(
    ("leads", "words"),
    [
        ((0.1, 0.2, 0.3), "ahead for all seeds"),
        ((-0.1, -0.2, -0.3), "behind for all seeds"),
        ((-0.1, 0.2, 0.1), "ahead for 2 of 3 seeds"),
        ((0.1, 0.0), "ahead for 1 of 2 seeds"),
    ],
)
def test_the_verdict_compares_the_same_users(leads, words):
    def curve(mean):
        return SessionCurve(np.array([40]), *np.full((3, 1), mean))

    last = CurvePoint(40, 0, "weighted", 0.45)
    result = ClickCurves(0.9, curve(0.6), curve(0.45), last, np.ones(3), None, leads)
    value = verdict(result)
    assert words in value
    assert "naive learning reaches 67% of full information" in value
    assert "and weighted learning 50%, which is " in value


def test_leads_are_of_the_same_users_with_the_most_sessions(found):
    settings = {(one.sessions, one.number, one.method): one.quality for one in found}

    def leads(sessions):
        pairs = (
            [settings[sessions, n, item] for item in ("weighted", "naive")]
            for n in range(SEEDS)
        )
        return tuple(weighted - naive for weighted, naive in pairs)

    assert curves(PLAN, found).leads == leads(63)
    # The models of the last users are missing.
    assert curves(PLAN, found[:-1]).leads == leads(40)
    assert curves(PLAN, found[:-1]).weighted.sessions.tolist() == [40]
    assert curves(PLAN, found[:4]).leads == leads(40)[:1]


def test_the_curves_are_drawn_with_their_bands_and_full_information(found):
    gathered = curves(PLAN, found)
    picture = curves_figure(gathered, PLAN)
    named = {trace["name"]: trace for trace in picture.data}
    assert list(named) == ["band", NAIVE, WEIGHTED, FULL]
    assert named[WEIGHTED]["y"].tolist() == gathered.weighted.mean.tolist()
    assert set(named[FULL]["y"]) == {gathered.full}
    assert len(picture.numbers()) == 1 + 2 * 2
    assert f"it is {gathered.full:.3f}" in picture.alt
    picture.figure()


def test_what_measures_is_named_where_there_are_no_test_data(found):
    train, valid, _ = SPLITS
    for splits, part in (
        (Splits(train, valid), "validation"),
        (Splits(train), "training"),
    ):
        plan = replace(PLAN, splits=splits)
        picture = curves_figure(curves(PLAN, found), plan)
        assert picture.alt.lower().startswith(part)
        assert picture.layout["yaxis"]["title"]["text"] == f"{part} nDCG@10"
        (_, _, note) = facts(plan, curves(PLAN, found))[2]
        assert note.startswith(f"{part} queries of ")


def test_names_stand_at_the_ends_of_lines_while_sessions_arrive(found):
    longer = replace(PLAN, sessions=10_000)
    labels = curves_figure(curves(PLAN, found), longer).layout["annotations"]
    places = {label["text"]: (label["xref"], label["x"]) for label in labels}
    assert places == {
        f"<b>{FULL}</b>": ("paper", 1.0),
        f"<b>{NAIVE}</b>": ("x", float(np.log10(63))),
        f"<b>{WEIGHTED}</b>": ("x", float(np.log10(63))),
    }


def test_examination_is_drawn_with_its_intervals():
    estimate = ExaminationEstimate(*np.array([[1.0, 0.4], [1.0, 0.3], [1.0, 0.6]]))
    true, used = np.array([1.0, 0.5, 1 / 3]), np.array([1.0, 0.25])
    picture = examination_figure(estimate, {"true": true, "used": used})
    named = {trace["name"]: trace for trace in picture.data}
    assert set(named) == {"true", "used", "estimate"}
    bars = named["estimate"]["error_y"]
    assert bars["array"][1] == pytest.approx(0.2)
    assert bars["arrayminus"][1] == pytest.approx(0.1)
    table = picture.numbers()
    assert table["estimate"][:2].tolist() == [1.0, 0.4]
    assert np.isnan(table["estimate"][2])
    assert "true 33.3% at position 3" in picture.alt
    picture.figure()


def test_a_weak_model_and_a_feature_order_lists_otherwise_than_chance():
    def shown(**chosen):
        return replace(PLAN, **chosen).engine(0).tops().tolist()

    loggers = insight.Logger.__args__
    every = [shown(logger=name) for name in loggers]
    assert len({str(one) for one in every}) == len(loggers)
    assert shown(logger="one feature", feature=1) != every[-1]


def test_data_whose_test_queries_have_no_relevant_document_are_refused():
    assert insight.refusal(SPLITS) is None
    test = replace(SPLITS.test, y=0 * SPLITS.test.y)
    refusal = insight.refusal(SPLITS._replace(test=test))
    assert refusal.startswith("No test query has a relevant document, so nDCG@10")
