"""How much memory a fit needs beside the data set itself, for every algorithm.

Measured in a fresh process by Linux's own count of its largest resident size, which is
put back before the fit: packages are imported and code compiled by a fit of a few
documents before. ``python benchmarks/memory.py NAME …`` takes some algorithms only.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from _rows import show

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


@dataclass(frozen=True)
class Fit:
    """What a fit took at its peak.

    Attributes
    ----------
    algorithm : str
    data, beside : int
        Bytes of the features, and of what was added to them.
    trees : str
        The package that keeps data of its own, where there is one.
    """

    algorithm: str
    data: int
    beside: int
    trees: str

    @property
    def ratio(self) -> float:
        """Data and what is beside it, in units of the data."""
        return 1.0 + self.beside / self.data

    def __str__(self) -> str:
        verdict = "met" if self.ratio <= ALLOWED else "MISSED"
        note = f"   kept by {self.trees}" if self.trees else ""
        return (
            f"{self.algorithm:20} data {self.data / 1e6:6.1f} MB   "
            f"beside it {self.beside / 1e6:6.1f} MB   {self.ratio:5.2f}x the data   "
            f"target {ALLOWED:g}x {verdict}{note}"
        )


def rows(names: Sequence[str] = ()) -> Iterator[Fit]:
    sizes = [str(size) for size in (PASSES, QUERIES, DOCUMENTS, FEATURES)]
    for name in names or list_algorithms():
        command = [sys.executable, "-c", FIT, name, *sizes]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        data, beside = map(int, run.stdout.split())
        yield Fit(name, data, beside, ", ".join(get_algorithm(name).requires))


if __name__ == "__main__":
    show(rows(sys.argv[1:]))
