"""How much memory a fit needs beside the data set itself.

Measured in a fresh process as the growth of its peak, after everything is imported and
compiled. Rows hold megabytes in place of seconds: ours against twice the data set.
"""

import subprocess
import sys
from collections.abc import Iterator

from _rows import Row, show

from rankcore.algorithms import list_algorithms

ALLOWED = 2.0
QUERIES, DOCUMENTS, FEATURES = 400, 150, 136
FIT = """
import resource, sys
import numpy as np
from rankcore import RankingDataset, get_algorithm
from rankcore.warmup import warm_up

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

name, queries, documents, features = sys.argv[1], *map(int, sys.argv[2:])
warm_up()
rng = np.random.default_rng(0)
n = queries * documents
X = rng.random((n, features))
y = rng.integers(0, 5, n)
data = RankingDataset.from_arrays(X, y, np.repeat(np.arange(queries), documents))
before = peak()
get_algorithm(name)(max_iter=3).fit_dataset(data)
print((peak() - before) / data.X.nbytes)
"""


def rows() -> Iterator[Row]:
    size = QUERIES * DOCUMENTS * FEATURES * 8 / 1e6
    for name in list_algorithms():
        shape = [str(number) for number in (QUERIES, DOCUMENTS, FEATURES)]
        command = [sys.executable, "-c", FIT, name, *shape]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        grown = max(float(run.stdout), 0.001)
        note = f"MB, in a fit beside the {size:.0f} MB of the data"
        yield Row(
            f"memory of {name}",
            "allowed",
            grown * size / 1e3,
            (ALLOWED - 1) * size / 1e3,
            1.0,
            note,
        )


if __name__ == "__main__":
    show(rows())
