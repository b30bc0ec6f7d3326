"""The JSON Schema of lessons: what editors complete and check."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from pages.ui.catalogue import known_settings
from pages.ui.lessons import store

SCHEMA = json.loads(store.schema())
VALIDATOR = Draft202012Validator(SCHEMA)
STEP = {"page": "measures", "text": "One. Two.", "question": "Why?", "answer": "So."}


def lesson(**changes):
    return {"title": "A", "summary": "B", "steps": [STEP | changes]}


def test_it_is_a_schema_of_its_draft():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", store.files().values(), ids=lambda path: path.stem)
def test_every_lesson_of_ours_is_valid(path):
    VALIDATOR.validate(yaml.safe_load(path.read_text("utf-8")))


def test_settings_of_views_and_algorithms_are_completed_with_their_meanings():
    settings = SCHEMA["$defs"]["settings"]["properties"]
    offered = {key for key in known_settings() if not store.setting(key).computed}

    assert offered <= set(settings)
    assert settings["seed"]["description"]
    assert settings["RSRank.g"]["description"].startswith("Sparsity. ")
    assert "RSRank.random_state" not in settings


@pytest.mark.parametrize(
    "wrong",
    [
        lesson(page="nowhere"),
        lesson(text="x" * 421),
        lesson(press="perhaps"),
        lesson(colour="red"),
        lesson(guess={"choices": ["a"], "answer": "a"}),
        lesson(guess={"from": 0, "to": 1}),
        {"title": "A", "summary": "B", "steps": []},
        {"title": "A", "summary": "B", "level": ["methods"], "steps": [STEP]},
        {"title": "A", "steps": [STEP]},
    ],
)
def test_what_reading_refuses_by_its_form_is_invalid(wrong):
    assert not VALIDATOR.is_valid(wrong)
    with pytest.raises(store.LessonError):
        store.read(yaml.safe_dump(wrong).encode(), "wrong.yaml", "wrong")
