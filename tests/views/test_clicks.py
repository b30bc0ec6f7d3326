"""The view of learning from clicks: examples, what it says, and what it refuses."""

from dataclasses import replace

import pytest

from pages.ui import examples
from pages.ui.data import datasets
from rankcore.data.catalogue import Splits
from tests.viewing import page, values, view

OWN = view("clicks", "Learning from clicks")
SCENES = dict(OWN.scenarios())
SHORT = {"data": "toy-2d", "click_sessions": 250, "click_shown": 5}


def example(title):
    """What the example of a preset shows."""
    now = values(OWN, **SCENES[title])
    return examples.example(page("clicks"), OWN, now).show(now)


def quality(facts):
    found = {fact.meaning: float(fact.number) for fact in facts[:3]}
    return [
        found[f"nDCG@10, {name}"] for name in ("naive", "weighted", "full information")
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
    assert f"it is {lead} seeds" in str(shown)
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
    said = str(example("Weights win"))
    assert "An nDCG cannot be had from clicks, as its ideal is unknown" in said
    facts = {fact.meaning: fact for fact in example("Weights win").facts}
    assert facts["Sessions"].note == "of 50 documents; seeds 0 to 2"
    assert "test queries of planted" in facts["nDCG@10, full information"].note


def test_what_keeps_examination_from_being_estimated_is_said():
    now = values(OWN, **SHORT | {"click_source": "swaps", "click_severity": 2.0})
    study = OWN.work.study(now)
    assert not OWN.show(now, study).panels()
    while study.done < 3:
        next(study)
    shown = OWN.show(now, study)
    assert "No clicked documents link position" in str(shown.blocks[0].columns[1])
    assert len(shown.panels()) == 2


def test_data_without_relevant_documents_are_refused(monkeypatch):
    splits = datasets.load("toy-2d")
    train = splits.train
    bare = Splits(replace(train, y=0 * train.y), splits.valid, splits.test)
    monkeypatch.setattr(datasets, "of", lambda now: bare)
    assert "choose other data." in OWN.refusal(values(OWN, **SHORT))
