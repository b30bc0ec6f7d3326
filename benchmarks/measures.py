"""nDCG@10 and AP from arrays, compared with ranx and pytrec_eval on dicts.

The lists have the shapes of LETOR collections: OHSUMED, TD2003 and MQ2007. pytrec_eval
computes nDCG with linear gain, which is the same amount of work.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np
from _lists import SHAPES, scored
from _rows import Row, interleaved, seconds_of, show

from rankcore import RankingDataset, measures

TARGET = 12.0
REPEATS = 15


def nested(dataset: RankingDataset, values: np.ndarray) -> dict[str, dict]:
    """Return query id → document id → value, which the peers take instead of arrays."""
    offsets, plain = dataset.offsets.tolist(), values.tolist()
    return {
        query: dict(zip(dataset.doc_ids[begin:end], plain[begin:end], strict=True))
        for query, begin, end in zip(
            dataset.query_ids, offsets, offsets[1:], strict=False
        )
    }


def ranx_job(dataset: RankingDataset, scores: np.ndarray) -> Callable[[], object]:
    from ranx import Qrels, Run, evaluate

    qrels = Qrels(nested(dataset, dataset.y))
    wanted = ["ndcg_burges@10", "map"]
    return lambda: evaluate(qrels, Run(nested(dataset, scores)), wanted)


def pytrec_eval_job(
    dataset: RankingDataset, scores: np.ndarray
) -> Callable[[], object]:
    import pytrec_eval

    judge = pytrec_eval.RelevanceEvaluator(
        nested(dataset, dataset.y), {"ndcg_cut.10", "map"}
    )
    return lambda: judge.evaluate(nested(dataset, scores))


PEERS = {"ranx": ranx_job, "pytrec_eval": pytrec_eval_job}


def rows() -> Iterator[Row]:
    """One row per shape and peer."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        dataset, w = scored(shape, rng)
        scores = dataset.X @ w
        ours = partial(measures.means, dataset, scores, ("nDCG@10", "AP"))
        for peer, job in PEERS.items():
            name = f"measures nDCG@10 + AP, {shape.name}"
            if find_spec(peer) is None:
                yield Row(name, peer, seconds_of(ours, REPEATS), None, TARGET)
                continue
            median, theirs = interleaved(ours, job(dataset, scores), REPEATS)
            yield Row(name, peer, median, theirs, TARGET)


if __name__ == "__main__":
    show(rows())
