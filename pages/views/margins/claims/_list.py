"""The four documents that all claims are checked on."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pages.ui import texts
from rankcore.views import Changes, Choice, Claim, Setting, Shown, Values

Scene = Callable[[Values], Changes]
Show = Callable[[Values], Shown]
SCORES = (0.5, 0.2, 0.1, -0.3)
NAMES = tuple(f"x{i}" for i in range(1, len(SCORES) + 1))
LABELS = Choice(
    "margin_claim_labels",
    "0, 1, 0, 1",
    "Labels of the scores " + ", ".join(f"{s:g}" for s in SCORES).replace("-", "−"),
    names=("0, 1, 0, 1", "1, 1, 0, 0"),
)


def claim(file: str, settings: Sequence[Setting], show: Show, scene: Scene) -> Claim:
    """Return a claim; the Markdown file next to its module has its name, the paper's
    statement and the result."""
    (name, says), (_, holds) = texts.tabs(file).items()
    return Claim(name, says, holds, settings, show, scene, "Open as a list by hand")


def labels(values: Values) -> list[int]:
    """Return the selected labels."""
    return [int(label) for label in values.margin_claim_labels.split(",")]


def order(documents: Iterable[int]) -> str:
    """Return an order of the four documents, best first."""
    return " ".join(NAMES[i] for i in documents)


def by_hand(
    values: Values,
    learner: str,
    scores: Sequence[float] = SCORES,
    grades: Sequence[int] = (),
    **hyperparameters: Any,
) -> dict[str, Any]:
    """Return settings for a list by hand, with the algorithm's hyperparameters."""
    documents = zip(scores, grades or labels(values), strict=True)
    return {
        "margin_view": "One list",
        "margin_source": "by hand",
        "margin_learner": learner,
        "margin_list": ", ".join(f"{score:g}:{label}" for score, label in documents),
        "margin_document": str(len(scores)),
    } | {f"{learner}.{name}": value for name, value in hyperparameters.items()}
