"""Blocks: speed-up by threads and single precision, and large data in little memory.

Times are wall-clock times, because threads do not save CPU time; the jobs of a row
alternate. ``python benchmarks/blocks.py speed`` or ``… large`` runs one half; the large
data, with as many documents as WEB30K, take up to 5 GiB of memory and some minutes.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from _rows import Figure, calls_in_a_turn, gain, output, show

from rankcore import ApproxNDCG, RSRank
from rankcore.algorithms.list_net import TopOneLoss
from rankcore.algorithms.rank_svm import HingeLoss
from rankcore.compute.executors import Executor, Serial, Threads, using
from rankcore.data.dataset import RankingDataset
from rankcore.data.planted import planted

TURNS = 9
FEATURES, LENGTH = 136, 120
# About the number of documents in a training fold of WEB10K, and in all of WEB30K.
MEDIUM, LARGE = 1900, 31_400
# The smallest data of more than one block, which threads share.
FEWEST = 2**21 // (FEATURES * LENGTH) + 1
LARGEST_ERROR = 1e-6
GIB = 2.0**30

Loss = Callable[[np.ndarray], tuple[float, np.ndarray]]


def in_turn(
    job: Callable[[], object], other: Callable[[], object]
) -> tuple[float, float]:
    """Return the median seconds of a job, and the median ratio of the other's time."""
    calls = {each: calls_in_a_turn(each) for each in (job, other)}
    ours, theirs = [], []
    for _ in range(TURNS):
        for each, seconds in ((job, ours), (other, theirs)):
            began = time.perf_counter()
            for _ in range(calls[each]):
                each()
            seconds.append((time.perf_counter() - began) / calls[each])
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    return statistics.median(ours), statistics.median(ratios)


def made(n_queries: int) -> RankingDataset:
    """Return lists of graded documents with as many features as WEB30K has."""
    rng = np.random.default_rng(0)
    n = n_queries * LENGTH
    X = rng.random((n, FEATURES))
    scores = X @ rng.standard_normal(FEATURES) + rng.normal(size=n)
    y = np.searchsorted(np.quantile(scores, [0.55, 0.8, 0.93, 0.98]), scores)
    qid = np.repeat(np.arange(n_queries), LENGTH)
    return RankingDataset.from_arrays(X, y, qid, copy=False)


def approximate(dataset: RankingDataset) -> Loss:
    surrogate = ApproxNDCG().surrogate(dataset)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        # The last point is cached and would cost nothing if evaluated again.
        surrogate._last = None
        point = surrogate.evaluate(w)
        return point.value, point.gradient

    return loss


LOSSES: dict[str, Callable[[RankingDataset], Loss]] = {
    "RSRank": lambda dataset: RSRank().loss(dataset),
    "ApproxNDCG": approximate,
    "ListNet": TopOneLoss,
    "RankSVM": HingeLoss,
}


def passes(
    name: str, dataset: RankingDataset, executor: Executor | None
) -> Callable[[], tuple[float, np.ndarray]]:
    """Return a pass over the data, at scores with a spread of some units."""
    with using(executor):
        loss = LOSSES[name](dataset)
    w = np.random.default_rng(1).standard_normal(dataset.n_features) / 4.0
    return lambda: loss(w)


def speed() -> Iterator[Figure]:
    double, small = made(MEDIUM), (planted(), made(FEWEST))
    single = double.stored("float32")
    two = Threads(2)
    size = f"{double.n_documents:,} × {FEATURES}"
    for name in LOSSES:
        plain = passes(name, double, Serial())
        threads = passes(name, double, two)
        yield gain(f"{name}, {size}, 2 threads", *in_turn(threads, plain), 1.4)
        halved = passes(name, single, Serial())
        yield gain(f"{name}, {size}, float32", *in_turn(halved, plain), 1.3)
        both = passes(name, single, two)
        yield gain(f"{name}, {size}, float32, 2 threads", *in_turn(both, plain), 2.2)
        exact = plain()[1]
        error = float(np.abs(halved()[1] - exact).max() / np.abs(exact).max())
        yield Figure(f"{name}, gradient of float32", error, LARGEST_ERROR)
        for data in small:
            usual = in_turn(passes(name, data, None), passes(name, data, Serial()))
            job = f"{name}, {data.n_documents:,} × {data.n_features}, by default"
            yield gain(job, *usual, 0.95)


TRAINING = """
import sys, time
import numpy as np
from rankcore import RankingDataset, get_algorithm
from rankcore.training import Stop, drive
from rankcore.topics.warmup import _tiny

folder, dtype, name = sys.argv[1:]
# In the memory of this process, as a reader would give it, or in a map.
mode = None if dtype == "float64" else "r"
X = np.load(folder + "/" + dtype + ".npy", mmap_mode=mode)
y, qid = np.load(folder + "/y.npy"), np.load(folder + "/qid.npy")
model = get_algorithm(name)()
for _ in drive(model, _tiny().stored(dtype), stop=Stop(max_iterations=2), measures=()):
    pass
began = time.perf_counter()
data = RankingDataset.from_arrays(X, y, qid, dtype=dtype, copy=False)
seconds = []
for _ in drive(model, data, stop=Stop(max_iterations=8), measures=()):
    seconds.append(time.perf_counter() - began)
    began = time.perf_counter()
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM"))
print(seconds[0], np.median(seconds[2:]), 1024 * int(peak.split()[1]))
"""


def large() -> Iterator[Figure]:
    limits = {"RSRank": 0.7, "ApproxNDCG": 1.0}
    memory = {"float64": 5.0, "float32": 3.0}
    with tempfile.TemporaryDirectory(prefix="rankscope-") as folder:
        write(Path(folder), LARGE)
        for dtype, most in memory.items():
            kind = "float64" if dtype == "float64" else "float32, mapped"
            for name, limit in limits.items():
                run = output(TRAINING, folder, dtype, name)
                first, later, peak = map(float, run.split())
                job = f"{name}, {LARGE * LENGTH:,} × {FEATURES}, {kind}"
                yield Figure(f"{job}: first step", first, 3.0, "s")
                yield Figure(f"{job}: a pass", later, limit, "s")
                yield Figure(f"{job}: memory", peak / GIB, most, "GiB")


def write(
    folder: Path, n_queries: int, dtypes: Sequence[str] = ("float64", "float32")
) -> None:
    """Write features in each type, labels and queries to files."""
    rng, shape = np.random.default_rng(0), (n_queries * LENGTH, FEATURES)
    files = [
        np.lib.format.open_memmap(folder / f"{dtype}.npy", "w+", dtype, shape)
        for dtype in dtypes
    ]
    y, truth = np.empty(shape[0], dtype=np.int64), rng.standard_normal(FEATURES)
    cuts = FEATURES**0.5 * np.array([0.1, 0.3, 0.5, 0.7]) + 0.5 * truth.sum()
    for begin in range(0, shape[0], 100 * LENGTH):
        rows = slice(begin, begin + 100 * LENGTH)
        X = rng.random(files[0][rows].shape, dtype=np.float32)
        for file in files:
            file[rows] = X
        y[rows] = np.searchsorted(cuts, X @ truth)
    np.save(folder / "y.npy", y)
    np.save(folder / "qid.npy", np.repeat(np.arange(n_queries), LENGTH))


HALVES = {"speed": speed, "large": large}


def rows(halves: Sequence[str] = ()) -> Iterator[Figure]:
    for half in halves or HALVES:
        yield from HALVES[half]()


if __name__ == "__main__":
    show(rows(sys.argv[1:]))
