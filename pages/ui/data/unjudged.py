"""Documents without a judgement: how many there are, and what measures make of them."""

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from rankcore.dataset import RankingDataset
from rankcore.insight import unjudged
from rankcore.insight.data import PART_WORDS
from rankcore.measures import Rules
from rankcore.views import Block, Notice, Table


def blocks(
    dataset: RankingDataset,
    split: str,
    rankings: Mapping[str, ArrayLike],
    measures: Sequence[str],
    rules: Rules,
) -> list[Block]:
    """A sentence and a table where documents have no judgement; else nothing.

    Parameters
    ----------
    dataset : RankingDataset
    split : str
        ``train``, ``valid`` or ``test``.
    rankings : dict of str to (n,) float64
        Scores by the name of their model.
    measures : sequence of str
    rules : Rules
        Of the evaluation.
    """
    said = unjudged.sentence(dataset, PART_WORDS[split])
    if not said:
        return []
    rows = unjudged.table(dataset, rankings, measures, rules)
    formats = unjudged.FORMATS
    table = Table("unjudged", "Judged documents", unjudged.NOTE, rows, formats)
    return [Notice(said, "help", warns=True), *([table] if rows else [])]
