"""CPU time of imports and of the kernels' first calls, in fresh processes.

In place of a peer stands the time allowed, so a ratio of 1 or more meets the target.
"""

import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator

from _rows import Row, show

REPEATS = 5
FIRST_CALLS = """
import io, time
import numba, numpy as np, scipy.optimize
from rankcore import RankingDataset, measures, read_letor
from rankcore._kernels import approximation, letor, pairwise_hinge, ranks, rsrank
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
JOBS = {
    "import rankcore": (["-c", "import rankcore"], 0.6),
    "rankscope --help": (["-m", "rankcore.cli", "--help"], 1.0),
    "from rankcore import RSRank": (["-c", "from rankcore import RSRank"], 2.2),
}


def rows() -> Iterator[Row]:
    for job, (arguments, allowed) in JOBS.items():
        yield Row(job, "allowed", _seconds(arguments), allowed, 1.0)
    warmed = [float(_output(["-c", FIRST_CALLS])) for _ in range(REPEATS)]
    note = "measures, RSRank, ApproxNDCG and the reader, cache warm"
    yield Row("first calls", "allowed", statistics.median(warmed[1:]), 0.4, 1.0, note)


def _seconds(arguments: list[str]) -> float:
    times = []
    for _ in range(REPEATS):
        before = _children()
        _output(arguments)
        times.append(_children() - before)
    return statistics.median(times[1:])


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _output(arguments: list[str]) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    show(rows())
