"""An example of a data set."""

import numpy as np

from rankcore import RankingDataset
from rankcore.data.catalogue import Splits


def stairs() -> Splits:
    """Stairs.

    Twelve queries of four documents whose one feature is the label.
    """
    label = np.tile([0, 1, 2, 3], 12)
    query = np.repeat(np.arange(12), 4)
    data = RankingDataset.from_arrays(label[:, None] + 0.5, label, query)
    return Splits(*data.split((0.5, 0.25, 0.25), seed=0))
