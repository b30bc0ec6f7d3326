"""The four documents on which claims of the Margins page are put to the test."""

from collections.abc import Iterable, Sequence
from typing import Any

from pages.ui import state
from pages.ui.choice import segments

SCORES = (0.5, 0.2, 0.1, -0.3)
LABELS = ("0, 1, 0, 1", "1, 1, 0, 0")
NAMES = tuple(f"x{i}" for i in range(1, len(SCORES) + 1))


def labels_picker() -> dict[str, Any]:
    """Choose how the four documents are labelled; settings that show them by hand."""
    scores = ", ".join(f"{score:g}" for score in SCORES).replace("-", "−")
    segments(f"Labels of the scores {scores}", "margin_claim_labels", LABELS)
    return by_hand(SCORES, labels())


def labels() -> list[int]:
    """The labels that are chosen."""
    return [int(label) for label in str(state.get("margin_claim_labels")).split(",")]


def order(documents: Iterable[int]) -> str:
    """An order of the four documents, best first."""
    return " ".join(NAMES[i] for i in documents)


def by_hand(scores: Sequence[float], given: Sequence[int]) -> dict[str, Any]:
    """Settings that show a list by hand."""
    documents = zip(scores, given, strict=True)
    return {
        "margin_list": ", ".join(f"{score:g}:{label}" for score, label in documents),
        "margin_document": str(len(scores)),
    }
