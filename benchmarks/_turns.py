"""One side of ``before.py``: times jobs named on standard input, in its own checkout.

It runs with the packages and the sources of that checkout, and uses only functions of
every version: `load_dataset`, `load_folds`, `get_algorithm`, `training.drive` and
`measures.evaluate`.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from rankcore import get_algorithm, load_dataset, load_folds, measures
from rankcore.training import Stop, drive

ITERATIONS = 40
TURN_SECONDS = 0.05
MEASURES = ["nDCG@10", "AP", "RR@10", "P@5", "AUC", "ERR@10"]


@cache
def data(place: str):
    """Return the training data of a bundled data set, or of a folder's first fold."""
    folds = load_folds(place).values() if "/" in place else [load_dataset(place)]
    return next(iter(folds)).train


def job_of(name: str, place: str) -> Callable[[], object]:
    """Return a job that trains an algorithm with its defaults, or computes measures."""
    train = data(place)
    if name == "measures":
        scores = np.random.default_rng(0).normal(size=train.n_documents)
        return lambda: measures.evaluate(train, scores, MEASURES)

    def job() -> None:
        run = drive(
            get_algorithm(name)(),
            train,
            stop=Stop(max_iterations=ITERATIONS),
            measures=(),
        )
        for _ in run:
            pass

    return job


def seconds(job: Callable[[], object], calls: int) -> float:
    """Return the mean process CPU time of several calls."""
    began = time.process_time()
    for _ in range(calls):
        job()
    return (time.process_time() - began) / calls


def main() -> None:
    """Answer lines such as ``["ApproxNDCG", "planted"]`` with the seconds of a turn."""
    jobs: dict[tuple[str, str], tuple[Callable[[], object], int]] = {}
    for line in sys.stdin:
        key = tuple(json.loads(line))
        if key not in jobs:
            job = job_of(*key)
            job()
            jobs[key] = job, 1 + int(TURN_SECONDS / max(seconds(job, 1), 1e-6))
        print(json.dumps(seconds(*jobs[key])), flush=True)


if __name__ == "__main__":
    main()
