"""CPU time of scoring LETOR text of 46 and of 136 features, about 100 MB, in parts.

A CPU time limit replaces the peer: that of two cores at 200 MB/s, twice the wall-clock
time, so a ratio of 1 or more meets the target.
"""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from _rows import Row, seconds_of, show

from rankcore import RSRank
from rankcore.data.readers import read_letor
from rankcore.studies.scores import score_file

RATE, CORES = 200e6, 2
SIZE = 100e6
DOCUMENTS = 120


def rows() -> Iterator[Row]:
    for features in (46, 136):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "new.txt")
            model = RSRank(max_iter=2).fit_dataset(read_letor(_write(file, features)))
            size = file.stat().st_size
            for ending in ("parquet", "run"):
                job = partial(score_file, model, file, Path(folder, f"out.{ending}"))
                ours, allowed = seconds_of(job, 3), CORES * size / RATE
                note = f"{size / ours / 1e6:.0f} MB a second of CPU time"
                name = f"{features} features, {size / 1e6:.0f} MB, {ending}"
                yield Row(name, "allowed", ours, allowed, 1.0, note)


def _write(file: Path, features: int) -> bytes:
    """Write new documents; return the first ones."""
    rng = np.random.default_rng(0)
    lines = []
    for document in range(DOCUMENTS):
        values = rng.random(features).tolist()
        pairs = " ".join(f"{at}:{value:.6f}" for at, value in enumerate(values, 1))
        lines.append(f"{document % 3} qid:QUERY {pairs} # doc-{document}\n")
    query = "".join(lines)
    with file.open("w") as text:
        for number in range(1 + int(SIZE) // len(query)):
            text.write(query.replace("QUERY", str(number)))
    return query.encode()


if __name__ == "__main__":
    show(rows())
