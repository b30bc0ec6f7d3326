"""How one file is split by query into training, validation and test."""

from __future__ import annotations

from typing import NamedTuple

from rankcore.dataset import RankingDataset
from rankcore.readers.folds import Splits


class Division(NamedTuple):
    """The shares of the queries, dealt at random.

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
    def parse(cls, text: str, seed: int = 0) -> Division:
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
                f"{text!r} is not a division; write the percentages of training, "
                "validation and test queries, which sum to 100, such as 60/20/20."
            )
        return cls(shares, seed)

    def __str__(self) -> str:
        return "/".join(f"{100 * share:.10g}" for share in self.shares)

    def divide(self, dataset: RankingDataset) -> Splits:
        """Training, validation and perhaps test queries of a data set.

        Raises
        ------
        DataError
            If it has fewer queries than there are shares.
        """
        return Splits(*dataset.split(self.shares, seed=self.seed))
