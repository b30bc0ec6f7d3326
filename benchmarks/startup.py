"""CPU time of imports and of the kernels' first calls, in new processes.

A time limit replaces the peer, so a ratio of 1 or more meets the target. Almost all of
the time is spent in other libraries and varies with the machine, by up to a factor of
two within a day; so the import of NumPy, SciPy's optimisers and Numba is timed
alternately with each job, and compared with its time when the targets were set.
"""

import statistics
from collections.abc import Callable, Iterator
from functools import partial

from _rows import Row, output, process_seconds, show

REPEATS = 5
FIRST_CALLS = """
import io, time
import numba, numpy as np, scipy.optimize
from rankcore import RankingDataset, measures, read_letor
from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.algorithms.rsrank import RSRank
rng = np.random.default_rng(0)
data = RankingDataset.from_arrays(
    rng.random((240, 3)), rng.integers(0, 3, 240), np.repeat([1, 2, 3], [10, 30, 200])
)
began = time.process_time()
measures.means(data, data.X[:, 0].copy(), ("nDCG@10", "AP"))
next(RSRank().steps(data, rng))
next(ApproxNDCG().steps(data, rng))
read_letor(io.BytesIO(b"1 qid:1 1:0.5 2:1 # a\\n0 qid:1 1:0.25 # b\\n"))
print(time.process_time() - began)
"""
LIBRARIES = ["-c", "import numpy, scipy.optimize, numba"]
LIBRARIES_THEN = 0.90
SCIKIT_LEARN = ["-c", "import sklearn.base"]
JOBS = {
    "import rankcore": (["-c", "import rankcore"], 0.6),
    "rankscope --help": (["-m", "rankcore.cli", "--help"], 1.0),
    "from rankcore import RSRank": (["-c", "from rankcore import RSRank"], 2.2),
}


def rows() -> Iterator[Row]:
    for job, (arguments, then) in JOBS.items():
        ours, libraries, scikit_learn = _in_turn(
            *(
                partial(process_seconds, part)
                for part in (arguments, LIBRARIES, SCIKIT_LEARN)
            )
        )
        note = f"scikit-learn alone {1e3 * scikit_learn:.0f} ms"
        yield _row(job, ours, then, libraries, note)
    ours, libraries = _in_turn(
        lambda: float(output(FIRST_CALLS)), partial(process_seconds, LIBRARIES)
    )
    note = "measures, RSRank, ApproxNDCG and the reader, cache warm"
    yield _row("first calls", ours, 0.4, libraries, note)


def _row(job: str, ours: float, then: float, libraries: float, note: str) -> Row:
    pace = libraries / LIBRARIES_THEN
    note = f"{note}; the libraries' import takes {pace:.2f} times what it took then"
    return Row(job, "allowed", ours, then, 1.0, note)


def _in_turn(*timed: Callable[[], float]) -> list[float]:
    """Return the median seconds of each, alternating, after one warm-up each."""
    turns = [[seconds() for seconds in timed] for _ in range(1 + REPEATS)]
    return [statistics.median(seconds) for seconds in zip(*turns[1:], strict=True)]


if __name__ == "__main__":
    show(rows())
