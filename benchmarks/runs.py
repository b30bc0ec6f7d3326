"""CPU time of `rankscope evaluate --run` on a run of 1,000 queries with 1,000 documents
each, some 40 MB, against 100,000 judgements, in fresh processes.

In the first rows a time limit replaces the peer: 2 seconds, including the start of the
process, so a ratio of 1 or more meets the target. The last row compares with
pytrec_eval, which reads the same files and measures nDCG@10 and AP.
"""

import contextlib
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from _rows import Row, process_seconds, show

REPEATS = 5
ALLOWED = 2.0
QUERIES, DOCUMENTS, JUDGED = 1000, 1000, 100
PYTREC_EVAL = """
import sys, pytrec_eval
run, qrels = (open(path) for path in sys.argv[1:])
judged = pytrec_eval.parse_qrel(qrels)
evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10", "map"})
evaluator.evaluate(pytrec_eval.parse_run(run))
"""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = Path(folder, "a.run"), Path(folder, "qrels.txt")
        _write(run, qrels)
        size = f"{run.stat().st_size / 1e6:.0f} MB"
        for convention in ("standard", "trec"):
            words = ["--run", str(run), "--judgements", str(qrels), "--convention"]
            words += [convention, "--measure", "nDCG@10", "--measure", "AP"]
            ours = _seconds(["-m", "rankcore.cli", "evaluate", *words])
            yield Row(f"{convention}, {size}", "allowed", ours, ALLOWED, 1.0)
        peer = None
        with contextlib.suppress(subprocess.CalledProcessError):
            peer = _seconds(["-c", PYTREC_EVAL, str(run), str(qrels)])
        yield Row(f"trec, {size}", "pytrec_eval", ours, peer, 1.0)


def _write(run: Path, qrels: Path) -> None:
    """Write a run, and judgements that include documents outside the run."""
    rng = np.random.default_rng(0)
    with run.open("w") as lines, qrels.open("w") as judgements:
        for query in range(QUERIES):
            documents = rng.choice(10**6, DOCUMENTS + JUDGED // 3, replace=False)
            scores = np.sort(rng.normal(10, 3, DOCUMENTS))[::-1]
            lines.writelines(
                f"q{query} Q0 doc-{document:07d} {rank} {score:.6f} bm25-run\n"
                for rank, (document, score) in enumerate(
                    zip(documents, scores, strict=False), start=1
                )
            )
            judged = documents[-JUDGED:]
            grades = rng.choice([0, 0, 0, 1, 2], JUDGED)
            judgements.writelines(
                f"q{query} 0 doc-{document:07d} {grade}\n"
                for document, grade in zip(judged, grades, strict=True)
            )


def _seconds(arguments: Sequence[str]) -> float:
    """Return the median CPU seconds of a process, after a warm-up one."""
    times = [process_seconds(arguments) for _ in range(REPEATS + 1)]
    return statistics.median(times[1:])


if __name__ == "__main__":
    show(rows())
