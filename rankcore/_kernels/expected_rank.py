"""Kernel of the expected reciprocal rank, over the ranks of documents that may satisfy.

Values are NaN where no document does, and a cutoff of 0 is none.
"""

import numpy as np

from rankcore._kernels import kernel
from rankcore._kernels.ranks import soft_step
from rankcore._kernels.relevance import membership


@kernel
def expected_rank_kernel(ranks, labels, offsets, sizes, stops, cutoff, beta):
    """ERR of each query; labels, from 1 upwards, index the chances of stopping."""
    values = np.full(len(sizes), np.nan)
    for q in range(len(sizes)):
        begin, end = offsets[q], offsets[q + 1]
        if begin < end:
            values[q] = 0.0
        for i in range(begin, end):
            reach = membership(ranks[i], cutoff, beta)
            for j in range(begin, end):
                if reach == 0.0:
                    break
                if j != i:
                    above = soft_step(ranks[i] - ranks[j], beta)
                    reach *= 1.0 - stops[labels[j]] * above
            values[q] += stops[labels[i]] / ranks[i] * reach
    return values
