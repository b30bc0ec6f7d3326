"""What type checkers must see of the public names; mypy checks this file.

A line that is wrong says so, and a remark that is not needed fails the check.
"""

from typing import assert_type

import numpy as np

from rankcore import (
    ApproxNDCG,
    RankingDataset,
    RSRank,
    drive,
    get_algorithm,
    load_dataset,
    measures,
)
from rankcore.algorithms import Ranker
from rankcore.training import Run


def known_names() -> None:
    """Names, arguments and results are those that the package has."""
    splits = load_dataset("planted")
    assert_type(splits.train, RankingDataset)
    model = RSRank(g=3.0, learning_rate="auto", random_state=None)
    assert_type(model.g, float)
    assert_type(drive(model, splits.train), Run)
    assert_type(get_algorithm("RSRank"), type[Ranker])
    measures.parse("nDCG@10")
    model.scores(np.zeros((1, 45)), np.zeros(45))


def mistakes() -> None:
    """Misspelt names and values of other types are found."""
    RSRank(gg=1)  # type: ignore[call-arg]
    RSRank(g="much")  # type: ignore[arg-type]
    ApproxNDCG(aplha=10.0)  # type: ignore[call-arg]
    load_dataset(3)  # type: ignore[arg-type]
    RSRank().unheard_of()  # type: ignore[attr-defined]
