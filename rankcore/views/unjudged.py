"""Documents without a judgement: their number, and their effect on measures."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankcore.data.dataset import RankingDataset
from rankcore.measures import Rules, Ties, tie_rule, ties_of
from rankcore.topics.datasets import unjudged
from rankcore.topics.datasets.description import PART_WORDS
from rankcore.views import Block, Notice, Table


def blocks(
    dataset: RankingDataset,
    split: str,
    rankings: Mapping[str, ArrayLike],
    measures: Sequence[str],
    rules: Rules,
) -> list[Block]:
    """Return notes on further influences on measures of rankings.

    A sentence if many documents are ordered only by their order in the data, and a
    sentence and a table if documents have no judgement.

    Parameters
    ----------
    split : str
        ``train``, ``valid`` or ``test``.
    rankings : dict of str to (n,) float64
        Scores by the name of their model.
    rules : Rules
        Evaluation rules.
    """
    blocks_of: list[Block] = []
    if tie_rule(rules.convention) == "input":
        judged = dataset.y, dataset.offsets
        every = (ties_of(np.asarray(ranks), *judged) for ranks in rankings.values())
        most = max(every, key=lambda one: one.share, default=Ties(0, 0, 0))
        if sentence := most.sentence(rules.convention):
            blocks_of.append(Notice(sentence, "help", warns=True))
    sentence = unjudged.sentence(dataset, PART_WORDS[split])
    if not sentence:
        return blocks_of
    rows = unjudged.table(dataset, rankings, measures, rules)
    formats = unjudged.FORMATS
    table = Table("unjudged", "Judged documents", unjudged.NOTE, rows, formats)
    return [
        *blocks_of,
        Notice(sentence, "help", warns=True),
        *([table] if rows else []),
    ]
