"""Memory that a fit needs in addition to the data set, for every algorithm.

It is measured in a new process as Linux's peak resident size, which is reset before the
fit; a previous fit of a few documents has imported packages and compiled code. ``python
benchmarks/memory.py NAME …`` selects algorithms.
"""

import sys
from collections.abc import Iterator, Sequence

from _rows import Figure, output, show

from rankcore.algorithms import get_algorithm, list_algorithms

ALLOWED = 2.0
PASSES = 3
QUERIES, DOCUMENTS, FEATURES = 400, 150, 136
FIT = """
import ctypes, gc, sys
import numpy as np
from rankcore import RankingDataset, get_algorithm

def resident(line):
    with open("/proc/self/status") as status:
        found = next(text for text in status if text.startswith(line))
    return int(found.split()[1]) * 1024

def data(queries, documents, features):
    rng = np.random.default_rng(0)
    n = queries * documents
    qid = np.repeat(np.arange(queries), documents)
    X, y = rng.random((n, features)), rng.integers(0, 5, n)
    return RankingDataset.from_arrays(X, y, qid)

name, passes, queries, documents, features = sys.argv[1], *map(int, sys.argv[2:])
learner = get_algorithm(name)(max_iter=passes)
learner.fit_dataset(data(10, 10, features))
given = data(queries, documents, features)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)
with open("/proc/self/clear_refs", "w") as forget:
    forget.write("5")
before = resident("VmRSS")
learner.fit_dataset(given)
print(given.X.nbytes, resident("VmHWM") - before)
"""


def rows(names: Sequence[str] = ()) -> Iterator[Figure]:
    for name in names or list_algorithms():
        sizes = PASSES, QUERIES, DOCUMENTS, FEATURES
        data, beside = map(int, output(FIT, name, *sizes).split())
        note = f"{beside / 1e6:.1f} MB beside {data / 1e6:.1f} MB of data"
        if trees := ", ".join(get_algorithm(name).requires):
            note += f", kept by {trees}"
        yield Figure(name, 1.0 + beside / data, ALLOWED, "x", note=note)


if __name__ == "__main__":
    show(rows(sys.argv[1:]))
