"""Compilation of every kernel, on a tiny data set, before its first real use.

The compiled code is cached on disk: only the first warm-up on a machine takes long.
"""

import gc
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankcore.base import kernel_cache
from rankcore.base.compiling import telling
from rankcore.compute.calls import as_ready
from rankcore.compute.processes import Pool, lower_priority
from rankcore.data.dataset import RankingDataset

if TYPE_CHECKING:
    from rankcore.algorithms import Ranker

Progress = Callable[[str, int, int], None]

# Kernels for the first page and the defaults of training, slowest first, and for the
# measures that they draw.
FIRST = ("RSRank", "NDCG", "a ranking", "AP and RR")
FIRST_MEASURES = ("nDCG@10", "AP", "RR")


def warm_up(
    progress: Progress | None = None,
    workers: int = 1,
    parts: Sequence[str] | None = None,
) -> None:
    """Run each algorithm for two steps, and call all other compiled functions once.

    Parameters
    ----------
    progress : callable, optional
        Called with the next part (or the part that one of several processes finished),
        the number of parts finished before it, and the number of all.
    workers : int
        Number of compiling processes; if several, this one loads nothing.
    parts : sequence of str, optional
        Algorithms, ``"NDCG"`` …; by default all parts.
    """
    report, everything = progress or _silent, parts is None
    parts = _every() if parts is None else parts
    if workers > 1:
        for done, part in enumerate(_in_processes(workers, parts)):
            report(part, done, len(parts))
    else:
        for done, part in enumerate(parts):
            report(part, done, len(parts))
            _run(part)
    if everything:
        kernel_cache.set_complete()


class Background:
    """Preparation of a server: another process compiles missing kernels, part by part,
    starting with those of the first pages.

    Attributes
    ----------
    ready, count : int
        Number of compiled parts, and of all parts; 0 if nothing has to be compiled.
    finished : bool
        Whether all is compiled, and the kernels of the first pages are loaded here.
    """

    def __init__(self) -> None:
        self.ready = self.count = 0
        self.finished = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._looks = 0
        self._lock = threading.Lock()
        self._first_look = threading.Event()
        self._last: Callable[[], object] | None = None

    @property
    def at_work(self) -> bool:
        """Whether it has started and not finished."""
        return self._thread.ident is not None and not self.finished

    def begin(self) -> None:
        """Start, unless already started."""
        with self._lock:
            if self._thread.ident is None:
                self._thread.start()

    def look(self, last: Callable[[], object] | None = None) -> None:
        """Start; at the second call load the first pages' kernels: by then a browser
        has drawn a page, which loading would have delayed.

        Parameters
        ----------
        last : callable, optional
            Called after loading, for example to open a store that the first run would
            wait for.
        """
        self._last = last
        self.begin()
        self._looks += 1
        if self._looks > 1:
            self._first_look.set()

    def _run(self) -> None:
        try:
            if kernel_cache.is_complete():
                self._load()
            else:
                self._compile()
        finally:
            self.finished = True

    def _compile(self) -> None:
        command = [sys.executable, "-m", "rankcore.topics.warmup"]
        root = Path(__file__).parents[2]
        with subprocess.Popen(
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C stops the server; without a server this ends after the next part.
            start_new_session=True,
        ) as process:
            for line in process.stdout or ():
                self.ready, self.count = map(int, line.split())
                if self.ready == len(FIRST):
                    self._load()

    def _load(self) -> None:
        # Streamlit may still be loading, and two threads that load pandas at once may
        # both get half of it.
        self._first_look.wait()
        warm_up(parts=FIRST)
        if self._last is not None:
            self._last()
        gc.collect()
        # Later collections skip objects loaded by now.
        gc.freeze()


# The one of this process, which is the server.
BACKGROUND = Background()


def _compile_all() -> None:
    """Compile the first pages' kernels in this process and another one, then all
    others; a line reports the progress."""
    # Pages have priority over compilation.
    lower_priority()
    with suppress(BrokenPipeError), telling(lambda: None):
        _tell(0, len(FIRST))
        for done, _ in enumerate(_beside_another_process(FIRST), 1):
            _tell(done, len(FIRST))
        # Importing the full list takes a second; the first parts do not need it.
        others = [part for part in _every() if part not in FIRST]
        for done, part in enumerate(others, len(FIRST)):
            _tell(done, len(FIRST) + len(others))
            _run(part)
        kernel_cache.set_complete()
    # Input that the ended server did not read is not written again.
    os._exit(0)


def _tell(done: int, count: int) -> None:
    sys.stdout.write(f"{done} {count}\n")
    sys.stdout.flush()


