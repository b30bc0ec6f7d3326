"""Lists of scored documents with ties, huge scores and missing grades."""

import numpy as np
from hypothesis import strategies as st


def scored(labels, longest, largest=1e12):
    """A strategy for the scores (n,) and the labels (n,) of a list of documents."""
    score = st.one_of(
        st.integers(-3, 3).map(lambda v: v / 2),
        st.floats(-largest, largest, allow_subnormal=False),
    )
    documents = st.tuples(score, st.sampled_from(labels))
    return st.lists(documents, min_size=1, max_size=longest).map(
        lambda found: tuple(map(np.array, zip(*found, strict=True)))
    )
