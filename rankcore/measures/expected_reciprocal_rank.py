"""Expected reciprocal rank of the document at which a reader stops."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankcore.mathematics.elementary import exp2
from rankcore.measures._measure import Floats, Integers, Lists, Measure, Terms
from rankcore.measures._rules import Convention

_LARGEST = 1000


@dataclass(frozen=True)
class ExpectedReciprocalRank(Measure):
    """ERR = sum_i R_i / rank_i prod_{j above i} (1 - R_j), R = (2^y - 1) / 2^y_max.

    ERR@k leaves out the terms of documents beyond position k.

    Parameters
    ----------
    max_grade : int
        The highest possible grade, y_max; by default 4, as in the scripts of the TREC
        Web Track, for any data set.
    """

    max_grade: int = 4

    name = "ERR"
    takes_fractions = True
    title = "Expected reciprocal rank"
    meaning = "Expected 1 / rank at which a reader who goes down the list is satisfied."
    paper = (
        "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, *Expected reciprocal rank for "
        "graded relevance*, CIKM 2009."
    )
    letters = (
        r"$\pi_i$ is the rank of document $i$, 1 at the top; $R_i$, from its label "
        "$y_i$, is the probability that a reader at it stops."
    )
    reads_irrelevant = False

    def __post_init__(self) -> None:
        super().__post_init__()
        fits = type(self.max_grade) is int and 1 <= self.max_grade <= _LARGEST
        wanted = f"the highest grade, a whole number from 1 to {_LARGEST}"
        self.check_option("max_grade", fits, wanted)

    def stop_chances(self, grades: ArrayLike) -> Floats:
        """Probability that a reader stops at a document of each grade."""
        powers = np.asarray(grades, dtype=np.float64) - self.max_grade
        chances: Floats = exp2(powers) - exp2(-self.max_grade)
        return chances

    def terms(self, labels: Integers, convention: Convention) -> Terms:
        stops, n = self.stop_chances(labels), len(labels)
        shares = self.within(n) / np.arange(1.0, n + 1)
        reached = np.concatenate(([1.0], np.cumprod(1.0 - stops)))[:n]
        factors = {
            "chance to reach it": reached,
            "chance to stop at it": stops,
            "1 / rank": shares,
        }
        return Terms(factors, reached * stops * shares, 1.0)

    def formula(self, convention: Convention) -> str:
        above = r"\prod_{j:\, \pi_j < \pi_i} (1 - R_j)"
        chance = rf"R_i = \frac{{2^{{y_i}} - 1}}{{2^{{{self.max_grade}}}}}"
        sum_ = rf"\sum_{{{self.positions()}}} \frac{{R_i}}{{\pi_i}} {above}"
        return rf"{self.symbol} = {sum_}, \qquad {chance}"

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.expected_rank import expected_rank_kernel

        levels = lists.labels if lists.levels is None else lists.levels
        highest = levels.max(initial=0)
        if highest > self.max_grade:
            raise ValueError(
                f"The label {highest} is above the highest grade of {self}; write "
                f"ERR(max_grade={math.ceil(highest)})."
            )
        grades = np.arange(self.max_grade + 1.0)
        stops = self.stop_chances(grades if lists.levels is None else levels)
        return expected_rank_kernel(*lists, stops, self.cutoff or 0, beta)

    def choices(self, convention: Convention) -> tuple[str, ...]:
        return (f"highest grade {self.max_grade}",)
