"""The view of learning from clicks: examples, what it says, and what it refuses."""

from dataclasses import replace

import pytest

from pages.ui import examples
from pages.ui.data import datasets, models
from rankcore import DataError
from rankcore.data.catalogue import Splits
from rankcore.topics.clicks.curves import CurvePlan
from rankcore.topics.clicks.simulation import ClickBehaviour, ClickSimulation, relevant
from rankcore.views import Act, TakeModel
from rankcore.views.blocks import flat
from tests.viewing import page, unsound, values, view

OWN = view("clicks", "Learning from clicks")
SCENES = dict(OWN.scenarios())
SHORT = {"data": "toy-2d", "click_sessions": 250, "click_shown": 5}


def example(title):
    """What the example of a preset shows."""
    now = values(OWN, **SCENES[title])
    return examples.example(page("clicks"), OWN, now).show(now)


def quality(facts):
    settings = {fact.meaning: float(fact.number) for fact in facts[:3]}
    return [
        settings[f"nDCG@10, {name}"]
        for name in ("naive", "weighted", "full information")
    ]


@pytest.mark.parametrize(
    ("title", "lead", "share"),
    [
        ("Weights win", "ahead for all", 0.95),
        ("Trust in the top biases weights", "ahead for all", 0.94),
        ("Users who stop at a click defeat weights", "behind for all", 0.8),
        ("Wrong propensities do harm", "behind for all", 0.92),
        ("Few clicks: naive learning is better", "behind for all", 0.8),
        ("Clipping helps where clicks are few", "ahead for 1 of 3", 0.8),
        ("Weights lose behind a poor ranker", "behind for all", 0.5),
    ],
)
def test_each_example_is_what_its_title_says(title, lead, share):
    shown = example(title)
    naive, weighted, full = quality(shown.facts)
    assert (weighted > naive) == (lead == "ahead for all")
    assert f"which is {lead} seeds" in str(shown)
    above = title == "Weights win"
    assert (weighted >= share * full) == above
    assert naive < full


def test_clipping_is_better_with_few_clicks_and_more_count():
    few, clipped = map(
        example,
        ("Few clicks: naive learning is better", "Clipping helps where clicks are few"),
    )
    assert quality(few.facts)[1] < quality(clipped.facts)[1]
    assert few.facts[4].number < clipped.facts[4].number < "243"


def test_every_preset_has_a_test_and_sets_the_same():
    assert len(SCENES) == 7
    assert len({frozenset(scene) for scene in SCENES.values()}) == 1


def test_words_say_that_labels_were_used_and_which_users_clicked():
    words = str(example("Weights win"))
    assert "nDCG cannot be computed from clicks" in words
    facts = {fact.meaning: fact for fact in example("Weights win").facts}
    assert facts["Sessions"].note == "of 50 documents; seeds 0 to 2"
    assert "test queries of planted" in facts["nDCG@10, full information"].note


def test_what_keeps_examination_from_being_estimated_is_said():
    now = values(OWN, **SHORT | {"click_source": "swaps", "click_severity": 2.0})
    study = OWN.work_for(now).study(now)
    waiting = OWN.show(now, study)
    while study.done < 3:
        next(study)
    shown = OWN.show(now, study)
    assert "No clicked documents link position" in str(shown.blocks[0].columns[1])
    assert len(shown.panels()) == 2
    # Nothing moves when the first models come.
    assert [fact.meaning for fact in waiting.facts[2:]] == [
        fact.meaning for fact in shown.facts[-3:]
    ]
    heights = [panel.picture.layout["height"] for panel in waiting.panels()]
    assert heights == [panel.picture.layout["height"] for panel in shown.panels()]


def log_of(content):
    file = models.CLICKS.add(content, "log.csv")
    return OWN.show(values(OWN, click_log=file.name))


