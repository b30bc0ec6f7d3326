"""Splits of one file by query into training, validation and test."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankcore.data.dataset import FEWEST_FOLDS, RankingDataset
from rankcore.data.readers.folds import Splits

COLUMN_PREFIX = "column:"
FOLD = re.compile(r"(\d{1,6})-of-(\d{1,6})")


class Division:
    """A split of one file by query; `str` writes it.

    Attributes
    ----------
    seed : int or None
        None for a split without randomness.
    columns : tuple of str
        Columns that the reader must keep.
    title : str
        Its title among several splits of one file.
    """

    @property
    def seed(self) -> int | None:
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        return ()

    @property
    def title(self) -> str:
        return ""

    @property
    def words(self) -> str:
        """Its description, the same for all folds."""
        return f"{self}, seed {self.seed}"

    @property
    def call(self) -> str:
        """The splitting method of `RankingDataset`, with its arguments."""
        raise NotImplementedError

    def divide(self, dataset: RankingDataset) -> Splits:
        """Return training and optionally validation and test queries of a data set.

        Raises
        ------
        DataError
            As the method of `call`.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Shares(Division):
    """A random split of queries by shares.

    Attributes
    ----------
    shares : tuple of float
        Two (training, validation) or three (and test) shares in (0, 1) that sum to 1.
    seed : int
        The same number gives the same parts.
    """

    shares: tuple[float, ...] = (0.6, 0.2, 0.2)
    seed: int = 0

    @classmethod
    def parse(cls, text: str, seed: int = 0) -> Shares:
        """Read percentages, such as ``60/20/20``; `str` writes them.

        Raises
        ------
        ValueError
            If they are not two or three positive numbers that sum to 100.
        """
        try:
            shares = tuple(float(word) / 100 for word in text.split("/"))
        except ValueError:
            shares = ()
        positive = all(share > 0 for share in shares)
        if len(shares) not in (2, 3) or not positive or abs(sum(shares) - 1) > 1e-9:
            raise ValueError(
                f"{text!r} is not a split; write the percentages of training, "
                "validation and test queries with sum 100, such as 60/20/20."
            )
        return cls(shares, seed)

    def __str__(self) -> str:
        return "/".join(f"{100 * share:.10g}" for share in self.shares)

    @property
    def call(self) -> str:
        return f"split({self.shares}, seed={self.seed})"

    def divide(self, dataset: RankingDataset) -> Splits:
        return Splits(*dataset.split(self.shares, seed=self.seed))


@dataclass(frozen=True)
class Fold(Division):
    """One of several random folds; see `RankingDataset.fold`.

    Attributes
    ----------
    seed : int
        The same number gives the same folds.
    """

    number: int = 1
    folds: int = 5
    seed: int = 0

    @property
    def title(self) -> str:
        return f"fold {self.number} of {self.folds}"

    def __str__(self) -> str:
        return f"{self.number}-of-{self.folds}"

    @property
    def words(self) -> str:
        return f"{self.folds} folds, seed {self.seed}"

    @property
    def call(self) -> str:
        return f"fold({self.number}, {self.folds}, seed={self.seed})"

    def divide(self, dataset: RankingDataset) -> Splits:
        return Splits(*dataset.fold(self.number, self.folds, self.seed))


@dataclass(frozen=True)
class ByColumn(Division):
    """A split by a column of the table; see `RankingDataset.split_by`.

    Attributes
    ----------
    column : str
        Name of the column, which is read as a group of queries.
    """

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def __str__(self) -> str:
        return f"{COLUMN_PREFIX}{self.column}"

    @property
    def words(self) -> str:
        return f"by column {self.column}"

    @property
    def call(self) -> str:
        return f"split_by({self.column!r})"

    def divide(self, dataset: RankingDataset) -> Splits:
        return Splits(*dataset.split_by(self.column))


def parse_division(text: str, seed: int = 0) -> Division:
    """Return a split from its text, as `str` writes it.

    Parameters
    ----------
    text : str
        Percentages such as ``60/20/20``, a fold such as ``2-of-5``, or a column such as
        ``column:split``.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if text.startswith(COLUMN_PREFIX) and text != COLUMN_PREFIX:
        return ByColumn(text.removeprefix(COLUMN_PREFIX))
    fold = FOLD.fullmatch(text)
    if fold:
        number, folds = map(int, fold.groups())
        if not (folds >= FEWEST_FOLDS and 1 <= number <= folds):
            raise ValueError(
                f"{text!r} is not a fold; write a number and at least {FEWEST_FOLDS} "
                "folds, such as 2-of-5."
            )
        return Fold(number, folds, seed)
    return Shares.parse(text, seed)
