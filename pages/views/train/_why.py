"""Explanation of why a document of a query ranks below the previous one."""

import numpy as np

from pages.ui import shared
from rankcore.algorithms import Ranker
from rankcore.data.dataset import RankingDataset
from rankcore.topics.inspect.why import why
from rankcore.topics.inspect.why_figure import why_figure
from rankcore.views import Block, Caption, Panel, Values

DOCUMENT = shared.EXPLAINED


def blocks(
    values: Values,
    algorithm: Ranker,
    coef: np.ndarray,
    dataset: RankingDataset,
    query: int,
) -> list[Block]:
    """Return the waterfall chart of a document, by default the second one."""
    try:
        reasons = why(algorithm, coef, dataset, query, values[DOCUMENT.key])
    except ValueError as error:
        return [Caption(str(error))]
    picture = why_figure(reasons, values.palette)
    note = f"{algorithm.title}, difference of scores; click a document"
    caption = Caption(f"{reasons.sentence} {reasons.method}")
    return [Panel("why", reasons.question, note, picture), caption]
