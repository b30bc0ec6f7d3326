"""Learning from a log of one's own: training, selection and evaluation."""

from dataclasses import replace

import numpy as np
import pytest

from rankcore.data.catalogue import Splits
from rankcore.data.dataset import RankingDataset
from rankcore.studies.models import model_to_json, read_model
from rankcore.topics.clicks import logged_learning as insight
from rankcore.topics.clicks.evaluation import discounted, utilities
from rankcore.topics.clicks.logged import divided, logged_clicks
from rankcore.topics.clicks.logged_figure import logged_figure
from tests.topics.clicks.logs import DATA, RANKERS, RELEVANCE, simulation

SPLITS = Splits(*(DATA.subset(range(*ends)) for ends in ((0, 12), (12, 24), (24, 40))))
SWAPPED = simulation(swaps=True, noise=0.0).log(600)
# A log of other documents.
OTHERS = replace(SWAPPED, doc_ids=tuple(f"d{n}" for n in range(DATA.n_documents)))


def learnt(log, splits=SPLITS, clip=0.0):
    plan = insight.log_plan(logged_clicks(log, clip), splits, clip)
    study = insight.log_study(plan)
    for _ in study:
        pass
    assert study.done == study.total
    return plan, study.found


@pytest.fixture(scope="module")
def found():
    return learnt(SWAPPED)


def test_no_session_is_for_two_purposes():
    marked = replace(SWAPPED, propensity=SWAPPED.session / 600.0)
    parts = divided(marked, insight.PARTS)
    assert [part.n_sessions for part in parts] == [300, 150, 150]
    sessions = [np.unique(part.propensity) for part in parts]
    np.testing.assert_array_equal(
        np.sort(np.concatenate(sessions)), np.arange(600) / 600
    )
    for part, theirs in zip(parts, sessions, strict=True):
        # A system that answers every other session is in each part.
        assert 0.3 < (np.round(600 * theirs) % 2).mean() < 0.7
        np.testing.assert_array_equal(theirs[part.session], part.propensity)
        rows = np.isin(marked.propensity, theirs)
        np.testing.assert_array_equal(part.document, marked.document[rows])


def test_the_sessions_that_evaluate_select_nothing(found):
    plan, points = found
    training, selection, evaluation = plan.parts
    shuffled = np.random.default_rng(1).permutation(evaluation.clicked)
    other = replace(plan)
    other.__dict__["parts"] = training, selection, replace(evaluation, clicked=shuffled)
    study = insight.log_study(other)
    for _ in study:
        pass
    for one, two in zip(points, study.found, strict=True):
        np.testing.assert_array_equal(one.model.coef_, two.model.coef_)
        assert one.model.l2 == two.model.l2
    assert points[-1].value != study.found[-1].value


def test_models_of_growing_numbers_of_sessions_are_evaluated_by_clicks(found):
    plan, points = found
    assert plan.numbers == (40, 63, 100, 160, 250, 300)
    assert [(one.sessions, one.method) for one in points[-2:]] == [
        (300, "naive"), (300, "weighted"),
    ]  # fmt: skip
    last = points[-1]
    assert last.value.interval[0] > plan.logged.value
    # By labels, of what the sessions show.
    scores, sessions = last.model.predict(DATA.X), plan.parts[2]
    utility = utilities(sessions, scores, discounted)[sessions.document]
    truth = (utility * RELEVANCE[sessions.document]).sum() / sessions.n_sessions
    low, high = last.value.interval
    assert low < truth < high


def test_what_is_said_has_intervals_and_who_is_ahead(found):
    plan, points = found
    text = insight.verdict(plan, points)
    low, _ = points[-1].value.interval
    assert text.startswith("With 300 sessions: naive learning ")
    assert f"weighted learning {points[-1].value.value:.3g} ({low:.3g} to " in text
    assert "Weighted minus naive, on the same clicks: " in text
    assert "the difference is not significant." in text
    assert insight.verdict(plan, []) == "No model is trained yet."
    assert len(insight.rows(points)) == 2 * len(points)
    picture = logged_figure(plan, points)
    assert {trace.get("name") for trace in picture.data} >= {
        "as logged", "naive", "weighted",
    }  # fmt: skip
    assert len(picture.numbers()) == 2 * len(points)


def test_the_last_models_can_be_taken_away(found):
    models = insight.last_models(found[1])
    assert [*models] == [
        "weighted learning, 300 sessions",
        "naive learning, 300 sessions",
    ]
    weighted = models["weighted learning, 300 sessions"]
    assert weighted.provenance_.data_name == "clicks of simulated clicks on planted"
    again = read_model(model_to_json(weighted).encode(), "model.json")
    np.testing.assert_array_equal(again.coef_, weighted.coef_)


def test_few_clicks_say_nothing_and_the_figure_shows_nothing_of_them():
    plan, points = learnt(SWAPPED.first(90))
    assert points[-1].value.interval is None
    assert insight.verdict(plan, points).startswith("With 46 sessions: cannot say: ")
    assert logged_figure(plan, points).data == []
    assert "no estimate yet" in logged_figure(plan, points).alt


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (simulation(rankers=RANKERS[:1]).log(200), "clicks cannot be weighted"),
        (SWAPPED.first(2), "no model can be evaluated"),
        (
            replace(SWAPPED, propensity=1.0 / SWAPPED.position).first(3),
            "too few to split for training and evaluation.",
        ),
        (
            OTHERS,
            "log are not in the data; the first is 'd0' of query '1'. On the page",
        ),
    ],
)
def test_a_log_that_one_cannot_learn_from_is_refused_in_a_sentence(log, sentence):
    assert sentence in insight.log_plan(logged_clicks(log), SPLITS, 0.0)


def test_all_parts_of_the_data_give_features_and_none_gives_labels(found):
    plan, points = learnt(SWAPPED, Splits(DATA, None, None))
    assert isinstance(plan.dataset, RankingDataset)
    assert plan.dataset.n_documents == DATA.n_documents
    assert not plan.dataset.y.any()
    assert [one.value for one in points] == [one.value for one in found[1]]
