"""What the boosted learners share."""

from dataclasses import dataclass
from typing import Any, ClassVar

from rankcore.algorithms._forest import ForestRanker
from rankcore.hyperparameters import integer, real


def rounds(default: int) -> Any:
    """Declare how many rounds there are."""
    return integer(
        default,
        low=1,
        high=5000,
        scale="log",
        label="Rounds at most",
        meaning="Rounds after which training ends; too many overfit where no "
        "validation data choose among them.",
        sweep=(20, 50, 100, 200),
    )


@dataclass(eq=False, repr=False, kw_only=True)
class BoostedTrees(ForestRanker):
    """Base of the algorithms that fit each tree to what is left by those before it."""

    family: ClassVar[str] = "boosting"

    max_iter: int = rounds(200)
    learning_rate: float = real(
        0.05,
        low=0.005,
        high=1.0,
        minimum=1e-6,
        scale="log",
        symbol=r"\eta",
        meaning="What each tree is multiplied by before it is added.",
        sweep=(0.02, 0.05, 0.1),
    )
    l2: float = real(
        1.0,
        low=0.0,
        high=100.0,
        scale="log",
        symbol=r"\lambda",
        label="Penalty of leaves",
        meaning="Weight of the squared values of leaves; more draws them to 0.",
        sweep=(0.0, 1.0, 10.0),
    )


def leaves(default: int, sweep: tuple[int, ...]) -> Any:
    """Declare how many leaves a tree has."""
    return integer(
        default,
        low=2,
        high=255,
        scale="log",
        label="Leaves",
        meaning="Leaves of a tree at most; 2 makes stumps.",
        sweep=sweep,
    )


def documents_in_a_leaf() -> Any:
    """Declare how many documents a leaf needs."""
    return integer(
        "auto",
        low=1,
        high=500,
        scale="log",
        special=("auto",),
        label="Documents in a leaf",
        meaning="Documents that a leaf must hold at least; auto is 20, and with fewer "
        "than 400 documents a twentieth of them.",
        sweep=("auto", 100),
    )


def fewest_in_a_leaf(min_documents: int | str, n: int) -> int:
    """How many of n documents a leaf must hold."""
    if isinstance(min_documents, str):
        return min(20, max(1, n // 20))
    return min_documents
