"""What tests of several folders share."""

import os

import numpy as np
import pytest
from hypothesis import settings

from rankcore import RankingDataset

# The same examples each time, so that a test passes or fails by the code alone; with
# EXPLORE=1 in the environment new ones are drawn. No example is too slow: machines are.
settings.register_profile("same", derandomize=True, deadline=None)
if not os.environ.get("EXPLORE"):
    settings.load_profile("same")


@pytest.fixture
def small() -> RankingDataset:
    """Twelve queries of eight documents, whose grades follow the first of four features
    but for a little noise."""
    rng = np.random.default_rng(0)
    X = rng.random((96, 4))
    y = np.floor(3 * np.clip(X[:, 0] + 0.1 * rng.normal(size=96), 0, 0.99))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(12), 8), name="small")
