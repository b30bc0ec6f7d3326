"""The JSON Schema of lesson files, with which editors complete and check them."""

from collections.abc import Mapping, Sequence
from typing import Any

from rankcore.views.lessons import (
    CHOICE_LENGTH,
    CHOICES,
    LENGTHS,
    LEVELS,
    OTHERS,
    STEPS,
    UNIT_LENGTH,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MEANINGS = {
    "title": "The name of the lesson.",
    "summary": "What it teaches, in two sentences.",
    "text": "What the figure shows, in Markdown with formulas between dollar signs.",
    "question": "One sentence that ends with a question mark.",
    "answer": "Shown after the question, in Markdown.",
    "notes": "For the speaker only.",
    "learnt": "The result of the step, in one sentence, for the closing slide.",
    "paper": "The text where nothing can be pressed, in the HTML file of the lesson.",
}


def lesson_schema(pages: Sequence[str], settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a lesson.

    Reading a lesson checks more than a schema can say: whether a value suits its
    setting, the form of a question, and the ends of a scale.

    Parameters
    ----------
    pages : sequence of str
        Pages on which a step can be shown.
    settings : dict of str to str
        Key → meaning.
    """
    step = {
        "page": {"enum": list(pages), "description": "The page that the step opens."},
        "settings": {"$ref": "#/$defs/settings"},
        **_texts("text", "question", "answer", "notes", "paper", "learnt"),
        "guess": {"oneOf": [_choices(), _amount()]},
        "then": {"$ref": "#/$defs/settings"},
        "press": {
            "type": "boolean",
            "description": "Whether the view's study starts when the step opens.",
        },
        "point": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
            "description": "An arrow: the name of a mark of a figure, and its words.",
        },
        "show": {
            "type": "array",
            "items": {
                "anyOf": [{"pattern": r"^figure [1-9]$"}, {"enum": [*OTHERS]}, {}]
            },
            "description": "The parts shown while the step is presented: figure 1, "
            "facts, words, or the key of a setting for its control.",
        },
    }
    required = ["page", "text", "question", "answer"]
    least, most = STEPS
    steps = {"type": "array", "minItems": least, "maxItems": most}
    whole = {
        **_texts("title", "summary"),
        "level": {"enum": [*LEVELS], "description": "The section that lists it."},
        "steps": steps | {"items": _object(step, required)},
    }
    values = {
        key: {"type": ["string", "number", "boolean"], "description": meaning}
        for key, meaning in settings.items()
    }
    return {
        "$schema": DIALECT,
        "title": "A lesson of RankScope",
        **_object(whole, ["title", "summary", "steps"]),
        # Keys of earlier versions are also read.
        "$defs": {"settings": {"type": "object", "properties": values}},
    }


def _object(properties: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(most: int, **details: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": most, **details}


def _texts(*keys: str) -> dict[str, Any]:
    return {key: _text(LENGTHS[key], description=MEANINGS[key]) for key in keys}


def _choices() -> dict[str, Any]:
    least, most = CHOICES
    choice = _text(CHOICE_LENGTH)
    items = {"items": choice, "minItems": least, "maxItems": most, "uniqueItems": True}
    properties = {"choices": {"type": "array", **items}, "answer": choice}
    return _object(properties, ["choices", "answer"])


def _amount() -> dict[str, Any]:
    ends = {key: {"type": "number"} for key in ("from", "to", "answer", "step")}
    return _object(ends | {"unit": _text(UNIT_LENGTH)}, ["from", "to", "answer"])