def test_a_log_of_one_s_own_takes_the_place_of_the_simulation():
    rows = [
        f"q,{session},{document},{place},{int(place <= session % 3)}"
        for session in range(150)
        for place, document in enumerate("AB" if session % 2 else "BA", start=1)
    ]
    head = "query,session,document,position,clicked"
    shown = log_of("\n".join([head, *rows]).encode())
    assert [fact.meaning for fact in shown.facts][:2] == ["Sessions", "Clicks"]
    assert shown.facts[0].number == "150"
    assert {"estimate", "clicks"} <= shown.panels()[0].picture.table.keys()
    assert len(shown.exports()) == 3
    assert list(unsound(shown)) == []


def swapped_log(queries):
    """The content of a log on the data "planted", with swaps, under the names there."""
    train = datasets.load("planted").train.subset(range(queries))
    users = ClickBehaviour(noise=0.0)
    engine = ClickSimulation(train, relevant(train), (train.X[:, 3],), users, 3, True)
    log = engine.log(400)
    rows = [
        f"{train.qid[document]},{session},{log.doc_ids[document]},{place},{click:d}"
        for session, document, place, click in zip(
            log.session, log.document, log.position, log.clicked, strict=True
        )
    ]
    head = "query,session,document,position,clicked"
    return "\n".join([head, *rows]).encode()


def test_models_learn_from_a_log_whose_documents_have_features():
    file = models.CLICKS.add(swapped_log(4), "shop.csv")
    now = values(OWN, click_log=file.name, data="planted")
    assert OWN.no_study(now) is None
    study = OWN.work_for(now).study(now)
    next(study)
    assert "click_keep" not in str(OWN.show(now, study))
    list(study)
    shown = OWN.show(now, study)
    assert list(unsound(shown)) == []
    assert [panel.key for panel in shown.panels()] == [
        "click_learnt", "click_examination",
    ]  # fmt: skip
    blocks = list(flat(shown.blocks))
    export = next(one for one in blocks if isinstance(one, TakeModel))
    model = export.model("weighted learning, 200 sessions")
    assert model.coef_ is export.model().coef_
    keep = next(one for one in blocks if isinstance(one, Act))
    before = set(models.MODELS.names())
    assert keep.changes() == {}
    titles = [models.MODELS.names()[one] for one in {*models.MODELS.names()} - before]
    assert len(titles) == 2


def test_a_log_without_features_says_what_is_needed():
    file = models.CLICKS.add(swapped_log(3), "shop.csv")
    refusal = OWN.no_study(values(OWN, click_log=file.name, data="toy-2d"))
    assert "documents of the log are not in the data" in refusal
    assert "On the page Data, upload the features of all documents" in refusal
    gone = OWN.no_study(values(OWN, click_log="clicks-0"))
    assert gone == "The log clicks-0 is not available: upload it again."


def test_a_log_without_clicks_or_that_is_gone_says_so():
    shown = log_of(b"query,session,document,position,clicked\nq,1,A,1,0\n")
    assert "The log has no clicks. Log more sessions." in str(shown.blocks)
    gone = OWN.show(values(OWN, click_log="clicks-0"))
    assert "is not available: upload it again." in gone.blocks[0].text


def test_a_broken_log_is_refused_with_line_and_column():
    with pytest.raises(DataError, match=r"log\.csv, line 3, column clicked"):
        models.CLICKS.add(
            b"query,session,document,position,clicked\nq,1,A,1,0\nq,1,B,2,2\n",
            "log.csv",
        )


def test_data_without_relevant_documents_are_refused(monkeypatch):
    splits = datasets.load("toy-2d")
    train = splits.train
    bare = Splits(replace(train, y=0 * train.y), splits.valid, splits.test)
    monkeypatch.setattr(datasets, "of", lambda now: bare)
    assert "choose other data." in OWN.refusal(values(OWN, **SHORT))


def test_plans_and_the_page_assume_the_same_severity():
    row = next(row for row in OWN.rows({}) if row.key == "click_assumed")
    assert CurvePlan(datasets.load("toy-2d")).assumed == row.default


def test_severity_is_asked_for_only_where_users_examine_by_position():
    row = next(row for row in OWN.rows({}) if row.key == "click_severity")
    assert row.matters(values(OWN))
    now = values(OWN, click_model="cascade", click_severity=2.0)
    assert not row.matters(now)
    assert now.click_severity == row.default
