"""Training time of every learner compared with another checkout.

``RANKSCOPE_BEFORE=path/to/checkout python -m benchmarks before``: the other checkout
has its own environment in ``.venv``. Both sides train the defaults for 40 iterations,
one core each, in turn. ``RANKSCOPE_BEFORE_DATA`` adds folders with folds,
``RANKSCOPE_BEFORE_JOBS`` selects learners.
"""

import json
import math
import os
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

from _rows import show

from rankcore import list_algorithms

REPEATS = 9
BUNDLED = ("mslr10k-sample", "planted")
LEAST, LEAST_MEAN = 0.80, 0.97
# They solve their working set completely, which takes milliseconds.
TIGHTER = {"SVMMAP", "SVMAUC", "SVMCombo", "DORM"}
LEAST_TIGHTER, MOST_SECONDS = 0.4, 0.15
HERE = Path(__file__).parent


class Side:
    """A process that trains in one checkout."""

    def __init__(self, checkout: Path) -> None:
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        self._process = subprocess.Popen(
            [checkout / ".venv/bin/python", HERE / "_turns.py"],
            cwd=checkout,
            env={**os.environ, **one_thread, "PYTHONPATH": str(checkout)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, name: str, place: str) -> float:
        """Return the process CPU seconds of a training."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([name, place]), file=self._process.stdin, flush=True)
        return float(json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def rows() -> Iterator[str]:
    """One line per learner and data set, then the geometric mean of all ratios."""
    if "RANKSCOPE_BEFORE" not in os.environ:
        yield "Name the checkout to compare with: RANKSCOPE_BEFORE=path/to/checkout"
        return
    folders = os.environ.get("RANKSCOPE_BEFORE_DATA", "").split()
    wanted = os.environ.get("RANKSCOPE_BEFORE_JOBS", "").split()
    here, before = Side(HERE.parent), Side(Path(os.environ["RANKSCOPE_BEFORE"]))
    ratios = []
    for place in (*BUNDLED, *map(os.path.abspath, folders)):
        for name in wanted or [*list_algorithms(), "measures"]:
            turns = [
                (here.seconds(name, place), before.seconds(name, place))
                for _ in range(REPEATS)
            ]
            ours, theirs = map(statistics.median, zip(*turns, strict=True))
            ratios.append(theirs / ours)
            yield _line(name, place, turns, ours, theirs)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    verdict = "met" if mean >= LEAST_MEAN else "MISSED"
    yield f"geometric mean {mean:.3f}x, target {LEAST_MEAN}x {verdict}"
    for side in (here, before):
        side.end()


def _line(
    name: str,
    place: str,
    turns: list[tuple[float, float]],
    ours: float,
    theirs: float,
) -> str:
    lowest, *_, highest = sorted(before / here for here, before in turns)
    ratio = theirs / ours
    tighter = name in TIGHTER and (ours <= MOST_SECONDS or "/" in place)
    met = ratio >= (LEAST_TIGHTER if tighter else LEAST)
    return (
        f"{name:18} {Path(place).name:16} {1e3 * ours:9.2f} ms, before "
        f"{1e3 * theirs:9.2f} ms   {ratio:5.2f}x ({lowest:.2f} to {highest:.2f})"
        f"   {'met' if met else 'MISSED'}"
    )


if __name__ == "__main__":
    show(rows())
