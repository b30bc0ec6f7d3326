"""LETOR text to arrays, compared with scikit-learn's load_svmlight_file.

    python benchmarks/letor_parsing.py [FILE]

Without a file, two are generated: raw features of mixed scale, as in MSLR-WEB10K, and
features in [0, 1] with document ids, as in LETOR's query-level files. Both readers
start from a file on disk.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from _rows import Row, interleaved, show
from sklearn.datasets import load_svmlight_file

from rankcore import read_letor

TARGET = 30
REPEATS = 7
N_ROWS = 20_000
ROWS_PER_QUERY = 120


def raw_value(rng: np.random.Generator) -> str:
    """Draw a count, a ratio or a log probability, in the proportions of MSLR-WEB10K."""
    kind = rng.random()
    if kind < 0.6:
        return str(int(rng.integers(0, 10) if kind < 0.52 else rng.integers(10, 999)))
    if kind < 0.88:
        return f"{rng.random() * (1 if kind < 0.8 else 30):.6f}"
    return f"{-rng.random() * 30:.6f}"


def scaled_value(rng: np.random.Generator) -> str:
    """Draw a number in [0, 1]."""
    return f"{rng.random():.6f}"


def write_file(
    path: Path,
    n_features: int,
    value: Callable[[np.random.Generator], str],
    ids: bool,
    rows: int = N_ROWS,
    distinct: int = 1000,
) -> None:
    """Write rows with the features of some distinct lines, each with its own ids."""
    rng = np.random.default_rng(0)
    features = [
        " ".join(f"{j}:{value(rng)}" for j in range(1, n_features + 1))
        for _ in range(distinct)
    ]
    with path.open("w") as file:
        for row in range(rows):
            comment = f" #docid = GX{row:09} inc = 1 prob = 0.0866" if ids else ""
            query = row // ROWS_PER_QUERY
            line = features[row % distinct] + comment
            print(row % 3, f"qid:{query}", line, file=file)


def compare(path: Path, job: str) -> Row:
    """Check that both readers agree to the bit, then time them in turn."""
    data = read_letor(path)
    X, y, qid = load_svmlight_file(str(path), query_id=True, zero_based=False)
    readers = {
        "X": (data.original_order(data.X), X.toarray()),
        "y": (data.original_order(data.y), y),
        "qid": (data.original_order(np.repeat(data.query_ids, data.lengths)), qid),
    }
    for name, (ours, theirs) in readers.items():
        if not np.array_equal(ours.astype(theirs.dtype), theirs):
            raise SystemExit(f"{job}: {name} differs from scikit-learn's.")
    seconds = interleaved(
        lambda: read_letor(path),
        lambda: load_svmlight_file(str(path), query_id=True, zero_based=False),
        REPEATS,
    )
    rates = [path.stat().st_size / 1e6 / second for second in seconds]
    note = f"{rates[0]:.0f} against {rates[1]:.1f} MB/s, equal to the bit"
    return Row(job, "scikit-learn", *seconds, TARGET, note)


def rows() -> Iterator[Row]:
    """Compare on generated files."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.txt"
        write_file(path, 136, raw_value, ids=False)
        yield compare(path, "LETOR text, 136 features of mixed scale")
        write_file(path, 46, scaled_value, ids=True)
        yield compare(path, "LETOR text, 46 features in [0, 1], doc ids")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        show(compare(Path(name), f"LETOR text, {name}") for name in sys.argv[1:])
    else:
        show(rows())
