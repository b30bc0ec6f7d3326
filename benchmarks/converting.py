"""Conversion of large files to training folders: megabytes per second, and memory.

    python benchmarks/converting.py [MEGABYTES]

Files of about that size, by default 1000 MB, are generated: documents with 46 features
and ids, as in LETOR's OHSUMED, and with 136 features of mixed scale, as in WEB30K.
Wall-clock time and Linux's peak resident size, each in a new process, are compared with
scikit-learn's load_svmlight_file and numpy.save, which hold all data in memory and read
only the beginning of the file.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from _rows import Figure, output, show
from letor_parsing import raw_value, scaled_value, write_file

MEGABYTES = 1000
RATE, MEMORY = 200.0, 256.0
# Bytes that the peer reads.
PEER_BYTES = 50e6
MIB = 2.0**20
# More rows than a part has, so that repetition does not make tables smaller.
DISTINCT = 40_000

MEASURE = """
import sys, time
def peak():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])
def measure(job, small, large):
    job(*small)
    before, began = peak(), time.perf_counter()
    job(*large)
    print(time.perf_counter() - began, peak() - before)
"""
OURS = """
from rankcore.data.readers.converting import convert
small, large, folder, dtype = sys.argv[1:]
measure(
    lambda file, name: convert(file, folder + "/" + name, dtype=dtype),
    (small, "small"), (large, "large"),
)
"""
PEER = """
import numpy as np
from sklearn.datasets import load_svmlight_file
small, large, folder, _ = sys.argv[1:]
def job(file):
    X, y, qid = load_svmlight_file(file, query_id=True)
    for name, array in {"X": X.toarray(), "y": y, "qid": qid}.items():
        np.save(folder + "/" + name, array)
measure(job, (small,), (large,))
"""


def compare(text: Path, job: str, folder: Path) -> Iterator[Figure]:
    """Convert a file to both types; the peer reads its beginning."""
    small, beginning = folder / "small.txt", folder / "beginning.txt"
    _copy(text, small, 1e6)
    _copy(text, beginning, min(PEER_BYTES, text.stat().st_size / 10))
    seconds, memory = _measured(PEER, small, beginning, folder, "")
    rate = beginning.stat().st_size / seconds / 1e6
    peer = f"scikit-learn and numpy.save: {rate:.1f} MB/s"
    taken = f"scikit-learn: {memory / MIB:.0f} MiB for {rate * seconds:.0f} MB"
    size = text.stat().st_size
    for dtype in ("float64", "float32"):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            seconds, memory = _measured(OURS, small, text, Path(scratch), dtype)
        title = f"{job}, {size / 1e6:.0f} MB, {dtype}"
        yield Figure(title, size / seconds / 1e6, RATE, "MB/s", True, peer)
        yield Figure(title, memory / MIB, MEMORY, "MiB", note=taken)


def _measured(
    code: str, small: Path, large: Path, folder: Path, dtype: str
) -> tuple[float, float]:
    """Return the seconds, and the bytes in excess of a small file's."""
    # Flushing earlier writes, such as the text itself, must not delay the measurement.
    os.sync()
    words = output(MEASURE + code, small, large, folder, dtype).split()
    seconds, memory = map(float, words[-2:])
    return seconds, memory


def _copy(text: Path, beginning: Path, size: float) -> None:
    """Copy the first lines of a file."""
    with text.open("rb") as source:
        lines = source.read(int(size))
    beginning.write_bytes(lines[: lines.rfind(b"\n") + 1])


def _repeat(part: Path, text: Path, size: float) -> None:
    """Write a file's lines repeatedly, each time with different queries."""
    lines = part.read_bytes()
    with text.open("wb") as target:
        number = 0
        while target.tell() < size:
            target.write(lines.replace(b"qid:", b"qid:%d" % (10_000 + number)))
            number += 1


def rows(megabytes: float = MEGABYTES) -> Iterator[Figure]:
    """Convert generated files."""
    with tempfile.TemporaryDirectory(prefix="rankscope-") as name:
        folder = Path(name)
        part, text = folder / "part.txt", folder / "data.txt"
        write_file(part, 46, scaled_value, ids=True, rows=DISTINCT, distinct=DISTINCT)
        _repeat(part, text, 1e6 * megabytes)
        yield from compare(text, "46 features, doc ids", folder)
        write_file(part, 136, raw_value, ids=False, rows=DISTINCT, distinct=DISTINCT)
        _repeat(part, text, 1e6 * megabytes)
        yield from compare(text, "136 features", folder)


if __name__ == "__main__":
    show(rows(*map(float, sys.argv[1:2])))
