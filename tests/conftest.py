"""What tests of several folders share."""

import numpy as np
import pytest

from rankcore import RankingDataset


@pytest.fixture
def small() -> RankingDataset:
    """Twelve queries of eight documents, whose grades follow the first of four features
    but for a little noise."""
    rng = np.random.default_rng(0)
    X = rng.random((96, 4))
    y = np.floor(3 * np.clip(X[:, 0] + 0.1 * rng.normal(size=96), 0, 0.99))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(12), 8), name="small")
