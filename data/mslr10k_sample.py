"""Rebuild data/mslr10k-sample from the two files in rankeval's source archive.

    python data/mslr10k_sample.py msn1.fold1.train.5k.txt msn1.fold1.test.5k.txt

The files are the first 5,000 rows of a training and a test file, so the last query of
each is cut short: it is dropped. The queries of the training file are dealt into a
training and a validation part; the test file stays as it is.
"""

import sys
from pathlib import Path

import numpy as np

from rankcore import RankingDataset, read_letor

FOLDER = Path(__file__).parent / "mslr10k-sample"
VALIDATION_SHARE = 0.25
SEED = 0

FIELDS = ("body", "anchor", "title", "url", "whole document")
STATISTICS = ("sum", "min", "max", "mean", "variance")
KINDS = (
    "covered query term number",
    "covered query term ratio",
    "stream length",
    "IDF",
    *(f"{statistic} of term frequency" for statistic in STATISTICS),
    *(f"{s} of stream length normalised term frequency" for s in STATISTICS),
    *(f"{statistic} of tf*idf" for statistic in STATISTICS),
    "boolean model",
    "vector space model",
    "BM25",
    "LMIR.ABS",
    "LMIR.DIR",
    "LMIR.JM",
)
PAGE_FEATURES = (
    "number of slashes in URL",
    "length of URL",
    "inlink number",
    "outlink number",
    "PageRank",
    "SiteRank",
    "QualityScore",
    "QualityScore2",
    "query-url click count",
    "url click count",
    "url dwell time",
)
FEATURE_NAMES = (
    *(f"{kind} ({field})" for kind in KINDS for field in FIELDS),
    *PAGE_FEATURES,
)


def whole_queries(path: str) -> RankingDataset:
    """Read a file without its last query."""
    data = read_letor(path, feature_names=FEATURE_NAMES)
    return data.subset(np.arange(data.n_queries - 1))


def write(data: RankingDataset, part: str) -> None:
    """Store one part as Parquet; documents have no ids in the source."""
    frame = data.to_frame().drop(columns="document").astype({"label": "int8"})
    path = FOLDER / f"{part}.parquet"
    frame.to_parquet(path, compression="zstd", compression_level=19, index=False)


def main(train_path: str, test_path: str) -> None:
    """Write the three parts."""
    FOLDER.mkdir(exist_ok=True)
    shares = (1 - VALIDATION_SHARE, VALIDATION_SHARE)
    train, valid = whole_queries(train_path).split(shares, seed=SEED)
    for part, data in zip(
        ("train", "valid", "test"),
        (train, valid, whole_queries(test_path)),
        strict=True,
    ):
        write(data, part)


if __name__ == "__main__":
    main(*sys.argv[1:])