def _in_processes(workers: int, parts: Sequence[str]) -> Iterator[str]:
    """Run parts in ``workers`` processes; yield each as it is done."""
    for number, _ in as_ready(workers, _run, [(part,) for part in parts]):
        yield parts[number]


def _beside_another_process(parts: Sequence[str]) -> Iterator[None]:
    """Run the first part here and the others in another process; yield each one.

    Two more processes would load all packages twice.
    """
    with Pool(1) as other:
        futures = [other.submit(_run, part) for part in parts[1:]]
        _run(parts[0])
        yield
        for future in futures:
            future.result()
            yield


def compile_for(algorithm: "Ranker") -> None:
    """Run ``algorithm`` for two steps, so that its first real step need not wait.

    Parameters
    ----------
    algorithm : Ranker
        With its final hyperparameters; it is not changed.
    """
    from rankcore.training import Stop, drive

    dataset = _tiny()
    if algorithm.unsupported_reason(dataset) is None:
        # Steps come first, as another process may compile the measure meanwhile.
        for measures in ((), ("nDCG@10",)):
            for _ in drive(
                algorithm,
                dataset,
                dataset,
                stop=Stop(max_iterations=2),
                measures=measures,
            ):
                pass


def _every() -> list[str]:
    from rankcore.algorithms import list_algorithms

    return [*_SHARED, *_halves(list_algorithms())]


def _halves(names: Sequence[str]) -> list[str]:
    """Return ``names`` with its two halves interleaved: algorithms with similar names
    share kernels, which two processes at the same place would both compile."""
    half = len(names) // 2
    pairs = zip_longest(names[:half], names[half:])
    return [name for name in chain.from_iterable(pairs) if name]


def _silent(part: str, done: int, count: int) -> None:
    """Report nothing."""


def _read() -> None:
    from rankcore.data.readers import read_letor

    read_letor(io.BytesIO(b"1 qid:1 1:0.5 2:1 # a\n0 qid:1 1:0.25 # b\n"))


def _read_run() -> None:
    from rankcore import measures
    from rankcore.data.rankings import read_rankings

    run = read_rankings(b"1 Q0 a 1 0.5 x\n1 Q0 b 2 0.5 x\n")
    for convention in ("standard", "trec"):
        rules = measures.run_rules(convention)
        measures.measure_run(run, {"1": {"a": 1, "c": 0}}, ("nDCG@10", "AP"), rules)


def _measure(*names: str) -> None:
    from rankcore import measures

    dataset = _tiny()
    measures.evaluate(dataset, dataset.X[:, 0], names)


def _rank() -> None:
    from rankcore import measures
    from rankcore.topics.inspect.ranking import query_ranking

    query = _tiny().query(0)
    query_ranking(query, query.X[:, 0], measures.parse(FIRST_MEASURES[0]))


def _follow_lines() -> None:
    from rankcore.topics.approximation import landscape

    dataset = _tiny()
    first, second, _ = np.eye(3)
    for measure in ("nDCG@10", "AP"):
        landscape.along_line(dataset, first, second, measure)


def _fold_in() -> None:
    from rankcore.algorithms.parts.cones import Differences
    from rankcore.topics.cones import cone

    dataset = _tiny()
    cone.fold(np.eye(3), dataset.X[:1])
    cone.energy_spectrum(Differences(dataset))


def _compare() -> None:
    from rankcore.mathematics.differences import differences, selection_optimism

    values = np.random.default_rng(0).random((2, 20))
    differences(values, [(0, 1)], sign_flips=9)
    selection_optimism(values, resamples=9)


_SHARED: dict[str, Callable[[], None]] = {
    "NDCG": partial(_measure, *FIRST_MEASURES[:1]),
    "AP and RR": partial(_measure, *FIRST_MEASURES[1:]),
    "a ranking": _rank,
    "the other measures": partial(_measure, "P@5", "WTA", "AUC", "MeanNDCG"),
    "measures of runs": partial(_measure, "R@5", "RBP", "Bpref", "Judged@5"),
    "the reader of runs": _read_run,
    "cones": _fold_in,
    "the LETOR reader": _read,
    "lines": _follow_lines,
    "intervals": _compare,
}


def _run(part: str) -> None:
    if part in _SHARED:
        _SHARED[part]()
    else:
        from rankcore import algorithms

        # Imported by its own file, so that the others are not loaded.
        compile_for(getattr(algorithms, part)())


def _tiny() -> RankingDataset:
    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = np.searchsorted([1.0, 1.5], X[:, 0] + X[:, 1])
    return RankingDataset.from_arrays(X, y, np.repeat([1, 2, 3], [10, 30, 360]))


if __name__ == "__main__":
    _compile_all()
