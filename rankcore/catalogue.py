"""Data sets by name: those bundled and the LETOR folders a user has put in place."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rankcore._planted import planted
from rankcore.dataset import RankingDataset
from rankcore.errors import DataError


class Splits(NamedTuple):
    """The parts of a data set, divided by query."""

    train: RankingDataset
    valid: RankingDataset | None = None
    test: RankingDataset | None = None


@dataclass(frozen=True)
class DatasetInfo:
    """What the catalogue knows of a data set without reading it."""

    name: str
    title: str
    description: str
    origin: str
    licence: str
    splits: tuple[str, ...] = ("train", "valid", "test")


PLANTED = DatasetInfo(
    name="planted",
    title="Planted sparse model",
    description="Synthetic data in the shape of OHSUMED.",
    origin="Generated when it is loaded, from a fixed seed",
    licence="Apache-2.0",
)


def list_datasets() -> list[DatasetInfo]:
    """Return every data set that :func:`load_dataset` accepts."""
    return [PLANTED]


@lru_cache(maxsize=8)
def load_dataset(name: str) -> Splits:
    """Return the train, validation and test part of a listed data set."""
    names = [info.name for info in list_datasets()]
    if name not in names:
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names
        raise DataError(
            f"There is no data set called {name!r}",
            f"Choose one of these: {', '.join(near)}",
        )
    return Splits(*planted().split((0.6, 0.2, 0.2), seed=1))
