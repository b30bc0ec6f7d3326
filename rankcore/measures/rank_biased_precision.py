"""Rank-biased precision: precision for a reader who may stop after any document."""

from dataclasses import dataclass

from rankcore.measures._measure import BinaryMeasure, Floats, Lists
from rankcore.measures._rules import Convention


@dataclass(frozen=True)
class RankBiasedPrecision(BinaryMeasure):
    """RBP = (1 - p) sum_i r_i p^(rank_i - 1).

    Parameters
    ----------
    p : float
        Persistence: the probability that a reader continues with the next document,
        between 0 and 1.
    """

    p: float = 0.8

    name = "RBP"
    takes_fractions = True
    title = "Rank-biased precision"
    meaning = (
        "Expected share of relevant documents for a reader who continues after each "
        "document with probability p."
    )
    paper = (
        "A. Moffat, J. Zobel, *Rank-biased precision for measurement of retrieval "
        "effectiveness*, ACM Transactions on Information Systems 27(1), 2008."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = (
            "the probability that a reader continues, a number between 0 and 1 such as "
            "0.8"
        )
        self.check_option("p", type(self.p) is float and 0.0 < self.p < 1.0, wanted)

    def formula(self, convention: Convention) -> str:
        sum_ = rf"\sum_{{{self.positions('r_i = 1')}}} p^{{\pi_i - 1}}"
        return rf"{self.symbol} = (1 - p) {sum_}, \qquad p = {self.p:g}"

    def choices(self, convention: Convention) -> tuple[str, ...]:
        return f"persistence {self.p:g}", *super().choices(convention)

    def values(self, lists: Lists, convention: Convention, beta: float) -> Floats:
        from rankcore._kernels.measures.cumulated_gain import rank_biased_kernel

        least = self.threshold(lists)
        return rank_biased_kernel(*lists, least, self.p, self.cutoff or 0, beta)
