"""Running ``rankscope`` in this process and reading what it prints."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from rankcore import RankingDataset
from rankcore.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """The one JSON object on standard output; fails on anything else there."""
        return json.loads(self.out)


@pytest.fixture
def rankscope(capsys):
    """Run a command line, given word by word."""

    def run(*words: object) -> Ended:
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return Ended(end.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def letor(tmp_path, small):
    """A fold's folder in LETOR text: six, three and three queries."""
    folder = tmp_path / "Fold1"
    folder.mkdir()
    parts = {"train": range(6), "vali": range(6, 9), "test": range(9, 12)}
    for part, queries in parts.items():
        write_letor(folder / f"{part}.txt", small.subset(list(queries)))
    return folder


@pytest.fixture
def model(rankscope, letor, tmp_path):
    """A file with a model trained on the fold `letor`."""
    out = tmp_path / "model.json"
    rankscope("train", letor, "RSRank", "--max-iter", 3, "--out", out)
    return out


def write_letor(path: Path, data: RankingDataset) -> None:
    lines = []
    for index in range(data.n_queries):
        query = data.query(index)
        for x, y, name in zip(query.X, query.y, query.doc_ids, strict=True):
            features = " ".join(
                f"{i}:{value!r}" for i, value in enumerate(x.tolist(), 1)
            )
            lines.append(f"{y} qid:{query.id} {features} # {name}\n")
    path.write_text("".join(lines))
