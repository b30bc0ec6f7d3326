"""Settings and row samples that the boosted learners share."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankcore.algorithms.parts.content_order import content_order
from rankcore.algorithms.parts.trees.forest import ForestRanker
from rankcore.base.hyperparameters import logarithmic
from rankcore.data.dataset import RankingDataset

_SAMPLE = 10_000


def rounds(default: int) -> Any:
    """Declare the number of rounds."""
    return logarithmic(
        default,
        (1, 5000),
        label="Maximum rounds",
        meaning="Rounds after which training ends; without validation data to choose "
        "the round, too many overfit.",
        sweep=(20, 50, 100, 200),
    )


@dataclass(eq=False, repr=False, kw_only=True)
class BoostedTrees(ForestRanker):
    """Base of the algorithms that fit each tree to the residuals of those before it."""

    family = "boosting"

    max_iter: int = rounds(200)
    learning_rate: float = logarithmic(
        0.05,
        (0.005, 1.0),
        minimum=1e-6,
        symbol=r"\eta",
        meaning="The factor of each tree in the sum.",
        sweep=(0.02, 0.05, 0.1),
        while_running=True,
    )
    l2: float = logarithmic(
        1.0,
        (0.0, 100.0),
        symbol=r"\lambda",
        label="Penalty of leaves",
        meaning="Weight of squared leaf values; a larger one shrinks them.",
        sweep=(0.0, 1.0, 10.0),
        while_running=True,
    )

    def present(self) -> dict[str, Any]:
        """Return the parameters that may change between rounds, under the names that
        LightGBM and XGBoost share."""
        return {"learning_rate": self.learning_rate, "reg_lambda": self.l2}


def leaves(default: int, sweep: tuple[int, ...]) -> Any:
    """Declare how many leaves a tree has."""
    return logarithmic(
        default,
        (2, 255),
        label="Leaves",
        meaning="Maximum number of leaves per tree; 2 makes stumps.",
        sweep=sweep,
    )


def documents_in_a_leaf() -> Any:
    """Declare how many documents a leaf needs."""
    return logarithmic(
        "auto",
        (1, 500),
        special=("auto",),
        label="Documents in a leaf",
        meaning="Minimum number of documents in a leaf; auto is 20, or a twentieth of "
        "the documents if they are fewer than 400.",
        sweep=("auto", 100),
    )


def fewest_in_a_leaf(min_documents: int | str, n: int) -> int:
    """Return the minimum number of documents in a leaf, for n documents."""
    if isinstance(min_documents, str):
        return min(20, max(1, n // 20))
    return min_documents


def rows_for_bins(dataset: RankingDataset, rng: np.random.Generator) -> np.ndarray:
    """Rows of at most 10,000 documents that determine the bin boundaries.

    They are drawn and ordered by the content of the data. LightGBM would sample by row
    number, and XGBoost's sketch depends on the order, so that the order of the rows
    would affect the trees; and on many documents either needs more memory than the
    documents themselves.
    """
    rows = content_order(dataset).rows
    if len(rows) <= _SAMPLE:
        return rows
    return rows[np.sort(rng.choice(len(rows), _SAMPLE, replace=False))]
